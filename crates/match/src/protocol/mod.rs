/*!
Messages between game managers and players (the GGP communication protocol, Love et al. 2008):
[`Message`], and the words of answers.

A message is one KIF list in the body of an HTTP POST. The parser is lenient: case and white space
do not matter, the description may lack its parentheses, and `nil`, an empty list or nothing stand
for no moves. Unreadable messages are a [`MessageError`], never a panic, and nothing here recurses.
*/

mod joint;
mod scan;

use std::fmt;
use std::time::Duration;

use thiserror::Error;

pub use joint::{JointMove, find_legal, read_move};
use scan::Part;

/// The answer to START.
pub const READY: &str = "ready";
/// The answer to STOP.
pub const DONE: &str = "done";
/// The answer to ABORT.
pub const ABORTED: &str = "aborted";
/// The answer of a player that has no room for a match.
pub const BUSY: &str = "busy";
/// The answer to PING of a player that has room for a match.
pub const AVAILABLE: &str = "available";
/// Prefix of answers that report an error.
pub const ERROR: &str = "error:";

/// Longest accepted clock in seconds: a week.
const LONGEST_CLOCK: f64 = 7.0 * 86_400.0;

/// A message of a game manager.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// INFO: asks for name and status.
    Info,
    /// PING: asks whether the player has room for a match.
    Ping,
    /// PREVIEW: announces rules that may be played later.
    Preview {
        /// The rules.
        sheet: String,
        /// The time to prepare.
        clock: Duration,
    },
    /// START: a match begins.
    Start(StartMessage),
    /// PLAY: the last joint move, and a request for the next move.
    Play {
        /// The match id.
        id: String,
        /// The last joint move; none before the first move.
        moves: Option<JointMove>,
    },
    /// STOP: the match is over.
    Stop {
        /// The match id.
        id: String,
        /// The last joint move.
        moves: Option<JointMove>,
    },
    /// ABORT: the match was cancelled.
    Abort {
        /// The match id.
        id: String,
    },
}

/// A START message.
#[derive(Clone, Debug, PartialEq)]
pub struct StartMessage {
    /// The match id.
    pub id: String,
    /// The role to play.
    pub role: String,
    /// The rules.
    pub sheet: String,
    /// The start clock.
    pub start_clock: Duration,
    /// The play clock.
    pub play_clock: Duration,
}

/// Why a text is not a message or an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// An empty text.
    #[error("there is nothing in it")]
    Empty,
    /// Unbalanced parentheses.
    #[error("the parentheses do not match")]
    Unbalanced,
    /// An unknown message type.
    #[error("`{0}` is not a message; there are START, PLAY, STOP, ABORT, INFO, PING and PREVIEW")]
    Unknown(String),
    /// A part is missing.
    #[error("{message} without {what}; it is written {form}")]
    Missing {
        /// The message type.
        message: &'static str,
        /// The part.
        what: &'static str,
        /// The right form.
        form: &'static str,
    },
    /// An invalid clock.
    #[error("`{0}` is not a clock; clocks are seconds, as in 30")]
    Clock(String),
    /// Not a ground term.
    #[error("it cannot be read: {0}")]
    Term(String),
    /// Not a move.
    #[error("that is not one move")]
    NoMove,
}

const START_FORM: &str = "(START id role (description) startclock playclock)";
const PLAY_FORM: &str = "(PLAY id nil) or (PLAY id (move ...))";
const STOP_FORM: &str = "(STOP id (move ...))";
const ABORT_FORM: &str = "(ABORT id)";
const PREVIEW_FORM: &str = "(PREVIEW (description) clock)";

