//! Tests of event streams: no event of the history is lost.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Event, Events, TestArena};

/// The events of the history.
fn history(events: &[Event]) -> Vec<Event> {
    let history = events
        .iter()
        .filter(|event| matches!(event.kind.as_str(), "step" | "error" | "end"));
    history.cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_resumes_after_the_last_event_it_saw() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let mut first = game.events().await;
    first.step(0).await;
    game.play(0, 0, "(mark 2 2)").await.expect(202);
    let seen = first.step(1).await;
    // The connection is closed, and the match goes on.
    drop(first);
    game.play_to_the_end(0).await;
    let rest = game.events_after(Some(seen.id)).await.rest().await;
    assert_eq!(history(&rest)[0].data["step"], 2);
    let all = game.events().await.rest().await;
    let ids: Vec<u64> = all.iter().map(|event| event.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let all = history(&all);
    let place = all.iter().position(|event| *event == seen).unwrap();
    assert_eq!(history(&rest), all[place + 1..]);
    assert_eq!(all.last().unwrap().kind, "end");
    let by_address = game.path(&format!("/events?after={}", seen.id));
    let text = arena.get(&by_address).await.text();
    assert_eq!(text.matches("event: step").count(), all.len() - place - 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn search_reports_are_published_during_the_search() {
    let arena = TestArena::new().await;
    let seats = ["mcts:simulations=3000", "mcts:simulations=3000"];
    let game = arena
        .start("tic-tac-toe", &seats, json!({"play_clock": 60}))
        .await;
    let mut reports = Vec::new();
    let mut events = game.events().await;
    while let Some(event) = events.next().await {
        if event.kind == "thinking" {
            reports.push(event.data);
        }
    }
    let thought = reports.iter().find(|thought| !thought["values"].is_null());
    let thought = thought.expect("somebody thought something");
    assert_eq!(thought["values"].as_array().unwrap().len(), 2);
    assert!(thought["simulations"].as_u64().unwrap() > 0);
    assert!(thought["per_second"].as_f64().unwrap() > 0.0);
    assert!(!thought["line"].as_array().unwrap().is_empty());
    let evaluation = arena.get(&game.path("/evaluation")).await.expect(200);
    let steps = evaluation["steps"].as_array().unwrap();
    assert_eq!(
        steps.len(),
        evaluation["moves"].as_array().unwrap().len() + 1
    );
    assert!(!steps[0]["values"].is_null());
    // In a terminal position the values are the goals.
    let goals = game.seen().await["goals"].clone();
    let last = steps.last().unwrap()["values"].as_array().unwrap().clone();
    let as_f64 = |list: &[Value]| list.iter().filter_map(Value::as_f64).collect::<Vec<_>>();
    assert_eq!(as_f64(&last), as_f64(goals.as_array().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn playout_strategies_are_reported() {
    let arena = TestArena::new().await;
    let game = arena
        .start(
            "tic-tac-toe",
            &["mini:simulations=400", "legal"],
            json!({"play_clock": 60}),
        )
        .await;
    let events = game.events().await.rest().await;
    let thinking = events.iter().filter(|event| event.kind == "thinking");
    let strategies = thinking.map(|event| &event.data["strategies"]);
    let reported = strategies.filter(|value| !value.is_null()).count();
    assert!(reported > 0, "{events:?}");
    let evaluation = arena.get(&game.path("/evaluation")).await.expect(200);
    let strategies = evaluation["steps"][0]["strategies"].as_array().unwrap();
    assert!(strategies.len() > 1, "{strategies:?}");
    let mut all = 0.0;
    for strategy in strategies {
        assert_eq!(strategy["role"], 0);
        assert!(!strategy["name"].as_str().unwrap().is_empty());
        assert!((0.0..=100.0).contains(&strategy["mean"].as_f64().unwrap()));
        all += strategy["share"].as_f64().unwrap();
    }
    assert!((all - 1.0).abs() < 1e-6, "{all}");
    // A player without a search reports no strategies.
    assert_eq!(evaluation["steps"][1]["strategies"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_remote_players_are_reported() {
    let arena = TestArena::new().await;
    let fake = ludorum_match::testing::FakePlayer::answering_play_with(
        ludorum_match::testing::Behaviour::Answer("nonsense".to_owned()),
    )
    .unwrap();
    let url = fake.url();
    let game = arena
        .start("tic-tac-toe", &[&url, "legal"], json!({}))
        .await;
    let error = game.events().await.next_of("error").await;
    assert_eq!(
        (&error.data["role"], &error.data["kind"]),
        (&json!(0), &json!("illegal-move"))
    );
    game.events().await.next_of("end").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_watchers_receive_every_move() {
    const WATCHERS: usize = 200;
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let watchers = join_all((0..WATCHERS).map(|_| game.events())).await;
    // All watchers are connected before the first move.
    let waiting = watchers.into_iter().map(|mut events: Events| async move {
        let first = events.step(0).await;
        (first, events)
    });
    let waiting = join_all(waiting).await;
    let list = arena.get("/api/matches").await.expect(200);
    assert_eq!(list["matches"][0]["watchers"], WATCHERS);
    let watching = waiting.into_iter().map(|(first, events)| {
        tokio::spawn(async move {
            let mut all = vec![first];
            all.extend(events.rest().await);
            all
        })
    });
    let watching: Vec<_> = watching.collect();
    let joints = game.play_to_the_end(0).await;
    assert!(joints.len() >= 5);
    for watcher in watching {
        let events = history(&watcher.await.unwrap());
        let steps = events.iter().filter(|event| event.kind == "step");
        let seen: Vec<Value> = steps.map(|event| event.data["joint"].clone()).collect();
        assert_eq!(seen[1..], joints);
        assert_eq!(events.last().unwrap().kind, "end");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_receive_the_end_when_the_arena_stops() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let mut events = game.events().await;
    events.step(0).await;
    arena.stop.cancel();
    let end = events.next_of("end").await;
    assert_eq!(end.data["goals"], Value::Null);
    assert_eq!(events.next().await, None);
    arena.task.await.unwrap();
}
