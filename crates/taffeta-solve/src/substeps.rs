//! How many substeps the block driver needs.
