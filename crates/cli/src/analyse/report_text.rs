//! The report of a player as text.

use ludorum_gdl::ground_term::without_parentheses;
use ludorum_players::{MoveReport, Report};

use crate::moves::joint;
use crate::terminal::{OutputStyle, printable, shortened};

/// The longest text of a move that is shown in full, in characters.
const WIDEST: usize = 40;

/// The width of the column of proven bounds.
const PROVEN: usize = 10;
/// The least width in which the line of play after a move is shown.
const NARROWEST: usize = 8;

/// How detailed the text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    /// This many moves, and all figures.
    Full(usize),
    /// The three best moves, without figures about the search tree and the engine.
    Brief,
}

/// A report as lines of text, none of which is wider than the screen.
pub(crate) fn report_text(
    report: &Report,
    roles: &[String],
    detail: Detail,
    engine: &str,
    style: &OutputStyle,
) -> String {
    let mut lines = Vec::new();
    let most = match detail {
        Detail::Full(most) => most,
        Detail::Brief => 3,
    };
    moves(report, most, style, &mut lines);
    let mut entry = |name: &str, text: String| {
        let text = shortened(&text, style.width.saturating_sub(14)).into_owned();
        lines.push(format!("{}  {text}", style.dimmed(&format!("{name:<7}"))));
    };
    if report.values.len() == roles.len() && !roles.is_empty() {
        let each = roles.iter().zip(&report.values);
        let each: Vec<String> = each
            .map(|(role, value)| format!("{} {value:.1}", printable(role)))
            .collect();
        entry("expects", each.join(", "));
    }
    if !report.line.is_empty() {
        let steps: Vec<String> = report.line.iter().map(|step| joint(step)).collect();
        entry("line", printable(&steps.join(", ")).into_owned());
    }
    if let Detail::Full(_) = detail {
        for earned in earned(report) {
            entry("earned", earned);
        }
    }
    if report.proven {
        entry(
            "proven",
            "no other move is better than the first".to_owned(),
        );
    }
    if let Some(problem) = &report.trouble {
        entry("error", printable(problem).into_owned());
    }
    let simulations = grouped(report.simulations);
    match detail {
        Detail::Brief => entry(
            "search",
            format!("{:.1} s, {simulations} simulations", report.seconds),
        ),
        Detail::Full(_) => {
            let rate = rate(report.rate());
            entry(
                "search",
                format!("{:.1} s, {simulations} simulations, {rate}", report.seconds),
            );
            entry(
                "tree",
                format!(
                    "depth {}, {} nodes, {}",
                    report.depth,
                    grouped(report.nodes),
                    memory(report.bytes)
                ),
            );
            entry("engine", engine.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

fn moves(report: &Report, most: usize, style: &OutputStyle, lines: &mut Vec<String>) {
    if report.moves.is_empty() {
        lines.push("No moves were compared.\n".to_owned());
        return;
    }
    let shown = &report.moves[..most.min(report.moves.len())];
    let texts: Vec<String> = shown
        .iter()
        .map(|found| shortened(&printable(without_parentheses(&found.text)), WIDEST).into_owned())
        .collect();
    let column = texts.iter().map(|text| text.chars().count()).max();
    let column = column.unwrap_or(0).max(4);
    let listed: u64 = report.moves.iter().map(|found| found.visits).sum();
    let all = listed + report.omitted.visits;
    let has_lines = shown.iter().any(|found| !found.line.is_empty());
    let head = format!(
        "{:column$}  {:>5}  {:>7}  {:>12}  {:<PROVEN$}  {}",
        "move",
        "value",
        "share",
        "visits",
        "proven",
        if has_lines { "then" } else { "" }
    );
    let head: String = head.trim_end().chars().take(style.width).collect();
    lines.push(style.bold(&head));
    for (text, found) in texts.iter().zip(shown) {
        let value = found
            .value
            .map_or("-".to_owned(), |value| format!("{value:.1}"));
        let share = share(found.visits, all);
        let gap = " ".repeat(column - text.chars().count());
        let row = format!(
            "{text}{gap}  {value:>5}  {share:>7}  {:>12}  {:<PROVEN$}",
            grouped(found.visits),
            proven(found)
        );
        let steps: Vec<String> = found.line.iter().map(|step| joint(step)).collect();
        let steps = printable(&steps.join(", ")).into_owned();
        // Two blanks before the line of play, three dots after it.
        let room = style.width.saturating_sub(row.chars().count() + 5);
        let row = match room {
            NARROWEST.. => format!("{row}  {}", shortened(&steps, room)),
            _ => row,
        };
        lines.push(row.trim_end().to_owned());
    }
    let more = (report.moves.len() - shown.len()) as u64 + report.omitted.moves;
    lines.push(if more > 0 {
        format!("and {more} more\n")
    } else {
        String::new()
    });
}

/// The strategies of each role on a line of its own: the best first, each with its mean goal and
/// its share of the simulations.
fn earned(report: &Report) -> Vec<String> {
    let mut roles: Vec<&str> = report.strategies.iter().map(|s| &s.role[..]).collect();
    roles.dedup();
    let line = |role: &str| {
        let own = report.strategies.iter().filter(|s| s.role == role);
        let mut own: Vec<_> = own.collect();
        own.sort_by(|a, b| b.value.total_cmp(&a.value));
        let each = own.iter().map(|s| {
            let percent = 100.0 * s.share;
            format!("{} {:.1} ({percent:.0} %)", s.strategy, s.value)
        });
        let each: Vec<String> = each.collect();
        format!("{} {}", printable(role), each.join(", "))
    };
    roles.into_iter().map(line).collect()
}

#[allow(clippy::cast_precision_loss)] // figures for people
fn share(visits: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * visits as f64 / all.max(1) as f64)
}

fn proven(found: &MoveReport) -> String {
    match found.bounds {
        None => String::new(),
        Some((least, most)) if least == most => least.to_string(),
        Some((least, 100)) => format!("{least} or more"),
        Some((0, most)) => format!("{most} or less"),
        Some((least, most)) => format!("{least} to {most}"),
    }
}

/// A whole number with a space after every three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[allow(clippy::cast_sign_loss)] // rates are positive
fn rate(rate: f64) -> String {
    format!("{} a second", grouped(rate.round() as u64))
}

#[allow(clippy::cast_precision_loss)] // figures for people
fn memory(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: OutputStyle = OutputStyle {
        color: false,
        unicode: false,
        width: 70,
    };

    fn found(text: &str, visits: u64, value: f64, bounds: Option<(u8, u8)>) -> MoveReport {
        MoveReport {
            text: text.to_owned(),
            visits,
            value: Some(value),
            bounds,
            values: Vec::new(),
            line: Vec::new(),
        }
    }

    #[test]
    fn a_report_is_a_table_and_some_lines() {
        let report = Report {
            simulations: 12_345_678,
            seconds: 2.0,
            depth: 9,
            nodes: 1000,
            bytes: 3 << 20,
            moves: vec![
                MoveReport {
                    line: vec![vec!["noop".into(), "(mark 3 3)".into()]; 3],
                    ..found("(mark 1 1)", 9000, 75.0, Some((50, 100)))
                },
                found("(mark 2 10)", 1000, 12.5, Some((0, 0))),
                found("noop", 0, 0.0, None),
            ],
            values: vec![75.0, 25.0],
            line: vec![
                vec!["(mark 1 1)".into(), "noop".into()],
                vec!["noop".into(), "(mark 3 3)".into()],
            ],
            ..Report::default()
        };
        let roles = ["x".to_owned(), "o".to_owned()];
        let text = report_text(&report, &roles, Detail::Full(2), "lanes", &STYLE);
        let expected = "\
move       value    share        visits  proven      then
mark 1 1    75.0   90.0 %         9 000  50 or more  mark 3 3, mark...
mark 2 10   12.5   10.0 %         1 000  0
and 1 more

expects  x 75.0, o 25.0
line     mark 1 1, mark 3 3
search   2.0 s, 12 345 678 simulations, 6 172 839 a second
tree     depth 9, 1 000 nodes, 3.0 MiB
engine   lanes
";
        assert_eq!(text, expected);
        let short = report_text(&report, &roles, Detail::Brief, "lanes", &STYLE);
        assert!(
            !short.contains("engine") && short.contains("noop"),
            "{short}"
        );
    }

    #[test]
    fn nothing_is_wider_than_the_screen() {
        let report = Report {
            line: vec![vec!["(a long move)".to_owned()]; 50],
            trouble: Some("trouble ".repeat(30)),
            ..Report::default()
        };
        let text = report_text(&report, &[], Detail::Full(5), "prover", &STYLE);
        assert!(
            text.lines().all(|line| line.chars().count() <= 70),
            "{text}"
        );
    }

    #[test]
    fn numbers_are_grouped_by_three_digits() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1 000");
        assert_eq!(grouped(12_345_678), "12 345 678");
    }
}
