//! Half-edge mesh with split, collapse and flip.
