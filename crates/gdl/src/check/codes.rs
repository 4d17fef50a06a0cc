//! The table of diagnostic codes, each with a title and an explanation.
//!
//! Codes are stable: their meaning never changes, and unused codes are not assigned again. Codes
//! below 100 are syntax errors, those from 100 are violations of the language, those from 200 are
//! found in random playouts, and those from 300 are errors of normalisation.

/// The documentation of a diagnostic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticCode {
    /// The code: `E` for errors, `W` for warnings, and three digits.
    pub code: &'static str,
    /// The problem in one line.
    pub title: &'static str,
    /// The reason and the possible corrections.
    pub explanation: &'static str,
}

pub(super) const NO_ROLE: &str = "E101";
pub(super) const ROLE_NOT_FIXED: &str = "E102";
pub(super) const NO_LEGAL: &str = "E103";
pub(super) const KEYWORD_ARITY: &str = "E104";
pub(super) const KEYWORD_AS_FUNCTION: &str = "E105";
pub(super) const NEVER_CONCLUDED: &str = "E106";
pub(super) const NEVER_ASKED: &str = "E107";
pub(super) const INIT_DEPENDS: &str = "E108";
pub(super) const LEGAL_DEPENDS: &str = "E109";
pub(super) const UNSAFE_HEAD: &str = "E110";
pub(super) const UNSAFE_NEGATION: &str = "E111";
pub(super) const UNSAFE_DISTINCT: &str = "E112";
pub(super) const FACT_WITH_VARIABLE: &str = "E113";
pub(super) const NEGATIVE_CYCLE: &str = "E114";
pub(super) const GOAL_NOT_A_NUMBER: &str = "E115";
pub(super) const GDL_II: &str = "E116";

/// A role has no legal move in a non-terminal state.
pub const NO_LEGAL_MOVE: &str = "E201";
/// A role has no goal value in a terminal state.
pub const NO_GOAL_VALUE: &str = "E202";
/// A role has several goal values in a terminal state.
pub const SEVERAL_GOAL_VALUES: &str = "E203";
/// A goal value in a terminal state is not an integer from 0 to 100.
pub const BAD_GOAL_VALUE: &str = "E204";
/// The initial state is terminal.
pub const INITIALLY_TERMINAL: &str = "W201";
/// A role has several goal values in a non-terminal state.
pub const SEVERAL_GOAL_VALUES_EARLY: &str = "W202";
/// Random playouts reached the step limit.
pub const STEP_LIMIT_REACHED: &str = "W203";
/// Random playouts failed with an error of the engine.
pub const PLAYOUT_FAILED: &str = "W204";

pub(super) const MORE: &str = "W100";
pub(super) const NO_TERMINAL: &str = "W101";
pub(super) const NO_GOAL: &str = "W102";
pub(super) const ROLE_WITHOUT: &str = "W103";
pub(super) const NOT_A_ROLE: &str = "W104";
pub(super) const ROLE_TWICE: &str = "W105";
pub(super) const ROLE_RANDOM: &str = "W106";
pub(super) const KEYWORD_AS_CONSTANT: &str = "W107";
pub(super) const BASE_IN_BODY: &str = "W108";
pub(super) const BASE_DEPENDS: &str = "W109";
pub(super) const RELATION_ARITY: &str = "W110";
pub(super) const FUNCTION_ARITY: &str = "W111";
pub(super) const UNDEFINED: &str = "W112";
pub(super) const UNUSED: &str = "W113";
pub(super) const UNKNOWN_FLUENT: &str = "W114";
pub(super) const UNKNOWN_MOVE: &str = "W115";
pub(super) const RECURSION: &str = "W116";
pub(super) const GOAL_OUT_OF_RANGE: &str = "W117";
pub(super) const NAME_CASE: &str = "W118";
pub(super) const VARIABLE_CASE: &str = "W119";
pub(super) const CLAUSE_TWICE: &str = "W120";
pub(super) const RESULT_DEPENDS: &str = "W121";
pub(super) const NEGATIVE_CYCLE_BY_NAME: &str = "W122";

