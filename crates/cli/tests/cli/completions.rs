//! `ludorum completions`, help and version.

use crate::run;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = run(&["completions", shell]);
        assert_eq!(run.code, Some(0), "{shell}: {}", run.stderr);
        for command in ["inspect", "duel", "analyse", "players"] {
            assert!(run.stdout.contains(command), "{shell} {command}");
        }
    }
    assert_eq!(run(&["completions", "tcsh"]).code, Some(2));
}

#[test]
fn the_help_of_every_command_has_examples() {
    for command in [
        "play",
        "analyse",
        "duel",
        "players",
        "check",
        "fmt",
        "inspect",
        "games",
        "completions",
    ] {
        for flag in ["-h", "--help"] {
            let run = run(&[command, flag]);
            assert_eq!(run.code, Some(0), "{command}");
            assert!(run.stdout.contains("Examples:"), "{command} {flag}");
        }
    }
    assert!(run(&["help"]).stdout.contains("Exit codes:"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = run(&["--version"]);
    assert_eq!(
        run.stdout,
        format!("ludorum {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run.code, Some(0));
}

#[test]
fn an_unknown_command_is_wrong_use() {
    let run = run(&["chekc"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("check"), "{}", run.stderr);
}
