//! A board with the contents of a state: the geometry of a [`BoardHint`] filled with facts,
//! independent of the output medium.

use ludorum_gdl::ground_term::term_parts;

use crate::board_hint::{BoardHint, CellLayout, LayerHint};

/// A content on a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellMark {
    /// The content in KIF, or the name of the fluent if it has no argument for the content.
    pub content: String,
    /// One or two characters for the content, if the hint has some.
    pub glyph: Option<String>,
    /// The layer: 0 for the fluent of the board, 1 for the first of [`BoardHint::layers`] and so
    /// on. Higher layers are drawn on top.
    pub layer: usize,
}

/// The background of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellBackground {
    /// A plain cell.
    Plain,
    /// A dark cell of a checkered board.
    Dark,
    /// A missing cell: a hole in the board.
    Hole,
}

/// A cell of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardCell {
    /// The arguments that identify the cell: column and row, or the place.
    pub name: Vec<String>,
    /// Its centre, measured from the top left: x to the right, y downwards. Adjacent cells are at
    /// distance 1.
    pub point: [f64; 2],
    /// Its background.
    pub ground: CellBackground,
    /// Its contents, the lowest layer first, without contents that mean an empty cell.
    pub marks: Vec<CellMark>,
}

impl BoardCell {
    /// The visible contents: those of the topmost layer that has any.
    pub fn top(&self) -> &[CellMark] {
        let Some(layer) = self.marks.last().map(|mark| mark.layer) else {
            return &[];
        };
        let first = self.marks.partition_point(|mark| mark.layer < layer);
        &self.marks[first..]
    }
}

/// One board of a picture. Most pictures have a single one.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardPanel {
    /// The cells, row by row from the top left, holes included.
    pub cells: Vec<BoardCell>,
}

/// A board with everything that stands on it.
///
/// ```
/// use ludorum_games::{BoardPicture, find};
/// let board = find("tic-tac-toe").unwrap().board.as_ref().unwrap();
/// let facts = ["(cell 1 3 x)".to_owned(), "(control oplayer)".to_owned()];
/// let picture = BoardPicture::new(board, &facts);
/// assert_eq!(picture.panels[0].cells[0].top()[0].content, "x");
/// assert_eq!(picture.rest, [1]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BoardPicture {
    /// The boards, row by row from the top left.
    pub panels: Vec<BoardPanel>,
    /// The symbols of the columns of boards, if there are several boards.
    pub panel_columns: Vec<String>,
    /// The symbols of the rows of boards, if there are several boards.
    pub panel_rows: Vec<String>,
    /// The indices of the facts that the picture does not show.
    pub rest: Vec<usize>,
}

impl BoardPicture {
    /// Assigns facts in KIF to the cells of a board.
    pub fn new(board: &BoardHint, facts: &[String]) -> Self {
        let facts: Vec<Vec<&str>> = facts.iter().map(|fact| term_parts(fact)).collect();
        let sources = Source::all(board);
        let panel_columns = panel_symbols(board, board.board_column, &board.columns, &facts);
        let panel_rows = panel_symbols(board, board.board_row, &board.rows, &facts);
        let panels = panel_columns.len().max(1) * panel_rows.len().max(1);
        let mut picture = Self {
            panels: vec![empty_panel(board); panels],
            panel_columns,
            panel_rows,
            rest: Vec::new(),
        };
        for (number, fact) in facts.iter().enumerate() {
            let mut shown = false;
            for source in &sources {
                shown |= picture.put(board, source, fact).is_some();
            }
            if !shown {
                picture.rest.push(number);
            }
        }
        for cell in picture.panels.iter_mut().flat_map(|panel| &mut panel.cells) {
            cell.marks.sort_by_key(|mark| mark.layer);
        }
        picture
    }

