//! Tests of plans, schedules and standings.

use std::collections::{BTreeMap, BTreeSet};

use ludorum_reasoner::Rng;
use proptest::prelude::*;

use super::*;

/// The game `gN` has N roles.
fn sheet(word: &str) -> Result<RuleSheet, String> {
    let roles: usize = word
        .strip_prefix('g')
        .and_then(|n| n.parse().ok())
        .ok_or_else(|| format!("no game is called `{word}`"))?;
    Ok(RuleSheet {
        name: word.to_owned(),
        text: format!("; {roles} roles"),
        roles: (0..roles).map(|role| format!("r{role}")).collect(),
    })
}

fn read(text: &str) -> Result<TournamentPlan, FileError> {
    TournamentPlan::new(text, sheet)
}

/// A plan with the given number of players.
fn plan(kind: &str, players: usize, games: &[&str], more: &str) -> TournamentPlan {
    let mut text = format!("name = \"cup\"\nkind = \"{kind}\"\n{more}\n");
    for game in games {
        text += &format!("[[games]]\ngame = \"{game}\"\n");
    }
    for player in 0..players {
        text += &format!("[[players]]\nname = \"p{player}\"\nplayer = \"random\"\n");
    }
    read(&text).unwrap()
}

fn result(goals: Vec<u8>) -> MatchResult {
    MatchResult {
        completed: true,
        errors: vec![0; goals.len()],
        goals: goals.into_iter().map(Some).collect(),
        forfeited: Vec::new(),
    }
}

/// Random goal values that depend only on the match.
fn lot(fixture: &ScheduledMatch) -> MatchResult {
    let mut rng = Rng::new(fixture.seed());
    let goals = fixture.role_players.iter();
    result(goals.map(|_| 25 * rng.below(5) as u8).collect())
}

/// The player with the lower number always wins.
fn better_wins(fixture: &ScheduledMatch) -> MatchResult {
    let best = fixture.role_players.iter().min();
    let goal = |player: &usize| if Some(player) == best { 100 } else { 0 };
    let goals = match fixture.role_players.as_slice() {
        [alone] => vec![100 - *alone as u8],
        players => players.iter().map(goal).collect(),
    };
    result(goals)
}

/// Plays everything, one match at a time; with `rng` in a random order.
fn play(
    plan: &TournamentPlan,
    referee: impl Fn(&ScheduledMatch) -> MatchResult,
    mut rng: Option<Rng>,
) -> (TournamentSchedule, Results) {
    let mut results = Results::new();
    loop {
        let schedule = TournamentSchedule::new(plan, &results);
        let fixtures = schedule.fixtures(plan);
        let due = fixtures.iter().filter(|f| !results.contains_key(&f.id));
        let due: Vec<&ScheduledMatch> = due.collect();
        if due.is_empty() {
            assert!(schedule.finished, "nothing is due before the end");
            return (schedule, results);
        }
        assert!(!schedule.finished, "nothing is due after the end");
        let Some(rng) = &mut rng else {
            results.extend(due.into_iter().map(|f| (f.id.clone(), referee(f))));
            continue;
        };
        let next = due[rng.below(due.len())];
        results.insert(next.id.clone(), referee(next));
    }
}

const KINDS: [&str; 4] = ["round-robin", "swiss", "knock-out", "ladder"];

#[test]
fn every_player_has_every_mixed_assignment_equally_often() {
    for kind in KINDS {
        let plan = plan(kind, 5, &["g2", "g3", "g4"], "repeats = 3");
        let (schedule, results) = play(&plan, better_wins, None);
        // The number of matches per assignment for each round, pair and game.
        let mut seen = BTreeMap::new();
        for fixture in schedule.fixtures(&plan) {
            assert!(results.contains_key(&fixture.id));
            let (a, b) = fixture.pair;
            assert!(fixture.role_players.contains(&a) && fixture.role_players.contains(&b));
            let place = (fixture.round, a, b, fixture.game);
            let assignments: &mut BTreeMap<Vec<usize>, usize> = seen.entry(place).or_default();
            *assignments.entry(fixture.role_players).or_default() += 1;
        }
        for ((.., game), assignments) in seen {
            assert_eq!(assignments.len(), (1 << plan.games[game].roles.len()) - 2);
            assert!(assignments.values().all(|count| *count == 3), "{kind}");
        }
    }
}

