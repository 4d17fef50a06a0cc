//! The file that `ludorum bench --plot` draws into.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use ludorum_lab::speed::baseline::Baseline;
use ludorum_lab::speed::plot;
use ludorum_lab::speed::table::Line;

use crate::outcome::Failure;

/// Tells whether a picture could be written, before minutes of measuring are spent on it. Nothing
/// is changed.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    let checked = match fs::metadata(path) {
        Ok(about) if about.is_file() || about.is_dir() => {
            OpenOptions::new().write(true).open(path).map(drop)
        }
        // Whoever reads from a pipe would take this for the end of the picture.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create_for_a_moment(path),
        Err(error) => Err(error),
    };
    checked.map_err(|error| unwritable(path, &error))
}

fn create_for_a_moment(path: &Path) -> io::Result<()> {
    match File::create_new(path) {
        Ok(_) => fs::remove_file(path),
        // Somebody was faster, or it is a link to what is not there yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Draws what was measured.
pub(super) fn draw(
    path: &Path,
    lines: &[Line],
    baseline: Option<&Baseline>,
) -> Result<(), Failure> {
    let picture = plot::svg(lines, baseline);
    let picture = picture.map_err(|error| Failure::input(error.to_string()))?;
    fs::write(path, picture).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("cannot write `{}`: {error}", path.display()))
}
