/*!
A match record as KIF that can be replayed.

```text
(match m1)
(game tic-tac-toe)
(player xplayer mcts)
(player oplayer http://localhost:9147)
(name xplayer tree)
(name oplayer guest)
(startclock 30)
(playclock 10)
(seed 1)
(step 1 ((mark 2 2) noop))
(error 1 oplayer time-out no%20answer%20in%2010%20s)
(goal xplayer 100)
(end completed)
```

Names occur in matches of tournaments. States are left out: [`Trace::replay`] computes them from the
rules and checks every move. Characters that a KIF word cannot contain are percent-encoded.
*/

use std::fmt::Write as _;
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_logic::Rules;

use super::ExportError;
use crate::protocol::{parts, terms_in};
use crate::record::{MatchRecord, MatchStep, Outcome, PlayerError, PlayerErrorKind};

/// A record as a trace.
pub fn to_kif(record: &MatchRecord) -> String {
    let mut out = format!(
        "(match {})\n(game {})\n",
        word(&record.id),
        word(&record.game)
    );
    let line = |out: &mut String, line: std::fmt::Arguments<'_>| {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "{line}");
    };
    for (role, player) in record.roles.iter().zip(&record.players) {
        line(&mut out, format_args!("(player {role} {})", word(player)));
    }
    for (role, name) in record.roles.iter().zip(&record.names) {
        line(&mut out, format_args!("(name {role} {})", word(name)));
    }
    line(
        &mut out,
        format_args!("(startclock {})", seconds(record.start_clock_ms)),
    );
    line(
        &mut out,
        format_args!("(playclock {})", seconds(record.play_clock_ms)),
    );
    line(&mut out, format_args!("(seed {})", record.seed));
    line(&mut out, format_args!("(began {})", record.began_at_ms));
    errors(&mut out, 0, &record.start_errors, &record.roles);
    for step in &record.steps {
        let number = u64::from(step.number) + 1;
        line(
            &mut out,
            format_args!("(step {number} ({}))", step.moves.join(" ")),
        );
        let took: Vec<String> = step.took_ms.iter().map(u64::to_string).collect();
        line(
            &mut out,
            format_args!("(took {number} ({}) {})", took.join(" "), step.at_ms),
        );
        errors(&mut out, number, &step.player_errors, &record.roles);
    }
    if let Some(outcome) = &record.outcome {
        for (role, goal) in record.roles.iter().zip(&outcome.goals) {
            match goal {
                Some(goal) => line(&mut out, format_args!("(goal {role} {goal})")),
                None => line(&mut out, format_args!("(goal {role} none)")),
            }
        }
        for role in &outcome.forfeited {
            if let Some(role) = record.roles.get(*role) {
                line(&mut out, format_args!("(forfeited {role})"));
            }
        }
        match &outcome.reason {
            None => line(&mut out, format_args!("(end {})", end(outcome.completed))),
            Some(reason) => {
                let (end, reason) = (end(outcome.completed), word(reason));
                line(&mut out, format_args!("(end {end} {reason})"));
            }
        }
    }
    out
}

fn end(completed: bool) -> &'static str {
    if completed { "completed" } else { "unfinished" }
}

fn errors(out: &mut String, step: u64, player_errors: &[PlayerError], roles: &[String]) {
    for PlayerError { role, kind, detail } in player_errors {
        let role = roles.get(*role).map_or("?", String::as_str);
        *out += &format!("(error {step} {role} {} {})\n", kind.name(), word(detail));
    }
}

fn seconds(ms: u64) -> String {
    #[allow(clippy::cast_precision_loss)] // clocks are short
    let seconds = ms as f64 / 1000.0;
    seconds.to_string()
}

/// A text as one KIF word, with other characters percent-encoded.
fn word(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.:,=/+*@!#&<>[]{}~^$".contains(&byte);
        if is_plain {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02x}");
        }
    }
    if out.is_empty() {
        out.push('%');
    }
    out
}

