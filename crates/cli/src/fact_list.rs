//! Facts as text.

use std::collections::BTreeMap;

use ludorum_gdl::ground_term::term_parts;

use crate::moves::move_list;
use crate::terminal::{OutputStyle, printable};

/// The most lines for the facts of one relation; the command `state` shows all.
const MAX_LINES: usize = 4;

/// Facts grouped by relation, one relation per line: `control  white`.
pub(crate) fn fact_list(facts: &[&String], style: &OutputStyle) -> String {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut alone = Vec::new();
    for fact in facts {
        match &term_parts(fact)[..] {
            [name, args @ ..] if !args.is_empty() => {
                let entry = groups.entry(name).or_default();
                entry.push(args.join(" "));
            }
            _ => alone.push((*fact).clone()),
        }
    }
    let mut out = String::new();
    let alone_name = (!alone.is_empty()).then_some("also true");
    let names = groups.keys().copied().chain(alone_name);
    let column = names.map(|name| name.chars().count()).max();
    let column = column.unwrap_or(0).min(style.width / 3) + 2;
    let mut entry = |name: &str, mut values: Vec<String>| {
        move_list::sort(&mut values);
        let indent = " ".repeat(column);
        let options = textwrap::Options::new(style.width.min(100))
            .initial_indent(&indent)
            .subsequent_indent(&indent);
        let text = printable(&values.join(", ")).into_owned();
        let mut lines = textwrap::wrap(&text, options);
        let cut = lines.len() > MAX_LINES;
        lines.truncate(MAX_LINES);
        let name = printable(name);
        let text = lines.join("\n");
        let text = text.strip_prefix(&indent).unwrap_or(&text);
        let gap = column.saturating_sub(name.chars().count()).max(1);
        out += &format!("{}{}{text}", style.dimmed(&name), " ".repeat(gap));
        out += if cut { " ...\n" } else { "\n" };
    };
    for (name, values) in groups {
        entry(name, values);
    }
    if !alone.is_empty() {
        entry("also true", alone);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_grouped_by_relation() {
        let texts = ["(coins x 5)", "(coins o 12)", "(control x)", "open"].map(str::to_owned);
        let style = OutputStyle {
            color: false,
            unicode: false,
            width: 80,
        };
        let output = fact_list(&texts.iter().collect::<Vec<_>>(), &style);
        let expected = "\
coins      o 12, x 5
control    x
also true  open
";
        assert_eq!(output, expected);
    }
}
