//! The facts of a state, sorted to where they are drawn.

use rustc_hash::FxHashMap;

use crate::content::{content_of, name_of};
use crate::drawing::BoardRenderer;
use crate::joined;
use crate::model::{Layer, Manner, Plan};
use crate::term::Term;

/// Facts beyond this number are not looked at.
const MAX_FACTS: usize = 20_000;

/// Something on a cell.
pub(super) struct Mark {
    pub(super) manner: Manner,
    pub(super) content: String,
    /// Whether the fact itself says what is there.
    pub(super) bare: bool,
}

/// The facts of a state, sorted to where they are drawn.
pub(super) struct Sorted {
    /// By board and cell.
    pub(super) marks: Vec<Vec<Vec<Mark>>>,
    /// By board, lines between cells with their contents.
    pub(super) links: Vec<Vec<(usize, usize, String)>>,
    /// By board, walls between the cells from one corner to another.
    pub(super) barriers: Vec<Vec<(usize, usize, String)>>,
    /// By board, which thing lies on which.
    pub(super) supports: Vec<Vec<(usize, usize)>>,
    /// Of each aside, its facts.
    pub(super) asides: Vec<Vec<Term>>,
    pub(super) rest: Vec<Term>,
}

pub(super) fn sort(drawing: &BoardRenderer, facts: &[String]) -> Sorted {
    let mut sorted = Sorted {
        marks: drawing
            .plans
            .iter()
            .map(|plan| plan.cells.iter().map(|_| Vec::new()).collect())
            .collect(),
        links: drawing.plans.iter().map(|_| Vec::new()).collect(),
        barriers: drawing.plans.iter().map(|_| Vec::new()).collect(),
        supports: drawing.plans.iter().map(|_| Vec::new()).collect(),
        asides: drawing.asides.iter().map(|_| Vec::new()).collect(),
        rest: Vec::new(),
    };
    let mut layers: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
    for (p, plan) in drawing.plans.iter().enumerate() {
        for (l, layer) in plan.layers.iter().enumerate() {
            layers.entry(&layer.shape).or_default().push((p, l));
        }
    }
    let bounded = &facts[..facts.len().min(MAX_FACTS)];
    for text in &joined::join(&drawing.pairs, bounded) {
        let fact = Term::read(text);
        let mut shown = false;
        for (p, l) in layers.get(fact.shape.as_str()).into_iter().flatten() {
            let layer = &drawing.plans[*p].layers[*l];
            shown |= put(&drawing.plans[*p], layer, &fact, *p, &mut sorted).is_some();
        }
        if shown {
            continue;
        }
        let aside = drawing
            .asides
            .iter()
            .position(|aside| aside.shape() == fact.shape);
        match aside {
            Some(aside) => sorted.asides[aside].push(fact),
            None => sorted.rest.push(fact),
        }
    }
    sorted
}

/// Puts a fact on its cell.
fn put(plan: &Plan, layer: &Layer, fact: &Term, number: usize, sorted: &mut Sorted) -> Option<()> {
    let content = content_of(&fact.leaves, &layer.content);
    let name = name_of(&fact.leaves, &layer.key);
    if layer.manner == Manner::Link {
        let half = name.len() / 2;
        let from = plan.find(&name[..half])?;
        let to = plan.find(&name[half..])?;
        sorted.links[number].push((from, to, content));
        return Some(());
    }
    match layer.manner {
        Manner::On => {
            let thing = plan.find(&name[..1])?;
            if layer.empty.contains(&name[1]) {
                return Some(());
            }
            let below = plan.find(&name[1..])?;
            sorted.supports[number].push((thing, below));
            return Some(());
        }
        Manner::Pile => {
            let things: Option<Vec<usize>> = name.chunks(1).map(|name| plan.find(name)).collect();
            let things = things?;
            let pairs = things.windows(2).map(|pair| (pair[0], pair[1]));
            sorted.supports[number].extend(pairs);
            return Some(());
        }
        _ => {}
    }
    if layer.manner == Manner::Barrier {
        let [a, b, c, d] = &name[..] else { return None };
        let from = plan.find(&[a.clone(), c.clone()])?;
        let to = plan.find(&[b.clone(), d.clone()])?;
        if !layer.empty.contains(&content) {
            sorted.barriers[number].push((from, to, content));
        }
        return Some(());
    }
    let cell = plan.find(&name)?;
    if layer.manner == Manner::Silent {
        return Some(());
    }
    if layer.empty.contains(&content) {
        return Some(());
    }
    let bare = layer.content.is_empty();
    sorted.marks[number][cell].push(Mark {
        manner: layer.manner,
        content: if bare { layer.title.clone() } else { content },
        bare,
    });
    Some(())
}
