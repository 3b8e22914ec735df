//! The program as its users see it: commands, files, messages and exit statuses.

mod common;
mod contract;
mod external;
mod extremes;
mod formats;
mod interrupt;
mod memory;
mod meshes;
mod pictures;
mod refusals;
mod remesh;
mod resume;
mod statics;
mod study;
mod tools;
mod view;
