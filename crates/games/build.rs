//! Lists the pairs of `sheets/NAME.kif` and `sheets/NAME.toml` so that the library can embed them.
//!
//! A game is added by adding its two files; there is no list to keep. A sheet without metadata, or
//! the other way round, stops the build.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let sheets = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("sheets");
    println!("cargo::rerun-if-changed={}", sheets.display());
    let texts = stems(&sheets, "kif")?;
    let metadata = stems(&sheets, "toml")?;
    if let Some(name) = texts.symmetric_difference(&metadata).next() {
        return Err(format!("sheets/{name}: a game needs both NAME.kif and NAME.toml").into());
    }
    let mut list = String::from("&[\n");
    for name in &texts {
        let path = |extension: &str| {
            let path = sheets.join(format!("{name}.{extension}"));
            path.display().to_string()
        };
        writeln!(
            list,
            "    ({name:?}, include_str!({:?}), include_str!({:?})),",
            path("kif"),
            path("toml"),
        )?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("sheets.rs"), list)?;
    Ok(())
}

/// The names of the files with an extension, sorted.
fn stems(folder: &Path, extension: &str) -> Result<BTreeSet<String>, Box<dyn error::Error>> {
    let mut names = BTreeSet::new();
    // A missing folder gives a library without games instead of a build error.
    if !folder.is_dir() {
        return Ok(names);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == extension)
            && let Some(stem) = path.file_stem().and_then(|s| s.to_str())
        {
            names.insert(stem.to_owned());
        }
    }
    Ok(names)
}