#[test]
fn match_ids_and_seeds_are_unique() {
    for kind in KINDS {
        let plan = plan(kind, 6, &["g1", "g2", "g2"], "repeats = 2");
        let fixtures = play(&plan, lot, None).0.fixtures(&plan);
        let ids: BTreeSet<&str> = fixtures.iter().map(|f| f.id.as_str()).collect();
        let seeds: BTreeSet<u64> = fixtures.iter().map(ScheduledMatch::seed).collect();
        assert_eq!(ids.len(), fixtures.len());
        assert_eq!(seeds.len(), fixtures.len());
    }
}

#[test]
fn the_number_of_matches_is_predicted() {
    for kind in KINDS {
        for players in 2..9 {
            let plan = plan(kind, players, &["g1", "g2", "g3"], "repeats = 2");
            let (_, results) = play(&plan, better_wins, None);
            assert_eq!(plan.matches(), results.len() as u64, "{kind}, {players}");
            let table = Standings::new(&plan, &results);
            assert_eq!(table.matches_planned, results.len());
        }
    }
}

#[test]
fn in_a_round_robin_all_players_meet() {
    let plan = plan("round-robin", 5, &["g2"], "rounds = 2");
    let schedule = TournamentSchedule::new(&plan, &Results::new());
    assert_eq!(schedule.rounds.len(), 2);
    for round in &schedule.rounds {
        let pairs: BTreeSet<_> = round.encounters.iter().map(|e| (e.a, e.b)).collect();
        assert_eq!(pairs.len(), 10);
    }
    let (_, results) = play(&plan, better_wins, None);
    let table = Standings::new(&plan, &results);
    let order: Vec<&str> = table.rows.iter().map(|r| r.player.as_str()).collect();
    assert_eq!(order, ["p0", "p1", "p2", "p3", "p4"]);
    assert_eq!((table.rows[0].wins, table.rows[0].losses), (16, 0));
    assert!(table.finished && table.rounds_over == 2);
}

#[test]
fn puzzles_are_played_alone_and_once_for_all_comparisons() {
    let plan = plan("round-robin", 4, &["g1"], "");
    let (schedule, results) = play(&plan, better_wins, None);
    assert_eq!(schedule.fixtures(&plan).len(), 4);
    let table = Standings::new(&plan, &results);
    assert_eq!(table.rows[0].matches, 1);
    assert_eq!((table.rows[0].wins, table.rows[3].losses), (3, 3));
    assert!((table.rows[1].goal.unwrap() - 99.0).abs() < 1e-9);
}

#[test]
fn a_knock_out_is_won_by_the_best_and_the_favourites_meet_last() {
    for players in 2..=17 {
        let plan = plan("knock-out", players, &["g2"], "");
        let (schedule, results) = play(&plan, better_wins, None);
        let encounters = schedule.rounds.iter().flat_map(|round| &round.encounters);
        assert_eq!(encounters.count(), players - 1);
        let last = &schedule.rounds.last().unwrap().encounters;
        assert_eq!(last.len(), 1);
        assert_eq!((last[0].a, last[0].b), (0, 1));
        let table = Standings::new(&plan, &results);
        assert_eq!(table.rows[0].player, "p0");
        assert_eq!(table.rows[1].player, "p1");
        assert_eq!(table.rows[1].rank, 2);
    }
}

#[test]
fn a_tied_pairing_is_replayed_and_then_decided_by_the_order_of_the_file() {
    let plan = plan("knock-out", 2, &["g2"], "replays = 3");
    let draw = |_: &ScheduledMatch| result(vec![50, 50]);
    let (schedule, results) = play(&plan, draw, None);
    assert_eq!(schedule.rounds[0].encounters[0].attempts, 4);
    assert_eq!(results.len(), 8);
    let table = Standings::new(&plan, &results);
    assert_eq!(
        (table.rows[0].player.as_str(), table.rows[0].rank),
        ("p0", 1)
    );
    assert_eq!(table.matches_planned, 8);
    // Only the last attempt counts.
    let late = |f: &ScheduledMatch| {
        let goal = |player: &usize| {
            if f.number < 4 {
                50
            } else {
                100 * *player as u8
            }
        };
        result(f.role_players.iter().map(goal).collect())
    };
    let (schedule, results) = play(&plan, late, None);
    assert_eq!(schedule.rounds[0].encounters[0].attempts, 3);
    assert_eq!(Standings::new(&plan, &results).rows[0].player, "p1");
}