/// The text that a word encodes.
fn unword(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &after[2..];
            }
            // A `%` without digits is dropped.
            (b'%', None) => rest = after,
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A match that can be replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The record without its states.
    record: MatchRecord,
}

impl Trace {
    /// Reads a trace.
    pub fn from_kif(text: &str) -> Result<Self, ExportError> {
        let mut reader = Reader::default();
        for part in parts(text).map_err(ExportError::new)? {
            reader.line(part)?;
        }
        let record = reader.record;
        if record.roles.is_empty() {
            return Err(ExportError::new("it names no players"));
        }
        let is_in_order = |(i, step): (usize, &MatchStep)| step.number as usize == i;
        if !record.steps.iter().enumerate().all(is_in_order) {
            return Err(ExportError::new("its steps are not numbered from 1 on"));
        }
        let roles = record.roles.len();
        if ![0, roles].contains(&record.names.len()) {
            return Err(ExportError::new("not every role has a name"));
        }
        if record.steps.iter().any(|step| step.moves.len() != roles) {
            return Err(ExportError::new("not every step has a move for each role"));
        }
        Ok(Self { record })
    }

    /// The name of the game.
    pub fn game(&self) -> &str {
        &self.record.game
    }

    /// Replays the match by the rules of its game and adds the states to the record.
    pub fn replay(&self, rules: &Arc<Rules>) -> Result<MatchRecord, ExportError> {
        let mut record = self.record.clone();
        let mut walker = Engine::AUTO.walker(rules).map_err(ExportError::new)?;
        if walker.roles() != record.roles {
            return Err(ExportError::new("the game has other roles"));
        }
        record.initial = walker.facts();
        for step in &mut record.steps {
            walker.step(&step.moves).map_err(ExportError::new)?;
            step.state = walker.facts();
        }
        Ok(record)
    }
}

struct Reader {
    record: MatchRecord,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            record: MatchRecord {
                id: String::new(),
                game: String::new(),
                roles: Vec::new(),
                players: Vec::new(),
                names: Vec::new(),
                start_clock_ms: 0,
                play_clock_ms: 0,
                seed: 0,
                began_at_ms: 0,
                initial: Vec::new(),
                start_errors: Vec::new(),
                steps: Vec::new(),
                outcome: None,
            },
        }
    }
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), ExportError> {
        let bad = || ExportError::new(format!("`{}`", crate::protocol::excerpt(line)));
        let inner = line
            .strip_prefix('(')
            .and_then(|line| line.strip_suffix(')'));
        let parts = parts(inner.ok_or_else(bad)?).map_err(ExportError::new)?;
        let record = &mut self.record;
        match parts[..] {
            ["match", id] => record.id = unword(id),
            ["game", game] => record.game = unword(game),
            ["player", role, player] => {
                record.roles.push(role.to_owned());
                record.players.push(unword(player));
            }
            ["name", _, name] => record.names.push(unword(name)),
            ["startclock", clock] => record.start_clock_ms = ms(clock).ok_or_else(bad)?,
            ["playclock", clock] => record.play_clock_ms = ms(clock).ok_or_else(bad)?,
            ["seed", seed] => record.seed = seed.parse().map_err(|_| bad())?,
            ["began", at] => record.began_at_ms = at.parse().map_err(|_| bad())?,
            ["step", number, moves] => {
                let number: u32 = number.parse().map_err(|_| bad())?;
                let moves = terms_in(moves).map_err(ExportError::new)?;
                record.steps.push(MatchStep {
                    number: number.checked_sub(1).ok_or_else(bad)?,
                    took_ms: vec![0; moves.len()],
                    moves,
                    state: Vec::new(),
                    player_errors: Vec::new(),
                    at_ms: 0,
                });
            }
            ["took", _, took, at] => {
                let step = record.steps.last_mut().ok_or_else(bad)?;
                let took = took.trim_matches(['(', ')']).split_whitespace();
                let took: Result<Vec<u64>, _> = took.map(str::parse).collect();
                step.took_ms = took.map_err(|_| bad())?;
                step.at_ms = at.parse().map_err(|_| bad())?;
            }
            ["error", step, role, kind, detail] => {
                let known = record.roles.iter().position(|name| name == role);
                let player_error = PlayerError {
                    role: known.ok_or_else(bad)?,
                    kind: PlayerErrorKind::from_name(kind).ok_or_else(bad)?,
                    detail: unword(detail),
                };
                let player_errors = if step == "0" {
                    &mut record.start_errors
                } else {
                    &mut record.steps.last_mut().ok_or_else(bad)?.player_errors
                };
                player_errors.push(player_error);
            }
            ["goal", _, goal] => {
                let goal = match goal {
                    "none" => None,
                    goal => Some(goal.parse().map_err(|_| bad())?),
                };
                self.outcome().goals.push(goal);
            }
            ["forfeited", role] => {
                let known = record.roles.iter().position(|name| name == role);
                let role = known.ok_or_else(bad)?;
                self.outcome().forfeited.push(role);
            }
            ["end", end] => self.outcome().completed = end == "completed",
            ["end", end, reason] => {
                let outcome = self.outcome();
                outcome.completed = end == "completed";
                outcome.reason = Some(unword(reason));
            }
            _ => return Err(bad()),
        }
        Ok(())
    }

    fn outcome(&mut self) -> &mut Outcome {
        self.record.outcome.get_or_insert(Outcome {
            completed: false,
            goals: Vec::new(),
            forfeited: Vec::new(),
            reason: None,
        })
    }
}

