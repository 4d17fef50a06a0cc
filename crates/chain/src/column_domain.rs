//! Column domains: the terms that can occur in a column of a predicate (Schofield and Saffidine
//! 2013, definition 2), materialised.

use ludorum_logic::domain::{DomainId, Domains};
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

/// Maximum number of terms of one column.
const MAX_TERMS: u64 = 1 << 21;

/// Maximum number of terms of all columns together.
const MAX_ALL: usize = 1 << 23;

/// Index of a column domain in [`ColumnDomains`].
pub(super) type ColumnId = u32;

/// The terms of a column, in the order of their texts, so that instance ids are ordered by text
/// too.
#[derive(Debug, Default)]
pub(super) struct ColumnDomain {
    pub(super) terms: Vec<TermId>,
    index: FxHashMap<TermId, u32>,
}

impl ColumnDomain {
    /// The index of a term.
    pub(super) fn index(&self, term: TermId) -> Option<u32> {
        self.index.get(&term).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }
}

/// All column domains. A domain is materialised once for each position it can have in a text.
#[derive(Debug, Default)]
pub(super) struct ColumnDomains {
    pub(super) all: Vec<ColumnDomain>,
    known: FxHashMap<(DomainId, bool), ColumnId>,
    /// Total number of terms.
    size: usize,
    terms: FxHashMap<DomainId, Vec<TermId>>,
}

/// A domain is infinite or too large.
pub(super) struct UnboundedDomain;

impl ColumnDomains {
    /// The column of a domain. `is_last` tells whether a closing parenthesis follows the term in
    /// the text, not a space.
    ///
    /// Terms are sorted by their text and the character after it. No sort key is then a prefix of
    /// another, and the terms have the same order as the texts that contain them.
    pub(super) fn column(
        &mut self,
        domain: DomainId,
        is_last: bool,
        constants_only: bool,
        domains: &Domains,
        terms: &mut Terms,
    ) -> Result<ColumnId, UnboundedDomain> {
        if !constants_only && let Some(id) = self.known.get(&(domain, is_last)) {
            return Ok(*id);
        }
        let mut all = if constants_only {
            let constants: Vec<_> = domains.constants(domain).collect();
            constants
                .iter()
                .map(|name| terms.intern(*name, &[]))
                .collect()
        } else {
            self.materialise(domain, domains, terms)?
        };
        self.size += all.len();
        if self.size > MAX_ALL {
            return Err(UnboundedDomain);
        }
        let follows = if is_last { ')' } else { ' ' };
        all.sort_by_cached_key(|term| {
            let mut text = terms.text(*term);
            text.push(follows);
            text
        });
        let index = all.iter().enumerate().map(|(i, term)| (*term, i as u32));
        let index = index.collect();
        let id = self.all.len() as ColumnId;
        self.all.push(ColumnDomain { terms: all, index });
        if !constants_only {
            self.known.insert((domain, is_last), id);
        }
        Ok(id)
    }

    /// The terms of a domain; nested domains are materialised first.
    fn materialise(
        &mut self,
        root: DomainId,
        domains: &Domains,
        terms: &mut Terms,
    ) -> Result<Vec<TermId>, UnboundedDomain> {
        let mut todo = vec![root];
        while let Some(&at) = todo.last() {
            if self.terms.contains_key(&at) {
                todo.pop();
                continue;
            }
            // A domain with a known size is not recursive, so this terminates.
            if domains.size(at).is_none_or(|size| size > MAX_TERMS) {
                return Err(UnboundedDomain);
            }
            let below = domains.functions(at).flat_map(|(_, places)| places);
            let before = todo.len();
            let missing: Vec<DomainId> = below
                .filter(|place| !self.terms.contains_key(place))
                .copied()
                .collect();
            todo.extend(missing);
            if todo.len() > before {
                continue;
            }
            todo.pop();
            let mut all: Vec<TermId> = Vec::new();
            let constants: Vec<_> = domains.constants(at).collect();
            all.extend(constants.iter().map(|name| terms.intern(*name, &[])));
            for (functor, places) in domains.functions(at) {
                let parts: Vec<&Vec<TermId>> = places.iter().map(|p| &self.terms[p]).collect();
                let count: usize = parts.iter().map(|part| part.len()).product();
                for number in 0..count {
                    let mut digits = number;
                    let args: Vec<TermId> = parts
                        .iter()
                        .map(|part| {
                            let term = part[digits % part.len()];
                            digits /= part.len();
                            term
                        })
                        .collect();
                    all.push(terms.intern(functor, &args));
                }
            }
            self.terms.insert(at, all);
        }
        Ok(self.terms[&root].clone())
    }

    /// Drops what is only needed while columns are created.
    pub(super) fn finish(&mut self) {
        self.terms = FxHashMap::default();
        self.known = FxHashMap::default();
    }
}
