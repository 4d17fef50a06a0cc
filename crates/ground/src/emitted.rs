//! Ground rules as they come, and sets of bodies that several heads have in common.
//!
//! "Some piece other than this one gives check" has nearly the same long list of bodies for every
//! "this one". Where a clause has many instances for each head, they are found head by head, and a
//! set of bodies that was there before is replaced by an atom that stands for it.

use std::ops::Range;

use hashbrown::HashTable;

/// Ground rules as they come: rule `r` has the head `heads[r]` and the literals up to `ends[r]`.
#[derive(Default)]
pub(crate) struct EmittedRules {
    pub(crate) heads: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    pub(crate) literals: Vec<u32>,
    /// Atoms made for sets of bodies that several heads have, numbered after all others.
    pub(crate) shared: u32,
    groups: HashTable<Group>,
}

/// The rules of an atom that stands for a set of bodies.
struct Group {
    hash: u64,
    rules: Range<u32>,
    atom: u32,
}

impl EmittedRules {
    /// Replaces the rules from `first` on, all with the same head, by one whose body is an atom for
    /// their bodies; true if that atom was there before. `count` is the number of atoms before
    /// sharing.
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
            let group = Group {
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

    pub(crate) fn bytes(&self) -> usize {
        4 * (self.heads.capacity() + self.ends.capacity() + self.literals.capacity())
    }

    pub(crate) fn body(&self, rule: usize) -> &[u32] {
        let from = if rule == 0 { 0 } else { self.ends[rule - 1] };
        &self.literals[from as usize..self.ends[rule] as usize]
    }
}

/// A multiplier that spreads bits.
const HASH: u64 = 0xf135_7aea_2e62_a9c5;
/// Sets with fewer bodies are not shared.
const SHARED_BODIES: usize = 4;
/// Groups looked at before it is decided whether sharing goes on, and the part of them that must
/// have been known.
const TRIAL: u32 = 1 << 16;
const TRIAL_SHARE: u32 = 6;

/// Looks for sets of bodies that were there before.
pub(crate) struct BodySharing {
    /// Atoms before sharing.
    count: u32,
    /// The head at work and its first rule.
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

    /// Goes on to another head; what the last one got is shared where it was there before.
    pub(crate) fn next(&mut self, head: u32, out: &mut EmittedRules) {
        if out.heads.len() >= self.first + SHARED_BODIES && self.on {
            self.tried += 1;
            self.found += u32::from(out.share(self.first, self.count));
            self.on = self.tried < TRIAL || self.found * TRIAL_SHARE >= self.tried;
        }
        self.head = head;
        self.first = out.heads.len();
    }
}