#[test]
fn a_ladder_is_sorted_in_as_many_rounds_as_it_has_players() {
    let plan = plan("ladder", 7, &["g2"], "");
    // The last player of the file always wins.
    let worse_wins = |f: &ScheduledMatch| {
        let best = f.role_players.iter().max();
        let goal = |player: &usize| if Some(player) == best { 100 } else { 0 };
        result(f.role_players.iter().map(goal).collect())
    };
    let (_, results) = play(&plan, worse_wins, None);
    let table = Standings::new(&plan, &results);
    let order: Vec<&str> = table.rows.iter().map(|r| r.player.as_str()).collect();
    assert_eq!(order, ["p6", "p5", "p4", "p3", "p2", "p1", "p0"]);
    let stays = |_: &ScheduledMatch| result(vec![50, 50]);
    let (_, results) = play(&plan, stays, None);
    assert_eq!(Standings::new(&plan, &results).rows[0].player, "p0");
}

#[test]
fn points_are_shared_by_goals_and_a_forfeit_gets_nothing() {
    let plan = plan("round-robin", 2, &["g3"], "");
    let schedule = TournamentSchedule::new(&plan, &Results::new());
    // The first player has the first role only.
    let fixture = &schedule.fixtures(&plan)[0];
    assert_eq!(fixture.role_players, [0, 1, 1]);
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    near(result(vec![60, 40, 0]).share(fixture), 0.75);
    near(result(vec![100, 100, 100]).share(fixture), 0.5);
    near(result(vec![0, 0, 0]).share(fixture), 0.5);
    let mut lost = result(vec![0, 0, 100]);
    lost.forfeited = vec![2];
    near(lost.share(fixture), 1.0);
    lost.forfeited = vec![0, 1];
    near(lost.share(fixture), 0.5);
    let mut endless = result(vec![100, 0, 0]);
    endless.completed = false;
    near(endless.share(fixture), 0.5);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swiss_players_do_not_meet_again_while_half_of_the_opponents_are_left(
        players in 2usize..20,
        seed in 0u64..1000,
    ) {
        // With that many opponents left, a perfect matching exists (Dirac's theorem).
        let rounds = (players / 2).max(1);
        let plan = plan("swiss", players, &["g2"], &format!("seed = {seed}\nrounds = {rounds}"));
        let (schedule, _) = play(&plan, lot, None);
        prop_assert_eq!(schedule.rounds.len(), rounds);
        let mut met = BTreeSet::new();
        let mut without = BTreeSet::new();
        for round in &schedule.rounds {
            let mut busy = BTreeSet::new();
            for encounter in &round.encounters {
                prop_assert!(met.insert((encounter.a, encounter.b)), "met again");
                prop_assert!(busy.insert(encounter.a) && busy.insert(encounter.b));
            }
            for bye in &round.byes {
                prop_assert!(busy.insert(*bye) && without.insert(*bye), "two byes");
            }
            prop_assert_eq!(busy.len(), players);
        }
    }

    #[test]
    fn swiss_players_who_have_all_met_meet_again(players in 2usize..6, seed in 0u64..100) {
        let plan = plan("swiss", players, &["g2"], &format!("seed = {seed}\nrounds = 12"));
        let (schedule, _) = play(&plan, lot, None);
        prop_assert_eq!(schedule.rounds.len(), 12);
        for round in &schedule.rounds {
            prop_assert_eq!(round.encounters.len(), players / 2);
        }
    }

    #[test]
    fn the_order_of_play_does_not_affect_standings(kind in 0usize..4, players in 2usize..7, seed in 0u64..1000) {
        let plan = plan(KINDS[kind], players, &["g1", "g2"], &format!("seed = {seed}"));
        let (_, straight) = play(&plan, lot, None);
        let (_, mixed) = play(&plan, lot, Some(Rng::new(seed)));
        prop_assert_eq!(Standings::new(&plan, &straight), Standings::new(&plan, &mixed));
        prop_assert_eq!(straight, mixed);
    }

    #[test]
    fn a_knock_out_with_random_results_has_one_winner(players in 2usize..20, seed in 0u64..1000) {
        let plan = plan("knock-out", players, &["g2"], &format!("seed = {seed}"));
        let (_, results) = play(&plan, lot, None);
        let table = Standings::new(&plan, &results);
        prop_assert!(table.finished);
        prop_assert_eq!(table.rows.iter().filter(|row| row.rank == 1).count(), 1);
    }
}

