//! Sheets that people bring.

use serde_json::json;

use crate::support::House;

const BROKEN: &str = "(role robot)\n(init (light off))\n(<= (legal robot press)\n    (true (light ?x)\n(<= terminal (true (light on)))\n";
const UNSAFE: &str = "(role robot)\n(init (light off))\n(legal robot press)\n(<= (next (light ?x)) (does robot press))\n(<= terminal (true (light on)))\n(goal robot 100)\n";
const MENDED: &str = "(role robot)\n(init (light off))\n(legal robot press)\n(legal robot wait)\n(<= (next (light on)) (does robot press))\n(<= (next (light off)) (does robot wait))\n(<= terminal (true (light on)))\n(<= (goal robot 100) (true (light on)))\n(<= (goal robot 0) (not (true (light on))))\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_sheet_is_told_about_at_the_right_line_then_mended_and_played() {
    let house = House::new().await;
    let check = house.post("/api/check", &json!({"text": BROKEN})).await;
    let check = check.expect(200);
    assert_eq!(check["ok"], false);
    let first = &check["diagnostics"][0];
    assert_eq!(first["severity"], "error");
    assert_eq!(first["labels"][0]["line"], 3, "{check}");
    assert_eq!(first["labels"][0]["column"], 1, "{check}");
    let unsafe_ = house
        .post("/api/check", &json!({"text": UNSAFE}))
        .await
        .expect(200);
    let lines = unsafe_["diagnostics"].as_array().unwrap().iter();
    let mut lines = lines.map(|problem| problem["labels"][0]["line"].clone());
    assert!(lines.any(|line| line == 4), "{unsafe_}");
    let refused = house.post("/api/sheets", &json!({"text": BROKEN})).await;
    assert_eq!(refused.refused(422), "sheet");
    assert!(!refused.json()["diagnostics"].as_array().unwrap().is_empty());
    let fine = house
        .post("/api/check", &json!({"text": MENDED}))
        .await
        .expect(200);
    assert_eq!(
        (&fine["ok"], &fine["roles"]),
        (&json!(true), &json!(["robot"]))
    );
    let added = json!({"text": MENDED, "title": "My <b>light</b>"});
    let added = house.post("/api/sheets", &added).await.expect(200);
    let name = added["game"].as_str().unwrap();
    assert!(name.starts_with("sheet:"), "{name}");
    let page = house.get(&format!("/api/games/{name}")).await.expect(200);
    assert_eq!(
        (&page["title"], &page["sheet"]),
        (&json!("My <b>light</b>"), &json!(MENDED))
    );
    let escaped = name.replace(':', "%3A");
    house
        .get(&format!("/api/games/{escaped}"))
        .await
        .expect(200);
    let game = house.start(name, &["person"], json!({})).await;
    game.play_to_the_end(0).await;
    assert_eq!(game.seen_by(0).await["goals"], json!([100]));
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_strangers_are_escaped_in_pictures() {
    let house = House::new().await;
    let text = MENDED.replace("light", "<script>alert(1)</script>");
    let added = house.post("/api/sheets", &json!({"text": text})).await;
    if added.status != 200 {
        // The notation does not even allow it.
        assert_eq!(added.status, 422, "{}", added.text());
        return;
    }
    let name = added.json()["game"].as_str().unwrap().to_owned();
    let picture = house.get(&format!("/api/games/{name}/picture.svg")).await;
    assert!(!picture.text().contains("<script"), "{}", picture.text());
    let game = house.start(&name, &["person"], json!({})).await;
    game.events().await.step(0).await;
    let svg = game.seen().await["board"]["svg"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!svg.contains("<script"), "{svg}");
}

#[tokio::test(flavor = "multi_thread")]
async fn games_are_listed_with_pictures() {
    let house = House::new().await;
    let games = house.get("/api/games").await.expect(200);
    let games = games["games"].as_array().unwrap();
    let tic_tac_toe = games
        .iter()
        .find(|game| game["name"] == "tic-tac-toe")
        .unwrap();
    assert_eq!(tic_tac_toe["players"], 2);
    assert!(!tic_tac_toe["summary"].as_str().unwrap().is_empty());
    let picture = house.get("/api/games/tic-tac-toe/picture.svg").await;
    assert_eq!(
        (picture.status, picture.header("content-type")),
        (200, "image/svg+xml; charset=utf-8")
    );
    assert!(picture.text().starts_with("<svg"));
    assert!(picture.header("cache-control").contains("max-age"));
    let missing = house.get("/api/games/tic-tac-to").await;
    assert_eq!(missing.refused(404), "not-found");
    assert!(missing.text().contains("tic-tac-toe"), "{}", missing.text());
    let players = house.get("/api/players").await.expect(200);
    assert_eq!(players["default"], "ludorum");
}
