//! Comparison of engines, for tests. Behind the feature `testing`; nothing here is fast.

pub mod compare;
