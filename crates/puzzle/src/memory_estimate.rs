//! Memory of lists and hash tables now and while they grow.
//!
//! Both grow by allocating a larger block and moving the entries, so that two blocks exist for a
//! moment. A technique with a memory bound checks it before it inserts.

/// The bytes of a `Vec` while `more` entries are added.
pub(crate) fn vec_bytes(len: usize, capacity: usize, more: usize, size: usize) -> usize {
    if len + more <= capacity {
        return capacity * size;
    }
    (capacity + (2 * capacity).max(len + more)) * size
}

/// The bytes of a hash table while `more` entries are added.
pub(crate) fn hash_table_bytes(len: usize, capacity: usize, more: usize, size: usize) -> usize {
    if len + more <= capacity {
        return bucket_count(capacity) * (size + 1);
    }
    (bucket_count(capacity) + bucket_count((capacity + 1).max(len + more))) * (size + 1)
}

/// The buckets of a hash table with some capacity: a power of two with one eighth free, as in
/// hashbrown. Each bucket has one control byte.
fn bucket_count(capacity: usize) -> usize {
    match capacity {
        0 => 0,
        1..4 => 4,
        4..8 => 8,
        _ => (capacity * 8).div_ceil(7).next_power_of_two(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn a_growing_list_counts_the_old_and_the_new_block() {
        assert_eq!(vec_bytes(3, 4, 1, 10), 40);
        assert_eq!(vec_bytes(4, 4, 1, 10), 40 + 80);
        assert_eq!(vec_bytes(4, 4, 9, 10), 40 + 130);
    }

    #[test]
    fn hash_table_estimates_match_the_standard_library() {
        let mut set: FxHashSet<u64> = FxHashSet::default();
        for number in 0..10_000 {
            let (len, capacity) = (set.len(), set.capacity());
            let estimate = hash_table_bytes(len, capacity, 1, 8);
            set.insert(number);
            if set.capacity() == capacity {
                assert_eq!(estimate, bucket_count(capacity) * 9);
            } else {
                assert_eq!(
                    estimate,
                    (bucket_count(capacity) + bucket_count(set.capacity())) * 9
                );
            }
            // One eighth of the buckets is free.
            assert!(set.capacity() < bucket_count(set.capacity()));
        }
    }
}
