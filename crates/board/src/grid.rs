//! Grids: boards with columns and rows. Candidates with the same cells are layers of one board.

use ludorum_games::CellBackground;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::candidate::{BoardCandidate, CandidateKind};
use crate::content::name_of;
use crate::evidence::Evidence;
use crate::fluent_pairs;
use crate::layer;
use crate::model::{BoardLayout, Cell, CellPattern, DrawMode, EdgeLabel, LayoutKind, to_float};
use crate::names;
use crate::orientation::{self, Orientation};
use crate::term_schema::{TermSchema, ratio};

/// Maximum number of cells of a board.
pub(crate) const MAX_CELLS: usize = 2_500;
/// Maximum number of samples that are searched for missing cells.
const MAX_SAMPLES: usize = 30;
/// Maximum number of boards.
const MAX_BOARDS: usize = 6;

/// Candidates with the same cells.
struct Group {
    members: Vec<BoardCandidate>,
    /// The ordered values of each component of a cell name.
    sides: Vec<Vec<String>>,
}

/// Groups the candidates into boards.
pub(crate) fn find(mut candidates: Vec<BoardCandidate>, evidence: &Evidence) -> Vec<BoardLayout> {
    let weight = |candidate: &BoardCandidate| {
        let schema = &evidence.schemas[candidate.schema];
        let has_content = !candidate.content.is_empty();
        let is_cell = candidate.purpose != CandidateKind::Barrier;
        (
            is_cell,
            has_content,
            schema.max_facts(),
            std::cmp::Reverse(candidate.schema),
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
            .find(|group| group.accepts(&candidate, &sides, evidence.schemas));
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
    let mut layouts: Vec<BoardLayout> = groups
        .iter()
        .filter_map(|group| group.layout(evidence))
        .collect();
    layouts.sort_by_key(|layout| {
        let first = layout.layers.first().map(|layer| layer.shape.clone());
        evidence
            .schemas
            .iter()
            .position(|schema| Some(&schema.shape) == first.as_ref())
    });
    layouts
}

impl Group {
    fn accepts(
        &self,
        candidate: &BoardCandidate,
        sides: &[Vec<String>],
        schemas: &[TermSchema],
    ) -> bool {
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
        let is_rival =
            |member: &BoardCandidate| layer::are_separate_boards(member, candidate, schemas);
        !self.members.iter().any(is_rival)
    }

    fn add(&mut self, candidate: BoardCandidate, sides: Vec<Vec<String>>) {
        for (mine, its) in self.sides.iter_mut().zip(sides) {
            let strangers: Vec<String> = its.into_iter().filter(|v| !mine.contains(v)).collect();
            if !strangers.is_empty() {
                mine.extend(strangers);
                if let Some(sorted) = crate::symbol_order::natural(mine) {
                    *mine = sorted;
                }
            }
        }
        self.members.push(candidate);
    }

    /// Whether the group is a board. A single fact such as a pair of scores is none.
    fn is_board(&self, evidence: &Evidence) -> bool {
        let cells: usize = self.sides.iter().map(Vec::len).product();
        if !(4..=MAX_CELLS).contains(&cells) {
            return false;
        }
        self.members.iter().any(|member| {
            let schema = &evidence.schemas[member.schema];
            let name = names::split_words(schema.name.trim_end_matches(fluent_pairs::PAIR_SUFFIX));
            let is_position = ["at", "pos", "position", "location", "cell", "on"]
                .iter()
                .any(|word| name.iter().any(|part| part == word));
            member.purpose != CandidateKind::Barrier
                && (schema.max_facts() > 1 || is_position || !member.content.is_empty())
        })
    }

    /// The sides cropped to a closed frame of walls, if the cells of the first state form one
    /// around all cells that were ever seen.
    fn cropped_to_frame(&self, evidence: &Evidence) -> Option<Vec<Vec<String>>> {
        let lead = &self.members[0];
        let schema = &evidence.schemas[lead.schema];
        let [a, b] = lead.key()[..] else { return None };
        let mut sides = self.sides.clone();
        for (side, leaf) in sides.iter_mut().zip([a, b]) {
            let is_seen = |value: &String| schema.seen[leaf].contains(value);
            let first = side.iter().position(is_seen)?;
            let last = side.iter().rposition(is_seen)?;
            *side = side[first..=last].to_vec();
        }
        let start: FxHashSet<[&String; 2]> = schema
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

    /// The layout of the board, without columns and rows that have no cell.
    fn layout(&self, evidence: &Evidence) -> Option<BoardLayout> {
        if let Some(sides) = self
            .cropped_to_frame(evidence)
            .filter(|sides| *sides != self.sides)
        {
            let members = self.members.clone();
            return Self { members, sides }.build_layout(evidence);
        }
        let layout = self.build_layout(evidence)?;
        let is_used = |place: usize, value: &String| {
            let mut cells = layout
                .cells
                .iter()
                .filter(|cell| cell.ground != CellBackground::Hole);
            cells.any(|cell| cell.name[place] == *value)
        };
        let mut sides = self.sides.clone();
        for (place, side) in sides.iter_mut().enumerate() {
            side.retain(|value| is_used(place, value));
        }
        if sides == self.sides || sides.iter().any(Vec::is_empty) {
            return Some(layout);
        }
        let members = self.members.clone();
        Self { members, sides }.build_layout(evidence)
    }

    fn build_layout(&self, evidence: &Evidence) -> Option<BoardLayout> {
        let lead = &self.members[0];
        let key = lead.key();
        let at = |leaf: usize| key.iter().position(|k| *k == leaf);
        let pair = [at(lead.pair[0])?, at(lead.pair[1])?];
        let panel: Vec<usize> = lead.panel.iter().filter_map(|leaf| at(*leaf)).collect();
        let orientation = orientation::find(lead, &self.sides, pair, evidence);
        let mut layout = BoardLayout {
            id: String::new(),
            title: names::display_name(
                evidence.schemas[lead.schema]
                    .name
                    .trim_end_matches(fluent_pairs::PAIR_SUFFIX),
            ),
            kind: LayoutKind::Grid,
            cells: Vec::new(),
            lookup: FxHashMap::default(),
            layers: layer::layers_of(&self.members, evidence),
            labels: Vec::new(),
            links: Vec::new(),
            size: [0, 0],
            axes: [Some(orientation.column), Some(orientation.row)],
            pattern: CellPattern::default(),
        };
        self.place_cells(&mut layout, &orientation, &panel);
        layout.index();
        self.mark_holes(&mut layout, evidence);
        Some(layout)
    }

    /// Assigns a point to every cell.
    fn place_cells(&self, layout: &mut BoardLayout, orientation: &Orientation, panel: &[usize]) {
        let columns = self.sides[orientation.column].len();
        let rows = self.sides[orientation.row].len();
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
            let (mut x, mut y) = (name[orientation.column], name[orientation.row]);
            if orientation.leftwards {
                x = columns - 1 - x;
            }
            if orientation.upwards {
                y = rows - 1 - y;
            }
            let (px, py) = match (panel_x, panel_y) {
                (Some(a), Some(b)) => {
                    let down = self.sides[b].len() - 1;
                    let py = if orientation.upwards {
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
            layout.cells.push(Cell {
                name: name
                    .iter()
                    .zip(&self.sides)
                    .map(|(value, side)| side[*value].clone())
                    .collect(),
                point: [
                    to_float(x) + offset(px, columns),
                    to_float(y) + offset(py, rows),
                ],
                ground: CellBackground::Plain,
            });
        }
        layout.size = [columns, rows];
        if panel.is_empty() {
            for (at, value) in self.sides[orientation.column].iter().enumerate() {
                let at = if orientation.leftwards {
                    columns - 1 - at
                } else {
                    at
                };
                layout.labels.push(EdgeLabel {
                    text: names::truncate(value, 6),
                    at: [to_float(at), to_float(rows) - 0.18],
                });
            }
            for (at, value) in self.sides[orientation.row].iter().enumerate() {
                let at = if orientation.upwards {
                    rows - 1 - at
                } else {
                    at
                };
                layout.labels.push(EdgeLabel {
                    text: names::truncate(value, 6),
                    at: [-0.82, to_float(at)],
                });
            }
        } else if let (Some(a), None) = (panel_x, panel_y) {
            for (at, value) in self.sides[a].iter().enumerate() {
                let offset = |panel: usize, size: usize| to_float(panel) * (to_float(size) + gap);
                layout.labels.push(EdgeLabel {
                    text: names::truncate(value, 10),
                    at: [
                        offset(at % across, columns) + to_float(columns) / 2.0 - 0.5,
                        offset(at / across, rows) - 0.72,
                    ],
                });
            }
        }
    }

    /// The components of the name that are the column and row of a panel, and the number of panels
    /// in a row.
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

    /// Marks holes: where every cell has a fact or a move in every sample, a cell that never has
    /// one is missing.
    fn mark_holes(&self, layout: &mut BoardLayout, evidence: &Evidence) {
        let holes: FxHashSet<String> = layout
            .layers
            .iter()
            .filter(|layer| layer.mode == DrawMode::Hole)
            .flat_map(|layer| {
                let schema = evidence
                    .schemas
                    .iter()
                    .find(|schema| schema.shape == layer.shape);
                schema
                    .into_iter()
                    .flat_map(|schema| schema.all().map(|fact| name_of(fact, &layer.key).join(",")))
            })
            .collect();
        let mut first: Option<FxHashSet<usize>> = None;
        let mut all: FxHashSet<usize> = FxHashSet::default();
        let samples = evidence.joints.len().min(MAX_SAMPLES);
        for sample in 0..samples {
            let mut now = FxHashSet::default();
            for layer in layout
                .layers
                .iter()
                .filter(|l| !matches!(l.mode, DrawMode::Hole | DrawMode::Link | DrawMode::Barrier))
            {
                let schema = evidence
                    .schemas
                    .iter()
                    .find(|schema| schema.shape == layer.shape);
                for fact in schema.into_iter().flat_map(|schema| &schema.states[sample]) {
                    now.extend(layout.find(&name_of(fact, &layer.key)));
                }
            }
            for schema in evidence.moves {
                for leaves in &schema.states[sample] {
                    for window in leaves.windows(self.sides.len()) {
                        now.extend(layout.find(window));
                    }
                }
            }
            all.extend(&now);
            first.get_or_insert(now);
        }
        let first = first.unwrap_or_default();
        let complete = first.len() == all.len()
            && ratio(all.len(), layout.cells.len()) > 0.3
            && all.len() < layout.cells.len()
            && samples > 3;
        for (at, cell) in layout.cells.iter_mut().enumerate() {
            let is_hole = holes.contains(&cell.name.join(","));
            if is_hole || (complete && !all.contains(&at)) {
                cell.ground = CellBackground::Hole;
            }
        }
    }
}
