//! A headless browser shared by concurrent tests.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tempfile::TempDir;

/// Names of the executable.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

static SHARED: Mutex<Weak<Chromium>> = Mutex::new(Weak::new());

/// A running browser. It ends when its last test ends.
pub(crate) struct Chromium {
    child: Child,
    /// Its `DevTools` address.
    pub(crate) address: String,
    _profile: TempDir,
}

impl Chromium {
    /// The shared browser; none if no browser is installed.
    pub(crate) fn get() -> Option<Arc<Self>> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(browser) = shared.upgrade() {
            return Some(browser);
        }
        let Some(program) = find() else {
            println!("skipped: there is no Chromium; install it, or name it in LUDORUM_CHROMIUM");
            return None;
        };
        let browser = Arc::new(Self::launch(&program));
        *shared = Arc::downgrade(&browser);
        Some(browser)
    }

    fn launch(program: &PathBuf) -> Self {
        let profile = TempDir::new().expect("a folder for the browser");
        let mut child = Command::new(program)
            // Containers have neither a sandbox nor much shared memory; only pages of the arena are
            // opened.
            .args(["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"])
            .args(["--disable-gpu", "--hide-scrollbars", "--no-first-run"])
            // Pages in the background must not be throttled: all tests share the browser.
            .args(["--disable-background-timer-throttling"])
            .args(["--disable-renderer-backgrounding"])
            .args(["--disable-backgrounding-occluded-windows"])
            .args(["--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let said = child.stderr.take().expect("it can be heard");
        let mut lines = BufReader::new(said).lines().map_while(Result::ok);
        let address = lines.find_map(|line| {
            let address = line.strip_prefix("DevTools listening on ")?;
            Some(address.trim().to_owned())
        });
        // The pipe must be read, or the browser blocks when it is full.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            address: address.expect("the browser says where it can be reached"),
            _profile: profile,
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LUDORUM_CHROMIUM") {
        return Some(named.into());
    }
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let mut places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.find(|place| place.is_file())
}
