//! Lists the files of `web` for embedding.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("web");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_hidden = name.is_none_or(|name| name.starts_with('.'));
        if path.is_file() && !is_hidden {
            paths.push(path);
        }
    }
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(
            list,
            "    ({name:?}, include_bytes!({:?})),",
            path.display().to_string()
        )?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("web.rs"), list)?;
    Ok(())
}
