//! The layers of a board: how their facts are drawn, and which layer is below another.

use rustc_hash::FxHashSet;

use crate::candidate::{BoardCandidate, CandidateKind};
use crate::content::{content_of, empty_contents, name_of};
use crate::evidence::Evidence;
use crate::fluent_pairs;
use crate::glyph;
use crate::model::{BoardLayer, DrawMode};
use crate::names;
use crate::term_schema::{TermSchema, ratio};

/// The layers of a board, one for each of its candidates.
pub(crate) fn layers_of(members: &[BoardCandidate], evidence: &Evidence) -> Vec<BoardLayer> {
    let mut layers: Vec<BoardLayer> = members
        .iter()
        .map(|member| {
            let schema = &evidence.schemas[member.schema];
            let mut key = member.key();
            if member.purpose != CandidateKind::Cell {
                key = (0..schema.arity)
                    .filter(|l| member.sides.contains_key(l))
                    .collect();
            }
            BoardLayer {
                shape: schema.shape.clone(),
                key,
                content: member.content.clone(),
                title: names::display_name(schema.name.trim_end_matches(fluent_pairs::PAIR_SUFFIX)),
                mode: mode(member, schema),
                empty: empty_contents(schema, &member.content, evidence.roles),
            }
        })
        .collect();
    assign_draw_modes(&mut layers, evidence.schemas);
    layers.retain(|layer| layer.mode != DrawMode::Unseen);
    layers
}

/// The draw mode of a candidate, by the name of its fluent.
fn mode(candidate: &BoardCandidate, schema: &TermSchema) -> DrawMode {
    match candidate.purpose {
        CandidateKind::Link => return DrawMode::Link,
        CandidateKind::Barrier => return DrawMode::Barrier,
        CandidateKind::Cell => {}
    }
    let parts = names::split_words(&schema.name);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    // Fluents such as `moved` record history for the rules; another piece may be on that cell now.
    if has(&["moved"]) {
        return DrawMode::Unseen;
    }
    let direction = glyph::direction(&parts);
    if candidate.content.is_empty() {
        if let Some(direction) = direction {
            if has(&["blocked", "wall", "walled", "barrier"]) {
                return DrawMode::Wall(direction);
            }
            if has(&["lt", "less", "smaller"]) {
                return DrawMode::Sign(direction, true);
            }
            if has(&["gt", "greater", "larger"]) {
                return DrawMode::Sign(direction, false);
            }
        }
        if has(&[
            "limits",
            "hole",
            "holes",
            "missing",
            "forbidden",
            "offlimits",
        ]) {
            return DrawMode::Hole;
        }
    } else if has(&["wall", "walls", "barrier"]) {
        let mut values = candidate
            .content
            .iter()
            .flat_map(|leaf| &schema.seen[*leaf])
            .peekable();
        if values.peek().is_some()
            && values.all(|value| glyph::direction(&names::split_words(value)).is_some())
        {
            return DrawMode::Wall([0, 0]);
        }
    }
    DrawMode::Piece
}

