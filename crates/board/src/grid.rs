//! Boards of columns and rows: candidates that speak of the same cells are layers of one board.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::candidate::{Candidate, Purpose};
use crate::content::name_of;
use crate::direction::{self, Heading};
use crate::form::{Form, share};
use crate::joined;
use crate::layer;
use crate::model::{Cell, Ground, Kind, Label, Look, Manner, Plan, to_float};
use crate::words;

/// Boards of more cells are not drawn.
pub(crate) const MAX_CELLS: usize = 2_500;
/// Samples that are searched for cells without anything.
const MAX_SAMPLES: usize = 30;
/// More boards than this are not drawn.
const MAX_BOARDS: usize = 6;

/// The evidence of a game.
pub(crate) struct Evidence<'a> {
    pub(crate) forms: &'a [Form],
    pub(crate) moves: &'a [Form],
    pub(crate) roles: &'a [String],
    pub(crate) joints: Vec<Option<&'a Vec<String>>>,
}

/// Candidates that share their cells.
struct Group {
    members: Vec<Candidate>,
    /// The values of each place of a cell's name, in order.
    sides: Vec<Vec<String>>,
}

/// Makes boards of candidates.
pub(crate) fn boards(mut candidates: Vec<Candidate>, evidence: &Evidence) -> Vec<Plan> {
    let weight = |candidate: &Candidate| {
        let form = &evidence.forms[candidate.form];
        let has_content = !candidate.content.is_empty();
        let is_cell = candidate.purpose != Purpose::Barrier;
        (
            is_cell,
            has_content,
            form.most(),
            std::cmp::Reverse(candidate.form),
        )
    };
    candidates.sort_by_key(|candidate| std::cmp::Reverse(weight(candidate)));
    let mut groups: Vec<Group> = Vec::new();
    for candidate in candidates {
        let sides: Vec<Vec<String>> = candidate
            .key()
            .iter()
            .map(|leaf| candidate.sides[leaf].clone())
            .collect();
        let home = groups
            .iter_mut()
            .find(|group| group.accepts(&candidate, &sides, evidence.forms));
        match home {
            Some(group) => group.add(candidate, sides),
            None => groups.push(Group {
                members: vec![candidate],
                sides,
            }),
        }
    }
    groups.retain(|group| group.is_board(evidence));
    groups.truncate(MAX_BOARDS);
    let mut plans: Vec<Plan> = groups
        .iter()
        .filter_map(|group| group.plan(evidence))
        .collect();
    plans.sort_by_key(|plan| {
        let first = plan.layers.first().map(|layer| layer.shape.clone());
        evidence
            .forms
            .iter()
            .position(|form| Some(&form.shape) == first.as_ref())
    });
    plans
}

impl Group {
    fn accepts(&self, candidate: &Candidate, sides: &[Vec<String>], forms: &[Form]) -> bool {
        if self.sides.len() != sides.len() {
            return false;
        }
        let fits = |mine: &Vec<String>, its: &Vec<String>| {
            let common = its.iter().filter(|value| mine.contains(value)).count();
            5 * common >= 3 * its.len().min(mine.len()) && common > 0
        };
        if !self
            .sides
            .iter()
            .zip(sides)
            .all(|(mine, its)| fits(mine, its))
        {
            return false;
        }
        let is_rival = |member: &Candidate| layer::are_rivals(member, candidate, forms);
        !self.members.iter().any(is_rival)
    }

    fn add(&mut self, candidate: Candidate, sides: Vec<Vec<String>>) {
        for (mine, its) in self.sides.iter_mut().zip(sides) {
            let strangers: Vec<String> = its.into_iter().filter(|v| !mine.contains(v)).collect();
            if !strangers.is_empty() {
                mine.extend(strangers);
                if let Some(sorted) = crate::order::natural(mine) {
                    *mine = sorted;
                }
            }
        }
        self.members.push(candidate);
    }

    /// Whether there is enough to call it a board: a lone fact such as two scores is none.
    fn is_board(&self, evidence: &Evidence) -> bool {
        let cells: usize = self.sides.iter().map(Vec::len).product();
        if !(4..=MAX_CELLS).contains(&cells) {
            return false;
        }
        self.members.iter().any(|member| {
            let form = &evidence.forms[member.form];
            let name = words::words(form.name.trim_end_matches(joined::MARK));
            let is_position = ["at", "pos", "position", "location", "cell", "on"]
                .iter()
                .any(|word| name.iter().any(|part| part == word));
            member.purpose != Purpose::Barrier
                && (form.most() > 1 || is_position || !member.content.is_empty())
        })
    }

