//! The text alternative of a picture.

use crate::model::{LayoutKind, StatusItem};
use crate::renderer::BoardRenderer;

use super::placed_facts::PlacedFacts;

/// Describes the picture in words, for the `aria-label` of the SVG.
pub(super) fn describe(drawing: &BoardRenderer, sorted: &PlacedFacts) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (layout, marks) in drawing.layouts.iter().zip(&sorted.marks) {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (cell, marks) in layout.cells.iter().zip(marks) {
            for mark in marks {
                let content = crate::names::display_name(&mark.content);
                let name = cell.name.join(" ");
                match groups.iter_mut().find(|(known, _)| *known == content) {
                    Some((_, cells)) => cells.push(name),
                    None => groups.push((content, vec![name])),
                }
            }
        }
        let [columns, rows] = layout.size;
        parts.push(match layout.kind {
            LayoutKind::Grid => format!("board of {columns} by {rows}"),
            _ => format!("{} with {} places", layout.title, layout.cells.len()),
        });
        for (content, cells) in groups.iter().take(20) {
            let shown: Vec<&str> = cells.iter().take(12).map(String::as_str).collect();
            let more = match cells.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            parts.push(format!("{content} at {}{more}", shown.join(", ")));
        }
    }
    for (status, facts) in drawing.statuses.iter().zip(&sorted.statuses) {
        for fact in facts.iter().take(4) {
            let leaves: Vec<String> = fact
                .leaves
                .iter()
                .map(|l| crate::names::display_name(l))
                .collect();
            parts.push(match status {
                StatusItem::Control { .. } => format!("{} to move", leaves.join(" ")),
                _ => format!(
                    "{} {}",
                    crate::names::display_name(&fact.name),
                    leaves.join(" ")
                ),
            });
        }
    }
    if parts.is_empty() {
        parts.push("no board".to_owned());
    }
    crate::names::truncate(&crate::names::capitalise(&parts.join("; ")), 2_000)
}
