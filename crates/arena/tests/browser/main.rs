//! Browser tests: pages of a real server in a headless browser, operated with the mouse.
//!
//! Chromium is searched in the usual places, or given by `LUDORUM_CHROMIUM`; without it these tests
//! print a message and pass. `cargo xtask test` installs it. Tests wait for conditions on the page
//! and never sleep for a fixed time. A failing test saves a screenshot.

#[path = "../arena/support.rs"]
#[allow(dead_code)]
mod support;

mod chromium;
mod first_page;
mod library;
mod looks;
mod play;
mod sheets;
mod tab;
mod watch;
