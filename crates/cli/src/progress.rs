//! Progress on standard error; hidden automatically when it is not a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for this many steps, printed with a template of `indicatif`.
pub(crate) fn bar(steps: usize, template: &str) -> ProgressBar {
    styled(ProgressBar::new(steps as u64), template)
}

/// A spinner for work whose size is not known.
pub(crate) fn spinner(template: &str) -> ProgressBar {
    styled(ProgressBar::new_spinner(), template)
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
