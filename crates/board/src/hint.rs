//! Layouts from the metadata of a shipped game.

use ludorum_games::{BoardHint, BoardPicture, CellLayout};
use rustc_hash::FxHashMap;

use crate::hex::ROW_HEIGHT as HEX_ROW;
use crate::layer::assign_draw_modes;
use crate::model::{
    BoardLayer, BoardLayout, Cell, CellPattern, DrawMode, EdgeLabel, LayoutKind, to_float,
};
use crate::names;
use crate::term_schema::TermSchema;

/// The layout that a hint describes. `None` if the game has no facts of the fluent, or if the row
/// is the content itself, as for discs.
pub(crate) fn layout(hint: &BoardHint, schemas: &[TermSchema]) -> Option<BoardLayout> {
    if hint.content.is_some() && hint.content == hint.row {
        return None;
    }
    let schema = form_of(schemas, &hint.fluent)?;
    let facts: Vec<String> = schema
        .all()
        .map(|leaves| format!("({} {})", schema.name, leaves.join(" ")))
        .collect();
    let picture = BoardPicture::new(hint, &facts);
    let kind = match hint.shape {
        CellLayout::Grid => LayoutKind::Grid,
        CellLayout::Hex => LayoutKind::Hex,
        CellLayout::Places => LayoutKind::Places,
    };
    let mut key: Vec<(usize, Part)> = [
        (hint.board_column, Part::PanelColumn),
        (hint.board_row, Part::PanelRow),
        (hint.column, Part::First),
        (hint.row, Part::Second),
        (hint.place, Part::First),
    ]
    .into_iter()
    .filter_map(|(arg, part)| Some((arg?.checked_sub(1)?, part)))
    .collect();
    key.sort_by_key(|(leaf, _)| *leaf);
    let place = |wanted: Part| key.iter().position(|(_, part)| *part == wanted);
    let mut layout = BoardLayout {
        id: String::new(),
        title: names::display_name(&hint.fluent),
        kind,
        cells: Vec::new(),
        lookup: FxHashMap::default(),
        layers: vec![layer(
            schemas,
            &hint.fluent,
            key.iter().map(|(leaf, _)| *leaf).collect(),
            hint.content,
            &hint.empty,
        )?],
        labels: Vec::new(),
        links: Vec::new(),
        size: [hint.columns.len(), hint.rows.len()],
        axes: match hint.shape {
            CellLayout::Places => [None, None],
            _ => [place(Part::First), place(Part::Second)],
        },
        pattern: CellPattern {
            checkered: hint.checkered,
            wells: false,
        },
    };
    let across = picture.panel_columns.len().max(1);
    for (number, panel) in picture.panels.iter().enumerate() {
        let (px, py) = (number % across, number / across);
        for cell in &panel.cells {
            let value = |part: &Part| {
                let value = match part {
                    Part::PanelColumn => picture.panel_columns.get(px),
                    Part::PanelRow => picture.panel_rows.get(py),
                    Part::First => cell.name.first(),
                    Part::Second => cell.name.get(1),
                };
                value.cloned().unwrap_or_default()
            };
            let [x, y] = cell.point;
            let down = if kind == LayoutKind::Hex {
                HEX_ROW
            } else {
                1.0
            };
            let shift = |panel: usize, size: usize| to_float(panel) * (to_float(size) + 0.5);
            layout.cells.push(Cell {
                name: key.iter().map(|(_, part)| value(part)).collect(),
                point: [
                    x + shift(px, hint.columns.len()),
                    y * down + shift(py, hint.rows.len()),
                ],
                ground: cell.ground,
            });
        }
    }
    for extra in &hint.layers {
        let args = [extra.column, extra.row, extra.place];
        let leaves = args
            .into_iter()
            .filter_map(|arg| arg?.checked_sub(1))
            .collect();
        layout.layers.extend(layer(
            schemas,
            &extra.fluent,
            leaves,
            extra.content,
            &extra.empty,
        ));
    }
    assign_draw_modes(&mut layout.layers, schemas);
    // Layers that a hint names are drawn in any case.
    for layer in &mut layout.layers {
        if layer.mode == DrawMode::Unseen {
            layer.mode = DrawMode::Note;
        }
    }
    labels(&mut layout, hint, picture.panels.len());
    layout.index();
    Some(layout)
}

/// The meaning of an argument of the fluent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    PanelColumn,
    PanelRow,
    First,
    Second,
}

fn form_of<'f>(schemas: &'f [TermSchema], fluent: &str) -> Option<&'f TermSchema> {
    schemas.iter().find(|schema| schema.name == fluent)
}

fn layer(
    schemas: &[TermSchema],
    fluent: &str,
    key: Vec<usize>,
    content: Option<usize>,
    empty: &[String],
) -> Option<BoardLayer> {
    let schema = form_of(schemas, fluent)?;
    let content = content.and_then(|arg| arg.checked_sub(1));
    let fits = key.iter().chain(&content).all(|leaf| *leaf < schema.arity);
    fits.then(|| BoardLayer {
        shape: schema.shape.clone(),
        key,
        content: content.into_iter().collect(),
        title: names::display_name(fluent),
        mode: DrawMode::Piece,
        empty: empty.iter().cloned().collect(),
    })
}

/// Adds the symbols of columns and rows at the edges.
fn labels(layout: &mut BoardLayout, hint: &BoardHint, panels: usize) {
    if panels != 1 || hint.shape == CellLayout::Places {
        return;
    }
    let is_hex = hint.shape == CellLayout::Hex;
    let height = to_float(hint.rows.len());
    for (at, text) in hint.columns.iter().enumerate() {
        let at = if is_hex {
            [to_float(at) - 0.45, -0.82]
        } else {
            [to_float(at), height - 0.18]
        };
        layout.labels.push(EdgeLabel {
            text: names::truncate(text, 6),
            at,
        });
    }
    for (at, text) in hint.rows.iter().enumerate() {
        let y = to_float(at);
        let at = if is_hex {
            [y * 0.5 - 0.85, y * HEX_ROW]
        } else {
            [-0.82, y]
        };
        layout.labels.push(EdgeLabel {
            text: names::truncate(text, 6),
            at,
        });
    }
}
