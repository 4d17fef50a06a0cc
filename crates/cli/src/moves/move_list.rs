//! Lists of legal moves in columns.

use std::cmp::Ordering;

use ludorum_gdl::ground_term::without_parentheses;

use super::move_matching::are_numbered;
use crate::terminal::{OutputStyle, printable};

/// The most lines of a short list.
const MAX_SHORT_LINES: usize = 10;

/// How much of a list is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// As much as leaves the board visible.
    Short,
    /// Everything.
    Whole,
}

/// Sorts texts in natural order: `(mark 2)` before `(mark 10)`.
pub(crate) fn sort(moves: &mut [String]) {
    moves.sort_by(|a, b| natural(a, b));
}

fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(first), Some(second)) = (x.first(), y.first()) {
        let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
        let (m, n) = (digits(x), digits(y));
        let order = if m > 0 && n > 0 {
            let (left, right) = (number(&x[..m]), number(&y[..n]));
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
            (x, y) = (&x[m..], &y[n..]);
            order
        } else {
            (x, y) = (&x[1..], &y[1..]);
            first.cmp(second)
        };
        if order.is_ne() {
            return order;
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

/// Digits without leading zeros.
fn number(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|c| **c == b'0').count();
    &digits[zeros..]
}

/// Some of the moves in columns, ordered downwards, each with its position among all moves.
pub(crate) fn columns(
    moves: &[String],
    chosen: &[usize],
    extent: Extent,
    style: &OutputStyle,
) -> String {
    let texts: Vec<String> = chosen
        .iter()
        .map(|i| printable(without_parentheses(&moves[*i])).into_owned())
        .collect();
    let digits = moves.len().to_string().len();
    let numbered = are_numbered(moves);
    let number_width = if numbered { digits + 1 } else { 0 };
    let widest = texts.iter().map(|text| text.chars().count()).max();
    let column = number_width + widest.unwrap_or(0) + 3;
    let count = (style.width / column).clamp(1, texts.len().max(1));
    let mut height = texts.len().div_ceil(count);
    let mut shown = texts.len();
    if extent == Extent::Short && height > MAX_SHORT_LINES {
        height = MAX_SHORT_LINES;
        shown = (MAX_SHORT_LINES * count).min(texts.len());
    }
    let mut out = String::new();
    for row in 0..height {
        let mut line = String::new();
        for i in (row..shown).step_by(height.max(1)) {
            let text = &texts[i];
            let gap = " ".repeat(column - number_width - text.chars().count() - 2);
            let label = if numbered {
                style.dimmed(&format!("{:>digits$} ", chosen[i] + 1))
            } else {
                String::new()
            };
            line += &format!("  {label}{text}{gap}");
        }
        out += line.trim_end();
        out.push('\n');
    }
    if shown < texts.len() {
        let more = texts.len() - shown;
        out += &format!(
            "  ... and {more} more: {} lists all, {} those that contain a text\n",
            style.code("legal"),
            style.code("legal TEXT")
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: OutputStyle = OutputStyle {
        color: false,
        unicode: false,
        width: 40,
    };

    fn moves(count: usize) -> Vec<String> {
        (1..=count).map(|i| format!("(take {i})")).collect()
    }

    fn all(moves: &[String]) -> Vec<usize> {
        (0..moves.len()).collect()
    }

    #[test]
    fn numbers_sort_as_numbers() {
        let mut texts = ["(a 10)", "(a 9)", "(a 010)", "(a b)", "noop"].map(str::to_owned);
        sort(&mut texts);
        assert_eq!(texts, ["(a 9)", "(a 010)", "(a 10)", "(a b)", "noop"]);
    }

    #[test]
    fn columns_are_ordered_downwards_and_stay_within_the_width() {
        let moves = moves(10);
        let text = columns(&moves, &all(&moves), Extent::Whole, &STYLE);
        let expected = "\
\u{20}  1 take 1     5 take 5     9 take 9
   2 take 2     6 take 6    10 take 10
   3 take 3     7 take 7
   4 take 4     8 take 8
";
        assert_eq!(text, expected);
    }

    #[test]
    fn filtered_moves_keep_their_numbers() {
        let text = columns(&moves(10), &[2, 9], Extent::Whole, &STYLE);
        assert_eq!(text, "   3 take 3    10 take 10\n");
    }

    #[test]
    fn a_long_list_is_cut_and_reports_the_rest() {
        let moves = moves(100);
        let text = columns(&moves, &all(&moves), Extent::Short, &STYLE);
        assert_eq!(text.lines().count(), MAX_SHORT_LINES + 1);
        assert!(text.contains("... and 80 more"), "{text}");
        let whole = columns(&moves, &all(&moves), Extent::Whole, &STYLE);
        assert!(whole.contains("take 100"), "{whole}");
    }

    #[test]
    fn moves_that_are_numbers_get_no_other_number() {
        let moves = ["3", "5"].map(str::to_owned);
        assert_eq!(columns(&moves, &[0, 1], Extent::Whole, &STYLE), "  3   5\n");
    }
}
