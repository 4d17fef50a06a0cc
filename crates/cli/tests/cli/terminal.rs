//! Colours, pipes and terminals.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

use crate::{finish, ludorum, run, run_with_input};

const ESCAPE: char = '\u{1b}';
const BROKEN: &str = "(role white";

#[test]
fn pipes_get_no_colours() {
    for args in [&["check", "-"][..], &["games"], &["play"], &["--help"]] {
        let run = run_with_input(args, BROKEN);
        assert!(!run.stdout.contains(ESCAPE), "{args:?}: {}", run.stdout);
        assert!(!run.stderr.contains(ESCAPE), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn colours_can_be_forced() {
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
fn the_colour_option_overrides_the_environment() {
    let asked = finish(ludorum(&["games", "--color", "always"]).env("NO_COLOR", "1"));
    assert!(asked.stdout.contains(ESCAPE));
    let left = finish(ludorum(&["games"]).env("NO_COLOR", "1"));
    assert!(!left.stdout.contains(ESCAPE));
}

/// Reads one line of a long output and closes the pipe, as `head -1` does.
#[test]
fn a_closed_pipe_ends_the_command_without_an_error() {
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

/// Runs a command with typed lines on a pseudo-terminal of the program `script`; `None` if there is
/// no such program.
fn on_a_terminal(args: &str, typed: &str) -> Option<String> {
    let binary = assert_cmd::cargo::cargo_bin!("ludorum");
    let command = format!("{} {args}", binary.display());
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .inspect_err(|_| eprintln!("skipped: the program `script` is not installed"))
        .ok()?;
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(typed.as_bytes()).expect("lines are read");
    let output = child.wait_with_output().expect("an end");
    drop(stdin);
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn play_without_a_game_shows_the_menu_on_a_terminal() {
    if let Some(shown) = on_a_terminal("play", "nim\n\n0.01\nquit\n\n") {
        for part in ["Games for two", "Which game?", "Your role", "first>"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}

#[test]
fn a_report_is_redrawn_on_a_terminal() {
    let args = "analyse connect-four --seconds 2";
    if let Some(shown) = on_a_terminal(args, "") {
        let up = format!("{ESCAPE}[");
        assert!(
            shown.contains(&up) && shown.contains("A\u{1b}[J"),
            "{shown}"
        );
        assert!(shown.matches("engine ").count() > 1, "{shown}");
    }
}

#[test]
fn a_duel_shows_its_score_on_a_terminal() {
    let args = "duel tic-tac-toe -a random -b legal --games 4";
    if let Some(shown) = on_a_terminal(args, "") {
        assert!(shown.contains("score"), "{shown}");
    }
}
