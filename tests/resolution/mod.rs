//! A cloth on every mesh: rest and motion depend neither on the resolution nor on the pattern, nor on whether the mesh is
//! adaptive. Default settings throughout; points of different meshes are compared by material coordinates.

mod cantilever;
mod disk;
mod drape;
mod hung;
mod meshing;
mod swing;