/// Milliseconds from seconds.
fn ms(text: &str) -> Option<u64> {
    let seconds: f64 = text.parse().ok()?;
    let seconds = Some(seconds).filter(|seconds| (0.0..1e12).contains(seconds))?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked above
    Some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::export::testing::record;

    #[test]
    fn written_traces_are_read_back_without_states() {
        let mut record = record();
        let trace = Trace::from_kif(&to_kif(&record)).unwrap();
        record.initial.clear();
        record.steps[0].state.clear();
        assert_eq!(trace.record, record);
        assert_eq!(trace.game(), "tiny (game)");
    }

    #[test]
    fn a_trace_is_replayed_by_the_rules() {
        let rules = "(role x) (init (at 1)) (legal x (go 2)) (<= (next (at ?n)) (does x (go ?n))) (<= terminal (true (at 2)))";
        let rules = Arc::new(Rules::from_text(rules).unwrap());
        let trace = |text: &str| Trace::from_kif(&format!("(player x random) {text}"));
        let record = trace("(step 1 ((go 2)))").unwrap().replay(&rules).unwrap();
        assert_eq!(record.initial, ["(at 1)"]);
        assert_eq!(record.steps[0].state, ["(at 2)"]);
        let illegal = trace("(step 1 ((go 3)))").unwrap();
        assert!(illegal.replay(&rules).is_err());
        for text in [
            "(step 2 ((go 2)))",
            "(step 1 (a b))",
            "(step 0 (a))",
            "(hello)",
            "x",
            "(",
        ] {
            assert!(trace(text).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

        #[test]
        fn every_text_can_be_encoded_as_a_word(text in any::<String>()) {
            let written = word(&text);
            prop_assert!(crate::protocol::is_word(&written), "{}", written);
            prop_assert_eq!(unword(&written), text);
        }

        #[test]
        fn arbitrary_texts_never_panic(text in "[()a-z0-9 %\n]{0,60}", any in any::<String>()) {
            let _ = Trace::from_kif(&text);
            let _ = Trace::from_kif(&format!("(player x y)(step 1 {text})(error 1 x {text})(took 1 {text})"));
            let _ = Trace::from_kif(&any);
            let _ = unword(&any);
        }
    }
}
