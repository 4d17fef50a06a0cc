//! Metadata about drawing the board of a game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The arrangement of the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CellLayout {
    /// Columns and rows.
    Grid,
    /// Columns and rows, each row shifted by half a cell against the one above.
    Hex,
    /// Named places, each at its own point.
    Places,
}

impl CellLayout {
    /// The value of the key `shape` in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Hex => "hex",
            Self::Places => "places",
        }
    }
}

/// The fluent that describes the cells, and how its facts are drawn. Arguments are counted from 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BoardHint {
    /// The arrangement of the cells.
    pub shape: CellLayout,
    /// The fluent, such as `cell` in `(cell ?x ?y ?content)`.
    pub fluent: String,
    /// The argument that is the column; grids and hexes have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The argument that is the row; grids and hexes have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The argument that is the place; boards of places have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The argument that is the content of the cell. Without it, the content is the fluent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<usize>,
    /// The argument that selects the column of boards, if a large board consists of small ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_column: Option<usize>,
    /// The argument that selects the row of boards, if a large board consists of small ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_row: Option<usize>,
    /// The symbols of the columns from left to right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The symbols of the rows from top to bottom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// Contents that mean an empty cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<String>,
    /// Pairs of column and row without a cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<[String; 2]>,
    /// Whether light and dark cells alternate.
    #[serde(default)]
    pub checkered: bool,
    /// One or two characters for each content. The key is the content in printed KIF.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub glyphs: BTreeMap<String, String>,
    /// The point of each place: column and row from the top left, with fractions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, [f64; 2]>,
    /// Further fluents that are drawn on the same cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerHint>,
}

/// A further fluent drawn on a [`BoardHint`]. Arguments are counted from 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LayerHint {
    /// The fluent.
    pub fluent: String,
    /// The argument that is the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The argument that is the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The argument that is the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The argument that is the content. Without it, the glyph of the fluent's name is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<usize>,
    /// Contents that mean that nothing is drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<String>,
    /// One or two characters for each content.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub glyphs: BTreeMap<String, String>,
}
