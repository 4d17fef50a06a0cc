//! Analysis of the rules before the search: the highest goal value, and the independent factors of
//! a puzzle.
//!
//! Fluents whose next values depend on each other belong to one factor (a connected component of
//! the dependency graph). A factor that does not depend on moves is autonomous, like a step
//! counter. Positions that differ only in autonomous factors are the same position at different
//! times.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ludorum_ground::GroundBudget;
use ludorum_ground::program::{AtomId, GroundProgram};
use ludorum_logic::{Domains, Rules};
use ludorum_propnet::{CompileLimits, CompiledGame};
use rustc_hash::FxHashMap;

use crate::goal_requirements::goal_requirements;

/// The index of the only role of a puzzle.
pub(crate) const ROLE: usize = 0;

/// Ground programs with more rule instances are not factorized.
const MAX_INSTANCES: u64 = 400_000;
/// Time limit of grounding. Only extreme rules reach it; the other limits apply first.
const MAX_GROUND_TIME: Duration = Duration::from_secs(5);
/// Maximal bytes of the dependency table.
const MAX_SUPPORT_BYTES: usize = 128 << 20;

/// What the rules say about a puzzle.
#[derive(Clone, Debug)]
pub(crate) struct PuzzleAnalysis {
    /// The highest goal value: no line gives more.
    pub(crate) ceiling: u8,
    /// Whether it was derived from the rules. Otherwise it is the maximum of GDL.
    pub(crate) is_ceiling_derived: bool,
    /// The factors, if the rules could be grounded.
    pub(crate) factors: Option<Factorization>,
}

impl Default for PuzzleAnalysis {
    fn default() -> Self {
        Self {
            ceiling: 100,
            is_ceiling_derived: false,
            factors: None,
        }
    }
}

/// The factors of a puzzle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factorization {
    /// The factor of each fluent, by the fluent's text.
    pub(crate) by_fluent: FxHashMap<Box<str>, usize>,
    pub(crate) all: Vec<Factor>,
    /// Whether the same moves are legal in all positions.
    pub(crate) has_constant_moves: bool,
}

/// A factor: a set of fluents that depend on no fluent outside the set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Whether its changes are independent of the moves.
    pub(crate) is_autonomous: bool,
    /// Fluents that must hold, or must not hold, where the best goal is reached.
    pub(crate) required: Vec<(Box<str>, bool)>,
}

impl Factor {
    /// Whether it has requirements that moves can meet. Those of an autonomous factor are met by
    /// waiting.
    pub(crate) fn is_relevant(&self) -> bool {
        !self.is_autonomous && !self.required.is_empty()
    }

    /// Whether a list of facts meets its requirements.
    pub(crate) fn meets_requirements(&self, facts: &[String]) -> bool {
        let holds = |fact: &str| facts.iter().any(|other| other == fact);
        let mut required = self.required.iter();
        required.all(|(fact, required)| holds(fact) == *required)
    }
}

impl PuzzleAnalysis {
    /// Analyses the rules; returns an empty analysis if the flag is set meanwhile.
    pub(crate) fn run(game: &CompiledGame, cancel: Option<&Arc<AtomicBool>>) -> Self {
        let limits = CompileLimits {
            ground: GroundBudget {
                max_instances: MAX_INSTANCES,
                max_memory: 256 << 20,
                max_time: MAX_GROUND_TIME,
                ..GroundBudget::default()
            },
            cancel: cancel.cloned(),
            ..CompileLimits::default()
        };
        let is_cancelled = || cancel.is_some_and(|cancel| cancel.load(Ordering::Acquire));
        match game.program(&limits) {
            // An engine with a larger budget may have grounded the rules before.
            Ok(program) if program.stats.instances <= MAX_INSTANCES => {
                Self::from_program(&program, &is_cancelled)
            }
            // The search was dropped.
            Err(_) if is_cancelled() => Self::default(),
            _ => Self::from_domains(game.rules()),
        }
    }

    /// Analyses a ground program until `is_cancelled` holds.
    fn from_program(program: &GroundProgram, is_cancelled: &dyn Fn() -> bool) -> Self {
        // The goal values that the rules can derive, the highest first, each with its requirements.
        let mut values: BTreeMap<u8, AtomId> = BTreeMap::new();
        for goal in program.goals.iter().filter(|goal| goal.role == ROLE) {
            if let Some(value) = goal.value.and_then(|value| u8::try_from(value).ok()) {
                values.insert(value, goal.atom);
            }
        }
        let reachable = values.iter().rev().take_while(|_| !is_cancelled());
        let mut reachable = reachable
            .filter_map(|(value, atom)| Some((*value, goal_requirements(program, *atom)?)));
        let highest = reachable.next();
        if is_cancelled() {
            return Self::default();
        }
        match highest {
            Some((ceiling, needed)) => Self {
                ceiling,
                is_ceiling_derived: true,
                factors: Factorization::new(program, &needed),
            },
            // The rules derive no goal value.
            None => Self {
                ceiling: 0,
                is_ceiling_derived: true,
                factors: None,
            },
        }
    }

