//! Tests of the workspace as a whole: the dependencies between crates and modules, the size of
//! crates and their package metadata.

mod layers;
mod modules;
mod packages;
mod size;
mod tokens;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The root of the workspace.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask
        .parent()
        .expect("xtask lies in the workspace")
        .to_owned()
}

/// A package of the workspace, as `cargo metadata` describes it.
struct Package {
    /// The name without the prefix `ludorum-`: the name in ARCHITECTURE.md.
    name: String,
    /// The folder of its manifest.
    folder: PathBuf,
    /// The fields of the manifest.
    manifest: Value,
    /// The packages of the workspace that it depends on, with the kind of the dependency.
    dependencies: Vec<(DependencyKind, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DependencyKind {
    Normal,
    Build,
    Dev,
}

impl Package {
    /// The direct dependencies of a kind, sorted, each once.
    fn dependencies(&self, kind: DependencyKind) -> Vec<&str> {
        let of_kind = self.dependencies.iter().filter(|(of, _)| *of == kind);
        let mut names: Vec<&str> = of_kind.map(|(_, name)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// All packages of the workspace, sorted by name.
fn packages() -> Vec<Package> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let words = [
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--offline",
    ];
    let output = Command::new(cargo).args(words).current_dir(root()).output();
    let output = output.expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let list = metadata["packages"].as_array().expect("a list of packages");
    let mut packages: Vec<Package> = list.iter().map(package).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

fn package(manifest: &Value) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let dependencies = manifest["dependencies"].as_array();
    let in_workspace = dependencies
        .into_iter()
        .flatten()
        .filter(|one| one["path"].is_string());
    Package {
        name: short_name(&text(&manifest["name"])),
        folder: Path::new(&text(&manifest["manifest_path"]))
            .parent()
            .expect("a manifest lies in a folder")
            .to_owned(),
        manifest: manifest.clone(),
        dependencies: in_workspace
            .map(|one| {
                let kind = match one["kind"].as_str() {
                    None => DependencyKind::Normal,
                    Some("build") => DependencyKind::Build,
                    Some(_) => DependencyKind::Dev,
                };
                (kind, short_name(&text(&one["name"])))
            })
            .collect(),
    }
}

fn short_name(package: &str) -> String {
    package
        .strip_prefix("ludorum-")
        .unwrap_or(package)
        .to_owned()
}

/// All Rust files below a folder, sorted.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
