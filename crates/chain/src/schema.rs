//! Predicates and their instance ids (Schofield and Saffidine 2013, definitions 3 and 4), in both
//! directions.
//!
//! A predicate is a relation whose fluent or move is split by functor: `(true (cell ?x ?y ?c))` is
//! the predicate `true cell` with three columns. Every instance, a value for each column, has an
//! id: the indexes of the values in mixed radix, plus the `base` of the predicate. Unlike the
//! paper's χ, the first column is the most significant, so that ids are ordered by text. The ids of
//! all predicates lie in one range, with one id left free after each. `next` has the same instances
//! as `true` at a fixed distance, and so does `does` with `legal`.

use ludorum_gdl::Symbol;
use ludorum_logic::domain::{DomainId, Domains};
use ludorum_logic::expansion::flattened_arguments;
use ludorum_logic::rule::{Pattern, RelationId};
use ludorum_logic::{Rules, TermId, Terms};
use rustc_hash::FxHashMap;

use super::budget::ChainError;
use super::clause::PredicateId;
use super::column_domain::{ColumnDomain, ColumnDomains};
use super::sparse_instances::CAPACITY;

/// For each argument that is split, its functor and arity.
pub(super) type PredicateShape = Vec<Option<(Symbol, usize)>>;

/// Maximum number of columns of a predicate.
const MAX_COLUMNS: usize = 1_000;

/// A relation with its arguments split into columns.
#[derive(Debug)]
pub(super) struct Predicate {
    pub(super) number: PredicateId,
    pub(super) relation: RelationId,
    pub(super) shape: PredicateShape,
    pub(super) columns: Vec<u32>,
    pub(super) strides: Vec<u32>,
    /// The id of the first instance.
    pub(super) base: u32,
    /// Number of instances, |S(Q)| in definition 3.
    pub(super) size: u64,
    /// The place of its rows, if ids are assigned on demand.
    pub(super) sparse: Option<usize>,
}

impl Predicate {
    /// Number of ids reserved.
    pub(super) fn range(&self) -> u64 {
        match self.sparse {
            Some(_) => u64::from(CAPACITY),
            None => self.size,
        }
    }
}

/// All predicates.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) columns: ColumnDomains,
    pub(super) predicates: Vec<Predicate>,
    keys: FxHashMap<(RelationId, PredicateShape), Option<PredicateId>>,
    split: Vec<Vec<bool>>,
    pub(super) domains: Domains,
    /// Number of assigned ids, including the reserved ones.
    pub(super) ids: u32,
    /// The predicates of `true` in id order; `to_next` is the distance to `next`.
    pub(super) fluents: Vec<PredicateId>,
    pub(super) to_next: u32,
    /// The predicates of `legal` in id order; `to_does` is the distance to `does`.
    pub(super) moves: Vec<PredicateId>,
    pub(super) to_does: u32,
    /// The arities of the sparse predicates. `legal` and `does` share one.
    pub(super) sparse: Vec<usize>,
}

impl Schema {
    /// A schema with the predicates of fluents and moves; others are added as rules need them.
    pub(super) fn new(rules: &Rules, terms: &mut Terms) -> Result<Self, ChainError> {
        let domains = Domains::new(rules);
        let keywords = rules.keywords;
        // Roles and goal values are looked up unsplit.
        let whole = [keywords.legal, keywords.does, keywords.goal];
        let mut schema = Self {
            columns: ColumnDomains::default(),
            predicates: Vec::new(),
            keys: FxHashMap::default(),
            split: flattened_arguments(rules, &domains, &whole),
            domains,
            ids: 0,
            fluents: Vec::new(),
            to_next: 0,
            moves: Vec::new(),
            to_does: 0,
            sparse: Vec::new(),
        };
        let fluent = schema.domains.argument(keywords.true_, 0);
        for shape in schema.shapes(fluent) {
            schema.add(rules, keywords.true_, vec![shape], terms)?;
            schema.add(rules, keywords.next, vec![shape], terms)?;
        }
        let action = schema.domains.argument(keywords.legal, 1);
        for shape in schema.shapes(action) {
            schema.add(rules, keywords.legal, vec![None, shape], terms)?;
            schema.add(rules, keywords.does, vec![None, shape], terms)?;
        }
        Ok(schema)
    }

    /// The shapes of a domain: one for constants, and one for each functor.
    fn shapes(&self, at: DomainId) -> Vec<Option<(Symbol, usize)>> {
        let functions = self.domains.functions(at);
        let functions = functions.map(|(functor, places)| Some((functor, places.len())));
        let constants = self.domains.constants(at).next().map(|_| None);
        functions.chain(constants).collect()
    }

    pub(super) fn is_split(&self, relation: RelationId, place: usize) -> bool {
        self.split[relation.index()][place]
    }

    /// The predicate of a relation and a shape. `None` if no such fact can occur.
    pub(super) fn add(
        &mut self,
        rules: &Rules,
        relation: RelationId,
        shape: PredicateShape,
        terms: &mut Terms,
    ) -> Result<Option<PredicateId>, ChainError> {
        let key = (relation, shape);
        if let Some(known) = self.keys.get(&key) {
            return Ok(*known);
        }
        let made = self.make(rules, relation, &key.1, terms)?;
        self.keys.insert(key, made);
        Ok(made)
    }

