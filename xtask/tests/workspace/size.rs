//! The number of lines of code in each crate.

use crate::{packages, rust_files};

/// The most lines of code that a crate may have, its tests included.
const MAX_LINES: usize = 15_000;

#[test]
fn no_crate_exceeds_the_maximum_number_of_lines() {
    let mut too_large = Vec::new();
    for package in packages() {
        let mut lines = 0;
        for file in rust_files(&package.folder) {
            lines += lines_of_code(&std::fs::read_to_string(&file).expect("a file of the crate"));
        }
        println!("{:>6}  {}", lines, package.name);
        if lines > MAX_LINES {
            too_large.push(format!("{}: {lines} lines", package.name));
        }
    }
    assert!(
        too_large.is_empty(),
        "more than {MAX_LINES} lines of code: {too_large:?}"
    );
}

/// Lines that are neither blank nor only a comment.
fn lines_of_code(text: &str) -> usize {
    let mut in_block = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        if in_block {
            in_block = !line.contains("*/");
            return false;
        }
        if line.starts_with("/*") {
            in_block = !line.contains("*/");
            return false;
        }
        !line.is_empty() && !line.starts_with("//")
    };
    text.lines().filter(is_code).count()
}

#[test]
fn blank_lines_and_comments_are_not_counted() {
    let text = "/*!\nA page.\n*/\n\n// why\nfn f() {\n    /// doc\n    g(); // code\n}\n";
    assert_eq!(lines_of_code(text), 3);
}
