//! The top-level modules of a crate depend on each other without a cycle.
//!
//! An edge goes from a top-level module to another when a file of the first names the second: by a
//! path from `crate` or from `super`, or by a name that the crate's root re-exports from it. Code
//! under `#[cfg(test)]` does not count. The crate's root itself is no module: it only declares and
//! re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::packages;
use crate::tokens::{Token, tokens};

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_top_level_modules_of_a_crate_form_no_cycle() {
    let mut problems = Vec::new();
    for package in packages() {
        let source = package.folder.join("src");
        if !source.join("lib.rs").is_file() {
            continue;
        }
        let graph = module_graph(&source);
        for cycle in cycles(&graph) {
            problems.push(format!("{}: {}", package.name, cycle.join(" ")));
            for from in &cycle {
                let inside = graph[from].iter().filter(|to| cycle.contains(to));
                let inside: Vec<&str> = inside.map(String::as_str).collect();
                problems.push(format!("    {from}: {}", inside.join(" ")));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "modules that depend on each other in a cycle:\n{}",
        problems.join("\n")
    );
}

/// The strongly connected components with more than one node.
pub(crate) fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let mut found = BTreeSet::new();
        let mut todo = vec![from];
        while let Some(node) = todo.pop() {
            for next in graph.get(node).into_iter().flatten() {
                if found.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        found
    };
    let reachable: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|node| (node, reach(node))).collect();
    let mut done = BTreeSet::new();
    let mut found = Vec::new();
    for (node, reached) in &reachable {
        if !reached.contains(*node) || done.contains(*node) {
            continue;
        }
        let together: Vec<String> = reached
            .iter()
            .filter(|other| {
                reachable
                    .get(other)
                    .is_some_and(|back| back.contains(*node))
            })
            .cloned()
            .collect();
        done.extend(together.iter().cloned());
        found.push(together);
    }
    found
}

/// A file of a crate with the path of its module from the root.
struct ModuleFile {
    path: Vec<String>,
    tokens: Vec<Token>,
}

/// The edges between the top-level modules below a folder with a `lib.rs`.
fn module_graph(source: &Path) -> Graph {
    let mut files = Vec::new();
    read_module(source, Vec::new(), &mut files);
    let (roots, inner): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.path.is_empty());
    let root = &roots[0].tokens;
    let modules: BTreeSet<String> = inner.iter().map(|file| file.path[0].clone()).collect();
    let exported = re_exports(root, &modules);
    let mut graph: Graph = modules
        .iter()
        .map(|name| (name.clone(), BTreeSet::new()))
        .collect();
    for file in &inner {
        let from = &file.path[0];
        for name in root_names(file) {
            let target = if modules.contains(&name) {
                Some(&name)
            } else {
                exported.get(&name)
            };
            if let Some(target) = target.filter(|target| *target != from) {
                graph
                    .entry(from.clone())
                    .or_default()
                    .insert(target.clone());
            }
        }
    }
    graph
}

/// Reads a module's file and recursively the files of the modules that it declares, except for test
/// modules.
fn read_module(folder: &Path, path: Vec<String>, files: &mut Vec<ModuleFile>) {
    let file = match path.split_last() {
        None => folder.join("lib.rs"),
        Some((name, parents)) => {
            let parent = parents
                .iter()
                .fold(folder.to_owned(), |at, part| at.join(part));
            let alone = parent.join(format!("{name}.rs"));
            if alone.is_file() {
                alone
            } else {
                parent.join(name).join("mod.rs")
            }
        }
    };
    // Inline modules and modules with `#[path]` have no file here.
    let Ok(text) = std::fs::read_to_string(&file) else {
        return;
    };
    let tokens = without_tests(&tokens(&text));
    for window in tokens.windows(3) {
        if let [Token::Word(keyword), Token::Word(name), end] = window
            && keyword == "mod"
            && end.is(';')
        {
            let path = [&path[..], std::slice::from_ref(name)].concat();
            read_module(folder, path, files);
        }
    }
    files.push(ModuleFile { path, tokens });
}

/// Removes every item under `#[cfg(test)]`.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        if !is_test_attribute(&tokens[i..]) {
            kept.push(tokens[i].clone());
            i += 1;
            continue;
        }
        // The item ends with the semicolon or closing bracket at its own depth.
        i += TEST_ATTRIBUTE.len();
        let mut depth = 0;
        while let Some(token) = tokens.get(i) {
            i += 1;
            match token {
                Token::Punctuation('{' | '(' | '[') => depth += 1,
                Token::Punctuation(c @ ('}' | ')' | ']')) => {
                    depth -= 1;
                    if depth == 0 && *c == '}' {
                        break;
                    }
                }
                Token::Punctuation(';' | ',') if depth == 0 => break,
                _ => {}
            }
        }
    }
    kept
}

const TEST_ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

fn is_test_attribute(tokens: &[Token]) -> bool {
    let matches = |(token, expected): (&Token, &&str)| match token {
        Token::Word(word) => word == expected,
        Token::Punctuation(sign) => expected.chars().eq([*sign]),
    };
    tokens.len() >= TEST_ATTRIBUTE.len() && tokens.iter().zip(&TEST_ATTRIBUTE).all(matches)
}

