//! The facts of a state, assigned to the boards and status items where they are drawn.

use rustc_hash::FxHashMap;

use crate::content::{content_of, name_of};
use crate::flat_term::FlatTerm;
use crate::fluent_pairs;
use crate::model::{BoardLayer, BoardLayout, DrawMode};
use crate::renderer::BoardRenderer;

/// Maximum number of facts that are drawn.
const MAX_FACTS: usize = 20_000;

/// A content placed on a cell.
pub(super) struct PlacedContent {
    pub(super) mode: DrawMode,
    pub(super) content: String,
    /// Whether the fluent itself is the content.
    pub(super) bare: bool,
}

/// The facts of a state, sorted to where they are drawn.
pub(super) struct PlacedFacts {
    /// The contents by board and cell.
    pub(super) marks: Vec<Vec<Vec<PlacedContent>>>,
    /// The links between cells with their contents, by board.
    pub(super) links: Vec<Vec<(usize, usize, String)>>,
    /// The barriers from one corner to another, by board.
    pub(super) barriers: Vec<Vec<(usize, usize, String)>>,
    /// The pairs of an object and its support, by board.
    pub(super) supports: Vec<Vec<(usize, usize)>>,
    /// The facts by status item.
    pub(super) statuses: Vec<Vec<FlatTerm>>,
    pub(super) rest: Vec<FlatTerm>,
}

pub(super) fn place_facts(drawing: &BoardRenderer, facts: &[String]) -> PlacedFacts {
    let mut sorted = PlacedFacts {
        marks: drawing
            .layouts
            .iter()
            .map(|layout| layout.cells.iter().map(|_| Vec::new()).collect())
            .collect(),
        links: drawing.layouts.iter().map(|_| Vec::new()).collect(),
        barriers: drawing.layouts.iter().map(|_| Vec::new()).collect(),
        supports: drawing.layouts.iter().map(|_| Vec::new()).collect(),
        statuses: drawing.statuses.iter().map(|_| Vec::new()).collect(),
        rest: Vec::new(),
    };
    let mut layers: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
    for (p, layout) in drawing.layouts.iter().enumerate() {
        for (l, layer) in layout.layers.iter().enumerate() {
            layers.entry(&layer.shape).or_default().push((p, l));
        }
    }
    let bounded = &facts[..facts.len().min(MAX_FACTS)];
    for text in &fluent_pairs::join(&drawing.pairs, bounded) {
        let fact = FlatTerm::read(text);
        let mut shown = false;
        for (p, l) in layers.get(fact.shape.as_str()).into_iter().flatten() {
            let layer = &drawing.layouts[*p].layers[*l];
            shown |= put(&drawing.layouts[*p], layer, &fact, *p, &mut sorted).is_some();
        }
        if shown {
            continue;
        }
        let status = drawing
            .statuses
            .iter()
            .position(|status| status.shape() == fact.shape);
        match status {
            Some(status) => sorted.statuses[status].push(fact),
            None => sorted.rest.push(fact),
        }
    }
    sorted
}

/// Assigns a fact to its cell.
fn put(
    layout: &BoardLayout,
    layer: &BoardLayer,
    fact: &FlatTerm,
    number: usize,
    sorted: &mut PlacedFacts,
) -> Option<()> {
    let content = content_of(&fact.leaves, &layer.content);
    let name = name_of(&fact.leaves, &layer.key);
    if layer.mode == DrawMode::Link {
        let half = name.len() / 2;
        let from = layout.find(&name[..half])?;
        let to = layout.find(&name[half..])?;
        sorted.links[number].push((from, to, content));
        return Some(());
    }
    match layer.mode {
        DrawMode::On => {
            let thing = layout.find(&name[..1])?;
            if layer.empty.contains(&name[1]) {
                return Some(());
            }
            let below = layout.find(&name[1..])?;
            sorted.supports[number].push((thing, below));
            return Some(());
        }
        DrawMode::Pile => {
            let things: Option<Vec<usize>> = name.chunks(1).map(|name| layout.find(name)).collect();
            let things = things?;
            let pairs = things.windows(2).map(|pair| (pair[0], pair[1]));
            sorted.supports[number].extend(pairs);
            return Some(());
        }
        _ => {}
    }
    if layer.mode == DrawMode::Barrier {
        let [a, b, c, d] = &name[..] else { return None };
        let from = layout.find(&[a.clone(), c.clone()])?;
        let to = layout.find(&[b.clone(), d.clone()])?;
        if !layer.empty.contains(&content) {
            sorted.barriers[number].push((from, to, content));
        }
        return Some(());
    }
    let cell = layout.find(&name)?;
    if layer.mode == DrawMode::Silent {
        return Some(());
    }
    if layer.empty.contains(&content) {
        return Some(());
    }
    let bare = layer.content.is_empty();
    sorted.marks[number][cell].push(PlacedContent {
        mode: layer.mode,
        content: if bare { layer.title.clone() } else { content },
        bare,
    });
    Some(())
}
