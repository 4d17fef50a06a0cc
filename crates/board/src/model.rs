//! The data model of the recognition: boards with cells and layers, and status items beside them.

use ludorum_games::CellBackground;
use rustc_hash::{FxHashMap, FxHashSet};

/// The arrangement of the cells of a board.
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
    /// The values that identify the cell, in the order of the fact.
    pub(crate) name: Vec<String>,
    /// Its centre, measured from the top left. Adjacent cells are at distance 1.
    pub(crate) point: [f64; 2],
    pub(crate) ground: CellBackground,
}

/// A coordinate symbol at the edge of a board.
#[derive(Clone, Debug)]
pub(crate) struct EdgeLabel {
    pub(crate) text: String,
    pub(crate) at: [f64; 2],
}

/// How the facts of a layer are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawMode {
    /// A piece on the cell.
    Piece,
    /// A property of the cell, drawn as its colour or as a small number in a corner.
    Floor,
    /// A marker around the cell, such as for the last move.
    Ring,
    /// The cell is missing.
    Hole,
    /// A wall at one side of the cell, given as a screen direction.
    Wall([i8; 2]),
    /// A relation to the neighbour at one side: less or greater.
    Sign([i8; 2], bool),
    /// A line between two cells.
    Link,
    /// A wall along two columns, between two rows.
    Barrier,
    /// An object on top of another.
    On,
    /// All objects of a pile, the topmost first.
    Pile,
    /// Not drawn, but listed as text.
    Unseen,
    /// Not drawn, since it follows from other facts.
    Silent,
    /// A small text on a cell that has another content.
    Note,
}

/// The facts of one schema on a board.
#[derive(Clone, Debug)]
pub(crate) struct BoardLayer {
    /// See [`crate::flat_term::FlatTerm::shape`].
    pub(crate) shape: String,
    /// The leaves that identify the cell.
    pub(crate) key: Vec<usize>,
    /// The leaves that are the content; none if the fluent itself is the content.
    pub(crate) content: Vec<usize>,
    /// The name of the fluent in words, which is the content if no leaf is.
    pub(crate) title: String,
    pub(crate) mode: DrawMode,
    /// Contents that mean an empty cell.
    pub(crate) empty: FxHashSet<String>,
}

/// A recognised board, or several boards of one kind side by side.
#[derive(Clone, Debug)]
pub(crate) struct BoardLayout {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: LayoutKind,
    pub(crate) cells: Vec<Cell>,
    /// Index of the cells by their names, joined by commas.
    pub(crate) lookup: FxHashMap<String, usize>,
    pub(crate) layers: Vec<BoardLayer>,
    pub(crate) labels: Vec<EdgeLabel>,
    /// Links between cells, for graphs and places.
    pub(crate) links: Vec<[usize; 2]>,
    /// The number of columns and rows.
    pub(crate) size: [usize; 2],
    /// The components of a cell name that are the column and the row, for moves that name only one
    /// of them.
    pub(crate) axes: [Option<usize>; 2],
    pub(crate) pattern: CellPattern,
}

/// The pattern of the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellPattern {
    pub(crate) checkered: bool,
    /// Round wells instead of squares, for games where pieces drop into columns.
    pub(crate) wells: bool,
}

impl BoardLayout {
    /// The index of the cell with a name.
    pub(crate) fn find(&self, name: &[String]) -> Option<usize> {
        self.lookup.get(&name.join(",")).copied()
    }

    /// Rebuilds [`Self::lookup`].
    pub(crate) fn index(&mut self) {
        self.lookup = self
            .cells
            .iter()
            .enumerate()
            .map(|(at, cell)| (cell.name.join(","), at))
            .collect();
    }
}

/// Information that is shown beside the boards.
#[derive(Clone, Debug)]
pub(crate) enum StatusItem {
    /// The role to move.
    Control { shape: String },
    /// A number, of a role or of the game.
    Counter {
        shape: String,
        title: String,
        role: Option<usize>,
        value: usize,
    },
    /// Items in the hand of a role, or of the game.
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

/// The casts are exact: boards are far smaller than 2^52.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn to_float(number: usize) -> f64 {
    number as f64
}
