//! Line breaks between positions of the source.

/// The start positions of the lines.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: usize| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = (0..bytes.len())
            .filter(|at| ends_line(*at))
            .map(|at| at as u32 + 1)
            .collect();
        Self { text, starts }
    }

    /// Whether two positions are on the same line.
    pub(super) fn same(&self, a: u32, b: u32) -> bool {
        self.line(a) == self.line(b)
    }

    /// Whether an empty line is between two positions.
    pub(super) fn blank_between(&self, a: u32, b: u32) -> bool {
        let (first, last) = (self.line(a), self.line(b));
        first < last
            && self.starts[first..last].windows(2).any(|line| {
                let line = self.text.get(line[0] as usize..line[1] as usize);
                line.is_some_and(|line| line.trim().is_empty())
            })
    }

    fn line(&self, at: u32) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_line_ends_count() {
        let lines = Lines::new("ab\r\ncd\re\n\n  \nf");
        assert!(lines.same(0, 2) && lines.same(4, 5));
        assert!(!lines.same(0, 4) && !lines.same(4, 7));
        assert!(lines.blank_between(7, 13));
        assert!(!lines.blank_between(0, 7));
    }
}
