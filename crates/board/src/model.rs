//! What was recognised: boards with their cells and layers, and what is told beside them.

use ludorum_games::CellBackground;
use rustc_hash::{FxHashMap, FxHashSet};

/// How the cells of a board lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutKind {
    Grid,
    Hex,
    Places,
    Track,
    Stacks,
    Graph,
}

/// A cell of a board.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The values that name it, in the order in which facts have them.
    pub(crate) name: Vec<String>,
    /// Its centre from the top left, where cells that touch are 1 apart.
    pub(crate) point: [f64; 2],
    pub(crate) ground: CellBackground,
}

/// A symbol at the edge of a board.
#[derive(Clone, Debug)]
pub(crate) struct EdgeLabel {
    pub(crate) text: String,
    pub(crate) at: [f64; 2],
}

/// How the facts of a layer are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawMode {
    /// A piece that stands on the cell.
    Piece,
    /// Something that the cell is made of: its colour or a small number in a corner.
    Floor,
    /// A sign around the cell, such as the place last moved to.
    Ring,
    /// No cell at all.
    Hole,
    /// A wall at a side of the cell, given as a direction on the screen.
    Wall([i8; 2]),
    /// A relation to the next cell at a side: less or greater.
    Sign([i8; 2], bool),
    /// A line from one cell to another.
    Link,
    /// A wall along two columns, between two rows.
    Barrier,
    /// A thing on top of another.
    On,
    /// All things of a pile, the topmost first.
    Pile,
    /// Not to be drawn.
    Unseen,
    /// Seen from other facts already.
    Silent,
    /// Small letters or numbers, where the cell has something else already.
    Note,
}

/// Facts of one schema on a board.
#[derive(Clone, Debug)]
pub(crate) struct BoardLayer {
    /// See [`crate::flat_term::FlatTerm::shape`].
    pub(crate) shape: String,
    /// The leaves that name the cell.
    pub(crate) key: Vec<usize>,
    /// The leaves that say what is there; none if the fact itself says it.
    pub(crate) content: Vec<usize>,
    /// What is there where no leaf says it, in words.
    pub(crate) title: String,
    pub(crate) mode: DrawMode,
    /// Contents that draw nothing.
    pub(crate) empty: FxHashSet<String>,
}

/// A board, or several of one kind side by side.
#[derive(Clone, Debug)]
pub(crate) struct BoardLayout {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: LayoutKind,
    pub(crate) cells: Vec<Cell>,
    /// Cells by their names joined by commas.
    pub(crate) lookup: FxHashMap<String, usize>,
    pub(crate) layers: Vec<BoardLayer>,
    pub(crate) labels: Vec<EdgeLabel>,
    /// Lines between cells: graphs and places.
    pub(crate) links: Vec<[usize; 2]>,
    /// The number of columns and rows.
    pub(crate) size: [usize; 2],
    /// Which value of the name is the column and which the row, if a move may name only one of
    /// them.
    pub(crate) axes: [Option<usize>; 2],
    pub(crate) pattern: CellPattern,
}

/// Details of the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellPattern {
    pub(crate) checkered: bool,
    /// Round wells instead of squares: things fall into columns.
    pub(crate) wells: bool,
}

impl BoardLayout {
    /// The cell of a name.
    pub(crate) fn find(&self, name: &[String]) -> Option<usize> {
        self.lookup.get(&name.join(",")).copied()
    }

    /// Fills [`Self::lookup`].
    pub(crate) fn index(&mut self) {
        self.lookup = self
            .cells
            .iter()
            .enumerate()
            .map(|(at, cell)| (cell.name.join(","), at))
            .collect();
    }
}

/// What is told beside the boards.
#[derive(Clone, Debug)]
pub(crate) enum StatusItem {
    /// Whose turn it is.
    Control { shape: String },
    /// A number, of a role or of the game.
    Counter {
        shape: String,
        title: String,
        role: Option<usize>,
        value: usize,
    },
    /// Things at hand, of a role or of the game.
    Hand {
        shape: String,
        title: String,
        role: Option<usize>,
        item: Vec<usize>,
    },
}

impl StatusItem {
    pub(crate) fn shape(&self) -> &str {
        match self {
            Self::Control { shape } | Self::Counter { shape, .. } | Self::Hand { shape, .. } => {
                shape
            }
        }
    }
}

/// Boards are far smaller than the numbers that floats hold exactly.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn to_float(number: usize) -> f64 {
    number as f64
}
