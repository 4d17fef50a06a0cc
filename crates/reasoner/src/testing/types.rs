//! The types that the terms of random sheets have behind the scenes, and which variables are of
//! which.

/// The type of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// A constant.
    Item,
    /// `(s item)`.
    Box,
    /// `(pair item box)`.
    Pair,
    /// One name in all its roles: `a`, `(a item)` and `(a item item)`.
    Clash,
    /// `z`, `(s z)` and `(s (s z))`: places where a term stands beside its own part, so that
    /// nothing but the facts bounds how deep terms nest.
    Tower,
    /// Anything whole: a fluent, a move, or a term that is neither. Only relations have such
    /// arguments, and variables for them stand alone in `true`, `does`, `next` and `legal`.
    Whole,
}

impl Type {
    /// How the names of variables of the type begin.
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

/// All towers there are.
pub(super) const TOWERS: [&str; 3] = ["z", "(s z)", "(s (s z))"];

/// Towers grow by a rule that only facts hold back.
pub(super) const TOWER_RULES: &str = "(low z)
(<= (up (s ?w0) (s ?w1)) (up ?w0 ?w1) (low ?w0) (low ?w1))
";

/// What a term may be made of at a place of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A positive condition: new variables are welcome.
    Condition,
    /// A test of what is known: any pattern over known variables.
    Test,
    /// A conclusion: nothing that could be deeper than what is known.
    Conclusion,
}

/// The typed variables that occur in some conditions.
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
