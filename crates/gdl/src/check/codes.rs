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
pub(super) const KEYWORD_AS_HEAD: &str = "E106";
pub(super) const KEYWORD_IN_BODY: &str = "E107";
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
        explanation: "\
            Every open parenthesis needs a closing one. The parser ends the unclosed clause \
            before the next clause that starts a line. The unclosed clause is skipped, and the \
            others are still read.",
    },
    DiagnosticCode {
        code: "E002",
        title: "an extra closing parenthesis",
        explanation: "\
            This parenthesis matches no open one. Often the previous clause was closed too \
            early, so that its last conditions are outside it.",
    },
    DiagnosticCode {
        code: "E003",
        title: "empty parentheses",
        explanation: "\
            A list starts with the name of a relation or a function, so `()` has no meaning.",
    },
    DiagnosticCode {
        code: "E004",
        title: "a list where a name is required",
        explanation: "\
            An open parenthesis must be followed by a name: `((p a) b)` has no meaning. Check \
            for an extra parenthesis.",
    },
    DiagnosticCode {
        code: "E005",
        title: "a variable without a name",
        explanation: "A question mark alone is not a variable; write `?x`.",
    },
    DiagnosticCode {
        code: "E006",
        title: "a character that is not allowed in a sheet",
        explanation: "\
            Control characters cannot be part of a name. They usually come from copied text or \
            from an editor with another encoding.",
    },
    DiagnosticCode {
        code: "E007",
        title: "a rule without a head",
        explanation: "`(<=)` defines nothing; write `(<= head condition …)`.",
    },
    DiagnosticCode {
        code: "E008",
        title: "a connective with the wrong number of arguments",
        explanation: "\
            `not` takes one condition, `distinct` two terms, `and` and `or` at least one \
            condition.",
    },
    DiagnosticCode {
        code: "E009",
        title: "a connective as a head",
        explanation: "\
            The head of a rule is a relation. Connectives (`not`, `or`, `and`, `distinct`) are \
            allowed in the body only.",
    },
    DiagnosticCode {
        code: "E010",
        title: "a variable as the name of a relation or function",
        explanation: "\
            GDL is first-order: relations and functions have fixed names, and variables can only \
            be arguments.",
    },
    DiagnosticCode {
        code: "E011",
        title: "the sheet is empty",
        explanation: "The text has no clause.",
    },
    DiagnosticCode {
        code: "E012",
        title: "a rule inside another clause",
        explanation: "\
            `<=` may only start a clause. Probably the previous clause lacks a closing \
            parenthesis.",
    },
    DiagnosticCode {
        code: "E014",
        title: "a variable where a ground term is needed",
        explanation: "States and moves are ground: they contain no variables.",
    },
    DiagnosticCode {
        code: "E015",
        title: "more errors than are listed",
        explanation: "\
            A text with so many errors is probably not a rule sheet, or one error near its \
            beginning causes the others. Correct the first errors and check again.",
    },
    DiagnosticCode {
        code: "E020",
        title: "a quote that is never closed",
        explanation: "\
            In infix notation a name with special characters is written in single quotes on one \
            line: `'map+'`. A quote inside a name is written `\\'`.",
    },
    DiagnosticCode {
        code: "E021",
        title: "quotes without a valid name",
        explanation: "\
            Single quotes contain the name of a constant, function or relation, or of a variable \
            after a question mark. A name is not empty and contains no blanks, parentheses or \
            semicolons, since no KIF name can.",
    },
    DiagnosticCode {
        code: "E022",
        title: "a name that needs quotes",
        explanation: "\
            In infix notation a name without quotes consists of letters, digits and underscores. \
            Write any other name in single quotes: `'h-speed'`.",
    },
    DiagnosticCode {
        code: "E023",
        title: "a missing or unexpected symbol",
        explanation: "\
            An infix rule is written `head(X) :- condition(X) & ~other(X)`, with commas between \
            arguments and `&` or `|` between conditions.",
    },
    DiagnosticCode {
        code: "E024",
        title: "a connective used as a name",
        explanation: "\
            `and`, `or`, `not` and `distinct` are reserved. Write them in quotes to use them as \
            ordinary names.",
    },
    DiagnosticCode {
        code: "E025",
        title: "an invalid name of a variable",
        explanation: "\
            In infix notation a variable starts with an upper-case letter, or with an underscore \
            if the rest of its name does not start with a lower-case letter. So each variable \
            has exactly one name in KIF.",
    },
    DiagnosticCode {
        code: "E026",
        title: "KIF in an infix sheet",
        explanation: "\
            A sheet is written in one notation. `ludorum fmt --to infix` and `--to kif` convert \
            whole sheets.",
    },
    DiagnosticCode {
        code: "E101",
        title: "no role",
        explanation: "\
            A game needs at least one role. Declare each role by a fact: `(role white)`. The \
            order of these facts is the order of moves in a joint move.",
    },
    DiagnosticCode {
        code: "E102",
        title: "a role that is not a fact with a constant",
        explanation: "\
            The roles and their order must be known before any rule is evaluated. So each role \
            is a fact with a constant, not a rule, a variable or a compound term.",
    },
    DiagnosticCode {
        code: "E103",
        title: "no legal moves",
        explanation: "No clause defines `legal`, so no role can ever move.",
    },
    DiagnosticCode {
        code: "E104",
        title: "a keyword with the wrong number of arguments",
        explanation: "\
            Keywords have a fixed form: `(role r)`, `(init f)`, `(true f)`, `(next f)`, \
            `(base f)`, `(legal r m)`, `(does r m)`, `(input r m)`, `(goal r n)`, `terminal`. A \
            fact or move with several parts is one compound term: `(true (cell 1 1 x))`.",
    },
    DiagnosticCode {
        code: "E105",
        title: "a keyword as a function",
        explanation: "\
            Inside a term a keyword has no special meaning: `(true (not p))` does not negate \
            anything. Write the keyword around the condition, or use another name.",
    },
    DiagnosticCode {
        code: "E106",
        title: "`true` or `does` as a head",
        explanation: "\
            `true` and `does` are the current state and the chosen moves. They are given, so no \
            clause may define them. Use `init` and `next` to define states and `legal` to define \
            moves.",
    },
    DiagnosticCode {
        code: "E107",
        title: "`init` or `next` as a condition",
        explanation: "\
            Rules test the current state with `true`. `init` and `next` define the initial state \
            and the next state; they must not occur in a body.",
    },
    DiagnosticCode {
        code: "E108",
        title: "`init` depends on the state or the moves",
        explanation: "\
            `init` defines the initial state, so it must not depend on a state. A rule for \
            `init`, or a relation that it depends on, uses `true` or `does`. The labels show the \
            path.",
    },
    DiagnosticCode {
        code: "E109",
        title: "`legal`, `goal` or `terminal` depends on the moves",
        explanation: "\
            `legal`, `goal` and `terminal` are evaluated in a state before the players choose \
            their moves, so they must not depend on `does`. For `legal` this includes \
            dependencies through other relations (for the others see W121). The labels show the \
            path. To use an earlier move, store it in the state with `next`.",
    },
    DiagnosticCode {
        code: "E110",
        title: "an unsafe variable in a head",
        explanation: "\
            Every variable of a head must occur in a positive condition of the body, which gives \
            it its values. In an `or`, it must occur in every alternative. Negations and \
            `distinct` only test values.",
    },
    DiagnosticCode {
        code: "E111",
        title: "an unsafe variable in a negation",
        explanation: "\
            `(not (p ?x))` tests a given value of `?x`. A positive condition, before or after \
            it, must give `?x` its values. Inside an `or`, that condition is in the same \
            alternative or outside the `or`.",
    },
    DiagnosticCode {
        code: "E112",
        title: "an unsafe variable in a `distinct`",
        explanation: "\
            `(distinct ?x ?y)` tests given values of both variables. Positive conditions, before \
            or after it, must give them their values. Inside an `or`, these conditions are in \
            the same alternative or outside the `or`.",
    },
    DiagnosticCode {
        code: "E113",
        title: "a fact with a variable",
        explanation: "\
            A fact has no conditions that give a variable its values. Write the fact for each \
            constant, or write a rule with a condition for the variable.",
    },
    DiagnosticCode {
        code: "E114",
        title: "negation in a cycle",
        explanation: "\
            A relation that depends on its own negation has no defined meaning: it would hold if \
            and only if it did not. Rules must be stratified: a negated relation is evaluated \
            completely before the rules that negate it. The labels show the cycle step by step. \
            A cycle in which different constants separate the clauses is reported as W122.",
    },
    DiagnosticCode {
        code: "E115",
        title: "a goal value that is not a number",
        explanation: "Goal values are whole numbers from 0 to 100.",
    },
    DiagnosticCode {
        code: "E116",
        title: "the sheet is written in GDL-II",
        explanation: "\
            In GDL-II, the extension of GDL for games with imperfect information, `sees` defines \
            what each role observes. If `sees` were ignored, every role would see everything, \
            which is another game.",
    },
    DiagnosticCode {
        code: "E201",
        title: "a role without a legal move",
        explanation: "\
            In every reachable state that is not terminal, every role must have a legal move. A \
            role that has nothing to do needs a move such as `noop`. Random playouts reached a \
            state in which a role has no legal move, so the game cannot continue.",
    },
    DiagnosticCode {
        code: "E202",
        title: "a terminal state without a goal value",
        explanation: "\
            In a terminal state, `goal` must give every role a value. Random playouts reached a \
            terminal state in which a role has none.",
    },
    DiagnosticCode {
        code: "E203",
        title: "a terminal state with several goal values",
        explanation: "\
            In a terminal state, `goal` must give every role exactly one value. Random playouts \
            reached a terminal state in which the conditions of several `goal` rules hold at \
            once.",
    },
    DiagnosticCode {
        code: "E204",
        title: "a terminal state with an invalid goal value",
        explanation: "\
            Goal values are whole numbers from 0 to 100. Random playouts reached a terminal \
            state in which a role has another value.",
    },
    DiagnosticCode {
        code: "E301",
        title: "no role is left",
        explanation: "\
            A game needs at least one role. This is found when rules are normalised; the checker \
            reports E101 first.",
    },
    DiagnosticCode {
        code: "E302",
        title: "conditions nested too deeply",
        explanation: "\
            `and`, `or` and `not` may be nested to a depth of 1,000. Define the inner conditions \
            by relations of their own.",
    },
    DiagnosticCode {
        code: "E303",
        title: "a term nested too deeply",
        explanation: "\
            Terms with variables may be nested to a depth of 1,000. Ground terms may have any \
            depth.",
    },
    DiagnosticCode {
        code: "E304",
        title: "too many alternatives",
        explanation: "\
            The `or`s of a rule multiply: normalisation makes one rule for each combination of \
            alternatives. Define each `or` by a relation of its own.",
    },
    DiagnosticCode {
        code: "E305",
        title: "a variable without a value",
        explanation: "\
            Every variable of a head, a `not` or a `distinct` must occur in a positive \
            condition. The checker reports E110, E111 or E112 first.",
    },
    DiagnosticCode {
        code: "E306",
        title: "a relation that depends on its own negation",
        explanation: "\
            Such rules are not stratified and have no defined meaning. The checker reports E114 \
            first and shows the cycle.",
    },
    DiagnosticCode {
        code: "E307",
        title: "equations that make a term too large",
        explanation: "\
            `(not (distinct ?x (f ?y ?y)))` replaces `?x` by `(f ?y ?y)`. Each of several such \
            conditions can double the size of a term; use fewer of them.",
    },
    DiagnosticCode {
        code: "W001",
        title: "unnecessary parentheses",
        explanation: "`(terminal)` means the same as `terminal`, and `(noop)` the same as `noop`.",
    },
    DiagnosticCode {
        code: "W002",
        title: "more warnings than are listed",
        explanation: "\
            The other warnings are not listed, to keep the report readable. Correct the first \
            ones and check again.",
    },
    DiagnosticCode {
        code: "W020",
        title: "a fact that is indented like a condition",
        explanation: "\
            In infix notation a new clause starts where no `&` joins it to the clause before. An \
            indented line without `&` is read as a fact. Probably the `&` is missing at the end \
            of the previous line.",
    },
    DiagnosticCode {
        code: "W100",
        title: "more problems than are shown",
        explanation: "\
            Only the first problems are shown, errors before warnings. Many problems often have \
            one cause.",
    },
    DiagnosticCode {
        code: "W101",
        title: "no end",
        explanation: "No clause defines `terminal`, so the game never ends.",
    },
    DiagnosticCode {
        code: "W102",
        title: "no goal values",
        explanation: "No clause defines `goal`, so no role wins or loses.",
    },
    DiagnosticCode {
        code: "W103",
        title: "a role without moves or goal values",
        explanation: "\
            All rules for `legal` (or `goal`) name other roles, so this role can never move (or \
            never gets a goal value).",
    },
    DiagnosticCode {
        code: "W104",
        title: "not a role",
        explanation: "\
            The first argument of `legal`, `does`, `goal`, `input` or `role` is a constant that \
            no `role` fact declares. So the condition never holds, or the clause has no effect. \
            The name may be misspelt.",
    },
    DiagnosticCode {
        code: "W105",
        title: "a role declared twice",
        explanation: "A role counts once, however often it is declared.",
    },
    DiagnosticCode {
        code: "W106",
        title: "the role `random`",
        explanation: "\
            In GDL-II the role `random` chooses its moves at random. The sheet uses nothing else \
            of GDL-II, so it is read as an ordinary game in which `random` is an ordinary player.",
    },
    DiagnosticCode {
        code: "W107",
        title: "a keyword as a constant",
        explanation: "\
            Inside a term a keyword has no special meaning, so its use is misleading. A \
            parenthesis may also be in the wrong place.",
    },
    DiagnosticCode {
        code: "W108",
        title: "`base` or `input` as a condition",
        explanation: "\
            `base` and `input` are optional information for reasoners and may be missing from a \
            sheet, so no rule should depend on them.",
    },
    DiagnosticCode {
        code: "W109",
        title: "`base` or `input` depends on the state or the moves",
        explanation: "\
            `base` and `input` list all facts and moves that are possible in any state, so they \
            must not depend on one.",
    },
    DiagnosticCode {
        code: "W110",
        title: "a relation with several numbers of arguments",
        explanation: "\
            `(p a)` and `(p a b)` use two different relations. One of them is probably a \
            mistake; the rarest is shown first.",
    },
    DiagnosticCode {
        code: "W111",
        title: "a function with several numbers of arguments",
        explanation: "\
            `(f a)` and `(f a b)` are terms that are never equal. One of them is probably a \
            mistake; the rarest is shown first. The same name for a constant and a function is \
            allowed.",
    },
    DiagnosticCode {
        code: "W112",
        title: "a relation that is never defined",
        explanation: "\
            No clause has this relation as its head, so the condition never holds, and its \
            negation always holds. The name may be misspelt.",
    },
    DiagnosticCode {
        code: "W113",
        title: "a relation that is never used",
        explanation: "\
            No rule uses this relation, so it has no effect. Perhaps a rule that should use it \
            is missing.",
    },
    DiagnosticCode {
        code: "W114",
        title: "a fact that can never be true",
        explanation: "\
            No clause for `init` or `next` defines a fact with this name and number of \
            arguments, so the condition never holds. The name may be misspelt.",
    },
    DiagnosticCode {
        code: "W115",
        title: "a move that can never be played",
        explanation: "\
            No clause for `legal` defines a move with this name and number of arguments, so the \
            condition never holds. The name may be misspelt.",
    },
    DiagnosticCode {
        code: "W116",
        title: "the recursion restriction",
        explanation: "\
            If a rule for `p` has a condition that depends on `p`, each argument of that \
            condition must be ground, or an argument of the head, or an argument of a condition \
            that does not depend on `p`. Otherwise the rules may build ever larger terms, and \
            their evaluation may never end.",
    },
    DiagnosticCode {
        code: "W117",
        title: "a goal value out of range",
        explanation: "Goal values are whole numbers from 0 to 100.",
    },
    DiagnosticCode {
        code: "W118",
        title: "names that differ only in case",
        explanation: "\
            Only keywords are case-insensitive. All other names are case-sensitive: `Cell` and \
            `cell` are two names.",
    },
    DiagnosticCode {
        code: "W119",
        title: "variables that differ only in case",
        explanation: "`?X` and `?x` are two variables. In one rule that is rarely intended.",
    },
    DiagnosticCode {
        code: "W120",
        title: "the same clause twice",
        explanation: "\
            A clause equals an earlier one except for the names of its variables. The second one \
            has no effect; perhaps it was copied and not changed.",
    },
    DiagnosticCode {
        code: "W121",
        title: "`goal` or `terminal` depends on the moves through other relations",
        explanation: "\
            `goal` and `terminal` are evaluated in a state, before any move. They are evaluated \
            as if no `does` held. This is not an error because published sheets share relations \
            between them and `next`.",
    },
    DiagnosticCode {
        code: "W122",
        title: "negation in a cycle by name only",
        explanation: "\
            A relation depends on its own negation, but constants separate the clauses: \
            `(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))`. No ground atom depends on its own \
            negation, so the sheet has one meaning (it is locally stratified). GDL requires that \
            no cycle of relations contains a negation (stratification).",
    },
    DiagnosticCode {
        code: "W201",
        title: "the initial state is terminal",
        explanation: "`terminal` holds in the initial state, so no move is ever made.",
    },
    DiagnosticCode {
        code: "W202",
        title: "several goal values before the end",
        explanation: "\
            In a state that is not terminal, a role may have no goal value, but not several. \
            Players that evaluate such states cannot tell which value is meant.",
    },
    DiagnosticCode {
        code: "W203",
        title: "a game that did not end",
        explanation: "\
            Every game must end after finitely many steps. Random playouts reached the limit of \
            steps before the end. Either the game is long, and `--steps` sets another limit, or \
            it can continue for ever. Most sheets prevent that by counting steps and ending at a \
            maximum.",
    },
    DiagnosticCode {
        code: "W204",
        title: "a game whose playouts failed",
        explanation: "\
            The engine exceeded its limit of work or memory while it evaluated the rules. \
            Perhaps they recurse without end.",
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
