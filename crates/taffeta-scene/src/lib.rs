//! Scene files, procedural meshes, readers and writers.
