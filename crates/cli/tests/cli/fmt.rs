//! `ludorum fmt`, as a process.

use crate::{FINE, Folder, run, run_with_input};

/// The sheet as the binary formats it.
fn laid_out(sheet: &str) -> String {
    let run = run_with_input(&["fmt", "-"], sheet);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stdout
}

#[test]
fn formatted_sheets_pass_the_check() {
    let once = laid_out(FINE);
    assert_eq!(
        run_with_input(&["fmt", "--check", "-"], once.as_str()).code,
        Some(0)
    );
    assert_eq!(laid_out(&once), once);
}

#[test]
fn an_unformatted_sheet_fails_the_check_and_is_not_changed() {
    let untidy = "( role\twhite )\n\n\n\n   terminal";
    let folder = Folder::new(&[("untidy.kif", untidy), ("tidy.kif", &laid_out(FINE))]);
    let run = run(&[
        "fmt",
        "--check",
        &folder.path("untidy.kif"),
        &folder.path("tidy.kif"),
    ]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout
            .contains("untidy.kif: would change, first at line 1"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("/tidy.kif"), "{}", run.stdout);
    assert_eq!(folder.read("untidy.kif"), untidy);
}

#[test]
fn writing_formats_the_file_in_place_and_leaves_no_other_file() {
    let untidy = "( role\twhite )\n\n\n\n   terminal";
    let folder = Folder::new(&[("game.kif", untidy)]);
    let run = run(&["fmt", "--write", &folder.path("game.kif")]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), ""),
        "{}",
        run.stderr
    );
    assert_eq!(folder.read("game.kif"), laid_out(untidy));
    assert_eq!(
        std::fs::read_dir(folder.path(""))
            .expect("a folder")
            .count(),
        1
    );
}

#[cfg(unix)]
#[test]
fn writing_keeps_a_link_and_the_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new(&[("real.kif", "( role white )")]);
    let (real, link) = (folder.path("real.kif"), folder.path("link.kif"));
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).expect("permissions");
    symlink(&real, &link).expect("a link");
    assert_eq!(run(&["fmt", "--write", &link]).code, Some(0));
    assert!(
        std::fs::symlink_metadata(&link)
            .expect("a link")
            .is_symlink()
    );
    let mode = std::fs::metadata(&real)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(folder.read("real.kif"), laid_out("(role white)"));
}

#[test]
fn a_sheet_that_cannot_be_parsed_is_not_changed() {
    let folder = Folder::new(&[("broken.kif", "(role white")]);
    let run = run(&["fmt", "--write", &folder.path("broken.kif")]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error[E001]"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    assert_eq!(folder.read("broken.kif"), "(role white");
}

#[test]
fn shipped_games_and_standard_input_cannot_be_written() {
    let shipped = run(&["fmt", "--write", "tic-tac-toe"]);
    assert_eq!(shipped.code, Some(2));
    assert!(
        shipped.stderr.contains("ships inside"),
        "{}",
        shipped.stderr
    );
    assert_eq!(run_with_input(&["fmt", "--write", "-"], FINE).code, Some(2));
}

#[test]
fn notations_convert_there_and_back() {
    let infix = run_with_input(&["fmt", "--to", "infix", "-"], FINE);
    assert_eq!(infix.code, Some(0), "{}", infix.stderr);
    let back = run_with_input(
        &["fmt", "--from", "infix", "--to", "kif", "-"],
        infix.stdout,
    );
    assert_eq!(back.code, Some(0), "{}", back.stderr);
    assert!(back.stdout.contains("(role white)"), "{}", back.stdout);
    assert!(back.stdout.contains("noop"), "{}", back.stdout);
}

#[test]
fn several_sheets_need_check_or_write() {
    assert_eq!(run(&["fmt", "tic-tac-toe", "connect-four"]).code, Some(2));
    assert_eq!(run(&["fmt", "--check", "--write", "x.kif"]).code, Some(2));
    assert_eq!(run(&["fmt"]).code, Some(2));
}

#[test]
fn a_folder_is_refused() {
    let folder = Folder::new(&[]);
    let run = run(&["fmt", &folder.path("")]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("is a folder"), "{}", run.stderr);
}
