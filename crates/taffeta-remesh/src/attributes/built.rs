//! The attributes of a mesh that has just been built: at rest, with its panels numbered.

use crate::attributes::rest::{is_seam, rest_angle};
use crate::attributes::{EdgeAttributes, FaceAttributes, SheetAttributes, VertexAttributes};
use glam::{DVec2, DVec3};
use taffeta_core::components::Components;
use taffeta_core::math::Sym2;
use taffeta_mesh::{BuiltMesh, HalfedgeMesh, slot_of};

impl SheetAttributes {
    /// The attributes of a sheet at rest at time 0, free of pins.
    ///
    /// `positions` are world positions per input vertex \[m\], `corners` material coordinates per input face and corner
    /// \[m\], `cloths` cloth numbers per input face.
    ///
    /// # Panics
    /// If a slice has another length than the input of the mesh.
    pub fn from_built(
        built: &BuiltMesh,
        positions: &[DVec3],
        corners: &[[DVec2; 3]],
        cloths: &[u32],
    ) -> Self {
        assert_eq!(positions.len(), built.vertices.len(), "one position per vertex");
        assert_eq!(
            (corners.len(), cloths.len()),
            (built.faces.len(), built.faces.len()),
            "one entry per face"
        );
        let mut attributes = Self::with_room_for(&built.mesh);
        for (number, (&v, &position)) in (0u32..).zip(built.vertices.iter().zip(positions)) {
            let vertex = VertexAttributes {
                position,
                velocity: DVec3::ZERO,
                start: position,
                hold: None,
                input: Some(number),
                metric: Sym2::default(),
                is_stitched: false,
            };
            attributes.vertices.insert(v, vertex);
        }
        for e in built.mesh.edge_keys() {
            attributes.edges.insert(e, EdgeAttributes::flat([DVec2::ZERO; 2]));
        }
        for ((&f, face_corners), &cloth) in built.faces.iter().zip(corners).zip(cloths) {
            let face =
                FaceAttributes { cloth, panel: 0, rest_error: None, plastic_curvature: Sym2::default() };
            attributes.faces.insert(f, face);
            // The half-edges of a built face start at its first corner.
            attributes.set_corners(&built.mesh, built.mesh.face_halfedges(f), *face_corners);
        }
        number_panels(built, &mut attributes);
        attributes
    }

    /// Makes the start positions of a cloth its rest shape, with the rest angles that they have. The corners must be
    /// the faces laid flat.
    pub fn rest_in_space(&mut self, mesh: &HalfedgeMesh, cloth: u32) {
        self.rest_in_space_where(mesh, |other| other == cloth);
    }

    /// [`rest_in_space`](Self::rest_in_space) of the chosen cloths.
    pub(crate) fn rest_in_space_where(&mut self, mesh: &HalfedgeMesh, is_chosen: impl Fn(u32) -> bool) {
        for f in mesh.face_keys() {
            let face = &mut self.faces[f];
            if is_chosen(face.cloth) {
                (face.panel, face.rest_error) = (0, Some(0.0));
            }
        }
        for e in mesh.edge_keys() {
            if mesh.edge_faces(e).into_iter().flatten().all(|f| is_chosen(self.faces[f].cloth)) {
                self.edges[e].rest_angle = rest_angle(mesh, self, e);
                self.edges[e].angle = self.edges[e].rest_angle;
            }
        }
    }
}

/// Numbers the panels of each cloth in the order of their first faces.
fn number_panels(built: &BuiltMesh, attributes: &mut SheetAttributes) {
    let mesh = &built.mesh;
    let mut number_of = vec![0u32; mesh.face_slot_limit()];
    (0..).zip(&built.faces).for_each(|(number, &f)| number_of[slot_of(f)] = number);
    let mut panels = Components::new(built.faces.len());
    for e in mesh.edge_keys() {
        let [Some(f), Some(g)] = mesh.edge_faces(e) else { continue };
        if !is_seam(mesh, attributes, e) {
            panels.join(number_of[slot_of(f)], number_of[slot_of(g)]);
        }
    }
    let mut counts: Vec<u32> = Vec::new();
    for panel in panels.lists() {
        let cloth = attributes.faces[built.faces[panel[0] as usize]].cloth as usize;
        counts.resize(counts.len().max(cloth + 1), 0);
        for number in panel {
            attributes.faces[built.faces[number as usize]].panel = counts[cloth];
        }
        counts[cloth] += 1;
    }
}
