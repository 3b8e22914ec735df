//! A few faces of a sheet by themselves: what moves some vertices while all others stay costs no more than their surroundings.

use crate::block::EnclosedVolume;
use crate::kinds::{Blocks, Build, Kind, Lists};
use crate::plate::{Plate, PlateEdge, PlateFace, PlateState, angle};
use glam::DVec3;
use nalgebra::{Matrix3, Vector3};
use taffeta_core::index::DenseIndex;
use taffeta_core::{EdgeIndex, FaceIndex, SurfaceTopology, VertexIndex};

/// Part of a surface as a surface of its own, with its blocks: all of which the energy depends on some vertices. What bends
/// about its rim is taken to stay as it is.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Of the patch.
    pub topology: SurfaceTopology,
    /// Strains, edge lengths and bending of the patch.
    pub blocks: Blocks,
    /// The vertices of the whole, in the order of those of the patch.
    pub vertices: Vec<VertexIndex>,
    /// The faces of the whole, in the order of those of the patch.
    pub faces: Vec<FaceIndex>,
    /// The edges of the whole's plate, in the order of those of the patch's.
    pub plate_edges: Vec<u32>,
}

/// Stands for what is not in a patch.
const NONE: u32 = u32::MAX;

impl Patch {
    /// The faces around the chosen vertices, and those beyond their edges, cut out of a surface at positions `x` \[m\].
    pub fn around(
        chosen: &[VertexIndex],
        topology: &SurfaceTopology,
        blocks: &Blocks,
        x: &[DVec3],
        state: &PlateState,
    ) -> Self {
        let faces = surroundings(chosen, topology);
        let mut numbers = vec![NONE; topology.vertex_count];
        let mut vertices: Vec<VertexIndex> = faces.iter().flat_map(|fi| topology.faces[*fi]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        (0..).zip(&vertices).for_each(|(number, vi)| numbers[vi.to_usize()] = number);
        let own = |vi: VertexIndex| VertexIndex(numbers[vi.to_usize()]);
        let corners = faces.iter().map(|fi| topology.faces[*fi].map(own)).collect();
        let mut patch = Self {
            topology: SurfaceTopology::from_faces(vertices.len(), corners),
            blocks: Blocks::default(),
            vertices,
            faces,
            plate_edges: Vec::new(),
        };
        let mut corners: Vec<_> = patch.faces.iter().map(|fi| topology.faces[*fi]).collect();
        corners.sort_unstable();
        patch.blocks = Blocks::build_from(blocks, &mut Cutting { corners: &corners, own: &own });
        (patch.blocks.ropes, patch.blocks.solids) = Default::default();
        patch.cut_plate(&blocks.plate, own, x, state);
        patch
    }

    /// The scalars of its plate, from those of the whole.
    pub fn scalars(&self, whole: &[f64]) -> Vec<f64> {
        self.plate_edges.iter().map(|edge| whole[*edge as usize]).collect()
    }

    /// The faces and edges of the plate that are in the patch.
    fn cut_plate(
        &mut self,
        whole: &Plate,
        own: impl Fn(VertexIndex) -> VertexIndex,
        x: &[DVec3],
        state: &PlateState,
    ) {
        let mut faces = vec![NONE; whole.faces.len()];
        let mut kept: Vec<PlateFace> = Vec::new();
        for (number, face) in whole.faces.iter().enumerate() {
            let Ok(place) = self.faces.binary_search(&face.face) else { continue };
            faces[number] = kept.len() as u32;
            kept.push(PlateFace { face: FaceIndex::from_usize(place), ..face.clone() });
        }
        let mut edges = vec![NONE; whole.edges.len()];
        let mut kept_edges: Vec<PlateEdge> = Vec::new();
        for (number, edge) in whole.edges.iter().enumerate() {
            let mut sides = edge.sides;
            sides.iter_mut().flatten().for_each(|(face, _)| *face = faces[*face as usize]);
            if sides.iter().flatten().any(|(face, _)| *face == NONE) {
                continue;
            }
            let first = sides.iter().flatten().next();
            let edge_of = |(face, place): &(u32, u8)| {
                self.topology.face_edges[kept[*face as usize].face][*place as usize]
            };
            let ei = first.map_or(EdgeIndex(0), edge_of);
            edges[number] = kept_edges.len() as u32;
            self.plate_edges.push(number as u32);
            kept_edges.push(PlateEdge { edge: ei, sides, vertices: edge.vertices.map(&own), ..edge.clone() });
        }
        for face in &mut kept {
            let held = face.edges.map(|edge| edge.filter(|e| edges[*e as usize] == NONE));
            if held != [None; 3] {
                let angles = face.edges.map(|edge| edge.map(|e| &whole.edges[e as usize]));
                let angles = angles.map(|edge| edge.map_or(0.0, |edge| angle(edge, x, &state.clamps)));
                hold_edges(face, held.map(|edge| edge.is_some()), eta(whole, face, angles, &state.scalars));
            }
            face.vertices = face.vertices.map(&own);
            face.edges = face.edges.map(|edge| edge.map(|e| edges[e as usize]));
        }
        self.blocks.plate = Plate { faces: kept, edges: kept_edges };
    }
}

/// The faces around some vertices, and those beyond their edges, in increasing order.
fn surroundings(chosen: &[VertexIndex], topology: &SurfaceTopology) -> Vec<FaceIndex> {
    let mut faces: Vec<FaceIndex> =
        chosen.iter().flat_map(|vi| topology.faces_around(*vi)).copied().collect();
    let edges = faces.iter().flat_map(|fi| topology.face_edges[*fi]);
    let beyond: Vec<FaceIndex> = edges.flat_map(|ei| topology.edges[ei].faces).flatten().collect();
    faces.extend(beyond);
    faces.sort_unstable();
    faces.dedup();
    faces
}

/// Takes the blocks of a patch, with the numbers that its vertices have there.
struct Cutting<'a, N> {
    /// The corners of the faces, sorted.
    corners: &'a [[VertexIndex; 3]],
    own: &'a N,
}

