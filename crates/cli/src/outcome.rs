//! How a command ends: an answer, or a failure that people are told about.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::terminal::{Look, printable};

/// What a command that could do its work has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// All is well. Exit code 0.
    Yes,
    /// The sheet has errors, the file is not formatted, no game matches. Exit code 1.
    No,
    /// The person ended the work before it was done, and was told what is known. Exit code 130.
    Interrupted,
}

impl From<Answer> for ExitCode {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Yes => Self::SUCCESS,
            Answer::No => Self::from(1),
            Answer::Interrupted => Self::from(130),
        }
    }
}

/// One reason why a command could not do its work: what is wrong, and what would be right.
#[derive(Clone, Debug)]
pub(crate) struct Complaint {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the use was wrong.
    Input(Vec<Complaint>),
    /// The sheet cannot be used; its problems, rendered for standard error.
    Sheet(String),
    /// The person ended the work before anything was known: when that was.
    Interrupted(&'static str),
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Wrong use or bad input.
    pub(crate) const EXIT_CODE: u8 = 2;

    /// A failure with one complaint.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input(vec![Complaint {
            message: message.into(),
            help: None,
        }])
    }

    /// A failure with one complaint and advice.
    pub(crate) fn input_with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(vec![Complaint {
            message: message.into(),
            help: Some(help.into()),
        }])
    }

    /// The exit code. A reader that closes the pipe, as `head` does, has seen enough: that is no
    /// failure.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            _ if self.is_broken_pipe() => ExitCode::SUCCESS,
            Self::Interrupted(_) => Answer::Interrupted.into(),
            Self::Input(_) | Self::Sheet(_) | Self::Output(_) => Self::EXIT_CODE.into(),
        }
    }

    /// Tells people on standard error.
    pub(crate) fn report(&self, look: &Look) {
        if self.is_broken_pipe() {
            return;
        }
        let mut text = String::new();
        match self {
            Self::Input(complaints) => {
                for complaint in complaints {
                    text += &look.error("error:");
                    text += &format!(" {}\n", printable(&complaint.message));
                    if let Some(help) = &complaint.help {
                        text += &format!("  {} {}\n", look.strong("help:"), printable(help));
                    }
                }
            }
            Self::Sheet(report) => text += report,
            Self::Interrupted(when) => text += &format!("interrupted {when}\n"),
            Self::Output(error) => {
                text += &format!(
                    "{} cannot write the output: {error}\n",
                    look.error("error:")
                );
            }
        }
        // Standard error may be gone as well; the exit code still tells.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
