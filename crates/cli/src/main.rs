//! Todo.
fn main() {}
