//! How the fluents and moves of the staged network stand for those of the original game.

use ludorum_factor::{ArgumentSource, FluentPattern, MoveClass, StagedGame};
use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};
use ludorum_propnet::Network;
use ludorum_propnet::ground_game::BitState;
use ludorum_reasoner::Role;
use ludorum_reasoner::vocabulary::Vocabulary;
use rustc_hash::{FxHashMap, FxHashSet};

/// The fluents that give an argument its value, with the values.
type ValueFluents = Box<[(u32, TermId)]>;

/// A prefix of a move: a move of the draw stage.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) role: Role,
    /// The move of the network, numbered over all roles.
    pub(super) action: usize,
    pub(super) class: usize,
    /// The arguments, as terms of the original game.
    pub(super) args: Box<[TermId]>,
    /// The fluents that remember the candidate.
    pub(super) remembered: Box<[u32]>,
    /// The fluent that remembers that the candidate failed.
    pub(super) tried: Option<u32>,
    /// For each argument that the state determines, the fluents that can, with their values.
    pub(super) determined: Box<[ValueFluents]>,
}

impl Leaf {
    /// Whether each argument that the state determines has one value.
    pub(super) fn is_clear(&self, state: &BitState) -> bool {
        self.determined.iter().all(|values| {
            let mut held = values
                .iter()
                .filter(|(fluent, _)| state.get(*fluent as usize));
            held.next().is_some() && held.next().is_none()
        })
    }
}

/// A suffix of a move: a move of the test stage.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub(super) action: usize,
    /// The class that the suffix belongs to; `None` for a candidate that is a whole move.
    pub(super) class: Option<usize>,
    pub(super) args: Box<[TermId]>,
}

/// A pair of stages.
#[derive(Clone, Debug)]
pub(super) struct StagePair {
    pub(super) draw: u32,
    pub(super) test: u32,
    /// The roles that choose.
    pub(super) roles: Vec<Role>,
}

/// The fluents of a functor by the place of an argument and the other arguments, with the value of
/// that argument.
type FluentsByRest = FxHashMap<(Symbol, usize, Vec<TermId>), Vec<(u32, TermId)>>;

/// All tables.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) classes: Vec<MoveClass>,
    /// The functor or constant of each class, as a term of the original game.
    class_names: Vec<String>,
    class_constants: Vec<Vec<Option<TermId>>>,
    pub(super) leaves: Vec<Leaf>,
    /// The leaf of each move of the network.
    pub(super) leaf_of: FxHashMap<usize, u32>,
    leaf_by_args: FxHashMap<(usize, Box<[TermId]>), u32>,
    pub(super) rests: Vec<Rest>,
    pub(super) rest_of: FxHashMap<usize, u32>,
    rest_by_args: FxHashMap<(usize, Box<[TermId]>), u32>,
    /// The whole-candidate move of each role.
    take: Vec<Option<u32>>,
    pub(super) fail: Vec<Option<usize>>,
    pub(super) idle: Vec<Option<usize>>,
    pub(super) stages: Vec<StagePair>,
    pub(super) moved: u32,
    /// The fluents of the original game.
    pub(super) original: BitState,
    /// Each fluent as a term of the original game.
    pub(super) fluent_terms: Vec<TermId>,
    pub(super) known: Vec<Option<u32>>,
    /// The fluent of the turn and the passive move of each role.
    pub(super) turns: Option<Vec<(u32, TermId)>>,
    pub(super) asks_for_moves: bool,
    /// Whether the first role draws for the role that has the turn.
    pub(super) shared: bool,
    /// Sets of fluents of which exactly one is assumed to hold in every state.
    pub(super) assumed: Vec<BitState>,
    /// Fluents of the staged game that hold in a test stage whatever the candidate is.
    free: Vec<u32>,
}

