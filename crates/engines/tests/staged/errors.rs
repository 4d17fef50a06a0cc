//! What the staged engine cannot answer is an error, and it stops when it is told to.
