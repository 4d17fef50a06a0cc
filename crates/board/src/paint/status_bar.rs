//! The status bar below the boards: role to move, counters and hands, and the table of facts for
//! games without a board.

use crate::content::content_of;
use crate::figure;
use crate::glyph::{Glyph, GlyphShape};
use crate::model::{StatusItem, to_float};
use crate::names;
use crate::svg;

use super::{GAP, Painter};

/// Height of a line of chips.
const LINE: f64 = 30.0;
/// Maximum number of lines of a fact in words.
const MAX_LINES: usize = 6;
/// Maximum number of chips.
const MAX_CHIPS: usize = 60;

/// A status item: a text with an optional glyph.
#[derive(Default)]
pub(super) struct StatusChip {
    glyph: Option<Glyph>,
    text: String,
    strong: bool,
    target: Option<String>,
    /// Without a frame: the caption of the items that follow.
    bare: bool,
    /// The tooltip of a glyph without text.
    title: String,
}

impl Painter<'_> {
    /// The chips of all status items.
    pub(super) fn chips(&self) -> Vec<StatusChip> {
        let mut chips: Vec<StatusChip> = Vec::new();
        let mut before = String::new();
        let role_glyph = |role: usize| Glyph {
            figure: GlyphShape::Disc,
            paint: self.drawing.style.of_role(role),
        };
        let role_of = |name: &str| self.drawing.roles.iter().position(|role| role == name);
        for (number, (status, facts)) in self
            .drawing
            .statuses
            .iter()
            .zip(&self.sorted.statuses)
            .enumerate()
        {
            for fact in facts {
                let leaf = |leaf: usize| fact.leaves.get(leaf).map_or("", String::as_str);
                match status {
                    StatusItem::Control { .. } => chips.push(StatusChip {
                        glyph: role_of(leaf(0)).map(role_glyph),
                        text: format!(
                            "{} to move",
                            names::capitalise(&names::display_name(leaf(0)))
                        ),
                        strong: true,
                        ..StatusChip::default()
                    }),
                    StatusItem::Counter {
                        title, role, value, ..
                    } => {
                        let role = role.and_then(|role| role_of(leaf(role)));
                        chips.push(StatusChip {
                            glyph: role.map(role_glyph),
                            text: format!("{title} {}", names::display_name(leaf(*value))),
                            ..StatusChip::default()
                        });
                    }
                    StatusItem::Hand {
                        title, role, item, ..
                    } => {
                        let owner = role.map(|role| names::display_name(leaf(role)));
                        let label = match owner {
                            Some(owner) => format!("{owner}: {title}"),
                            None => title.clone(),
                        };
                        if before != label {
                            chips.push(StatusChip {
                                text: label.clone(),
                                bare: true,
                                ..StatusChip::default()
                            });
                            before = label;
                        }
                        let content = content_of(&fact.leaves, item);
                        chips.push(StatusChip {
                            glyph: Some(self.drawing.style.glyph(&content)),
                            target: Some(format!("h{number}:{content}")),
                            title: names::display_name(&content),
                            ..StatusChip::default()
                        });
                    }
                }
            }
        }
        chips.truncate(MAX_CHIPS);
        chips
    }

    /// Draws the chips and the table below the boards. Returns the total height.
    pub(super) fn strip(
        &mut self,
        chips: &[StatusChip],
        table: &[String],
        top: f64,
        width: f64,
    ) -> f64 {
        let (mut x, mut y) = (GAP, top);
        let mut any = false;
        for (at, chip) in chips.iter().enumerate() {
            let room = chip.room();
            let needed = chip.needed(chips.get(at + 1));
            if x > GAP && x + needed > width - GAP / 2.0 {
                x = GAP;
                y += LINE;
            }
            let id = chip.target.clone().unwrap_or_default();
            let title = if chip.title.is_empty() {
                &chip.text
            } else {
                &chip.title
            };
            self.open(&id, title);
            let frame = format!(
                r#"rx="12" fill="{}" stroke="{}" stroke-width="{}""#,
                svg::PAPER,
                if chip.strong { svg::ACCENT } else { svg::FAINT },
                if chip.strong { 2 } else { 1 }
            );
            if !chip.bare {
                self.svg.rect([x, y], [room - 6.0, LINE - 6.0], &frame);
            }
            let mut start = x + 8.0;
            if let Some(glyph) = &chip.glyph {
                figure::draw(&mut self.svg, glyph, [x + 15.0, y + LINE / 2.0 - 3.0], 22.0);
                start = x + 30.0;
            }
            let weight = if chip.strong {
                r#" font-weight="600""#
            } else {
                ""
            };
            let style = format!(r#"fill="{}" text-anchor="start"{weight}"#, svg::INK);
            self.svg
                .text([start, y + LINE / 2.0 - 3.0], 14.0, &chip.text, &style);
            self.close(&id);
            x += room;
            any = true;
        }
        if any {
            y += LINE + GAP / 2.0;
        }
        for line in table {
            let style = format!(r#"fill="{}" text-anchor="start""#, svg::INK);
            let most = ((width - 2.0 * GAP) / 7.6).max(10.0);
            #[allow(clippy::cast_sign_loss)]
            for text in names::wrap(line, most as usize, MAX_LINES) {
                self.svg.text([GAP, y + 8.0], 14.0, &text, &style);
                y += 20.0;
            }
            y += 4.0;
        }
        if table.is_empty() { y } else { y + GAP }
    }
}

/// Estimated widths; no font metrics are available.
impl StatusChip {
    /// The width of the chip.
    fn room(&self) -> f64 {
        let around = match (&self.glyph, self.text.is_empty()) {
            (Some(_), true) => 36.0,
            (Some(_), false) => 46.0,
            (None, _) => 22.0,
        };
        text_width(&self.text, 14.0, self.strong) + around
    }

    /// The width including the first item after a caption, which stays on the same line.
    fn needed(&self, next: Option<&Self>) -> f64 {
        let next = next.filter(|_| self.bare);
        self.room() + next.map_or(0.0, |_| 36.0)
    }
}

/// The width of the widest chip.
pub(super) fn widest(chips: &[StatusChip]) -> f64 {
    let needed = |(at, chip): (usize, &StatusChip)| chip.needed(chips.get(at + 1));
    let widest = chips.iter().enumerate().map(needed).fold(0.0, f64::max);
    widest + 1.5 * GAP
}

fn text_width(text: &str, size: f64, strong: bool) -> f64 {
    let size = if strong { size * 1.1 } else { size };
    to_float(text.chars().count()) * size * 0.6
}