    /// Assigns a fact to its cell; `None` if it belongs to another fluent or to no cell.
    fn put(&mut self, board: &BoardHint, source: &Source, fact: &[&str]) -> Option<()> {
        if fact.first() != Some(&source.fluent) {
            return None;
        }
        let panel = self.panel(board, source, fact)?;
        let cell = source.cell(board, fact, &self.panels[panel])?;
        let cell = &mut self.panels[panel].cells[cell];
        if cell.ground == CellBackground::Hole {
            return None;
        }
        let content = match source.content {
            Some(place) => *fact.get(place)?,
            None => source.fluent,
        };
        if !source.empty.iter().any(|empty| empty == content) {
            cell.marks.push(CellMark {
                content: content.to_owned(),
                glyph: source.glyphs.get(content).cloned(),
                layer: source.layer,
            });
        }
        Some(())
    }

    /// The panel that a fact belongs to.
    fn panel(&self, board: &BoardHint, source: &Source, fact: &[&str]) -> Option<usize> {
        let coordinate = |place: Option<usize>, symbols: &[String]| match place {
            Some(place) if source.layer == 0 => position(symbols, fact.get(place)?),
            _ => Some(0),
        };
        let column = coordinate(board.board_column, &self.panel_columns)?;
        let row = coordinate(board.board_row, &self.panel_rows)?;
        Some(row * self.panel_columns.len().max(1) + column)
    }
}

/// A drawn fluent: that of the board or of a layer.
struct Source<'b> {
    layer: usize,
    fluent: &'b str,
    column: Option<usize>,
    row: Option<usize>,
    place: Option<usize>,
    content: Option<usize>,
    empty: &'b [String],
    glyphs: &'b std::collections::BTreeMap<String, String>,
}

impl<'b> Source<'b> {
    fn all(board: &'b BoardHint) -> Vec<Self> {
        let own = Self {
            layer: 0,
            fluent: &board.fluent,
            column: board.column,
            row: board.row,
            place: board.place,
            content: board.content,
            empty: &board.empty,
            glyphs: &board.glyphs,
        };
        let layer = |(number, layer): (usize, &'b LayerHint)| Self {
            layer: number + 1,
            fluent: &layer.fluent,
            column: layer.column,
            row: layer.row,
            place: layer.place,
            content: layer.content,
            empty: &layer.empty,
            glyphs: &layer.glyphs,
        };
        std::iter::once(own)
            .chain(board.layers.iter().enumerate().map(layer))
            .collect()
    }

    /// The cell that a fact describes.
    fn cell(&self, board: &BoardHint, fact: &[&str], panel: &BoardPanel) -> Option<usize> {
        if board.shape == CellLayout::Places {
            let place = *fact.get(self.place?)?;
            return panel.cells.iter().position(|cell| cell.name[0] == place);
        }
        let column = position(&board.columns, fact.get(self.column?)?)?;
        let row = position(&board.rows, fact.get(self.row?)?)?;
        Some(row * board.columns.len() + column)
    }
}

fn position(symbols: &[String], symbol: &str) -> Option<usize> {
    symbols.iter().position(|known| known == symbol)
}

/// The ordered symbols of the panels. The hint lists only the symbols of cells, which panels often
/// share.
fn panel_symbols(
    board: &BoardHint,
    place: Option<usize>,
    symbols: &[String],
    facts: &[Vec<&str>],
) -> Vec<String> {
    let Some(place) = place else {
        return Vec::new();
    };
    let mut strangers: Vec<String> = facts
        .iter()
        .filter(|fact| fact.first() == Some(&board.fluent.as_str()))
        .filter_map(|fact| fact.get(place))
        .filter(|symbol| position(symbols, symbol).is_none())
        .map(|symbol| (*symbol).to_owned())
        .collect();
    strangers.sort();
    strangers.dedup();
    if strangers.is_empty() {
        symbols.to_vec()
    } else {
        strangers
    }
}

