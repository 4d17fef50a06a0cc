//! Statistics of a network: depth, cycles, fan-in and fan-out.

use serde::Serialize;

use super::evaluation_order::{EvaluationOrder, dependencies};
use super::network::Network;

/// Statistics of a network.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkStatistics {
    /// The length of the longest path from a source; a cycle counts as one component.
    pub levels: usize,
    /// The number of cycles.
    pub cycles: usize,
    /// The number of components in cycles.
    pub cyclic: usize,
    /// Distribution of the number of inputs, for components that have any.
    pub fan_in: DegreeDistribution,
    /// Distribution of the number of outputs, for components that have any.
    pub fan_out: DegreeDistribution,
}

/// The distribution of a number.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DegreeDistribution {
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: usize,
    /// Histogram with doubling buckets: 1, 2, 3-4, 5-8, 9-16 and so on.
    pub buckets: Vec<usize>,
}

impl DegreeDistribution {
    fn new(numbers: impl Iterator<Item = usize>) -> Self {
        let mut spread = Self::default();
        let (mut sum, mut count) = (0u32, 0u32);
        for number in numbers.filter(|number| *number > 0) {
            sum = sum.saturating_add(number as u32);
            count += 1;
            spread.max = spread.max.max(number);
            let bucket = (usize::BITS - (number - 1).leading_zeros()) as usize;
            if spread.buckets.len() <= bucket {
                spread.buckets.resize(bucket + 1, 0);
            }
            spread.buckets[bucket] += 1;
        }
        spread.mean = f64::from(sum) / f64::from(count.max(1));
        spread
    }
}

impl NetworkStatistics {
    /// Computes the statistics of a network.
    pub fn new(network: &Network) -> Self {
        let mut level = vec![0usize; network.len()];
        let (mut cycles, mut cyclic_nodes) = (0, 0);
        for (members, cyclic) in EvaluationOrder::new(network).iter() {
            let below = members
                .iter()
                .flat_map(|node| dependencies(network, *node))
                .map(|input| level[*input as usize])
                .max();
            for node in members {
                level[*node as usize] = below.map_or(0, |below| below + 1);
            }
            if cyclic {
                cycles += 1;
                cyclic_nodes += members.len();
            }
        }
        let outputs = network.outputs();
        Self {
            levels: level.iter().copied().max().unwrap_or(0),
            cycles,
            cyclic: cyclic_nodes,
            fan_in: DegreeDistribution::new(
                network.components().map(|node| network.inputs(node).len()),
            ),
            fan_out: DegreeDistribution::new(
                network.components().map(|node| outputs.of(node).len()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fall_into_buckets_that_double() {
        let spread = DegreeDistribution::new([0, 1, 1, 2, 3, 4, 5, 8, 9].into_iter());
        assert_eq!(spread.buckets, [2, 1, 2, 2, 1]);
        assert_eq!(spread.max, 9);
    }
}
