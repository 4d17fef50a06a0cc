//! Tests of the real binary as a process: the output, exit codes and error handling of every
//! command.

mod analyse;
mod arena;
mod bench;
mod check;
mod completions;
mod conform;
#[cfg(unix)] // commands of documents run in a shell
mod documents;
mod duel;
mod engines;
mod fmt;
mod games;
mod inspect;
mod matches;
mod perf;
mod perft;
mod play;
mod playability;
mod players;
mod solve;
mod terminal;
mod tournament;

use std::path::PathBuf;

use assert_cmd::Command;
use tempfile::TempDir;

/// A small correct sheet whose initial state is terminal.
const FINE: &str = "\
(role white)
(<= (legal ?r noop) (role ?r))
(<= (goal ?r 100) (role ?r))
terminal
";

/// The binary, without environment variables that change its output.
fn ludorum(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ludorum"));
    command.args(args).env_remove("NO_COLOR").env_remove("TERM");
    command
}

/// The result of a process.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(args: &[&str]) -> Run {
    finish(&mut ludorum(args))
}

fn run_with_input(args: &[&str], input: impl Into<Vec<u8>>) -> Run {
    finish(ludorum(args).write_stdin(input))
}

fn finish(command: &mut Command) -> Run {
    let output = command.output().expect("the binary starts");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("standard output is text"),
        stderr: String::from_utf8(output.stderr).expect("standard error is text"),
    }
}

/// A temporary folder with files.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().expect("a folder can be made"));
        for (name, text) in files {
            let path = folder.0.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent"))
                .expect("a folder can be made");
            std::fs::write(path, text).expect("a file can be written");
        }
        folder
    }

    fn path(&self, name: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        path.to_str().expect("a plain path").to_owned()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file can be read")
    }
}
