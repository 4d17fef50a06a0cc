//! The forms of facts and moves: all that share a shape, with the values that their leaves take.

use ludorum_logic::rule::{Atom, Literal, Pattern};
use ludorum_logic::{Domains, Rules};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sample::StateSample;
use crate::term::Term;

/// Forms beyond this number are not looked at.
const MAX_FORMS: usize = 400;
/// Facts of one sample beyond this number are not looked at.
const MAX_FACTS: usize = 8_000;
/// Moves of one sample beyond this number are not looked at.
const MAX_MOVES: usize = 1_500;
/// Patterns are not followed deeper than this.
const MAX_DEPTH: usize = 8;

/// The leaves of one fact.
pub(crate) type Leaves = Vec<String>;

/// All facts, or all moves, of one shape.
#[derive(Debug)]
pub(crate) struct Form {
    /// The outermost name.
    pub(crate) name: String,
    /// See [`Term::shape`].
    pub(crate) shape: String,
    /// How many leaves there are.
    pub(crate) arity: usize,
    /// By leaf, the values seen in samples.
    pub(crate) seen: Vec<Vec<String>>,
    /// By leaf, the values that the rules allow, where that is known.
    pub(crate) allowed: Vec<Option<Vec<String>>>,
    /// By leaf, what the variables there are called in the rules, with how often.
    pub(crate) variables: Vec<FxHashMap<String, usize>>,
    /// By sample, the facts of this form.
    pub(crate) states: Vec<Vec<Leaves>>,
}

impl Form {
    /// The values of a leaf: what the rules allow, or else what was seen.
    pub(crate) fn values(&self, leaf: usize) -> &[String] {
        match &self.allowed[leaf] {
            Some(allowed) => allowed,
            None => &self.seen[leaf],
        }
    }

    /// All facts of all samples.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Leaves> {
        self.states.iter().flatten()
    }

    /// The samples that have facts of this form.
    pub(crate) fn inhabited(&self) -> impl Iterator<Item = &Vec<Leaves>> {
        self.states.iter().filter(|state| !state.is_empty())
    }

    /// How well some leaves tell the facts of a state apart: 1 if no two facts agree in all of
    /// them.
    pub(crate) fn keyness(&self, leaves: &[usize]) -> f64 {
        let mut facts = 0;
        let mut keys = 0;
        for state in self.inhabited() {
            facts += state.len();
            let distinct: FxHashSet<Vec<&str>> = state
                .iter()
                .map(|fact| leaves.iter().map(|leaf| fact[*leaf].as_str()).collect())
                .collect();
            keys += distinct.len();
        }
        share(keys, facts)
    }

    /// Whether a leaf has the same values in every sample that has facts of this form.
    pub(crate) fn is_total(&self, leaf: usize) -> bool {
        let mut before: Option<FxHashSet<&str>> = None;
        for state in self.inhabited() {
            let now: FxHashSet<&str> = state.iter().map(|fact| fact[leaf].as_str()).collect();
            if before.as_ref().is_some_and(|before| *before != now) {
                return false;
            }
            before = Some(now);
        }
        before.is_some()
    }

    /// The most facts of one sample.
    pub(crate) fn most(&self) -> usize {
        self.states.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// A part of a whole.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

/// The forms of all facts that were seen or that the rules can make.
pub(crate) fn of_facts(rules: &Rules, domains: &Domains, samples: &[StateSample]) -> Vec<Form> {
    let texts = samples
        .iter()
        .map(|sample| sample.facts.iter().take(MAX_FACTS).collect());
    let mut forms = collect(texts);
    let keywords = &rules.keywords;
    let relations = [keywords.true_, keywords.next, keywords.init];
    complete(&mut forms, rules, domains, &relations, 0, samples.len());
    forms
}

/// The forms of all moves.
pub(crate) fn of_moves(rules: &Rules, domains: &Domains, samples: &[StateSample]) -> Vec<Form> {
    let texts = samples.iter().map(|sample| {
        let mut texts: Vec<&String> = Vec::new();
        for moves in &sample.legal {
            texts.extend(moves.iter().take(MAX_MOVES));
        }
        texts.sort_unstable();
        texts.dedup();
        texts
    });
    let mut forms = collect(texts);
    let relations = [rules.keywords.legal, rules.keywords.does];
    complete(&mut forms, rules, domains, &relations, 1, samples.len());
    forms
}

fn collect<'t>(samples: impl Iterator<Item = Vec<&'t String>>) -> Vec<Form> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut seen: Vec<Vec<FxHashSet<String>>> = Vec::new();
    let mut forms: Vec<Form> = Vec::new();
    let mut count = 0;
    for (number, texts) in samples.enumerate() {
        count = number + 1;
        for text in texts {
            let term = Term::read(text);
            let at = match places.get(&term.shape) {
                Some(at) => *at,
                None if forms.len() < MAX_FORMS => {
                    places.insert(term.shape.clone(), forms.len());
                    seen.push(vec![FxHashSet::default(); term.leaves.len()]);
                    forms.push(blank(&term));
                    forms.len() - 1
                }
                None => continue,
            };
            let form = &mut forms[at];
            if form.arity != term.leaves.len() {
                continue;
            }
            for (leaf, value) in term.leaves.iter().enumerate() {
                if seen[at][leaf].insert(value.clone()) {
                    form.seen[leaf].push(value.clone());
                }
            }
            if form.states.len() <= number {
                form.states.resize(number + 1, Vec::new());
            }
            form.states[number].push(term.leaves);
        }
    }
    for form in &mut forms {
        form.states.resize(count, Vec::new());
    }
    forms
}

fn blank(term: &Term) -> Form {
    let arity = term.leaves.len();
    Form {
        name: term.name.clone(),
        shape: term.shape.clone(),
        arity,
        seen: vec![Vec::new(); arity],
        allowed: vec![None; arity],
        variables: vec![FxHashMap::default(); arity],
        states: Vec::new(),
    }
}

/// Adds what the rules say about the forms, and the flat forms that were not seen.
fn complete(
    forms: &mut Vec<Form>,
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
        let at = forms.iter().position(|form| form.shape == shape);
        let at = match at {
            Some(at) => at,
            None if forms.len() < MAX_FORMS => {
                let term = Term {
                    name: name.to_owned(),
                    shape,
                    leaves: vec![String::new(); args.len()],
                };
                let mut form = blank(&term);
                form.states.resize(samples, Vec::new());
                forms.push(form);
                forms.len() - 1
            }
            None => continue,
        };
        let form = &mut forms[at];
        if form.arity != args.len() {
            continue;
        }
        for (leaf, arg) in args.iter().enumerate() {
            let allowed = domains.constants(*arg).map(|s| symbols.name(s).to_owned());
            form.allowed[leaf] = Some(allowed.collect());
        }
    }
    let places: FxHashMap<String, usize> = forms
        .iter()
        .enumerate()
        .map(|(at, form)| (form.shape.clone(), at))
        .collect();
    for rule in &rules.rules {
        let body = rule.body.iter().filter_map(Literal::atom);
        for atom in body.chain(std::iter::once(&rule.head)) {
            if let Some((shape, leaves)) = pattern_of(atom, relations, place, rules)
                && let Some(at) = places.get(&shape)
            {
                for (leaf, variable) in leaves.iter().enumerate() {
                    if let (Some(variable), Some(names)) =
                        (variable, forms[*at].variables.get_mut(leaf))
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

/// The shape of the fluent or move of an atom, with the variable of each leaf.
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
            let term = Term::read(&rules.terms.text(*id));
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
