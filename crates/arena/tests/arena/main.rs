//! Tests of the arena as a server, with HTTP requests.

mod archive;
mod guard;
mod inspection;
mod limits;
mod play;
mod secrets;
mod sheets;
mod support;
mod watch;