    /// The sides within a closed frame of things around all that was ever seen, as of walls:
    /// nothing lies outside it.
    fn framed(&self, evidence: &Evidence) -> Option<Vec<Vec<String>>> {
        let lead = &self.members[0];
        let form = &evidence.forms[lead.form];
        let [a, b] = lead.key()[..] else { return None };
        let mut sides = self.sides.clone();
        for (side, leaf) in sides.iter_mut().zip([a, b]) {
            let is_seen = |value: &String| form.seen[leaf].contains(value);
            let first = side.iter().position(is_seen)?;
            let last = side.iter().rposition(is_seen)?;
            *side = side[first..=last].to_vec();
        }
        let start: FxHashSet<[&String; 2]> = form
            .states
            .first()?
            .iter()
            .map(|f| [&f[a], &f[b]])
            .collect();
        let ends = |side: &[String]| [side.first().cloned(), side.last().cloned()];
        let (left, top) = (ends(&sides[0]), ends(&sides[1]));
        let closed = sides[0].iter().all(|x| {
            sides[1].iter().all(|y| {
                let inside = !left.iter().flatten().any(|end| end == x)
                    && !top.iter().flatten().any(|end| end == y);
                inside || start.contains(&[x, y])
            })
        });
        (closed && sides.iter().all(|side| side.len() > 2)).then_some(sides)
    }

    /// The board, without columns and rows that have no cell.
    fn plan(&self, evidence: &Evidence) -> Option<Plan> {
        if let Some(sides) = self.framed(evidence).filter(|sides| *sides != self.sides) {
            let members = self.members.clone();
            return Self { members, sides }.draft(evidence);
        }
        let plan = self.draft(evidence)?;
        let is_used = |place: usize, value: &String| {
            let mut cells = plan.cells.iter().filter(|cell| cell.ground != Ground::Hole);
            cells.any(|cell| cell.name[place] == *value)
        };
        let mut sides = self.sides.clone();
        for (place, side) in sides.iter_mut().enumerate() {
            side.retain(|value| is_used(place, value));
        }
        if sides == self.sides || sides.iter().any(Vec::is_empty) {
            return Some(plan);
        }
        let members = self.members.clone();
        Self { members, sides }.draft(evidence)
    }

    fn draft(&self, evidence: &Evidence) -> Option<Plan> {
        let lead = &self.members[0];
        let key = lead.key();
        let at = |leaf: usize| key.iter().position(|k| *k == leaf);
        let pair = [at(lead.pair[0])?, at(lead.pair[1])?];
        let panel: Vec<usize> = lead.panel.iter().filter_map(|leaf| at(*leaf)).collect();
        let heading = direction::find(lead, &self.sides, pair, evidence);
        let mut plan = Plan {
            id: String::new(),
            title: words::spoken(
                evidence.forms[lead.form]
                    .name
                    .trim_end_matches(joined::MARK),
            ),
            kind: Kind::Grid,
            cells: Vec::new(),
            lookup: FxHashMap::default(),
            layers: layer::of(&self.members, evidence),
            labels: Vec::new(),
            links: Vec::new(),
            size: [0, 0],
            axes: [Some(heading.column), Some(heading.row)],
            look: Look::default(),
        };
        self.lay_out(&mut plan, &heading, &panel);
        plan.index();
        self.dig_holes(&mut plan, evidence);
        Some(plan)
    }

