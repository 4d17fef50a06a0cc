//! Which arguments count as lists of visited nodes.

use ludorum_logic::visited::without_visited_lists;
use ludorum_logic::{Rules, print};

/// A game on a graph of four nodes, with rules for paths and lists.
fn sheet(rest: &str) -> String {
    format!(
        "(role r) (node a) (node b) (node c) (node d) (edge a b) (edge b c) (edge c d) (edge d a)
         (init (open a)) (init (open b)) (init (open c)) (init (open d)) (<= (legal r (close ?x)) (node ?x))
         (<= (next (open ?x)) (true (open ?x)) (not (does r (close ?x))))
         (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))
         {rest}"
    )
}

/// The rules of the path without its list, or nothing.
fn shortened(rest: &str) -> Option<Vec<String>> {
    let rules = Rules::from_text(&sheet(rest)).expect("rules");
    let rules = without_visited_lists(&rules)?;
    let text = print::sheet(&rules);
    let lines = text.lines().filter(|line| line.contains("unlisted"));
    Some(lines.map(str::to_owned).collect())
}

/// A list that grows at its end, and may have each node once.
const APPEND: &str = "(<= (append ?e nil (list ?e nil)) (node ?e))
     (<= (append ?e (list ?h ?t) (list ?h ?u)) (node ?h) (distinct ?e ?h) (append ?e ?t ?u))";

const PATH_BY_APPEND: &str = "(<= (path ?x ?y ?l) (true (open ?x)) (edge ?x ?y) (append ?x ?l ?m))
     (<= (path ?x ?y ?l) (true (open ?x)) (append ?x ?l ?m) (edge ?x ?z) (path ?z ?y ?m))
     (<= terminal (path a c nil))";

#[test]
fn a_list_that_is_appended_to_is_removed() {
    let lines = shortened(&format!("{APPEND} {PATH_BY_APPEND}")).expect("it is removed");
    let text = lines.join("\n");
    assert!(!text.contains("append"), "{text}");
    assert!(text.contains("(path#unlisted a c)"), "{text}");
}

#[test]
fn a_list_that_is_searched_before_it_is_extended_is_removed() {
    let lines = shortened(
        "(<= (in ?e (list ?e ?t)) (node ?e) (tail ?t)) (<= (in ?e (list ?h ?t)) (node ?h) (in ?e ?t))
         (tail nil) (<= (tail (list ?h ?t)) (node ?h) (tail ?t))
         (<= (path ?x ?x ?l) (node ?x) (tail ?l))
         (<= (path ?x ?y ?l) (edge ?x ?z) (true (open ?z)) (tail ?l) (not (in ?z ?l))
             (path ?z ?y (list ?z ?l)))
         (<= terminal (node ?x) (true (open ?x)) (path ?x c (list ?x nil)))",
    );
    let text = lines.expect("it is removed").join("\n");
    assert!(!text.contains("list ?"), "{text}");
}

#[test]
fn a_list_with_a_limit_stays() {
    let short = "(short nil) (<= (short (list ?x nil)) (node ?x))
         (<= (path ?x ?y ?l) (true (open ?x)) (edge ?x ?y) (append ?x ?l ?m) (short ?m))
         (<= (path ?x ?y ?l) (append ?x ?l ?m) (short ?m) (edge ?x ?z) (path ?z ?y ?m))
         (<= terminal (path a c nil))";
    assert_eq!(shortened(&format!("{APPEND} {short}")), None);
}

#[test]
fn a_list_that_treats_a_node_differently_stays() {
    let append = APPEND.replace("(node ?e)", "(node ?e) (distinct ?e b)");
    assert_eq!(shortened(&format!("{append} {PATH_BY_APPEND}")), None);
    let append = format!(
        "{} (plain a) (plain c)",
        APPEND.replace("(node ?e)", "(plain ?e)")
    );
    assert_eq!(shortened(&format!("{append} {PATH_BY_APPEND}")), None);
}

#[test]
fn a_list_that_does_not_determine_the_node_stays() {
    // A node is visited in two colours, but may be in the list once only.
    let coloured = "(other red blue) (other blue red)
         (<= (path ?x ?y ?k ?l) (true (open ?x)) (edge ?x ?y) (append ?x ?l ?m) (other ?k blue))
         (<= (path ?x ?y ?k ?l) (append ?x ?l ?m) (edge ?x ?z) (other ?k ?j) (path ?z ?y ?j ?m))
         (<= terminal (path a c red nil))";
    assert_eq!(shortened(&format!("{APPEND} {coloured}")), None);
}

#[test]
fn a_list_of_a_recursion_that_branches_stays() {
    let branching = "(<= (path ?x ?y ?l) (true (open ?x)) (edge ?x ?y) (append ?x ?l ?m))
         (<= (path ?x ?y ?l) (append ?x ?l ?m) (node ?z) (path ?x ?z ?m) (path ?z ?y ?m))
         (<= terminal (path a c nil))";
    assert_eq!(shortened(&format!("{APPEND} {branching}")), None);
}

#[test]
fn a_use_with_a_list_that_has_elements_stays() {
    let path = PATH_BY_APPEND.replace("nil", "(list b nil)");
    assert_eq!(shortened(&format!("{APPEND} {path}")), None);
}

/// A search from place to place on a board of nine, with lists in which a place is one term.
fn board(list: &str) -> String {
    format!(
        "(index 1) (index 2) (index 3) (next_to 1 2) (next_to 2 3)
         (init (stone 1 1)) (init (stone 2 1))
         (<= (near ?x ?y ?u ?y) (next_to ?x ?u) (index ?y))
         (<= (near ?x ?y ?x ?v) (index ?x) (next_to ?y ?v))
         (list nil) {list}
         (<= (in ?e (l ?e ?t)) (spot ?e) (list ?t)) (<= (in ?e (l ?f ?t)) (spot ?f) (in ?e ?t))
         (<= (spot (at ?x ?y)) (index ?x) (index ?y))
         (<= (path ?x ?y ?u ?v ?l) (near ?x ?y ?u ?v) (true (stone ?u ?v)) (list ?l))
         (<= (path ?x ?y ?u ?v ?l) (near ?x ?y ?a ?b) (true (stone ?a ?b)) (list ?l)
             (not (in (at ?a ?b) ?l)) (path ?a ?b ?u ?v (l (at ?a ?b) ?l)))
         (<= terminal (path 1 1 3 3 (l (at 1 1) nil)))
         (<= terminal (true (stone ?x 1)) (path ?x 1 1 3 (l (at ?x 1) nil)))"
    )
}

#[test]
fn a_list_of_places_on_a_board_is_removed() {
    let lines = shortened(&board("(<= (list (l ?e ?t)) (spot ?e) (list ?t))"));
    let text = lines.expect("it is removed").join("\n");
    assert!(!text.contains("(l "), "{text}");
}

#[test]
fn a_list_whose_elements_are_taken_apart_stays() {
    let list = "(<= (list (l (at ?x ?y) ?t)) (index ?x) (distinct ?x 2) (index ?y) (list ?t))";
    assert_eq!(shortened(&board(list)), None);
}
