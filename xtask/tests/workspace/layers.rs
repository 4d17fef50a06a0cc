//! The dependencies between crates are those of the block `layers` in ARCHITECTURE.md.
//!
//! Each line of the block names a crate and the crates that it may depend on directly. A dependency
//! that is not in the block fails the test, and so does one in the block that does not exist. The
//! block must have no cycle. A cycle through dev-dependencies is possible in Cargo; such
//! dependencies are printed as warnings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::modules::cycles;
use crate::{DependencyKind, packages, root};

/// The crates that each crate may depend on.
pub(crate) type Layers = BTreeMap<String, BTreeSet<String>>;

#[test]
fn crates_depend_on_each_other_as_architecture_md_says() {
    let path = root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).expect("ARCHITECTURE.md");
    let allowed =
        parse_layers(&text).unwrap_or_else(|problem| panic!("ARCHITECTURE.md: {problem}"));
    let mut actual = Layers::new();
    for package in packages() {
        let mut names = package.dependencies(DependencyKind::Normal);
        names.extend(package.dependencies(DependencyKind::Build));
        let names = names.into_iter().map(str::to_owned).collect();
        actual.insert(package.name.clone(), names);
    }
    let problems = differences(&allowed, &actual);
    assert!(
        problems.is_empty(),
        "{}\nThe block would be:\n{}",
        problems.join("\n"),
        block(&actual)
    );
}

#[test]
fn the_layers_have_no_cycle() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let allowed =
        parse_layers(&text).unwrap_or_else(|problem| panic!("ARCHITECTURE.md: {problem}"));
    assert_eq!(cycles(&allowed), Vec::<Vec<String>>::new());
    for warning in upward_dev_dependencies(&allowed) {
        println!("warning: {warning}");
    }
}

/// The dev-dependencies of a crate on a crate that depends on it.
fn upward_dev_dependencies(layers: &Layers) -> Vec<String> {
    let mut warnings = Vec::new();
    for package in packages() {
        for target in package.dependencies(DependencyKind::Dev) {
            if reachable(layers, target).contains(&package.name) {
                warnings.push(format!(
                    "{} has a dev-dependency on {target}, which depends on it",
                    package.name
                ));
            }
        }
    }
    warnings
}

/// All crates that a crate depends on, directly or not.
pub(crate) fn reachable(layers: &Layers, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut todo = vec![from.to_owned()];
    while let Some(name) = todo.pop() {
        for next in layers.get(&name).into_iter().flatten() {
            if found.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    found
}

fn differences(allowed: &Layers, actual: &Layers) -> Vec<String> {
    let mut problems = Vec::new();
    let none = BTreeSet::new();
    let names: BTreeSet<&String> = allowed.keys().chain(actual.keys()).collect();
    for name in names {
        match (allowed.get(name), actual.get(name)) {
            (None, _) => problems.push(format!("the crate {name} is not in the block")),
            (_, None) => problems.push(format!("the block names {name}, which is no crate")),
            _ => {}
        }
        let allowed = allowed.get(name).unwrap_or(&none);
        let actual = actual.get(name).unwrap_or(&none);
        for target in actual.difference(allowed) {
            problems.push(format!(
                "{name} depends on {target}, which the block does not allow"
            ));
        }
        for target in allowed.difference(actual) {
            problems.push(format!(
                "{name} does not depend on {target}, as the block says"
            ));
        }
    }
    problems
}

/// The lines of the fenced block whose language is `layers`.
fn parse_layers(text: &str) -> Result<Layers, String> {
    let mut lines = text
        .lines()
        .skip_while(|line| line.trim_end() != "```layers");
    lines.next().ok_or("there is no block ```layers")?;
    let mut layers = Layers::new();
    for line in lines.take_while(|line| !line.starts_with("```")) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (name, targets) = line
            .split_once(':')
            .ok_or(format!("no colon in `{line}`"))?;
        let targets = targets.split_whitespace().map(str::to_owned).collect();
        if layers.insert(name.trim().to_owned(), targets).is_some() {
            return Err(format!("`{name}` has two lines"));
        }
    }
    Ok(layers)
}

/// The block as it would have to be: every crate below the crates that it depends on.
fn block(layers: &Layers) -> String {
    let mut text = String::from("```layers\n");
    let mut done = BTreeSet::new();
    while done.len() < layers.len() {
        let before = done.len();
        for (name, targets) in layers {
            if !done.contains(name) && targets.iter().all(|target| done.contains(target)) {
                let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
                let line = format!("{name}: {}", targets.join(" "));
                let _ = writeln!(text, "{}", line.trim_end());
                done.insert(name.clone());
            }
        }
        if done.len() == before {
            let _ = writeln!(text, "# the rest has a cycle");
            break;
        }
    }
    text + "```\n"
}

#[test]
fn the_block_is_read_line_by_line() {
    let text = "# A\n```layers\ngdl:\nlogic: gdl # rules\n\n```\nb: c\n";
    let layers = parse_layers(text).unwrap();
    assert_eq!(layers.len(), 2);
    assert!(layers["gdl"].is_empty());
    assert_eq!(layers["logic"], BTreeSet::from(["gdl".to_owned()]));
    assert_eq!(
        parse_layers("none"),
        Err("there is no block ```layers".into())
    );
}

#[test]
fn a_missing_and_a_surplus_dependency_are_both_reported() {
    let layers = |text: &str| parse_layers(&format!("```layers\n{text}```\n")).unwrap();
    let allowed = layers("a:\nb: a\nc: a\n");
    assert!(differences(&allowed, &allowed).is_empty());
    let problems = differences(&allowed, &layers("a:\nb: a\nc: b\n"));
    assert_eq!(
        problems,
        [
            "c depends on b, which the block does not allow",
            "c does not depend on a, as the block says"
        ]
    );
}
