//! All sheets of the collections, parsed, printed and formatted in both notations.

mod common;

use std::path::PathBuf;

use common::survives;
use ludorum_gdl::Notation;

/// The files of the collections beside the project, if they exist.
fn real_sheets() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "kif") {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        println!("skipped: no sheets in {}", root.display());
    }
    found.sort();
    found
}

#[test]
fn real_sheets_keep_clauses_and_comments_in_both_notations() {
    for path in real_sheets() {
        let bytes = std::fs::read(&path).expect("a sheet that was listed can be read");
        let text = ludorum_gdl::source::decode(&bytes).expect("a sheet is text");
        let parsed = ludorum_gdl::parse(text);
        assert!(
            !parsed.has_errors(),
            "{}: {:?}",
            path.display(),
            parsed.diagnostics
        );
        survives(text, Notation::Kif);
        survives(
            &ludorum_gdl::format::format(&parsed.description, text, Notation::Infix),
            Notation::Infix,
        );
    }
}