impl Message {
    /// Reads a message from the body of a request. Invalid UTF-8 can only occur in comments of a
    /// valid sheet, so it is replaced.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MessageError> {
        let text = String::from_utf8_lossy(bytes);
        Self::from_text(text.trim_start_matches('\u{feff}'))
    }

    /// Reads a message.
    pub fn from_text(text: &str) -> Result<Self, MessageError> {
        let roots = scan::parts(text)?;
        // The parentheses around the message may be missing.
        let text = match roots.first() {
            None => return Err(MessageError::Empty),
            Some(first) if first.is_list => scan::inside(first.of(text)),
            Some(_) => text,
        };
        let parts = scan::parts(text)?;
        let (kind, rest) = parts.split_first().ok_or(MessageError::Empty)?;
        let read = Reader { text, parts: rest };
        let kind = kind.of(text);
        match kind.to_ascii_lowercase().as_str() {
            "info" => Ok(Self::Info),
            "ping" => Ok(Self::Ping),
            "start" => read.start(),
            "preview" => read.preview(),
            "play" => Ok(Self::Play {
                id: read.id("PLAY", PLAY_FORM)?,
                moves: read.moves()?,
            }),
            "stop" => Ok(Self::Stop {
                id: read.id("STOP", STOP_FORM)?,
                moves: read.moves()?,
            }),
            "abort" => Ok(Self::Abort {
                id: read.id("ABORT", ABORT_FORM)?,
            }),
            _ => Err(MessageError::Unknown(excerpt(kind))),
        }
    }

    /// The message type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Ping => "PING",
            Self::Preview { .. } => "PREVIEW",
            Self::Start(_) => "START",
            Self::Play { .. } => "PLAY",
            Self::Stop { .. } => "STOP",
            Self::Abort { .. } => "ABORT",
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Info => f.write_str("(INFO)"),
            Self::Ping => f.write_str("(PING)"),
            Self::Preview { sheet, clock } => {
                write!(f, "(PREVIEW ({sheet}\n) {})", clock.as_secs_f64())
            }
            Self::Start(StartMessage {
                id,
                role,
                sheet,
                start_clock,
                play_clock,
            }) => {
                // The line break ends a comment at the end of the sheet.
                let (start, play) = (start_clock.as_secs_f64(), play_clock.as_secs_f64());
                write!(f, "(START {id} {role} ({sheet}\n) {start} {play})")
            }
            Self::Play { id, moves } => write!(f, "(PLAY {id} {})", MovesOrNil(moves.as_ref())),
            Self::Stop { id, moves } => write!(f, "(STOP {id} {})", MovesOrNil(moves.as_ref())),
            Self::Abort { id } => write!(f, "(ABORT {id})"),
        }
    }
}

/// Writes moves, or `nil`.
struct MovesOrNil<'a>(Option<&'a JointMove>);

impl fmt::Display for MovesOrNil<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(moves) => write!(f, "{moves}"),
            None => f.write_str("nil"),
        }
    }
}

/// The parts of a message after its type.
struct Reader<'t> {
    text: &'t str,
    parts: &'t [Part],
}

