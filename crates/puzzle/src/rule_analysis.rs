//! What the rules tell before anything is searched: the best goal they can give, and the parts that
//! a puzzle falls into.
//!
//! Fluents whose next values look at each other are in one part. A part that looks at no move runs
//! by itself, as a counter of steps does. Positions that differ in such parts only are the same
//! place at different times.

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

/// Grounding that makes more rules than this is left alone: a puzzle that large is not taken apart.
const MAX_INSTANCES: u64 = 400_000;
/// A clock for grounding that only sheets beyond all measure need; the bounds above come first.
const MAX_GROUND_TIME: Duration = Duration::from_secs(5);
/// The most bytes for who depends on what.
const MAX_SUPPORT_BYTES: usize = 128 << 20;

/// What is known about a puzzle from its rules.
#[derive(Clone, Debug)]
pub(crate) struct RuleAnalysis {
    /// No line gives more than this.
    pub(crate) ceiling: u8,
    /// Whether that was read in the rules; otherwise it is what the language allows.
    pub(crate) is_ceiling_derived: bool,
    /// The parts, if the rules could be grounded.
    pub(crate) factors: Option<Factorization>,
}

impl Default for RuleAnalysis {
    fn default() -> Self {
        Self {
            ceiling: 100,
            is_ceiling_derived: false,
            factors: None,
        }
    }
}

/// The parts of a puzzle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factorization {
    /// The part of each fluent, by its text.
    pub(crate) by_fluent: FxHashMap<Box<str>, usize>,
    pub(crate) all: Vec<Factor>,
    /// Whether the same moves are legal in all positions.
    pub(crate) has_constant_moves: bool,
}

/// A part: fluents that look at no fluent outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Whether it runs by itself, whatever is played.
    pub(crate) is_autonomous: bool,
    /// Fluents that must hold, or must not, where the best goal is reached.
    pub(crate) required: Vec<(Box<str>, bool)>,
}

impl Factor {
    /// Whether something is wanted of it that moves bring about. What is wanted of a counter comes
    /// with time.
    pub(crate) fn is_relevant(&self) -> bool {
        !self.is_autonomous && !self.required.is_empty()
    }

    /// Whether it is as wanted where some facts hold.
    pub(crate) fn meets_requirements(&self, facts: &[String]) -> bool {
        let holds = |fact: &str| facts.iter().any(|other| other == fact);
        let mut required = self.required.iter();
        required.all(|(fact, required)| holds(fact) == *required)
    }
}

impl RuleAnalysis {
    /// Reads the rules, unless a flag is set on the way.
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
            // An engine with a larger budget may have made it.
            Ok(program) if program.stats.instances <= MAX_INSTANCES => {
                Self::from_program(&program, &is_cancelled)
            }
            // Nobody wants it any more.
            Err(_) if is_cancelled() => Self::default(),
            _ => Self::from_domains(game.rules()),
        }
    }

    /// Reads a ground program, as long as somebody wants that.
    fn from_program(program: &GroundProgram, is_cancelled: &dyn Fn() -> bool) -> Self {
        // The values that the rules can derive at all, the highest first, each with what it takes.
        let mut values: BTreeMap<u8, AtomId> = BTreeMap::new();
        for goal in program.goals.iter().filter(|goal| goal.role == ROLE) {
            if let Some(value) = goal.value.and_then(|value| u8::try_from(value).ok()) {
                values.insert(value.min(100), goal.atom);
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
            // The sheet never gives anything.
            None => Self {
                ceiling: 0,
                is_ceiling_derived: true,
                factors: None,
            },
        }
    }

    /// The best value that the domain of goals has, for sheets that cannot be grounded.
    fn from_domains(rules: &Rules) -> Self {
        let domains = Domains::new(rules);
        let place = domains.argument(rules.keywords.goal, 1);
        let names = domains.constants(place);
        let values = names.filter_map(|name| rules.terms.symbols.name(name).parse::<u8>().ok());
        match values.map(|value| value.min(100)).max() {
            Some(ceiling) => Self {
                ceiling,
                is_ceiling_derived: true,
                factors: None,
            },
            None => Self::default(),
        }
    }
}

/// For each atom the fluents that it depends on, and whether it depends on what is played.
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
    /// Whether all pieces are as wanted where some facts hold.
    pub(crate) fn all_requirements_met(&self, facts: &[String]) -> bool {
        let mut pieces = self.all.iter().filter(|factor| factor.is_relevant());
        pieces.all(|factor| factor.meets_requirements(facts))
    }

    /// Takes a program apart; `needed` are the fluents that the best goal needs.
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

    /// Whether anything runs by itself.
    pub(crate) fn has_autonomous_factor(&self) -> bool {
        self.all.iter().any(|factor| factor.is_autonomous)
    }

    /// The part of a fact.
    pub(crate) fn factor_of(&self, fact: &str) -> Option<usize> {
        self.by_fluent.get(fact).copied()
    }
}

/// The leader of a set, with the way to it made shorter.
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

    const LAMPS: &str = "(role r) (init (on a)) (init (on b)) (init (step 1)) (succ 1 2) (succ 2 3) (lamp a) (lamp b)
        (<= (legal r (press ?x)) (lamp ?x))
        (<= (next (on ?x)) (true (on ?x)) (not (does r (press ?x))))
        (<= (next (on ?x)) (does r (press ?x)) (not (true (on ?x))))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= lit (true (on ?x)))
        (<= terminal (true (step 3)))
        (<= (goal r 80) (not lit)) (<= (goal r 20) lit)";

    fn analysis(text: &str) -> RuleAnalysis {
        let rules = Arc::new(Rules::from_text(text).unwrap());
        RuleAnalysis::run(&CompiledGame::new(rules), None)
    }

    #[test]
    fn reading_ends_when_nobody_wants_it_any_more() {
        let rules = Arc::new(Rules::from_text(LAMPS).unwrap());
        let program = CompiledGame::new(rules)
            .program(&CompileLimits::default())
            .unwrap();
        // Before the first goal, and before the parts.
        for most in 0..2 {
            let polls = std::cell::Cell::new(0);
            let is_cancelled = || polls.replace(polls.get() + 1) >= most;
            let analysis = RuleAnalysis::from_program(&program, &is_cancelled);
            assert!(
                !analysis.is_ceiling_derived && analysis.factors.is_none(),
                "{most}"
            );
        }
        assert!(
            RuleAnalysis::from_program(&program, &|| false)
                .factors
                .is_some()
        );
    }

    #[test]
    fn the_ceiling_is_the_best_goal_that_the_rules_can_give() {
        let lamps = analysis(LAMPS);
        assert_eq!((lamps.ceiling, lamps.is_ceiling_derived), (80, true));
        // 100 takes a fact that never holds.
        let less = format!("{LAMPS} (<= (goal r 100) (true (on c)))");
        assert_eq!(analysis(&less).ceiling, 80);
        let contradiction = format!("{LAMPS} (<= (goal r 100) (true (on a)) (not lit))");
        assert_eq!(analysis(&contradiction).ceiling, 80);
    }

    #[test]
    fn the_domain_of_goals_tells_where_there_is_no_ground_program() {
        let rules = Rules::from_text(LAMPS).unwrap();
        assert_eq!(RuleAnalysis::from_domains(&rules).ceiling, 80);
    }

    #[test]
    fn lamps_are_parts_of_their_own_and_the_counter_runs_alone() {
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
    fn fluents_that_look_at_each_other_are_one_part() {
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
