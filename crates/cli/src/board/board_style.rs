//! The characters and colours of what lies on a cell.

use anstyle::{Ansi256Color, AnsiColor, Style};
use ludorum_games::{BoardCell, BoardHint, CellBackground, CellLayout, CellMark};

use super::width;
use crate::terminal::OutputStyle;

/// The light background of checkered boards; pieces of both sides stand out on both backgrounds.
const LIGHT_CELL: Ansi256Color = Ansi256Color(102);
/// The dark background of checkered boards.
const DARK_CELL: Ansi256Color = Ansi256Color(240);
/// White pieces on checkered boards.
const WHITE_PIECE: Ansi256Color = Ansi256Color(231);
/// Black pieces on checkered boards.
const BLACK_PIECE: Ansi256Color = Ansi256Color(16);

/// The colours of contents that belong to a role and have no colour in their name.
const ROLE_COLORS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Magenta,
    AnsiColor::Green,
    AnsiColor::Red,
    AnsiColor::Blue,
];

/// How many letters of a content without a glyph are drawn.
const MAX_LETTERS: usize = 3;

/// How the board of one game is drawn on one terminal.
pub(super) struct BoardStyle<'b> {
    board: &'b BoardHint,
    roles: &'b [String],
    pub(super) output: &'b OutputStyle,
    /// Whether a content of the board is drawn as a dot, so that empty cells must not be.
    has_dots: bool,
}

/// The characters of frames.
pub(super) struct FrameCharacters {
    pub(super) across: &'static str,
    pub(super) down: &'static str,
    /// Corners and crossings of the top, middle and bottom line, each from left to right.
    pub(super) joints: [[&'static str; 3]; 3],
}

impl<'b> BoardStyle<'b> {
    pub(super) fn new(board: &'b BoardHint, roles: &'b [String], output: &'b OutputStyle) -> Self {
        let glyphs = board.layers.iter().flat_map(|layer| layer.glyphs.values());
        let mut glyphs = glyphs.chain(board.glyphs.values());
        Self {
            board,
            roles,
            output,
            has_dots: board.shape != CellLayout::Places && glyphs.any(|glyph| glyph == "."),
        }
    }

    pub(super) fn lines(&self) -> FrameCharacters {
        if self.output.unicode {
            FrameCharacters {
                across: "─",
                down: "│",
                joints: [["┌", "┬", "┐"], ["├", "┼", "┤"], ["└", "┴", "┘"]],
            }
        } else {
            FrameCharacters {
                across: "-",
                down: "|",
                joints: [["+"; 3]; 3],
            }
        }
    }

    /// The characters of a cell; nothing if it is empty.
    pub(super) fn glyphs(&self, cell: &BoardCell) -> String {
        cell.top().iter().map(|mark| self.glyph(mark)).collect()
    }

    fn glyph(&self, mark: &CellMark) -> String {
        if let Some(glyph) = &mark.glyph {
            return glyph.clone();
        }
        let fluent = match mark.layer {
            0 => &self.board.fluent,
            layer => &self.board.layers[layer - 1].fluent,
        };
        if mark.content == *fluent {
            let block = if self.output.unicode { "■" } else { "#" };
            return block.into();
        }
        mark.content.chars().take(MAX_LETTERS).collect()
    }

    /// The character of an empty cell.
    pub(super) fn dot(&self, ground: CellBackground) -> &'static str {
        match ground {
            CellBackground::Hole if self.has_dots && self.output.unicode => "▒",
            CellBackground::Hole if self.has_dots => "#",
            CellBackground::Hole => " ",
            _ if self.has_dots => " ",
            CellBackground::Dark => ":",
            CellBackground::Plain if self.output.unicode => "·",
            CellBackground::Plain => ".",
        }
    }

    /// A cell of a grid, filling `columns` screen columns. Empty cells get a dot if `dotted`: where
    /// no lines show the cells.
    pub(super) fn cell(&self, cell: &BoardCell, columns: usize, dotted: bool) -> String {
        let glyphs = self.glyphs(cell);
        let shaded =
            self.board.checkered && self.output.color && cell.ground != CellBackground::Hole;
        let (text, style) = if !glyphs.is_empty() {
            let style = self.style(&cell.top()[0].content);
            (glyphs, style)
        } else if dotted && !shaded {
            let dot = self.dot(cell.ground).to_owned();
            (dot, Style::new().dimmed())
        } else {
            (String::new(), Style::new())
        };
        if !shaded {
            let painted = self.output.paint(style, &text);
            return super::centred(&painted, width(&text), columns);
        }
        let ground = match cell.ground {
            CellBackground::Dark => DARK_CELL,
            _ => LIGHT_CELL,
        };
        let style = style.bg_color(Some(ground.into()));
        let whole = super::centred(&text, width(&text), columns);
        self.output.paint(style, &whole)
    }

    /// The content of a place or hexagon in its colour, or a dot, with its width.
    pub(super) fn piece(&self, cell: &BoardCell) -> (String, usize) {
        let glyphs = self.glyphs(cell);
        if glyphs.is_empty() {
            let dot = self.dot(cell.ground);
            return (self.output.dimmed(dot), width(dot));
        }
        let style = self.style(&cell.top()[0].content);
        (self.output.paint(style, &glyphs), width(&glyphs))
    }

    /// The colour of a content: the colour in its name, or else that of the role that seems to own
    /// it.
    fn style(&self, content: &str) -> Style {
        let is_side = |word: &str| content.split('-').any(|part| part == word);
        if self.board.checkered {
            let is_second = || self.owner(content).is_some_and(|role| role > 0);
            let color = if is_side("black") || (!is_side("white") && is_second()) {
                BLACK_PIECE
            } else {
                WHITE_PIECE
            };
            return Style::new().fg_color(Some(color.into())).bold();
        }
        let named = [
            ("red", AnsiColor::Red),
            ("blue", AnsiColor::BrightBlue),
            ("yellow", AnsiColor::Yellow),
            ("green", AnsiColor::Green),
            ("orange", AnsiColor::BrightRed),
            ("black", AnsiColor::Magenta),
        ];
        let color = named
            .into_iter()
            .find(|(word, _)| is_side(word))
            .map(|(_, color)| color);
        let color = color.or_else(|| {
            let role = self.owner(content)?;
            (!is_side("white")).then(|| ROLE_COLORS[role % ROLE_COLORS.len()])
        });
        Style::new().fg_color(color.map(Into::into)).bold()
    }

    /// The role that owns a content: one name begins with the other, as `xplayer` with `x`.
    fn owner(&self, content: &str) -> Option<usize> {
        self.roles
            .iter()
            .position(|role| role.starts_with(content) || content.starts_with(role.as_str()))
    }
}
