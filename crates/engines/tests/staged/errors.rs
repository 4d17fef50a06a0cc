//! What the staged engine cannot answer is an error, and it stops when it is told to.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_factor::{NotApplicable, StageOptions, stage};
use ludorum_lanes::{Backend, StagedError, StagedLanes};
use ludorum_logic::Rules;
use ludorum_propnet::CompileLimits;
use ludorum_reasoner::{Goal, ReasonError, Reasoner, Rng};

use super::support::{interpreted, rules, shared, shipped, staged};

/// A king on a line of cells that must not step next to a guard. The guards may step on the king; then
/// the game is over if `ends`.
fn kings(ends: bool) -> StagedLanes {
    let mut text = "(role white) (role black) (init (control white))
        (init (at c0 king)) (init (at c5 guard)) (init (at c7 guard))
        (<= (next (control white)) (true (control black)))
        (<= (next (control black)) (true (control white)))
        (<= (near ?a ?b) (after ?a ?b)) (<= (near ?a ?b) (after ?b ?a))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (legal white (go ?a ?b)) (true (control white)) (true (at ?a king)) (near ?a ?b)
          (not (guarded ?a ?b)))
        (<= (legal white (stay ?a)) (true (control white)) (cell ?a) (true (at ?k king))
          (sees ?a ?k))
        (<= (legal black (go ?a ?b)) (true (control black)) (true (at ?a guard)) (near ?a ?b)
          (not (true (at ?b guard))))
        (<= (sees ?a ?b) (near ?a ?b)) (<= (sees ?a ?b) (sees ?a ?c) (near ?c ?b) (free ?c))
        (<= (free ?c) (cell ?c) (not (taken ?c))) (<= (taken ?c) (true (at ?c ?p)))
        (<= (guarded ?a ?b) (cell ?a) (near ?c ?b) (true (at ?c guard)) (distinct ?a ?c))
        (<= (moved ?a) (does ?r (go ?a ?b))) (<= (moved ?b) (does ?r (go ?a ?b)))
        (<= (next (at ?b ?p)) (does ?r (go ?a ?b)) (true (at ?a ?p)))
        (<= (next (at ?c ?p)) (true (at ?c ?p)) (not (moved ?c)))
        (<= king (true (at ?c king)))
        (<= terminal (true (at c9 king)))
        (<= (goal white 100) king) (<= (goal white 0) (not king)) (goal black 50)\n"
        .to_owned();
    for cell in 0..10 {
        text += &format!("(cell c{cell})");
        if cell < 9 {
            text += &format!("(after c{cell} c{})", cell + 1);
        }
    }
    if ends {
        text += "(<= terminal (not king))";
    }
    let options = StageOptions {
        assume_above: 0,
        ..StageOptions::default()
    };
    let staged = interpreted(&rules(&text), options).expect("a staged game");
    assert_eq!(staged.staged_game().assumed.len(), 1, "one king is assumed");
    staged
}

fn facts(list: &[&str]) -> Vec<String> {
    list.iter().map(|fact| (*fact).to_owned()).collect()
}

fn is_refused<T>(answer: &Result<T, ReasonError>) -> bool {
    matches!(answer, Err(ReasonError::Unsupported(text)) if text.contains("assumed"))
}

