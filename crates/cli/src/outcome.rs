//! How a command ends: an outcome with an exit code, or a failure with a message.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::terminal::{OutputStyle, printable};

/// The outcome of a command that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandOutcome {
    /// Success. Exit code 0.
    Success,
    /// A negative answer: the sheet has errors, the file is not formatted, no game matches. Exit
    /// code 1.
    Negative,
    /// Interrupted before the end; what was known has been printed. Exit code 130.
    Interrupted,
}

impl From<CommandOutcome> for ExitCode {
    fn from(answer: CommandOutcome) -> Self {
        match answer {
            CommandOutcome::Success => Self::SUCCESS,
            CommandOutcome::Negative => Self::from(1),
            CommandOutcome::Interrupted => Self::from(130),
        }
    }
}

/// A reason why a command could not do its work, with advice.
#[derive(Clone, Debug)]
pub(crate) struct ErrorMessage {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong arguments or bad input.
    Input(Vec<ErrorMessage>),
    /// The rule sheet has errors, rendered for standard error.
    Sheet(String),
    /// Interrupted before anything was known; the text says when.
    Interrupted(&'static str),
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    /// The exit code for wrong use or bad input.
    pub(crate) const EXIT_CODE: u8 = 2;

    /// A failure with one message.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input(vec![ErrorMessage {
            message: message.into(),
            help: None,
        }])
    }

    /// A failure with one message and advice.
    pub(crate) fn input_with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(vec![ErrorMessage {
            message: message.into(),
            help: Some(help.into()),
        }])
    }

    /// The exit code. A closed pipe, as `head` leaves it, is not a failure.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            _ if self.is_broken_pipe() => ExitCode::SUCCESS,
            Self::Interrupted(_) => CommandOutcome::Interrupted.into(),
            Self::Input(_) | Self::Sheet(_) | Self::Output(_) => Self::EXIT_CODE.into(),
        }
    }

    /// Prints the failure on standard error.
    pub(crate) fn report(&self, style: &OutputStyle) {
        if self.is_broken_pipe() {
            return;
        }
        let mut text = String::new();
        match self {
            Self::Input(messages) => {
                for message in messages {
                    text += &style.error("error:");
                    text += &format!(" {}\n", printable(&message.message));
                    if let Some(help) = &message.help {
                        text += &format!("  {} {}\n", style.bold("help:"), printable(help));
                    }
                }
            }
            Self::Sheet(report) => text += report,
            Self::Interrupted(when) => text += &format!("interrupted {when}\n"),
            Self::Output(error) => {
                text += &format!(
                    "{} cannot write the output: {error}\n",
                    style.error("error:")
                );
            }
        }
        // Standard error may be closed as well; the exit code still reports the failure.
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
