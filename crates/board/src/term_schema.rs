//! Schemas: the facts or moves of one shape, with the values that occur at each leaf.

use ludorum_logic::rule::{Atom, Literal, Pattern};
use ludorum_logic::{Domains, Rules};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat_term::FlatTerm;
use crate::sample::StateSample;

/// Maximum number of schemas.
const MAX_FORMS: usize = 400;
/// Maximum number of facts of a sample.
const MAX_FACTS: usize = 8_000;
/// Maximum number of moves of a sample.
const MAX_MOVES: usize = 1_500;
/// Maximum depth of patterns.
const MAX_DEPTH: usize = 8;

/// The values at the leaves of one fact.
pub(crate) type LeafValues = Vec<String>;

/// All sampled facts, or all sampled moves, of one shape.
#[derive(Debug)]
pub(crate) struct TermSchema {
    /// The functor.
    pub(crate) name: String,
    /// See [`FlatTerm::shape`].
    pub(crate) shape: String,
    /// The number of leaves.
    pub(crate) arity: usize,
    /// The sampled values, by leaf.
    pub(crate) seen: Vec<Vec<String>>,
    /// The values in the domain of the rules, by leaf, if the domain is known.
    pub(crate) allowed: Vec<Option<Vec<String>>>,
    /// The names of the variables at each leaf in the rules, with their frequency.
    pub(crate) variables: Vec<FxHashMap<String, usize>>,
    /// The facts of this schema, by sample.
    pub(crate) states: Vec<Vec<LeafValues>>,
}

impl TermSchema {
    /// The values of a leaf: its domain if known, otherwise the sampled values.
    pub(crate) fn values(&self, leaf: usize) -> &[String] {
        match &self.allowed[leaf] {
            Some(allowed) => allowed,
            None => &self.seen[leaf],
        }
    }

    /// All facts of all samples.
    pub(crate) fn all(&self) -> impl Iterator<Item = &LeafValues> {
        self.states.iter().flatten()
    }

    /// The samples that have facts of this schema.
    pub(crate) fn nonempty_states(&self) -> impl Iterator<Item = &Vec<LeafValues>> {
        self.states.iter().filter(|state| !state.is_empty())
    }

    /// How well some leaves identify a fact of a state: the fraction of distinct keys, 1 if no two
    /// facts agree in all of these leaves.
    pub(crate) fn key_ratio(&self, leaves: &[usize]) -> f64 {
        let mut facts = 0;
        let mut keys = 0;
        for state in self.nonempty_states() {
            facts += state.len();
            let distinct: FxHashSet<Vec<&str>> = state
                .iter()
                .map(|fact| leaves.iter().map(|leaf| fact[*leaf].as_str()).collect())
                .collect();
            keys += distinct.len();
        }
        ratio(keys, facts)
    }

    /// Whether a leaf has the same set of values in every sample that has facts of this schema.
    pub(crate) fn has_constant_values(&self, leaf: usize) -> bool {
        let mut before: Option<FxHashSet<&str>> = None;
        for state in self.nonempty_states() {
            let now: FxHashSet<&str> = state.iter().map(|fact| fact[leaf].as_str()).collect();
            if before.as_ref().is_some_and(|before| *before != now) {
                return false;
            }
            before = Some(now);
        }
        before.is_some()
    }

    /// The maximum number of facts of one sample.
    pub(crate) fn max_facts(&self) -> usize {
        self.states.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The ratio of two counts; 0 if the second is 0.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

/// The schemas of all sampled facts and of the flat fluents in the domains of the rules.
pub(crate) fn of_facts(
    rules: &Rules,
    domains: &Domains,
    samples: &[StateSample],
) -> Vec<TermSchema> {
    let texts = samples
        .iter()
        .map(|sample| sample.facts.iter().take(MAX_FACTS).collect());
    let mut schemas = collect(texts);
    let keywords = &rules.keywords;
    let relations = [keywords.true_, keywords.next, keywords.init];
    complete(&mut schemas, rules, domains, &relations, 0, samples.len());
    schemas
}

/// The schemas of all moves.
pub(crate) fn of_moves(
    rules: &Rules,
    domains: &Domains,
    samples: &[StateSample],
) -> Vec<TermSchema> {
    let texts = samples.iter().map(|sample| {
        let mut texts: Vec<&String> = Vec::new();
        for moves in &sample.legal {
            texts.extend(moves.iter().take(MAX_MOVES));
        }
        texts.sort_unstable();
        texts.dedup();
        texts
    });
    let mut schemas = collect(texts);
    let relations = [rules.keywords.legal, rules.keywords.does];
    complete(&mut schemas, rules, domains, &relations, 1, samples.len());
    schemas
}

fn collect<'t>(samples: impl Iterator<Item = Vec<&'t String>>) -> Vec<TermSchema> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut seen: Vec<Vec<FxHashSet<String>>> = Vec::new();
    let mut schemas: Vec<TermSchema> = Vec::new();
    let mut count = 0;
    for (number, texts) in samples.enumerate() {
        count = number + 1;
        for text in texts {
            let term = FlatTerm::read(text);
            let at = match places.get(&term.shape) {
                Some(at) => *at,
                None if schemas.len() < MAX_FORMS => {
                    places.insert(term.shape.clone(), schemas.len());
                    seen.push(vec![FxHashSet::default(); term.leaves.len()]);
                    schemas.push(blank(&term));
                    schemas.len() - 1
                }
                None => continue,
            };
            let schema = &mut schemas[at];
            if schema.arity != term.leaves.len() {
                continue;
            }
            for (leaf, value) in term.leaves.iter().enumerate() {
                if seen[at][leaf].insert(value.clone()) {
                    schema.seen[leaf].push(value.clone());
                }
            }
            if schema.states.len() <= number {
                schema.states.resize(number + 1, Vec::new());
            }
            schema.states[number].push(term.leaves);
        }
    }
    for schema in &mut schemas {
        schema.states.resize(count, Vec::new());
    }
    schemas
}

