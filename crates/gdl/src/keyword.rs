//! The reserved words of GDL.

/// The game relations of GDL (Love et al. 2008). They are case-insensitive and stored in lower
/// case.
pub const RELATIONS: [&str; 10] = [
    "base", "does", "goal", "init", "input", "legal", "next", "role", "terminal", "true",
];

/// The connectives, case-insensitive where a formula is expected.
pub const CONNECTIVES: [&str; 4] = ["and", "distinct", "not", "or"];

/// The required arity of a keyword.
pub fn arity(keyword: &str) -> Option<usize> {
    match keyword {
        "terminal" => Some(0),
        "role" | "init" | "true" | "next" | "base" => Some(1),
        "does" | "legal" | "goal" | "input" | "distinct" => Some(2),
        _ => None,
    }
}

/// The lower-case form of a keyword relation, `None` for other words.
pub fn relation(word: &str) -> Option<&'static str> {
    RELATIONS
        .into_iter()
        .find(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The lower-case form of a connective, `None` for other words.
pub fn connective(word: &str) -> Option<&'static str> {
    CONNECTIVES
        .into_iter()
        .find(|keyword| keyword.eq_ignore_ascii_case(word))
}
