//! Stages for the fuzz tests: every `crates/*/tests/fuzz*.rs`.
//!
//! They are ordinary tests that draw random inputs for `LUDORUM_FUZZ_SECONDS` seconds, or for a
//! short time if it is unset. They are found by name, so there is no list to maintain.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::stage::Stage;

/// Duration of each fuzz test in seconds.
const SECONDS: &str = "60";

/// One stage for each name of a fuzz test, sorted. Crates with a fuzz test of the same name share
/// the stage.
pub(crate) fn stages(root: &Path) -> io::Result<Vec<Stage>> {
    let mut names = BTreeSet::new();
    for package in root.join("crates").read_dir()? {
        let Ok(tests) = package?.path().join("tests").read_dir() else {
            continue;
        };
        for test in tests {
            let file = test?.file_name();
            names.extend(fuzz_test(file.to_str()).map(str::to_owned));
        }
    }
    Ok(names
        .iter()
        .map(|name| {
            // With `--workspace`, dependencies keep the features of the previous stage and are not
            // rebuilt.
            let args = ["test", "--workspace", "--test", name];
            Stage::cargo(format!("fuzzing ({name})"), &args).env("LUDORUM_FUZZ_SECONDS", SECONDS)
        })
        .collect())
}

/// The name of the test if a file or folder contains a fuzz test.
fn fuzz_test(file: Option<&str>) -> Option<&str> {
    let file = file?;
    let name = file.strip_suffix(".rs").unwrap_or(file);
    (name.starts_with("fuzz") && !name.contains('.')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_tests_are_known_by_their_names() {
        assert_eq!(fuzz_test(Some("fuzz.rs")), Some("fuzz"));
        assert_eq!(fuzz_test(Some("fuzz_check")), Some("fuzz_check"));
        assert_eq!(fuzz_test(Some("fuzz.proptest-regressions")), None);
        assert_eq!(fuzz_test(Some("roundtrip.rs")), None);
    }
}
