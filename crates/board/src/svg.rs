//! Writing of SVG: numbers, escaped text, and colours that a page may replace.

use std::fmt::Write as _;

use crate::glyph::GlyphColour;

/// Colours as CSS variables that a page may set; each has a default for standalone pictures.
pub(crate) const PAPER: &str = "var(--paper, #fffdf8)";
pub(crate) const INK: &str = "var(--ink, #2b2823)";
pub(crate) const FAINT: &str = "var(--board-line, #8d8474)";
pub(crate) const LIGHT: &str = "var(--board-light, #f0e6d2)";
pub(crate) const DARK: &str = "var(--board-dark, #c8ab82)";
pub(crate) const WELL: &str = "var(--board-well, #4a78b5)";
pub(crate) const ACCENT: &str = "var(--accent, #d9822b)";

/// The default colours of roles whose names contain no colour.
const ROLES: [&str; 6] = [
    "var(--role-0, #3c78c8)",
    "var(--role-1, #d5433f)",
    "var(--role-2, #3f9d57)",
    "var(--role-3, #d99a1c)",
    "var(--role-4, #8a55b8)",
    "var(--role-5, #2aa1a1)",
];

/// Values of the CSS variables for dark screens, included in standalone pictures.
const DARK_MODE: &str = "--paper:#1e1d1b;--ink:#ece6da;--board-light:#857a68;--board-dark:#5f5343;\
--board-line:#9d937f;--board-well:#2c4a75;--accent:#f0a04b;--role-0:#6ea2ea;--role-1:#ee6f68;\
--role-2:#62bd7c;--role-3:#e8b64a;--role-4:#b085db;--role-5:#4fc4c4";

/// The fill, edge and text colours of a glyph colour.
pub(crate) fn colours(paint: GlyphColour) -> (&'static str, &'static str, &'static str) {
    match paint {
        GlyphColour::Named(swatch) => (swatch.fill, swatch.edge, swatch.ink),
        GlyphColour::Role(role) => (ROLES[role % ROLES.len()], INK, "#fff"),
        GlyphColour::Ink => ("var(--token, #c9bda6)", "#6f6656", "#2b2823"),
    }
}

/// The colour of lines and text in a glyph colour.
pub(crate) fn stroke(paint: GlyphColour) -> &'static str {
    match paint {
        GlyphColour::Ink => INK,
        GlyphColour::Named(swatch)
            if matches!(swatch.name, "white" | "light" | "black" | "dark") =>
        {
            INK
        }
        paint => colours(paint).0,
    }
}

/// An SVG document under construction.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    pub(crate) body: String,
}

impl Svg {
    /// Appends markup, which must be well-formed.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    pub(crate) fn rect(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2], more: &str) {
        let _ = write!(
            self.body,
            r#"<rect x="{}" y="{}" width="{}" height="{}" {more}/>"#,
            number(x),
            number(y),
            number(w),
            number(h)
        );
    }

    pub(crate) fn circle(&mut self, [x, y]: [f64; 2], radius: f64, more: &str) {
        let _ = write!(
            self.body,
            r#"<circle cx="{}" cy="{}" r="{}" {more}/>"#,
            number(x),
            number(y),
            number(radius)
        );
    }

    pub(crate) fn line(&mut self, [x, y]: [f64; 2], [u, v]: [f64; 2], more: &str) {
        let _ = write!(
            self.body,
            r#"<line x1="{}" y1="{}" x2="{}" y2="{}" {more}/>"#,
            number(x),
            number(y),
            number(u),
            number(v)
        );
    }

    pub(crate) fn polygon(&mut self, points: &[[f64; 2]], more: &str) {
        let points: Vec<String> = points
            .iter()
            .map(|[x, y]| format!("{},{}", number(*x), number(*y)))
            .collect();
        let _ = write!(
            self.body,
            r#"<polygon points="{}" {more}/>"#,
            points.join(" ")
        );
    }

    /// Appends text that is centred at a point, unless `more` has another anchor.
    pub(crate) fn text(&mut self, [x, y]: [f64; 2], size: f64, text: &str, more: &str) {
        // The vertical centre of lower-case letters is about a third of the font size above the
        // baseline.
        let _ = write!(
            self.body,
            r#"<text x="{}" y="{}" font-size="{}" {more}>{}</text>"#,
            number(x),
            number(y + size * 0.35),
            number(size),
            escaped(text)
        );
    }

    /// The complete document.
    pub(crate) fn finish(self, width: f64, height: f64, label: &str, standalone: bool) -> String {
        let style = if standalone {
            format!("<style>@media (prefers-color-scheme: dark){{:root{{{DARK_MODE}}}}}</style>")
        } else {
            String::new()
        };
        let (w, h) = (number(width), number(height));
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{}" font-family="system-ui, sans-serif" text-anchor="middle">{style}{}</svg>"#,
            escaped(label),
            self.body
        )
    }
}

/// Formats a number with at most two decimals.
pub(crate) fn number(value: f64) -> String {
    let mut text = format!("{value:.2}");
    if text.contains('.') {
        let kept = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(kept);
    }
    if text == "-0" {
        text.remove(0);
    }
    text
}

/// Escapes text for elements and attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML forbids control characters.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_can_end_it() {
        assert_eq!(
            escaped("<a b='\"&\u{1}'>"),
            "&lt;a b=&#39;&quot;&amp;\u{fffd}&#39;&gt;"
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(2.345_6), "2.35");
        assert_eq!(number(100.0), "100");
    }
}
