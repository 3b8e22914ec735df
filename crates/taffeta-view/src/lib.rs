//! A local page to watch and to touch a simulation.
//!
//! ```text
//!  browser ──commands──► socket ──► Queue ──► one thread: LiveShow (owns the World) or FolderShow (reads a result folder)
//!  browser ◄──frames──── socket ◄────────────── the latest Snapshot only: a slow browser drops frames
//! ```
//!
//! [`Server::bind`] takes a port of the loopback address, [`Server::run`] serves a [`Show`] on it until Ctrl-C. All browsers
//! see the same show and all may command it. A browser gets a frame when it has taken over those before it; faces are sent only
//! when they have changed. The server writes no files, takes no paths from the page and fetches nothing: page, styles and
//! three.js are part of the program.
//!
//! Several measures keep other people, pages and machines out:
//! - The server listens on the loopback address.
//! - Page and socket open only with the random token in the address of the page (`guard`).
//! - `Host` and `Origin` headers must name the server, against names that are made to lead here (`guard`).
//! - A content security policy lets the page load and call nothing but its server (`guard`).
//! - A resource policy lets no other page load what the server serves (`guard`).
//!
//! A refused command is reported to the browser that sent it.

#![forbid(unsafe_code)]

mod command;
mod error;
mod latest_output;
mod pictures;
mod queue;
mod show;
mod status;
mod web;

pub use error::ViewError;
pub use show::Show;
pub use show::folder::FolderShow;
pub use show::live::LiveShow;
pub use web::server::Server;