impl Tables {
    /// Builds the tables; `None` if the network lacks a fluent that every staged game has.
    pub(super) fn new(
        staged: &StagedGame,
        network: &Network,
        vocabulary: &mut Vocabulary,
    ) -> Option<Self> {
        let game = &network.game;
        let terms = &*game.terms;
        let mut fluents: FxHashMap<TermId, u32> = FxHashMap::default();
        for (i, term) in game.fluent_terms.iter().enumerate() {
            fluents.insert(*term, i as u32);
        }
        let mut by_rest: FluentsByRest = FluentsByRest::default();
        let mut wanted: Vec<(Symbol, usize)> = Vec::new();
        for argument in staged.classes.iter().flat_map(|class| &class.determined) {
            let at = argument.arguments.iter().position(Option::is_none)?;
            let one = (terms.symbols.get(&argument.functor)?, at);
            if !wanted.contains(&one) {
                wanted.push(one);
            }
        }
        for (i, term) in game.fluent_terms.iter().enumerate() {
            for (functor, at) in &wanted {
                let args = terms.args(*term);
                if terms.functor(*term) == *functor && *at < args.len() {
                    let mut rest = args.to_vec();
                    let value = rest.remove(*at);
                    let list = by_rest.entry((*functor, *at, rest)).or_default();
                    list.push((i as u32, value));
                }
            }
        }
        let by_text = |text: &str| {
            let i = game.fluents.iter().position(|fluent| &**fluent == text);
            i.map(|i| i as u32)
        };
        let own = own_functors(staged);
        let mut original = BitState::empty(game.fluents.len());
        for (i, term) in game.fluent_terms.iter().enumerate() {
            let name = terms.symbols.name(terms.functor(*term));
            original.set(i, !own.contains(name));
        }
        let mut translation = Translation::default();
        let fluent_terms = game
            .fluent_terms
            .iter()
            .map(|term| translation.term(*term, terms, vocabulary))
            .collect();
        let roles = game.roles.len();
        let mut tables = Self {
            classes: staged.classes.clone(),
            class_names: staged
                .classes
                .iter()
                .map(|class| class.functor.clone())
                .collect(),
            class_constants: Vec::new(),
            leaves: Vec::new(),
            leaf_of: FxHashMap::default(),
            leaf_by_args: FxHashMap::default(),
            rests: Vec::new(),
            rest_of: FxHashMap::default(),
            rest_by_args: FxHashMap::default(),
            take: vec![None; roles],
            fail: vec![None; roles],
            idle: vec![None; roles],
            stages: Vec::new(),
            moved: by_text(&staged.moved)?,
            original,
            fluent_terms,
            known: Vec::new(),
            turns: None,
            asks_for_moves: staged.asks_for_moves,
            shared: staged.shared,
            assumed: staged
                .assumed
                .iter()
                .map(|pattern| matching(pattern, &game.fluent_terms, terms))
                .collect(),
            free: by_text(&staged.ending).into_iter().collect(),
        };
        for stage in &staged.stages {
            tables.stages.push(StagePair {
                draw: by_text(&stage.draw)?,
                test: by_text(&stage.test)?,
                roles: stage.roles.clone(),
            });
        }
        for class in &staged.classes {
            let constants = class.arguments.iter().map(|source| match source {
                ArgumentSource::Constant(text) => vocabulary
                    .parse(text)
                    .ok()
                    .and_then(|terms| terms.first().copied()),
                _ => None,
            });
            tables.class_constants.push(constants.collect());
            tables.known.push(class.known.as_deref().and_then(by_text));
        }
        let prefixes: FxHashMap<&str, usize> = names(staged, |class| Some(&class.prefix));
        let suffixes: FxHashMap<&str, usize> = names(staged, |class| class.suffix.as_deref());
        for role in 0..roles {
            let first = game.moves_of(role).start;
            for (i, term) in game.move_terms(role).iter().enumerate() {
                let action = first + i;
                let name = terms.symbols.name(terms.functor(*term));
                let parts = terms.args(*term);
                if let Some(class) = prefixes.get(name) {
                    let leaf = tables.leaf(
                        *class,
                        role,
                        action,
                        parts,
                        terms,
                        &fluents,
                        &by_rest,
                        |part| translation.term(part, terms, vocabulary),
                    )?;
                    let number = tables.leaves.len() as u32;
                    tables.leaf_of.insert(action, number);
                    tables
                        .leaf_by_args
                        .insert((*class, leaf.args.clone()), number);
                    tables.leaves.push(leaf);
                } else if let Some(class) = suffixes.get(name) {
                    let args: Box<[TermId]> = parts
                        .iter()
                        .map(|part| translation.term(*part, terms, vocabulary))
                        .collect();
                    let number = tables.rests.len() as u32;
                    tables.rest_of.insert(action, number);
                    tables.rest_by_args.insert((*class, args.clone()), number);
                    tables.rests.push(Rest {
                        action,
                        class: Some(*class),
                        args,
                    });
                } else if name == staged.take {
                    let number = tables.rests.len() as u32;
                    tables.rest_of.insert(action, number);
                    tables.take[role] = Some(number);
                    tables.rests.push(Rest {
                        action,
                        class: None,
                        args: Box::default(),
                    });
                } else if name == staged.fail {
                    tables.fail[role] = Some(action);
                } else if name == staged.idle {
                    tables.idle[role] = Some(action);
                }
            }
        }
        tables
            .free
            .extend(tables.leaves.iter().filter_map(|leaf| leaf.tried));
        tables.free.extend(tables.known.iter().flatten());
        if let Some(turns) = &staged.turns {
            let turns: Option<Vec<(u32, TermId)>> = turns
                .iter()
                .map(|(control, passive)| {
                    let passive = vocabulary.parse(passive).ok()?.first().copied()?;
                    Some((by_text(control)?, passive))
                })
                .collect();
            tables.turns = Some(turns?);
        }
        Some(tables)
    }

