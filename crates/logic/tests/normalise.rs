//! Normalisation of small sheets, and its invariants on published ones.

use ludorum_logic::rule::Literal;
use ludorum_logic::{Domains, RelationClass, Rules, print};

/// A sheet with the given rules and the rules that every game needs.
fn game(rules: &str) -> Rules {
    let text = format!("(role robot) (item 1) (item 2) (item 3) (init (at 1)) {rules}");
    match Rules::from_text(&text) {
        Ok(rules) => rules,
        Err(problems) => panic!("{problems:?}"),
    }
}

fn error(rules: &str) -> &'static str {
    let text = format!("(role robot) (item 1) (init (at 1)) {rules}");
    Rules::from_text(&text).expect_err("the sheet has no meaning")[0].code
}

/// The rules of a relation, each on one line.
fn rules_of(rules: &Rules, name: &str, arity: usize) -> Vec<String> {
    let id = rules.find_relation(name, arity).expect("relation");
    let mut lines: Vec<String> = rules
        .rules_of(id)
        .map(|rule| print::rule(rules, rule).replace("\n ", ""))
        .collect();
    lines.sort();
    lines
}

#[test]
fn a_small_or_is_split() {
    let rules = game("(<= terminal (item ?x) (or (true (at ?x)) (true (on ?x))))");
    assert_eq!(
        rules_of(&rules, "terminal", 0),
        [
            "(<= terminal (item ?x) (true (at ?x)))",
            "(<= terminal (item ?x) (true (on ?x)))"
        ]
    );
}

#[test]
fn a_wide_or_becomes_a_relation_of_its_own() {
    let branch = |name: &str| {
        let parts: Vec<String> = (0..5).map(|i| format!("(true ({name}{i} ?x))")).collect();
        format!("(or {})", parts.join(" "))
    };
    let rules = game(&format!(
        "(<= terminal (item ?x) {} {})",
        branch("p"),
        branch("q")
    ));
    // Five and five branches would multiply to 25 rules.
    assert!(rules.rules.len() <= 11, "{}", print::sheet(&rules));
    assert!(rules.relations().any(|(_, relation)| relation.is_helper));
}

#[test]
fn branches_without_binding_literals_get_those_of_the_context() {
    let tests: Vec<String> = (1..=3)
        .map(|i| format!("(or (distinct ?x {i}) (not (true (off ?x {i}))) (true (q{i} ?x)))"))
        .collect();
    let rules = game(&format!("(<= terminal (true (at ?x)) {})", tests.join(" ")));
    for rule in &rules.rules {
        let positive = rule
            .body
            .iter()
            .any(|literal| matches!(literal, Literal::Positive(_)));
        assert!(positive || rule.variables.is_empty());
    }
}

#[test]
fn negation_moves_inwards() {
    let rules = game(
        "(<= terminal (item ?x) (not (or (true (at ?x)) (not (true (on ?x))) (distinct ?x 2))))",
    );
    assert_eq!(
        rules_of(&rules, "terminal", 0),
        ["(<= terminal (not (true (at 2))) (true (on 2)))"]
    );
}

#[test]
fn not_distinct_unifies_nested_terms() {
    let rules = game(
        "(<= terminal (true (pair ?x ?y)) (not (distinct ?x (f ?z))) (not (distinct ?y ?z)) (item ?z))",
    );
    assert_eq!(
        rules_of(&rules, "terminal", 0),
        ["(<= terminal (true (pair (f ?z) ?z)) (item ?z))"]
    );
}

#[test]
fn literals_that_never_hold_are_removed() {
    let rules = game(
        "(<= terminal (true (at 1)) (nothing ?x))
         (<= (goal robot 0) (item 7))
         (<= (goal robot 50) (item 2) (distinct a b) (not (nothing 3)))
         (<= (goal robot 60) (item ?x) (distinct ?x ?x))",
    );
    assert!(rules.rules.is_empty(), "{}", print::sheet(&rules));
    assert_eq!(rules.facts_of(rules.keywords.goal).count(), 1);
}

#[test]
fn an_alias_of_a_single_condition_is_unfolded() {
    let rules = game(
        "(<= (taken ?x) (true (on ?x ?who)))
         (<= (here ?x) (true (at ?x)))
         (<= (legal robot (go ?x)) (item ?x) (here ?x) (not (taken ?x)))
         (<= terminal (here 3))",
    );
    assert_eq!(
        rules_of(&rules, "terminal", 0),
        ["(<= terminal (true (at 3)))"]
    );
    assert!(rules.find_relation("here", 1).is_none());
    // `taken` has an existentially quantified variable, so its negation cannot be unfolded.
    assert!(rules.find_relation("taken", 1).is_some());
}

