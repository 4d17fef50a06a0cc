//! The types of the terms in random rule sheets. Types are an invariant of the generator; GDL has
//! none. The name of a variable determines its type.

/// The type of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// A constant.
    Item,
    /// `(s item)`.
    Box,
    /// `(pair item box)`.
    Pair,
    /// The same name as a constant and with two arities: `a`, `(a item)` and `(a item item)`.
    Clash,
    /// `z`, `(s z)` and `(s (s z))`. A rule may relate a term to its own subterm, so that only the
    /// facts bound the nesting.
    Tower,
    /// A whole fluent, a whole move, or a term that is neither. Only relations have such arguments.
    /// Variables of this type are the whole argument of `true`, `does`, `next` and `legal`.
    Whole,
}

impl Type {
    /// The prefix of the names of variables of this type.
    pub(super) fn variable(self) -> &'static str {
        match self {
            Self::Item => "?x",
            Self::Box => "?y",
            Self::Pair => "?z",
            Self::Clash => "?v",
            Self::Tower => "?w",
            Self::Whole => "?u",
        }
    }

    fn of(variable: &str) -> Option<Self> {
        let all = [
            Self::Item,
            Self::Box,
            Self::Pair,
            Self::Clash,
            Self::Tower,
            Self::Whole,
        ];
        let start = variable.get(..2)?;
        all.into_iter().find(|of| of.variable() == start)
    }
}

/// The constants.
pub(super) const ITEMS: [&str; 4] = ["a", "b", "c", "d"];

/// All terms of the type `Tower`.
pub(super) const TOWERS: [&str; 3] = ["z", "(s z)", "(s (s z))"];

/// A rule that builds towers, bounded only by facts.
pub(super) const TOWER_RULES: &str = "(low z)
(<= (up (s ?w0) (s ?w1)) (up ?w0 ?w1) (low ?w0) (low ?w1))
";

/// Which variables and subterms are allowed in a part of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A positive condition: new variables are allowed.
    Condition,
    /// A test: any pattern over bound variables.
    Test,
    /// A head: no term that nests deeper than the bound ones.
    Conclusion,
}

/// The variables in some conditions, with their types.
pub(super) fn variables_of(body: &[String]) -> Vec<(String, Type)> {
    let mut found = Vec::new();
    for word in body
        .iter()
        .flat_map(|condition| condition.split([' ', '(', ')']))
    {
        if let Some(of) = Type::of(word)
            && !found.iter().any(|(name, _)| name == word)
        {
            found.push((word.to_owned(), of));
        }
    }
    found
}
