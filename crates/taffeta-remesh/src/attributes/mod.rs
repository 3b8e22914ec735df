//! Attributes of the elements of a keyed mesh, and values derived from them.
//!
//! Material coordinates belong to corners, not to vertices, so that the two sides of a seam can differ. Faces that agree
//! about them form a panel, a chart of its own; what the charts of a cloth say may overlap. [`is_single_valued`] tells
//! whether there are seams.
//!
//! A cloth without material coordinates is at rest in its start shape. Its rest shape are the start positions in space, and
//! each face has a frame of its own, the face laid flat. [`SheetAttributes::rest_in_space`] makes it one.
//!
//! Masses, areas and rest shapes are never stored: they follow from the corners.

pub(crate) mod built;
pub(crate) mod hold;
pub(crate) mod rest;
pub(crate) mod space;

use crate::attributes::hold::Hold;
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use slotmap::SecondaryMap;
use taffeta_core::geometry::doubled_area;
use taffeta_core::math::Sym2;
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, Side, VertexKey, slot_of};

/// The attributes of all sheets of a mesh, one entry per element.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SheetAttributes {
    /// Per vertex.
    pub vertices: SecondaryMap<VertexKey, VertexAttributes>,
    /// Per edge.
    pub edges: SecondaryMap<EdgeKey, EdgeAttributes>,
    /// Per face.
    pub faces: SecondaryMap<FaceKey, FaceAttributes>,
}

/// Attributes of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VertexAttributes {
    /// World position \[m\].
    pub position: DVec3,
    /// World velocity \[m/s\].
    pub velocity: DVec3,
    /// World position of this material point at time 0 \[m\]; of a cloth without material coordinates the rest shape.
    pub start: DVec3,
    /// Hold of a pin on the vertex; `None`: it is free.
    pub hold: Option<Hold>,
    /// Number of the vertex in the input mesh; `None`: made by a split.
    pub input: Option<u32>,
    /// Sizing metric of the last pass \[1/m²\], in material space; zero before the first.
    pub metric: Sym2,
    /// True if the vertex is about to be sewn to another. Passes leave it where it is, and the boundary edges between
    /// two such vertices whole.
    pub is_stitched: bool,
}

/// Attributes of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeAttributes {
    /// Material coordinates \[m\] of the tail of the half-edge on each side, as seen from the face on that side. On the
    /// boundary, where that side has no face: as seen from the face on the other side.
    pub corners: [DVec2; 2],
    /// Hinge angle at rest \[rad\]; 0 where the cloth has material coordinates: it is flat at rest.
    pub rest_angle: f64,
    /// Hinge angle when it was last measured \[rad\], continued through full folds; new angles are unwrapped against it.
    pub angle: f64,
    /// Scalar of curvature bending \[rad\], as seen from the face on the first side; 0 on new edges.
    pub scalar: f64,
    /// True if the spring along the edge has let go, and the hinge with it; for good.
    pub broken: bool,
}

impl EdgeAttributes {
    /// A whole edge that is flat, at rest too.
    pub(crate) fn flat(corners: [DVec2; 2]) -> Self {
        Self { corners, rest_angle: 0.0, angle: 0.0, scalar: 0.0, broken: false }
    }
}

/// Attributes of a face.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaceAttributes {
    /// Number of the cloth.
    pub cloth: u32,
    /// Number of the panel in its cloth; 0 in a cloth without seams.
    pub panel: u32,
    /// Bound of the distance of the rest shape from that of the input \[m\], if it is in space: the sum of the displacements by
    /// edits. `None`: the rest shape is flat, that of the material coordinates.
    pub rest_error: Option<f64>,
    /// Plastic curvature in the chart of the face \[1/m\]: folds that stay; zero where nothing has yielded.
    pub plastic_curvature: Sym2,
}

impl SheetAttributes {
    /// No attributes, with room for those of a mesh, and for a quarter more: the first split would otherwise copy everything.
    pub fn with_room_for(mesh: &HalfedgeMesh) -> Self {
        let room = |slots: usize| slots * 5 / 4;
        Self {
            vertices: SecondaryMap::with_capacity(room(mesh.vertex_slot_limit())),
            edges: SecondaryMap::with_capacity(room(mesh.edge_slot_limit())),
            faces: SecondaryMap::with_capacity(room(mesh.face_slot_limit())),
        }
    }

    /// Sets the material coordinates \[m\] of the corners of a face, which its half-edges leave in this order, and so those
    /// of the outer sides of its boundary edges.
    pub fn set_corners(&mut self, mesh: &HalfedgeMesh, halfedges: [Halfedge; 3], corners: [DVec2; 3]) {
        for (k, he) in halfedges.into_iter().enumerate() {
            let edge = &mut self.edges[he.edge];
            edge.corners[he.side.index()] = corners[k];
            if mesh.is_boundary_halfedge(he.twin()) {
                edge.corners[he.twin().side.index()] = corners[(k + 1) % 3];
            }
        }
    }

    /// The material coordinate of the tail of a half-edge \[m\], as seen from its face.
    #[inline]
    pub fn material_of(&self, he: Halfedge) -> DVec2 {
        self.edges[he.edge].corners[he.side.index()]
    }

    /// The material coordinates of the corners of a face \[m\], in the order of
    /// [`HalfedgeMesh::face_vertices`].
    #[inline]
    pub fn face_material(&self, mesh: &HalfedgeMesh, f: FaceKey) -> [DVec2; 3] {
        mesh.face_halfedges(f).map(|he| self.material_of(he))
    }

    /// The area of a face in material space \[m²\].
    pub fn material_area(&self, mesh: &HalfedgeMesh, f: FaceKey) -> f64 {
        0.5 * doubled_area(self.face_material(mesh, f))
    }