#[test]
fn states_outside_an_assumption_are_refused() {
    for ends in [true, false] {
        let mut staged = kings(ends);
        let start = staged.initial().expect("a state");
        let mut moves = Vec::new();
        staged.legal_moves(&start, 0, &mut moves).expect("moves");
        let white = moves[0];
        staged.legal_moves(&start, 1, &mut moves).expect("moves");
        let noop = moves[0];
        let mut rng = Rng::new(1);
        let two = [
            "(at c0 king)",
            "(at c3 king)",
            "(at c5 guard)",
            "(control white)",
        ];
        let none = ["(at c4 guard)", "(at c5 guard)", "(control white)"];
        for list in [&two[..], &none[..]] {
            let state = staged.state_from_facts(&facts(list)).expect("a state");
            let is_over = ends && list.len() == 3;
            assert!(is_refused(&staged.legal_moves(&state, 0, &mut moves)));
            assert!(is_refused(&staged.next(&state, &[white, noop])));
            let playouts = staged.playouts(&[&start, &state], 3, &mut rng, 10);
            let summaries = staged.summaries(&[start.clone(), state.clone()]);
            if is_over {
                // The rules for the end do not assume anything.
                assert_eq!(staged.is_terminal(&state), Ok(true));
                assert_eq!(staged.goal(&state, 0), Ok(Goal::Value(0)));
                assert_eq!(playouts.expect("playouts")[1].steps, 0);
                assert!(summaries.expect("summaries")[1].terminal);
            } else {
                assert!(is_refused(&staged.is_terminal(&state)));
                assert!(is_refused(&playouts));
                assert!(is_refused(&summaries));
            }
        }
        // The engine is as before.
        let again = staged
            .playouts(&[&start], 3, &mut rng, 10)
            .expect("playouts");
        assert_eq!(again[0].playouts, 3);
    }
}

#[test]
fn playouts_that_leave_an_assumption_are_an_error() {
    // With its king taken the game goes on.
    let mut staged = kings(false);
    let start = staged.initial().expect("a state");
    let totals = staged.playouts(&[&start], 2_000, &mut Rng::new(1), 200);
    assert!(matches!(totals, Err(ReasonError::Budget(_))), "{totals:?}");
    let mut staged = kings(true);
    let start = staged.initial().expect("a state");
    let totals = staged.playouts(&[&start], 2_000, &mut Rng::new(1), 200);
    assert_eq!(totals.expect("playouts")[0].playouts, 2_000);
}

#[test]
fn two_kings_of_chess_are_refused() {
    let Some(text) = shared("base/chess") else {
        return;
    };
    let mut staged = staged(&rules(&text)).expect("chess");
    assert!(!staged.staged_game().assumed.is_empty());
    let start = staged.initial().expect("a state");
    let initial = staged.facts(&start);
    let king = initial
        .iter()
        .find(|fact| fact.contains(" wk)"))
        .expect("a king");
    let place = initial
        .iter()
        .find(|fact| fact.contains(" wq)"))
        .expect("a queen");
    let second = place.replace(" wq)", " wk)");
    let mut two = initial.clone();
    two.retain(|fact| fact != place);
    two.push(second);
    let none: Vec<String> = initial
        .iter()
        .filter(|fact| *fact != king)
        .cloned()
        .collect();
    for list in [two, none] {
        let Ok(state) = staged.state_from_facts(&list) else {
            continue;
        };
        assert!(is_refused(&staged.summaries(std::slice::from_ref(&state))));
        let mut rng = Rng::new(1);
        assert!(is_refused(&staged.playouts(&[&state], 3, &mut rng, 10)));
    }
}

#[test]
fn facts_of_no_state_are_refused() {
    let mut staged = staged(&shipped("breakthrough-small")).expect("a game");
    let start = staged.initial().expect("a state");
    let initial = staged.facts(&start);
    assert_eq!(staged.state_from_facts(&initial), Ok(start));
    let moved = staged.staged_game().moved.clone();
    let draw = staged.staged_game().stages[0].draw.clone();
    for unknown in ["nothing", "(cell 1 1 none)", &moved, &draw, "(cell", ""] {
        let mut list = initial.clone();
        list.push(unknown.to_owned());
        let state = staged.state_from_facts(&list);
        assert!(
            matches!(state, Err(ReasonError::BadText { .. })),
            "{unknown}: {state:?}"
        );
    }
}

