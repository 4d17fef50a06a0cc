//! Finds the rule sheets in a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// All `*.kif` files in a folder and its subfolders, sorted. Links to folders are not followed, so
/// the search ends.
pub(crate) fn find(root: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error| (folder.clone(), error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("kif"))
                && path.is_file()
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
