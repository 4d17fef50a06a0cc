//! Ground programs of small game descriptions.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ludorum_ground::testing::Valuation;
use ludorum_ground::{AtomKind, GroundBudget, GroundError, GroundLimit, GroundProgram, ground};
use ludorum_logic::Rules;

fn try_ground(text: &str, budget: &GroundBudget) -> Result<GroundProgram, GroundError> {
    let rules = Rules::from_text(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    ground(&rules, budget, &mut |_| {})
}

fn program(text: &str) -> GroundProgram {
    try_ground(text, &GroundBudget::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The ground rules of a program, sorted, without roles and initial state.
fn lines(program: &GroundProgram) -> Vec<String> {
    let text = program.text();
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with("(role") && !line.starts_with("(init"))
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

#[test]
fn rigid_conditions_are_evaluated_and_the_rest_is_instantiated() {
    let program = program(
        "(role robot) (init (at 1)) (succ 1 2) (succ 2 3)
         (<= (reach ?x ?y) (succ ?x ?y))
         (<= (reach ?x ?z) (reach ?x ?y) (succ ?y ?z))
         (<= (legal robot (go ?y)) (true (at ?x)) (reach ?x ?y) (not (succ 3 ?y)))
         (<= (next (at ?y)) (does robot (go ?y)))
         (<= terminal (true (at 3)))
         (<= (goal robot 100) (true (at 3)))
         (<= (goal robot none) (not (true (at 3))))",
    );
    assert_eq!(
        lines(&program),
        [
            "(goal robot 100) <= (true (at 3)).",
            "(goal robot none) <= ~(true (at 3)).",
            "(legal robot (go 2)) <= (true (at 1)).",
            "(legal robot (go 3)) <= (true (at 1)).",
            "(legal robot (go 3)) <= (true (at 2)).",
            "(next (at 2)) <= (does robot (go 2)).",
            "(next (at 3)) <= (does robot (go 3)).",
            "terminal <= (true (at 3)).",
        ]
    );
    assert_eq!(program.goals.len(), 2);
    assert_eq!(program.goals[0].value, Some(100));
    assert_eq!(program.goals[1].value, None);
    assert_eq!(program.initial_state().count(), 1);
}

#[test]
fn a_fluent_of_the_initial_state_alone_has_no_next() {
    let program = program(
        "(role r) (init (once)) (init (again)) (legal r noop)
         (<= (next (again)) (true (once)))
         (next (later))
         (<= terminal (true (later)))",
    );
    let fluent = |text: &str| {
        let found = program
            .fluents
            .iter()
            .find(|f| program.terms.text(f.term) == text);
        *found.expect("a fluent")
    };
    assert!(fluent("once").initial && fluent("once").next.is_none());
    assert!(fluent("again").initial && fluent("again").next.is_some());
    let later = fluent("later");
    assert!(!later.initial);
    // A fluent that always holds next is a rule without conditions.
    let next = later.next.expect("a next atom");
    assert_eq!(program.bodies_of(next).next(), Some(&[][..]));
    let legal = program.moves[0][0].legal;
    assert_eq!(program.bodies_of(legal).next(), Some(&[][..]));
}

#[test]
fn descriptions_without_an_initial_state_are_accepted() {
    let program = program(
        "(role r) (legal r a) (legal r b) (<= (next (did ?m)) (does r ?m))
         (<= terminal (true (did ?m)))",
    );
    assert_eq!(program.initial_state().count(), 0);
    assert_eq!(program.fluents.len(), 2);
}

#[test]
fn negated_atoms_that_never_hold_are_dropped_from_bodies() {
    let program = program(
        "(role r) (init (p a)) (legal r noop)
         (<= (next (p ?x)) (true (p ?x)) (not (true (p b))))
         (<= (odd ?x) (true (p ?x)) (true (p b)))
         (<= terminal (true (p ?x)) (not (odd ?x)))",
    );
    assert_eq!(
        lines(&program),
        [
            "(legal r noop).",
            "(next (p a)) <= (true (p a)).",
            "terminal <= (true (p a))."
        ]
    );
}

#[test]
fn moves_that_are_never_legal_are_dropped() {
    let program = program(
        "(role r) (init (p a)) (legal r noop) (fixed a) (next (p a))
         (<= (legal r (take ?x)) (true (p ?x)) (not (sure ?x)))
         (<= (sure ?x) (fixed ?x)) (<= (sure ?x) (true (p ?x)))
         (<= terminal (does-take a))
         (<= (next (gone ?x)) (does r (take ?x)))
         (<= (does-take ?x) (true (gone ?x)))",
    );
    // `(take a)` requires `(sure a)` to fail, which it never does.
    assert_eq!(program.moves[0].len(), 1);
    assert_eq!(program.fluents.len(), 1);
    assert_eq!(program.terminal, None);
}

#[test]
fn positive_cycles_are_marked_and_mean_the_least_fixpoint() {
    let text =
        "(role r) (init (on a)) (legal r noop) (edge a b) (edge b c) (edge c b) (edge d d) (node d)
         (<= (next (on ?x)) (true (on ?x))) (<= (next (on d)) (true (on c)))
         (<= (live ?x) (true (on ?x)))
         (<= (live ?y) (live ?x) (edge ?x ?y))
         (<= terminal (live d))
         (<= (goal r 100) (live c))";
    let program = program(text);
    let cyclic: Vec<Vec<String>> = program
        .components()
        .filter(|component| component.cyclic)
        .map(|component| {
            component
                .atoms
                .iter()
                .map(|a| program.atom_text(*a))
                .collect()
        })
        .collect();
    assert_eq!(cyclic, [["(live b)", "(live c)"]]);
    assert_eq!(program.stats.cyclic_components, 1);
    let values = Valuation::new(&program, program.initial_state(), []);
    assert!(values.holds(program.goals[0].atom));
    let nothing = Valuation::new(&program, [], []);
    assert!(
        !nothing.holds(program.goals[0].atom),
        "a cycle does not support itself"
    );
}

#[test]
fn nested_terms_are_supported_in_fluents_moves_and_relations() {
    let program = program(
        "(role r) (init (stack (s (s zero)))) (less zero (s zero))
         (<= (smaller ?x (s ?x)) (number (s ?x)))
         (number (s zero)) (number (s (s zero)))
         (<= (legal r (pop (s ?x))) (true (stack (s ?x))))
         (<= (next (stack ?x)) (does r (pop (s ?x))))
         (<= terminal (true (stack ?y)) (smaller ?y (s zero)))",
    );
    assert_eq!(
        lines(&program),
        [
            "(legal r (pop (s (s zero)))) <= (true (stack (s (s zero)))).",
            "(legal r (pop (s zero))) <= (true (stack (s zero))).",
            "(next (stack (s zero))) <= (does r (pop (s (s zero)))).",
            "(next (stack zero)) <= (does r (pop (s zero))).",
            "terminal <= (true (stack zero)).",
        ]
    );
}

#[test]
fn a_variable_can_stand_for_a_whole_fluent_or_move() {
    let program = program(
        "(role r) (init (at 1)) (init done) (init (last nothing))
         (legal r noop) (<= (legal r (go ?x)) (true (at ?x)))
         (<= (next (last ?m)) (does r ?m))
         (<= (next ?f) (true ?f) (not (changes ?f)))
         (<= (changes (last ?m)) (true (last ?m)))
         (<= terminal (true (last (go ?x))))",
    );
    let text = lines(&program).join("\n");
    assert!(
        text.contains("(next (last (go 1))) <= (does r (go 1))."),
        "{text}"
    );
    assert!(
        text.contains("(next (last noop)) <= (does r noop)."),
        "{text}"
    );
    assert!(text.contains("(next done) <= (true done)."), "{text}");
    assert!(text.contains("(next (at 1)) <= (true (at 1))."), "{text}");
}

/// A board game whose cells keep their content when a move happens elsewhere (frame rules).
fn board(size: u32) -> String {
    let mut text = String::from(
        "(role r) (role s) (init (control r))
         (<= (legal ?p (move ?x ?y ?u ?v)) (true (control ?p)) (true (cell ?x ?y ?c)) (index ?u)
          (index ?v))
         (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ?p (move ?x1 ?y1 ?x2 ?y2))
          (apart ?x ?y ?x1 ?y1) (apart ?x ?y ?x2 ?y2))
         (<= (next (cell ?x2 ?y2 ?c)) (does ?p (move ?x1 ?y1 ?x2 ?y2)) (true (cell ?x1 ?y1 ?c)))
         (<= (next (control r)) (true (control s))) (<= (next (control s)) (true (control r)))
         (<= (apart ?x ?y ?u ?v) (index ?x) (index ?y) (index ?u) (index ?v) (distinct ?x ?u))
         (<= (apart ?x ?y ?u ?v) (index ?x) (index ?y) (index ?u) (index ?v) (distinct ?y ?v))
         (<= terminal (true (cell 1 1 white)))",
    );
    for x in 1..=size {
        let _ = write!(
            text,
            "(index {x}) (init (cell {x} {x} white)) (init (cell {x} 1 black))"
        );
    }
    text
}

#[test]
fn splitting_keeps_instances_far_below_the_product_of_all_variables() {
    let program = program(&board(6));
    // Unsplit, the frame rule alone has about 36 cells x 2 colours x 2 roles x 36 x 36 moves =
    // 186,624 instances.
    assert!(program.stats.helpers > 0);
    assert!(program.rule_count() < 60_000, "{}", program.rule_count());
}

#[test]
fn every_exceeded_limit_is_named_in_the_error() {
    let text = board(8);
    let small = |change: fn(&mut GroundBudget)| {
        let mut budget = GroundBudget::default();
        change(&mut budget);
        try_ground(&text, &budget).expect_err("an error").limit
    };
    assert_eq!(small(|b| b.max_instances = 5_000), GroundLimit::Atoms);
    assert_eq!(small(|b| b.max_instances = 20_000), GroundLimit::Instances);
    assert_eq!(small(|b| b.max_memory = 100_000), GroundLimit::Memory);
    assert_eq!(small(|b| b.max_time = Duration::ZERO), GroundLimit::Time);
    assert_eq!(
        small(|b| b.cancel = Some(Arc::new(AtomicBool::new(true)))),
        GroundLimit::Cancelled
    );
    let budget = GroundBudget {
        max_instances: 20_000,
        ..GroundBudget::default()
    };
    let error = try_ground(&text, &budget)
        .expect_err("an error")
        .to_string();
    assert!(error.starts_with("too many ground rules (at `"), "{error}");
}

#[test]
fn unbounded_nesting_of_terms_is_an_error() {
    let counter = "(role r) (init (n zero)) (legal r noop) (<= (next (n (s ?x))) (true (n ?x)))";
    let error = try_ground(counter, &GroundBudget::default()).expect_err("an error");
    assert_eq!(error.limit, GroundLimit::Nesting);
    let tree = "(role r) (init (n zero)) (init (n one)) (legal r noop)
        (<= (next (n (pair ?x ?y))) (true (n ?x)) (true (n ?y)))";
    let budget = GroundBudget {
        max_instances: 100_000,
        ..GroundBudget::default()
    };
    let error = try_ground(tree, &budget).expect_err("an error");
    assert_eq!(error.limit, GroundLimit::Atoms);
}

#[test]
fn relations_are_restricted_to_demanded_atoms() {
    let mut text = String::from(
        "(role r) (legal r noop) (<= (next (cell ?x ?c)) (true (cell ?x ?c)))
         (<= (line ?x ?y ?z) (true (cell ?x o)) (true (cell ?y o)) (true (cell ?z o)))
         (<= (line ?x ?y ?z) (true (cell ?x x)) (true (cell ?y x)) (true (cell ?z x)))
         (<= terminal (line c1 c2 c3)) (<= (goal r 100) (line c4 c5 c6))
         (<= (goal r 50) (not (line c7 c8 c9)))",
    );
    for cell in 1..40 {
        let _ = write!(text, "(init (cell c{cell} x)) (init (cell c{cell} o))");
    }
    let program = program(&text);
    assert_eq!(
        program
            .relations
            .iter()
            .find(|r| r.name == "line")
            .map(|r| r.atoms.len()),
        Some(3)
    );
    assert!(
        program.stats.instances < 1_000,
        "{}",
        program.stats.instances
    );
}

#[test]
fn grounding_twice_gives_the_same_program() {
    let (one, two) = (program(&board(4)), program(&board(4)));
    assert_eq!(one.text(), two.text());
}

#[test]
fn relations_partition_the_atoms_and_know_their_kind() {
    let program = program(&board(3));
    let mut next = 0;
    for relation in &program.relations {
        assert_eq!(relation.atoms.start, next);
        next = relation.atoms.end;
    }
    assert_eq!(next as usize, program.atom_count());
    assert_eq!(program.relation_of(0).kind, AtomKind::True);
    let terminal = program.terminal.expect("it can end");
    assert_eq!(program.relation_of(terminal).kind, AtomKind::Terminal);
    for (role, moves) in program.moves.iter().enumerate() {
        for one in moves {
            assert_eq!(program.args(one.does), program.args(one.legal));
            assert_eq!(program.args(one.does)[0], program.roles[role]);
        }
    }
}

#[test]
fn comparisons_of_amounts_are_built_from_each_other() {
    let mut text = "(role a) (role b) (<= (legal ?r (bid ?x)) (role ?r) (amount ?x))
        (<= (next (money ?r ?x)) (does ?r (bid ?x)))
        (<= (less ?x ?y) (after ?x ?y)) (<= (less ?x ?z) (after ?x ?y) (less ?y ?z))
        (<= terminal (true (money a ?x)) (true (money b ?y)) (less ?x ?y))
        (<= (goal a 0) terminal)"
        .to_owned();
    let amounts = 260;
    for n in 0..amounts {
        let _ = write!(text, "(amount {n}) (after {n} {})", n + 1);
    }
    let program = program(&text);
    assert!(
        program.rule_count() < 5 * amounts + 2_000,
        "{}",
        program.rule_count()
    );
    let money = |role: &str, n: usize| {
        let text = format!("(money {role} {n})");
        let mut fluents = program.fluents.iter();
        fluents.position(|f| program.terms.text(f.term) == text)
    };
    let mut seed = 1u64;
    for _ in 0..200 {
        let mut draw = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            (seed >> 33) as usize % amounts
        };
        let (x, y) = (draw(), draw());
        let held = [money("a", x), money("b", y)];
        let valuation = Valuation::new(&program, held.into_iter().flatten(), []);
        let ends = program.terminal.is_some_and(|atom| valuation.holds(atom));
        assert_eq!(ends, x < y, "{x} {y}");
    }
}

/// Searches for a path between owned nodes with a list of the nodes visited, in several styles, and
/// without a list.
const SEARCHES: [&str; 4] = [
    "(<= terminal (true (owns n0)) (path n0 n1))
     (<= (path ?x ?y) (edge ?x ?y) (true (owns ?y)))
     (<= (path ?x ?y) (edge ?x ?z) (true (owns ?z)) (path ?z ?y))",
    // The element of a node is appended to the list unless it is there.
    "(<= terminal (true (owns n0)) (path n0 n1 nil))
     (<= (path ?x ?y ?l) (id ?x ?e) (append ?e ?l ?m) (step ?x ?y ?m))
     (<= (step ?x ?y ?l) (edge ?x ?y) (true (owns ?y)) (list ?l))
     (<= (step ?x ?y ?l) (edge ?x ?z) (true (owns ?z)) (list ?l) (path ?z ?y ?l))
     (<= (append ?e nil (c ?e nil)) (element ?e))
     (<= (append ?e (c ?h ?t) (c ?h ?u)) (element ?h) (distinct ?e ?h) (append ?e ?t ?u))
     (list nil) (<= (list (c ?h ?t)) (element ?h) (list ?t))",
    // The next node is added in front if it is not a member.
    "(<= terminal (true (owns ?x)) (distinct ?x n1) (distinct ?x n2) (distinct ?x n3)
         (distinct ?x n4) (distinct ?x n5) (path ?x n1 (c ?x nil)))
     (<= (path ?x ?y ?l) (edge ?x ?y) (true (owns ?y)) (list ?l))
     (<= (path ?x ?y ?l) (edge ?x ?z) (true (owns ?z)) (list ?l)
         (not (member ?z ?l)) (path ?z ?y (c ?z ?l)))
     (<= (member ?e (c ?e ?t)) (node ?e) (list ?t))
     (<= (member ?e (c ?h ?t)) (node ?h) (member ?e ?t))
     (list nil) (<= (list (c ?h ?t)) (node ?h) (list ?t))",
    // The same with compound elements.
    "(<= terminal (true (owns n0)) (path n0 n1 (c (at n0) nil)))
     (<= (path ?x ?y ?l) (edge ?x ?y) (true (owns ?y)) (list ?l))
     (<= (path ?x ?y ?l) (edge ?x ?z) (true (owns ?z)) (list ?l)
         (not (member (at ?z) ?l)) (path ?z ?y (c (at ?z) ?l)))
     (<= (member ?e (c ?e ?t)) (spot ?e) (list ?t))
     (<= (member ?e (c ?h ?t)) (spot ?h) (member ?e ?t)) (<= (spot (at ?n)) (node ?n))
     (list nil) (<= (list (c ?h ?t)) (spot ?h) (list ?t))",
];

