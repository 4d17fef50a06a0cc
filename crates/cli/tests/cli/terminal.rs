//! Colours and pipes.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::{finish, ludorum, run, run_with_input};

const ESCAPE: char = '\u{1b}';
const BROKEN: &str = "(role white";

#[test]
fn a_pipe_gets_no_colours() {
    for args in [&["check", "-"][..], &["games"], &[], &["--help"]] {
        let run = run_with_input(args, BROKEN);
        assert!(!run.stdout.contains(ESCAPE), "{args:?}: {}", run.stdout);
        assert!(!run.stderr.contains(ESCAPE), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn colours_can_be_asked_for() {
    for args in [
        &["--color", "always", "check", "-"][..],
        &["games", "--color=always"],
    ] {
        assert!(
            run_with_input(args, BROKEN).stdout.contains(ESCAPE),
            "{args:?}"
        );
    }
    assert!(
        run(&["check", "nosuchgame", "--color", "always"])
            .stderr
            .contains(ESCAPE)
    );
    assert!(
        run(&["--color", "always", "--help"])
            .stdout
            .contains(ESCAPE)
    );
    assert_eq!(run(&["--color", "sometimes"]).code, Some(2));
}

#[test]
fn asking_for_colours_outweighs_the_environment() {
    let asked = finish(ludorum(&["games", "--color", "always"]).env("NO_COLOR", "1"));
    assert!(asked.stdout.contains(ESCAPE));
    let left = finish(ludorum(&["games"]).env("NO_COLOR", "1"));
    assert!(!left.stdout.contains(ESCAPE));
}

/// Reads one line of a long output and closes the pipe, as `head -1` does.
#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    for args in [
        &["games"][..],
        &["games", "--json"],
        &["completions", "bash"],
        &["fmt", "connect-four"],
    ] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("ludorum"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::with_capacity(16, stdout)
            .read_line(&mut line)
            .expect("a line");
        assert!(!line.is_empty(), "{args:?}");
        let mut errors = String::new();
        child
            .stderr
            .take()
            .expect("a pipe")
            .read_to_string(&mut errors)
            .expect("text");
        assert_eq!(errors, "", "{args:?}");
        assert_eq!(child.wait().expect("an end").code(), Some(0), "{args:?}");
    }
}
