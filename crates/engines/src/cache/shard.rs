//! A shard of the cache: items in slots, two hash tables over the slots, and a CLOCK hand.
//!
//! An item is a state with its cached answers, or the successor of a state under a joint move.
//! Successors are separate items, so that the rarely used successors of a state with thousands of
//! moves can be evicted while the state stays. A successor refers to its state by an id that the
//! state got on insertion. After the eviction of the state the id is never looked up again, and its
//! successors are evicted in turn.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use ludorum_reasoner::{CacheReport, Goal, HeapSize, MoveId, allocation};

/// The approximate size of an item in the hash tables, in bytes.
const INDEX_BYTES: usize = 2 * (size_of::<u32>() + 1);

/// The cached answers about a state.
#[derive(Debug)]
pub(super) struct Known<S> {
    /// An id that no other state of this shard ever has.
    id: u64,
    hash: u64,
    state: S,
    pub(super) terminal: Option<bool>,
    /// By role; empty while no goal is cached.
    pub(super) goals: Box<[Option<Goal>]>,
    /// By role.
    pub(super) legal: Box<[Option<Box<[MoveId]>>]>,
}

#[derive(Debug)]
struct Successor<S> {
    id: u64,
    joint: Box<[MoveId]>,
    state: S,
}

#[derive(Debug)]
enum Content<S> {
    State(Known<S>),
    Successor(Successor<S>),
}

#[derive(Debug)]
struct Item<S> {
    content: Content<S>,
    bytes: usize,
    /// Whether it has been hit since the hand last passed.
    used: bool,
}

/// A part of the cache.
#[derive(Debug)]
pub(super) struct Shard<S> {
    roles: usize,
    limit: usize,
    slots: Vec<Option<Item<S>>>,
    free: Vec<u32>,
    hand: usize,
    states: HashTable<u32>,
    successors: HashTable<u32>,
    next_id: u64,
    bytes: usize,
    pub(super) report: CacheReport,
}

fn successor_hash(id: u64, joint: &[MoveId]) -> u64 {
    FxBuildHasher.hash_one((id, joint))
}

impl<S> Item<S> {
    fn hash(&self) -> u64 {
        match &self.content {
            Content::State(known) => known.hash,
            Content::Successor(next) => successor_hash(next.id, &next.joint),
        }
    }
}

impl<S: HeapSize> Item<S> {
    fn measure(&self) -> usize {
        let heap = match &self.content {
            Content::State(known) => {
                let goals = known.goals.iter().flatten().map(HeapSize::heap_bytes);
                let legal = known.legal.iter().flatten();
                let legal = legal.map(|moves| allocation(size_of_val(&**moves)));
                known.state.heap_bytes()
                    + allocation(size_of_val(&*known.goals))
                    + goals.sum::<usize>()
                    + allocation(size_of_val(&*known.legal))
                    + legal.sum::<usize>()
            }
            Content::Successor(next) => {
                allocation(size_of_val(&*next.joint)) + next.state.heap_bytes()
            }
        };
        // The vector of slots has some spare capacity.
        let slot = size_of::<Option<Self>>() * 9 / 8;
        slot + INDEX_BYTES + heap
    }
}

impl<S: HeapSize + Clone + Eq> Shard<S> {
    pub(super) fn new(roles: usize, limit: usize) -> Self {
        Self {
            roles,
            limit,
            slots: Vec::new(),
            free: Vec::new(),
            hand: 0,
            states: HashTable::new(),
            successors: HashTable::new(),
            next_id: 0,
            bytes: 0,
            report: CacheReport::default(),
        }
    }

    /// Its size and hit rates.
    pub(super) fn report(&self) -> CacheReport {
        CacheReport {
            items: self.states.len() + self.successors.len(),
            bytes: self.bytes,
            limit: self.limit,
            ..self.report
        }
    }

    /// The slot of a state.
    pub(super) fn find(&self, state: &S, hash: u64) -> Option<usize> {
        let is_it = |slot: &u32| {
            matches!(
                self.slots[*slot as usize].as_ref().map(|item| &item.content),
                Some(Content::State(known)) if known.hash == hash && known.state == *state
            )
        };
        self.states.find(hash, is_it).map(|slot| *slot as usize)
    }

    /// The cached answers about the state in a slot. This does not count as use: a new state is
    /// looked up for one answer after the other without a hit.
    pub(super) fn known(&self, slot: usize) -> Option<&Known<S>> {
        match &self.slots[slot].as_ref()?.content {
            Content::State(known) => Some(known),
            Content::Successor(_) => None,
        }
    }

    /// Marks the item in a slot as hit, so that it survives the next round of the hand.
    pub(super) fn mark_used(&mut self, slot: usize) {
        if let Some(item) = &mut self.slots[slot] {
            item.used = true;
        }
    }