/// All codes in ascending order.
pub const CODES: &[DiagnosticCode] = &[
    DiagnosticCode {
        code: "E001",
        title: "a closing parenthesis is missing",
        explanation: "Every open parenthesis needs a closing one. The clause that misses it is found by the next clause that starts a line; it is left out, and the others are still read.",
    },
    DiagnosticCode {
        code: "E002",
        title: "a closing parenthesis too many",
        explanation: "No open parenthesis belongs to it. Often a clause before was closed too early, so that its last conditions stand outside.",
    },
    DiagnosticCode {
        code: "E003",
        title: "empty parentheses",
        explanation: "A list starts with the name of a relation or a function, so `()` means nothing.",
    },
    DiagnosticCode {
        code: "E004",
        title: "a list where a name must stand",
        explanation: "After an open parenthesis comes a name: `((p a) b)` means nothing. Look for a parenthesis too many.",
    },
    DiagnosticCode {
        code: "E005",
        title: "a variable without a name",
        explanation: "A question mark alone is not a variable; write `?x`.",
    },
    DiagnosticCode {
        code: "E006",
        title: "a character that cannot stand in a sheet",
        explanation: "Control characters are not part of any word. They usually come from copying or from an editor with another encoding.",
    },
    DiagnosticCode {
        code: "E007",
        title: "a rule without a head",
        explanation: "`(<=)` concludes nothing; write `(<= head condition …)`.",
    },
    DiagnosticCode {
        code: "E008",
        title: "a connective with the wrong number of parts",
        explanation: "`not` takes one condition, `distinct` two terms, `and` and `or` at least one condition.",
    },
    DiagnosticCode {
        code: "E009",
        title: "a connective as a head",
        explanation: "A rule concludes a relation. What is only sometimes true goes into the body with `not`, `or`, `and` or `distinct`.",
    },
    DiagnosticCode {
        code: "E010",
        title: "a variable as the name of a relation or function",
        explanation: "The language is first-order: relations and functions have fixed names, and variables stand only among their arguments.",
    },
    DiagnosticCode {
        code: "E011",
        title: "the sheet is empty",
        explanation: "There is no clause in the text.",
    },
    DiagnosticCode {
        code: "E012",
        title: "a rule inside another clause",
        explanation: "`<=` may only start a clause. The clause before probably misses a closing parenthesis.",
    },
    DiagnosticCode {
        code: "E014",
        title: "a variable where a ground term is needed",
        explanation: "States and moves are ground: they have no variables.",
    },
    DiagnosticCode {
        code: "E015",
        title: "more errors than are listed",
        explanation: "A text with so many errors is probably no rule sheet at all, or something near its beginning upsets all the rest. Mend the first ones and check again.",
    },
    DiagnosticCode {
        code: "E020",
        title: "a quote that is never closed",
        explanation: "In infix notation a name with unusual characters stands in single quotes on one line: `'map+'`. A quote inside is written `\\'`.",
    },
    DiagnosticCode {
        code: "E021",
        title: "quotes that hold no name",
        explanation: "Between single quotes stands the name of a constant, function, relation or, after a question mark, variable. It may not be empty or hold blanks, parentheses or semicolons, which no name in KIF can.",
    },
    DiagnosticCode {
        code: "E022",
        title: "a name that needs quotes",
        explanation: "In infix notation plain names are made of letters, digits and underscores. Put any other name into single quotes: `'h-speed'`.",
    },
    DiagnosticCode {
        code: "E023",
        title: "something is missing or should not be here",
        explanation: "The infix notation is `head(X) :- condition(X) & ~other(X)`: commas between arguments, `&` or `|` between conditions.",
    },
    DiagnosticCode {
        code: "E024",
        title: "a connective used as a name",
        explanation: "`and`, `or`, `not` and `distinct` have a meaning of their own. Put them into quotes where they are meant as plain names.",
    },
    DiagnosticCode {
        code: "E025",
        title: "not the name of a variable",
        explanation: "Variables of the infix notation start with an upper-case letter, or with an underscore before a name that does not start with a lower-case letter, so that each has exactly one name in KIF.",
    },
    DiagnosticCode {
        code: "E026",
        title: "KIF in an infix sheet",
        explanation: "A sheet is written in one notation. `ludorum fmt --to infix` and `--to kif` convert whole sheets.",
    },
    DiagnosticCode {
        code: "E101",
        title: "no role",
        explanation: "A game has at least one player. Name each in a fact: `(role white)`. The order of these facts is the order of moves in a joint move.",
    },
    DiagnosticCode {
        code: "E102",
        title: "a role that is not a fact with a constant",
        explanation: "Roles and their order must be known before any rule is evaluated. Each role is therefore a fact with a constant, not a rule, a variable or a compound term.",
    },
    DiagnosticCode {
        code: "E103",
        title: "no legal moves",
        explanation: "No rule concludes `legal`, so nobody can ever move.",
    },
    DiagnosticCode {
        code: "E104",
        title: "a keyword with the wrong number of arguments",
        explanation: "Keywords have a fixed form: `(role r)`, `(init f)`, `(true f)`, `(next f)`, `(base f)`, `(legal r m)`, `(does r m)`, `(input r m)`, `(goal r n)`, `terminal`. A fact or a move with several parts is one compound term: `(true (cell 1 1 x))`.",
    },
    DiagnosticCode {
        code: "E105",
        title: "a keyword as a function",
        explanation: "A keyword inside a term has no special meaning there: `(true (not p))` does not negate. Put it around the condition, or use another name.",
    },
    DiagnosticCode {
        code: "E106",
        title: "`true` or `does` as a head",
        explanation: "What holds is concluded with `init` and `next`, and what may be done with `legal`. The state and the chosen moves are given from outside and cannot be concluded.",
    },
    DiagnosticCode {
        code: "E107",
        title: "`init` or `next` as a condition",
        explanation: "Rules look at the current state with `true`. The first and the next state are made from the rules, not looked at.",
    },
    DiagnosticCode {
        code: "E108",
        title: "`init` depends on the state or the moves",
        explanation: "`init` describes the first state, so it must not depend on a state. A rule for `init`, or a relation that it depends on, uses `true` or `does`; the labels show the path.",
    },
    DiagnosticCode {
        code: "E109",
        title: "legal moves, results or the end depend on the moves",
        explanation: "Players choose their moves after `legal`, `goal` and `terminal` were evaluated, so none of these may depend on `does`. For `legal` this includes dependencies through other relations; the labels show the path. To remember a move, make it a fact with `next`.",
    },
    DiagnosticCode {
        code: "E110",
        title: "an unsafe variable in a head",
        explanation: "Every variable of a head must stand in a positive condition of the body, which gives it its values. In an `or`, every alternative must have it. Negations and `distinct` only test values.",
    },
    DiagnosticCode {
        code: "E111",
        title: "an unsafe variable in a negation",
        explanation: "`(not (p ?x))` tests a value that `?x` already has. Some positive condition, before or after, must give it one; within an `or`, one of the same alternative or one outside.",
    },
    DiagnosticCode {
        code: "E112",
        title: "an unsafe variable in a distinct",
        explanation: "`(distinct ?x ?y)` tests values that both variables already have. Some positive condition, before or after, must give them; within an `or`, one of the same alternative or one outside.",
    },
    DiagnosticCode {
        code: "E113",
        title: "a fact with a variable",
        explanation: "A fact without conditions would hold for everything there is. Write it for each constant, or write a rule that says what the variable can be.",
    },
    DiagnosticCode {
        code: "E114",
        title: "negation in a cycle",
        explanation: "A relation that depends on its own negation has no agreed meaning: it would hold if it did not. Rules must be stratified: a negated relation is evaluated completely before. The labels show the cycle, step by step. Clauses whose constants keep them apart do not count as a cycle (see W122).",
    },
    DiagnosticCode {
        code: "E115",
        title: "a result that is not a number",
        explanation: "Results are whole numbers from 0 to 100.",
    },
    DiagnosticCode {
        code: "E116",
        title: "the sheet is GDL-II",
        explanation: "`sees` tells what each player gets to know in GDL-II, the extension of the language with hidden information. Without it the sheet would be another game, one where everybody sees everything.",
    },
    DiagnosticCode {
        code: "E201",
        title: "a role without a legal move",
        explanation: "Until the game ends, every role must have a legal move in every state that can be reached; one that has nothing to do needs a move such as `noop`. Random playouts met a state in which a role has none, so the game cannot go on there.",
    },
    DiagnosticCode {
        code: "E202",
        title: "an end without a result",
        explanation: "When the game has ended, `goal` must give every role a result. Random playouts met a terminal state in which a role has none.",
    },
    DiagnosticCode {
        code: "E203",
        title: "an end with several results",
        explanation: "When the game has ended, `goal` must give every role one result only. Random playouts met a terminal state in which the conditions of several `goal` rules hold at once.",
    },
    DiagnosticCode {
        code: "E204",
        title: "an end with something that is no result",
        explanation: "Results are whole numbers from 0 to 100. Random playouts met a terminal state in which a role gets something else.",
    },
    DiagnosticCode {
        code: "E301",
        title: "no role is left",
        explanation: "Without a role there is no game. This is found when rules are prepared for play; the checker reports E101 first.",
    },
    DiagnosticCode {
        code: "E302",
        title: "conditions nested too deeply",
        explanation: "`and`, `or` and `not` may be nested a thousand levels deep. Give the inner parts relations of their own.",
    },
    DiagnosticCode {
        code: "E303",
        title: "a term nested too deeply",
        explanation: "Terms with variables may be nested a thousand levels deep; ground terms to any depth.",
    },
    DiagnosticCode {
        code: "E304",
        title: "too many alternatives",
        explanation: "The `or`s of a rule multiply: each combination of branches is a rule of its own. Give each `or` a relation of its own.",
    },
    DiagnosticCode {
        code: "E305",
        title: "a variable without a value",
        explanation: "Every variable of a head, a `not` or a `distinct` must occur in a positive condition. The checker reports E110, E111 or E112 first.",
    },
    DiagnosticCode {
        code: "E306",
        title: "a relation that depends on its own negation",
        explanation: "Such rules are not stratified and have no agreed meaning. The checker reports E114 first and shows the cycle.",
    },
    DiagnosticCode {
        code: "E307",
        title: "equations that make a term too large",
        explanation: "`(not (distinct ?x (f ?y ?y)))` puts `(f ?y ?y)` in the place of `?x`. A row of such conditions can double a term each time; use fewer of them.",
    },
    DiagnosticCode {
        code: "W001",
        title: "needless parentheses",
        explanation: "`(terminal)` means the same as `terminal`, and `(noop)` the same as `noop`.",
    },
    DiagnosticCode {
        code: "W002",
        title: "more warnings than are listed",
        explanation: "The rest is not listed to keep the report readable. Mend the first ones and check again.",
    },
    DiagnosticCode {
        code: "W020",
        title: "a fact that is indented like a condition",
        explanation: "In infix notation a new clause starts where no `&` leads on. An indented line without one is read as a fact; probably the `&` is missing at the end of the line before.",
    },
    DiagnosticCode {
        code: "W100",
        title: "more problems than are shown",
        explanation: "Only the first problems are shown, errors before warnings. Many problems often have one cause.",
    },
    DiagnosticCode {
        code: "W101",
        title: "no end",
        explanation: "No rule concludes `terminal`, so the game never ends.",
    },
    DiagnosticCode {
        code: "W102",
        title: "no results",
        explanation: "No rule concludes `goal`, so nobody wins or loses.",
    },
    DiagnosticCode {
        code: "W103",
        title: "a role without moves or results",
        explanation: "All rules for `legal` (or `goal`) name other roles, so this one can never move (or never gets a result).",
    },
    DiagnosticCode {
        code: "W104",
        title: "not a role",
        explanation: "The first argument of `legal`, `does`, `goal`, `input` or `role` is a constant that no `role` fact names, so the condition never holds or the conclusion has no effect. It may be misspelt.",
    },
    DiagnosticCode {
        code: "W105",
        title: "a role named twice",
        explanation: "A role counts once, however often it is named.",
    },
    DiagnosticCode {
        code: "W106",
        title: "the role `random`",
        explanation: "In GDL-II the role `random` moves by chance. Nothing else of GDL-II is in the sheet, so it is read as an ordinary game in which `random` is a player like any other.",
    },
    DiagnosticCode {
        code: "W107",
        title: "a keyword as a constant",
        explanation: "A keyword inside a term has no special meaning there, which is misleading. A parenthesis may also be in the wrong place.",
    },
    DiagnosticCode {
        code: "W108",
        title: "`base` or `input` as a condition",
        explanation: "They are hints for reasoners and may be left out of a sheet, so nothing should depend on them.",
    },
    DiagnosticCode {
        code: "W109",
        title: "`base` or `input` depends on the state or the moves",
        explanation: "They list what can ever hold or be done, whatever the state is.",
    },
    DiagnosticCode {
        code: "W110",
        title: "a relation with several numbers of arguments",
        explanation: "`(p a)` and `(p a b)` are two relations that have nothing to do with each other. One of them is probably a slip; the rarest is shown first.",
    },
    DiagnosticCode {
        code: "W111",
        title: "a function with several numbers of arguments",
        explanation: "`(f a)` and `(f a b)` are terms that are never equal. One of them is probably a slip; the rarest is shown first. A name as a constant and as a function is fine.",
    },
    DiagnosticCode {
        code: "W112",
        title: "a relation that is never defined",
        explanation: "No clause concludes it, so the condition never holds (and its negation always does). It may be misspelt.",
    },
    DiagnosticCode {
        code: "W113",
        title: "a relation that is never used",
        explanation: "Nothing asks for it, so it could as well be removed. Perhaps a rule that should ask for it is missing.",
    },
    DiagnosticCode {
        code: "W114",
        title: "a fact that can never be true",
        explanation: "No `init` and no `next` makes a fact of this name and number of arguments, so the condition never holds. It may be misspelt.",
    },
    DiagnosticCode {
        code: "W115",
        title: "a move that can never be done",
        explanation: "No `legal` allows a move of this name and number of arguments, so the condition never holds. It may be misspelt.",
    },
    DiagnosticCode {
        code: "W116",
        title: "the recursion restriction",
        explanation: "In a rule for p, each argument of a condition that depends on p must be ground, or an argument of the head, or an argument of a condition that does not depend on p. Otherwise the rules may make ever larger terms, and their evaluation need not end.",
    },
    DiagnosticCode {
        code: "W117",
        title: "a result out of range",
        explanation: "Results are whole numbers from 0 to 100.",
    },
    DiagnosticCode {
        code: "W118",
        title: "names that differ only in case",
        explanation: "Keywords are read in any case, all other names exactly as written: `Cell` and `cell` are two names.",
    },
    DiagnosticCode {
        code: "W119",
        title: "variables that differ only in case",
        explanation: "`?X` and `?x` are two variables. In one rule that is rarely meant.",
    },
    DiagnosticCode {
        code: "W120",
        title: "the same clause twice",
        explanation: "A clause says the same as one before, up to the names of its variables. The second one changes nothing; perhaps it was copied and not adapted.",
    },
    DiagnosticCode {
        code: "W121",
        title: "results or the end depend on the moves by way of other relations",
        explanation: "`goal` and `terminal` are evaluated in a state before any move. They are evaluated as if no `does` held; published sheets that share relations with `next` need that.",
    },
    DiagnosticCode {
        code: "W122",
        title: "negation in a cycle by name only",
        explanation: "A relation depends on its own negation, but constants keep the clauses apart: `(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))`. No ground atom depends on its own negation, so the sheet has one meaning (it is locally stratified). The language requires stratification, that is no cycle of relations.",
    },
    DiagnosticCode {
        code: "W201",
        title: "the game is over before it begins",
        explanation: "`terminal` holds in the initial state, so no move is ever made.",
    },
    DiagnosticCode {
        code: "W202",
        title: "several results before the end",
        explanation: "A role may have no result while the game goes on, but not several. Players that look at results to see how well they stand cannot tell which one is meant.",
    },
    DiagnosticCode {
        code: "W203",
        title: "a game that did not end",
        explanation: "Every game must end after finitely many steps. Random playouts reached the limit of steps before the end. That may be a long game, for which `--steps` sets another limit, or one that can go on for ever: most sheets then count steps and end at some number.",
    },
    DiagnosticCode {
        code: "W204",
        title: "a game whose playouts failed",
        explanation: "The engine exceeded its limit of work or memory while it evaluated the rules. They may recurse without end.",
    },
];

/// The documentation of a code, case-insensitive.
pub fn explain(code: &str) -> Option<&'static DiagnosticCode> {
    CODES.iter().find(|c| c.code.eq_ignore_ascii_case(code))
}

/// Whether a diagnostic reports something missing, which an unparsed clause may contain.
pub(super) fn is_about_absence(code: &str) -> bool {
    [
        NO_ROLE,
        NO_LEGAL,
        NO_TERMINAL,
        NO_GOAL,
        ROLE_WITHOUT,
        NOT_A_ROLE,
        UNDEFINED,
        UNUSED,
        UNKNOWN_FLUENT,
        UNKNOWN_MOVE,
    ]
    .contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_each_is_there_once() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn every_code_can_be_explained_in_any_case() {
        assert_eq!(
            explain("e114").map(|c| c.title),
            Some("negation in a cycle")
        );
        assert!(CODES.iter().all(|c| explain(c.code) == Some(c)));
        assert_eq!(explain("E999"), None);
    }
}
