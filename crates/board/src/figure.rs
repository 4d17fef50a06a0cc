//! Drawing of glyphs as SVG shapes.

use std::fmt::Write as _;

use crate::glyph::{ChessPiece, Glyph, GlyphShape};
use crate::svg::{self, Svg, number};

/// SVG outlines of chess pieces in a square of 100 by 100.
fn outline(man: ChessPiece) -> &'static str {
    match man {
        ChessPiece::Pawn => {
            "<circle cx='50' cy='31' r='13'/><path d='M43 42h14c1 13 6 20 11 28H32c5-8 10-15 11-28z'/><rect x='25' y='72' width='50' height='11' rx='4'/>"
        }
        ChessPiece::Rook => {
            "<path d='M27 17h11v8h7v-8h10v8h7v-8h11v20l-9 7v24H36V44l-9-7z'/><rect x='24' y='72' width='52' height='11' rx='4'/>"
        }
        ChessPiece::Knight => {
            "<path d='M33 70c-1-15 14-19 15-29-6 4-11 5-15 10l-9-6c2-11 10-18 17-24l1-9 9 7c20 3 27 26 20 51z'/><circle cx='45' cy='31' r='2.4'/><rect x='24' y='72' width='52' height='11' rx='4'/>"
        }
        ChessPiece::Bishop => {
            "<circle cx='50' cy='14' r='5.5'/><path d='M50 20c-17 12-22 28-12 40h24c10-12 5-28-12-40z'/><path d='M50 31v15M43 38h14' fill='none'/><path d='M39 60h22l4 10H35z'/><rect x='24' y='72' width='52' height='11' rx='4'/>"
        }
        ChessPiece::Queen => {
            "<path d='M21 32l13 37h32l13-37-15 18-6-27-8 25-8-25-6 27z'/><circle cx='21' cy='29' r='5'/><circle cx='42' cy='20' r='5'/><circle cx='58' cy='20' r='5'/><circle cx='79' cy='29' r='5'/><rect x='24' y='72' width='52' height='11' rx='4'/>"
        }
        ChessPiece::King => {
            "<path d='M50 9v20M42 17h16' fill='none' stroke-width='6'/><path d='M50 34c-8-12-32-8-31 9 1 11 11 16 15 26h32c4-10 14-15 15-26 1-17-23-21-31-9z'/><rect x='24' y='72' width='52' height='11' rx='4'/>"
        }
    }
}