    /// An answer about a state, if it is cached.
    pub(super) fn answer<T>(
        &mut self,
        state: &S,
        hash: u64,
        read: impl FnOnce(&Known<S>) -> Option<T>,
    ) -> Option<T> {
        let slot = self.find(state, hash)?;
        let answer = read(self.known(slot)?)?;
        self.mark_used(slot);
        Some(answer)
    }

    /// The successor of the state in a slot. Both items are marked as used, because a successor
    /// cannot be found without its state.
    pub(super) fn successor(&mut self, slot: usize, joint: &[MoveId]) -> Option<&S> {
        let next = self.find_successor(self.known(slot)?.id, joint)?;
        self.mark_used(slot);
        self.mark_used(next);
        match &self.slots[next].as_ref()?.content {
            Content::Successor(next) => Some(&next.state),
            Content::State(_) => None,
        }
    }

    fn find_successor(&self, id: u64, joint: &[MoveId]) -> Option<usize> {
        let is_it = |slot: &u32| {
            matches!(
                self.slots[*slot as usize].as_ref().map(|item| &item.content),
                Some(Content::Successor(next)) if next.id == id && *next.joint == *joint
            )
        };
        let hash = successor_hash(id, joint);
        let slot = self.successors.find(hash, is_it)?;
        Some(*slot as usize)
    }

    /// Stores an answer about a state.
    pub(super) fn insert(&mut self, state: &S, hash: u64, write: impl FnOnce(&mut Known<S>)) {
        let slot = match self.find(state, hash) {
            Some(slot) => slot,
            None => self.add_state(state, hash),
        };
        let Some(item) = self.slots[slot].as_mut() else {
            return;
        };
        if let Content::State(known) = &mut item.content {
            write(known);
        }
        let bytes = item.measure();
        self.bytes = self.bytes - item.bytes + bytes;
        item.bytes = bytes;
        self.make_room();
    }

    /// Stores a successor.
    pub(super) fn insert_successor(&mut self, state: &S, hash: u64, joint: &[MoveId], next: &S) {
        let slot = match self.find(state, hash) {
            Some(slot) => slot,
            None => self.add_state(state, hash),
        };
        let Some(Content::State(known)) = self.slots[slot].as_ref().map(|item| &item.content)
        else {
            return;
        };
        let id = known.id;
        // Another thread may have stored it in the meantime.
        if self.find_successor(id, joint).is_none() {
            let slot = self.put(Content::Successor(Successor {
                id,
                joint: joint.into(),
                state: next.clone(),
            }));
            let slots = &self.slots;
            self.successors
                .insert_unique(successor_hash(id, joint), slot, |slot| {
                    hash_of(slots, *slot)
                });
        }
        self.make_room();
    }

    fn add_state(&mut self, state: &S, hash: u64) -> usize {
        self.next_id += 1;
        let slot = self.put(Content::State(Known {
            id: self.next_id,
            hash,
            state: state.clone(),
            terminal: None,
            goals: Box::default(),
            legal: vec![None; self.roles].into(),
        }));
        let slots = &self.slots;
        self.states
            .insert_unique(hash, slot, |slot| hash_of(slots, *slot));
        slot as usize
    }

    fn put(&mut self, content: Content<S>) -> u32 {
        let mut item = Item {
            content,
            bytes: 0,
            used: false,
        };
        item.bytes = item.measure();
        self.bytes += item.bytes;
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = Some(item);
            return slot;
        }
        if self.slots.len() == self.slots.capacity() {
            // Doubling the vector would leave up to half of the memory bound unused.
            self.slots.reserve_exact(self.slots.len() / 8 + 8);
        }
        self.slots.push(Some(item));
        (self.slots.len() - 1) as u32
    }

    /// Evicts items until the rest is within the bound. The hand skips items that have been hit
    /// since it last passed.
    fn make_room(&mut self) {
        while self.bytes > self.limit {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let slot = self.hand;
            self.hand += 1;
            match &mut self.slots[slot] {
                None => {}
                Some(item) if item.used => item.used = false,
                Some(_) => self.remove(slot),
            }
        }
    }

    fn remove(&mut self, slot: usize) {
        let Some(item) = self.slots[slot].take() else {
            return;
        };
        let table = match &item.content {
            Content::State(_) => &mut self.states,
            Content::Successor(_) => &mut self.successors,
        };
        if let Ok(entry) = table.find_entry(item.hash(), |other| *other as usize == slot) {
            entry.remove();
        }
        self.bytes -= item.bytes;
        self.report.evicted += 1;
        self.free.push(slot as u32);
    }
}

fn hash_of<S>(slots: &[Option<Item<S>>], slot: u32) -> u64 {
    slots[slot as usize].as_ref().map_or(0, Item::hash)
}
