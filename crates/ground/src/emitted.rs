//! Ground rules in emission order, with sharing of equal sets of bodies.
//!
//! A relation such as "some piece other than this one gives check" has nearly the same long list of
//! bodies for each head. Clauses with many instances for each head are instantiated head by head,
//! and a set of bodies that already exists is replaced by an auxiliary atom (common subexpression
//! elimination).

use std::ops::Range;

use hashbrown::HashTable;

/// Ground rules in emission order: rule `r` has the head `heads[r]` and its literals end at
/// `ends[r]`.
#[derive(Default)]
pub(crate) struct EmittedRules {
    pub(crate) heads: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    pub(crate) literals: Vec<u32>,
    /// Number of auxiliary atoms for shared sets of bodies, numbered after all other atoms.
    pub(crate) shared: u32,
    groups: HashTable<SharedBodies>,
}

/// The rules of an auxiliary atom.
struct SharedBodies {
    hash: u64,
    rules: Range<u32>,
    atom: u32,
}

impl EmittedRules {
    /// Replaces the rules from `first` on, which have the same head, by one rule whose body is an
    /// auxiliary atom for their bodies. Returns true if that atom already existed. `count` is the
    /// number of atoms without auxiliary ones.
    fn share(&mut self, first: usize, count: u32) -> bool {
        let head = self.heads[first];
        let from = if first == 0 { 0 } else { self.ends[first - 1] };
        let mut hash = 0u64;
        for rule in first..self.heads.len() {
            for literal in self.body(rule) {
                hash = (hash.rotate_left(5) ^ u64::from(*literal)).wrapping_mul(HASH);
            }
            hash = hash.wrapping_mul(HASH).rotate_left(26);
        }
        let rules = self.heads.len() - first;
        let known = self.groups.find(hash, |group| {
            group.hash == hash
                && group.rules.len() == rules
                && group
                    .rules
                    .clone()
                    .zip(first..)
                    .all(|(a, b)| self.body(a as usize) == self.body(b))
        });
        let (atom, found) = if let Some(group) = known {
            self.heads.truncate(first);
            self.ends.truncate(first);
            self.literals.truncate(from as usize);
            (group.atom, true)
        } else {
            let atom = count + self.shared;
            self.shared += 1;
            self.heads[first..].fill(atom);
            let group = SharedBodies {
                hash,
                rules: first as u32..self.heads.len() as u32,
                atom,
            };
            self.groups.insert_unique(hash, group, |group| group.hash);
            (atom, false)
        };
        self.literals.push(atom << 1);
        self.heads.push(head);
        self.ends.push(self.literals.len() as u32);
        found
    }

    /// Replaces all rules; the shared sets of bodies are final then.
    pub(crate) fn replace(&mut self, heads: Vec<u32>, ends: Vec<u32>, literals: Vec<u32>) {
        self.groups.clear();
        self.heads = heads;
        self.ends = ends;
        self.literals = literals;
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * (self.heads.capacity() + self.ends.capacity() + self.literals.capacity())
    }

    pub(crate) fn body(&self, rule: usize) -> &[u32] {
        let from = if rule == 0 { 0 } else { self.ends[rule - 1] };
        &self.literals[from as usize..self.ends[rule] as usize]
    }
}

/// Multiplier of the hash.
const HASH: u64 = 0xf135_7aea_2e62_a9c5;
/// Minimum number of bodies in a shared set.
const MIN_SHARED_BODIES: usize = 4;
/// Number of sets after which it is decided whether sharing continues.
const TRIAL: u32 = 1 << 16;

/// Sharing continues if at least one in this number of sets already existed.
const TRIAL_SHARE: u32 = 6;

/// Finds repeated sets of bodies while rules are emitted.
pub(crate) struct BodySharing {
    /// Number of atoms without auxiliary ones.
    count: u32,
    /// The current head; `first` is the number of its first rule.
    pub(crate) head: u32,
    first: usize,
    tried: u32,
    found: u32,
    on: bool,
}

impl BodySharing {
    pub(crate) fn new(count: u32, out: &EmittedRules) -> Self {
        Self {
            count,
            head: u32::MAX,
            first: out.heads.len(),
            tried: 0,
            found: 0,
            on: true,
        }
    }

    /// Moves on to another head, after sharing the bodies of the previous one.
    pub(crate) fn next(&mut self, head: u32, out: &mut EmittedRules) {
        if out.heads.len() >= self.first + MIN_SHARED_BODIES && self.on {
            self.tried += 1;
            self.found += u32::from(out.share(self.first, self.count));
            self.on = self.tried < TRIAL || self.found * TRIAL_SHARE >= self.tried;
        }
        self.head = head;
        self.first = out.heads.len();
    }
}
