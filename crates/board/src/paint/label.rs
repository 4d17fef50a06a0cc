//! A picture in words.

use crate::drawing::BoardRenderer;
use crate::model::{Aside, Kind};

use super::sorted::Sorted;

/// The picture in words, for those who cannot see it.
pub(super) fn words(drawing: &BoardRenderer, sorted: &Sorted) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (plan, marks) in drawing.plans.iter().zip(&sorted.marks) {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (cell, marks) in plan.cells.iter().zip(marks) {
            for mark in marks {
                let content = crate::words::spoken(&mark.content);
                let name = cell.name.join(" ");
                match groups.iter_mut().find(|(known, _)| *known == content) {
                    Some((_, cells)) => cells.push(name),
                    None => groups.push((content, vec![name])),
                }
            }
        }
        let [columns, rows] = plan.size;
        parts.push(match plan.kind {
            Kind::Grid => format!("board of {columns} by {rows}"),
            _ => format!("{} with {} places", plan.title, plan.cells.len()),
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
    for (aside, facts) in drawing.asides.iter().zip(&sorted.asides) {
        for fact in facts.iter().take(4) {
            let leaves: Vec<String> = fact
                .leaves
                .iter()
                .map(|l| crate::words::spoken(l))
                .collect();
            parts.push(match aside {
                Aside::Control { .. } => format!("{} to move", leaves.join(" ")),
                _ => format!("{} {}", crate::words::spoken(&fact.name), leaves.join(" ")),
            });
        }
    }
    if parts.is_empty() {
        parts.push("no board".to_owned());
    }
    crate::words::short(&crate::words::capital(&parts.join("; ")), 2_000)
}
