/*!
Match records in the JSON format of ggp.org.

States and moves are KIF texts. Errors are a list for each step with a text for each role, empty
where there was none. The keys are those of ggp.org except `gameMetaURL`, since rule sheets here
have no address, and those about signatures and people. What the format has no place for (player
specs of a tournament, seed, response times) is stored under `ludorum`; files without it can be read
too.
*/

use ludorum_players::derive_seed;
use serde::{Deserialize, Serialize};

use super::ExportError;
use crate::protocol::terms_in;
use crate::record::{MatchRecord, MatchStep, Outcome, PlayerError, PlayerErrorKind};

/// A match in the format of ggp.org.
#[allow(clippy::struct_field_names)] // the names are those of the form
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Match {
    match_id: String,
    /// Distinguishes matches of one name there; here it is derived from the seed.
    #[serde(default)]
    random_token: String,
    #[serde(default)]
    game_name: String,
    #[serde(default)]
    player_names: Vec<String>,
    /// The older key of the same.
    #[serde(default)]
    player_names_from_host: Vec<String>,
    #[serde(default)]
    role_names: Vec<String>,
    /// -1 without a preview.
    #[serde(default = "no_preview")]
    preview_clock: f64,
    start_clock: f64,
    play_clock: f64,
    #[serde(default)]
    start_time: u64,
    is_completed: bool,
    #[serde(default)]
    is_aborted: bool,
    #[serde(default)]
    state_times: Vec<u64>,
    states: Vec<String>,
    moves: Vec<Vec<String>>,
    #[serde(default)]
    errors: Vec<Vec<String>>,
    #[serde(default)]
    goal_values: Vec<Option<u8>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ludorum: Option<More>,
}

/// What the format has no place for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct More {
    #[serde(with = "crate::seed::text")]
    seed: u64,
    /// The player specs, if `playerNames` holds names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    players: Vec<String>,
    took_ms: Vec<Vec<u64>>,
    #[serde(rename = "startMishaps")]
    start_errors: Vec<PlayerError>,
    #[serde(rename = "mishaps")]
    player_errors: Vec<Vec<PlayerError>>,
    outcome: Option<Outcome>,
}

/// A record as pretty-printed JSON.
pub fn to_json(record: &MatchRecord) -> String {
    // Serialisation cannot fail: all keys are strings.
    serde_json::to_string_pretty(&to_value(record)).unwrap_or_default()
}

/// A record as a serialisable value.
pub fn to_value(record: &MatchRecord) -> impl Serialize + use<> {
    let roles = record.roles.len();
    let outcome = record.outcome.as_ref();
    let states = std::iter::once(&record.initial).chain(record.steps.iter().map(|s| &s.state));
    let times = record.steps.iter().map(|step| step.at_ms);
    let errors = std::iter::once(&record.start_errors);
    let errors = errors.chain(record.steps.iter().map(|step| &step.player_errors));
    #[allow(clippy::cast_precision_loss)] // clocks are short
    let seconds = |ms: u64| ms as f64 / 1000.0;
    Match {
        match_id: record.id.clone(),
        random_token: format!(
            "{:016x}{:016x}",
            derive_seed(record.seed, 3),
            derive_seed(record.seed, 4)
        ),
        game_name: record.game.clone(),
        player_names: record.display_names().to_vec(),
        player_names_from_host: record.display_names().to_vec(),
        role_names: record.roles.clone(),
        preview_clock: no_preview(),
        start_clock: seconds(record.start_clock_ms),
        play_clock: seconds(record.play_clock_ms),
        start_time: record.began_at_ms,
        is_completed: outcome.is_some_and(|outcome| outcome.completed),
        is_aborted: outcome.is_some_and(|outcome| !outcome.completed),
        state_times: std::iter::once(record.began_at_ms).chain(times).collect(),
        states: states
            .map(|facts| format!("({})", facts.join(" ")))
            .collect(),
        moves: record.steps.iter().map(|s| s.moves.clone()).collect(),
        errors: errors
            .map(|player_errors| in_words(player_errors, roles))
            .collect(),
        goal_values: outcome.map_or_else(Vec::new, |outcome| outcome.goals.clone()),
        ludorum: Some(More {
            seed: record.seed,
            players: match record.names.len() {
                0 => Vec::new(),
                _ => record.players.clone(),
            },
            took_ms: record.steps.iter().map(|s| s.took_ms.clone()).collect(),
            start_errors: record.start_errors.clone(),
            player_errors: record
                .steps
                .iter()
                .map(|s| s.player_errors.clone())
                .collect(),
            outcome: record.outcome.clone(),
        }),
    }
}

