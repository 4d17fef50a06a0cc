//! Mutated sheets through the parsers, the checker and the formatter.
//!
//! By default, a fixed number of rounds is run with a fixed seed. With the environment variable
//! `LUDORUM_FUZZ_SECONDS=60`, `cargo test -p ludorum-gdl --release --test fuzz` runs for that many
//! seconds with a new random seed. A failure prints the text.

mod common;

use common::survives;
use ludorum_gdl::testing::fuzz;
use ludorum_gdl::{Notation, format, infix, parse, parse_as};

/// Number of rounds of a default run.
const ROUNDS: u64 = 4_000;

const SNIPPETS: [&str; 8] = [
    "(role white) (role black)\n(init (cell 1 1 b)) ; start\n(<= (legal ?w (mark ?x ?y))\n  (true (cell ?x ?y b))\n  (true (control ?w)))\n",
    "((role a)\r\n(<= terminal (not open))\r\n(<= open (true (cell ?x ?y b))))\r\n",
    "(<= (next (cell ?m ?n b)) ; keep\n  (does ?w (mark ?j ?k))\n  (or (distinct ?m ?j) ; row\n      (distinct ?n ?k)))\n",
    "(<= (goal ?r 100) (or (and (line ?r) (not (or (p) (q ?x)))) (not (not (distinct ?r (f (g ?x)))))))\n",
    "% book\nlegal(W,mark(X,Y)) :-\n  true(cell(X,Y,b)) & % free\n  true(control(W))\n",
    "p :- q & (r | ~(s & t)) | or(u, and(v)) & distinct(X,'Cell')\nrole(a). role(b).\n",
    "p(a) :- .\n'map+'('it\\'s','\\\\',?'h-speed',_X,__a,_1)\n'or' :- 'not'\n",
    ";;; top ;;;\n\n(p 1) (p 2) (p 3) ; three\n\n\n(open)\n; end",
];

#[test]
fn mutated_sheets_do_not_break_the_parsers() {
    let rounds = fuzz(&SNIPPETS, 1, ROUNDS, |text| {
        let _ = parse(text);
        for notation in [Notation::Kif, Notation::Infix] {
            let _ = parse_as(text, notation);
        }
    });
    println!("{rounds} rounds");
}

#[test]
fn mutated_sheets_survive_checking_printing_and_layout() {
    let rounds = fuzz(&SNIPPETS, 2, ROUNDS, |text| {
        for notation in [Notation::Kif, Notation::Infix] {
            survives(text, notation);
            // The clauses that could be parsed of a broken sheet are a sheet as well.
            let parsed = parse_as(text, notation);
            let laid = format::format(&parsed.description, text, notation);
            let _ = infix::sheet(&parse_as(&laid, notation).description);
        }
    });
    println!("{rounds} rounds");
}
