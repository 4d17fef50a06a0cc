//! Ground programs agree with an independent prover on the traces of `shared/traces`, where they
//! are present.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ludorum_ground::testing::Valuation;
use ludorum_ground::{GroundBudget, GroundProgram, ground};
use ludorum_logic::{Rules, Terms};
use serde_json::Value;

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn read_trace(path: &Path) -> Option<Value> {
    let file = std::fs::File::open(path).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .ok()?;
    serde_json::from_str(&text).ok()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// The fluents of a state. An error names a fact that the program does not know.
fn fluents(program: &GroundProgram, texts: &[String]) -> Result<Vec<usize>, String> {
    let mut terms = Terms::clone(&program.terms);
    let index: std::collections::HashMap<_, _> = program
        .fluents
        .iter()
        .enumerate()
        .map(|(i, f)| (f.term, i))
        .collect();
    texts
        .iter()
        .map(|text| {
            let id = terms.parse(text).map_err(|e| format!("{e:?}"))?[0];
            index
                .get(&id)
                .copied()
                .ok_or_else(|| format!("unknown fluent {text}"))
        })
        .collect()
}

fn texts(program: &GroundProgram, state: &[usize]) -> BTreeSet<String> {
    state
        .iter()
        .map(|i| program.terms.text(program.fluents[*i].term))
        .collect()
}

/// Replays a trace. Returns the number of states that agree.
fn replay(program: &GroundProgram, trace: &Value) -> Result<usize, String> {
    let roles: Vec<String> = program
        .roles
        .iter()
        .map(|r| program.terms.text(*r))
        .collect();
    if strings(&trace["roles"]) != roles {
        return Err(format!("roles {roles:?}"));
    }
    let mut checked = 0;
    for playout in trace["playouts"].as_array().into_iter().flatten() {
        let steps = playout["steps"].as_array().map_or(&[][..], |s| s);
        let mut expected: Option<BTreeSet<String>> =
            Some(texts(program, &program.initial_state().collect::<Vec<_>>()));
        for (number, step) in steps.iter().enumerate() {
            let facts = strings(&step["state"]);
            if let Some(expected) = &expected
                && *expected != facts.iter().cloned().collect()
            {
                let facts: BTreeSet<String> = facts.into_iter().collect();
                let more: Vec<_> = expected.difference(&facts).collect();
                let less: Vec<_> = facts.difference(expected).collect();
                return Err(format!("state {number}: more {more:?}, less {less:?}"));
            }
            let state = fluents(program, &facts)?;
            let values = Valuation::new(program, state.iter().copied(), []);
            for (role, name) in roles.iter().enumerate() {
                let legal: BTreeSet<String> = program.moves[role]
                    .iter()
                    .filter(|m| values.holds(m.legal))
                    .map(|m| program.terms.text(m.term))
                    .collect();
                let wanted: BTreeSet<String> = strings(&step["legals"][name]).into_iter().collect();
                if legal != wanted {
                    let more: Vec<_> = legal.difference(&wanted).collect();
                    let less: Vec<_> = wanted.difference(&legal).collect();
                    return Err(format!(
                        "legals {number} of {name}: more {more:?}, less {less:?}"
                    ));
                }
                let goals: Vec<i64> = program
                    .goals
                    .iter()
                    .filter(|g| g.role == role && values.holds(g.atom))
                    .filter_map(|g| g.value)
                    .collect();
                let goal = match goals[..] {
                    [one] => Some(one),
                    _ => None,
                };
                if goal != step["goals"][name].as_i64() {
                    return Err(format!("goals {number} of {name}: {goals:?}"));
                }
            }
            let terminal = program.terminal.is_some_and(|atom| values.holds(atom));
            if Some(terminal) != step["terminal"].as_bool() {
                return Err(format!("terminal {number}: {terminal}"));
            }
            checked += 1;
            expected = None;
            let moves = strings(&step["moves"]);
            if moves.is_empty() {
                continue;
            }
            let mut does = Vec::new();
            for (role, text) in moves.iter().enumerate() {
                let found = program.moves[role]
                    .iter()
                    .find(|m| program.terms.text(m.term) == *text);
                does.push(found.ok_or_else(|| format!("unknown move {text}"))?.does);
            }
            let values = Valuation::new(program, state, does);
            expected = Some(texts(program, &values.next(program)));
        }
    }
    Ok(checked)
}

/// Replays the traces of all games that `wanted` selects. Games over the budget are reported.
fn replay_all(wanted: impl Fn(&str) -> bool) {
    let traces = shared().join("traces");
    if !traces.exists() {
        eprintln!("skipped: no traces");
        return;
    }
    let (mut games, mut states, mut over) = (0, 0, Vec::new());
    let mut wrong = Vec::new();
    for collection in ["base", "stanford", "y2006"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(traces.join(collection))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        for path in paths {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .replace(".json.gz", "");
            if !wanted(&name) {
                continue;
            }
            let sheet = shared().join(format!("games/{collection}/{name}.kif"));
            let Ok(bytes) = std::fs::read(&sheet) else {
                continue;
            };
            let rules = match Rules::from_text(&String::from_utf8_lossy(&bytes)) {
                Ok(rules) => rules,
                Err(problems) => {
                    wrong.push(format!("{collection}/{name}: {problems:?}"));
                    continue;
                }
            };
            match ground(&rules, &GroundBudget::default(), &mut |_| {}) {
                Err(error) => over.push(format!("{collection}/{name}: {error}")),
                Ok(program) => {
                    let Some(trace) = read_trace(&path) else {
                        continue;
                    };
                    match replay(&program, &trace) {
                        Ok(count) => {
                            games += 1;
                            states += count;
                        }
                        Err(problem) => wrong.push(format!("{collection}/{name}: {problem}")),
                    }
                }
            }
        }
    }
    eprintln!("{games} games, {states} states agree; over the budget: {over:#?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn ground_programs_of_varied_games_agree_with_the_oracle() {
    let sample = [
        "ticTacToe",
        "connectFour",
        "breakthrough",
        "chineseCheckers2",
        "hanoi",
        "nim1",
        "lightsOut",
        "pancakes6",
        "quarto",
        "minichess",
        "gt_two_thirds_2p",
        "nonogram",
        "asteroidsSerial",
        "farmers",
        "blocks",
        "bomberman2p",
        "peg",
        "knightsTour",
        "eightPuzzle",
        "reversi",
    ];
    replay_all(|name| sample.contains(&name));
}

#[test]
#[ignore = "takes minutes: cargo test --release -p ludorum-ground --test traces -- --ignored"]
fn ground_programs_of_all_games_agree_with_the_oracle() {
    replay_all(|_| true);
}
