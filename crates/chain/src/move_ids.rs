//! Move ids: the mapping between the contract's moves and instances of `legal`.

use ludorum_logic::{TermId, Terms};

use super::clause::PredicateId;
use super::knowledge_base::KnowledgeBase;
use super::schema::Schema;
use super::sparse_instances::CAPACITY;
use ludorum_reasoner::{MoveId, Role};

/// The moves with one functor, or all constants.
#[derive(Clone, Copy, Debug)]
struct MoveBlock {
    predicate: PredicateId,
    does: PredicateId,
    base: u32,
    /// Number of moves of one role; the role is the first column.
    count: u32,
    /// The first move id.
    first: u32,
    /// The place of the sparse rows, if ids are assigned on demand and shared by all roles.
    sparse: Option<usize>,
}

/// The mapping between move ids and instances.
#[derive(Debug)]
pub(super) struct MoveIds {
    blocks: Vec<MoveBlock>,
    /// By block and index in its first column, the role.
    roles: Vec<Vec<Option<Role>>>,
    /// By role and block, the role's index in the first column.
    places: Vec<Vec<Option<u32>>>,
    role_terms: Vec<TermId>,
    /// Whether the order of move ids is the order of their texts.
    pub(super) in_order: bool,
}

impl MoveIds {
    pub(super) fn new(schema: &Schema, roles: &[TermId], terms: &Terms) -> Self {
        let mut moves = Self {
            blocks: Vec::new(),
            roles: Vec::new(),
            places: vec![Vec::new(); roles.len()],
            role_terms: roles.to_vec(),
            in_order: true,
        };
        let mut first = 0;
        let mut names: Vec<&str> = Vec::new();
        for number in &schema.moves {
            let predicate = schema.predicate(*number);
            let count = match predicate.sparse {
                Some(_) => CAPACITY,
                None => Schema::stride(predicate, 0),
            };
            moves.in_order &= predicate.sparse.is_none();
            let twin = predicate.base + schema.to_does;
            let twin = schema
                .predicates()
                .iter()
                .find(|other| other.base == twin && other.shape == predicate.shape);
            moves.blocks.push(MoveBlock {
                predicate: *number,
                does: twin.map_or(*number, |twin| twin.number),
                base: predicate.base,
                count,
                first,
                sparse: predicate.sparse,
            });
            first += count;
            let Some(column) = schema.columns(predicate).next() else {
                continue;
            };
            let role = |term: &TermId| roles.iter().position(|role| role == term);
            moves.roles.push(column.terms.iter().map(role).collect());
            for (places, role) in moves.places.iter_mut().zip(roles) {
                places.push(column.index(*role));
            }
            if let Some(Some((functor, _))) = predicate.shape.last() {
                // One functor with several arities: their texts are interleaved.
                let name = terms.symbols.name(*functor);
                moves.in_order &= !names.contains(&name);
                names.push(name);
            } else {
                // Constants come last; texts that sort before a parenthesis would be out of order.
                let constants = schema.columns(predicate).nth(1);
                let mut constants = constants.iter().flat_map(|column| &column.terms);
                moves.in_order &= constants.all(|term| terms.text(*term).as_str() > "(");
            }
        }
        moves
    }

    fn block_of(&self, id: u32) -> (usize, &MoveBlock) {
        let number = self.blocks.partition_point(|block| block.base <= id) - 1;
        (number, &self.blocks[number])
    }

    /// The role of a row of a sparse predicate.
    fn role_of(&self, knowledge: &KnowledgeBase, sparse: usize, local: u32) -> Option<Role> {
        let row = knowledge.sparse[sparse].row(local)?;
        self.role_terms.iter().position(|term| *term == row[0])
    }

    /// The role and move id of an instance of `legal`.
    pub(super) fn move_of(&self, knowledge: &KnowledgeBase, id: u32) -> Option<(Role, MoveId)> {
        let (number, block) = self.block_of(id);
        let local = id - block.base;
        if let Some(sparse) = block.sparse {
            let role = self.role_of(knowledge, sparse, local)?;
            return Some((role, MoveId(block.first + local)));
        }
        let role = self.roles[number][(local / block.count) as usize]?;
        Some((role, MoveId(block.first + local % block.count)))
    }

    /// The legal moves of a state by role: the predicate of `does`, and the instance of `legal`.
    pub(super) fn legal_by_role(
        &self,
        knowledge: &KnowledgeBase,
        moves: &mut [Vec<(PredicateId, u32)>],
    ) {
        moves.iter_mut().for_each(Vec::clear);
        for (block, roles) in self.blocks.iter().zip(&self.roles) {
            let list = knowledge.list_of(block.predicate);
            if list.is_empty() {
                continue;
            }
            if let Some(sparse) = block.sparse {
                for id in list {
                    if let Some(role) = self.role_of(knowledge, sparse, id - block.base) {
                        moves[role].push((block.does, *id));
                    }
                }
                continue;
            }
            if let [Some(role)] = roles[..] {
                moves[role].extend(list.iter().map(|id| (block.does, *id)));
                continue;
            }
            for id in list {
                let local = id - block.base;
                // There are few roles: comparing is faster than dividing.
                let mut place = 0;
                let mut end = block.count;
                while local >= end {
                    place += 1;
                    end += block.count;
                }
                if let Some(role) = roles[place] {
                    moves[role].push((block.does, *id));
                }
            }
        }
    }

    /// The predicate of `does` and the instance of `legal` of a move.
    pub(super) fn instance_of(
        &self,
        knowledge: &mut KnowledgeBase,
        role: Role,
        id: MoveId,
    ) -> Option<(PredicateId, u32)> {
        let number = self.blocks.partition_point(|block| block.first <= id.0);
        let number = number.checked_sub(1)?;
        let block = &self.blocks[number];
        let local = id.0 - block.first;
        if local >= block.count {
            return None;
        }
        if let Some(sparse) = block.sparse {
            // Another fork may have assigned the id.
            knowledge.sparse[sparse].ensure_known(local);
            let is_own = self.role_of(knowledge, sparse, local) == Some(role);
            return is_own.then_some((block.does, block.base + local));
        }
        let place = (*self.places.get(role)?.get(number)?)?;
        Some((block.does, block.base + place * block.count + local))
    }

    /// The predicate of `legal` that an instance belongs to.
    pub(super) fn predicate(&self, id: u32) -> PredicateId {
        self.block_of(id).1.predicate
    }

    pub(super) fn predicates(&self) -> impl Iterator<Item = PredicateId> {
        self.blocks.iter().map(|block| block.predicate)
    }
}