#[test]
fn states_without_one_turn_are_refused() {
    let mut staged = staged(&shipped("tic-tac-toe")).expect("a game");
    let turns = staged.staged_game().turns.clone().expect("turns");
    let start = staged.initial().expect("a state");
    let mut list = staged.facts(&start);
    list.retain(|fact| *fact != turns[0].0 && *fact != turns[1].0);
    let without = list.clone();
    list.extend(turns.iter().map(|(control, _)| control.clone()));
    let mut rng = Rng::new(1);
    for list in [without, list] {
        match staged.state_from_facts(&list) {
            Err(_) => {}
            Ok(state) => {
                let summaries = staged.summaries(std::slice::from_ref(&state));
                assert!(matches!(summaries, Err(ReasonError::Unsupported(_))));
                let mut moves = Vec::new();
                assert!(staged.legal_moves(&state, 0, &mut moves).is_err());
                assert!(staged.playouts(&[&state], 3, &mut rng, 10).is_err());
            }
        }
    }
}

#[test]
fn late_and_cancelled_requests_stop() {
    let mut staged = staged(&shipped("checkers")).expect("a game");
    let start = staged.initial().expect("a state");
    let mut rng = Rng::new(1);
    let mut moves = Vec::new();
    let joint: Vec<_> = (0..2)
        .map(|role| {
            staged.legal_moves(&start, role, &mut moves).expect("moves");
            moves[0]
        })
        .collect();
    let is_stopped = |staged: &mut StagedLanes, rng: &mut Rng| {
        assert!(staged.is_stopped());
        let playouts = staged.playouts(&[&start], 10_000, rng, 1_000);
        assert_eq!(playouts.err(), Some(ReasonError::Stopped));
        let summaries = staged.summaries(std::slice::from_ref(&start));
        assert_eq!(summaries.err(), Some(ReasonError::Stopped));
        assert_eq!(staged.is_terminal(&start), Err(ReasonError::Stopped));
        assert_eq!(
            staged.next(&start, &joint).err(),
            Some(ReasonError::Stopped)
        );
    };
    staged.set_deadline(Some(Instant::now()));
    is_stopped(&mut staged, &mut rng);
    staged.set_deadline(None);
    staged.set_cancel(Some(Arc::new(AtomicBool::new(true))));
    is_stopped(&mut staged, &mut rng);
    staged.set_cancel(None);
    assert!(staged.playouts(&[&start], 10, &mut rng, 10).is_ok());
}

#[test]
fn staging_stops_at_limits() {
    let game = shipped("checkers");
    let late = CompileLimits {
        deadline: Some(Instant::now()),
        ..CompileLimits::default()
    };
    let cancelled = CompileLimits {
        cancel: Some(Arc::new(AtomicBool::new(true))),
        ..CompileLimits::default()
    };
    let mut small = CompileLimits::default();
    small.ground.max_memory = 1 << 16;
    for limits in [late, cancelled, small] {
        let staged = StagedLanes::new(&game, &limits, Backend::Best);
        assert!(
            matches!(staged, Err(StagedError::Compile(_))),
            "{:?}",
            staged.err()
        );
    }
}

/// Every shared sheet is rewritten into rules that can be read back, or refused with a reason.
#[test]
fn shared_sheets_are_rewritten_or_refused() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let mut sheets = 0;
    for folder in ["base", "stanford", "y2006"] {
        let Ok(files) = std::fs::read_dir(root.join(folder)) else {
            continue;
        };
        for file in files.flatten() {
            let Ok(text) = std::fs::read_to_string(file.path()) else {
                continue;
            };
            let Ok(rules) = Rules::from_text(&text) else {
                continue;
            };
            sheets += 1;
            for suffix_groups in [0, 1, 3] {
                let options = StageOptions {
                    suffix_groups,
                    ..StageOptions::default()
                };
                if let Err(error @ NotApplicable::Invalid { .. }) = stage(&rules, options) {
                    panic!("{} {suffix_groups}: {error}", file.path().display());
                }
            }
        }
    }
    if sheets == 0 {
        println!("skipped: the folder of shared games is not there");
    }
}
