//! Half-edge mesh with split, collapse, flip, weld and opening.
//!
//! ```text
//!            c                     h : a → b, its face on its left; twin(h) : b → a in the other face.
//!          ↗   ↖                   next(h) : b → c, prev(h) : c → a.
//!    prev /  f  \ next             An edge owns its two half-edges: `Halfedge = (EdgeKey, Side)`, so the
//!        /   h   \                 twin is the other side of the same edge, total and free.
//!      a ────────→ b               Where the surface ends the half-edge is still there, without a face, and
//!      a ←──────── b               its `next` runs along the boundary: `next` is total as well.
//!        ↖ twin(h)↙
//! ```
//!
//! The mesh is connectivity only. It knows no positions, no material coordinates and no solver. Attributes live in
//! `slotmap::SecondaryMap`s of their owners. [`SplitRecord`], [`CollapseRecord`], [`FlipRecord`], [`WeldRecord`] and
//! [`OpenRecord`] name the elements that an edit re-used, created and removed, so that attributes can follow. There are no
//! callbacks.
//!
//! Invariants, all checked by [`HalfedgeMesh::validate`]:
//!
//! * Faces are triangles, and every edge has a face.
//! * Every vertex has exactly one fan of faces, its one-ring.
//! * Two vertices share at most one edge, and three vertices at most one face.
//! * A boundary vertex starts at its boundary half-edge.
//!
//! An edit that would break an invariant is refused with a reason and changes nothing. Edits keep the Euler characteristic,
//! the boundary loops and the components, except for the weld, which joins boundaries, and the opening, which makes them.
//!
//! A mesh may have several components: all cloths of a world live in one.
//!
//! [`HalfedgeMesh::dense_topology`] turns the keyed mesh into the dense arrays on which solvers run.
//!
//! Source of the link condition: T. K. Dey, H. Edelsbrunner, S. Guha, D. V. Nekhayev, Topology preserving edge
//! contraction (1999).

#![forbid(unsafe_code)]

mod build;
mod circulate;
mod collapse;
mod dense_topology;
mod flip;
mod keys;
mod mesh;
mod open;
mod parts;
mod split;
mod validate;
mod weld;

pub use build::{BuildError, BuiltMesh};
pub use circulate::{HalfedgesAround, LoopHalfedges};
pub use collapse::{CollapseBlocked, CollapseRecord, MergedEdge};
pub use dense_topology::{DenseTopology, KeyTable};
pub use flip::{FlipBlocked, FlipRecord};
pub use keys::{EdgeKey, FaceKey, Halfedge, Side, VertexKey, slot_of};
pub use mesh::HalfedgeMesh;
pub use open::{OpenBlocked, OpenRecord, OpenedEdge};
pub use parts::AppendRecord;
pub use split::{SplitBlocked, SplitRecord, SplitSide};
pub use validate::Broken;
pub use weld::{GluedEdge, WeldBlocked, WeldRecord};
