//! Flat panels: outlines, sewing patterns, and their seams.

pub mod garment;
pub mod outline;
pub mod panels;
pub mod seam_table;
