//! From the rest shape to the plate.

use super::{Plate, PlateEdge, PlateFace};
use crate::model::{BendingModel, ClothModel};
use crate::state::RestShape;
use nalgebra::{Matrix3, Vector3};
use taffeta_core::index::DenseIndex;
use taffeta_core::math::Sym2;
use taffeta_core::topology::Edge;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, VertexIndex};

/// Supports of a sheet, as far as bending is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Supports<'a> {
    /// Inverse masses \[1/kg\]; 0 for a held vertex.
    pub inverse_masses: &'a [f64],
    /// The clamped edges, in order: the direction of the sheet is prescribed beyond them.
    pub clamps: &'a [EdgeIndex],
}

impl<'a> Supports<'a> {
    /// Held vertices without clamps.
    pub fn new(inverse_masses: &'a [f64]) -> Self {
        Self { inverse_masses, clamps: &[] }
    }

    fn holds(&self, corners: [VertexIndex; 3]) -> bool {
        corners.iter().all(|vi| self.inverse_masses[vi.to_usize()] == 0.0)
    }
}

/// Source from which a plate is built.
#[derive(Clone, Copy)]
struct Source<'a> {
    topology: &'a SurfaceTopology,
    rest: &'a RestShape,
    cloths: &'a [ClothModel],
    supports: &'a Supports<'a>,
}

impl Plate {
    /// Builds the plate of all cloths that bend by angles.
    pub fn build(
        topology: &SurfaceTopology,
        rest: &RestShape,
        cloths: &[ClothModel],
        supports: &Supports<'_>,
    ) -> Self {
        let source = Source { topology, rest, cloths, supports };
        let mut plate = Self::default();
        let mut numbers = IndexVec::filled(None, topology.face_count());
        for (fi, vertices) in topology.faces.iter_indexed() {
            let cloth = source.cloth(fi);
            let knows_angles = !matches!(
                cloth.bending,
                BendingModel::None | BendingModel::Quadratic | BendingModel::MeanCurvature
            );
            if !knows_angles || !cloth.material.bends() {
                continue;
            }
            numbers[fi] = Some(plate.faces.len() as u32);
            plate.faces.push(PlateFace {
                face: fi,
                vertices: *vertices,
                edges: [None; 3],
                signs: [0.0; 3],
                stiffness: Matrix3::zeros(),
                rest: Vector3::zeros(),
                damping: cloth.material.bend_damping,
                model: cloth.bending,
                can_yield: cloth.yields() && !source.is_held(fi),
            });
        }
        let mut clamps = IndexVec::filled(None, topology.edge_count());
        for (number, ei) in supports.clamps.iter().enumerate() {
            clamps[*ei] = Some(number as u32);
        }
        for (ei, edge) in topology.edges.iter_indexed() {
            plate.edges.extend(source.edge(ei, edge, clamps[ei], &numbers));
        }
        plate.connect();
        for face in &mut plate.faces {
            source.fill(face, &plate.edges);
        }
        plate.choose_scalars();
        plate
    }

    /// Tells the faces which edges they have.
    fn connect(&mut self) {
        for (number, edge) in self.edges.iter().enumerate() {
            for (side, sign) in edge.sides.iter().zip([1.0, -1.0]) {
                let Some((face, place)) = *side else { continue };
                let face = &mut self.faces[face as usize];
                face.edges[place as usize] = Some(number as u32);
                face.signs[place as usize] = sign;
            }
        }
    }

    /// Gives a `φ` to the edges between two faces of curvature cloths, if anything resists it.
    fn choose_scalars(&mut self) {
        for edge in &mut self.edges {
            let [Some(first), Some(second)] = edge.sides else { continue };
            let stiffness = |(face, place): (u32, u8)| {
                self.faces[face as usize].stiffness[(place as usize, place as usize)]
            };
            edge.has_scalar = self.faces[first.0 as usize].model == BendingModel::Curvature
                && stiffness(first) + stiffness(second) > 0.0;
        }
    }
}

