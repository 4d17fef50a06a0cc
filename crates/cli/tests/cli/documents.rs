//! The commands in the documents: each is run with the real binary.
//!
//! Conventions of the documents:
//! - In blocks marked `sh`, every line is a command, except empty lines and comments. In blocks
//!   marked `console`, lines that begin with `$ ` are commands; other lines are output and are not
//!   compared. A line that ends in `\` is continued.
//! - Lines are run that begin with `ludorum` or `cargo run --release`, or that pipe into `ludorum`.
//! - A command exits with 0 unless a comment at its end says `# exits with N`. A command with the
//!   comment `# interactive` starts a server or needs a terminal: only its arguments are parsed.
//! - A block with `file=NAME` after its mark is written to the file NAME.
//!
//! The commands of a document run one after the other in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The time limit of a command.
const TIME_LIMIT: Duration = Duration::from_mins(2);
/// Poll interval while waiting for a command.
const POLL: Duration = Duration::from_millis(10);

/// `my-game.kif` at the beginning: a sheet with an error.
const WITH_ERRORS: &str = "\
(role white)
(init (control white))
(<= (legal ?role noop)
  (role ?role)
  (not (true (control ?anyone))))
(<= (next (control white))
  (true (control white)))
(<= terminal
  (not open))
(<= open
  (true (control white)))
(goal white 100)
";

/// `stuck.kif`: a sheet in which a role runs out of legal moves.
const STUCK: &str = "\
(role white)
(init (at 0))
(succ 0 1)
(succ 1 2)
(<= (legal white (go ?y))
  (true (at ?x))
  (succ ?x ?y))
(<= (next (at ?x))
  (does white (go ?x)))
(<= terminal
  (true (at 3)))
(goal white 100)
";

/// Something that a document does.
#[derive(Debug, PartialEq)]
enum Step {
    /// Runs a command.
    Run {
        line: usize,
        command: String,
        exit_code: i32,
    },
    /// Parses the arguments of an interactive command.
    Parse { line: usize, command: String },
    /// Writes a file.
    Write { name: String, text: String },
}

/// The steps of a document.
fn steps(document: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(mark) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let block: Vec<(usize, &str)> = lines
            .by_ref()
            .take_while(|(_, line)| line.trim() != "```")
            .map(|(i, line)| (i + 1, line))
            .collect();
        let mut marks = mark.split_whitespace();
        let prompt = match marks.next() {
            Some("sh") => "",
            Some("console") => "$ ",
            _ => {
                let name = marks.find_map(|mark| mark.strip_prefix("file="));
                steps.extend(name.map(|name| Step::Write {
                    name: name.to_owned(),
                    text: block.iter().flat_map(|(_, line)| [line, "\n"]).collect(),
                }));
                continue;
            }
        };
        let mut block = block.into_iter();
        while let Some((line, text)) = block.next() {
            let Some(text) = text.strip_prefix(prompt) else {
                continue;
            };
            let mut text = text.trim().to_owned();
            while let Some(start) = text.strip_suffix('\\') {
                let next = block.next().map_or("", |(_, next)| next.trim());
                text = format!("{start}{next}");
            }
            steps.extend(step(line, &text));
        }
    }
    steps
}

/// The step of a command line, if the line runs `ludorum`.
fn step(line: usize, text: &str) -> Option<Step> {
    let (command, comment) = split_comment(text);
    let command = command.strip_prefix("cargo run --release").map_or_else(
        || command.to_owned(),
        |rest| {
            let arguments = rest.trim_start().trim_start_matches("--").trim_start();
            format!("ludorum {arguments}").trim_end().to_owned()
        },
    );
    let runs_ludorum = |part: &str| part.split_whitespace().next() == Some("ludorum");
    if !command.split('|').any(runs_ludorum) {
        return None;
    }
    if comment.starts_with("interactive") {
        return Some(Step::Parse { line, command });
    }
    let exit_code = comment.split_once("exits with ").map_or(0, |(_, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a number after `exits with`")
    });
    Some(Step::Run {
        line,
        command,
        exit_code,
    })
}

/// A command and the comment after it.
fn split_comment(text: &str) -> (&str, &str) {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => {
                return (text[..at].trim_end(), text[at + 1..].trim());
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
        before = c;
    }
    (text.trim_end(), "")
}

/// The folder in which the commands of a document run.
struct Sandbox(TempDir);