    /// The highest value in the domain of goals, for rules that cannot be grounded.
    fn from_domains(rules: &Rules) -> Self {
        let domains = Domains::new(rules);
        let place = domains.argument(rules.keywords.goal, 1);
        let names = domains.constants(place);
        let values = names.filter_map(|name| rules.terms.symbols.name(name).parse::<u8>().ok());
        match values.max() {
            Some(ceiling) => Self {
                ceiling,
                is_ceiling_derived: true,
                factors: None,
            },
            None => Self::default(),
        }
    }
}

/// For each atom the fluents that it depends on, and whether it depends on moves, as bit sets.
struct FluentSupport {
    words: usize,
    bits: Vec<u64>,
    fluents: usize,
}

impl FluentSupport {
    fn new(program: &GroundProgram) -> Option<Self> {
        let fluents = program.fluents.len();
        let words = (fluents + 1).div_ceil(64);
        let atoms = program.atom_count();
        if atoms.saturating_mul(words) > MAX_SUPPORT_BYTES / 8 {
            return None;
        }
        let mut support = Self {
            words,
            bits: vec![0; atoms * words],
            fluents,
        };
        for fluent in 0..fluents {
            support.add(fluent, fluent);
        }
        for played in program.moves.iter().flatten() {
            support.add(played.does as usize, fluents);
        }
        let mut all = vec![0; words];
        for component in program.components() {
            all.fill(0);
            for atom in component.atoms {
                for literal in program.bodies_of(*atom).flatten() {
                    let from = literal.atom() as usize * words;
                    let from = &support.bits[from..from + words];
                    all.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
                }
            }
            for atom in component.atoms {
                let at = *atom as usize * words;
                support.bits[at..at + words].copy_from_slice(&all);
            }
        }
        Some(support)
    }

    fn add(&mut self, atom: usize, bit: usize) {
        self.bits[atom * self.words + bit / 64] |= 1 << (bit % 64);
    }

    fn has(&self, atom: AtomId, bit: usize) -> bool {
        self.bits[atom as usize * self.words + bit / 64] >> (bit % 64) & 1 == 1
    }

    fn depends_on_moves(&self, atom: AtomId) -> bool {
        self.has(atom, self.fluents)
    }

    fn fluents_of(&self, atom: AtomId) -> impl Iterator<Item = usize> + '_ {
        (0..self.fluents).filter(move |fluent| self.has(atom, *fluent))
    }
}

impl Factorization {
    /// Whether a list of facts meets the requirements of all relevant factors.
    pub(crate) fn all_requirements_met(&self, facts: &[String]) -> bool {
        let mut pieces = self.all.iter().filter(|factor| factor.is_relevant());
        pieces.all(|factor| factor.meets_requirements(facts))
    }

    /// Factorizes a program; `needed` are the requirements of the best goal.
    fn new(program: &GroundProgram, needed: &[(AtomId, bool)]) -> Option<Self> {
        let support = FluentSupport::new(program)?;
        let count = program.fluents.len();
        let mut parent: Vec<usize> = (0..count).collect();
        for (i, fluent) in program.fluents.iter().enumerate() {
            let Some(next) = fluent.next else { continue };
            for other in support.fluents_of(next) {
                let (a, b) = (find_root(&mut parent, i), find_root(&mut parent, other));
                parent[a.max(b)] = a.min(b);
            }
        }
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut result = Self::default();
        let mut factor_of = Vec::with_capacity(count);
        for (i, fluent) in program.fluents.iter().enumerate() {
            let parent = find_root(&mut parent, i);
            let number = *numbers.entry(parent).or_insert_with(|| {
                result.all.push(Factor {
                    is_autonomous: true,
                    required: Vec::new(),
                });
                result.all.len() - 1
            });
            if fluent
                .next
                .is_some_and(|next| support.depends_on_moves(next))
            {
                result.all[number].is_autonomous = false;
            }
            factor_of.push(number);
            result
                .by_fluent
                .insert(program.terms.text(fluent.term).into(), number);
        }
        for (atom, holds) in needed {
            if let Some(fluent) = program.fluents.get(*atom as usize) {
                let factor = &mut result.all[factor_of[*atom as usize]];
                let text = program.terms.text(fluent.term);
                factor.required.push((text.into(), *holds));
            }
        }
        let moves = program.moves.get(ROLE)?;
        let is_free = |atom: AtomId| {
            let from = atom as usize * support.words;
            support.bits[from..from + support.words]
                .iter()
                .all(|word| *word == 0)
        };
        result.has_constant_moves = moves.iter().all(|m| is_free(m.legal));
        Some(result)
    }