fn no_preview() -> f64 {
    -1.0
}

/// The errors of one step, a text for each role.
fn in_words(player_errors: &[PlayerError], roles: usize) -> Vec<String> {
    let mut texts = vec![String::new(); roles];
    for player_error in player_errors {
        if let Some(text) = texts.get_mut(player_error.role) {
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(&format!(
                "{} {}",
                player_error.kind.code(),
                player_error.detail
            ));
        }
    }
    texts
}

/// Reads a match record of this or another program.
pub fn from_json(text: &str) -> Result<MatchRecord, ExportError> {
    let read: Match = serde_json::from_str(text).map_err(ExportError::new)?;
    let count = read.moves.len();
    if read.states.is_empty() || read.states.len() > count + 1 {
        let problem = format!("{} states do not fit {count} moves", read.states.len());
        return Err(ExportError::new(problem));
    }
    let mut states = Vec::with_capacity(count + 1);
    for state in &read.states {
        let mut facts = terms_in(state).map_err(ExportError::new)?;
        facts.sort_unstable();
        states.push(facts);
    }
    // An aborted match may lack its last state.
    states.resize(count + 1, Vec::new());
    let roles = [read.role_names.len(), read.player_names.len()];
    let roles = roles
        .into_iter()
        .chain(read.moves.iter().map(Vec::len))
        .max();
    let roles = roles.unwrap_or(0);
    if read.moves.iter().any(|moves| moves.len() != roles) {
        return Err(ExportError::new("not every step has a move for each role"));
    }
    let mut player_errors: Vec<Vec<PlayerError>> = read.errors.iter().map(|e| guessed(e)).collect();
    // Some files include errors of the start, some do not.
    if player_errors.len() <= count {
        player_errors.insert(0, Vec::new());
    }
    player_errors.resize(count + 1, Vec::new());
    let mut start_errors = player_errors.remove(0);
    let mut outcome = (read.is_completed || read.is_aborted).then(|| Outcome {
        completed: read.is_completed,
        goals: read.goal_values.clone(),
        forfeited: Vec::new(),
        reason: read.is_aborted.then(|| "aborted".to_owned()),
    });
    let (mut seed, mut took) = (0, Vec::new());
    let mut players = Vec::new();
    if let Some(more) = read.ludorum {
        seed = more.seed;
        players = more.players;
        took = more.took_ms;
        start_errors = more.start_errors;
        player_errors = more.player_errors;
        outcome = more.outcome;
    }
    took.resize(count, Vec::new());
    player_errors.resize(count, Vec::new());
    let mut states = states.into_iter();
    let initial = states.next().unwrap_or_default();
    let joint_moves = read
        .moves
        .into_iter()
        .zip(states)
        .zip(took)
        .zip(player_errors);
    let steps =
        joint_moves
            .enumerate()
            .map(|(i, (((moves, state), mut took_ms), player_errors))| {
                took_ms.resize(roles, 0);
                let moves = moves.iter().map(|text| one_move(text)).collect();
                MatchStep {
                    number: i as u32,
                    moves,
                    state,
                    player_errors,
                    took_ms,
                    at_ms: read.state_times.get(i + 1).copied().unwrap_or(0),
                }
            });
    let unnamed = |names: Vec<String>, noun: &str| {
        let missing = (names.len()..roles).map(|i| format!("{noun}{}", i + 1));
        let missing: Vec<String> = missing.collect();
        [names, missing].concat()
    };
    let names = if read.player_names.is_empty() {
        read.player_names_from_host
    } else {
        read.player_names
    };
    let mut names = unnamed(names, "player");
    if players.len() != roles {
        // Without specs the names are all that identifies the players.
        players = std::mem::take(&mut names);
    }
    Ok(MatchRecord {
        id: read.match_id,
        game: read.game_name,
        steps: steps.collect(),
        roles: unnamed(read.role_names, "role"),
        players,
        names,
        start_clock_ms: milliseconds(read.start_clock),
        play_clock_ms: milliseconds(read.play_clock),
        seed,
        began_at_ms: read.start_time,
        initial,
        start_errors,
        outcome,
    })
}

