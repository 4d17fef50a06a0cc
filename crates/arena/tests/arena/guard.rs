//! Who is let in, and what every answer carries.

use ludorum_arena::ArenaOptions;
use serde_json::json;

use crate::support::House;

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_is_strict_about_what_a_page_may_do() {
    let house = House::new().await;
    for path in ["/", "/api/games", "/nowhere", "/api/matches/x"] {
        let answer = house.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_not_ours_are_not_answered_to() {
    let house = House::new().await;
    let foreign = house
        .ask("GET", "/api/games", &[("host", "evil.example")], Vec::new())
        .await;
    assert_eq!(foreign.refused(403), "host");
    let own = format!("localhost:{}", house.address.port());
    let own = house
        .ask("GET", "/api/games", &[("host", &own)], Vec::new())
        .await;
    assert_eq!(own.status, 200);
    let named = House::with(ArenaOptions {
        hosts: vec!["games.example".to_owned()],
        ..ArenaOptions::default()
    })
    .await;
    let named = named
        .ask(
            "GET",
            "/api/games",
            &[("host", "games.example")],
            Vec::new(),
        )
        .await;
    assert_eq!(named.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_others_can_neither_ask_nor_send() {
    let house = House::new().await;
    let sheet = json!({"text": "(role a)"}).to_string();
    let json_kind = ("content-type", "application/json");
    let foreign = [json_kind, ("origin", "http://evil.example")];
    let answer = house
        .ask("POST", "/api/check", &foreign, sheet.clone().into())
        .await;
    assert_eq!(answer.refused(403), "origin");
    let fetched = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")];
    let answer = house.ask("GET", "/api/games", &fetched, Vec::new()).await;
    assert_eq!(answer.refused(403), "origin");
    // A form of another page can send text without asking.
    let form = [("content-type", "text/plain")];
    let answer = house
        .ask("POST", "/api/check", &form, sheet.clone().into())
        .await;
    assert_eq!(answer.refused(415), "media-type");
    let own = format!("http://{}", house.address);
    let own = [json_kind, ("origin", &*own)];
    let answer = house.ask("POST", "/api/check", &own, sheet.into()).await;
    assert_eq!(answer.status, 200);
    let link = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
    ];
    assert_eq!(house.ask("GET", "/", &link, Vec::new()).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_the_door_once_and_a_cookie_from_then_on() {
    let token = "an-open-secret";
    let house = House::with(ArenaOptions {
        token: Some(token.to_owned()),
        ..ArenaOptions::default()
    })
    .await;
    assert!(house.url.ends_with(&format!("/?token={token}")));
    for path in ["/api/games", "/assets/icon.svg", "/metrics"] {
        assert_eq!(house.get(path).await.refused(401), "token", "{path}");
    }
    for path in ["/", "/?token=wrong"] {
        let door = house.get(path).await;
        assert_eq!(door.status, 401);
        assert_eq!(door.header("content-type"), "text/html; charset=utf-8");
        assert!(door.text().contains("The token is missing") && !door.text().contains(token));
    }
    let welcome = house.get(&format!("/?token={token}")).await;
    assert_eq!((welcome.status, welcome.header("location")), (303, "/"));
    let cookie = welcome.header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"));
    let cookie = cookie.split(';').next().unwrap();
    let kept = house
        .ask("GET", "/api/games", &[("cookie", cookie)], Vec::new())
        .await;
    assert_eq!(kept.status, 200);
    // Whoever opens the whole address again does not keep it either.
    let again = house
        .ask(
            "GET",
            &format!("/?token={token}"),
            &[("cookie", cookie)],
            Vec::new(),
        )
        .await;
    assert_eq!((again.status, again.header("location")), (303, "/"));
    let bearer = format!("Bearer {token}");
    let bearer = [("authorization", &*bearer)];
    assert_eq!(
        house
            .ask("GET", "/api/games", &bearer, Vec::new())
            .await
            .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_are_served_and_not_sent_twice() {
    let house = House::new().await;
    let page = house.get("/").await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let icon = house.get("/assets/icon.svg").await;
    assert_eq!(icon.header("content-type"), "image/svg+xml; charset=utf-8");
    let tag = icon.header("etag").to_owned();
    let again = [("if-none-match", &*tag)];
    let again = house
        .ask("GET", "/assets/icon.svg", &again, Vec::new())
        .await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
    assert_eq!(
        house.get("/assets/nothing.js").await.refused(404),
        "not-found"
    );
    assert_eq!(
        house
            .ask("DELETE", "/api/games", &[], Vec::new())
            .await
            .refused(405),
        "method"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_interface_is_described_and_counted() {
    let house = House::new().await;
    let document = house.get("/api/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let metrics = house.get("/metrics").await.text();
    let line = "ludorum_arena_requests_total{route=\"/api/openapi.json\",status=\"200\"} 1";
    assert!(metrics.contains(line), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_cannot_be_read_are_refused_like_everything_else() {
    let house = House::new().await;
    for path in [
        "/api/matches/x/steps/abc",
        "/api/matches/x/hint",
        "/api/matches/x/hint?seat=a&seconds=soon",
        "/api/matches/x/events?after=abc",
        "/api/archive/matches?limit=abc",
        "/api/archive/matches/x/steps/-1",
        "/api/games/nim/network?limit=many",
        "/api/games/%ff",
    ] {
        assert_eq!(house.get(path).await.refused(400), "bad-request", "{path}");
    }
}
