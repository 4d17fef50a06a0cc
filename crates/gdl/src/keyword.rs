//! The reserved words of GDL.

/// The relations with a meaning of their own. They are read in any case and kept in lower case.
pub const RELATIONS: [&str; 10] = [
    "base", "does", "goal", "init", "input", "legal", "next", "role", "terminal", "true",
];

/// The connectives, recognised in any case where a formula may stand.
pub const CONNECTIVES: [&str; 4] = ["and", "distinct", "not", "or"];

/// The arity that a keyword relation must have.
pub fn arity(keyword: &str) -> Option<usize> {
    match keyword {
        "terminal" => Some(0),
        "role" | "init" | "true" | "next" | "base" => Some(1),
        "does" | "legal" | "goal" | "input" | "distinct" => Some(2),
        _ => None,
    }
}

/// The lower-case form when `word` is a keyword relation in any case, `None` otherwise.
pub fn relation(word: &str) -> Option<&'static str> {
    RELATIONS
        .into_iter()
        .find(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The lower-case form when `word` is a connective in any case, `None` otherwise.
pub fn connective(word: &str) -> Option<&'static str> {
    CONNECTIVES
        .into_iter()
        .find(|keyword| keyword.eq_ignore_ascii_case(word))
}