fn blank(term: &FlatTerm) -> TermSchema {
    let arity = term.leaves.len();
    TermSchema {
        name: term.name.clone(),
        shape: term.shape.clone(),
        arity,
        seen: vec![Vec::new(); arity],
        allowed: vec![None; arity],
        variables: vec![FxHashMap::default(); arity],
        states: Vec::new(),
    }
}

/// Adds the domains and variable names of the rules, and the flat schemas that were not sampled.
fn complete(
    schemas: &mut Vec<TermSchema>,
    rules: &Rules,
    domains: &Domains,
    relations: &[ludorum_logic::rule::RelationId],
    place: usize,
    samples: usize,
) {
    let symbols = &rules.terms.symbols;
    let root = domains.argument(relations[0], place);
    for (name, args) in domains.functions(root) {
        let name = symbols.name(name);
        let shape = format!("({name}{})", " _".repeat(args.len()));
        let flat = args
            .iter()
            .all(|arg| domains.functions(*arg).next().is_none());
        if !flat {
            continue;
        }
        let at = schemas.iter().position(|schema| schema.shape == shape);
        let at = match at {
            Some(at) => at,
            None if schemas.len() < MAX_FORMS => {
                let term = FlatTerm {
                    name: name.to_owned(),
                    shape,
                    leaves: vec![String::new(); args.len()],
                };
                let mut schema = blank(&term);
                schema.states.resize(samples, Vec::new());
                schemas.push(schema);
                schemas.len() - 1
            }
            None => continue,
        };
        let schema = &mut schemas[at];
        if schema.arity != args.len() {
            continue;
        }
        for (leaf, arg) in args.iter().enumerate() {
            let allowed = domains.constants(*arg).map(|s| symbols.name(s).to_owned());
            schema.allowed[leaf] = Some(allowed.collect());
        }
    }
    let places: FxHashMap<String, usize> = schemas
        .iter()
        .enumerate()
        .map(|(at, schema)| (schema.shape.clone(), at))
        .collect();
    for rule in &rules.rules {
        let body = rule.body.iter().filter_map(Literal::atom);
        for atom in body.chain(std::iter::once(&rule.head)) {
            if let Some((shape, leaves)) = pattern_of(atom, relations, place, rules)
                && let Some(at) = places.get(&shape)
            {
                for (leaf, variable) in leaves.iter().enumerate() {
                    if let (Some(variable), Some(names)) =
                        (variable, schemas[*at].variables.get_mut(leaf))
                        && let Some(name) = rule.variables.get(*variable as usize)
                    {
                        let name = symbols.name(*name).to_ascii_lowercase();
                        *names.entry(name).or_default() += 1;
                    }
                }
            }
        }
    }
}

/// The shape of the fluent or move of an atom, with the variable at each leaf.
fn pattern_of(
    atom: &Atom,
    relations: &[ludorum_logic::rule::RelationId],
    place: usize,
    rules: &Rules,
) -> Option<(String, Vec<Option<u32>>)> {
    if !relations.contains(&atom.relation) {
        return None;
    }
    let mut shape = String::new();
    let mut leaves = Vec::new();
    shape_of(atom.args.get(place)?, rules, &mut shape, &mut leaves, 0)?;
    Some((shape, leaves))
}

fn shape_of(
    pattern: &Pattern,
    rules: &Rules,
    shape: &mut String,
    leaves: &mut Vec<Option<u32>>,
    depth: usize,
) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    match pattern {
        Pattern::Variable(variable) => {
            shape.push_str(" _");
            leaves.push(Some(*variable));
        }
        Pattern::Ground(id) => {
            let term = FlatTerm::read(&rules.terms.text(*id));
            if term.leaves.is_empty() {
                shape.push_str(" _");
                leaves.push(None);
            } else {
                if !shape.is_empty() {
                    shape.push(' ');
                }
                shape.push_str(&term.shape);
                leaves.extend(term.leaves.iter().map(|_| None));
            }
        }
        Pattern::Compound(name, args) => {
            if !shape.is_empty() {
                shape.push(' ');
            }
            shape.push('(');
            shape.push_str(rules.terms.symbols.name(*name));
            for arg in args {
                shape_of(arg, rules, shape, leaves, depth + 1)?;
            }
            shape.push(')');
        }
    }
    Some(())
}