    fn make(
        &mut self,
        rules: &Rules,
        relation: RelationId,
        shape: &PredicateShape,
        terms: &mut Terms,
    ) -> Result<Option<PredicateId>, ChainError> {
        let mut places: Vec<(DomainId, bool, bool)> = Vec::new();
        for (at, function) in shape.iter().enumerate() {
            let domain = self.domains.argument(relation, at);
            match *function {
                Some((functor, arity)) => {
                    let mut functions = self.domains.functions(domain);
                    let parts = functions.find(|(f, parts)| *f == functor && parts.len() == arity);
                    let Some((_, parts)) = parts else {
                        return Ok(None);
                    };
                    let last = parts.len() - 1;
                    places.extend(
                        parts
                            .iter()
                            .enumerate()
                            .map(|(i, p)| (*p, i == last, false)),
                    );
                }
                None => places.push((domain, false, self.is_split(relation, at))),
            }
        }
        let name = || rules.relation_name(relation);
        if places.len() > MAX_COLUMNS {
            return Err(ChainError::Unsupported(format!(
                "`{}` has more than {MAX_COLUMNS} arguments",
                name()
            )));
        }
        let mut columns = Vec::with_capacity(places.len());
        for (domain, is_last, constants) in places {
            let domains = &self.domains;
            let column = self
                .columns
                .column(domain, is_last, constants, domains, terms);
            columns.push(column.map_err(|_| {
                if domains.size(domain).is_none() {
                    ChainError::nesting(name())
                } else {
                    ChainError::too_many_values(name())
                }
            })?);
        }
        let mut size = 1u64;
        let mut strides = vec![0; columns.len()];
        for (stride, column) in strides.iter_mut().zip(&columns).rev() {
            *stride = size as u32;
            size = size.saturating_mul(self.columns.all[*column as usize].len() as u64);
        }
        if size == 0 {
            return Ok(None);
        }
        let number = self.predicates.len() as PredicateId;
        self.predicates.push(Predicate {
            number,
            relation,
            shape: shape.clone(),
            columns,
            strides,
            base: 0,
            size,
            sparse: None,
        });
        Ok(Some(number))
    }

    pub(super) fn predicate(&self, number: PredicateId) -> &Predicate {
        &self.predicates[number as usize]
    }

    pub(super) fn predicates(&self) -> &[Predicate] {
        &self.predicates
    }

    /// The domains of a predicate's columns.
    pub(super) fn columns(
        &self,
        predicate: &Predicate,
    ) -> impl ExactSizeIterator<Item = &ColumnDomain> {
        let columns = predicate.columns.iter();
        columns.map(|column| &self.columns.all[*column as usize])
    }

    /// The distance of instances whose values differ by one index in a column.
    pub(super) fn stride(predicate: &Predicate, column: usize) -> u32 {
        predicate.strides[column]
    }

    /// The terms of an instance of a predicate that is not sparse.
    pub(super) fn cells(&self, predicate: &Predicate, id: u32) -> impl Iterator<Item = TermId> {
        let local = id - predicate.base;
        let places = predicate.strides.iter().zip(&predicate.columns);
        places.map(move |(stride, column)| {
            let terms = &self.columns.all[*column as usize].terms;
            terms[(local / stride) as usize % terms.len()]
        })
    }

    /// The instance with given patterns, whose variables are bound. `None` if a value is outside
    /// its domain.
    pub(super) fn id(
        &self,
        predicate: &Predicate,
        args: &[Pattern],
        values: &[TermId],
        terms: &Terms,
    ) -> Option<u32> {
        let mut cells = args.iter();
        self.id_of(predicate, |_| {
            super::pattern::value(cells.next()?, values, terms)
        })
    }

    /// The instance with given terms.
    pub(super) fn id_of(
        &self,
        predicate: &Predicate,
        mut cell: impl FnMut(usize) -> Option<TermId>,
    ) -> Option<u32> {
        let mut id = predicate.base;
        for (i, column) in predicate.columns.iter().enumerate() {
            let place = self.columns.all[*column as usize].index(cell(i)?)?;
            id += place * predicate.strides[i];
        }
        Some(id)
    }

    /// The predicate and cells of a fact whose last argument is given by functor and arguments,
    /// which need not be interned as a whole.
    pub(super) fn fact(
        &self,
        relation: RelationId,
        first: Option<TermId>,
        last: (Symbol, &[TermId]),
        terms: &Terms,
    ) -> Option<(&Predicate, Vec<TermId>)> {
        let (functor, parts) = last;
        let mut shape: PredicateShape = first.iter().map(|_| None).collect();
        let mut cells: Vec<TermId> = first.into_iter().collect();
        if parts.is_empty() {
            shape.push(None);
            cells.push(terms.get(functor, &[])?);
        } else {
            shape.push(Some((functor, parts.len())));
            cells.extend_from_slice(parts);
        }
        let number = (*self.keys.get(&(relation, shape))?)?;
        Some((self.predicate(number), cells))
    }

    /// The instance of a proposition.
    pub(super) fn proposition(&self, relation: RelationId) -> Option<u32> {
        let number = (*self.keys.get(&(relation, PredicateShape::new()))?)?;
        Some(self.predicate(number).base)
    }

    /// The text of the last argument: of a fluent, a move or a goal value.
    pub(super) fn last_text(
        predicate: &Predicate,
        mut cells: Vec<TermId>,
        terms: &Terms,
    ) -> String {
        match predicate.shape.last() {
            Some(Some((functor, arity))) => {
                let parts = cells.split_off(cells.len() - arity);
                let parts: Vec<String> = parts.iter().map(|part| terms.text(*part)).collect();
                format!("({} {})", terms.symbols.name(*functor), parts.join(" "))
            }
            _ => cells
                .last()
                .map(|term| terms.text(*term))
                .unwrap_or_default(),
        }
    }
}
