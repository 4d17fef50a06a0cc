//! Tests of the inspection routes.

use serde_json::{Value, json};

use crate::support::TestArena;

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_shown_with_their_strata() {
    let arena = TestArena::new().await;
    let page = arena.get("/api/games/tic-tac-toe/rules").await.expect(200);
    let clauses = page["clauses"].as_array().unwrap();
    let of = |relation: &str| clauses.iter().find(|c| c["relation"] == relation).unwrap();
    assert_eq!(of("role")["class"], "rigid");
    assert_eq!(of("next")["class"], "action");
    assert!(of("terminal")["stratum"].as_u64() <= page["strata"].as_u64());
    let sheet = arena.get("/api/games/tic-tac-toe").await.expect(200);
    let sheet = sheet["sheet"].as_str().unwrap();
    for clause in clauses {
        let line = clause["line"].as_u64().unwrap() as usize;
        let relation = clause["relation"].as_str().unwrap();
        let lines = sheet.lines().skip(line - 1).take(2).collect::<String>();
        assert!(lines.contains(relation), "{clause}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_is_shown_with_the_values_of_a_state() {
    let arena = TestArena::new().await;
    let path = "/api/games/tic-tac-toe/network";
    let whole = arena.get(&format!("{path}?limit=4000")).await.expect(200);
    let nodes = whole["nodes"].as_array().unwrap();
    assert_eq!(
        (&whole["truncated"], &whole["lit"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(nodes.len() as u64, whole["total"].as_u64().unwrap());
    let cone = arena
        .get(&format!("{path}?cone=terminal&facts=init"))
        .await
        .expect(200);
    assert!(cone["nodes"].as_array().unwrap().len() < nodes.len());
    let on = |page: &Value, label: &str| {
        let nodes = page["nodes"].as_array().unwrap().clone();
        let node = nodes.into_iter().find(|node| node["label"] == label);
        node.map(|node| node["on"].clone())
    };
    assert_eq!(on(&cone, "terminal"), Some(json!(false)));
    let legal = "(legal xplayer (mark 1 1))";
    let legal_path = format!("{path}?cone=(legal%20xplayer%20(mark%201%201))&facts=init");
    let cone = arena.get(&legal_path).await.expect(200);
    assert_eq!(on(&cone, legal), Some(json!(true)), "{cone}");
    let nothing = arena.get(&format!("{path}?cone=nothing")).await;
    assert_eq!(nothing.refused(422), "network");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_is_described_by_figures() {
    let arena = TestArena::new().await;
    let page = arena.get("/api/games/tic-tac-toe/engine").await.expect(200);
    assert_eq!(page["first_moves"], 9);
    assert!(page["first_move_ms"].as_f64().unwrap() > 0.0);
    assert!(page["ground"]["fluents"].as_u64().unwrap() >= 27);
    assert!(page["network"]["components"].as_u64().unwrap() > 50);
    assert!(!page["engine"].as_str().unwrap().is_empty());
}
