//! Every crate can be packaged and has complete metadata.

use std::path::Path;

use serde_json::Value;

use crate::layers::{Layers, reachable};
use crate::{DependencyKind, Package, packages, short_name};

/// Maximum number of keywords that a crate registry accepts.
const MAX_KEYWORDS: usize = 5;

#[test]
fn every_crate_has_a_description_keywords_and_a_readme() {
    let mut problems = Vec::new();
    for package in packages() {
        for problem in problems_of(&package) {
            problems.push(format!("{}: {problem}", package.name));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn problems_of(package: &Package) -> Vec<String> {
    let mut problems = Vec::new();
    let manifest = &package.manifest;
    for field in ["description", "license", "readme", "rust_version"] {
        if manifest[field].as_str().is_none_or(str::is_empty) {
            problems.push(format!("no {field}"));
        }
    }
    let keywords = manifest["keywords"].as_array().map_or(0, Vec::len);
    if is_published(manifest) && !(1..=MAX_KEYWORDS).contains(&keywords) {
        problems.push(format!("{keywords} keywords, and not 1 to {MAX_KEYWORDS}"));
    }
    // A readme outside of the crate's folder would belong to another crate.
    let readme = package
        .folder
        .join(manifest["readme"].as_str().unwrap_or("README.md"));
    match std::fs::read_to_string(&readme) {
        Err(error) => problems.push(format!("{}: {error}", readme.display())),
        Ok(text) if !text.starts_with("# ") => problems.push("a readme without a title".into()),
        Ok(_) => {}
    }
    if readme.parent() != Some(Path::new(&package.folder)) {
        problems.push("the readme lies outside of the crate".into());
    }
    problems
}

fn is_published(manifest: &Value) -> bool {
    // `publish = false` is an empty list of registries.
    manifest["publish"]
        .as_array()
        .is_none_or(|list| !list.is_empty())
}

#[test]
fn published_crates_depend_only_on_published_crates_by_version() {
    let packages = packages();
    let published: Vec<&str> = packages
        .iter()
        .filter(|package| is_published(&package.manifest))
        .map(|package| package.name.as_str())
        .collect();
    let mut problems = Vec::new();
    for package in packages
        .iter()
        .filter(|package| is_published(&package.manifest))
    {
        for kind in [DependencyKind::Normal, DependencyKind::Build] {
            for target in package.dependencies(kind) {
                if !published.contains(&target) {
                    problems.push(format!(
                        "{} needs {target}, which is not published",
                        package.name
                    ));
                }
            }
        }
        for dependency in package.manifest["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let is_normal = dependency["kind"].is_null();
            if is_normal && dependency["path"].is_string() && dependency["req"] == "*" {
                problems.push(format!(
                    "{}: {} has no version",
                    package.name, dependency["name"]
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_dev_dependency_on_a_crate_above_has_a_path_and_no_version() {
    let packages = packages();
    let layers = packages.iter().map(|package| {
        let names = package.dependencies(DependencyKind::Normal);
        let names = names.into_iter().map(str::to_owned).collect();
        (package.name.clone(), names)
    });
    let layers: Layers = layers.collect();
    let mut problems = Vec::new();
    for package in &packages {
        for dependency in package.manifest["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let name = short_name(dependency["name"].as_str().unwrap_or_default());
            let is_above =
                name == package.name || reachable(&layers, &name).contains(&package.name);
            if is_above && dependency["kind"] == "dev" && dependency["req"] != "*" {
                problems.push(format!("{}: {name}", package.name));
            }
        }
    }
    // Cargo removes dev-dependencies without a version when it packages a crate. With a version,
    // each of the two crates would have to be published before the other.
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
