//! The diagnostics of all checks, limited in number.

use rustc_hash::FxHashMap;

use super::MAX_DIAGNOSTICS;
use super::codes::MORE;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// The diagnostics found so far. At most [`MAX_DIAGNOSTICS`] are kept for each code; the others are
/// counted.
#[derive(Debug, Default)]
pub(super) struct Found {
    kept: Vec<Diagnostic>,
    by_code: FxHashMap<&'static str, usize>,
    dropped: usize,
}

impl Found {
    /// Adds a diagnostic. It is not constructed beyond the limit of its code, so long explanations
    /// cost nothing then.
    pub(super) fn add(&mut self, code: &'static str, make: impl FnOnce() -> Diagnostic) {
        let count = self.by_code.entry(code).or_default();
        *count += 1;
        if *count <= MAX_DIAGNOSTICS {
            self.kept.push(make());
        } else {
            self.dropped += 1;
        }
    }

    /// Keeps the diagnostics that satisfy a predicate.
    pub(super) fn retain(&mut self, pass: impl FnMut(&Diagnostic) -> bool) {
        self.kept.retain(pass);
    }

    /// Adds diagnostics of the parser.
    pub(super) fn extend(&mut self, others: &[Diagnostic]) {
        self.kept.extend_from_slice(others);
    }

    /// All diagnostics in text order without duplicates, at most [`MAX_DIAGNOSTICS`] and one with
    /// the number of the others. If there are too many, errors are kept before warnings.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let Self {
            kept: mut all,
            mut dropped,
            ..
        } = self;
        all.sort_by(|a, b| (place(a), a.code, &a.message).cmp(&(place(b), b.code, &b.message)));
        all.dedup_by(|a, b| place(a) == place(b) && a.code == b.code && a.message == b.message);
        if all.len() > MAX_DIAGNOSTICS {
            dropped += all.len() - MAX_DIAGNOSTICS;
            all.sort_by_key(|d| d.severity == Severity::Warning);
            all.truncate(MAX_DIAGNOSTICS);
            all.sort_by_key(place);
        }
        if dropped > 0 {
            let problems = if dropped == 1 {
                "problem is"
            } else {
                "problems are"
            };
            all.push(
                Diagnostic::warning(MORE, format!("{dropped} more {problems} not shown"))
                    .help("correct the problems above first; many problems often have one cause"),
            );
        }
        all
    }
}

fn place(diagnostic: &Diagnostic) -> Span {
    diagnostic
        .labels
        .first()
        .map_or_else(Span::default, |l| l.span)
}