impl Reader<'_> {
    fn word(
        &self,
        at: usize,
        message: &'static str,
        what: &'static str,
        form: &'static str,
    ) -> Result<String, MessageError> {
        let word = self.parts.get(at).filter(|part| !part.is_list);
        let word = word.ok_or(MessageError::Missing {
            message,
            what,
            form,
        })?;
        Ok(word.of(self.text).to_owned())
    }

    fn id(&self, message: &'static str, form: &'static str) -> Result<String, MessageError> {
        self.word(0, message, "the name of a match", form)
    }

    fn moves(&self) -> Result<Option<JointMove>, MessageError> {
        match self.parts.get(1) {
            None => Ok(None),
            Some(part) => JointMove::read(part.of(self.text)),
        }
    }

    /// The text from one part to another, both included.
    fn text_between(&self, first: usize, last: usize) -> &str {
        let start = self.parts.get(first).map(|part| part.span.start);
        let end = self.parts.get(last).map(|part| part.span.end);
        let span = start.zip(end).and_then(|(s, e)| self.text.get(s..e));
        span.unwrap_or_default()
    }

    fn start(&self) -> Result<Message, MessageError> {
        let (message, form) = ("START", START_FORM);
        let id = self.id(message, form)?;
        let role = self.word(1, message, "a role", form)?;
        let count = self.parts.len();
        if count < 5 {
            return Err(MessageError::Missing {
                message,
                what: "a description and two clocks",
                form,
            });
        }
        Ok(Message::Start(StartMessage {
            id,
            role,
            // The sheet parser accepts the description with and without parentheses around it.
            sheet: self.text_between(2, count - 3).to_owned(),
            start_clock: clock(self.parts[count - 2].of(self.text))?,
            play_clock: clock(self.parts[count - 1].of(self.text))?,
        }))
    }

    fn preview(&self) -> Result<Message, MessageError> {
        let count = self.parts.len();
        if count == 0 {
            return Err(MessageError::Missing {
                message: "PREVIEW",
                what: "a description",
                form: PREVIEW_FORM,
            });
        }
        let last = self.parts[count - 1].of(self.text);
        let (sheet, clock) = match clock(last) {
            Ok(clock) if count > 1 => (self.text_between(0, count - 2), clock),
            _ => (self.text_between(0, count - 1), Duration::ZERO),
        };
        let sheet = sheet.to_owned();
        Ok(Message::Preview { sheet, clock })
    }
}

fn clock(text: &str) -> Result<Duration, MessageError> {
    let seconds = text.parse::<f64>().ok();
    let seconds = seconds.filter(|seconds| (0.0..=LONGEST_CLOCK).contains(seconds));
    let seconds = seconds.ok_or_else(|| MessageError::Clock(excerpt(text)))?;
    Ok(Duration::from_secs_f64(seconds))
}

/// Whether a text is one KIF word, as a match id must be.
pub fn is_word(text: &str) -> bool {
    let parts = scan::parts(text).unwrap_or_default();
    matches!(&parts[..], [part] if !part.is_list && part.of(text) == text)
}

/// The top-level words and lists of a text.
pub(crate) fn parts(text: &str) -> Result<Vec<&str>, MessageError> {
    let parts = scan::parts(text)?;
    Ok(parts.iter().map(|part| part.of(text)).collect())
}

/// The terms of a list as engines print them; the parentheses around the list may be missing.
pub(crate) fn terms_in(list: &str) -> Result<Vec<String>, MessageError> {
    parts(scan::inside(list.trim()))?
        .into_iter()
        .map(read_move)
        .collect()
}

/// Whether an answer says that the player refuses the request.
pub fn is_refusal(answer: &str) -> bool {
    begins_with(answer, BUSY) || begins_with(answer, ERROR)
}

/// Whether an answer to INFO or PING says that the player has no room for a match: `busy`, or
/// `(status busy)` within a list.
pub fn reports_busy(answer: &str) -> bool {
    let words = answer.split(|c: char| c == '(' || c == ')' || c.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is = |word: &str, other: &str| word.eq_ignore_ascii_case(other);
    let mut pairs = words.windows(2);
    begins_with(answer, BUSY) || pairs.any(|pair| is(pair[0], "status") && is(pair[1], BUSY))
}

/// Whether an answer begins with a word, ignoring case and parentheses.
pub fn begins_with(answer: &str, word: &str) -> bool {
    let answer = answer.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
    let beginning = answer.get(..word.len());
    let rest = answer.get(word.len()..).unwrap_or_default();
    let is_whole = !rest.starts_with(|c: char| c.is_alphanumeric());
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(word)) && is_whole
}

/// The beginning of received text for messages: one line without control characters.
pub fn excerpt(text: &str) -> String {
    const LENGTH: usize = 80;
    let mut short: String = text
        .chars()
        .take(LENGTH)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LENGTH).is_some() {
        short += "...";
    }
    short
}

#[cfg(test)]
mod tests;
