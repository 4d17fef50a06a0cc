//! Lists of lists in compressed sparse row form: where each list starts, and all entries.

/// Groups pairs of source and target by source.
pub(super) fn group_by_source(sources: usize, pairs: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; sources + 1];
    for (source, _) in pairs {
        starts[*source as usize + 1] += 1;
    }
    prefix_sums(&mut starts);
    let mut next = starts.clone();
    let mut targets = vec![0; pairs.len()];
    for (source, target) in pairs {
        targets[next[*source as usize] as usize] = *target;
        next[*source as usize] += 1;
    }
    (starts, targets)
}

/// A set of bits within one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordMask {
    /// The index of the word.
    pub(super) word: u32,
    /// The bits.
    pub(super) mask: u64,
}

/// Groups triples of source, word and bits by source, and unites the bits of the same word.
pub(super) fn group_masks(
    sources: usize,
    mut masks: Vec<(u32, u32, u64)>,
) -> (Vec<u32>, Vec<WordMask>) {
    masks.sort_unstable();
    masks.dedup();
    let mut starts = vec![0u32; sources + 1];
    let mut rows: Vec<WordMask> = Vec::new();
    let mut last = None;
    for (source, word, mask) in masks {
        match rows.last_mut() {
            Some(row) if last == Some((source, word)) => row.mask |= mask,
            _ => {
                rows.push(WordMask { word, mask });
                starts[source as usize + 1] += 1;
            }
        }
        last = Some((source, word));
    }
    prefix_sums(&mut starts);
    (starts, rows)
}

fn prefix_sums(starts: &mut [u32]) {
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
}
