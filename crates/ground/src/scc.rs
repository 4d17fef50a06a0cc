//! Strongly connected components of a directed graph.

/// Strongly connected components by the algorithm of Tarjan 1972, with an explicit stack.
///
/// Components come after those they have edges to. The graph is in CSR form: node `n` has edges to
/// `targets[offsets[n]..offsets[n+1]]`. Returns the members of all components and the start of each
/// component.
pub(crate) fn components(offsets: &[u32], targets: &[u32]) -> (Vec<u32>, Vec<u32>) {
    const UNSEEN: u32 = u32::MAX;
    let count = offsets.len().saturating_sub(1);
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut members: Vec<u32> = Vec::with_capacity(count);
    let mut starts: Vec<u32> = Vec::new();
    let mut counter = 0;
    for root in 0..count as u32 {
        if number[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, offsets[root as usize]));
        number[root as usize] = counter;
        low[root as usize] = counter;
        counter += 1;
        stack.push(root);
        on_stack[root as usize] = true;
        while let Some((node, edge)) = path.last_mut() {
            let at = *node as usize;
            if *edge < offsets[at + 1] {
                let target = targets[*edge as usize];
                *edge += 1;
                let to = target as usize;
                if number[to] == UNSEEN {
                    number[to] = counter;
                    low[to] = counter;
                    counter += 1;
                    stack.push(target);
                    on_stack[to] = true;
                    path.push((target, offsets[to]));
                } else if on_stack[to] {
                    low[at] = low[at].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == number[at] {
                starts.push(members.len() as u32);
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    members.push(member);
                    if member as usize == at {
                        break;
                    }
                }
            }
        }
    }
    starts.push(members.len() as u32);
    (members, starts)
}

/// A graph in CSR form, from its edges.
pub(crate) fn csr(count: usize, edges: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; count + 1];
    for (from, _) in edges {
        offsets[*from as usize + 1] += 1;
    }
    for at in 0..count {
        offsets[at + 1] += offsets[at];
    }
    let mut place = offsets.clone();
    let mut targets = vec![0; edges.len()];
    for (from, to) in edges {
        let at = &mut place[*from as usize];
        targets[*at as usize] = *to;
        *at += 1;
    }
    (offsets, targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_lead_to() {
        let (offsets, targets) = csr(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 0)]);
        let (members, starts) = components(&offsets, &targets);
        let sets: Vec<Vec<u32>> = starts
            .windows(2)
            .map(|w| {
                let mut set = members[w[0] as usize..w[1] as usize].to_vec();
                set.sort_unstable();
                set
            })
            .collect();
        assert_eq!(sets, [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn long_chains_need_no_deep_stack() {
        let edges: Vec<(u32, u32)> = (0..300_000).map(|n| (n, n + 1)).collect();
        let (offsets, targets) = csr(300_001, &edges);
        assert_eq!(components(&offsets, &targets).1.len(), 300_002);
    }
}