impl<'a> Source<'a> {
    fn cloth(&self, fi: FaceIndex) -> &'a ClothModel {
        &self.cloths[self.rest.cloths[fi] as usize]
    }

    fn is_held(&self, fi: FaceIndex) -> bool {
        self.supports.holds(self.topology.faces[fi])
    }

    /// The edge, if it has an angle that can change: between two faces that are not both held, or clamped.
    fn edge(
        &self,
        ei: EdgeIndex,
        edge: &Edge,
        clamp: Option<u32>,
        numbers: &IndexVec<FaceIndex, Option<u32>>,
    ) -> Option<PlateEdge> {
        let side = |k: usize| {
            let fi = edge.faces[k]?;
            let place = self.topology.face_edges[fi].iter().position(|e| *e == ei)?;
            Some((fi, numbers[fi]?, place as u8, edge.opposites[k]?))
        };
        let [a, b] = edge.vertices;
        let clamped =
            |([a, b], (fi, face, place, c)): ([VertexIndex; 2], (FaceIndex, u32, u8, VertexIndex))| {
                PlateEdge {
                    edge: ei,
                    vertices: [a, b, c, c],
                    sides: [Some((face, place)), None],
                    share: 1.0,
                    has_scalar: false,
                    clamp,
                    reference: self.rest.last_angles[ei],
                    doubled_areas: [2.0 * self.rest.areas[fi]; 2],
                }
            };
        let free = |side: &(FaceIndex, u32, u8, VertexIndex)| !self.is_held(side.0);
        match (clamp, side(0), side(1)) {
            (Some(_), first, second) => {
                // Beyond a clamp only a face that can move is left to bend.
                let first = first.filter(free).map(|side| ([a, b], side));
                first.or(second.filter(free).map(|side| ([b, a], side))).map(clamped)
            }
            (None, Some(first), Some(second)) if free(&first) || free(&second) => Some(PlateEdge {
                edge: ei,
                vertices: [a, b, first.3, second.3],
                sides: [Some((first.1, first.2)), Some((second.1, second.2))],
                share: 0.5,
                has_scalar: false,
                clamp: None,
                reference: self.rest.last_angles[ei],
                doubled_areas: [first.0, second.0].map(|fi| 2.0 * self.rest.areas[fi]),
            }),
            _ => None,
        }
    }

    /// Stiffness and rest state of a face whose edges are known.
    fn fill(&self, face: &mut PlateFace, edges: &[PlateEdge]) {
        let cloth = self.cloth(face.face);
        let v = curvature_columns(self.rest, face.face);
        face.rest = rest_angles(self.rest, cloth, face, edges);
        if cloth.bending == BendingModel::Hinge {
            for k in 0..3 {
                face.stiffness[(k, k)] =
                    face.edges[k].map_or(0.0, |e| self.hinge_stiffness(face, k, &edges[e as usize]));
            }
            return;
        }
        face.stiffness = v.transpose() * cloth.material.bending_matrix() * v;
        if self.is_held(face.face) {
            let own = face.stiffness;
            face.stiffness = Matrix3::zeros();
            for k in (0..3).filter(|k| face.edges[*k].is_some()) {
                face.stiffness[(k, k)] = own[(k, k)] * self.share_of_depth(face.face, k);
            }
            return;
        }
        for k in (0..3).filter(|k| face.edges[*k].is_none()) {
            if face.stiffness[(k, k)] > 0.0 {
                let column = face.stiffness.column(k).clone_owned();
                face.stiffness -= column * column.transpose() / face.stiffness[(k, k)];
            }
            face.stiffness.row_mut(k).fill(0.0);
            face.stiffness.column_mut(k).fill(0.0);
        }
    }

    /// The height of a held face over an edge, as a part of the depth of the held row of cells behind it. The moment of the
    /// edge then rotates the held row as a clamp in the middle of the row would let it rotate, whatever its triangles.
    fn share_of_depth(&self, fi: FaceIndex, k: usize) -> f64 {
        let corners = self.rest.corners[fi];
        let (tail, tip) = (corners[k], corners[(k + 1) % 3]);
        let inward = (tip - tail).perp().normalize();
        let height = inward.dot(corners[(k + 2) % 3] - tail);
        let mut depth = height;
        for (end, place) in [(k, tail), ((k + 1) % 3, tip)] {
            let vertex = self.topology.faces[fi][end];
            for around in self.topology.faces_around(vertex).iter().filter(|around| self.is_held(**around)) {
                let others = self.rest.corners[*around];
                let own = self.topology.faces[*around].iter().position(|vi| *vi == vertex);
                // Only faces laid out together can be measured together.
                if own.is_some_and(|own| others[own] == place) {
                    depth = others.iter().map(|other| inward.dot(*other - place)).fold(depth, f64::max);
                }
            }
        }
        height / depth
    }

    /// The entry of `K` that makes a hinge, `½ k θ²` for both faces together with `k = D |e|²/(A₁+A₂)`. At a clamp
    /// there is no second face.
    fn hinge_stiffness(&self, face: &PlateFace, k: usize, edge: &PlateEdge) -> f64 {
        let corners = self.rest.corners[face.face];
        let along = corners[(k + 1) % 3] - corners[k];
        let direction = along.normalize();
        let bending = self.cloth(face.face).material.bending_stiffness([-direction.y, direction.x]);
        let doubled = edge.doubled_areas;
        if edge.clamp.is_some() {
            return bending * along.length_squared() / (0.5 * doubled[0]);
        }
        2.0 * bending * along.length_squared() / (0.5 * (doubled[0] + doubled[1]))
    }
}

