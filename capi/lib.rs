//! The C interface: graphs that are read from files or text, and sessions that run them on memory of the caller's.
//!
//! `tpulang.h` is generated from this crate, and `examples/run.c` uses it. Every function that can fail returns
//! [`TPULANG_OK`] or [`TPULANG_ERROR`] and leaves a message in [`tpulang_last_error`]. No panic crosses the border: it
//! becomes an error. A null pointer is an error, unless it is said that it may be null.
//!
//! Graphs and sessions may be used from several threads at once; they may be freed while no other call uses them.
#![allow(unsafe_code, reason = "pointers of C callers; docs/safety.md lists each use")]

mod arrays;
mod dlpack;
mod errors;
mod graph;
mod session;

pub use arrays::*;
pub use dlpack::*;
pub use errors::*;
pub use graph::*;
pub use session::*;