    /// The cloth of a vertex.
    ///
    /// # Panics
    /// If the vertex is not part of the mesh or has no attributes around it.
    pub fn cloth_of_vertex(&self, mesh: &HalfedgeMesh, v: VertexKey) -> u32 {
        let f = mesh.faces_around(v).next().expect("every vertex has a face");
        self.faces[f].cloth
    }
}

/// The lumped mass of a vertex \[kg\] at an areal density \[kg/m²\]: a third of the mass of every face around it.
pub fn lumped_mass(mesh: &HalfedgeMesh, attributes: &SheetAttributes, v: VertexKey, density: f64) -> f64 {
    density / 3.0 * mesh.faces_around(v).map(|f| attributes.material_area(mesh, f)).sum::<f64>()
}

/// Returns whether all corners at each vertex of a cloth have the same material coordinate, bit for bit: no seams.
pub fn is_single_valued(mesh: &HalfedgeMesh, attributes: &SheetAttributes, cloth: u32) -> bool {
    let mut coords: Vec<Option<DVec2>> = vec![None; mesh.vertex_slot_limit()];
    mesh.face_keys().filter(|&f| attributes.faces[f].cloth == cloth).all(|f| {
        mesh.face_halfedges(f).into_iter().all(|he| {
            let coord = attributes.material_of(he);
            *coords[slot_of(mesh.tail(he))].get_or_insert(coord) == coord
        })
    })
}

/// Why attributes do not fit their mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadAttributes {
    /// A vertex has none.
    #[error("{0:?} has no attributes")]
    MissingVertex(VertexKey),
    /// An edge has none.
    #[error("{0:?} has no attributes")]
    MissingEdge(EdgeKey),
    /// A face has none.
    #[error("{0:?} has no attributes")]
    MissingFace(FaceKey),
    /// There are attributes of elements that the mesh does not have.
    #[error(
        "there are attributes of {vertices} vertices, {edges} edges and {faces} faces that the mesh does not have"
    )]
    Leftover {
        /// Vertices too many.
        vertices: usize,
        /// Edges too many.
        edges: usize,
        /// Faces too many.
        faces: usize,
    },
    /// A position, velocity, metric or hold is not finite.
    #[error("{0:?} has an attribute that is not finite")]
    NotFinite(VertexKey),
    /// A plastic curvature is not finite.
    #[error("{0:?} has a plastic curvature that is not finite")]
    Fold(FaceKey),
    /// A face has no area in material space, or is turned over.
    #[error("{face:?} has a material area of {area} m²")]
    Area {
        /// The face.
        face: FaceKey,
        /// Its signed area \[m²\].
        area: f64,
    },
    /// The side of a boundary edge that has no face disagrees with the side that has one.
    #[error("the two sides of boundary {0:?} have different material coordinates")]
    BoundaryCorner(EdgeKey),
    /// Two neighbors belong to different cloths.
    #[error("the faces of {0:?} belong to different cloths")]
    MixedCloths(EdgeKey),
}

/// Checks that every element has attributes, that nothing else has, and that they make sense.
///
/// # Errors
/// The first offense.
pub fn validate_attributes(mesh: &HalfedgeMesh, attributes: &SheetAttributes) -> Result<(), BadAttributes> {
    for v in mesh.vertex_keys() {
        let vertex = attributes.vertices.get(v).ok_or(BadAttributes::MissingVertex(v))?;
        let Sym2 { xx, xy, yy } = vertex.metric;
        let spatial = [vertex.position, vertex.velocity, vertex.start];
        let is_finite = spatial.iter().all(|x| x.is_finite()) && [xx, xy, yy].iter().all(|x| x.is_finite());
        if !is_finite || !vertex.hold.as_ref().is_none_or(Hold::is_sound) {
            return Err(BadAttributes::NotFinite(v));
        }
    }
    for e in mesh.edge_keys() {
        attributes.edges.get(e).ok_or(BadAttributes::MissingEdge(e))?;
    }
    for f in mesh.face_keys() {
        let face = attributes.faces.get(f).ok_or(BadAttributes::MissingFace(f))?;
        let Sym2 { xx, xy, yy } = face.plastic_curvature;
        if ![xx, xy, yy].iter().all(|x| x.is_finite()) {
            return Err(BadAttributes::Fold(f));
        }
        let area = attributes.material_area(mesh, f);
        if area.is_nan() || area <= 0.0 {
            return Err(BadAttributes::Area { face: f, area });
        }
    }
    for e in mesh.edge_keys() {
        validate_edge(mesh, attributes, e)?;
    }
    let vertices = attributes.vertices.len() - mesh.vertex_count();
    let edges = attributes.edges.len() - mesh.edge_count();
    let faces = attributes.faces.len() - mesh.face_count();
    if vertices + edges + faces > 0 {
        return Err(BadAttributes::Leftover { vertices, edges, faces });
    }
    Ok(())
}

fn validate_edge(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> Result<(), BadAttributes> {
    match mesh.edge_faces(e) {
        [Some(first), Some(second)] if attributes.faces[first].cloth != attributes.faces[second].cloth => {
            Err(BadAttributes::MixedCloths(e))
        }
        [Some(_), Some(_)] => Ok(()),
        [first, _] => {
            let outside = Halfedge::new(e, if first.is_none() { Side::First } else { Side::Second });
            let seen_inside = attributes.material_of(mesh.next(outside.twin()));
            let agree = attributes.material_of(outside) == seen_inside;
            if agree { Ok(()) } else { Err(BadAttributes::BoundaryCorner(e)) }
        }
    }
}