/// Draws a glyph with its centre at a point on a cell of the given size.
pub(crate) fn draw(svg: &mut Svg, glyph: &Glyph, at: [f64; 2], size: f64) {
    let [x, y] = at;
    let (fill, edge, ink) = svg::colours(glyph.paint);
    let line = size * 0.035;
    match &glyph.figure {
        GlyphShape::ChessPiece(man) => {
            let scale = size * 0.0098;
            let (fill, edge) = match glyph.paint {
                crate::glyph::GlyphColour::Ink => ("#f5efe2", "#3a352e"),
                _ => (fill, edge),
            };
            let _ = write!(
                svg.body,
                r#"<g transform="translate({} {}) scale({:.4})" fill="{fill}" stroke="{edge}" stroke-width="3" stroke-linejoin="round" stroke-linecap="round">{}</g>"#,
                number(x - 50.0 * scale),
                number(y - 48.0 * scale),
                scale,
                outline(*man)
            );
        }
        GlyphShape::Disc | GlyphShape::CrownedDisc => {
            let style = format!(
                r#"fill="{fill}" stroke="{edge}" stroke-width="{}""#,
                number(line)
            );
            svg.circle(at, size * 0.36, &style);
            let style = format!(
                r#"fill="none" stroke="{edge}" stroke-opacity=".45" stroke-width="{}""#,
                number(line * 0.8)
            );
            svg.circle(at, size * 0.27, &style);
            if glyph.figure == GlyphShape::CrownedDisc {
                let s = size * 0.17;
                let points = [
                    [x - s, y + s * 0.8],
                    [x - s * 1.15, y - s * 0.6],
                    [x - s * 0.5, y],
                    [x, y - s],
                    [x + s * 0.5, y],
                    [x + s * 1.15, y - s * 0.6],
                    [x + s, y + s * 0.8],
                ];
                svg.polygon(&points, &format!(r#"fill="{ink}" stroke="none""#));
            }
        }
        GlyphShape::Cross => {
            let d = size * 0.27;
            let style = format!(
                r#"stroke="{}" stroke-width="{}" stroke-linecap="round""#,
                svg::stroke(glyph.paint),
                number(size * 0.12)
            );
            svg.line([x - d, y - d], [x + d, y + d], &style);
            svg.line([x - d, y + d], [x + d, y - d], &style);
        }
        GlyphShape::Ring => {
            let style = format!(
                r#"fill="none" stroke="{}" stroke-width="{}""#,
                svg::stroke(glyph.paint),
                number(size * 0.11)
            );
            svg.circle(at, size * 0.28, &style);
        }
        GlyphShape::Block => {
            let h = size * 0.38;
            let (fill, edge) = match glyph.paint {
                crate::glyph::GlyphColour::Ink => ("#8a6f4e", "#5e4a32"),
                _ => (fill, edge),
            };
            let style = format!(r#"rx="5" fill="{fill}" stroke="{edge}" stroke-width="1""#);
            svg.rect([x - h, y - h], [2.0 * h, 2.0 * h], &style);
        }
        GlyphShape::Wall => {
            let h = size * 0.46;
            let style = r##"fill="#6b6459" stroke="#47423a" stroke-width="1""##;
            svg.rect(
                [x - h, y - h],
                [2.0 * h, 2.0 * h],
                &format!(r#"rx="3" {style}"#),
            );
            let joint = r##"stroke="#8b8376" stroke-width="1""##;
            svg.line([x - h, y - h / 3.0], [x + h, y - h / 3.0], joint);
            svg.line([x - h, y + h / 3.0], [x + h, y + h / 3.0], joint);
            svg.line([x, y - h], [x, y - h / 3.0], joint);
            svg.line(
                [x - h / 2.0, y - h / 3.0],
                [x - h / 2.0, y + h / 3.0],
                joint,
            );
            svg.line(
                [x + h / 2.0, y - h / 3.0],
                [x + h / 2.0, y + h / 3.0],
                joint,
            );
            svg.line([x, y + h / 3.0], [x, y + h], joint);
        }
        GlyphShape::Pit => {
            let h = size * 0.42;
            let style = r##"rx="6" fill="#3a352f" fill-opacity=".78""##;
            svg.rect([x - h, y - h], [2.0 * h, 2.0 * h], style);
        }
        GlyphShape::Burnt => {
            let h = size * 0.4;
            svg.rect(
                [x - h, y - h],
                [2.0 * h, 2.0 * h],
                r##"rx="5" fill="#5a5148""##,
            );
            let d = h * 0.5;
            let style = r##"stroke="#d8cfc0" stroke-width="2.5" stroke-linecap="round""##;
            svg.line([x - d, y - d], [x + d, y + d], style);
            svg.line([x - d, y + d], [x + d, y - d], style);
        }
        GlyphShape::Fire => {
            let s = size * 0.0095;
            let _ = write!(
                svg.body,
                r##"<g transform="translate({} {}) scale({s:.4})"><path d="M50 8c4 18 28 28 28 54 0 18-13 30-28 30S22 80 22 62c0-14 9-20 12-32 7 5 9 10 9 16 6-9 9-22 7-38z" fill="#e4572e"/><path d="M50 48c2 10 13 15 13 28 0 9-6 14-13 14s-13-5-13-14c0-12 10-16 13-28z" fill="#f6c244"/></g>"##,
                number(x - 50.0 * s),
                number(y - 50.0 * s)
            );
        }
        GlyphShape::Lamp(on) => {
            let (fill, edge) = if *on {
                ("#f6c944", "#a87d10")
            } else {
                ("#6f6a62", "#494540")
            };
            let style = format!(
                r#"fill="{fill}" stroke="{edge}" stroke-width="{}""#,
                number(line)
            );
            svg.circle(at, size * 0.34, &style);
            if *on {
                svg.circle(
                    [x - size * 0.1, y - size * 0.1],
                    size * 0.08,
                    r##"fill="#fff8dd""##,
                );
            }
        }
        GlyphShape::Arrow([right, down]) => {
            let (dx, dy) = (f64::from(*right), f64::from(*down));
            let (l, w) = (size * 0.3, size * 0.2);
            let points = [
                [x + dx * l, y + dy * l],
                [x - dx * l * 0.6 - dy * w, y - dy * l * 0.6 + dx * w],
                [x - dx * l * 0.2, y - dy * l * 0.2],
                [x - dx * l * 0.6 + dy * w, y - dy * l * 0.6 - dx * w],
            ];
            let colour = svg::stroke(glyph.paint);
            svg.polygon(
                &points,
                &format!(r#"fill="{colour}" stroke-linejoin="round""#),
            );
        }
        GlyphShape::Stroke(across) => {
            let (dx, dy) = if *across {
                (size * 0.5, 0.0)
            } else {
                (0.0, size * 0.5)
            };
            let style = format!(
                r#"stroke="{}" stroke-width="{}" stroke-linecap="round""#,
                svg::stroke(glyph.paint),
                number(size * 0.12)
            );
            svg.line([x - dx, y - dy], [x + dx, y + dy], &style);
        }
        GlyphShape::Star => {
            let mut points = Vec::new();
            for corner in 0..10u8 {
                let turn = f64::from(corner) * std::f64::consts::PI / 5.0;
                let radius = size * if corner % 2 == 0 { 0.36 } else { 0.15 };
                points.push([x + radius * turn.sin(), y - radius * turn.cos()]);
            }
            svg.polygon(
                &points,
                r##"fill="#e8b93a" stroke="#8c6a16" stroke-width="1""##,
            );
        }
        GlyphShape::Pellet => {
            svg.circle(
                at,
                size * 0.12,
                r##"fill="#d99a1c" stroke="#8c6a16" stroke-width="1""##,
            );
        }
        GlyphShape::Flag => {
            let (l, t) = (x - size * 0.2, y - size * 0.32);
            let pole = format!(
                r#"stroke="{}" stroke-width="3" stroke-linecap="round""#,
                svg::INK
            );
            svg.line([l, t], [l, y + size * 0.34], &pole);
            let points = [
                [l, t],
                [l + size * 0.48, t + size * 0.17],
                [l, t + size * 0.34],
            ];
            svg.polygon(
                &points,
                r##"fill="#3f9d57" stroke="#256337" stroke-width="1""##,
            );
        }
        GlyphShape::Coins(count) => {
            for coin in 0..*count {
                let shift = (f64::from(coin) - (f64::from(*count) - 1.0) / 2.0) * size * 0.16;
                let style = r##"fill="#e3b341" stroke="#8c6a16" stroke-width="1.5""##;
                svg.circle([x + shift, y - shift], size * 0.27, style);
            }
        }
        GlyphShape::Fourfold(bits) => fourfold(svg, *bits, at, size),
        GlyphShape::Text(text) => {
            let style = format!(r#"fill="{}" font-weight="600""#, svg::stroke(glyph.paint));
            svg.text(at, letter_size(text, size), text, &style);
        }
        GlyphShape::Token(text) => {
            let h = size * 0.38;
            let style = format!(
                r#"rx="{}" fill="{fill}" stroke="{edge}" stroke-width="{}""#,
                number(size * 0.14),
                number(line)
            );
            svg.rect([x - h, y - h], [2.0 * h, 2.0 * h], &style);
            let style = format!(r#"fill="{ink}" font-weight="600""#);
            svg.text(at, letter_size(text, size) * 0.86, text, &style);
        }
    }
}

/// The font size of a text on a cell.
pub(crate) fn letter_size(text: &str, size: f64) -> f64 {
    let chars = text.chars().count();
    let share = match chars {
        0..=1 => 0.56,
        2 => 0.48,
        3 => 0.37,
        4 => 0.29,
        _ => 0.22,
    };
    size * share
}

/// Draws a piece with four binary properties: dark or light, tall or short, round or square, hollow
/// or solid.
fn fourfold(svg: &mut Svg, bits: u8, [x, y]: [f64; 2], size: f64) {
    let has = |bit: u8| bits & (1 << bit) != 0;
    let (fill, edge) = if has(3) {
        ("#4a3b33", "#1f1813")
    } else {
        ("#e9d3a8", "#7d643a")
    };
    let r = size * if has(2) { 0.38 } else { 0.26 };
    let style = format!(r#"fill="{fill}" stroke="{edge}" stroke-width="2""#);
    if has(1) {
        svg.circle([x, y], r, &style);
    } else {
        svg.rect(
            [x - r, y - r],
            [2.0 * r, 2.0 * r],
            &format!(r#"rx="3" {style}"#),
        );
    }
    if has(0) {
        svg.circle([x, y], r * 0.45, &format!(r#"fill="{edge}""#));
    }
}
