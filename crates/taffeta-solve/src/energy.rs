//! Energies and gradients of all blocks: passes over the list of kinds.

use crate::block::{Block, EnclosedVolume, gather};
use crate::kinds::{Blocks, Kind, Lists, Part, RopeBlocks, SolidBlocks, Visitor, VisitorMut};
use crate::plate::{Plate, PlateState};
use glam::DVec3;
use taffeta_core::index::DenseIndex;
use taffeta_core::{EdgeIndex, IndexVec, VertexIndex};

/// The elastic energies of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticEnergy {
    /// Of the membrane, of segments of ropes, of solids, of enclosed volumes and of stitches \[J\].
    pub stretch: f64,
    /// Of bending \[J\].
    pub bend: f64,
}

impl Blocks {
    /// The elastic energies at positions `x` \[m\].
    pub fn energy(&self, x: &[DVec3], plate: &PlateState) -> ElasticEnergy {
        let mut pass = Energy { x, plate, sum: NOTHING };
        self.visit(&mut pass);
        pass.sum
    }

    /// Hands over the elastic energies \[J\] of faces, edges, enclosed volumes and stitches one by one, each with one of
    /// its vertices. Sums of these are the energies of connected pieces. The energies of ropes and of the insides of solids
    /// are left out.
    pub fn each_energy(&self, x: &[DVec3], plate: &PlateState, take: impl FnMut(VertexIndex, f64)) {
        self.visit(&mut EachEnergy { x, plate, take });
    }

    /// Adds the gradient of the elastic energy \[N\] at positions `x` \[m\] to `out`.
    pub fn add_gradient(&self, x: &[DVec3], plate: &PlateState, out: &mut [DVec3]) {
        self.visit(&mut Gradient { x, plate, out });
    }

    /// Takes out the blocks of edges that have let go, and what bends about them.
    pub fn switch_off(&mut self, edges: &IndexVec<EdgeIndex, bool>) {
        self.visit_mut(&mut SwitchOff { edges });
    }
}

/// The sum of no energies: minus zero, to which any number can be added without a change of its bits.
const NOTHING: ElasticEnergy = ElasticEnergy { stretch: -0.0, bend: -0.0 };

/// The sum of all energies.
struct Energy<'a> {
    x: &'a [DVec3],
    plate: &'a PlateState,
    sum: ElasticEnergy,
}

impl Energy<'_> {
    /// Adds a group that is summed up by itself: the order of the sums is part of the result.
    fn add_group(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.sum, NOTHING);
        visit(self);
        self.sum.stretch += before.stretch;
        self.sum.bend += before.bend;
    }
}

impl Visitor<Lists> for Energy<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &Vec<B>) {
        if B::IS_COUNTED {
            let energy: f64 = blocks.iter().map(|b| b.energy(&gather(b.vertices(), self.x))).sum();
            match B::PART {
                Part::Stretch => self.sum.stretch += energy,
                Part::Bend => self.sum.bend += energy,
            }
        }
    }

    fn plate(&mut self, plate: &Plate) {
        self.sum.bend += plate.energy(&plate.angles(self.x, &self.plate.clamps), &self.plate.scalars);
    }

    fn ropes(&mut self, ropes: &RopeBlocks) {
        self.add_group(|pass| ropes.visit(pass));
    }

    fn solids(&mut self, solids: &SolidBlocks) {
        self.add_group(|pass| solids.visit(pass));
    }

    fn volumes(&mut self, volumes: &Vec<EnclosedVolume>) {
        self.sum.stretch += volumes.iter().map(|volume| volume.energy(self.x)).sum::<f64>();
    }
}

/// The energies one by one.
struct EachEnergy<'a, T> {
    x: &'a [DVec3],
    plate: &'a PlateState,
    take: T,
}

impl<T: FnMut(VertexIndex, f64)> Visitor<Lists> for EachEnergy<'_, T> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &Vec<B>) {
        for block in blocks.iter().filter(|_| B::IS_COUNTED) {
            let vertices = block.vertices();
            (self.take)(vertices[0], block.energy(&gather(vertices, self.x)));
        }
    }

    fn plate(&mut self, plate: &Plate) {
        let angles = plate.angles(self.x, &self.plate.clamps);
        for face in &plate.faces {
            (self.take)(face.vertices[0], plate.face_energy(face, &angles, &self.plate.scalars));
        }
    }

    fn ropes(&mut self, _: &RopeBlocks) {}

    fn solids(&mut self, _: &SolidBlocks) {}

    fn volumes(&mut self, volumes: &Vec<EnclosedVolume>) {
        volumes.iter().for_each(|volume| (self.take)(volume.vertices[0], volume.energy(self.x)));
    }
}

/// The gradient of all energies.
struct Gradient<'a> {
    x: &'a [DVec3],
    plate: &'a PlateState,
    out: &'a mut [DVec3],
}

impl Visitor<Lists> for Gradient<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &Vec<B>) {
        blocks.iter().filter(|_| B::IS_COUNTED).for_each(|block| add_block_gradient(block, self.x, self.out));
    }

    fn plate(&mut self, plate: &Plate) {
        plate.add_gradient(self.x, self.plate, self.out);
    }

    fn volumes(&mut self, volumes: &Vec<EnclosedVolume>) {
        volumes.iter().for_each(|volume| volume.add_gradient(self.x, self.out));
    }
}

/// Adds `Jᵀ α⁻¹ C` of one block.
fn add_block_gradient<const R: usize, const V: usize>(
    block: &impl Block<R, V>,
    x: &[DVec3],
    out: &mut [DVec3],
) {
    let vertices = block.vertices();
    let x = gather(vertices, x);
    let force = block.stress(&x);
    let j = block.jacobian(&x);
    for (a, vi) in vertices.iter().enumerate() {
        out[vi.to_usize()] += (0..R).map(|r| j[r][a] * force[r]).sum::<DVec3>();
    }
}

/// Takes out what belongs to edges.
struct SwitchOff<'a> {
    edges: &'a IndexVec<EdgeIndex, bool>,
}

impl VisitorMut<Lists> for SwitchOff<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &mut Vec<B>) {
        blocks.retain(|block| !block.edge().is_some_and(|edge| self.edges[edge]));
    }

    fn plate(&mut self, plate: &mut Plate) {
        for edge in plate.edges.iter().filter(|edge| self.edges[edge.edge]) {
            for (face, place) in edge.sides.into_iter().flatten() {
                let face = &mut plate.faces[face as usize];
                face.stiffness.row_mut(place as usize).fill(0.0);
                face.stiffness.column_mut(place as usize).fill(0.0);
            }
        }
    }
}
