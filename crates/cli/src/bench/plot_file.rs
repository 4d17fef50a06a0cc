//! The file of `ludorum bench --plot`.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use ludorum_lab::speed::baseline::Baseline;
use ludorum_lab::speed::plot;
use ludorum_lab::speed::table::SpeedRow;

use crate::outcome::Failure;

/// Checks that the plot can be written before minutes are spent on measuring. The file is not
/// changed.
pub(super) fn check_writable(path: &Path) -> Result<(), Failure> {
    let checked = match fs::metadata(path) {
        Ok(about) if about.is_file() || about.is_dir() => {
            OpenOptions::new().write(true).open(path).map(drop)
        }
        // Opening a pipe for writing and closing it would end the stream for its reader.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create_for_a_moment(path),
        Err(error) => Err(error),
    };
    checked.map_err(|error| unwritable(path, &error))
}

fn create_for_a_moment(path: &Path) -> io::Result<()> {
    match File::create_new(path) {
        Ok(_) => fs::remove_file(path),
        // Another process has just created it, or it is a link to a missing file.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Draws the measured speeds.
pub(super) fn draw(
    path: &Path,
    lines: &[SpeedRow],
    baseline: Option<&Baseline>,
) -> Result<(), Failure> {
    let picture = plot::svg(lines, baseline);
    let picture = picture.map_err(|error| Failure::input(error.to_string()))?;
    fs::write(path, picture).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("cannot write `{}`: {error}", path.display()))
}
