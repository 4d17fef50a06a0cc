//! Argument domains: an over-approximation of the terms that each argument of each relation takes.
//!
//! The domains are the least fixpoint of the rules without their negative literals, propagated for
//! each argument separately. A compound term is represented by its functor and a domain for each of
//! its arguments. The domain of `(cell ?x ?y ?c)` is therefore three small sets instead of their
//! product. `true` shares its domain with `init` and `next`, and `does` with `legal`. Where terms
//! may nest without bound, the representation becomes cyclic below [`MAX_DEPTH`] and the size is
//! unknown.

use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::rule::{Atom, Literal, Pattern, RelationId, Rule, Variable};
use crate::rules::Rules;
use crate::term::{TermId, Terms};

/// Nesting depth below which all occurrences of a functor share the domains of their arguments.
pub const MAX_DEPTH: u32 = 4;

/// Number of nested domains beyond which new ones are shared at any depth. Dozens of functors that
/// nest in each other would make millions of domains otherwise; known sheets need less than fifty.
const MAX_NESTED_DOMAINS: usize = 2_048;

/// A domain of a [`Domains`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DomainId(pub u32);

/// The terms that one argument of a relation or functor can take.
#[derive(Clone, Debug, Default)]
struct Domain {
    /// Constants, by symbol.
    constants: FixedBitSet,
    /// Functions with the domains of their arguments.
    functions: IndexMap<(Symbol, usize), Vec<DomainId>, FxBuildHasher>,
    depth: u32,
}

/// The domains of all arguments of all relations.
#[derive(Clone, Debug)]
pub struct Domains {
    table: Vec<Domain>,
    roots: Vec<Vec<DomainId>>,
    /// Domains of deeply nested arguments, by function, arity and place.
    shared: FxHashMap<(Symbol, usize, usize), DomainId>,
    symbols: usize,
    /// The number of domains of arguments of relations; the nested ones follow them.
    root_count: usize,
    /// The number of terms of each domain, if it is finite.
    sizes: Vec<Option<u64>>,
}

impl Domains {
    /// Computes the domains of `rules`.
    pub fn new(rules: &Rules) -> Self {
        let mut domains = Self {
            table: Vec::new(),
            roots: Vec::new(),
            shared: FxHashMap::default(),
            symbols: rules.terms.symbols.len(),
            root_count: 0,
            sizes: Vec::new(),
        };
        domains.make_roots(rules);
        domains.root_count = domains.table.len();
        for fact in &rules.facts {
            for (place, arg) in fact.args.iter().enumerate() {
                let root = domains.roots[fact.relation.index()][place];
                domains.add_ground(root, *arg, &rules.terms);
            }
        }
        domains.run(rules);
        domains.sizes = domains.count();
        domains
    }

    fn make_roots(&mut self, rules: &Rules) {
        for (_, relation) in rules.relations() {
            let roots = (0..relation.arity).map(|_| self.add_domain(0)).collect();
            self.roots.push(roots);
        }
        let keywords = &rules.keywords;
        let fluent = self.roots[keywords.true_.index()].clone();
        self.roots[keywords.init.index()].clone_from(&fluent);
        self.roots[keywords.next.index()] = fluent;
        let moves = self.roots[keywords.legal.index()].clone();
        self.roots[keywords.does.index()] = moves;
    }

    fn add_domain(&mut self, depth: u32) -> DomainId {
        self.table.push(Domain {
            constants: FixedBitSet::with_capacity(self.symbols),
            functions: IndexMap::default(),
            depth,
        });
        DomainId(self.table.len() as u32 - 1)
    }

    /// Computes the fixpoint with a work list: a rule is applied again when the domain of a
    /// relation of its body has grown.
    fn run(&mut self, rules: &Rules) {
        let mut readers: FxHashMap<RelationId, Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.rules.iter().enumerate() {
            for literal in &rule.body {
                if let Literal::Positive(atom) = literal {
                    let list = readers.entry(atom.relation).or_default();
                    if list.last() != Some(&number) {
                        list.push(number);
                    }
                }
            }
        }
        let mut waiting = vec![true; rules.rules.len()];
        let mut queue: std::collections::VecDeque<usize> = (0..rules.rules.len()).collect();
        while let Some(number) = queue.pop_front() {
            waiting[number] = false;
            let rule = &rules.rules[number];
            if !self.apply(rule, &rules.terms) {
                continue;
            }
            let mut grown = vec![rule.head.relation];
            if rule.head.relation == rules.keywords.next
                || rule.head.relation == rules.keywords.init
            {
                grown.push(rules.keywords.true_);
            } else if rule.head.relation == rules.keywords.legal {
                grown.push(rules.keywords.does);
            }
            for reader in grown.iter().filter_map(|id| readers.get(id)).flatten() {
                if !std::mem::replace(&mut waiting[*reader], true) {
                    queue.push_back(*reader);
                }
            }
        }
    }

