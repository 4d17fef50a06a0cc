//! Tests of admission and security headers.

use ludorum_arena::ArenaOptions;
use serde_json::json;

use crate::support::TestArena;

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_a_strict_security_policy() {
    let arena = TestArena::new().await;
    for path in ["/", "/api/games", "/nowhere", "/api/matches/x"] {
        let answer = arena.get(path).await;
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
async fn foreign_host_names_are_rejected() {
    let arena = TestArena::new().await;
    let foreign = arena
        .request("GET", "/api/games", &[("host", "evil.example")], Vec::new())
        .await;
    assert_eq!(foreign.refused(403), "host");
    let own = format!("localhost:{}", arena.address.port());
    let own = arena
        .request("GET", "/api/games", &[("host", &own)], Vec::new())
        .await;
    assert_eq!(own.status, 200);
    let named = TestArena::with(ArenaOptions {
        hosts: vec!["games.example".to_owned()],
        ..ArenaOptions::default()
    })
    .await;
    let named = named
        .request(
            "GET",
            "/api/games",
            &[("host", "games.example")],
            Vec::new(),
        )
        .await;
    assert_eq!(named.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_from_other_origins_are_rejected() {
    let arena = TestArena::new().await;
    let sheet = json!({"text": "(role a)"}).to_string();
    let json_kind = ("content-type", "application/json");
    let foreign = [json_kind, ("origin", "http://evil.example")];
    let answer = arena
        .request("POST", "/api/check", &foreign, sheet.clone().into())
        .await;
    assert_eq!(answer.refused(403), "origin");
    let fetched = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")];
    let answer = arena
        .request("GET", "/api/games", &fetched, Vec::new())
        .await;
    assert_eq!(answer.refused(403), "origin");
    // A form of another page can send text without a CORS preflight.
    let form = [("content-type", "text/plain")];
    let answer = arena
        .request("POST", "/api/check", &form, sheet.clone().into())
        .await;
    assert_eq!(answer.refused(415), "media-type");
    let own = format!("http://{}", arena.address);
    let own = [json_kind, ("origin", &*own)];
    let answer = arena
        .request("POST", "/api/check", &own, sheet.into())
        .await;
    assert_eq!(answer.status, 200);
    let link = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
    ];
    assert_eq!(
        arena.request("GET", "/", &link, Vec::new()).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_in_the_url_is_replaced_by_a_cookie() {
    let token = "an-open-secret";
    let arena = TestArena::with(ArenaOptions {
        token: Some(token.to_owned()),
        ..ArenaOptions::default()
    })
    .await;
    assert!(arena.url.ends_with(&format!("/?token={token}")));
    for path in ["/api/games", "/assets/icon.svg", "/metrics"] {
        assert_eq!(arena.get(path).await.refused(401), "token", "{path}");
    }
    for path in ["/", "/?token=wrong"] {
        let page = arena.get(path).await;
        assert_eq!(page.status, 401);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert!(page.text().contains("The token is missing") && !page.text().contains(token));
    }
    let welcome = arena.get(&format!("/?token={token}")).await;
    assert_eq!((welcome.status, welcome.header("location")), (303, "/"));
    let cookie = welcome.header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"));
    let cookie = cookie.split(';').next().unwrap();
    let kept = arena
        .request("GET", "/api/games", &[("cookie", cookie)], Vec::new())
        .await;
    assert_eq!(kept.status, 200);
    // Opening the whole URL again removes the token from the address bar again.
    let again = arena
        .request(
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
        arena
            .request("GET", "/api/games", &bearer, Vec::new())
            .await
            .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_served_with_an_etag() {
    let arena = TestArena::new().await;
    let page = arena.get("/").await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let icon = arena.get("/assets/icon.svg").await;
    assert_eq!(icon.header("content-type"), "image/svg+xml; charset=utf-8");
    let tag = icon.header("etag").to_owned();
    let again = [("if-none-match", &*tag)];
    let again = arena
        .request("GET", "/assets/icon.svg", &again, Vec::new())
        .await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
    assert_eq!(
        arena.get("/assets/nothing.js").await.refused(404),
        "not-found"
    );
    assert_eq!(
        arena
            .request("DELETE", "/api/games", &[], Vec::new())
            .await
            .refused(405),
        "method"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_interface_is_described_and_its_requests_are_counted() {
    let arena = TestArena::new().await;
    let document = arena.get("/api/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let metrics = arena.get("/metrics").await.text();
    let line = "ludorum_arena_requests_total{route=\"/api/openapi.json\",status=\"200\"} 1";
    assert!(metrics.contains(line), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_parameters_are_rejected_with_json_errors() {
    let arena = TestArena::new().await;
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
        assert_eq!(arena.get(path).await.refused(400), "bad-request", "{path}");
    }
}