#[test]
fn base_and_input_are_removed() {
    let rules = game("(<= (base (at ?x)) (item ?x)) (<= (input robot ?x) (item ?x))");
    assert!(rules.find_relation("base", 1).is_none());
    assert!(rules.find_relation("item", 1).is_none());
}

#[test]
fn classes_follow_true_and_does() {
    let rules = game(
        "(<= (path ?x ?y) (item ?x) (item ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (legal robot (go ?y)) (true (at ?x)) (path ?x ?y))
         (<= moved (does robot (go ?x)) (item ?x))
         (<= (next (at ?x)) (does robot (go ?x)) moved)
         (<= terminal (not (legal robot (go 1))))",
    );
    let class = |name, arity| {
        rules
            .relation(rules.find_relation(name, arity).unwrap())
            .class
    };
    assert_eq!(class("path", 2), RelationClass::Rigid);
    assert_eq!(class("legal", 2), RelationClass::State);
    assert_eq!(class("moved", 0), RelationClass::Action);
    assert_eq!(class("next", 1), RelationClass::Action);
    let path = rules.relation(rules.find_relation("path", 2).unwrap());
    assert!(path.recursive);
    assert_eq!(rules.relation(rules.keywords.terminal).stratum, 1);
}

#[test]
fn negation_in_a_cycle_is_rejected() {
    assert_eq!(
        error(
            "(<= (p ?x) (item ?x) (not (q ?x))) (<= (q ?x) (true (at ?x)) (not (p ?x))) (<= terminal (p 1))"
        ),
        "E306"
    );
}

#[test]
fn goals_that_negate_other_goals_are_split_by_value() {
    let rules = game(
        "(<= (goal robot 100) (true (at 3))) (<= (goal robot 0) (not (goal robot 100)))
         (<= (goal robot 50) (true (at 2)) (not (goal robot 100)))",
    );
    assert_eq!(rules_of(&rules, "goal", 2).len(), 3);
    assert!(rules.relation(rules.keywords.goal).stratum >= 1);
}

#[test]
fn a_terminal_that_depends_on_does_is_evaluated_without_moves() {
    let rules = game(
        "(<= done (does robot stop)) (<= done (true (at 3)))
         (<= terminal done)
         (<= terminal (true (at 2)) (not (does robot stop)))
         (<= (legal robot stop) (item 1))
         (<= (next (at 2)) done)",
    );
    assert_eq!(
        rules.relation(rules.keywords.terminal).class,
        RelationClass::State
    );
    assert_eq!(rules_of(&rules, "terminal", 0).len(), 2);
    assert_eq!(
        rules.relation(rules.keywords.next).class,
        RelationClass::Action
    );
}

#[test]
fn an_unbound_variable_is_rejected_and_a_local_one_means_none_at_all() {
    assert_eq!(error("(<= terminal (item ?x) (distinct ?x ?y))"), "E305");
    assert_eq!(error("(<= (goal robot ?x) (item 1))"), "E305");
    let rules = game("(<= terminal (not (true (at ?x))))");
    assert_eq!(rules.rules.len(), 2, "{}", print::sheet(&rules));
}

#[test]
fn a_sheet_without_roles_is_rejected() {
    let problems = Rules::from_text("(init (at 1)) (goal robot 100)").unwrap_err();
    assert_eq!(problems[0].code, "E301");
}

#[test]
fn nesting_beyond_the_limit_is_an_error_and_not_a_crash() {
    let deep = "(f ".repeat(5_000) + "?x" + &")".repeat(5_000);
    assert_eq!(error(&format!("(<= terminal (true (at {deep})))")), "E303");
    let deep = "(not (or p ".repeat(5_000) + "q" + &"))".repeat(5_000);
    assert_eq!(error(&format!("(<= terminal {deep})")), "E302");
}

#[test]
fn domains_follow_values_through_rules_and_functions() {
    let rules = game(
        "(succ 1 2) (succ 2 3) (init (cell 1 1 b)) (init (step 1))
         (<= (legal robot (mark ?x)) (item ?x)) (legal robot noop)
         (<= (next (cell ?x ?x taken)) (does robot (mark ?x)))
         (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))",
    );
    let domains = Domains::new(&rules);
    let fluents = domains.argument(rules.keywords.true_, 0);
    // at: 1; cell: 3 * 3 * 2; step: 3.
    assert_eq!(domains.size(fluents), Some(1 + 18 + 3));
    let moves = domains.argument(rules.keywords.does, 1);
    assert_eq!(domains.size(moves), Some(4));
}

