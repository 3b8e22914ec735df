//! Passes, sizing fields and transfer on sheets whose state is known in closed form.

mod anisotropic;
mod arrays;
mod attributes;
mod common;
mod folds;
mod motion;
mod open;
mod panels;
mod pass;
mod popping;
mod sizing;
mod space;
mod transfer;
mod weld;