#[test]
fn a_search_without_its_list_of_visited_nodes_finds_the_same() {
    const NODES: usize = 6;
    let mut seed = 7u64;
    let mut ended = 0;
    for _ in 0..8 {
        let mut graph = String::new();
        for n in 0..NODES {
            let _ = write!(graph, "(node n{n}) (id n{n} e{n}) (element e{n})");
            for m in 0..NODES {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(99);
                if n != m && (m == (n + 1) % NODES || seed >> 61 == 0) {
                    let _ = write!(graph, "(edge n{n} n{m})");
                }
            }
        }
        let programs = SEARCHES.map(|search| {
            program(&format!(
                "(role r) (<= (legal r (take ?n)) (node ?n)) (goal r 0)
                 (<= (next (owns ?n)) (does r (take ?n))) {graph} {search}"
            ))
        });
        for owned in 0..1 << NODES {
            let ends = programs.each_ref().map(|program| {
                let fluents = program.fluents.iter().enumerate();
                let held = fluents.filter(|(_, fluent)| {
                    let text = program.terms.text(fluent.term);
                    (0..NODES).any(|n| owned >> n & 1 == 1 && text == format!("(owns n{n})"))
                });
                let valuation = Valuation::new(program, held.map(|(at, _)| at), []);
                program.terminal.is_some_and(|atom| valuation.holds(atom))
            });
            assert_eq!(ends, [ends[0]; 4], "{owned:b} in {graph}");
            ended += usize::from(ends[0]);
        }
    }
    assert!((20..400).contains(&ended), "{ended}");
}