/// Decides which layers are below others: of two layers on the same cells, the one with more facts
/// is the floor.
pub(crate) fn assign_draw_modes(layers: &mut [BoardLayer], schemas: &[TermSchema]) {
    let form_of = |layer: &BoardLayer| schemas.iter().find(|schema| schema.shape == layer.shape);
    for upper in 1..layers.len() {
        if layers[upper].mode != DrawMode::Piece {
            continue;
        }
        let (below, rest) = layers.split_at_mut(upper);
        let upper = &mut rest[0];
        let Some(schema) = form_of(upper) else {
            continue;
        };
        for lower in below
            .iter_mut()
            .filter(|layer| matches!(layer.mode, DrawMode::Piece | DrawMode::Floor))
        {
            let Some(floor) = form_of(lower) else {
                continue;
            };
            let mut facts = 0;
            let mut covered = 0;
            for (over, under) in schema.states.iter().zip(&floor.states) {
                let cells: FxHashSet<Vec<&String>> = under
                    .iter()
                    .filter(|fact| !lower.empty.contains(&content_of(fact, &lower.content)))
                    .map(|fact| lower.key.iter().map(|leaf| &fact[*leaf]).collect())
                    .collect();
                for fact in over {
                    facts += 1;
                    let name: Vec<&String> = upper.key.iter().map(|leaf| &fact[*leaf]).collect();
                    covered += usize::from(cells.contains(&name));
                }
            }
            if ratio(covered, facts) < 0.3 {
                continue;
            }
            let numbers = upper
                .content
                .iter()
                .all(|leaf| schema.seen[*leaf].iter().all(|v| v.parse::<i64>().is_ok()));
            // A fluent that is rarely true, such as a check, is a marker on the pieces.
            let is_rare = 2 * schema.nonempty_states().count() < schema.states.len();
            if upper.content.is_empty() && lower.content.is_empty() && schema.max_facts() == 1 {
                // A position on a trail, as in Tron: the trail is the floor.
                lower.mode = DrawMode::Floor;
            } else if upper.content.is_empty() || is_rare {
                upper.mode = DrawMode::Ring;
            } else if numbers {
                // Small numbers fit into a corner. Larger ranges are internal counters of the
                // rules.
                let most = upper
                    .content
                    .iter()
                    .map(|leaf| schema.seen[*leaf].len())
                    .max();
                upper.mode = if most.unwrap_or(0) > 12 {
                    DrawMode::Unseen
                } else {
                    DrawMode::Note
                };
            } else {
                lower.mode = DrawMode::Floor;
            }
            break;
        }
    }
    // A single marker somewhere on a board of other contents is drawn as a ring.
    let has_content = layers.iter().any(|layer| !layer.content.is_empty());
    for layer in layers.iter_mut() {
        let most = form_of(layer).map_or(0, TermSchema::max_facts);
        if has_content && layer.content.is_empty() && most <= 1 && layer.mode == DrawMode::Piece {
            layer.mode = DrawMode::Ring;
        }
    }
}

/// Whether two candidates are separate boards although their cells have the same names: both have
/// the same contents for the same cells.
pub(crate) fn are_separate_boards(
    one: &BoardCandidate,
    other: &BoardCandidate,
    schemas: &[TermSchema],
) -> bool {
    let are_cells = one.purpose == CandidateKind::Cell && other.purpose == CandidateKind::Cell;
    if !are_cells || one.content.is_empty() || other.content.is_empty() {
        return false;
    }
    let (a, b) = (&schemas[one.schema], &schemas[other.schema]);
    // Pieces with one position each belong on the board of the other schema.
    let are_pieces = |schema: &TermSchema, candidate: &BoardCandidate| {
        schema.max_facts() <= 12 && schema.key_ratio(&candidate.content) >= 1.0
    };
    if are_pieces(a, one) != are_pieces(b, other) {
        return false;
    }
    let contents = |candidate: &BoardCandidate, schema: &TermSchema| -> FxHashSet<String> {
        schema
            .all()
            .map(|fact| content_of(fact, &candidate.content))
            .collect()
    };
    let (mine, its) = (contents(one, a), contents(other, b));
    let common = mine.intersection(&its).count();
    let key = [one.key(), other.key()];
    let total = |schema: &TermSchema, key: &[usize]| {
        let counts: FxHashSet<usize> = schema.nonempty_states().map(Vec::len).collect();
        counts.len() == 1 && schema.max_facts() >= 4 && schema.key_ratio(key) >= 1.0
    };
    // A few facts about contents of the other schema belong on its board.
    if (4 * a.max_facts() < b.max_facts() && mine.is_subset(&its))
        || (4 * b.max_facts() < a.max_facts() && its.is_subset(&mine))
    {
        return false;
    }
    let sizes_differ = key[0]
        .iter()
        .zip(&key[1])
        .any(|(l, r)| a.seen[*l].len() != b.seen[*r].len());
    if total(a, &key[0]) && total(b, &key[1]) && sizes_differ {
        return true;
    }
    if 2 * common < mine.len().min(its.len()).max(1) || common == 0 {
        return false;
    }
    a.states.iter().zip(&b.states).any(|(left, right)| {
        let cells: FxHashSet<Vec<String>> = left.iter().map(|f| name_of(f, &key[0])).collect();
        right
            .iter()
            .any(|fact| cells.contains(&name_of(fact, &key[1])))
    })
}
