//! How the facts on a board are drawn, and which lie over which.

use rustc_hash::FxHashSet;

use crate::candidate::{Candidate, Purpose};
use crate::content::{content_of, empties, name_of};
use crate::form::{Form, share};
use crate::glyph;
use crate::grid::Evidence;
use crate::joined;
use crate::model::{Layer, Manner};
use crate::words;

/// The layers of a board, one for each of its candidates.
pub(crate) fn of(members: &[Candidate], evidence: &Evidence) -> Vec<Layer> {
    let mut layers: Vec<Layer> = members
        .iter()
        .map(|member| {
            let form = &evidence.forms[member.form];
            let mut key = member.key();
            if member.purpose != Purpose::Cell {
                key = (0..form.arity)
                    .filter(|l| member.sides.contains_key(l))
                    .collect();
            }
            Layer {
                shape: form.shape.clone(),
                key,
                content: member.content.clone(),
                title: words::spoken(form.name.trim_end_matches(joined::MARK)),
                manner: manner(member, form),
                empty: empties(form, &member.content, evidence.roles),
            }
        })
        .collect();
    settle(&mut layers, evidence.forms);
    layers.retain(|layer| layer.manner != Manner::Unseen);
    layers
}

/// How the facts of a candidate are drawn, by its name.
fn manner(candidate: &Candidate, form: &Form) -> Manner {
    match candidate.purpose {
        Purpose::Link => return Manner::Link,
        Purpose::Barrier => return Manner::Barrier,
        Purpose::Cell => {}
    }
    let parts = words::words(&form.name);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    // Which piece has left its place is for the rules; where it was, another may stand.
    if has(&["moved"]) {
        return Manner::Unseen;
    }
    let direction = glyph::direction(&parts);
    if candidate.content.is_empty() {
        if let Some(direction) = direction {
            if has(&["blocked", "wall", "walled", "barrier"]) {
                return Manner::Wall(direction);
            }
            if has(&["lt", "less", "smaller"]) {
                return Manner::Sign(direction, true);
            }
            if has(&["gt", "greater", "larger"]) {
                return Manner::Sign(direction, false);
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
            return Manner::Hole;
        }
    } else if has(&["wall", "walls", "barrier"]) {
        let mut values = candidate
            .content
            .iter()
            .flat_map(|leaf| &form.seen[*leaf])
            .peekable();
        if values.peek().is_some()
            && values.all(|value| glyph::direction(&words::words(value)).is_some())
        {
            return Manner::Wall([0, 0]);
        }
    }
    Manner::Piece
}

/// Decides which layers lie under others: of two that have something on the same cells, the fuller
/// one is the floor.
pub(crate) fn settle(layers: &mut [Layer], forms: &[Form]) {
    let form_of = |layer: &Layer| forms.iter().find(|form| form.shape == layer.shape);
    for upper in 1..layers.len() {
        if layers[upper].manner != Manner::Piece {
            continue;
        }
        let (below, rest) = layers.split_at_mut(upper);
        let upper = &mut rest[0];
        let Some(form) = form_of(upper) else { continue };
        for lower in below
            .iter_mut()
            .filter(|layer| matches!(layer.manner, Manner::Piece | Manner::Floor))
        {
            let Some(floor) = form_of(lower) else {
                continue;
            };
            let mut facts = 0;
            let mut covered = 0;
            for (over, under) in form.states.iter().zip(&floor.states) {
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
            if share(covered, facts) < 0.3 {
                continue;
            }
            let numbers = upper
                .content
                .iter()
                .all(|leaf| form.seen[*leaf].iter().all(|v| v.parse::<i64>().is_ok()));
            // What is there only now and then, such as a check, is a sign on the pieces.
            let is_rare = 2 * form.inhabited().count() < form.states.len();
            if upper.content.is_empty() && lower.content.is_empty() && form.most() == 1 {
                // The one who leaves a trail stands on it.
                lower.manner = Manner::Floor;
            } else if upper.content.is_empty() || is_rare {
                upper.manner = Manner::Ring;
            } else if numbers {
                // Small numbers can stand in a corner; what counts further is bookkeeping of the
                // rules.
                let most = upper
                    .content
                    .iter()
                    .map(|leaf| form.seen[*leaf].len())
                    .max();
                upper.manner = if most.unwrap_or(0) > 12 {
                    Manner::Unseen
                } else {
                    Manner::Note
                };
            } else {
                lower.manner = Manner::Floor;
            }
            break;
        }
    }
    // A lone sign that is somewhere on a board of other things is a ring where it is rare.
    let has_content = layers.iter().any(|layer| !layer.content.is_empty());
    for layer in layers.iter_mut() {
        let most = form_of(layer).map_or(0, Form::most);
        if has_content && layer.content.is_empty() && most <= 1 && layer.manner == Manner::Piece {
            layer.manner = Manner::Ring;
        }
    }
}

/// Whether two forms are boards of their own though their cells are called alike: both say the same
/// things of the same cells.
pub(crate) fn are_rivals(one: &Candidate, other: &Candidate, forms: &[Form]) -> bool {
    let are_cells = one.purpose == Purpose::Cell && other.purpose == Purpose::Cell;
    if !are_cells || one.content.is_empty() || other.content.is_empty() {
        return false;
    }
    let (a, b) = (&forms[one.form], &forms[other.form]);
    // Pieces that are each somewhere stand on the board of the other form.
    let are_pieces = |form: &Form, candidate: &Candidate| {
        form.most() <= 12 && form.keyness(&candidate.content) >= 1.0
    };
    if are_pieces(a, one) != are_pieces(b, other) {
        return false;
    }
    let contents = |candidate: &Candidate, form: &Form| -> FxHashSet<String> {
        form.all()
            .map(|fact| content_of(fact, &candidate.content))
            .collect()
    };
    let (mine, its) = (contents(one, a), contents(other, b));
    let common = mine.intersection(&its).count();
    let key = [one.key(), other.key()];
    let total = |form: &Form, key: &[usize]| {
        let counts: FxHashSet<usize> = form.inhabited().map(Vec::len).collect();
        counts.len() == 1 && form.most() >= 4 && form.keyness(key) >= 1.0
    };
    // A few facts about things that stand on the board of the other form.
    if (4 * a.most() < b.most() && mine.is_subset(&its))
        || (4 * b.most() < a.most() && its.is_subset(&mine))
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
