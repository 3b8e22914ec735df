//! The program as its users see it: commands, files, messages and exit statuses.

mod common;
mod contract;
mod damaged;
mod durability;
mod external;
mod extremes;
mod formats;
mod interrupt;
mod killed;
mod memory;
mod meshes;
mod pictures;
mod refusals;
mod remesh;
mod resume;
mod statics;
mod study;
mod tools;
mod units;
mod view;
