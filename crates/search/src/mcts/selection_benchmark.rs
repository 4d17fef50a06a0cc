//! UCB1 selection at a node without a game, to measure it alone.

use ludorum_player::{OptionError, OptionValues};
use ludorum_reasoner::MoveId;
use rustc_hash::FxHashMap;

use super::node::{ChildEdge, Expansion, MAX_GOAL, Mover, NONE, Node};
use super::select::select;
use super::settings::Settings;
use crate::options;

/// A node at which one role has some moves, all of the same value.
#[derive(Debug)]
pub struct SelectionBenchmark {
    node: Node<()>,
    settings: Settings,
    picks: Vec<u32>,
}

impl SelectionBenchmark {
    /// A node with some moves, and the options of `mcts`.
    pub fn new(moves: u32, options: &str) -> Result<Self, OptionError> {
        let mut node = Node::new((), 1);
        let edge = |id: u32| ChildEdge {
            points: 0,
            id: MoveId(id),
            visits: 0,
            pending: 0,
            child: NONE,
            low: 0,
            high: MAX_GOAL,
        };
        node.expansion = Some(Box::new(Expansion {
            fixed: smallvec::smallvec![MoveId(0)],
            movers: smallvec::smallvec![Mover {
                role: 0,
                first: 0,
                count: moves,
            }],
            edges: (0..moves).map(edge).collect(),
            joint: FxHashMap::default(),
            amaf: None,
            amaf_bytes: 0,
        }));
        Ok(Self {
            node,
            settings: Settings::new(&OptionValues::parse(options::MCTS, options)?),
            picks: Vec::new(),
        })
    }

    /// Selects a move by UCB1 and backpropagates an even result; gives the move's index.
    pub fn choose(&mut self) -> Option<u32> {
        self.picks.clear();
        select(
            &mut self.node,
            &self.settings,
            1,
            None,
            None,
            &mut self.picks,
        );
        let place = *self.picks.first()?;
        let edge = &mut self.node.expansion.as_mut()?.edges[place as usize];
        edge.points += u64::from(MAX_GOAL) / 2;
        edge.complete_pending(1);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_moves_are_chosen_equally_often() {
        let mut benchmark = SelectionBenchmark::new(7, "").expect("options");
        let mut counts = [0; 7];
        for _ in 0..700 {
            counts[benchmark.choose().expect("a move") as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (95..=105).contains(count)),
            "{counts:?}"
        );
    }
}
