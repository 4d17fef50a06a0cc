//! The staged rules, put together from the parts.

use std::sync::Arc;

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use ludorum_logic::domain::DomainId;
use ludorum_logic::rule::{Pattern, Variable};
use ludorum_logic::{Domains, Rules, TermId};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::asks::{Asked, replace_questions};
use crate::assumptions::Assumptions;
use crate::candidate::{Binder, CandidateAtom};
use crate::determined::Determined;
use crate::error::NotApplicable;
use crate::groups::{Group, JoinCounts, count_joins};
use crate::leaves::{
    Sizes, certain_conditions, early_conditions, on_prefix, state_conditions, unbound,
};
use crate::moves::{
    MoveKind, MoveRule, MoveRules, Tables, fill_in_roles, move_rules, split_arguments,
};
use crate::options::{StageOptions, TurnStages};
use crate::program::{Atom, Clause, Literal, Program};
use crate::staged::{
    ArgumentGroup, ArgumentSource, DeterminedArgument, MoveClass, StageOfRole, StagedGame,
};
use crate::turns::Turns;
use crate::unify::substitute;

/// A kind of move while the rules are put together.
#[allow(clippy::struct_field_names)] // `kind` is the key of the kind
struct Kind {
    kind: MoveKind,
    split: Vec<usize>,
    /// The arguments that are drawn first, without the split ones.
    prefix: Vec<usize>,
    suffix: Vec<usize>,
    /// Split arguments that the state determines. They are not in `split`.
    determined: Vec<Determined>,
    /// Groups of the split arguments, of the prefix and of the suffix, by number.
    groups: Vec<usize>,
    /// The proposition that the role plays a move of this kind.
    chosen: Atom,
    /// The fluent that the candidate is of this kind.
    chosen_fluent: Pattern,
    rules: Vec<MoveRule>,
}

/// Rules for moves of a kind with equal split arguments.
struct Class {
    kind: usize,
    constants: Vec<Pattern>,
    rules: Vec<MoveRule>,
    prefix: Symbol,
    suffix: Option<Symbol>,
    leaf: Symbol,
    tried: Symbol,
}

/// A move that a clause asks for: the kind, by number, and the arguments.
type Played = (usize, Vec<Pattern>);

struct Assembler<'r> {
    rules: &'r Rules,
    domains: Domains,
    options: StageOptions,
    program: Program,
    tables: Tables,
    kinds: Vec<Kind>,
    classes: Vec<Class>,
    groups: Vec<Group>,
    turns: Option<Turns>,
    asked: Asked,
    can: FxHashMap<MoveKind, Atom>,
    /// Propositions for conditions of leaves that do not concern the move.
    state_conditions: FxHashMap<Vec<Literal>, Atom>,
}

/// Rewrites rules so that moves are drawn in stages.
pub fn stage(rules: &Rules, options: StageOptions) -> Result<StagedGame, NotApplicable> {
    let mut program = Program::new(rules);
    name_negated_moves(&mut program);
    let domains = Domains::new(rules);
    expand_fluents(&mut program, rules, &domains);
    check_fluents(&program)?;
    let tables = Tables::new(&program);
    let mut moves = move_rules(&mut program, &tables)?;
    let turns = match options.turns {
        TurnStages::Ignored => None,
        TurnStages::Separate | TurnStages::Shared => Turns::find(&mut program, &mut moves),
    };
    // A move that is also played without a choice belongs to its role.
    let is_mixed = turns.as_ref().is_some_and(|turns| {
        turns
            .passive
            .iter()
            .any(|kind| moves.get(kind).is_some_and(|rules| !rules.is_empty()))
    });
    let options = StageOptions {
        turns: if is_mixed && options.turns == TurnStages::Shared {
            TurnStages::Separate
        } else {
            options.turns
        },
        ..options
    };
    let mut can = FxHashMap::default();
    for kind in moves.keys() {
        let text = kind_text(&program, "can", kind);
        let name = program.name(&text);
        can.insert(
            *kind,
            Atom {
                name,
                args: Vec::new(),
            },
        );
    }
    let sizes = Sizes::new(rules, &domains, &program);
    let passive = turns.as_ref().map_or(&[][..], |turns| &turns.passive);
    let asked = replace_questions(&mut program, &moves, &can, passive)?;
    let mut assembler = Assembler {
        rules,
        domains,
        options,
        program,
        tables,
        kinds: Vec::new(),
        classes: Vec::new(),
        groups: Vec::new(),
        turns,
        asked,
        can,
        state_conditions: FxHashMap::default(),
    };
    if assembler.is_shared() {
        moves = share(assembler.turns.as_ref(), moves);
    }
    assembler.make_kinds(moves);
    assembler.make_classes();
    assembler.write(&sizes)
}

/// Gives names to moves that must not be played: `not done(X)` with `done(X) <= does(r, f(X))`, so that
/// all conditions on played moves are positive.
fn name_negated_moves(program: &mut Program) {
    let does = (program.names.does, 2);
    let mut names: IndexMap<Vec<Pattern>, Atom, FxBuildHasher> = IndexMap::default();
    let keys: Vec<(Symbol, usize)> = program.relations.keys().copied().collect();
    for key in keys {
        for mut clause in program.take(key) {
            for literal in &mut clause.body {
                let Literal::Fails(atom) = literal else {
                    continue;
                };
                if atom.key() != does {
                    continue;
                }
                // Conditions with the same pattern share a name.
                let mut variables: Vec<Variable> = Vec::new();
                atom.for_each_variable(&mut |v| {
                    if !variables.contains(&v) {
                        variables.push(v);
                    }
                });
                let number =
                    |v: Variable| variables.iter().position(|w| *w == v).unwrap_or(0) as Variable;
                let pattern: Vec<Pattern> =
                    atom.args.iter().map(|arg| arg.rename(&number)).collect();
                let done = names.entry(pattern).or_insert_with(|| Atom {
                    name: program.name("done"),
                    args: (0..variables.len() as Variable)
                        .map(Pattern::Variable)
                        .collect(),
                });
                *literal = Literal::Fails(Atom {
                    name: done.name,
                    args: variables.into_iter().map(Pattern::Variable).collect(),
                });
            }
            program.add(clause);
        }
    }
    for (args, head) in names {
        program.add(Clause {
            variables: head.args.len() as u32,
            head,
            body: vec![Literal::Holds(Atom { name: does.0, args })],
        });
    }
}

fn kind_text(program: &Program, start: &str, kind: &MoveKind) -> String {
    format!(
        "{start}_{}_{}",
        program.terms.text(program.roles[kind.role]),
        program.terms.symbols.name(kind.functor)
    )
}

