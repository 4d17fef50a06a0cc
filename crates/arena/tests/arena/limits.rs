//! Tests of the limits on matches, watchers, sheets and players.

use ludorum_arena::ArenaOptions;
use serde_json::json;

use crate::support::TestArena;

#[tokio::test(flavor = "multi_thread")]
async fn more_matches_than_allowed_are_refused_until_one_ends() {
    let options = ArenaOptions {
        matches: 1,
        ..ArenaOptions::default()
    };
    let arena = TestArena::with(options).await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let (setup, _) = arena
        .setup("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let full = arena.post("/api/matches", &setup).await;
    assert_eq!(full.refused(503), "matches");
    let mut events = game.events().await;
    arena
        .post(&game.path("/resign"), &json!({"seat": game.key(0)}))
        .await
        .expect(202);
    events.next_of("end").await;
    arena.post("/api/matches", &setup).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_watchers_than_allowed_are_refused() {
    let options = ArenaOptions {
        watchers: 1,
        ..ArenaOptions::default()
    };
    let arena = TestArena::with(options).await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let mut events = game.events().await;
    events.step(0).await;
    let second = arena.get(&game.path("/events")).await;
    assert_eq!(second.refused(503), "watchers");
}

#[tokio::test(flavor = "multi_thread")]
async fn sheets_that_are_too_large_are_refused() {
    let options = ArenaOptions {
        sheet_bytes: 1000,
        ..ArenaOptions::default()
    };
    let arena = TestArena::with(options).await;
    let large = json!({"text": "(role a) ".repeat(200)});
    assert_eq!(
        arena.post("/api/check", &large).await.refused(413),
        "too-large"
    );
    let huge = json!({"text": "(role a) ".repeat(20_000)});
    assert_eq!(
        arena.post("/api/sheets", &huge).await.refused(413),
        "too-large"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn players_are_limited_in_memory_and_threads() {
    let arena = TestArena::new().await;
    for (spec, code) in [
        ("mcts:memory=100000", "spec"),
        ("mcts:threads=1000", "spec"),
        ("deep-thought", "spec"),
    ] {
        let (setup, _) = arena
            .setup("tic-tac-toe", &[spec, "legal"], json!({}))
            .await;
        let refused = arena.post("/api/matches", &setup).await;
        assert_eq!(refused.refused(422), code, "{spec}");
    }
    let game = arena
        .start(
            "tic-tac-toe",
            &["mcts:threads=2,simulations=10", "legal"],
            json!({}),
        )
        .await;
    let name = game.seen().await["players"][0].clone();
    assert_eq!(name, "mcts:simulations=10,threads=2", "as it was asked for");
    let mut events = game.events().await;
    events.next_of("end").await;
    let kept = arena.get("/api/archive/matches").await.expect(200);
    assert_eq!(kept["matches"][0]["players"][0], name);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_setups_are_rejected_with_reasons() {
    let arena = TestArena::new().await;
    let seats = ["person", "legal"];
    for (more, code) in [
        (json!({"play_clock": 0}), "clock"),
        (json!({"play_clock": 1e9}), "clock"),
        (json!({"start_clock": -1}), "clock"),
        (json!({"seats": []}), "seats"),
        (
            json!({"seats": [{"role": "xplayer", "kind": "person"}, {"role": "xplayer", "kind": "person"}]}),
            "seats",
        ),
        (
            json!({"seats": [{"role": "xplayer", "kind": "person"}, {"role": "oplayer", "kind": "remote", "url": "ftp://x"}]}),
            "url",
        ),
    ] {
        let (setup, _) = arena.setup("tic-tac-toe", &seats, more).await;
        let refused = arena.post("/api/matches", &setup).await;
        assert_eq!(refused.refused(422), code, "{setup}");
    }
    let (mut setup, _) = arena.setup("tic-tac-toe", &seats, json!({})).await;
    setup["game"] = json!("nothing");
    assert_eq!(
        arena.post("/api/matches", &setup).await.refused(404),
        "not-found"
    );
    let nonsense = arena.post("/api/matches", &json!({"game": 1})).await;
    assert_eq!(nonsense.refused(400), "bad-request");
    // A missing clock has the default.
    let (setup, _) = arena
        .setup("tic-tac-toe", &seats, json!({"play_clock": null}))
        .await;
    arena.post("/api/matches", &setup).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timed_person_loses_the_move_and_not_the_match() {
    let arena = TestArena::new().await;
    let more = json!({"play_clock": 0.05, "clock_for_people": true});
    let game = arena.start("tic-tac-toe", &["person", "legal"], more).await;
    let mut events = game.events().await;
    let clock = events.next_of("clock").await;
    assert_eq!(
        (&clock.data["role"], &clock.data["remaining_ms"]),
        (&json!(0), &json!(50))
    );
    let error = events.next_of("error").await;
    assert_eq!(error.data["kind"], "time-out");
    events.next_of("end").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_with_too_many_roles_is_rejected() {
    let arena = TestArena::new().await;
    let roles: Vec<String> = (0..40).map(|i| format!("(role r{i})")).collect();
    let roles = roles.join(" ");
    let text = format!(
        "{roles} (init (on)) (<= (legal ?r go) (role ?r)) (<= (next (off)) (true (on)))
        (<= terminal (true (off))) (<= (goal ?r 50) (role ?r))"
    );
    let sheet = arena.post("/api/sheets", &json!({"text": text})).await;
    let game = sheet.json()["game"].clone();
    let seats: Vec<_> = (0..40)
        .map(|i| json!({"role": format!("r{i}"), "kind": "player", "spec": "mcts"}))
        .collect();
    let setup = json!({"game": game, "seats": seats});
    assert_eq!(
        arena.post("/api/matches", &setup).await.refused(422),
        "roles"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn any_number_of_watchers_can_be_allowed() {
    let options = ArenaOptions {
        watchers: usize::MAX,
        ..ArenaOptions::default()
    };
    let arena = TestArena::with(options).await;
    arena.get("/api/games").await.expect(200);
}
