//! What was played: the archive as pages.

use serde_json::{Value, json};

use crate::support::House;

#[tokio::test(flavor = "multi_thread")]
async fn matches_are_kept_and_can_be_looked_at_step_by_step() {
    let house = House::new().await;
    let mut ids = Vec::new();
    for (a, b) in [
        ("random", "legal"),
        ("legal", "random"),
        ("random", "legal"),
    ] {
        let game = house.start("tic-tac-toe", &[a, b], json!({})).await;
        game.events().await.next_of("end").await;
        ids.push(game.id);
    }
    ids.reverse();
    let list = house.get("/api/archive/matches?limit=2").await.expect(200);
    let listed = |list: &Value| -> Vec<String> {
        let list = list["matches"].as_array().unwrap().iter();
        list.map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(listed(&list), ids[..2]);
    assert_eq!(list["more"], true);
    let first = &list["matches"][0];
    assert_eq!(first["players"], json!(["random", "legal"]));
    assert_eq!(
        (&first["game"], &first["state"]),
        (&json!("tic-tac-toe"), &json!("completed"))
    );
    let next = format!("/api/archive/matches?limit=2&after={}", ids[1]);
    let next = house.get(&next).await.expect(200);
    assert_eq!(
        (listed(&next), &next["more"]),
        (ids[2..].to_vec(), &json!(false))
    );
    let page = house
        .get(&format!("/api/archive/matches/{}", ids[0]))
        .await
        .expect(200);
    let steps = page["steps"].as_u64().unwrap();
    assert_eq!(page["moves"].as_array().unwrap().len() as u64, steps);
    assert_eq!(page["title"], "Tic-Tac-Toe");
    for step in [0, 1, steps] {
        let path = format!("/api/archive/matches/{}/steps/{step}", ids[0]);
        let seen = house.get(&path).await.expect(200);
        assert_eq!(seen["step"], step);
        assert_eq!(seen["terminal"], step == steps);
        assert_eq!(
            seen["to_move"],
            if step == steps {
                json!([])
            } else {
                json!([step % 2])
            }
        );
        assert!(seen["board"]["svg"].as_str().unwrap().starts_with("<svg"));
        let svg = seen["board"]["svg"].as_str().unwrap();
        assert_eq!(svg.contains("to move"), step != steps);
        if step == steps {
            assert_eq!(seen["goals"], page["goals"]);
        }
    }
    let beyond = format!("/api/archive/matches/{}/steps/{}", ids[0], steps + 1);
    assert_eq!(house.get(&beyond).await.refused(404), "not-found");
    assert_eq!(
        house.get("/api/archive/matches/none").await.refused(404),
        "not-found"
    );
    let ratings = house.get("/api/archive/ratings").await.expect(200);
    let players = ratings["players"].as_array().unwrap();
    assert_eq!(players.len(), 2);
    assert_eq!(players[0]["matches"], 3);
    assert!(players[0]["low"].as_f64() < players[0]["high"].as_f64());
}

#[tokio::test(flavor = "multi_thread")]
async fn players_are_known_by_what_was_asked_for() {
    let house = House::new().await;
    let seats = ["mcts:simulations=20", "mcts:simulations=20,memory=64"];
    let game = house.start("tic-tac-toe", &seats, json!({})).await;
    game.events().await.next_of("end").await;
    let path = format!("/api/archive/matches/{}", game.id);
    let page = house.get(&path).await.expect(200);
    assert_eq!(page["players"], json!(seats));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_of_a_sheet_that_somebody_brought_can_be_replayed() {
    let house = House::new().await;
    let sheet = ludorum_games::find("nim")
        .unwrap()
        .text
        .replace("first", "erste");
    let added = json!({"text": sheet, "title": "Nim, German"});
    let added = house.post("/api/sheets", &added).await.expect(200);
    let name = added["game"].as_str().unwrap();
    let game = house.start(name, &["legal", "legal"], json!({})).await;
    game.events().await.next_of("end").await;
    let page = house
        .get(&format!("/api/archive/matches/{}", game.id))
        .await
        .expect(200);
    assert_eq!(
        (&page["game"], &page["title"]),
        (&json!(name), &json!("Nim, German"))
    );
    house
        .get(&format!("/api/archive/matches/{}/steps/1", game.id))
        .await
        .expect(200);
}
