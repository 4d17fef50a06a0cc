//! Fake players for tests: [`FakePlayer`] is a small HTTP server whose answers can be slow,
//! malformed or missing.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How a fake player answers a request.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// A proper answer.
    Answer(String),
    /// Sends these bytes and closes the connection.
    Raw(Vec<u8>),
    /// Sends nothing until the other side closes the connection.
    Silence,
    /// Closes the connection without an answer.
    HangUp,
    /// Sends a proper head and then this many bytes, as far as the other side reads.
    Flood(usize),
    /// Sends one byte at a time, as long as the other side reads.
    Drip,
}

type Script = dyn Fn(&str) -> Behaviour + Send + Sync;

/// A server with scripted answers. It stops when it is dropped.
pub struct FakePlayer {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    requests: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl FakePlayer {
    /// Listens on a free port; `script` maps the body of a request to an answer.
    pub fn new(script: impl Fn(&str) -> Behaviour + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let requests = Arc::new(AtomicUsize::new(0));
        let script: Arc<Script> = Arc::new(script);
        let (ended, count) = (Arc::clone(&is_over), Arc::clone(&requests));
        let thread = std::thread::spawn(move || {
            let mut threads = Vec::new();
            for stream in listener.incoming() {
                if ended.load(Ordering::Acquire) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let script = Arc::clone(&script);
                let (ended, count) = (Arc::clone(&ended), Arc::clone(&count));
                let serve = move || {
                    // The other side may close the connection at any time.
                    let _ = serve(stream, &*script, &ended, &count);
                };
                threads.push(std::thread::spawn(serve));
            }
            for thread in threads {
                let _ = thread.join();
            }
        });
        Ok(Self {
            address,
            is_over,
            requests,
            thread: Some(thread),
        })
    }

    /// A player that is ready for every match and answers PLAY messages in the given way.
    pub fn answering_play_with(behaviour: Behaviour) -> io::Result<Self> {
        Self::new(move |request| {
            if request.to_ascii_lowercase().contains("(play") {
                behaviour.clone()
            } else {
                Behaviour::Answer("ready".to_owned())
            }
        })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of requests received.
    pub fn request_count(&self) -> usize {
        self.requests.load(Ordering::Acquire)
    }
}

impl Drop for FakePlayer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    mut stream: TcpStream,
    script: &Script,
    is_over: &AtomicBool,
    requests: &AtomicUsize,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.set_write_timeout(Some(Duration::from_secs(30)))?;
    let body = read_request(&mut stream)?;
    requests.fetch_add(1, Ordering::AcqRel);
    match script(&body) {
        Behaviour::Answer(text) => write!(
            stream,
            "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        ),
        Behaviour::Raw(bytes) => stream.write_all(&bytes),
        Behaviour::HangUp => Ok(()),
        Behaviour::Silence => {
            // The read ends when the other side closes the connection.
            stream.set_read_timeout(Some(Duration::from_millis(20)))?;
            wait_until_gone(&mut stream, is_over)
        }
        Behaviour::Flood(count) => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {count}\r\n\r\n")?;
            let chunk = vec![b'x'; 64 << 10];
            let mut left = count;
            while left > 0 && !is_over.load(Ordering::Acquire) {
                let some = left.min(chunk.len());
                stream.write_all(&chunk[..some])?;
                left -= some;
            }
            Ok(())
        }
        Behaviour::Drip => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")?;
            stream.set_read_timeout(Some(Duration::from_millis(20)))?;
            let mut byte = [0];
            while !is_over.load(Ordering::Acquire) {
                stream.write_all(b"x")?;
                match stream.read(&mut byte) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if is_pause(&error) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

fn wait_until_gone(stream: &mut TcpStream, is_over: &AtomicBool) -> io::Result<()> {
    let mut byte = [0];
    while !is_over.load(Ordering::Acquire) {
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if is_pause(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The body of a request with a Content-Length.
fn read_request(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length
                .and_then(|text| text.trim().parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return Ok(body.to_owned());
            }
        }
    }
}

/// Sends bytes to an address such as `http://127.0.0.1:9147` and returns everything that is
/// received.
pub fn raw(url: &str, bytes: &[u8]) -> io::Result<String> {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_mins(1)))?;
    // A server may close the connection before it has read everything.
    let sent = stream.write_all(bytes);
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    if answer.is_empty() {
        sent?;
        read?;
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Sends a message as an HTTP/1.0 client and returns the body of the answer.
pub fn post(url: &str, message: &str) -> io::Result<String> {
    let length = message.len();
    let request = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{message}");
    let answer = raw(url, request.as_bytes())?;
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned());
    body.ok_or_else(|| io::Error::other(format!("no answer in {answer:?}")))
}

/// Waits until a condition holds; false if it does not within a minute.
pub fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let begin = std::time::Instant::now();
    while !holds() {
        if begin.elapsed() > Duration::from_mins(1) {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    true
}
