//! Rewritings of the grounder preserve behaviour: engines on networks agree with the prover, which
//! interprets the rules as they are.

use std::fmt::Write as _;

use ludorum_engines::Engine;
use ludorum_engines::testing::compare;
use ludorum_ground::{GroundBudget, ground};
use ludorum_logic::Rules;
use ludorum_reasoner::Rng;

fn engines() -> [Engine; 3] {
    [Engine::PROVER, Engine::PROPNET, Engine::LANES]
}

/// A game with a row of cells that hold values, whose end and goals depend on a rigid relation over
/// all cells that is too large for a table.
fn row_game(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let values = 8;
    let cells: usize = 8;
    let mut text = "(role r) (init (at c0))
        (<= (legal r (put ?v)) (value ?v)) (<= (next (cell ?c ?v)) (true (at ?c)) (does r (put ?v)))
        (<= (next (cell ?c ?v)) (true (cell ?c ?v)))
        (<= (next (at ?d)) (true (at ?c)) (after ?c ?d))
        (<= over (true (at end))) (<= terminal over)\n"
        .to_owned();
    for value in 0..values {
        let _ = write!(text, "(value v{value}) (same v{value} v{value})");
        if rng.below(2) == 0 {
            let _ = write!(text, "(odd v{value})");
        }
        for other in 0..values {
            if rng.below(2) == 0 {
                let _ = write!(text, "(fits v{value} v{other})");
            }
        }
    }
    for cell in 0..cells {
        let next = if cell + 1 < cells {
            format!("c{}", cell + 1)
        } else {
            "end".to_owned()
        };
        let _ = write!(text, "(after c{cell} {next})");
    }
    let list = |name: &str| -> String {
        (0..cells).fold(String::new(), |text, n| format!("{text} {name}{n}"))
    };
    let all = list("?x");
    let any: String = (0..cells).fold(String::new(), |text, n| format!("{text} (value ?x{n})"));
    let held: String = (0..cells).fold(String::new(), |text, n| {
        format!("{text} (true (cell c{n} ?x{n}))")
    });
    // Random conditions on the values of pairs of cells, in three alternatives.
    for _ in 0..3 {
        let mut conditions = String::new();
        for _ in 0..2 + rng.below(5) {
            let (i, j) = (rng.below(cells), rng.below(cells));
            let condition = match rng.below(6) {
                0 => format!("(fits ?x{i} ?x{j})"),
                1 => format!("(not (fits ?x{i} ?x{j}))"),
                2 if i != j => format!("(distinct ?x{i} ?x{j})"),
                3 => format!("(fits ?x{i} ?h) (odd ?h) (fits ?h ?x{j})"),
                4 => format!("(not (same ?x{i} ?z))"),
                _ => format!("(not (odd ?x{i}))"),
            };
            conditions += &condition;
        }
        let _ = writeln!(text, "(<= (good ?z {all}) (value ?z) {any} {conditions})");
    }
    let _ = writeln!(
        text,
        "(<= (good ?z {all}) {any} (same ?z ?x0) (same ?z ?x1))"
    );
    let _ = writeln!(text, "(<= fine {held} (good v0 {all}) (good v1 {all}))");
    let _ = writeln!(text, "(<= (best ?z) {held} (good ?z {all}))");
    let _ = writeln!(text, "(<= terminal fine)");
    let _ = writeln!(
        text,
        "(<= (goal r 100) (best v2)) (<= (goal r 0) (not (best v2)))"
    );
    text
}

#[test]
fn conditions_on_large_rigid_relations_become_chains() {
    for seed in 0..40 {
        let text = row_game(seed);
        if let Err(problem) = compare::engines(&text, &engines(), seed, 3) {
            panic!("seed {seed}: {problem}\n{text}");
        }
    }
}

/// A game in which a car drives over a torus. Its place and its speed are pairs, whose conditions
/// are projected unless something may make two of them hold.
fn car_game(seed: u64) -> (String, bool) {
    let mut rng = Rng::new(seed);
    let size = 26;
    let spoiled = rng.below(6);
    let mut text = "(role r) (init (at p0 p0)) (init (speed 0 0)) (init (step 0))
        (<= (legal r (push ?a ?b)) (change ?a) (change ?b)) (change 1) (change 0) (change -1)
        (<= (faster ?x ?y) (true (speed ?v ?w)) (does r (push ?a ?b)) (sum ?v ?a ?x) (sum ?w ?b ?y))
        (<= (moved ?x ?y) (true (at ?a ?b)) (faster ?v ?w) (shift ?a ?v ?x) (shift ?b ?w ?y))
        (<= safe (moved ?x ?y) (road ?x ?y))
        (<= (next (at ?x ?y)) (moved ?x ?y) safe)
        (<= (next (speed ?x ?y)) (faster ?x ?y) safe)
        (<= (next (speed 0 0)) (not safe))
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
        (<= terminal (true (step 9))) (<= terminal (true (at ?x p7)))
        (<= (goal r 100) (true (at ?x p7))) (<= (goal r 30) (true (at p3 ?y)))\n"
        .to_owned();
    for n in 0..9 {
        let _ = write!(text, "(after {n} {})", n + 1);
    }
    for v in -3i64..=3 {
        for a in -1i64..=1 {
            let _ = write!(text, "(sum {v} {a} {})", (v + a).clamp(-3, 3));
        }
        for place in 0..size {
            let to = (place + v).rem_euclid(size);
            let _ = write!(text, "(shift p{place} {v} p{to})");
        }
    }
    for x in 0..size {
        for y in 0..size {
            if rng.below(8) > 0 {
                let _ = write!(text, "(road p{x} p{y})");
            }
        }
    }
    text += match spoiled {
        0 => "(init (at p5 p5))",
        1 => "(shift p1 1 p9)",
        2 => "(<= (next (at ?x ?y)) (true (at ?x ?y)) (does r (push 0 ?b)))",
        3 => "(<= (next (speed 1 1)) (does r (push 1 ?b)))",
        // The car stays where it is if it cannot drive on: still at one place.
        4 => "(<= (next (at ?x ?y)) (true (at ?x ?y)) (not safe))",
        _ => "",
    };
    (text, spoiled >= 4)
}

#[test]
fn pairs_of_which_one_holds_are_projected() {
    for seed in 0..24 {
        let (text, single) = car_game(seed);
        if let Err(problem) = compare::engines(&text, &engines(), seed, 3) {
            panic!("seed {seed}: {problem}\n{text}");
        }
        let rules = Rules::from_text(&text).unwrap_or_else(|problems| panic!("{problems:?}"));
        let program = ground(&rules, &GroundBudget::default(), &mut |_| {})
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(!program.at_most_one.is_empty(), single, "seed {seed}");
        assert_eq!(
            program.rule_count() < 15_000,
            single,
            "{}",
            program.rule_count()
        );
    }
}