const FILE: &str = r#"
name = "spring"
seed = 7
kind = "swiss"
start = 2
play = 0.5
cpus = 4
[[games]]
game = "g2"
[[games]]
game = "g3"
play = 3
max_steps = 50
[[players]]
name = "tree"
player = "mcts:threads=2"
[[players]]
player = "random"
[[players]]
name = "far"
player = "http://localhost:9147"
cpus = 1
"#;

#[test]
fn missing_keys_have_defaults() {
    let plan = read(FILE).unwrap();
    assert_eq!(
        (plan.name.as_str(), plan.seed, plan.rounds),
        ("spring", 7, 2)
    );
    assert_eq!(plan.games[0].play_clock.as_millis(), 500);
    assert_eq!(plan.games[1].play_clock.as_secs(), 3);
    assert_eq!(plan.games[1].start_clock.as_secs(), 2);
    assert_eq!(
        (plan.games[0].max_steps, plan.games[1].max_steps),
        (1000, 50)
    );
    let cpus: Vec<u32> = plan.players.iter().map(|p| p.cpus).collect();
    assert_eq!(cpus, [2, 0, 1]);
    assert_eq!(plan.players[1].name, "random");
    assert_eq!(plan.forfeit_after, None);
    // The limits on concurrency do not affect results, everything else does.
    let other = read(&FILE.replace("cpus = 4", "cpus = 1")).unwrap();
    assert_eq!(plan.canonical(), other.canonical());
    let other = read(&FILE.replace("play = 3", "play = 4")).unwrap();
    assert_ne!(plan.canonical(), other.canonical());
}

#[test]
fn errors_of_a_file_name_the_line() {
    for (from, to, line, part) in [
        ("seed = 7", "sed = 7", Some(3), "unknown field `sed`"),
        ("\"swiss\"", "\"swish\"", Some(4), "unknown variant `swish`"),
        ("\"spring\"", "\"s p\"", Some(2), "letters, digits"),
        ("play = 0.5", "play = -1", Some(6), "seconds from 0"),
        ("play = 0.5", "play = nan", Some(6), "seconds from 0"),
        ("\"g3\"", "\"chess\"", Some(11), "no game is called `chess`"),
        (
            "mcts:threads=2",
            "deepblue",
            Some(16),
            "no player `deepblue`",
        ),
        (
            "http://localhost:9147",
            "ftp://x",
            Some(21),
            "not the address",
        ),
        ("\"far\"", "\"random\"", Some(20), "two players `random`"),
        ("cpus = 4", "rounds = 0", Some(7), "from 1 to"),
        ("cpus = 4", "replays = 1", Some(7), "knock-out"),
        ("cpus = 4", "cpus = ", Some(7), ""),
        ("kind = \"swiss\"", "", None, "missing field `kind`"),
    ] {
        let error = read(&FILE.replacen(from, to, 1)).unwrap_err();
        assert!(error.message.contains(part), "{to}: {error}");
        if line.is_some() {
            assert_eq!(error.line, line, "{to}: {error}");
        }
    }
    let knock_out = FILE.replace("\"swiss\"", "\"knock-out\"\nrounds = 3");
    assert!(
        read(&knock_out)
            .unwrap_err()
            .message
            .contains("as it takes")
    );
    let (games, _) = FILE.split_once("[[players]]").unwrap();
    assert!(read(games).unwrap_err().message.contains("two players"));
    let huge = FILE.replace("cpus = 4", "rounds = 10000\nrepeats = 10000");
    assert!(read(&huge).unwrap_err().message.contains("matches"));
}

#[test]
fn a_value_of_the_wrong_type_is_reported_in_plain_words() {
    let text = "name = 'cup'\nkind = 'swiss'\nrounds = 'two'";
    let error = read(text).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 3: here is string \"two\", and it should be a whole number from 0 on"
    );
}

#[test]
fn only_remote_players_may_limit_their_matches() {
    let file = |player: &str| {
        format!(
            "name = 'cup'\nkind = 'swiss'\n[[games]]\ngame = 'g2'\n[[players]]\nplayer = 'legal'
             [[players]]\nname = 'p'\nplayer = '{player}'\nmatches = 3"
        )
    };
    let plan = read(&file("http://localhost:9147")).unwrap();
    assert_eq!(plan.players[0].matches, None);
    assert_eq!(plan.players[1].matches, Some(3));
    let error = read(&file("random")).unwrap_err().to_string();
    assert!(error.contains("only for remote players"), "{error}");
    let error = read(&file("http://localhost:99999"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("not the address"), "{error}");
}