/// `η₀` of a face \[rad\]: what its curvature at rest asks for, and the angles at rest.
pub(super) fn rest_angles(
    rest: &RestShape,
    cloth: &ClothModel,
    face: &PlateFace,
    edges: &[PlateEdge],
) -> Vector3<f64> {
    let mut eta = rest_eta(rest, cloth, face.face);
    for k in 0..3 {
        if let Some(e) = face.edges[k] {
            let edge = &edges[e as usize];
            eta[k] += edge.share * rest.angles[edge.edge];
        }
    }
    eta
}

/// `η₀` of the edges of a face \[rad\] that the rest curvature of its cloth and its own plastic curvature ask for:
/// `Σ v_i η_i = √A (κ₀ + κ_p)`.
pub(crate) fn rest_eta(rest: &RestShape, cloth: &ClothModel, fi: FaceIndex) -> Vector3<f64> {
    let plastic = rest.plastic_curvatures[fi];
    if cloth.rest_curvature == [0.0; 3] && plastic == Sym2::default() {
        return Vector3::zeros();
    }
    let [uu, vv, uv] = cloth.rest_curvature;
    let [uu, vv, uv] = [uu + plastic.xx, vv + plastic.yy, uv + plastic.xy];
    let scaled = Vector3::new(uu, vv, 2.0 * uv) * rest.areas[fi].sqrt();
    curvature_columns(rest, fi).try_inverse().map_or(Vector3::zeros(), |inverse| inverse * scaled)
}

/// The columns `v_i` \[m/√m²\] of a face: `√A κ = Σ v_i η_i` in Voigt form.
pub(super) fn curvature_columns(rest: &RestShape, fi: FaceIndex) -> Matrix3<f64> {
    let corners = rest.corners[fi];
    let root = rest.areas[fi].sqrt();
    let column = |k: usize| {
        let edge = corners[(k + 1) % 3] - corners[k];
        let length = edge.length();
        // Counter-clockwise corners: the outward normal lies to the right of the edge.
        let t = -edge.perp() / length;
        Vector3::new(t.x * t.x, t.y * t.y, 2.0 * t.x * t.y) * (length / root)
    };
    Matrix3::from_columns(&[column(0), column(1), column(2)])
}