/// A move as engines print it; unchanged if it cannot be parsed.
fn one_move(text: &str) -> String {
    crate::protocol::read_move(text).unwrap_or_else(|_| text.to_owned())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round().clamp(0.0, 1e15) as u64
}

/// Player errors from their texts; the first word is the code of the kind.
fn guessed(texts: &[String]) -> Vec<PlayerError> {
    let texts = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| !text.is_empty());
    let player_error = |(role, text): (usize, &String)| {
        let (code, detail) = text.split_once(' ').unwrap_or((text, ""));
        PlayerError {
            role,
            kind: PlayerErrorKind::from_code(code).unwrap_or(PlayerErrorKind::Garbage),
            detail: detail.to_owned(),
        }
    };
    texts.map(player_error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::record;

    #[test]
    fn written_records_are_read_back() {
        let mut record = record();
        assert_eq!(from_json(&to_json(&record)).unwrap(), record);
        record.names.clear();
        assert_eq!(from_json(&to_json(&record)).unwrap(), record);
        record.outcome = None;
        record.steps.clear();
        assert_eq!(from_json(&to_json(&record)).unwrap(), record);
        for facts in [&["open"][..], &["closed", "open"], &[]] {
            record.initial = facts.iter().map(|fact| (*fact).to_owned()).collect();
            assert_eq!(from_json(&to_json(&record)).unwrap(), record);
        }
    }

    #[test]
    fn the_keys_are_those_of_ggp_org() {
        let json: serde_json::Value = serde_json::from_str(&to_json(&record())).unwrap();
        for key in [
            "matchId",
            "startClock",
            "playClock",
            "moves",
            "states",
            "errors",
            "goalValues",
            "isCompleted",
            "isAborted",
            "gameName",
            "playerNames",
            "startTime",
            "stateTimes",
            "randomToken",
            "previewClock",
            "playerNamesFromHost",
        ] {
            assert!(!json[key].is_null(), "{key}");
        }
        assert_eq!(json["playerNames"][0], "tree", "as a tournament calls it");
        assert_eq!(json["ludorum"]["players"][0], "mcts:c=0.5");
        assert!(json["ludorum"]["seed"].is_string(), "no digit is lost");
        assert_eq!(json["states"][0], "((cell 1 blank) (control x))");
        assert_eq!(json["moves"][0][0], "(mark 1)");
        assert_eq!(json["errors"][1][1], "TO no answer in 1 s");
    }

    #[test]
    fn files_of_other_programs_are_read() {
        let text = r#"{"matchId": "kiosk.1", "randomToken": "x", "isCompleted": true, "startClock": 60, "playClock": 15,
            "states": ["( ( control x ) ( cell 1 b ) )", "( ( cell 1 x ) )"], "moves": [["( mark 1 )", "NOOP"]],
            "errors": [["", "TO"]], "goalValues": [100, 0]}"#;
        let record = from_json(text).unwrap();
        assert_eq!(record.initial, ["(cell 1 b)", "(control x)"]);
        assert_eq!(record.steps[0].moves, ["(mark 1)", "NOOP"]);
        assert_eq!(
            record.steps[0].player_errors[0].kind,
            PlayerErrorKind::TimeOut
        );
        assert_eq!(record.roles, ["role1", "role2"]);
        assert_eq!(record.outcome.unwrap().goals, [Some(100), Some(0)]);
    }

    #[test]
    fn inconsistent_files_are_rejected() {
        for text in [
            "",
            "[]",
            r#"{"matchId": "x", "startClock": 1, "playClock": 1, "isCompleted": true, "states": [], "moves": []}"#,
            r#"{"matchId": "x", "startClock": 1, "playClock": 1, "isCompleted": true, "states": ["("], "moves": []}"#,
            r#"{"matchId": "x", "startClock": 1, "playClock": 1, "isCompleted": true, "states": ["(a)", "(b)"], "moves": [["a"], ["b", "c"]]}"#,
        ] {
            assert!(from_json(text).is_err(), "{text}");
        }
    }
}