impl<N: Fn(VertexIndex) -> VertexIndex> Build<Lists> for Cutting<'_, N> {
    fn build<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &[B]) -> Vec<B> {
        let is_inside = |block: &&B| {
            let vertices = block.vertices();
            match <[VertexIndex; 3]>::try_from(vertices.as_slice()) {
                Ok(face) => self.corners.binary_search(&face).is_ok(),
                Err(_) => vertices.iter().all(|vi| (self.own)(*vi).0 != NONE),
            }
        };
        let renamed = |block: &B| {
            let mut block = block.clone();
            let vertices = block.vertices_mut()?;
            *vertices = vertices.map(self.own);
            Some(block)
        };
        blocks.iter().filter(is_inside).filter_map(renamed).collect()
    }

    /// The plate is cut afterwards: it needs the positions.
    fn plate(&mut self, _: &Plate) -> Plate {
        Plate::default()
    }

    fn volumes(&mut self, _: &[EnclosedVolume]) -> Vec<EnclosedVolume> {
        Vec::new()
    }
}

/// `η` of a face of a plate for the angles of its edges \[rad\].
fn eta(plate: &Plate, face: &PlateFace, angles: [f64; 3], scalars: &[f64]) -> Vector3<f64> {
    let eta = |k: usize| match face.edges[k] {
        Some(e) => plate.edges[e as usize].share * angles[k] + face.signs[k] * scalars[e as usize],
        None => face.rest[k],
    };
    Vector3::new(eta(0), eta(1), eta(2))
}

/// Takes edges that keep their `η` out of a face: what the others feel of them is as if they were bent at rest.
fn hold_edges(face: &mut PlateFace, held: [bool; 3], eta: Vector3<f64>) {
    let bent = eta - face.rest;
    let stiffness = face.stiffness;
    let mut moment = Vector3::zeros();
    let mut left = stiffness;
    for k in (0..3).filter(|k| held[*k]) {
        moment += stiffness.column(k) * bent[k];
        left.row_mut(k).fill(0.0);
        left.column_mut(k).fill(0.0);
        face.edges[k] = None;
        face.signs[k] = 0.0;
    }
    face.stiffness = left;
    // Where nothing resists, nothing is felt either.
    let mut invertible = left;
    for k in (0..3).filter(|k| left[(*k, *k)] <= 0.0) {
        invertible[(k, k)] = 1.0;
        moment[k] = 0.0;
    }
    if let Some(inverse) = Matrix3::try_inverse(invertible) {
        face.rest -= inverse * moment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BendingModel, ClothModel};
    use crate::testing::{Sheet, disturb, stiff};

    /// A disturbed sheet with a rest curvature and scalars of its own, and its blocks.
    fn crumpled(bending: BendingModel) -> (Sheet, Blocks, PlateState) {
        let mut model = ClothModel { bending, ..stiff() };
        model.rest_curvature = [0.5, -0.2, 0.1];
        let mut sheet = Sheet::square(9, 0.5, model);
        disturb(&mut sheet.state.positions, 0.01);
        let blocks = sheet.blocks();
        let scalar =
            |(e, edge): (usize, &PlateEdge)| if edge.has_scalar { 0.1 * (e as f64).sin() } else { 0.0 };
        let scalars = blocks.plate.edges.iter().enumerate().map(scalar).collect();
        (sheet, blocks, PlateState { scalars, clamps: Vec::new() })
    }

    #[test]
    fn what_is_chosen_feels_in_a_patch_what_it_feels_in_the_whole() {
        for bending in [BendingModel::Curvature, BendingModel::Hinge, BendingModel::Quadratic] {
            let (sheet, blocks, state) = crumpled(bending);
            let x = &sheet.state.positions.raw;
            // Inside, at the outline, at a corner.
            let chosen = [0, 4, 37, 38, 52].map(VertexIndex);
            let patch = Patch::around(&chosen, &sheet.topology, &blocks, x, &state);
            assert!(patch.faces.len() < sheet.topology.face_count() / 2);
            let own = PlateState { scalars: patch.scalars(&state.scalars), clamps: Vec::new() };
            let own_x: Vec<DVec3> = patch.vertices.iter().map(|vi| x[vi.to_usize()]).collect();
            let mut expected = vec![DVec3::ZERO; x.len()];
            blocks.add_gradient(x, &state, &mut expected);
            let mut found = vec![DVec3::ZERO; own_x.len()];
            patch.blocks.add_gradient(&own_x, &own, &mut found);
            let scale = expected.iter().map(|force| force.length()).fold(0.0, f64::max);
            for vi in chosen {
                let at = patch.vertices.binary_search(&vi).expect("it is in the patch");
                let gap = found[at].distance(expected[vi.to_usize()]);
                assert!(gap < 1e-12 * scale, "{bending:?}, {vi:?}: {gap}");
            }
            let moments = |plate: &Plate, x: &[DVec3], state: &PlateState| {
                plate.moments(&plate.angles(x, &[]), &state.scalars).1
            };
            let whole = moments(&blocks.plate, x, &state);
            for (edge, moment) in patch.plate_edges.iter().zip(moments(&patch.blocks.plate, &own_x, &own)) {
                assert!((whole[*edge as usize] - moment).abs() < 1e-15, "{bending:?}, edge {edge}");
            }
        }
    }
}