    /// Puts the cells at their points.
    fn lay_out(&self, plan: &mut Plan, heading: &Heading, panel: &[usize]) {
        let columns = self.sides[heading.column].len();
        let rows = self.sides[heading.row].len();
        let (panel_x, panel_y, across) = self.panels(panel);
        let gap = 0.5;
        let mut names: Vec<Vec<usize>> = vec![vec![]];
        for side in &self.sides {
            names = names
                .into_iter()
                .flat_map(|name| {
                    (0..side.len()).map(move |value| {
                        let mut name = name.clone();
                        name.push(value);
                        name
                    })
                })
                .collect();
        }
        for name in names {
            let (mut x, mut y) = (name[heading.column], name[heading.row]);
            if heading.leftwards {
                x = columns - 1 - x;
            }
            if heading.upwards {
                y = rows - 1 - y;
            }
            let (px, py) = match (panel_x, panel_y) {
                (Some(a), Some(b)) => {
                    let down = self.sides[b].len() - 1;
                    let py = if heading.upwards {
                        down - name[b]
                    } else {
                        name[b]
                    };
                    (name[a], py)
                }
                (Some(a), None) => (name[a] % across, name[a] / across),
                _ => (0, 0),
            };
            let offset = |panel: usize, size: usize| to_float(panel) * (to_float(size) + gap);
            plan.cells.push(Cell {
                name: name
                    .iter()
                    .zip(&self.sides)
                    .map(|(value, side)| side[*value].clone())
                    .collect(),
                point: [
                    to_float(x) + offset(px, columns),
                    to_float(y) + offset(py, rows),
                ],
                ground: Ground::Plain,
            });
        }
        plan.size = [columns, rows];
        if panel.is_empty() {
            for (at, value) in self.sides[heading.column].iter().enumerate() {
                let at = if heading.leftwards {
                    columns - 1 - at
                } else {
                    at
                };
                plan.labels.push(Label {
                    text: words::short(value, 6),
                    at: [to_float(at), to_float(rows) - 0.18],
                });
            }
            for (at, value) in self.sides[heading.row].iter().enumerate() {
                let at = if heading.upwards { rows - 1 - at } else { at };
                plan.labels.push(Label {
                    text: words::short(value, 6),
                    at: [-0.82, to_float(at)],
                });
            }
        } else if let (Some(a), None) = (panel_x, panel_y) {
            for (at, value) in self.sides[a].iter().enumerate() {
                let offset = |panel: usize, size: usize| to_float(panel) * (to_float(size) + gap);
                plan.labels.push(Label {
                    text: words::short(value, 10),
                    at: [
                        offset(at % across, columns) + to_float(columns) / 2.0 - 0.5,
                        offset(at / across, rows) - 0.72,
                    ],
                });
            }
        }
    }

    /// Which places of the name are the column and the row of a panel, and how many panels lie in a
    /// row.
    fn panels(&self, panel: &[usize]) -> (Option<usize>, Option<usize>, usize) {
        match panel[..] {
            [a, b] => (Some(a), Some(b), self.sides[a].len()),
            [a] => {
                let count = self.sides[a].len();
                let across = match count {
                    0..=3 => count,
                    4 => 2,
                    _ => (1..count).find(|n| n * n >= count).unwrap_or(count),
                };
                (Some(a), None, across.max(1))
            }
            _ => (None, None, 1),
        }
    }

    /// Where every cell always has a fact or a move, what never has one is no cell.
    fn dig_holes(&self, plan: &mut Plan, evidence: &Evidence) {
        let holes: FxHashSet<String> = plan
            .layers
            .iter()
            .filter(|layer| layer.manner == Manner::Hole)
            .flat_map(|layer| {
                let form = evidence.forms.iter().find(|form| form.shape == layer.shape);
                form.into_iter()
                    .flat_map(|form| form.all().map(|fact| name_of(fact, &layer.key).join(",")))
            })
            .collect();
        let mut first: Option<FxHashSet<usize>> = None;
        let mut all: FxHashSet<usize> = FxHashSet::default();
        let samples = evidence.joints.len().min(MAX_SAMPLES);
        for sample in 0..samples {
            let mut now = FxHashSet::default();
            for layer in plan
                .layers
                .iter()
                .filter(|l| !matches!(l.manner, Manner::Hole | Manner::Link | Manner::Barrier))
            {
                let form = evidence.forms.iter().find(|form| form.shape == layer.shape);
                for fact in form.into_iter().flat_map(|form| &form.states[sample]) {
                    now.extend(plan.find(&name_of(fact, &layer.key)));
                }
            }
            for form in evidence.moves {
                for leaves in &form.states[sample] {
                    for window in leaves.windows(self.sides.len()) {
                        now.extend(plan.find(window));
                    }
                }
            }
            all.extend(&now);
            first.get_or_insert(now);
        }
        let first = first.unwrap_or_default();
        let complete = first.len() == all.len()
            && share(all.len(), plan.cells.len()) > 0.3
            && all.len() < plan.cells.len()
            && samples > 3;
        for (at, cell) in plan.cells.iter_mut().enumerate() {
            let is_hole = holes.contains(&cell.name.join(","));
            if is_hole || (complete && !all.contains(&at)) {
                cell.ground = Ground::Hole;
            }
        }
    }
}
