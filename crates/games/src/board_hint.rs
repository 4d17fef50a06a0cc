//! How the board of a game can be drawn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How the cells of a board lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CellLayout {
    /// Columns and rows.
    Grid,
    /// Columns and rows, each row shifted by half a cell against the one above.
    Hex,
    /// Named places, each at a point of its own.
    Places,
}

impl CellLayout {
    /// The word for it in metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Hex => "hex",
            Self::Places => "places",
        }
    }
}

/// Which fluent says what stands where, and how to draw that. Arguments of fluents are counted from
/// 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BoardHint {
    /// How the cells lie.
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
    /// The argument that says what stands there; without it, the fluent holds where something
    /// stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<usize>,
    /// The argument that is the column of the board, where one large board is made of small ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_column: Option<usize>,
    /// The argument that is the row of the board, where one large board is made of small ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_row: Option<usize>,
    /// The symbols of the columns from left to right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The symbols of the rows from top to bottom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// Contents drawn as an empty cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<String>,
    /// Pairs of column and row that are no cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<[String; 2]>,
    /// Whether light and dark cells alternate.
    #[serde(default)]
    pub checkered: bool,
    /// One or two characters for each content, which is given in its printed KIF form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub glyphs: BTreeMap<String, String>,
    /// Where each place lies: column and row from the top left, halves allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, [f64; 2]>,
    /// Further fluents drawn over the same cells.
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
    /// The argument that says what stands there; without it, the glyph of the fluent's own name is
    /// drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<usize>,
    /// Contents that draw nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<String>,
    /// One or two characters for each content.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub glyphs: BTreeMap<String, String>,
}