    #[allow(clippy::too_many_arguments)] // the tables that a leaf is looked up in
    fn leaf(
        &self,
        class: usize,
        role: Role,
        action: usize,
        parts: &[TermId],
        terms: &Terms,
        fluents: &FxHashMap<TermId, u32>,
        by_rest: &FluentsByRest,
        mut translate: impl FnMut(TermId) -> TermId,
    ) -> Option<Leaf> {
        let description = &self.classes[class];
        let find = |functor: &str, args: &[TermId]| {
            let symbol = terms.symbols.get(functor)?;
            fluents.get(&terms.get(symbol, args)?).copied()
        };
        let mut determined = Vec::new();
        for argument in &description.determined {
            let symbol = terms.symbols.get(&argument.functor)?;
            let at = argument.arguments.iter().position(Option::is_none)?;
            let wanted: Option<Vec<TermId>> = argument
                .arguments
                .iter()
                .flatten()
                .map(|source| match source {
                    ArgumentSource::Prefix(i) => parts.get(*i).copied(),
                    ArgumentSource::Constant(text) => find_term(terms, text),
                    ArgumentSource::Suffix(_) | ArgumentSource::Determined(_) => None,
                })
                .collect();
            let key = (symbol, at, wanted?);
            let list = by_rest.get(&key).map_or(&[][..], Vec::as_slice);
            let list = list
                .iter()
                .filter(|(_, value)| argument.values.contains(&terms.text(*value)));
            let values = list.map(|(fluent, value)| (*fluent, translate(*value)));
            determined.push(values.collect());
        }
        let mut remembered = Vec::new();
        for (functor, sources) in &description.remembered {
            let args: Option<Vec<TermId>> = sources
                .iter()
                .map(|source| match source {
                    ArgumentSource::Prefix(i) => parts.get(*i).copied(),
                    ArgumentSource::Constant(text) => find_term(terms, text),
                    ArgumentSource::Suffix(_) | ArgumentSource::Determined(_) => None,
                })
                .collect();
            remembered.push(find(functor, &args?)?);
        }
        Some(Leaf {
            role,
            action,
            class,
            args: parts.iter().map(|part| translate(*part)).collect(),
            remembered: remembered.into(),
            tried: find(&description.tried, parts),
            determined: determined.into(),
        })
    }

    /// The move of the original game: a term of the vocabulary.
    pub(super) fn move_term(
        &self,
        state: &BitState,
        leaf: u32,
        rest: u32,
        vocabulary: &mut Vocabulary,
    ) -> TermId {
        let (leaf, rest) = (&self.leaves[leaf as usize], &self.rests[rest as usize]);
        let class = &self.classes[leaf.class];
        let constants = &self.class_constants[leaf.class];
        let args: Vec<TermId> = class
            .arguments
            .iter()
            .zip(constants)
            .filter_map(|(source, constant)| match source {
                ArgumentSource::Constant(_) => *constant,
                ArgumentSource::Prefix(i) => leaf.args.get(*i).copied(),
                ArgumentSource::Suffix(i) => rest.args.get(*i).copied(),
                ArgumentSource::Determined(i) => {
                    let mut values = leaf.determined[*i].iter();
                    let value = values.find(|(fluent, _)| state.get(*fluent as usize));
                    value.map(|(_, value)| *value)
                }
            })
            .collect();
        vocabulary.intern_named(&self.class_names[leaf.class], &args)
    }

    /// The prefix and the suffix of a move of the original game.
    pub(super) fn parts_of(
        &self,
        state: &BitState,
        role: Role,
        move_: TermId,
        vocabulary: &Vocabulary,
    ) -> Option<(u32, u32)> {
        let terms = vocabulary.terms();
        let name = terms.symbols.name(terms.functor(move_));
        let args = terms.args(move_);
        (0..self.classes.len()).find_map(|number| {
            let class = &self.classes[number];
            let is_of_role = class.role == role || self.shared;
            if !is_of_role || class.functor != name || class.arguments.len() != args.len() {
                return None;
            }
            let mut prefix: Vec<(usize, TermId)> = Vec::new();
            let mut suffix: Vec<(usize, TermId)> = Vec::new();
            let mut determined: Vec<(usize, TermId)> = Vec::new();
            for (i, arg) in args.iter().enumerate() {
                match &class.arguments[i] {
                    ArgumentSource::Constant(_) => {
                        if self.class_constants[number][i] != Some(*arg) {
                            return None;
                        }
                    }
                    ArgumentSource::Prefix(at) => prefix.push((*at, *arg)),
                    ArgumentSource::Suffix(at) => suffix.push((*at, *arg)),
                    ArgumentSource::Determined(at) => determined.push((*at, *arg)),
                }
            }
            let in_order = |mut list: Vec<(usize, TermId)>| -> Box<[TermId]> {
                list.sort_unstable_by_key(|(at, _)| *at);
                list.into_iter().map(|(_, arg)| arg).collect()
            };
            let leaf = self.leaf_by_args.get(&(number, in_order(prefix)))?;
            let of_leaf = &self.leaves[*leaf as usize].determined;
            let is_there = |(at, value): &(usize, TermId)| {
                let mut fluents = of_leaf[*at].iter();
                fluents.any(|(fluent, v)| v == value && state.get(*fluent as usize))
            };
            if !determined.iter().all(is_there) {
                return None;
            }
            let rest = if class.suffix.is_some() {
                *self.rest_by_args.get(&(number, in_order(suffix)))?
            } else {
                self.take[class.role]?
            };
            Some((*leaf, rest))
        })
    }

