//! Necessary conditions of a goal: fluents that hold, or do not hold, in every terminal state with
//! that goal. Found by unit propagation over the completion of the ground program (Clark 1978).

use ludorum_ground::program::{AtomId, GroundLiteral, GroundProgram};

/// Work limit in literals. What was derived until then remains valid.
const MAX_WORK: usize = 20_000_000;

/// The value of an atom, if it is known.
type TruthValue = Option<bool>;

/// The fluents with a known value in all terminal states where an atom holds. `None` if it holds in
/// no terminal state.
///
/// An atom that holds needs one of its rules; if all but one are false, all conditions of that one
/// hold. An atom that does not hold needs a false condition in each of its rules; if all but one
/// condition are known to hold, the last one is false. This is repeated until nothing changes.
pub(crate) fn goal_requirements(
    program: &GroundProgram,
    atom: AtomId,
) -> Option<Vec<(AtomId, bool)>> {
    let mut propagation = Propagation {
        program,
        known: vec![None; program.atom_count()],
        derived: Vec::new(),
        changed: true,
    };
    propagation.assign(atom, true)?;
    if let Some(terminal) = program.terminal {
        propagation.assign(terminal, true)?;
    }
    let mut work = 0;
    while std::mem::take(&mut propagation.changed) && work < MAX_WORK {
        let mut i = 0;
        while i < propagation.derived.len() && work < MAX_WORK {
            let atom = propagation.derived[i];
            work += propagation.propagate(atom)?;
            i += 1;
        }
    }
    let fluents = 0..program.fluents.len();
    let found = fluents.filter_map(|i| Some((i as AtomId, propagation.known[i]?)));
    Some(found.collect())
}

/// The state of the unit propagation.
struct Propagation<'a> {
    program: &'a GroundProgram,
    known: Vec<TruthValue>,
    /// Atoms that have rules and a known value.
    derived: Vec<AtomId>,
    /// Whether a value was set in this round.
    changed: bool,
}

impl Propagation<'_> {
    /// Sets the value of an atom. `None` on a contradiction.
    fn assign(&mut self, atom: AtomId, holds: bool) -> Option<()> {
        match self.known[atom as usize] {
            Some(known) => return (known == holds).then_some(()),
            None => self.known[atom as usize] = Some(holds),
        }
        self.changed = true;
        if !self.program.rules_of(atom).is_empty() {
            self.derived.push(atom);
        } else if holds && !self.is_input(atom) {
            // No rule derives it.
            return None;
        }
        Some(())
    }

    fn is_input(&self, atom: AtomId) -> bool {
        use ludorum_ground::program::AtomKind;
        matches!(
            self.program.relation_of(atom).kind,
            AtomKind::True | AtomKind::Does
        )
    }

    /// The value of a condition, if it is known.
    fn value(&self, literal: GroundLiteral) -> TruthValue {
        Some(self.known[literal.atom() as usize]? != literal.is_negated())
    }

    /// Propagates from an atom. Returns the number of literals visited, or `None` on a
    /// contradiction.
    fn propagate(&mut self, atom: AtomId) -> Option<usize> {
        let program = self.program;
        let mut work = 0;
        if self.known[atom as usize] == Some(true) {
            let mut possible = None;
            let mut count = 0;
            for rule in program.rules_of(atom) {
                let body = program.body(rule);
                work += body.len() + 1;
                if body
                    .iter()
                    .all(|literal| self.value(*literal) != Some(false))
                {
                    possible = Some(rule);
                    count += 1;
                    if count > 1 {
                        break;
                    }
                }
            }
            let rule = possible?;
            if count == 1 {
                for literal in program.body(rule) {
                    self.assign(literal.atom(), !literal.is_negated())?;
                }
            }
            return Some(work);
        }
        for rule in program.rules_of(atom) {
            let body = program.body(rule);
            work += body.len() + 1;
            if body
                .iter()
                .any(|literal| self.value(*literal) == Some(false))
            {
                continue;
            }
            let mut unknown = body
                .iter()
                .filter(|literal| self.value(**literal).is_none());
            match (unknown.next().copied(), unknown.next()) {
                // All conditions hold, so the atom would hold.
                (None, _) => return None,
                (Some(literal), None) => self.assign(literal.atom(), literal.is_negated())?,
                _ => {}
            }
        }
        Some(work)
    }
}

#[cfg(test)]
mod tests {
    use ludorum_ground::{GroundBudget, ground};
    use ludorum_logic::Rules;

    use super::*;

    fn needed(goal_rules: &str) -> Option<Vec<String>> {
        let text = format!(
            "(role r) (init (p 1)) (init (p 2)) (init (p 3)) (legal r go) (legal r stay)
             (<= (next (p 1)) (does r go)) (<= (next (p 2)) (does r go))
             (<= (next (p 3)) (does r stay))
             (<= terminal (true (p 1))) {goal_rules}"
        );
        let program = ground(
            &Rules::from_text(&text).unwrap(),
            &GroundBudget::default(),
            &mut |_| {},
        )
        .unwrap();
        let goal = program
            .goals
            .iter()
            .find(|goal| goal.value == Some(100))
            .unwrap();
        let found = goal_requirements(&program, goal.atom)?;
        let text = |(atom, holds): (AtomId, bool)| {
            let text = program.terms.text(program.fluents[atom as usize].term);
            format!("{}{text}", if holds { "" } else { "not " })
        };
        let mut texts: Vec<String> = found.into_iter().map(text).collect();
        texts.sort();
        Some(texts)
    }

    #[test]
    fn requirements_pass_through_rules_and_negation() {
        let rules = "(<= (goal r 100) good (not bad)) (<= good (true (p 2)))
            (<= bad (true (p 3)))";
        assert_eq!(needed(rules).unwrap(), ["(p 1)", "(p 2)", "not (p 3)"]);
    }

    #[test]
    fn alternative_rules_require_nothing_unless_one_is_false() {
        let derived = "(<= (goal r 100) good) (<= good (true (p 2))) (<= good (true (p 3)))";
        assert_eq!(needed(derived).unwrap(), ["(p 1)"]);
        let closed = format!(
            "{} (not (true (p 3))))",
            "(<= good (true (p 2))) (<= good (true (p 3))) (<= (goal r 100) good"
        );
        assert_eq!(needed(&closed).unwrap(), ["(p 1)", "(p 2)", "not (p 3)"]);
    }

    #[test]
    fn a_contradictory_goal_is_unreachable() {
        let rules = "(<= (goal r 100) good (not (true (p 2)))) (<= good (true (p 2)) (true (p 3)))";
        assert_eq!(needed(rules), None);
    }
}
