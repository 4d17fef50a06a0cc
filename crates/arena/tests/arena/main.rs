//! The arena from outside: a real server on this machine, and real requests.

mod archive;
mod guard;
mod inspection;
mod limits;
mod play;
mod secrets;
mod sheets;
mod support;
mod watch;