    /// Whether a fluent of the staged game may hold in a test stage whatever the candidate is.
    pub(super) fn may_hold(&self, fluent: u32) -> bool {
        self.free.contains(&fluent)
    }

    /// Whether a suffix can complete a prefix.
    pub(super) fn fits(&self, leaf: u32, rest: u32) -> bool {
        let class = self.leaves[leaf as usize].class;
        match self.rests[rest as usize].class {
            Some(own) => own == class,
            None => self.classes[class].suffix.is_none(),
        }
    }
}

/// The term with a text; `None` if there is none.
fn find_term(terms: &Terms, text: &str) -> Option<TermId> {
    // The terms of each open parenthesis: a functor and its arguments so far.
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<(Option<&str>, Vec<TermId>)> = vec![(None, Vec::new())];
    for word in spaced.split_whitespace() {
        let term = match word {
            "(" => {
                open.push((None, Vec::new()));
                continue;
            }
            ")" => {
                let (functor, args) = open.pop()?;
                terms.get(terms.symbols.get(functor?)?, &args)?
            }
            name => {
                let is_outside = open.len() == 1;
                match open.last_mut()? {
                    (functor @ None, _) if !is_outside => {
                        *functor = Some(name);
                        continue;
                    }
                    _ => terms.get(terms.symbols.get(name)?, &[])?,
                }
            }
        };
        open.last_mut()?.1.push(term);
    }
    match open.pop()?.1[..] {
        [term] => Some(term),
        _ => None,
    }
}

/// The fluents that match a pattern.
fn matching(pattern: &FluentPattern, fluents: &[TermId], terms: &Terms) -> BitState {
    let mut found = BitState::empty(fluents.len());
    for (i, fluent) in fluents.iter().enumerate() {
        let args = terms.args(*fluent);
        let wanted = pattern.arguments.iter().zip(args);
        let fits = terms.symbols.name(terms.functor(*fluent)) == pattern.functor
            && args.len() == pattern.arguments.len()
            && wanted
                .filter_map(|(text, arg)| Some((text.as_deref()?, arg)))
                .all(|(text, arg)| terms.text(*arg) == text);
        found.set(i, fits);
    }
    found
}

/// The classes by a name.
fn names<'s>(
    staged: &'s StagedGame,
    name: impl Fn(&'s MoveClass) -> Option<&'s str>,
) -> FxHashMap<&'s str, usize> {
    let classes = staged.classes.iter().enumerate();
    classes
        .filter_map(|(i, class)| Some((name(class)?, i)))
        .collect()
}

/// The functors of the fluents that only the staged game has.
fn own_functors(staged: &StagedGame) -> FxHashSet<String> {
    let mut own: FxHashSet<String> = FxHashSet::default();
    let mut add = |name: &str| {
        own.insert(name.to_owned());
    };
    add(&staged.moved);
    add(&staged.ending);
    if let Some(broken) = &staged.broken {
        add(broken);
    }
    for stage in &staged.stages {
        add(&stage.draw);
        add(&stage.test);
    }
    for class in &staged.classes {
        add(&class.tried);
        if let Some(known) = &class.known {
            add(known);
        }
        for (functor, _) in &class.remembered {
            add(functor);
        }
    }
    own
}

/// Translates terms of the staged game to those of the original one.
#[derive(Debug, Default)]
struct Translation {
    known: FxHashMap<TermId, TermId>,
}

impl Translation {
    /// Recursive; terms are as deep as those of the sheet, which are limited.
    fn term(&mut self, term: TermId, from: &Terms, to: &mut Vocabulary) -> TermId {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        let args: Vec<TermId> = from
            .args(term)
            .to_vec()
            .into_iter()
            .map(|arg| self.term(arg, from, to))
            .collect();
        let name = from.symbols.name(from.functor(term));
        let id = to.intern_named(name, &args);
        self.known.insert(term, id);
        id
    }
}
