//! The arrays that go in.

use crate::sizing::settings::RemeshSettings;

/// Material coordinates \[m\].
#[derive(Clone, Copy, Debug)]
pub enum MaterialCoords<'a> {
    /// One per vertex.
    PerVertex(&'a [[f64; 2]]),
    /// One per corner of each face. Where the faces at an edge disagree there is a [seam](super#seams).
    PerCorner(&'a [[[f64; 2]; 3]]),
    /// Material points, and for each face those at its corners, as files have them. Which corners share a point does not
    /// matter, only where it is. Points that no face has are not used, but must be finite all the same.
    Indexed {
        /// The points \[m\].
        coords: &'a [[f64; 2]],
        /// Their numbers at the corners of the faces, in the order of the faces.
        faces: &'a [[u32; 3]],
    },
    /// There are none: the sheet is at rest [as it lies in space](super#without-material-coordinates).
    Positions,
}

/// A sheet, by vertices and faces that are numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct SheetArrays<'a> {
    /// Material coordinates.
    pub material: MaterialCoords<'a>,
    /// World positions of the vertices \[m\].
    pub positions: &'a [[f64; 3]],
    /// Corners of the faces, counter-clockwise in material space, or all clockwise in panels that are mirrored; where there
    /// are no material coordinates turned alike, whichever way.
    pub faces: &'a [[u32; 3]],
    /// True for each vertex that is held: it stays, and a split between two held vertices on the outline is held,
    /// too. `None`: all are free.
    pub pinned: Option<&'a [bool]>,
    /// World velocities of the vertices \[m/s\]; `None`: there are none. Linear momentum and the angular momentum of each
    /// connected piece about its center of mass are kept as far as no vertex is held. The mass per area must be uniform on
    /// each piece; its value does not matter.
    pub velocities: Option<&'a [[f64; 3]]>,
    /// Further fields, `attribute_width` numbers per vertex one after the other; linear on the faces.
    pub attributes: &'a [f64],
    /// Numbers per vertex in `attributes`.
    pub attribute_width: usize,
}

impl<'a> SheetArrays<'a> {
    /// A sheet without pinned vertices, velocities and attributes.
    pub fn new(material: MaterialCoords<'a>, positions: &'a [[f64; 3]], faces: &'a [[u32; 3]]) -> Self {
        Self {
            material,
            positions,
            faces,
            pinned: None,
            velocities: None,
            attributes: &[],
            attribute_width: 0,
        }
    }
}

/// Wanted lengths of edges, at the vertices of the input.
#[derive(Clone, Copy, Debug)]
pub enum SizingField<'a> {
    /// Largest edge length \[m\] in material space, per vertex.
    Sizes(&'a [f64]),
    /// A symmetric positive definite tensor \[1/m²\] in material space, per vertex: `m00`, `m01`, `m11`. An edge `u` is
    /// fine enough if `uᵀ M u ≤ 1`. At the vertices of seams its smallest size counts in all directions. Refused where there
    /// are no material coordinates, whose directions it speaks of.
    Metrics(&'a [[f64; 3]]),
    /// From the curvature and the strain of the sheet as it is, as in the simulation. The gradation of the simulation is
    /// part of it. All curvature counts, also that of a sheet without material coordinates.
    Shape(RemeshSettings),
}
