//! How much memory lists and tables take, and will take when more comes in.
//!
//! Both grow by making a larger one and moving over, so at that moment there are two of them:
//! whoever has a bound to keep looks before.

/// The bytes of a list while `more` come in.
pub(crate) fn vec_bytes(len: usize, capacity: usize, more: usize, size: usize) -> usize {
    if len + more <= capacity {
        return capacity * size;
    }
    (capacity + (2 * capacity).max(len + more)) * size
}

/// The bytes of a hash table while `more` come in.
pub(crate) fn hash_table_bytes(len: usize, capacity: usize, more: usize, size: usize) -> usize {
    if len + more <= capacity {
        return bucket_count(capacity) * (size + 1);
    }
    (bucket_count(capacity) + bucket_count((capacity + 1).max(len + more))) * (size + 1)
}

/// The places of a table that holds so many: a power of two, of which an eighth stays free. Each
/// has a byte of its own.
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
    fn a_list_that_grows_is_there_twice() {
        assert_eq!(vec_bytes(3, 4, 1, 10), 40);
        assert_eq!(vec_bytes(4, 4, 1, 10), 40 + 80);
        assert_eq!(vec_bytes(4, 4, 9, 10), 40 + 130);
    }

    #[test]
    fn tables_are_as_large_as_they_say_and_grow_when_they_are_full() {
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
            // An eighth of the places stays free.
            assert!(set.capacity() < bucket_count(set.capacity()));
        }
    }
}
