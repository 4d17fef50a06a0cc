//! Piece names that encode their properties, as in Quarto.

/// Names that encode four binary properties by one character each, such as `p0110` or `tdrh`.
#[derive(Clone, Debug)]
pub(crate) struct PropertyCode {
    length: usize,
    /// For each property, from the least significant bit: the byte position, and the byte that
    /// means true.
    places: [(usize, u8); 4],
}

/// Letters for hollow, round, tall and dark.
const LETTERS: [&[u8]; 4] = [b"h", b"rc", b"t", b"db"];

impl PropertyCode {
    pub(crate) fn find(contents: &[&String]) -> Option<Self> {
        let length = contents.first()?.len();
        let alike = |content: &&String| content.len() == length && content.is_ascii();
        if contents.len() < 8 || !(4..=8).contains(&length) || !contents.iter().all(alike) {
            return None;
        }
        let mut places = Vec::new();
        for place in 0..length {
            let mut found: Vec<u8> = contents.iter().map(|c| c.as_bytes()[place]).collect();
            found.sort_unstable();
            found.dedup();
            match found[..] {
                [_] => {}
                [low, high] => places.push((place, low, high)),
                _ => return None,
            }
        }
        let [a, b, c, d] = places[..] else {
            return None;
        };
        let mut order = [d, c, b, a];
        for (property, letters) in LETTERS.iter().enumerate() {
            let says =
                |(_, low, high): &(usize, u8, u8)| letters.contains(low) || letters.contains(high);
            if let Some(at) = (property..4).find(|at| says(&order[*at])) {
                order.swap(property, at);
            }
        }
        let mut property = 0;
        let places = order.map(|(place, low, high)| {
            let holds = if LETTERS[property].contains(&low) {
                low
            } else {
                high
            };
            property += 1;
            (place, holds)
        });
        Some(Self { length, places })
    }

    pub(crate) fn bits(&self, content: &str) -> Option<u8> {
        let bytes = content.as_bytes();
        (bytes.len() == self.length).then(|| {
            let mut bits = 0;
            for (bit, (place, holds)) in self.places.iter().enumerate() {
                bits |= u8::from(bytes[*place] == *holds) << bit;
            }
            bits
        })
    }
}
