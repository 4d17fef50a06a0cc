//! Lists of lists in two arrays: where each starts, and all entries one after another.

/// Pairs by their first number.
pub(super) fn group_by_source(sources: usize, pairs: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; sources + 1];
    for (source, _) in pairs {
        starts[*source as usize + 1] += 1;
    }
    add_up(&mut starts);
    let mut next = starts.clone();
    let mut targets = vec![0; pairs.len()];
    for (source, target) in pairs {
        targets[next[*source as usize] as usize] = *target;
        next[*source as usize] += 1;
    }
    (starts, targets)
}

/// Bits of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordMask {
    /// The word.
    pub(super) word: u32,
    /// The bits of it.
    pub(super) mask: u64,
}

/// Triples of source, word and bits by their first number, with the bits of one word together.
pub(super) fn group_masks(
    sources: usize,
    mut taps: Vec<(u32, u32, u64)>,
) -> (Vec<u32>, Vec<WordMask>) {
    taps.sort_unstable();
    taps.dedup();
    let mut starts = vec![0u32; sources + 1];
    let mut rows: Vec<WordMask> = Vec::new();
    let mut last = None;
    for (source, word, mask) in taps {
        match rows.last_mut() {
            Some(tap) if last == Some((source, word)) => tap.mask |= mask,
            _ => {
                rows.push(WordMask { word, mask });
                starts[source as usize + 1] += 1;
            }
        }
        last = Some((source, word));
    }
    add_up(&mut starts);
    (starts, rows)
}

fn add_up(starts: &mut [u32]) {
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
}