    /// Whether any factor is autonomous.
    pub(crate) fn has_autonomous_factor(&self) -> bool {
        self.all.iter().any(|factor| factor.is_autonomous)
    }

    /// The factor of a fact.
    pub(crate) fn factor_of(&self, fact: &str) -> Option<usize> {
        self.by_fluent.get(fact).copied()
    }
}

/// The representative of a set (union-find with path halving, Tarjan and van Leeuwen 1984).
fn find_root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAMPS: &str = "(role r) (init (on a)) (init (on b)) (init (step 1)) (succ 1 2) (succ 2 3)
        (lamp a) (lamp b)
        (<= (legal r (press ?x)) (lamp ?x))
        (<= (next (on ?x)) (true (on ?x)) (not (does r (press ?x))))
        (<= (next (on ?x)) (does r (press ?x)) (not (true (on ?x))))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= lit (true (on ?x)))
        (<= terminal (true (step 3)))
        (<= (goal r 80) (not lit)) (<= (goal r 20) lit)";

    fn analysis(text: &str) -> PuzzleAnalysis {
        let rules = Arc::new(Rules::from_text(text).unwrap());
        PuzzleAnalysis::run(&CompiledGame::new(rules), None)
    }

    #[test]
    fn a_cancelled_analysis_is_empty() {
        let rules = Arc::new(Rules::from_text(LAMPS).unwrap());
        let program = CompiledGame::new(rules)
            .program(&CompileLimits::default())
            .unwrap();
        // Cancelled before the first goal, and before the factorization.
        for most in 0..2 {
            let polls = std::cell::Cell::new(0);
            let is_cancelled = || polls.replace(polls.get() + 1) >= most;
            let analysis = PuzzleAnalysis::from_program(&program, &is_cancelled);
            assert!(
                !analysis.is_ceiling_derived && analysis.factors.is_none(),
                "{most}"
            );
        }
        assert!(
            PuzzleAnalysis::from_program(&program, &|| false)
                .factors
                .is_some()
        );
    }

    #[test]
    fn the_ceiling_is_the_highest_reachable_goal_value() {
        let lamps = analysis(LAMPS);
        assert_eq!((lamps.ceiling, lamps.is_ceiling_derived), (80, true));
        // 100 needs a fact that never holds.
        let less = format!("{LAMPS} (<= (goal r 100) (true (on c)))");
        assert_eq!(analysis(&less).ceiling, 80);
        let contradiction = format!("{LAMPS} (<= (goal r 100) (true (on a)) (not lit))");
        assert_eq!(analysis(&contradiction).ceiling, 80);
        // GDL ends at 100, engines at 255.
        let more = format!("{LAMPS} (<= (goal r 120) (not lit) (true (step 3)))");
        assert_eq!(analysis(&more).ceiling, 120);
        let rules = Rules::from_text(&more).unwrap();
        assert_eq!(PuzzleAnalysis::from_domains(&rules).ceiling, 120);
        let too_much = format!("{LAMPS} (<= (goal r 300) (not lit))");
        assert_eq!(analysis(&too_much).ceiling, 80);
    }

    #[test]
    fn without_a_ground_program_the_ceiling_comes_from_the_domain_of_goals() {
        let rules = Rules::from_text(LAMPS).unwrap();
        assert_eq!(PuzzleAnalysis::from_domains(&rules).ceiling, 80);
    }

    #[test]
    fn every_lamp_is_a_factor_and_the_counter_is_autonomous() {
        let factors = analysis(LAMPS).factors.unwrap();
        let (a, b) = (
            factors.factor_of("(on a)").unwrap(),
            factors.factor_of("(on b)").unwrap(),
        );
        let steps = factors.factor_of("(step 1)").unwrap();
        assert_eq!(factors.factor_of("(step 3)"), Some(steps));
        assert!(a != b && a != steps && b != steps);
        assert!(factors.all[steps].is_autonomous && !factors.all[a].is_autonomous);
        assert!(factors.has_autonomous_factor() && factors.has_constant_moves);
        assert_eq!(factors.all[a].required, [("(on a)".into(), false)]);
    }

    #[test]
    fn mutually_dependent_fluents_are_one_factor() {
        let swap = "(role r) (init (left 1)) (init (right 0)) (legal r swap) (legal r wait)
            (<= (next (left ?x)) (does r swap) (true (right ?x)))
            (<= (next (right ?x)) (does r swap) (true (left ?x)))
            (<= (next (left ?x)) (does r wait) (true (left ?x)))
            (<= (next (right ?x)) (does r wait) (true (right ?x)))
            (<= terminal (true (right 1))) (<= (goal r 100) (true (right 1)))";
        let factors = analysis(swap).factors.unwrap();
        assert_eq!(
            factors.factor_of("(left 1)"),
            factors.factor_of("(right 1)")
        );
        assert!(!factors.has_autonomous_factor());
    }
}