#[test]
fn a_domain_without_bound_has_no_size() {
    let rules = game("(init (n zero)) (<= (next (n (s ?x))) (true (n ?x)))");
    let domains = Domains::new(&rules);
    assert_eq!(
        domains.size(domains.argument(rules.keywords.true_, 0)),
        None
    );
}

#[test]
fn every_real_sheet_is_normalised_and_its_rules_read_back() {
    let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let Ok(collections) = std::fs::read_dir(&games) else {
        eprintln!("skipped: there is no shared/games beside the project");
        return;
    };
    let mut count = 0;
    for entry in collections
        .flatten()
        .flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten())
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path()).expect("a readable sheet");
        let rules = match Rules::from_text(&text) {
            Ok(rules) => rules,
            Err(problems) => panic!("{}: {problems:?}", entry.path().display()),
        };
        let again = Rules::from_text(&print::sheet(&rules)).expect("printed rules are a sheet");
        assert_eq!(
            rules.rules.len(),
            again.rules.len(),
            "{}",
            entry.path().display()
        );
        let domains = Domains::new(&rules);
        assert_ne!(
            domains.size(domains.argument(rules.keywords.legal, 1)),
            Some(0)
        );
        count += 1;
    }
    eprintln!("{count} sheets");
    assert!(count >= 300);
}

#[test]
fn equations_that_double_a_term_are_rejected() {
    let mut body = String::from("(true (at ?x0))");
    for i in 0..60 {
        let next = i + 1;
        body += &format!(" (true (at ?x{next})) (not (distinct ?x{i} (f ?x{next} ?x{next})))");
    }
    assert_eq!(error(&format!("(<= terminal {body})")), "E307");
    let ground = format!("(<= terminal {body} (not (distinct ?x60 a)))");
    assert_eq!(error(&ground), "E307");
}

#[test]
fn aliases_that_double_a_term_are_unfolded_in_part() {
    let mut text = String::from("(<= terminal (item ?x) (p0 ?x))");
    for i in 0..60 {
        text += &format!(" (<= (p{i} ?x) (p{} (f ?x ?x)))", i + 1);
    }
    let rules = game(&(text + " (<= (p60 ?x) (true (at ?x)))"));
    let longest = rules
        .rules
        .iter()
        .map(|rule| print::rule(&rules, rule).len());
    assert!(longest.max() < Some(20_000));
}

#[test]
fn a_long_chain_of_aliases_is_unfolded_in_part() {
    let mut text = String::from("(<= terminal (p0 1))");
    for i in 0..20_000 {
        text += &format!(" (<= (p{i} ?x) (p{} ?x))", i + 1);
    }
    let rules = game(&(text + " (<= (p20000 ?x) (true (at ?x)))"));
    assert_eq!(rules_of(&rules, "terminal", 0).len(), 1);
}

#[test]
fn domains_of_functions_that_nest_in_each_other_stay_few() {
    let mut text = String::from("(<= (legal robot go) (true (at ?x)))");
    for i in 0..60 {
        text += &format!(" (<= (next (at (f{i} ?x))) (true (at ?x)))");
    }
    let rules = game(&text);
    let domains = Domains::new(&rules);
    assert_eq!(
        domains.size(domains.argument(rules.keywords.true_, 0)),
        None
    );
}

#[test]
fn domains_of_deep_terms_are_counted() {
    let depth = 20_000;
    let functions: Vec<String> = (0..depth).map(|i| format!("(f{i}")).collect();
    let functions = functions.join(" ");
    let rules = game(&format!(
        "(init (on {functions} a{})) (<= (legal robot ?x) (true (on ?x)))",
        ")".repeat(depth)
    ));
    let domains = Domains::new(&rules);
    assert_eq!(
        domains.size(domains.argument(rules.keywords.legal, 1)),
        Some(1)
    );
}

#[test]
fn helper_relations_do_not_clash_with_names_of_the_sheet() {
    let branches: Vec<String> = (1..10).map(|i| format!("(true (at {i}))")).collect();
    let branches = branches.join(" ");
    let rules = game(&format!(
        "(t#or0 7) (<= (t ?x) (item ?x) (true (on ?x)) (or {branches})) (<= (legal robot ?x) (t ?x) (t#or0 ?x))"
    ));
    let id = rules.find_relation("t#or0", 1).expect("relation");
    assert!(!rules.relation(id).is_helper);
    assert!(rules.rules_of(id).next().is_none());
}
