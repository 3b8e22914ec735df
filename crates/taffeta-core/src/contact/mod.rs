//! Contacts as solvers see them, and their friction.

pub mod contact_row;
pub mod friction;
