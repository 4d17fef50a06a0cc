//! The arena as people meet it: real pages of a real server in a real browser, with a mouse.
//!
//! Chromium is looked for in the usual places, or where `LUDORUM_CHROMIUM` says; without it these
//! tests say so and pass. `cargo xtask test` installs it. Nothing sleeps here: whoever waits, waits
//! for something on the page. A picture of the page at which a test failed is left beside the other
//! files of the tests.

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
