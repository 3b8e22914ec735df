//! The world: state, steps, remeshing schedule and reports.
