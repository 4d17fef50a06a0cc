//! From a sheet to rules that an engine can take, or to a report of what is wrong.

use ludorum_gdl::Diagnostic;
use ludorum_logic::Rules;

use crate::diagnosis::Diagnosis;
use crate::outcome::Failure;
use crate::report::render;
use crate::source::GameSource;
use crate::terminal::Terminal;

/// The rules of a sheet; all its errors are told when it has some.
pub(crate) fn playable(source: &GameSource, terminal: &Terminal) -> Result<Rules, Failure> {
    let diagnosis = Diagnosis::new(&source.text, None);
    let mut errors = diagnosis.diagnostics;
    errors.retain(Diagnostic::is_error);
    let problems = if errors.is_empty() {
        match Rules::new(&diagnosis.description) {
            Ok(rules) => return Ok(rules),
            Err(problems) => problems,
        }
    } else {
        errors
    };
    let look = terminal.stderr_look();
    let report = render(&source.name, &source.text, &problems, 10, &look);
    Err(Failure::Sheet(report))
}
