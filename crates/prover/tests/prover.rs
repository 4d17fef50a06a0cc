//! Properties of the reference engine, on small rule sheets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_prover::Prover;
use ludorum_reasoner::{Goal, MoveId, NoGoal, PlayoutEnd, ReasonError, Reasoner, Rng};

fn prover(text: &str) -> Prover {
    let rules = Rules::from_text(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    Prover::new(Arc::new(rules)).expect("a prover")
}

fn legal(prover: &mut Prover, facts: &[&str], role: usize) -> Vec<String> {
    let facts: Vec<String> = facts.iter().map(|fact| (*fact).to_owned()).collect();
    let state = prover.state_from_facts(&facts).expect("facts");
    let mut moves = Vec::new();
    prover.legal_moves(&state, role, &mut moves).expect("moves");
    moves
        .into_iter()
        .map(|id| prover.move_text(role, id))
        .collect()
}

#[test]
fn left_recursion_over_the_state_terminates() {
    let mut prover = prover(
        "(role r)
         (<= (path ?x ?y) (true (edge ?x ?y)))
         (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (legal r (go ?y)) (path a ?y))",
    );
    let moves = legal(
        &mut prover,
        &["(edge a b)", "(edge b c)", "(edge c a)", "(edge d e)"],
        0,
    );
    assert_eq!(moves, ["(go a)", "(go b)", "(go c)"]);
}

#[test]
fn mutual_recursion_with_different_bindings_terminates() {
    let mut prover = prover(
        "(role r)
         (<= (even ?x) (true (zero ?x)))
         (<= (even ?x) (true (succ ?y ?x)) (odd ?y))
         (<= (odd ?x) (true (succ ?y ?x)) (even ?y))
         (<= (legal r (pick ?x)) (even ?x))
         (<= (legal r (drop ?x)) (true (succ ?y ?x)) (not (odd ?x)))",
    );
    let state = [
        "(zero 0)",
        "(succ 0 1)",
        "(succ 1 2)",
        "(succ 2 3)",
        "(succ 3 0)",
    ];
    let moves = legal(&mut prover, &state, 0);
    assert_eq!(moves, ["(drop 0)", "(drop 2)", "(pick 0)", "(pick 2)"]);
}

#[test]
fn deeply_nested_queries_do_not_overflow_the_stack() {
    use std::fmt::Write as _;
    let mut text = String::from(
        "(role r) (<= (reach ?x) (true (at ?x))) (<= (reach ?y) (succ ?x ?y) (reach ?x))
         (<= (legal r stop) (reach 5000))",
    );
    for i in 0..5_000 {
        let _ = write!(text, "(succ {i} {})", i + 1);
    }
    assert_eq!(legal(&mut prover(&text), &["(at 0)"], 0), ["stop"]);
    assert!(legal(&mut prover(&text), &["(at x)"], 0).is_empty());
}

#[test]
fn infinite_recursion_exceeds_the_budget_and_the_prover_stays_usable() {
    let mut prover = prover(
        "(role r) (init (n zero)) (legal r stop)
         (<= (grow ?x) (true (n ?x)))
         (<= (grow (s ?x)) (grow ?x))
         (<= terminal (grow (done ?x)))",
    );
    let start = prover.initial().unwrap();
    // Without a deadline the budget would be reached only after seconds.
    prover.set_deadline(Some(Instant::now() + std::time::Duration::from_millis(200)));
    let error = prover.is_terminal(&start).unwrap_err();
    assert!(
        matches!(error, ReasonError::Budget(_) | ReasonError::Stopped),
        "{error}"
    );
    prover.set_deadline(None);
    let mut moves = Vec::new();
    prover.legal_moves(&start, 0, &mut moves).unwrap();
    assert_eq!(moves.len(), 1);
}

#[test]
fn illegal_and_missing_moves_are_errors() {
    let mut prover = prover(
        "(role a) (role b) (init p) (legal a x) (legal b y) (<= (next q) (does a x) (does b y))",
    );
    let start = prover.initial().unwrap();
    let x = prover.find_move(0, "x").unwrap();
    let y = prover.find_move(1, " y ").unwrap();
    let z = prover.find_move(1, "(z 1)").unwrap();
    assert_eq!(
        prover.next(&start, &[x]),
        Err(ReasonError::WrongMoveCount {
            expected: 2,
            got: 1
        })
    );
    let illegal = prover.next(&start, &[x, z]).unwrap_err();
    assert_eq!(
        illegal.to_string(),
        "`(z 1)` is not a legal move of b in this state"
    );
    assert!(prover.next(&start, &[x, MoveId(99)]).is_err());
    let next = prover.next(&start, &[x, y]).unwrap();
    assert_eq!(prover.facts(&next), ["q"]);
}

#[test]
fn a_missing_goal_has_a_reason() {
    let mut prover = prover(
        "(role r) (legal r x)
         (<= (goal r 100) (true one)) (<= (goal r 50) (true two)) (<= (goal r 30) (true two))
         (<= (goal r lots) (true word)) (<= (goal r 300) (true high))",
    );
    let mut goal = |facts: &[&str]| {
        let facts: Vec<String> = facts.iter().map(|fact| (*fact).to_owned()).collect();
        let state = prover.state_from_facts(&facts).unwrap();
        prover.goal(&state, 0).unwrap()
    };
    assert_eq!(goal(&["one"]), Goal::Value(100));
    assert_eq!(goal(&[]), Goal::Missing(NoGoal::None));
    let several = NoGoal::Several(vec!["30".into(), "50".into()]);
    assert_eq!(goal(&["two"]), Goal::Missing(several));
    assert_eq!(
        goal(&["word"]),
        Goal::Missing(NoGoal::NotANumber("lots".into()))
    );
    assert_eq!(
        goal(&["high"]),
        Goal::Missing(NoGoal::NotANumber("300".into()))
    );
}

#[test]
fn forks_on_other_threads_share_states_and_move_ids() {
    let text = "(role r) (init (n zero))
                (<= (legal r (go ?x)) (true (n ?x))) (legal r stay)
                (<= (next (n (s ?x))) (does r (go ?x))) (<= (next (n ?x)) (does r stay) (true (n ?x)))";
    let mut one = prover(text);
    let mut other = one.fork();
    let far = std::thread::spawn(move || {
        let mut state = other.initial().unwrap();
        let mut moves = Vec::new();
        for _ in 0..20 {
            other.legal_moves(&state, 0, &mut moves).unwrap();
            state = other.next(&state, &moves[..1]).unwrap();
        }
        state
    })
    .join()
    .unwrap();
    // Terms that only the other thread has interned.
    let facts = one.facts(&far);
    assert_eq!(facts[0].matches("(s").count(), 20);
    let same = one.state_from_facts(&facts).unwrap();
    assert_eq!(same, far);
    assert_eq!(one.key(&same), one.key(&far));
    let mut moves = Vec::new();
    one.legal_moves(&far, 0, &mut moves).unwrap();
    assert_eq!(moves.len(), 2);
}

#[test]
fn the_same_seed_gives_the_same_playout() {
    let game = ludorum_games::find("connect-four").expect("a shipped game");
    let mut prover = prover(game.text);
    let start = prover.initial().unwrap();
    let mut play = |seed| prover.playout(&start, &mut Rng::new(seed), 1000).unwrap();
    assert_eq!(play(3), play(3));
    assert_eq!(play(3).end, PlayoutEnd::Terminal);
    let first = play(3);
    assert!((0..20).map(&mut play).any(|playout| playout != first));
}

#[test]
fn a_playout_ends_at_its_limit_and_where_a_role_has_no_legal_move() {
    let mut endless = prover("(role r) (init p) (legal r x) (<= (next p) (true p))");
    let start = endless.initial().unwrap();
    let playout = endless.playout(&start, &mut Rng::new(1), 10).unwrap();
    assert_eq!((playout.steps, playout.end), (10, PlayoutEnd::Limit));
    let mut stuck = prover("(role r) (init p) (<= (legal r x) (true p))");
    let start = stuck.initial().unwrap();
    let playout = stuck.playout(&start, &mut Rng::new(1), 10).unwrap();
    assert_eq!((playout.steps, playout.end), (1, PlayoutEnd::Stuck));
}

#[test]
fn invalid_facts_give_errors_that_quote_them() {
    let mut prover = prover("(role r) (legal r x)");
    for bad in ["(cell ?x)", "(cell", "a b", ""] {
        let error = prover.state_from_facts(&[bad.to_owned()]).unwrap_err();
        assert!(error.to_string().contains(&format!("`{bad}`")), "{error}");
    }
}

/// When the query is stopped depends on the machine. The claim holds at any moment.
#[test]
fn a_stopped_query_continues_from_the_answers_found_so_far() {
    for name in ["amazons-small", "chess", "lines-of-action", "mancala"] {
        let game = ludorum_games::find(name).expect("a shipped game");
        let rules = Arc::new(Rules::from_text(game.text).expect("rules"));
        let mut free = Prover::new(Arc::clone(&rules)).expect("a prover");
        let mut hurried = Prover::new(rules).expect("a prover");
        let mut state = free.initial().expect("a state");
        let mut hurried_state = hurried.initial().expect("a state");
        let mut rng = Rng::new(7);
        for step in 0..6 {
            let mut joint = Vec::new();
            let mut hurried_joint = Vec::new();
            for role in 0..free.roles().len() {
                let mut moves = Vec::new();
                free.legal_moves(&state, role, &mut moves).expect("moves");
                let texts: Vec<String> = moves.iter().map(|id| free.move_text(role, *id)).collect();
                let mut found = Vec::new();
                let mut time = Duration::from_micros(20);
                loop {
                    hurried.set_deadline(Some(Instant::now() + time));
                    let answer = hurried.legal_moves(&hurried_state, role, &mut found);
                    let known = found.iter().map(|id| hurried.move_text(role, *id));
                    let known: Vec<String> = known.collect();
                    match answer {
                        Ok(()) => {
                            assert_eq!(known, texts, "{name}, step {step}");
                            break;
                        }
                        Err(ReasonError::Stopped) => {
                            let stranger = known.iter().find(|text| !texts.contains(text));
                            assert_eq!(stranger, None, "{name}, step {step}");
                        }
                        Err(error) => panic!("{name}: {error}"),
                    }
                    time += time / 2;
                }
                let place = rng.below(moves.len());
                joint.push(moves[place]);
                hurried_joint.push(found[place]);
            }
            state = free.next(&state, &joint).expect("a state");
            let mut time = Duration::from_micros(20);
            hurried_state = loop {
                hurried.set_deadline(Some(Instant::now() + time));
                match hurried.next(&hurried_state, &hurried_joint) {
                    Ok(next) => break next,
                    Err(ReasonError::Stopped) => time += time / 2,
                    Err(error) => panic!("{name}: {error}"),
                }
            };
            let facts = hurried.facts(&hurried_state);
            assert_eq!(facts, free.facts(&state), "{name}, step {step}");
            hurried.set_deadline(None);
            let ended = hurried.is_terminal(&hurried_state).expect("an answer");
            assert_eq!(ended, free.is_terminal(&state).expect("an answer"));
            if ended {
                break;
            }
        }
    }
}
