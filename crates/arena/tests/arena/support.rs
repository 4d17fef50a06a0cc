//! Test support: an arena on a free port, and HTTP requests to it.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use ludorum_arena::{Arena, ArenaOptions};
use ludorum_match::{Archive, CancellationToken};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// An arena with an archive of its own.
pub(crate) struct TestArena {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<()>,
    _folder: TempDir,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The JSON body; the status must be this one.
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// The error code; the status must be this one.
    pub(crate) fn refused(&self, status: u16) -> String {
        let body = self.expect(status);
        assert!(!body["error"].as_str().unwrap_or_default().is_empty());
        body["code"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str());
        value.and_then(Result::ok).unwrap_or_default()
    }
}

impl TestArena {
    pub(crate) async fn new() -> Self {
        Self::with(ArenaOptions::default()).await
    }

    pub(crate) async fn with(options: ArenaOptions) -> Self {
        let folder = TempDir::new().unwrap();
        let archive = Archive::create(&folder.path().join("archive.sqlite")).unwrap();
        let options = ArenaOptions {
            archive: Some(archive),
            ..options
        };
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let arena = Arena::bind(any, options).await.unwrap();
        let (address, url) = (arena.address().unwrap(), arena.url().unwrap());
        let stop = CancellationToken::new();
        let task = tokio::spawn(arena.run(stop.clone()));
        Self {
            address,
            url,
            stop,
            task,
            _folder: folder,
        }
    }

    /// Sends a request with these headers besides the required ones.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Response<Incoming> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path);
        if headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", self.address.to_string());
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        sender.send_request(request).await.unwrap()
    }

    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Answer {
        let response = self.send(method, path, headers, body).await;
        Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            bytes: response.into_body().collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], Vec::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        let body = serde_json::to_vec(body).unwrap();
        self.request("POST", path, &headers, body).await
    }

    /// Starts a match between people (`person`), built-in players by spec, and remote players by
    /// address.
    pub(crate) async fn start(&self, game: &str, seats: &[&str], more: Value) -> Played<'_> {
        let (setup, roles) = self.setup(game, seats, more).await;
        let started = self.post("/api/matches", &setup).await.expect(201);
        let keys = started["seats"].as_array().unwrap();
        assert_eq!(keys.len(), roles.len());
        Played {
            arena: self,
            id: started["match"].as_str().unwrap().to_owned(),
            keys: keys
                .iter()
                .map(|seat| seat["seat"].as_str().map(str::to_owned))
                .collect(),
        }
    }

    /// The body of a request that starts a match.
    pub(crate) async fn setup(
        &self,
        game: &str,
        seats: &[&str],
        more: Value,
    ) -> (Value, Vec<Value>) {
        let page = self.get(&format!("/api/games/{game}")).await.expect(200);
        let roles = page["roles"].as_array().unwrap().clone();
        let seats = roles.iter().zip(seats).map(|(role, who)| match *who {
            "person" => json!({"role": role, "kind": "person"}),
            url if url.contains("://") => json!({"role": role, "kind": "remote", "url": url}),
            spec => json!({"role": role, "kind": "player", "spec": spec}),
        });
        let seats: Vec<Value> = seats.collect();
        let mut setup =
            json!({"game": game, "seats": seats, "start_clock": 0, "play_clock": 5, "seed": 1});
        for (key, value) in more.as_object().into_iter().flatten() {
            setup[key] = value.clone();
        }
        (setup, roles)
    }
}

/// A started match.
pub(crate) struct Played<'h> {
    pub(crate) arena: &'h TestArena,
    pub(crate) id: String,
    /// The secrets of the roles of people.
    pub(crate) keys: Vec<Option<String>>,
}

impl Played<'_> {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/api/matches/{}{rest}", self.id)
    }

    pub(crate) fn key(&self, role: usize) -> &str {
        self.keys[role].as_deref().unwrap()
    }

    /// The snapshot of a role.
    pub(crate) async fn seen_by(&self, role: usize) -> Value {
        let path = self.path(&format!("?seat={}", self.key(role)));
        self.arena.get(&path).await.expect(200)
    }

    /// The snapshot of a watcher.
    pub(crate) async fn seen(&self) -> Value {
        self.arena.get(&self.path("")).await.expect(200)
    }

    pub(crate) async fn play(&self, role: usize, step: u64, text: &str) -> Answer {
        let body = json!({"seat": self.key(role), "step": step, "move": text});
        self.arena.post(&self.path("/moves"), &body).await
    }

    pub(crate) async fn events(&self) -> Events {
        self.events_after(None).await
    }

    pub(crate) async fn events_after(&self, seen: Option<u64>) -> Events {
        let seen = seen.map(|seen| seen.to_string());
        let mut headers = Vec::new();
        headers.extend(seen.as_deref().map(|seen| ("last-event-id", seen)));
        let path = self.path("/events");
        let response = self.arena.send("GET", &path, &headers, Vec::new()).await;
        assert_eq!(response.status(), 200);
        Events {
            body: response.into_body(),
            text: String::new(),
        }
    }

    /// Plays the first legal move of the only person until the match is over; returns the joint
    /// moves.
    pub(crate) async fn play_to_the_end(&self, role: usize) -> Vec<Value> {
        let mut events = self.events().await;
        let mut joints = Vec::new();
        while let Some(event) = events.next().await {
            match event.kind.as_str() {
                "end" => break,
                "step" => {
                    joints.extend(Some(event.data["joint"].clone()).filter(|j| !j.is_null()));
                    let seen = self.seen_by(role).await;
                    let first = &seen["legal"][0]["move"];
                    if let Some(text) = first.as_str() {
                        let step = seen["step"].as_u64().unwrap();
                        self.play(role, step, text).await;
                    }
                }
                _ => {}
            }
        }
        joints
    }
}

/// The event stream of a match.
pub(crate) struct Events {
    body: Incoming,
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl Events {
    /// The next event; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let event = Event::read(&self.text[..end]);
                self.text.drain(..end + 2);
                match event {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let frame = self.body.frame().await?.ok()?;
            let bytes = frame.into_data().unwrap_or_default();
            self.text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// The next event of a kind.
    pub(crate) async fn next_of(&mut self, kind: &str) -> Event {
        loop {
            let event = self.next().await;
            let event = event.unwrap_or_else(|| panic!("no more events, none of kind {kind}"));
            if event.kind == kind {
                return event;
            }
        }
    }

    /// The event of a position.
    pub(crate) async fn step(&mut self, step: u64) -> Event {
        loop {
            let event = self.next_of("step").await;
            if event.data["step"] == step {
                return event;
            }
        }
    }

    /// All remaining events.
    pub(crate) async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

impl Event {
    fn read(frame: &str) -> Option<Self> {
        let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
        Some(Self {
            id: field("id: ")?.parse().ok()?,
            kind: field("event: ")?.to_owned(),
            data: serde_json::from_str(field("data: ")?).ok()?,
        })
    }
}
