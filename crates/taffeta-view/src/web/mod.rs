//! The server: requests, sockets, and who may use them.

pub(crate) mod assets;
pub(crate) mod guard;
pub(crate) mod http;
pub(crate) mod server;
pub(crate) mod socket;
pub(crate) mod stage;
