//! Studies and checks as the program runs them.

mod study;
mod validate;