impl Sandbox {
    fn new(root: &Path) -> Self {
        let sandbox = Self(TempDir::new().expect("a folder"));
        for folder in ["bin", "home", "work/docs"] {
            fs::create_dir_all(sandbox.path(folder)).expect("a folder");
        }
        std::os::unix::fs::symlink(
            assert_cmd::cargo::cargo_bin!("ludorum"),
            sandbox.path("bin/ludorum"),
        )
        .expect("a link to the binary");
        fs::write(sandbox.path("work/my-game.kif"), WITH_ERRORS).expect("a sheet");
        fs::write(sandbox.path("work/stuck.kif"), STUCK).expect("a sheet");
        let documents = fs::read_dir(root.join("docs")).expect("the folder of documents");
        for document in documents.flatten().filter(|entry| entry.path().is_file()) {
            let copy = sandbox.path("work/docs").join(document.file_name());
            fs::copy(document.path(), copy).expect("a copy");
        }
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command in the shell; the error says why it has no output.
    fn run(&self, command: &str) -> Result<Output, String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.path("bin").display());
        // Output goes to files, because a pipe that is not read would block the command.
        let (out, err) = (self.path("stdout"), self.path("stderr"));
        let file = |path| fs::File::create(path).expect("a file for the output");
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.path("work"))
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("XDG_DATA_HOME", self.path("home/data"))
            .env("XDG_CONFIG_HOME", self.path("home/config"))
            .env("XDG_CACHE_HOME", self.path("home/cache"))
            .env("LUDORUM_NO_BROWSER", "1")
            .env("NO_COLOR", "1")
            .env_remove("LUDORUM_ARCHIVE")
            .stdin(Stdio::null())
            .stdout(file(&out))
            .stderr(file(&err))
            .spawn()
            .map_err(|error| error.to_string())?;
        let begin = Instant::now();
        let status = loop {
            match child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break status,
                None if begin.elapsed() > TIME_LIMIT => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("did not end within {} s", TIME_LIMIT.as_secs()));
                }
                None => std::thread::sleep(POLL),
            }
        };
        let read = |path| fs::read(path).map_err(|error| error.to_string());
        Ok(Output {
            status,
            stdout: read(&out)?,
            stderr: read(&err)?,
        })
    }
}

/// Runs the commands of a document and returns what went wrong.
fn problems(root: &Path, name: &str) -> Vec<String> {
    let document = fs::read_to_string(root.join(name)).expect("a document");
    let sandbox = Sandbox::new(root);
    let mut problems = Vec::new();
    let mut commands = 0;
    for step in steps(&document) {
        let (line, command, shell, expected) = match step {
            Step::Write { name, text } => {
                fs::write(sandbox.path("work").join(name), text).expect("a file");
                continue;
            }
            Step::Parse { line, command } => {
                let shell = format!("{command} --help");
                (line, command, shell, 0)
            }
            Step::Run {
                line,
                command,
                exit_code,
            } => (line, command.clone(), command, exit_code),
        };
        commands += 1;
        match sandbox.run(&shell) {
            Ok(output) if output.status.code() == Some(expected) => {}
            Ok(output) => problems.push(format!(
                "{name}:{line}: `{command}` ended with {:?}, not {expected}\n{}",
                output.status.code(),
                String::from_utf8_lossy(&output.stderr)
            )),
            Err(problem) => problems.push(format!("{name}:{line}: `{command}` {problem}")),
        }
    }
    if commands == 0 {
        problems.push(format!("{name}: no command was found"));
    }
    problems
}

fn assert_commands_work(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let problems = problems(&root, name);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_commands_of_the_readme_work() {
    assert_commands_work("README.md");
}

#[test]
fn the_commands_of_the_guide_work() {
    assert_commands_work("docs/guide.md");
}

#[test]
fn the_commands_of_the_page_on_lanes_work() {
    assert_commands_work("docs/lanes.md");
}

#[test]
fn commands_are_found_with_their_marks() {
    let document = "\
```sh
# a comment
cargo run --release     # interactive: a server
cargo run --release -- games 'a # b' \\
  --json
cargo xtask test
```

```console
$ ludorum check x.kif   # exits with 1: an error
ludorum is not a command here
$ cat x.kif | ludorum check -
```

```toml file=cup.toml
name = \"cup\"
```

```
ludorum games
```
";
    let run = |line, command: &str, exit_code| Step::Run {
        line,
        command: command.to_owned(),
        exit_code,
    };
    let expected = [
        Step::Parse {
            line: 3,
            command: "ludorum".to_owned(),
        },
        run(4, "ludorum games 'a # b' --json", 0),
        run(10, "ludorum check x.kif", 1),
        run(12, "cat x.kif | ludorum check -", 0),
        Step::Write {
            name: "cup.toml".to_owned(),
            text: "name = \"cup\"\n".to_owned(),
        },
    ];
    assert_eq!(steps(document), expected);
}