fn empty_panel(board: &BoardHint) -> BoardPanel {
    let mut cells = Vec::new();
    if board.shape == CellLayout::Places {
        for (name, point) in &board.places {
            cells.push(BoardCell {
                name: vec![name.clone()],
                point: *point,
                ground: CellBackground::Plain,
                marks: Vec::new(),
            });
        }
        cells.sort_by(|a, b| {
            let key = |cell: &BoardCell| [cell.point[1], cell.point[0]];
            key(a)
                .partial_cmp(&key(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        return BoardPanel { cells };
    }
    let height = board.rows.len();
    for (y, row) in board.rows.iter().enumerate() {
        for (x, column) in board.columns.iter().enumerate() {
            let shift = if board.shape == CellLayout::Hex {
                0.5
            } else {
                0.0
            };
            let is_hole = board.missing.iter().any(|[c, r]| c == column && r == row);
            // The lower left corner is dark, as in chess.
            let is_dark = board.checkered && (x + height - y) % 2 == 1;
            cells.push(BoardCell {
                name: vec![column.clone(), row.clone()],
                point: [to_float(x) + shift * to_float(y), to_float(y)],
                ground: match (is_hole, is_dark) {
                    (true, _) => CellBackground::Hole,
                    (false, true) => CellBackground::Dark,
                    (false, false) => CellBackground::Plain,
                },
                marks: Vec::new(),
            });
        }
    }
    BoardPanel { cells }
}

/// The casts are exact: boards are far smaller than 2^52.
#[allow(clippy::cast_precision_loss)]
fn to_float(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str) -> BoardHint {
        toml::from_str(text).unwrap()
    }

    fn facts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    const GRID: &str = "shape = 'grid'\nfluent = 'cell'\ncolumn = 1\nrow = 2\ncontent = 3
        columns = ['a', 'b']\nrows = ['2', '1']\nempty = ['blank']\n";

    #[test]
    fn facts_lie_on_their_cells_and_the_others_are_left_over() {
        let board = board(GRID);
        let facts = facts(&[
            "(cell a 1 x)",
            "(cell b 2 blank)",
            "(cell c 1 x)",
            "(step 1)",
        ]);
        let picture = BoardPicture::new(&board, &facts);
        let contents: Vec<usize> = picture.panels[0]
            .cells
            .iter()
            .map(|cell| cell.marks.len())
            .collect();
        assert_eq!(contents, [0, 0, 1, 0]);
        assert_eq!(picture.rest, [2, 3]);
    }

    #[test]
    fn a_hole_takes_nothing() {
        let board = board(&format!("{GRID}missing = [['a', '1']]\n"));
        let picture = BoardPicture::new(&board, &facts(&["(cell a 1 x)"]));
        assert_eq!(picture.panels[0].cells[2].ground, CellBackground::Hole);
        assert_eq!(picture.rest, [0]);
    }

    #[test]
    fn the_lower_left_cell_of_a_checkered_board_is_dark() {
        let board = board(&format!("{GRID}checkered = true\n"));
        let picture = BoardPicture::new(&board, &[]);
        let grounds: Vec<CellBackground> =
            picture.panels[0].cells.iter().map(|c| c.ground).collect();
        assert_eq!(
            grounds,
            [
                CellBackground::Plain,
                CellBackground::Dark,
                CellBackground::Dark,
                CellBackground::Plain
            ]
        );
    }

    #[test]
    fn the_top_is_all_that_stands_in_the_highest_layer() {
        let layer = "[[layers]]\nfluent = 'at'\ncolumn = 2\nrow = 3\ncontent = 1\n";
        let board = board(&format!("{GRID}{layer}"));
        let facts = facts(&["(at p a 2)", "(at q a 2)", "(cell a 2 x)"]);
        let picture = BoardPicture::new(&board, &facts);
        let cell = &picture.panels[0].cells[0];
        let top: Vec<&str> = cell.top().iter().map(|mark| &*mark.content).collect();
        assert_eq!(top, ["p", "q"]);
        assert_eq!(cell.marks.len(), 3);
    }

    #[test]
    fn every_shipped_board_has_a_picture() {
        for game in crate::all() {
            if let Some(board) = &game.board {
                let picture = BoardPicture::new(board, &[]);
                assert!(picture.panels.iter().all(|panel| !panel.cells.is_empty()));
            }
        }
    }
}
