//! The staged rules, put together from the parts.

mod candidate_values;
mod description;
mod kinds;
mod leaf_rules;
mod preparation;

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Pattern, Variable};
use ludorum_logic::{Domains, Rules, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use self::preparation::{check_fluents, expand_fluents, name_negated_moves};
use crate::asks::{Asked, replace_questions};
use crate::assumptions::Assumptions;
use crate::candidate::{Binder, CandidateAtom};
use crate::determined::Determined;
use crate::error::NotApplicable;
use crate::groups::Group;
use crate::leaves::{Sizes, certain_conditions, early_conditions, on_prefix};
use crate::moves::{MoveKind, MoveRule, MoveRules, Tables, move_rules};
use crate::options::{StageOptions, TurnStages};
use crate::program::{Atom, Clause, Literal, Program};
use crate::staged::StagedGame;
use crate::turns::Turns;

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
