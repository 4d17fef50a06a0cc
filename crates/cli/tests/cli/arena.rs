//! `ludorum arena`, and `ludorum` without a command.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use ludorum_match::testing::raw;

use crate::{Folder, run};

/// An arena process, killed when it is dropped.
struct Served {
    child: Child,
    /// The first line of its output.
    line: String,
    /// Contains its archive.
    _folder: Folder,
}

impl Served {
    fn new(args: &[&str]) -> Self {
        let folder = Folder::new(&[]);
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("ludorum"))
            .args(args)
            .env("XDG_DATA_HOME", folder.path("data"))
            .env("HOME", folder.path("home"))
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let output = child.stdout.take().expect("there is output");
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .expect("a line is printed");
        Self {
            child,
            line,
            _folder: folder,
        }
    }

    fn url(&self) -> &str {
        let line = self.line.trim();
        line.strip_prefix("Ludorum is at ").expect("an address")
    }

    fn get(&self, path: &str) -> String {
        let base = self.url().split("/?").next().expect("an address");
        let base = base.trim_end_matches('/');
        let host = base.trim_start_matches("http://");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        raw(base, request.as_bytes()).expect("an answer")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn without_a_command_the_arena_is_served_and_its_address_printed() {
    let served = Served::new(&[]);
    assert!(served.url().starts_with("http://127.0.0.1:"));
    assert!(served.get("/").starts_with("HTTP/1.1 200"));
    assert!(served.get("/api/games").contains("tic-tac-toe"));
}

#[test]
fn other_machines_need_the_printed_token() {
    let served = Served::new(&[
        "arena",
        "--listen",
        "0.0.0.0",
        "--port",
        "0",
        "--no-archive",
    ]);
    let token = served.url().split("/?token=").nth(1).expect("a token");
    assert!(token.len() >= 20);
    assert!(served.get("/").starts_with("HTTP/1.1 401"));
    let welcome = served.get(&format!("/?token={token}"));
    assert!(welcome.starts_with("HTTP/1.1 303"), "{welcome}");
    assert!(welcome.contains("HttpOnly"), "{welcome}");
}

#[test]
fn a_port_that_is_in_use_is_reported() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let run = run(&["arena", "--port", &port, "--no-archive"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--port 0"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn the_arena_ends_on_sigterm() {
    let mut served = Served::new(&["arena", "--port", "0", "--no-archive"]);
    let id = served.child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("kill runs").success());
    let status = served.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
}