    /// Applies one rule; true if the domain of the head grew.
    fn apply(&mut self, rule: &Rule, terms: &Terms) -> bool {
        let Some(values) = self.variables(rule, terms) else {
            return false;
        };
        let mut grown = false;
        for (place, arg) in rule.head.args.iter().enumerate() {
            let root = self.roots[rule.head.relation.index()][place];
            grown |= self.add_pattern(root, arg, &values, terms);
        }
        grown
    }

    /// The domain of each variable of a rule; `None` if some condition can never hold.
    fn variables(&self, rule: &Rule, terms: &Terms) -> Option<Vec<VariableDomain>> {
        let mut values = vec![VariableDomain::default(); rule.variables.len()];
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                self.bind_atom(atom, terms, &mut values)?;
            }
        }
        for value in &values {
            if value.is_empty() {
                return None;
            }
        }
        Some(values)
    }

    fn bind_atom(&self, atom: &Atom, terms: &Terms, values: &mut [VariableDomain]) -> Option<()> {
        for (place, arg) in atom.args.iter().enumerate() {
            self.bind(self.roots[atom.relation.index()][place], arg, terms, values)?;
        }
        Some(())
    }

    fn bind(
        &self,
        at: DomainId,
        pattern: &Pattern,
        terms: &Terms,
        values: &mut [VariableDomain],
    ) -> Option<()> {
        match pattern {
            Pattern::Variable(variable) => {
                values[*variable as usize].meet(at, self);
                Some(())
            }
            Pattern::Ground(id) => self.contains(at, *id, terms).then_some(()),
            Pattern::Compound(functor, args) => {
                let places = self.domain(at).functions.get(&(*functor, args.len()))?;
                for (place, arg) in places.iter().zip(args) {
                    self.bind(*place, arg, terms, values)?;
                }
                Some(())
            }
        }
    }

    fn domain(&self, id: DomainId) -> &Domain {
        &self.table[id.0 as usize]
    }

    /// Whether a domain contains a ground term.
    pub fn contains(&self, at: DomainId, term: TermId, terms: &Terms) -> bool {
        let mut todo = vec![(at, term)];
        while let Some((at, term)) = todo.pop() {
            let functor = terms.functor(term);
            let args = terms.args(term);
            if args.is_empty() {
                if !self.domain(at).constants.contains(functor.index()) {
                    return false;
                }
            } else if let Some(places) = self.domain(at).functions.get(&(functor, args.len())) {
                todo.extend(places.iter().copied().zip(args.iter().copied()));
            } else {
                return false;
            }
        }
        true
    }

    /// The argument domains of a functor within a domain, created if necessary, and whether they
    /// were created.
    fn function(&mut self, at: DomainId, functor: Symbol, arity: usize) -> (Vec<DomainId>, bool) {
        if let Some(places) = self.domain(at).functions.get(&(functor, arity)) {
            return (places.clone(), false);
        }
        let depth = self.domain(at).depth + 1;
        let places: Vec<DomainId> = (0..arity)
            .map(|place| {
                if depth <= MAX_DEPTH && self.table.len() < self.root_count + MAX_NESTED_DOMAINS {
                    return self.add_domain(depth);
                }
                if let Some(id) = self.shared.get(&(functor, arity, place)) {
                    return *id;
                }
                let id = self.add_domain(depth);
                self.shared.insert((functor, arity, place), id);
                id
            })
            .collect();
        self.table[at.0 as usize]
            .functions
            .insert((functor, arity), places.clone());
        (places, true)
    }

    fn add_constant(&mut self, at: DomainId, symbol: Symbol) -> bool {
        let set = &mut self.table[at.0 as usize].constants;
        set.grow(symbol.index() + 1);
        !set.put(symbol.index())
    }

    fn add_ground(&mut self, at: DomainId, term: TermId, terms: &Terms) -> bool {
        let mut grown = false;
        let mut todo = vec![(at, term)];
        while let Some((at, term)) = todo.pop() {
            let functor = terms.functor(term);
            let args = terms.args(term);
            if args.is_empty() {
                grown |= self.add_constant(at, functor);
            } else {
                let (places, new) = self.function(at, functor, args.len());
                grown |= new;
                todo.extend(places.into_iter().zip(args.iter().copied()));
            }
        }
        grown
    }

    fn add_pattern(
        &mut self,
        at: DomainId,
        pattern: &Pattern,
        values: &[VariableDomain],
        terms: &Terms,
    ) -> bool {
        match pattern {
            Pattern::Ground(id) => self.add_ground(at, *id, terms),
            Pattern::Variable(variable) => {
                let value = &values[*variable as usize];
                let mut grown = self.unite_constants(at, &value.constants);
                if let Some(source) = value.functions {
                    grown |= self.unite_functions(at, source);
                }
                grown
            }
            Pattern::Compound(functor, args) => {
                let (places, mut grown) = self.function(at, *functor, args.len());
                for (place, arg) in places.into_iter().zip(args) {
                    grown |= self.add_pattern(place, arg, values, terms);
                }
                grown
            }
        }
    }

    fn unite_constants(&mut self, at: DomainId, constants: &FixedBitSet) -> bool {
        let set = &mut self.table[at.0 as usize].constants;
        if constants.is_subset(set) {
            return false;
        }
        set.union_with(constants);
        true
    }

    /// Adds all functors of `source` with their argument domains to `target`.
    fn unite_functions(&mut self, target: DomainId, source: DomainId) -> bool {
        let mut grown = false;
        let mut seen = FxHashSet::default();
        let mut todo = vec![(target, source)];
        while let Some((target, source)) = todo.pop() {
            if target == source || !seen.insert((target, source)) {
                continue;
            }
            if seen.len() > 1 {
                let constants = self.domain(source).constants.clone();
                grown |= self.unite_constants(target, &constants);
            }
            let functions: Vec<_> = self
                .domain(source)
                .functions
                .iter()
                .map(|(key, places)| (*key, places.clone()))
                .collect();
            for ((functor, arity), from) in functions {
                let (to, new) = self.function(target, functor, arity);
                grown |= new;
                todo.extend(to.into_iter().zip(from));
            }
        }
        grown
    }

    /// The domain of an argument of a relation.
    pub fn argument(&self, relation: RelationId, place: usize) -> DomainId {
        self.roots[relation.index()][place]
    }

    /// The constants of a domain.
    pub fn constants(&self, id: DomainId) -> impl Iterator<Item = Symbol> + '_ {
        let constants = &self.domain(id).constants;
        constants.ones().map(|i| Symbol(i as u32))
    }

    /// The functors of a domain, with the domains of their arguments.
    pub fn functions(&self, id: DomainId) -> impl Iterator<Item = (Symbol, &[DomainId])> {
        let functions = &self.domain(id).functions;
        functions
            .iter()
            .map(|((name, _), places)| (*name, &places[..]))
    }

    /// The number of terms of a domain; `None` if terms may nest without bound or the number does
    /// not fit into 64 bits.
    pub fn size(&self, id: DomainId) -> Option<u64> {
        self.sizes[id.0 as usize]
    }

    /// Computes the size of every domain in post-order, with an explicit stack since deep terms
    /// make deep domains.
    fn count(&self) -> Vec<Option<u64>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            New,
            Open,
            Done,
        }
        let mut sizes = vec![None; self.table.len()];
        let mut visits = vec![Visit::New; self.table.len()];
        let mut todo: Vec<usize> = (0..self.table.len()).collect();
        while let Some(&at) = todo.last() {
            let domain = &self.table[at];
            match visits[at] {
                Visit::New => {
                    visits[at] = Visit::Open;
                    let below = domain.functions.values().flatten();
                    let below = below.map(|place| place.0 as usize);
                    todo.extend(below.filter(|place| visits[*place] == Visit::New));
                }
                Visit::Open => {
                    todo.pop();
                    visits[at] = Visit::Done;
                    // A nested domain that is not done yet is an ancestor: the terms nest without
                    // bound, and its size is still `None`.
                    let mut functions = domain.functions.values().map(|places| {
                        let mut factors = places.iter().map(|place| sizes[place.0 as usize]);
                        factors.try_fold(1u64, |product, factor| product.checked_mul(factor?))
                    });
                    let constants = domain.constants.count_ones(..) as u64;
                    sizes[at] = functions.try_fold(constants, |sum, size| sum.checked_add(size?));
                }
                Visit::Done => {
                    todo.pop();
                }
            }
        }
        sizes
    }

    /// An upper bound on the number of values of each variable of a rule; 0 if the rule can never
    /// fire.
    pub fn variable_sizes(&self, rule: &Rule, terms: &Terms) -> Vec<Option<u64>> {
        let Some(values) = self.variables(rule, terms) else {
            return vec![Some(0); rule.variables.len()];
        };
        let size = |value: &VariableDomain| {
            let constants = value.constants.count_ones(..) as u64;
            let Some(source) = value.functions else {
                return Some(constants);
            };
            let all = self.size(source)?;
            let own = self.domain(source).constants.count_ones(..) as u64;
            (all - own).checked_add(constants)
        };
        (0..values.len() as Variable)
            .map(|v| size(&values[v as usize]))
            .collect()
    }
}

/// The domain of a variable: the constants that all its positive occurrences allow, and the
/// compound terms that one of them allows.
#[derive(Clone, Debug, Default)]
struct VariableDomain {
    constants: FixedBitSet,
    functions: Option<DomainId>,
    bound: bool,
}

impl VariableDomain {
    fn meet(&mut self, at: DomainId, domains: &Domains) {
        let domain = domains.domain(at);
        if !self.bound {
            self.bound = true;
            self.constants.clone_from(&domain.constants);
            self.functions = (!domain.functions.is_empty()).then_some(at);
            return;
        }
        self.constants.intersect_with(&domain.constants);
        // An upper bound suffices: take the occurrence that allows fewer functors.
        if let Some(current) = self.functions {
            let fewer = domain.functions.len() < domains.domain(current).functions.len();
            if domain.functions.is_empty() {
                self.functions = None;
            } else if fewer {
                self.functions = Some(at);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.bound && self.constants.is_clear() && self.functions.is_none()
    }
}