/// The moves of all roles as moves of the first one. Passive moves stay with their roles.
fn share(turns: Option<&Turns>, moves: MoveRules) -> MoveRules {
    let mut shared = MoveRules::default();
    for (kind, rules) in moves {
        let is_passive = turns.is_some_and(|turns| turns.passive.contains(&kind));
        let role = if is_passive && rules.is_empty() {
            kind.role
        } else {
            ACTOR
        };
        let list: &mut Vec<MoveRule> = shared.entry(MoveKind { role, ..kind }).or_default();
        for rule in rules {
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
    }
    shared
}

/// The role that draws for all where turns share their stages.
const ACTOR: usize = 0;

/// The clauses that a clause becomes when terms differ that have a common functor: one for each argument
/// in which they may. Otherwise a condition such as that two moves differ would join all their
/// arguments.
fn distinct_arguments(program: &Program, clause: Clause) -> Vec<Clause> {
    let parts = |pattern: &Pattern| match pattern {
        Pattern::Variable(_) => None,
        Pattern::Ground(id) => {
            let args = program.terms.args(*id).iter();
            let args: Vec<Pattern> = args.map(|arg| Pattern::Ground(*arg)).collect();
            Some((program.terms.functor(*id), args))
        }
        Pattern::Compound(functor, args) => Some((*functor, args.to_vec())),
    };
    let mut open = vec![clause];
    let mut done = Vec::new();
    while let Some(mut clause) = open.pop() {
        let found = clause.body.iter().enumerate().find_map(|(i, literal)| {
            let Literal::Distinct(left, right) = literal else {
                return None;
            };
            Some((i, parts(left)?, parts(right)?))
        });
        let Some((place, (f, left), (g, right))) = found else {
            done.push(clause);
            continue;
        };
        if f != g || left.len() != right.len() {
            clause.body.remove(place);
            open.push(clause);
            continue;
        }
        for (a, b) in left.into_iter().zip(right).rev().filter(|(a, b)| a != b) {
            let mut case = clause.clone();
            case.body[place] = Literal::Distinct(a, b);
            open.push(case);
        }
    }
    done
}

/// The largest number of clauses that one with variables for whole fluents becomes.
const MAX_SHAPES: usize = 2_000;

/// Gives variables for whole fluents the functors that fluents have: one clause for each.
fn expand_fluents(program: &mut Program, rules: &Rules, domains: &Domains) {
    let whole = domains.argument(rules.keywords.true_, 0);
    let constants: Vec<Symbol> = domains.constants(whole).collect();
    let functions = domains.functions(whole);
    let functions: Vec<(Symbol, usize)> = functions.map(|(f, args)| (f, args.len())).collect();
    let (true_, next) = (program.names.true_, program.names.next);
    let keys: Vec<(Symbol, usize)> = program.relations.keys().copied().collect();
    for key in keys {
        let mut open = program.take(key);
        open.reverse();
        let mut count = open.len();
        while let Some(clause) = open.pop() {
            let holds = clause.body.iter().filter_map(|literal| match literal {
                Literal::Holds(atom) => Some(atom),
                _ => None,
            });
            let variable = holds.chain([&clause.head]).find_map(|atom| {
                let is_fluent = atom.name == true_ || atom.name == next;
                match &atom.args[..] {
                    [Pattern::Variable(v)] if is_fluent => Some(*v),
                    _ => None,
                }
            });
            let Some(variable) = variable.filter(|_| count <= MAX_SHAPES) else {
                program.add(clause);
                continue;
            };
            count += constants.len() + functions.len();
            for (functor, arity) in functions.iter().rev() {
                let mut wide = clause.clone();
                let fresh = (0..*arity).map(|_| wide.fresh()).collect();
                let shape = program.compound(*functor, fresh);
                let case = substitute(program, &wide, variable, &shape);
                open.extend(distinct_arguments(program, case));
            }
            for constant in constants.iter().rev() {
                let shape = program.compound(*constant, Vec::new());
                let case = substitute(program, &clause, variable, &shape);
                open.extend(distinct_arguments(program, case));
            }
        }
    }
}

/// Rules with a variable for a whole fluent cannot be bound.
fn check_fluents(program: &Program) -> Result<(), NotApplicable> {
    let is_open = |atom: &Atom| {
        (atom.name == program.names.true_ || atom.name == program.names.next)
            && matches!(atom.args[..], [Pattern::Variable(_)])
    };
    for (key, clauses) in &program.relations {
        for clause in clauses {
            let mut atoms = clause
                .body
                .iter()
                .filter_map(Literal::atom)
                .chain([&clause.head]);
            if atoms.any(is_open) {
                return Err(NotApplicable::OpenFluent {
                    relation: program.terms.symbols.name(key.0).to_owned(),
                });
            }
        }
    }
    Ok(())
}

impl Assembler<'_> {
    /// Whether the first role draws for all.
    fn is_shared(&self) -> bool {
        self.options.turns == TurnStages::Shared && self.turns.is_some()
    }

    /// Whether a kind is the move of a role without the turn, and nothing else.
    fn is_passive(&self, number: usize) -> bool {
        let kind = &self.kinds[number];
        let turns = self.turns.as_ref();
        turns.is_some_and(|turns| turns.passive.contains(&kind.kind)) && kind.rules.is_empty()
    }

    /// The condition that a role has the turn.
    fn has_turn(&self, role: usize) -> Option<Literal> {
        let turns = self.turns.as_ref()?;
        Some(self.program.fluent(Pattern::Ground(turns.control[role])))
    }

    /// The clauses that ask for the moves that are played, with roles and functors filled in: the
    /// clause without these conditions, and the moves.
    fn expand_does(&mut self, clause: &Clause) -> Vec<(Clause, Vec<Played>)> {
        let does = (self.program.names.does, 2);
        let mut open = vec![(clause.clone(), Vec::new())];
        let mut done = Vec::new();
        while let Some((clause, played)) = open.pop() {
            let place = clause
                .body
                .iter()
                .position(|literal| literal.atom().is_some_and(|atom| atom.key() == does));
            let Some(place) = place else {
                done.push((clause, played));
                continue;
            };
            let Some(atom) = clause.body[place].atom().cloned() else {
                continue;
            };
            if !atom.args[0].is_ground() {
                let filled = fill_in_roles(&mut self.program, &clause, &atom.args[0]);
                open.extend(
                    filled
                        .into_iter()
                        .map(|(_, clause)| (clause, played.clone())),
                );
                continue;
            }
            let role = self
                .program
                .roles
                .iter()
                .position(|r| Pattern::Ground(*r) == atom.args[0]);
            let Some(role) = role else {
                continue;
            };
            let shared = self.is_shared();
            let numbers: Vec<usize> = (0..self.kinds.len())
                .filter(|i| self.kinds[*i].kind.role == role || shared && !self.is_passive(*i))
                .collect();
            let whole_clause = clause;
            for number in numbers {
                let kind = self.kinds[number].kind;
                let mut clause = whole_clause.clone();
                if shared && !self.is_passive(number) {
                    clause.body.extend(self.has_turn(role));
                }
                let args: Option<Vec<Pattern>> = match &atom.args[1] {
                    Pattern::Variable(variable) => {
                        let mut wide = clause.clone();
                        let fresh: Vec<Pattern> = (0..kind.arity).map(|_| wide.fresh()).collect();
                        let whole = self.program.compound(kind.functor, fresh.clone());
                        let mut filled = substitute(&mut self.program, &wide, *variable, &whole);
                        filled.body.remove(place);
                        let mut played = played.clone();
                        played.push((number, fresh));
                        open.push((filled, played));
                        continue;
                    }
                    Pattern::Ground(id) => {
                        let terms = &self.program.terms;
                        let parts = terms.args(*id).iter();
                        (terms.functor(*id) == kind.functor && parts.len() == kind.arity)
                            .then(|| parts.map(|part| Pattern::Ground(*part)).collect())
                    }
                    Pattern::Compound(functor, args) => (*functor == kind.functor
                        && args.len() == kind.arity)
                        .then(|| args.to_vec()),
                };
                if let Some(args) = args {
                    let mut rest = clause.clone();
                    rest.body.remove(place);
                    let mut played = played.clone();
                    played.push((number, args));
                    open.push((rest, played));
                }
            }
        }
        done.reverse();
        let apart = done.into_iter().flat_map(|(clause, played)| {
            let clauses = distinct_arguments(&self.program, clause);
            clauses.into_iter().map(move |one| (one, played.clone()))
        });
        apart.collect()
    }

    fn move_domains(&self, kind: &MoveKind) -> Option<Vec<DomainId>> {
        let legal = self.rules.keywords.legal;
        let whole = self.domains.argument(legal, 1);
        let mut functions = self.domains.functions(whole);
        let found =
            functions.find(|(name, args)| *name == kind.functor && args.len() == kind.arity);
        found.map(|(_, args)| args.to_vec())
    }

    fn make_kinds(&mut self, moves: MoveRules) {
        let moves: Vec<(MoveKind, Vec<MoveRule>)> = moves.into_iter().collect();
        for (kind, mut rules) in moves {
            let chosen = kind_text(&self.program, "chosen", &kind);
            let chosen = self.program.name(&chosen);
            let fluent = kind_text(&self.program, "candidate", &kind);
            let fluent = self.program.name(&fluent);
            let chosen_fluent = self.program.compound(fluent, Vec::new());
            let split = split_arguments(&mut self.program, &self.tables, &mut rules, kind.arity);
            self.kinds.push(Kind {
                kind,
                split,
                prefix: Vec::new(),
                suffix: Vec::new(),
                determined: Vec::new(),
                groups: Vec::new(),
                chosen: Atom {
                    name: chosen,
                    args: Vec::new(),
                },
                chosen_fluent,
                rules,
            });
        }
        // How the rules for the next state join the arguments.
        let mut counts: Vec<JoinCounts> =
            self.kinds.iter().map(|_| JoinCounts::default()).collect();
        let asking: Vec<Clause> = self.asking_does();
        for clause in &asking {
            for (clause, played) in self.expand_does(clause) {
                for (kind, args) in played {
                    counts[kind].add(&self.program, &args, &clause.body);
                    if clause.head.name == self.program.names.next {
                        counts[kind].add_fluent(&args, &clause.head.args[0]);
                    }
                }
            }
        }
        for number in 0..self.kinds.len() {
            let kind = self.kinds[number].kind;
            let mut counts = std::mem::take(&mut counts[number]);
            count_joins(&self.program, &self.kinds[number].rules, &mut counts);
            let sizes: Vec<u64> = match self.move_domains(&kind) {
                Some(domains) => domains
                    .iter()
                    .map(|id| self.domains.size(*id).unwrap_or(u64::MAX))
                    .collect(),
                None => vec![u64::MAX; kind.arity],
            };
            let split = self.kinds[number].split.clone();
            let mut parts = counts.partition(&split, &sizes);
            parts.sort();
            let size = |part: &[usize]| part.iter().fold(1u64, |n, i| n.saturating_mul(sizes[*i]));
            let all = parts
                .iter()
                .fold(1u64, |n, part| n.saturating_mul(size(part)));
            let late = if all > u64::from(self.options.large) {
                usize::from(self.options.suffix_groups).min(parts.len().saturating_sub(1))
            } else {
                0
            };
            let first_late = parts.len() - late;
            let mut all: Vec<(Vec<usize>, bool)> =
                split.iter().map(|i| (vec![*i], false)).collect();
            all.extend(
                parts
                    .into_iter()
                    .enumerate()
                    .map(|(i, part)| (part, i >= first_late)),
            );
            for (places, is_suffix) in all {
                let text = kind_text(&self.program, "value", &kind);
                let relation = self.program.name(&text);
                let one = &mut self.kinds[number];
                one.groups.push(self.groups.len());
                if is_suffix {
                    one.suffix.extend(&places);
                } else if !split.contains(&places[0]) {
                    one.prefix.extend(&places);
                }
                self.groups.push(Group {
                    kind: Some(kind),
                    places,
                    relation,
                    is_suffix,
                    is_determined: false,
                });
            }
            let one = &mut self.kinds[number];
            one.prefix.sort_unstable();
            one.suffix.sort_unstable();
            if self.options.assume {
                self.find_determined(number);
            }
        }
    }

    /// Finds the split arguments of a kind that the state determines.
    fn find_determined(&mut self, number: usize) {
        let one = &mut self.kinds[number];
        for place in one.split.clone() {
            let found = Determined::find(&self.program, &one.rules, place, &one.prefix);
            let Some(found) = found else {
                continue;
            };
            one.determined.push(found);
            one.split.retain(|p| *p != place);
            for id in &one.groups {
                let group = &mut self.groups[*id];
                group.is_determined |= group.places[..] == [place];
            }
        }
    }

    /// The clauses that ask for the moves that are played.
    fn asking_does(&self) -> Vec<Clause> {
        let does = self.program.names.does;
        let asks = |clause: &&Clause| {
            let mut atoms = clause.body.iter().filter_map(Literal::atom);
            atoms.any(|atom| atom.name == does)
        };
        self.program
            .relations
            .values()
            .flatten()
            .filter(asks)
            .cloned()
            .collect()
    }

    fn make_classes(&mut self) {
        for number in 0..self.kinds.len() {
            let kind = &self.kinds[number];
            let mut parts: IndexMap<Vec<Pattern>, Vec<MoveRule>, FxBuildHasher> =
                IndexMap::default();
            for rule in &kind.rules {
                let constants = kind
                    .split
                    .iter()
                    .map(|i| rule.head.args[*i].clone())
                    .collect();
                parts.entry(constants).or_default().push(rule.clone());
            }
            for (constants, rules) in parts {
                let kind = &self.kinds[number];
                let mut text = kind_text(&self.program, "", &kind.kind);
                for constant in &constants {
                    if let Pattern::Ground(id) = constant {
                        text.push('_');
                        text.push_str(&self.program.terms.text(*id));
                    }
                }
                let has_suffix = !kind.suffix.is_empty();
                let prefix = self.program.name(&format!("draw{text}"));
                let suffix = has_suffix.then(|| self.program.name(&format!("take{text}")));
                let leaf = self.program.name(&format!("leaf{text}"));
                let tried = self.program.name(&format!("tried{text}"));
                self.classes.push(Class {
                    kind: number,
                    constants,
                    rules,
                    prefix,
                    suffix,
                    leaf,
                    tried,
                });
            }
        }
    }

    /// The candidate atoms and the proposition for a move of a kind.
    fn candidates(&self, number: usize, args: &[Pattern], with_suffix: bool) -> Vec<CandidateAtom> {
        let kind = &self.kinds[number];
        let groups = kind
            .groups
            .iter()
            .filter(|id| with_suffix || !self.groups[**id].is_suffix);
        groups
            .map(|id| CandidateAtom {
                group: *id,
                args: self.groups[*id]
                    .places
                    .iter()
                    .map(|i| args[*i].clone())
                    .collect(),
            })
            .collect()
    }

    fn clause(head: Atom, body: Vec<Literal>) -> Clause {
        let mut variables = 0;
        let mut note = |v: Variable| variables = variables.max(v + 1);
        head.for_each_variable(&mut note);
        for literal in &body {
            literal.for_each_variable(&mut note);
        }
        Clause {
            head,
            body,
            variables,
        }
    }

    fn next_of(&self, fluent: Pattern) -> Atom {
        Atom {
            name: self.program.names.next,
            args: vec![fluent],
        }
    }

    fn legal_of(&self, role: usize, move_: Pattern) -> Atom {
        Atom {
            name: self.program.names.legal,
            args: vec![Pattern::Ground(self.program.roles[role]), move_],
        }
    }

    fn constant(&mut self, text: &str) -> Pattern {
        let name = self.program.name(text);
        self.program.compound(name, Vec::new())
    }

    fn proposition(&mut self, text: &str) -> Atom {
        Atom {
            name: self.program.name(text),
            args: Vec::new(),
        }
    }

    /// Writes the staged rules.
    #[allow(clippy::too_many_lines)] // one list of rules, in the order of a step
    fn write(mut self, sizes: &Sizes) -> Result<StagedGame, NotApplicable> {
        let roles = self.program.roles.len();
        let names = self.program.names;
        // The stages, and who chooses in them.
        let choosers: Vec<Vec<usize>> = match &self.turns {
            Some(_) if self.is_shared() => vec![vec![ACTOR]],
            Some(turns) => turns.order.iter().map(|role| vec![*role]).collect(),
            None => vec![(0..roles).collect()],
        };
        let mut stages: Vec<(Pattern, Pattern, Vec<usize>)> = Vec::new();
        for chosen in choosers {
            let draw = self.constant("stage_draw");
            let test = self.constant("stage_test");
            stages.push((draw, test, chosen));
        }
        let stage_of = |role: usize| {
            let found = stages.iter().find(|(_, _, roles)| roles.contains(&role));
            found.map_or((stages[0].0.clone(), stages[0].1.clone()), |s| {
                (s.0.clone(), s.1.clone())
            })
        };
        let moved = self.constant("moved");
        let ending = self.constant("ending");
        let idle = self.constant("idle");
        let wait = self.constant("wait");
        let fail = self.constant("fail");
        let take = self.constant("take");
        let advancing = self.proposition("advancing");
        let advancing_in: Vec<Atom> = stages
            .iter()
            .map(|_| self.proposition("advancing_in"))
            .collect();
        let advancing_of = |role: usize| {
            let stage = stages
                .iter()
                .position(|(_, _, roles)| roles.contains(&role));
            advancing_in[stage.unwrap_or(0)].clone()
        };
        let over = self.proposition("over");
        let drawing = self.proposition("drawing");
        let unsettled = self.proposition("unsettled");
        let violated = self.proposition("violated");
        let ok: Vec<Atom> = (0..roles).map(|_| self.proposition("accepted")).collect();
        let mut known: FxHashMap<MoveKind, Pattern> = FxHashMap::default();
        for mut kind in self.asked.kinds.clone() {
            if self.is_shared() {
                kind.role = ACTOR;
            }
            known.entry(kind).or_insert_with(|| self.constant("known"));
        }
        let remembers = self.options.remember_failures || !self.asked.kinds.is_empty();
        let has_suffix: Vec<bool> = (0..roles)
            .map(|role| {
                let mut classes = self.classes.iter();
                classes.any(|c| self.kinds[c.kind].kind.role == role && c.suffix.is_some())
            })
            .collect();

        // What the game has said so far.
        let next_clauses = self.program.take((names.next, 1));
        self.program.take((names.legal, 2));
        let terminal_clauses = self.program.take((names.terminal, 0));
        let init_clauses = self.program.clauses((names.init, 1)).to_vec();
        let does_clauses: Vec<Clause> = self.asking_does();
        let asking: FxHashSet<(Symbol, usize)> =
            does_clauses.iter().map(|c| c.head.key()).collect();
        let mut relations_with_does: Vec<Clause> = Vec::new();
        for key in &asking {
            let (with, without): (Vec<Clause>, Vec<Clause>) = {
                let all = self.program.take(*key);
                all.into_iter()
                    .partition(|clause| does_clauses.contains(clause))
            };
            relations_with_does.extend(with);
            for clause in without {
                self.program.add(clause);
            }
        }

        // Rules that ask whether the state is terminal mean that of the game.
        let is_terminal = (names.terminal, 0);
        for clause in self.program.relations.values_mut().flatten() {
            rename_in_body(clause, is_terminal, &over);
        }

        // The stages follow each other.
        self.program.add(Clause {
            head: Atom {
                name: names.init,
                args: vec![stages[0].0.clone()],
            },
            body: Vec::new(),
            variables: 0,
        });
        for (i, (draw, test, _)) in stages.iter().enumerate() {
            let after = stages[(i + 1) % stages.len()].0.clone();
            let body = vec![self.program.fluent(draw.clone())];
            self.program
                .add(Self::clause(self.next_of(test.clone()), body.clone()));
            self.program.add(Self::clause(drawing.clone(), body));
            let body = vec![self.program.fluent(test.clone())];
            self.program.add(Self::clause(self.next_of(after), body));
        }

        // The end of the game.
        for mut clause in terminal_clauses {
            clause.head = over.clone();
            self.program.add(clause);
        }
        let terminal = Atom {
            name: names.terminal,
            args: Vec::new(),
        };
        let mut body = vec![
            Literal::Holds(drawing.clone()),
            Literal::Holds(over.clone()),
        ];
        let settles = self.asked.in_goals;
        if settles {
            body.push(Literal::Fails(unsettled.clone()));
        }
        self.program.add(Self::clause(terminal, body));
        if settles {
            let body = vec![Literal::Holds(drawing.clone()), Literal::Holds(over)];
            self.program
                .add(Self::clause(self.next_of(ending.clone()), body));
        }

        // Leaves, and the draw of a candidate.
        for number in 0..self.classes.len() {
            self.write_leaves(number, sizes)?;
            let class = &self.classes[number];
            let kind = &self.kinds[class.kind];
            let role = kind.kind.role;
            let (draw, _) = stage_of(role);
            let args: Vec<Pattern> = (0..kind.prefix.len() as u32)
                .map(Pattern::Variable)
                .collect();
            let (prefix, leaf, tried) = (class.prefix, class.leaf, class.tried);
            let move_kind = kind.kind;
            let leaf = Literal::Holds(Atom {
                name: leaf,
                args: args.clone(),
            });
            let tried = self.program.compound(tried, args.clone());
            let mut untried = vec![leaf];
            if remembers {
                untried.push(self.program.no_fluent(tried.clone()));
            }
            let candidate = self.program.compound(prefix, args.clone());
            let mut body = vec![self.program.fluent(draw.clone())];
            body.extend(untried.clone());
            self.program
                .add(Self::clause(self.legal_of(role, candidate.clone()), body));
            if let Some(fluent) = known.get(&move_kind) {
                for (owner, can) in self.can_of(&move_kind) {
                    let turn = if self.is_shared() {
                        self.has_turn(owner)
                    } else {
                        None
                    };
                    let body = untried.iter().cloned().chain(turn.clone()).collect();
                    self.program.add(Self::clause(can.clone(), body));
                    let known = self.program.fluent(fluent.clone());
                    let body = std::iter::once(known).chain(turn).collect();
                    self.program.add(Self::clause(can, body));
                }
                if settles {
                    let mut body = untried.clone();
                    body.push(self.program.no_fluent(fluent.clone()));
                    self.program.add(Self::clause(unsettled.clone(), body));
                }
            }
            // The candidate is remembered.
            let does = Literal::Holds(Atom {
                name: names.does,
                args: vec![Pattern::Ground(self.program.roles[role]), candidate],
            });
            let fluents = self.remembered(number, &args);
            for (_, fluent, _) in fluents {
                self.program
                    .add(Self::clause(self.next_of(fluent), vec![does.clone()]));
            }
            if remembers {
                self.program
                    .add(Self::clause(self.next_of(tried.clone()), vec![does]));
                // Outside an assumption no step is made, which does not mean that there is no move.
                let kept = [
                    self.program.fluent(tried.clone()),
                    Literal::Fails(advancing_of(role)),
                    Literal::Fails(violated.clone()),
                ];
                // A candidate that could have been played has not failed.
                let mut reasons: Vec<Option<Literal>> = Vec::new();
                let alone = stages.iter().any(|(_, _, roles)| roles[..] == [role]);
                if alone && !has_suffix[role] {
                    reasons.push(None);
                } else {
                    let some = self.some_rest(number, &take);
                    reasons.push(Some(Literal::Fails(some)));
                    for (_, fluent, _) in self.remembered(number, &args) {
                        reasons.push(Some(self.program.no_fluent(fluent)));
                    }
                }
                for reason in reasons {
                    let body = kept.iter().cloned().chain(reason).collect();
                    self.program
                        .add(Self::clause(self.next_of(tried.clone()), body));
                }
            }
        }
        for (kind, fluent) in &known {
            let chosen = self
                .kinds
                .iter()
                .find(|one| one.kind == *kind)
                .map(|one| one.chosen.clone());
            let Some(chosen) = chosen else { continue };
            let (_, test) = stage_of(kind.role);
            let body = vec![
                self.program.fluent(test),
                Literal::Holds(chosen),
                Literal::Holds(ok[kind.role].clone()),
                // It says nothing about the next state.
                Literal::Fails(advancing.clone()),
            ];
            self.program
                .add(Self::clause(self.next_of(fluent.clone()), body));
            let body = vec![
                self.program.fluent(fluent.clone()),
                Literal::Fails(advancing.clone()),
            ];
            self.program
                .add(Self::clause(self.next_of(fluent.clone()), body));
        }

        // The values of the candidate.
        for number in 0..self.kinds.len() {
            let kind = &self.kinds[number];
            let role = kind.kind.role;
            let fluent = kind.chosen_fluent.clone();
            let head = kind.chosen.clone();
            let body = vec![self.program.fluent(fluent)];
            self.program.add(Self::clause(head.clone(), body));
            if let Some(turns) = &self.turns
                && turns.passive[role] == self.kinds[number].kind
            {
                for (_, test, choosing) in &stages {
                    let mut body = vec![self.program.fluent(test.clone())];
                    if self.is_shared() {
                        let control = Pattern::Ground(turns.control[role]);
                        body.push(self.program.no_fluent(control));
                    } else if choosing.contains(&role) {
                        continue;
                    }
                    self.program.add(Self::clause(head.clone(), body));
                }
                // The move is legal in the turns of the others.
                let can = self.can[&self.kinds[number].kind].clone();
                for (other, control) in turns.control.iter().enumerate() {
                    if other != role {
                        let body = vec![self.program.fluent(Pattern::Ground(*control))];
                        self.program.add(Self::clause(can.clone(), body));
                    }
                }
            }
        }
        for id in 0..self.groups.len() {
            let group = self.groups[id].clone();
            let args: Vec<Pattern> = (0..group.places.len() as u32)
                .map(Pattern::Variable)
                .collect();
            let head = Atom {
                name: group.relation,
                args: args.clone(),
            };
            if group.is_suffix {
                self.write_suffix_values(&group, &head);
                continue;
            }
            if group.is_determined {
                continue;
            }
            let functor = self.value_fluent(id);
            let fluent = self.program.compound(functor, args);
            let body = vec![self.program.fluent(fluent)];
            self.program.add(Self::clause(head, body));
        }

        // What roles do while they have nothing to choose.
        for role in 0..roles {
            for (draw, test, choosing) in &stages {
                let waits = !choosing.contains(&role);
                if waits {
                    for stage in [draw, test] {
                        let body = vec![self.program.fluent(stage.clone())];
                        self.program
                            .add(Self::clause(self.legal_of(role, idle.clone()), body));
                    }
                } else {
                    if let Some(turns) = &self.turns
                        && !self.is_shared()
                    {
                        let control = Pattern::Ground(turns.control[role]);
                        let body = vec![
                            self.program.fluent(draw.clone()),
                            self.program.no_fluent(control),
                        ];
                        self.program
                            .add(Self::clause(self.legal_of(role, wait.clone()), body));
                    }
                    let body = vec![self.program.fluent(test.clone())];
                    self.program
                        .add(Self::clause(self.legal_of(role, fail.clone()), body));
                }
            }
        }

        // The test of the candidate; the rest of the move.
        let tables = Tables::new(&self.program);
        let mut clauses: Vec<(Clause, Vec<CandidateAtom>)> = Vec::new();
        for number in 0..self.classes.len() {
            let class = &self.classes[number];
            let (kind_number, suffix) = (class.kind, class.suffix);
            let kind = &self.kinds[kind_number];
            let (role, chosen) = (kind.kind.role, kind.chosen.clone());
            let suffix_places = kind.suffix.clone();
            let (_, test) = stage_of(role);
            let prefix = self.kinds[kind_number].prefix.clone();
            let mut places = [&prefix[..], &self.kinds[kind_number].split[..]].concat();
            places.extend(
                self.kinds[kind_number]
                    .determined
                    .iter()
                    .map(|one| one.place),
            );
            for rules in self.parts_of(number) {
                let early: Vec<Vec<usize>> = rules
                    .iter()
                    .map(|rule| early_conditions(&self.program, sizes, rule, &places))
                    .collect();
                let certain = certain_conditions(&rules, &early, &prefix);
                for rule in rules {
                    let mut body = vec![
                        self.program.fluent(test.clone()),
                        Literal::Holds(chosen.clone()),
                    ];
                    let is_certain = |literal: &&Literal| {
                        let literal = on_prefix(&rule, literal, &prefix);
                        literal.is_some_and(|literal| certain.contains(&literal))
                    };
                    body.extend(rule.body.iter().filter(|l| !is_certain(l)).cloned());
                    let head = match suffix {
                        Some(functor) => {
                            let args = suffix_places.iter().map(|i| rule.head.args[*i].clone());
                            let rest = self.program.compound(functor, args.collect());
                            self.legal_of(role, rest)
                        }
                        None => self.legal_of(role, take.clone()),
                    };
                    let mut clause = Self::clause(head, body);
                    clause.variables = clause.variables.max(rule.variables);
                    let candidates = self.candidates(kind_number, &rule.head.args, false);
                    clauses.push((clause, candidates));
                }
            }
        }
        let ambiguous = self.write_determined(&mut clauses);
        let broken = ambiguous.as_ref().and_then(|(_, fluent)| match fluent {
            Pattern::Ground(id) => Some(self.program.terms.text(*id)),
            _ => None,
        });
        for (role, ok) in ok.iter().enumerate() {
            let (_, test) = stage_of(role);
            let mut bodies: Vec<Pattern> = Vec::new();
            let mut classes = self.classes.iter();
            if classes.any(|c| self.kinds[c.kind].kind.role == role && c.suffix.is_none()) {
                bodies.push(take.clone());
            }
            for number in 0..self.classes.len() {
                let class = &self.classes[number];
                let kind = &self.kinds[class.kind];
                if kind.kind.role == role
                    && let Some(functor) = class.suffix
                {
                    let args = (0..kind.suffix.len() as u32)
                        .map(Pattern::Variable)
                        .collect();
                    let rest = self.program.compound(functor, args);
                    bodies.push(rest);
                }
            }
            for move_ in bodies {
                let does = Literal::Holds(Atom {
                    name: names.does,
                    args: vec![Pattern::Ground(self.program.roles[role]), move_],
                });
                let body = vec![self.program.fluent(test.clone()), does];
                self.program.add(Self::clause(ok.clone(), body));
            }
        }
        for ((_, test, choosing), own) in stages.iter().zip(&advancing_in) {
            let mut body = vec![self.program.fluent(test.clone())];
            body.extend(
                choosing
                    .iter()
                    .map(|role| Literal::Holds(ok[*role].clone())),
            );
            if settles {
                body.push(self.program.no_fluent(ending.clone()));
            }
            body.push(Literal::Fails(violated.clone()));
            if let Some((ambiguous, broken)) = &ambiguous {
                body.push(Literal::Fails(ambiguous.clone()));
                body.push(self.program.no_fluent(broken.clone()));
            }
            self.program.add(Self::clause(own.clone(), body));
            self.program.add(Self::clause(
                advancing.clone(),
                vec![Literal::Holds(own.clone())],
            ));
        }
        let next_moved = Atom {
            name: names.next,
            args: vec![moved.clone()],
        };
        self.program.add(Self::clause(
            next_moved,
            vec![Literal::Holds(advancing.clone())],
        ));

        // The next state, and the state that stays.
        let mut stays: FxHashSet<(Option<Symbol>, usize, Option<TermId>)> = FxHashSet::default();
        for clause in next_clauses.iter().chain(&init_clauses) {
            let terms = &self.program.terms;
            let (key, fluent) = match &clause.head.args[0] {
                Pattern::Ground(id) if terms.args(*id).is_empty() => {
                    ((None, 0, Some(*id)), Pattern::Ground(*id))
                }
                Pattern::Ground(id) => {
                    let arity = terms.args(*id).len();
                    let args = (0..arity as u32).map(Pattern::Variable).collect();
                    let functor = terms.functor(*id);
                    (
                        (Some(functor), arity, None),
                        Pattern::Compound(functor, args),
                    )
                }
                Pattern::Compound(functor, args) => {
                    let all = (0..args.len() as u32).map(Pattern::Variable).collect();
                    (
                        (Some(*functor), args.len(), None),
                        Pattern::Compound(*functor, all),
                    )
                }
                Pattern::Variable(_) => continue,
            };
            if stays.insert(key) {
                let body = vec![
                    self.program.fluent(fluent.clone()),
                    Literal::Fails(advancing.clone()),
                ];
                self.program.add(Self::clause(self.next_of(fluent), body));
            }
        }
        let mut rest: Vec<(Clause, bool)> = Vec::new();
        for clause in next_clauses {
            rest.push((clause, true));
        }
        rest.extend(
            relations_with_does
                .into_iter()
                .filter(|c| c.head.name != names.next)
                .map(|c| (c, false)),
        );
        for (clause, is_next) in rest {
            for (mut clause, played) in self.expand_does(&clause) {
                let mut body = Vec::new();
                if is_next {
                    body.push(Literal::Holds(advancing.clone()));
                }
                let mut candidates = Vec::new();
                for (kind, args) in played {
                    body.push(Literal::Holds(self.kinds[kind].chosen.clone()));
                    candidates.extend(self.candidates(kind, &args, true));
                }
                body.append(&mut clause.body);
                clause.body = body;
                clauses.push((clause, candidates));
            }
        }
        let mut assumptions = Assumptions::new(&self.program, violated, self.options);
        for (clause, candidates) in &mut clauses {
            assumptions.apply(
                &mut self.program,
                &mut self.groups,
                sizes,
                clause,
                candidates,
            );
        }
        let assumed = assumptions.finish(&mut self.program);
        // Relations that ask for the played move have to be complete before others are bound to it.
        let groups = self.groups.clone();
        let mut binder = Binder::new(&mut self.program, &groups, &tables);
        clauses.sort_by_key(|(clause, _)| clause.head.name == names.next);
        for (clause, candidates) in clauses {
            binder.add(clause, candidates);
        }
        binder.finish()?;
        let constants = [&moved, &ending, &fail, &take, &idle];
        let mut staged = self.finish(&stages, constants, has_suffix, remembers, &known)?;
        staged.assumed = assumed;
        staged.broken = broken;
        Ok(staged)
    }

    /// The questions for moves of a kind, by role.
    fn can_of(&self, kind: &MoveKind) -> Vec<(usize, Atom)> {
        let owners = self.can.iter().filter(|(asked, _)| {
            asked.functor == kind.functor
                && asked.arity == kind.arity
                && (asked.role == kind.role || self.is_shared())
        });
        owners
            .map(|(asked, atom)| (asked.role, atom.clone()))
            .collect()
    }

    /// Writes the values of determined arguments, and the test that each has one. Returns the
    /// proposition that a candidate has several, and the fluent that remembers it.
    fn write_determined(
        &mut self,
        clauses: &mut Vec<(Clause, Vec<CandidateAtom>)>,
    ) -> Option<(Atom, Pattern)> {
        let mut found: Option<(Atom, Pattern)> = None;
        for number in 0..self.kinds.len() {
            for one in self.kinds[number].determined.clone() {
                let kind = &self.kinds[number];
                let (chosen, arity) = (kind.chosen.clone(), kind.kind.arity);
                let groups = kind.groups.iter().copied();
                let own = groups
                    .clone()
                    .find(|id| self.groups[*id].places[..] == [one.place]);
                let Some(own) = own else {
                    continue;
                };
                let relation = self.groups[own].relation;
                // The fluent, bound to the arguments that are drawn, for each value that a rule has.
                let mut values: Vec<Pattern> = Vec::new();
                for rule in &kind.rules {
                    let value = &rule.head.args[one.place];
                    if !values.contains(value) {
                        values.push(value.clone());
                    }
                }
                let groups: Vec<usize> = groups.collect();
                for value in values {
                    let mut all: Vec<Pattern> = (0..arity as u32).map(Pattern::Variable).collect();
                    all[one.place] = value.clone();
                    let args = one.places.iter().map(|place| all[*place].clone()).collect();
                    let fluent = self.program.compound(one.functor, args);
                    let body = vec![Literal::Holds(chosen.clone()), self.program.fluent(fluent)];
                    let head = Atom {
                        name: relation,
                        args: vec![value],
                    };
                    let mut clause = Self::clause(head, body);
                    clause.variables = clause.variables.max(arity as u32);
                    let drawn = groups.iter().copied().filter(|id| {
                        let group = &self.groups[*id];
                        let is_read = group.places.iter().any(|i| one.places.contains(i));
                        is_read && !group.is_suffix && !group.is_determined
                    });
                    let candidates = drawn
                        .map(|id| CandidateAtom {
                            group: id,
                            args: self.groups[id]
                                .places
                                .iter()
                                .map(|i| all[*i].clone())
                                .collect(),
                        })
                        .collect();
                    clauses.push((clause, candidates));
                }
                let head = |value: Variable| Atom {
                    name: relation,
                    args: vec![Pattern::Variable(value)],
                };
                let (ambiguous, _) = found.get_or_insert_with(|| {
                    let ambiguous = Atom {
                        name: self.program.name("ambiguous"),
                        args: Vec::new(),
                    };
                    let broken = self.program.name("broken");
                    (ambiguous, self.program.compound(broken, Vec::new()))
                });
                let two = vec![
                    Literal::Holds(head(0)),
                    Literal::Holds(head(1)),
                    Literal::Distinct(Pattern::Variable(0), Pattern::Variable(1)),
                ];
                self.program.add(Self::clause(ambiguous.clone(), two));
            }
        }
        let (ambiguous, broken) = found.clone()?;
        let next = self.next_of(broken.clone());
        self.program
            .add(Self::clause(next.clone(), vec![Literal::Holds(ambiguous)]));
        let stays = vec![self.program.fluent(broken)];
        self.program.add(Self::clause(next, stays));
        found
    }

    /// The functor of the fluents that remember a group.
    fn value_fluent(&mut self, group: usize) -> Symbol {
        let base = self.groups[group].relation;
        let text = format!("{}_drawn", self.program.terms.symbols.name(base));
        self.program.terms.symbols.intern(&text)
    }

    /// The fluents that remember a candidate of a class: group, fluent and arguments.
    fn remembered(
        &mut self,
        number: usize,
        args: &[Pattern],
    ) -> Vec<(Option<usize>, Pattern, Vec<usize>)> {
        let class = &self.classes[number];
        let kind = &self.kinds[class.kind];
        let mut fluents = vec![(None, kind.chosen_fluent.clone(), Vec::new())];
        let (prefix, split) = (kind.prefix.clone(), kind.split.clone());
        let constants = class.constants.clone();
        for id in kind.groups.clone() {
            if self.groups[id].is_suffix || self.groups[id].is_determined {
                continue;
            }
            let places = self.groups[id].places.clone();
            let values: Vec<Pattern> = places
                .iter()
                .map(|place| match prefix.iter().position(|p| p == place) {
                    Some(i) => args[i].clone(),
                    None => {
                        let i = split.iter().position(|p| p == place);
                        i.map_or(Pattern::Variable(0), |i| constants[i].clone())
                    }
                })
                .collect();
            let functor = self.value_fluent(id);
            let fluent = self.program.compound(functor, values);
            fluents.push((Some(id), fluent, places));
        }
        fluents
    }

    /// The proposition that the candidate is a legal move, or can be completed to one.
    fn some_rest(&mut self, number: usize, take: &Pattern) -> Atom {
        let class = &self.classes[number];
        let kind = &self.kinds[class.kind];
        let role = kind.kind.role;
        let text = format!("{}_some", self.program.terms.symbols.name(class.prefix));
        let move_ = match class.suffix {
            Some(functor) => {
                let args = (0..kind.suffix.len() as u32)
                    .map(Pattern::Variable)
                    .collect();
                self.program.compound(functor, args)
            }
            None => take.clone(),
        };
        let name = self.program.name(&text);
        let head = Atom {
            name,
            args: Vec::new(),
        };
        let body = vec![Literal::Holds(self.legal_of(role, move_))];
        self.program.add(Self::clause(head.clone(), body));
        head
    }

    /// Writes the leaves of a class.
    fn write_leaves(&mut self, number: usize, sizes: &Sizes) -> Result<(), NotApplicable> {
        let class = &self.classes[number];
        let kind = &self.kinds[class.kind];
        let move_kind = kind.kind;
        let prefix = kind.prefix.clone();
        let mut early_places = prefix.clone();
        early_places.extend(&kind.split);
        let leaf = class.leaf;
        early_places.extend(kind.determined.iter().map(|one| one.place));
        let parts = self.parts_of(number);
        if let [rules] = &parts[..] {
            return self.write_leaves_of(
                &move_kind,
                leaf,
                rules.clone(),
                &prefix,
                &early_places,
                sizes,
            );
        }
        let args: Vec<Pattern> = (0..prefix.len() as u32).map(Pattern::Variable).collect();
        for rules in parts {
            let text = format!("{}_of", self.program.terms.symbols.name(leaf));
            let part = self.program.name(&text);
            self.write_leaves_of(&move_kind, part, rules, &prefix, &early_places, sizes)?;
            let [head, body] = [leaf, part].map(|name| Atom {
                name,
                args: args.clone(),
            });
            self.program
                .add(Self::clause(head, vec![Literal::Holds(body)]));
        }
        Ok(())
    }

    /// The rules of a class by the values of determined arguments.
    fn parts_of(&self, number: usize) -> Vec<Vec<MoveRule>> {
        let class = &self.classes[number];
        let determined = &self.kinds[class.kind].determined;
        let mut parts: IndexMap<Vec<Pattern>, Vec<MoveRule>, FxBuildHasher> = IndexMap::default();
        for rule in &class.rules {
            let values = determined
                .iter()
                .map(|one| rule.head.args[one.place].clone());
            parts
                .entry(values.collect())
                .or_default()
                .push(rule.clone());
        }
        parts.into_values().collect()
    }

    /// Writes the leaves of rules that agree in the determined arguments.
    fn write_leaves_of(
        &mut self,
        move_kind: &MoveKind,
        leaf: Symbol,
        mut rules: Vec<MoveRule>,
        prefix: &[usize],
        early_places: &[usize],
        sizes: &Sizes,
    ) -> Result<(), NotApplicable> {
        let mut early: Vec<Vec<usize>> = Vec::new();
        for rule in &mut rules {
            let mut own = early_conditions(&self.program, sizes, rule, early_places);
            for set in state_conditions(rule, &own, early_places) {
                own.retain(|i| !set.contains(i));
                let body: Vec<Literal> = set.iter().map(|i| rule.body[*i].clone()).collect();
                if self.is_assumed(&body) {
                    continue;
                }
                let condition = self.state_condition(body);
                own.push(rule.body.len());
                rule.body.push(condition);
            }
            early.push(own);
        }
        if self.write_factored_leaves(move_kind, leaf, &rules, &early, prefix)? {
            return Ok(());
        }
        for (rule, early) in rules.iter().zip(early) {
            let mut body: Vec<Literal> = early.iter().map(|i| rule.body[*i].clone()).collect();
            for (place, variable) in unbound(rule, &early, prefix) {
                let values = self.values_of(move_kind, place)?;
                body.push(Literal::Holds(Atom {
                    name: values,
                    args: vec![Pattern::Variable(variable)],
                }));
            }
            let head = Atom {
                name: leaf,
                args: prefix.iter().map(|i| rule.head.args[*i].clone()).collect(),
            };
            let mut clause = Self::clause(head, body);
            clause.variables = clause.variables.max(rule.variables);
            self.program.add(clause);
        }
        Ok(())
    }

    /// Whether a set of conditions is a fluent that is assumed to have one value in every state.
    fn is_assumed(&self, body: &[Literal]) -> bool {
        let [Literal::Holds(atom)] = body else {
            return false;
        };
        let init = self.program.clauses((self.program.names.init, 1)).iter();
        let matching = init.filter(|clause| {
            let variables = atom.args[0].clone();
            let mut count = 0;
            variables.for_each_variable(&mut |v| count = count.max(v + 1));
            let mut bindings = crate::unify::Bindings::new(count);
            bindings.unify(&self.program.terms, &variables, &clause.head.args[0])
        });
        self.options.assume && atom.name == self.program.names.true_ && matching.count() == 1
    }

    /// The proposition that some conditions hold together.
    fn state_condition(&mut self, body: Vec<Literal>) -> Literal {
        let clause = Self::clause(self.over_name(), body).compact();
        if let Some(known) = self.state_conditions.get(&clause.body) {
            return Literal::Holds(known.clone());
        }
        let head = self.proposition("condition");
        self.state_conditions
            .insert(clause.body.clone(), head.clone());
        self.program.add(Clause {
            head: head.clone(),
            ..clause
        });
        Literal::Holds(head)
    }

    fn over_name(&self) -> Atom {
        Atom {
            name: self.program.names.terminal,
            args: Vec::new(),
        }
    }

    /// Writes the leaves of rules that differ in few conditions: those that all rules have, and a
    /// relation of the arguments that the others need. Returns false if the rules have too little in
    /// common.
    fn write_factored_leaves(
        &mut self,
        kind: &MoveKind,
        leaf: Symbol,
        rules: &[MoveRule],
        early: &[Vec<usize>],
        prefix: &[usize],
    ) -> Result<bool, NotApplicable> {
        if rules.len() < 2 {
            return Ok(false);
        }
        let certain = certain_conditions(rules, early, prefix);
        let (of_move, of_state): (Vec<Literal>, Vec<Literal>) = certain
            .iter()
            .cloned()
            .partition(|literal| !literal.variables().is_empty());
        let mut bound: FxHashSet<Variable> = FxHashSet::default();
        for literal in &of_move {
            if matches!(literal, Literal::Holds(_)) {
                bound.extend(literal.variables());
            }
        }
        if (0..prefix.len() as Variable).any(|v| !bound.contains(&v)) {
            return Ok(false);
        }
        // The other conditions, with the variables of the prefix numbered first.
        let count = prefix.len() as Variable;
        let mut rests: Vec<(Vec<Literal>, u32)> = Vec::new();
        for (rule, early) in rules.iter().zip(early) {
            let mut numbers: FxHashMap<Variable, Variable> = FxHashMap::default();
            for (number, place) in prefix.iter().enumerate() {
                if let Pattern::Variable(v) = rule.head.args[*place] {
                    numbers.insert(v, number as Variable);
                }
            }
            let rename = |v: Variable| numbers.get(&v).copied().unwrap_or(v + count);
            let rest = early.iter().map(|i| &rule.body[*i]).filter(|literal| {
                let known = on_prefix(rule, literal, prefix);
                !known.is_some_and(|known| certain.contains(&known))
            });
            let rest: Vec<Literal> = rest
                .map(|l| l.map(&mut |pattern| pattern.rename(&rename)))
                .collect();
            rests.push((rest, rule.variables + count));
        }
        let mut used: Vec<Variable> = Vec::new();
        for (rest, _) in &rests {
            for v in rest.iter().flat_map(Literal::variables) {
                if v < count && !used.contains(&v) {
                    used.push(v);
                }
            }
        }
        used.sort_unstable();
        let needs_rest = rests.iter().all(|(rest, _)| !rest.is_empty());
        if needs_rest && used.len() == prefix.len() {
            return Ok(false);
        }
        let head = Atom {
            name: leaf,
            args: (0..count).map(Pattern::Variable).collect(),
        };
        let mut body = of_move.clone();
        body.sort_by_key(|literal| matches!(literal, Literal::Fails(_)));
        if !needs_rest {
            body.extend(of_state);
            self.program.add(Self::clause(head, body));
            return Ok(true);
        }
        let text = format!("{}_more", self.program.terms.symbols.name(leaf));
        let name = self.program.name(&text);
        let rest_atom = Atom {
            name,
            args: used.iter().map(|v| Pattern::Variable(*v)).collect(),
        };
        for (rest, variables) in rests {
            let mut body = of_state.clone();
            // Each rule must bind its arguments.
            let holds = rest.iter().filter(|l| matches!(l, Literal::Holds(_)));
            let bound: FxHashSet<Variable> = holds.flat_map(Literal::variables).collect();
            for v in used.iter().filter(|v| !bound.contains(v)) {
                let values = self.values_of(kind, prefix[*v as usize])?;
                body.push(Literal::Holds(Atom {
                    name: values,
                    args: vec![Pattern::Variable(*v)],
                }));
            }
            body.extend(rest);
            let mut clause = Self::clause(rest_atom.clone(), body);
            clause.variables = clause.variables.max(variables);
            self.program.add(clause);
        }
        body.push(Literal::Holds(rest_atom));
        self.program.add(Self::clause(head, body));
        Ok(true)
    }

    /// The table of the values of an argument of a kind of move.
    fn values_of(&mut self, kind: &MoveKind, place: usize) -> Result<Symbol, NotApplicable> {
        let refused = || NotApplicable::OpenMove {
            role: self.program.terms.text(self.program.roles[kind.role]),
        };
        let domains = self.move_domains(kind).ok_or_else(refused)?;
        if self.domains.functions(domains[place]).next().is_some() {
            return Err(refused());
        }
        let constants: Vec<Symbol> = self.domains.constants(domains[place]).collect();
        let text = kind_text(&self.program, "values", kind);
        let name = self.program.name(&text);
        for constant in constants {
            let value = self.program.compound(constant, Vec::new());
            self.program.add(Clause {
                head: Atom {
                    name,
                    args: vec![value],
                },
                body: Vec::new(),
                variables: 0,
            });
        }
        Ok(name)
    }

    /// The values of a group of the suffix come from the move of the test stage.
    fn write_suffix_values(&mut self, group: &Group, head: &Atom) {
        for number in 0..self.classes.len() {
            let class = &self.classes[number];
            let kind = &self.kinds[class.kind];
            let Some(functor) = class.suffix else {
                continue;
            };
            if Some(kind.kind) != group.kind {
                continue;
            }
            let mut next = group.places.len() as u32;
            let args: Vec<Pattern> = kind
                .suffix
                .iter()
                .map(|place| match group.places.iter().position(|p| p == place) {
                    Some(i) => Pattern::Variable(i as u32),
                    None => {
                        next += 1;
                        Pattern::Variable(next - 1)
                    }
                })
                .collect();
            let role = kind.kind.role;
            let move_ = self.program.compound(functor, args);
            let does = Literal::Holds(Atom {
                name: self.program.names.does,
                args: vec![Pattern::Ground(self.program.roles[role]), move_],
            });
            self.program.add(Self::clause(head.clone(), vec![does]));
        }
    }

    /// Normalises the staged rules and describes them.
    fn finish(
        mut self,
        stages: &[(Pattern, Pattern, Vec<usize>)],
        [moved, ending, fail, take, idle]: [&Pattern; 5],
        has_suffix: Vec<bool>,
        remembers_failures: bool,
        known: &FxHashMap<MoveKind, Pattern>,
    ) -> Result<StagedGame, NotApplicable> {
        let mut classes = Vec::new();
        for number in 0..self.classes.len() {
            let count = self.kinds[self.classes[number].kind].prefix.len() as u32;
            let args: Vec<Pattern> = (0..count).map(Pattern::Variable).collect();
            let fluents = self.remembered(number, &args);
            let class = &self.classes[number];
            let kind = &self.kinds[class.kind];
            let terms = &self.program.terms;
            let name = |symbol: Symbol| terms.symbols.name(symbol).to_owned();
            let source = |place: usize| {
                let at = |list: &[usize]| list.iter().position(|p| *p == place);
                if let Some(i) = at(&kind.prefix) {
                    ArgumentSource::Prefix(i)
                } else if let Some(i) = at(&kind.suffix) {
                    ArgumentSource::Suffix(i)
                } else if let Some(i) = kind.determined.iter().position(|d| d.place == place) {
                    ArgumentSource::Determined(i)
                } else {
                    match at(&kind.split).map(|i| &class.constants[i]) {
                        Some(Pattern::Ground(id)) => ArgumentSource::Constant(terms.text(*id)),
                        _ => ArgumentSource::Constant(String::new()),
                    }
                }
            };
            let remembered = fluents.iter().map(|(_, fluent, places)| {
                let functor = match fluent {
                    Pattern::Ground(id) => terms.functor(*id),
                    Pattern::Compound(functor, _) => *functor,
                    Pattern::Variable(_) => kind.kind.functor,
                };
                (
                    name(functor),
                    places.iter().map(|place| source(*place)).collect(),
                )
            });
            let determined = kind.determined.iter().map(|one| DeterminedArgument {
                functor: name(one.functor),
                arguments: one
                    .places
                    .iter()
                    .map(|place| (*place != one.place).then(|| source(*place)))
                    .collect(),
                values: kind
                    .rules
                    .iter()
                    .filter_map(|rule| match rule.head.args[one.place] {
                        Pattern::Ground(id) => Some(terms.text(id)),
                        _ => None,
                    })
                    .collect(),
            });
            let groups = kind.groups.iter().map(|id| ArgumentGroup {
                places: self.groups[*id].places.clone(),
                is_suffix: self.groups[*id].is_suffix,
            });
            classes.push(MoveClass {
                determined: determined.collect(),
                groups: groups.collect(),
                role: kind.kind.role,
                functor: name(kind.kind.functor),
                arguments: (0..kind.kind.arity).map(source).collect(),
                prefix: name(class.prefix),
                suffix: class.suffix.map(name),
                remembered: remembered.collect(),
                tried: name(class.tried),
                known: known.get(&kind.kind).map(|fluent| match fluent {
                    Pattern::Ground(id) => terms.text(*id),
                    _ => String::new(),
                }),
            });
        }
        let text = self.program.text();
        let rules = Rules::from_text(&text).map_err(|problems| NotApplicable::Invalid {
            message: problems
                .first()
                .map(|p| p.message.clone())
                .unwrap_or_default(),
        })?;
        let constant = |pattern: &Pattern| match pattern {
            Pattern::Ground(id) => self.program.terms.text(*id),
            _ => String::new(),
        };
        let turns = self.turns.as_ref().map(|turns| {
            let both = turns.control.iter().zip(&turns.passive);
            both.map(|(control, passive)| {
                (
                    self.program.terms.text(*control),
                    self.program.terms.symbols.name(passive.functor).to_owned(),
                )
            })
            .collect()
        });
        Ok(StagedGame {
            rules: Arc::new(rules),
            stages: stages
                .iter()
                .map(|(draw, test, roles)| StageOfRole {
                    draw: constant(draw),
                    test: constant(test),
                    roles: roles.clone(),
                })
                .collect(),
            moved: constant(moved),
            ending: constant(ending),
            fail: constant(fail),
            take: constant(take),
            idle: constant(idle),
            has_suffix,
            classes,
            remembers_failures,
            assumed: Vec::new(),
            broken: None,
            asks_for_moves: !self.asked.kinds.is_empty(),
            shared: self.is_shared(),
            turns,
            text,
        })
    }
}

/// Replaces a relation without arguments in the body of a clause.
fn rename_in_body(clause: &mut Clause, from: (Symbol, usize), to: &Atom) {
    for literal in &mut clause.body {
        if let Literal::Holds(atom) | Literal::Fails(atom) = literal
            && atom.key() == from
        {
            *atom = to.clone();
        }
    }
}