/// The names that the root re-exports from its modules, each with the module.
fn re_exports(root: &[Token], modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for (i, token) in root.iter().enumerate() {
        if token.word() != Some("use") {
            continue;
        }
        for path in use_paths(&root[i + 1..]) {
            if let [module, .., name] = &path[..]
                && modules.contains(module)
            {
                exported.insert(name.clone(), module.clone());
            }
        }
    }
    exported
}

/// The paths of the `use` item at the start of `tokens`. Groups are expanded, and a name after `as`
/// replaces the last segment.
fn use_paths(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut prefixes: Vec<Vec<String>> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut renamed = false;
    for token in tokens {
        match token {
            Token::Word(word) if word == "as" => renamed = true,
            Token::Word(word) => {
                if renamed {
                    path.pop();
                    renamed = false;
                }
                path.push(word.clone());
            }
            Token::Punctuation('{') => prefixes.push(path.clone()),
            Token::Punctuation(c @ (',' | '}' | ';')) => {
                if path.len() > prefixes.last().map_or(0, Vec::len) {
                    found.push(path.clone());
                }
                if *c == '}' {
                    prefixes.pop();
                }
                path = prefixes.last().cloned().unwrap_or_default();
                if *c == ';' {
                    break;
                }
            }
            Token::Punctuation(_) => {}
        }
    }
    found
}

/// The names at the crate's root that a file refers to: the segments after `crate::`, and those
/// after enough `super::` to reach the root.
fn root_names(file: &ModuleFile) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let tokens = &file.tokens;
    let mut i = 0;
    while i < tokens.len() {
        let mut up = match tokens[i].word() {
            Some("crate") => file.path.len(),
            Some("super") => 1,
            _ => {
                i += 1;
                continue;
            }
        };
        let is_visibility = i > 0 && tokens[i - 1].word() == Some("in");
        i += 1;
        while let [a, b, Token::Word(word), ..] = &tokens[i..] {
            if !(a.is(':') && b.is(':') && word == "super") {
                break;
            }
            up += 1;
            i += 3;
        }
        if up < file.path.len() || is_visibility {
            continue;
        }
        match &tokens[i..] {
            [a, b, Token::Word(word), ..] if a.is(':') && b.is(':') => {
                names.insert(word.clone());
            }
            [a, b, open, ..] if a.is(':') && b.is(':') && open.is('{') => {
                // The group ends at its closing bracket.
                let mut depth = 0;
                let group = tokens[i + 2..].iter().take_while(|token| {
                    depth += i32::from(token.is('{')) - i32::from(token.is('}'));
                    depth > 0
                });
                let mut group: Vec<Token> = group.cloned().collect();
                group.extend([Token::Punctuation('}'), Token::Punctuation(';')]);
                names.extend(
                    use_paths(&group)
                        .into_iter()
                        .filter_map(|path| path.into_iter().next()),
                );
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &[&str], text: &str) -> Vec<String> {
        let path = path.iter().map(ToString::to_string).collect();
        let tokens = without_tests(&tokens(text));
        root_names(&ModuleFile { path, tokens })
            .into_iter()
            .collect()
    }

    #[test]
    fn paths_from_the_root_and_from_the_parent_are_found() {
        assert_eq!(names(&["a"], "use crate::b::C; use super::d;"), ["b", "d"]);
        assert_eq!(
            names(&["a", "x"], "use super::d; fn f() { super::super::e() }"),
            ["e"]
        );
        assert_eq!(
            names(&["a"], "use crate::{b::{C, D}, E, f};"),
            ["E", "b", "f"]
        );
        assert_eq!(
            names(
                &["a"],
                "pub(crate) fn f() {} pub(in crate::q) fn g(_: crate::h::H) {}"
            ),
            ["h"]
        );
        assert_eq!(names(&["a"], "f(crate::b::c())"), ["b"]);
    }

    #[test]
    fn code_for_tests_is_left_out() {
        let text = "#[cfg(test)] use crate::a; #[cfg(test)] mod tests { use crate::b; fn f() {} } use crate::c;";
        assert_eq!(names(&["x"], text), ["c"]);
    }

    #[test]
    fn re_exported_names_lead_to_their_module() {
        let modules = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let root = tokens("mod a; mod b; pub use a::{X, y::Z as W}; pub use b::V; use std::fmt;");
        let exported = re_exports(&root, &modules);
        let pairs: Vec<String> = exported
            .iter()
            .map(|(name, of)| format!("{of}::{name}"))
            .collect();
        assert_eq!(pairs, ["b::V", "a::W", "a::X"]);
    }

    #[test]
    fn modules_in_a_cycle_are_found_together() {
        let graph = |edges: &[(&str, &str)]| {
            let mut graph = Graph::new();
            for (from, to) in edges {
                graph
                    .entry((*from).to_owned())
                    .or_default()
                    .insert((*to).to_owned());
            }
            graph
        };
        assert!(cycles(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
        let found = cycles(&graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]));
        assert_eq!(found, [["b", "c"]]);
    }
}
