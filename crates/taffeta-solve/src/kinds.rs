//! The list of the kinds of elements. Everything that is done kind by kind is one pass over it.
//!
//! [`ElementSet`] has one field per kind; its [`Storage`] says what the field holds:
//!
//! | family | a field holds | used by |
//! |---|---|---|
//! | [`Lists`] | the blocks themselves: [`Blocks`] | energies, gradients |
//! | of the block driver | [`Kind::Swept`] | sweeps |
//! | of the row driver | [`Kind::Rows`] | sweeps over scalar rows |
//! | of Newton's method | blocks with their local Hessians | energy, gradient, Hessian |
//!
//! A new kind touches five files, or six with fast kernels:
//!
//! * its own beside the other [`Block`]s;
//! * `block/mod.rs`;
//! * this one: a field, its line in each of the three walks, its [`Kind`];
//! * `model.rs` where it is chosen;
//! * `blocks.rs`, `rope.rs` or `solid.rs` where it is built.
//!
//! A kind without fast kernels names the plain sets, which take any block.
//!
//! The plate (whose faces share scalars) and enclosed volumes (which have any number of vertices) are no blocks. They have
//! fields of their own, and methods of their own in every pass.

use crate::block::{
    AcosAngle, Block, Distance, EdgeLengths, EnclosedVolume, GreenStrain, Hinge, NormalStrain, QuadraticBend,
    RopeAngle, RopeBend, RopeStretch, RopeTorsion, ShearStrain, Stitch, StrainEnergy, VolumeStrain,
};
use crate::drivers::block::elements::ElementBatches;
use crate::drivers::block::energy::EnergyLanes;
use crate::drivers::block::kernels::{HingeLanes, LengthLanes};
use crate::drivers::block::quadratic::QuadraticLanes;
use crate::drivers::block::sets::{LaneSet, SweptSet};
use crate::drivers::block::wrinkles::StrainSet;
use crate::drivers::rows::batches::{RowBatches, RowSet};
use crate::drivers::rows::kernels::{DistanceRows, LengthRows, StrainRows};
use crate::drivers::rows::scalar::ScalarBatches;
use crate::plate::Plate;
use std::fmt::Debug;
use std::ops::Range;
use taffeta_core::{EdgeIndex, VertexIndex};

/// The part of the elastic energy that a kind contributes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Stretch.
    Stretch,
    /// Bending.
    Bend,
}

/// A kind of block, with what the drivers make of it. `()` stands for a driver that leaves the kind out.
pub trait Kind<const R: usize, const V: usize>: Block<R, V> + Clone + Debug + Send + Sync {
    /// Its blocks under the block driver.
    type Swept: SweptSet<Self>;
    /// Its blocks under the driver of scalar rows.
    type Rows: RowSet<Self, R>;

    /// Part of the elastic energy that it counts toward.
    const PART: Part = Part::Stretch;
    /// True if energies and gradients count it; `false`: the plate does.
    const IS_COUNTED: bool = true;
    /// True if Newton's method takes its blocks one by one; `false`: in a form of its own, or not at all.
    const IN_NEWTON: bool = false;

    /// The edge that it belongs to and is switched off with, if any.
    fn edge(&self) -> Option<EdgeIndex> {
        None
    }

    /// The vertices, for renaming them in a part that is cut out of a cloth; `None`: the kind is left out of such parts.
    fn vertices_mut(&mut self) -> Option<&mut [VertexIndex; V]> {
        None
    }
}

/// Data kept for each kind.
pub trait Storage {
    /// Of a kind of block.
    type Of<const R: usize, const V: usize, B: Kind<R, V>>: Clone + Debug;
    /// Of the plate.
    type Plate: Clone + Debug;
    /// Of the enclosed volumes.
    type Volumes: Clone + Debug;
}

/// The list: all kinds of a world, in the order of every pass. Blocks of a kind stand in dense order of their faces or edges.
#[derive(Clone, Debug)]
pub struct ElementSet<F: Storage> {
    /// Springs along edges, which only the driver of scalar rows takes.
    pub distances: F::Of<1, 2, Distance>,
    /// Green-strain blocks.
    pub strain: F::Of<3, 3, GreenStrain>,
    /// Edge-length blocks.
    pub lengths: F::Of<3, 3, EdgeLengths>,
    /// Strain-energy blocks.
    pub energies: F::Of<1, 3, StrainEnergy>,
    /// Hinge blocks: the form in which the drivers that sweep take hinges.
    pub hinges: F::Of<1, 4, Hinge>,
    /// Quadratic bending blocks.
    pub quadratic: F::Of<3, 4, QuadraticBend>,
    /// All that bends by angles, hinges included.
    pub plate: F::Plate,
    /// The blocks of ropes.
    pub ropes: RopeElements<F>,
    /// The blocks of solids.
    pub solids: SolidElements<F>,
    /// The volumes that closed components of cloths enclose.
    pub enclosed: F::Volumes,
    /// Pairs that are being sewn together.
    pub stitches: F::Of<3, 2, Stitch>,
}

/// The kinds of ropes. Blocks of a kind stand in the order of the ropes.
#[derive(Clone, Debug, Default)]
pub struct RopeElements<F: Storage> {
    /// Segments.
    pub stretch: F::Of<1, 2, RopeStretch>,
    /// Joints that are straight at rest.
    pub bends: F::Of<3, 3, RopeBend>,
    /// Joints that are curled at rest or lie in a plane.
    pub angles: F::Of<1, 3, RopeAngle>,
    /// Joints that bend by the published angle.
    pub acos: F::Of<1, 3, AcosAngle>,
    /// Segments between joints that are curled at rest.
    pub torsions: F::Of<3, 4, RopeTorsion>,
    /// The vertices of each rope: blocks couple those at most three apart.
    pub chains: Vec<Range<usize>>,
}

/// The kinds of solids.
#[derive(Clone, Debug, Default)]
pub struct SolidElements<F: Storage> {
    /// Normal strains of all tetrahedra.
    pub normal: F::Of<3, 4, NormalStrain>,
    /// Shear strains of all tetrahedra.
    pub shear: F::Of<3, 4, ShearStrain>,
    /// Volumes, of the solids that have an extra resistance.
    pub volume: F::Of<1, 4, VolumeStrain>,
    /// The numbers that the surfaces of the solids have among the cloths.
    pub surfaces: Vec<u32>,
}

/// A pass that reads.
pub trait Visitor<F: Storage> {
    /// Visits a kind of block.
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, of: &F::Of<R, V, B>);

    /// Visits the plate.
    fn plate(&mut self, _plate: &F::Plate) {}

    /// Visits the kinds of ropes.
    fn ropes(&mut self, ropes: &RopeElements<F>)
    where
        Self: Sized,
    {
        ropes.visit(self);
    }

    /// Visits the kinds of solids.
    fn solids(&mut self, solids: &SolidElements<F>)
    where
        Self: Sized,
    {
        solids.visit(self);
    }

    /// Visits the enclosed volumes.
    fn volumes(&mut self, _volumes: &F::Volumes) {}
}

/// A pass that writes.
pub trait VisitorMut<F: Storage> {
    /// Visits a kind of block.
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, of: &mut F::Of<R, V, B>);

    /// Visits the plate.
    fn plate(&mut self, _plate: &mut F::Plate) {}

    /// Visits the kinds of ropes.
    fn ropes(&mut self, ropes: &mut RopeElements<F>)
    where
        Self: Sized,
    {
        ropes.visit_mut(self);
    }

    /// Visits the enclosed volumes.
    fn volumes(&mut self, _volumes: &mut F::Volumes) {}
}

/// A pass that makes something else of every kind.
pub trait Build<F: Storage> {
    /// Of a kind of block.
    fn build<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &[B]) -> F::Of<R, V, B>;

    /// Of the plate.
    fn plate(&mut self, plate: &Plate) -> F::Plate;

    /// Of the enclosed volumes.
    fn volumes(&mut self, volumes: &[EnclosedVolume]) -> F::Volumes;
}

impl<F: Storage> ElementSet<F> {
    /// Visits all kinds in order.
    pub fn visit(&self, visitor: &mut impl Visitor<F>) {
        visitor.visit(&self.distances);
        visitor.visit(&self.strain);
        visitor.visit(&self.lengths);
        visitor.visit(&self.energies);
        visitor.visit(&self.hinges);
        visitor.visit(&self.quadratic);
        visitor.plate(&self.plate);
        visitor.ropes(&self.ropes);
        visitor.solids(&self.solids);
        visitor.volumes(&self.enclosed);
        visitor.visit(&self.stitches);
    }

    /// Visits all kinds in order.
    pub fn visit_mut(&mut self, visitor: &mut impl VisitorMut<F>) {
        visitor.visit(&mut self.distances);
        visitor.visit(&mut self.strain);
        visitor.visit(&mut self.lengths);
        visitor.visit(&mut self.energies);
        visitor.visit(&mut self.hinges);
        visitor.visit(&mut self.quadratic);
        visitor.plate(&mut self.plate);
        visitor.ropes(&mut self.ropes);
        self.solids.visit_mut(visitor);
        visitor.volumes(&mut self.enclosed);
        visitor.visit(&mut self.stitches);
    }

    /// Visits all kinds in the reverse of their order.
    pub fn visit_mut_backward(&mut self, visitor: &mut impl VisitorMut<F>) {
        visitor.visit(&mut self.stitches);
        visitor.volumes(&mut self.enclosed);
        visitor.visit(&mut self.solids.volume);
        visitor.visit(&mut self.solids.shear);
        visitor.visit(&mut self.solids.normal);
        visitor.visit(&mut self.ropes.torsions);
        visitor.visit(&mut self.ropes.acos);
        visitor.visit(&mut self.ropes.angles);
        visitor.visit(&mut self.ropes.bends);
        visitor.visit(&mut self.ropes.stretch);
        visitor.plate(&mut self.plate);
        visitor.visit(&mut self.quadratic);
        visitor.visit(&mut self.hinges);
        visitor.visit(&mut self.energies);
        visitor.visit(&mut self.lengths);
        visitor.visit(&mut self.strain);
        visitor.visit(&mut self.distances);
    }

    /// Makes something of all kinds, in order.
    pub fn build_from(blocks: &Blocks, build: &mut impl Build<F>) -> Self {
        Self {
            distances: build.build(&blocks.distances),
            strain: build.build(&blocks.strain),
            lengths: build.build(&blocks.lengths),
            energies: build.build(&blocks.energies),
            hinges: build.build(&blocks.hinges),
            quadratic: build.build(&blocks.quadratic),
            plate: build.plate(&blocks.plate),
            ropes: RopeElements::build_from(&blocks.ropes, build),
            solids: SolidElements::build_from(&blocks.solids, build),
            enclosed: build.volumes(&blocks.enclosed),
            stitches: build.build(&blocks.stitches),
        }
    }
}

impl<F: Storage> RopeElements<F> {
    /// Visits all kinds in order.
    pub fn visit(&self, visitor: &mut impl Visitor<F>) {
        visitor.visit(&self.stretch);
        visitor.visit(&self.bends);
        visitor.visit(&self.angles);
        visitor.visit(&self.acos);
        visitor.visit(&self.torsions);
    }

    /// Visits all kinds in order.
    pub fn visit_mut(&mut self, visitor: &mut impl VisitorMut<F>) {
        visitor.visit(&mut self.stretch);
        visitor.visit(&mut self.bends);
        visitor.visit(&mut self.angles);
        visitor.visit(&mut self.acos);
        visitor.visit(&mut self.torsions);
    }

    fn build_from(blocks: &RopeBlocks, build: &mut impl Build<F>) -> Self {
        Self {
            stretch: build.build(&blocks.stretch),
            bends: build.build(&blocks.bends),
            angles: build.build(&blocks.angles),
            acos: build.build(&blocks.acos),
            torsions: build.build(&blocks.torsions),
            chains: blocks.chains.clone(),
        }
    }
}

impl<F: Storage> SolidElements<F> {
    /// Visits all kinds in order.
    pub fn visit(&self, visitor: &mut impl Visitor<F>) {
        visitor.visit(&self.normal);
        visitor.visit(&self.shear);
        visitor.visit(&self.volume);
    }

    /// Visits all kinds in order.
    pub fn visit_mut(&mut self, visitor: &mut impl VisitorMut<F>) {
        visitor.visit(&mut self.normal);
        visitor.visit(&mut self.shear);
        visitor.visit(&mut self.volume);
    }

    fn build_from(blocks: &SolidBlocks, build: &mut impl Build<F>) -> Self {
        Self {
            normal: build.build(&blocks.normal),
            shear: build.build(&blocks.shear),
            volume: build.build(&blocks.volume),
            surfaces: blocks.surfaces.clone(),
        }
    }
}

/// The blocks themselves, kind by kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lists;

impl Storage for Lists {
    type Of<const R: usize, const V: usize, B: Kind<R, V>> = Vec<B>;
    type Plate = Plate;
    type Volumes = Vec<EnclosedVolume>;
}

/// The blocks of a world, by kind.
pub type Blocks = ElementSet<Lists>;

/// The blocks of ropes, by kind.
pub type RopeBlocks = RopeElements<Lists>;

/// The blocks of solids, by kind.
pub type SolidBlocks = SolidElements<Lists>;

impl Default for Blocks {
    fn default() -> Self {
        Self {
            distances: Vec::new(),
            strain: Vec::new(),
            lengths: Vec::new(),
            energies: Vec::new(),
            hinges: Vec::new(),
            quadratic: Vec::new(),
            plate: Plate::default(),
            ropes: RopeBlocks::default(),
            solids: SolidBlocks::default(),
            enclosed: Vec::new(),
            stitches: Vec::new(),
        }
    }
}

impl Kind<1, 2> for Distance {
    type Swept = ();
    type Rows = RowBatches<DistanceRows, 1, 2>;

    fn edge(&self) -> Option<EdgeIndex> {
        Some(self.edge)
    }
}

/// Newton's method takes the strains of all faces at once.
impl Kind<3, 3> for GreenStrain {
    type Swept = StrainSet;
    type Rows = RowBatches<StrainRows, 3, 3>;

    fn vertices_mut(&mut self) -> Option<&mut [VertexIndex; 3]> {
        Some(&mut self.vertices)
    }
}

impl Kind<3, 3> for EdgeLengths {
    type Swept = LaneSet<LengthLanes, 3, 3>;
    type Rows = RowBatches<LengthRows, 3, 3>;
    const IN_NEWTON: bool = true;

    fn vertices_mut(&mut self) -> Option<&mut [VertexIndex; 3]> {
        Some(&mut self.vertices)
    }
}

/// Newton's method takes the strains themselves, whose energy this is.
impl Kind<1, 3> for StrainEnergy {
    type Swept = LaneSet<EnergyLanes, 1, 3>;
    type Rows = RowBatches<EnergyLanes, 1, 3>;
}

impl Kind<1, 4> for Hinge {
    type Swept = LaneSet<HingeLanes, 1, 4>;
    type Rows = RowBatches<HingeLanes, 1, 4>;
    const PART: Part = Part::Bend;
    const IS_COUNTED: bool = false;

    fn edge(&self) -> Option<EdgeIndex> {
        Some(self.edge)
    }
}

impl Kind<3, 4> for QuadraticBend {
    type Swept = LaneSet<QuadraticLanes, 3, 4>;
    type Rows = ();
    const PART: Part = Part::Bend;
    const IN_NEWTON: bool = true;

    fn vertices_mut(&mut self) -> Option<&mut [VertexIndex; 4]> {
        Some(&mut self.vertices)
    }
}

impl Kind<1, 2> for RopeStretch {
    type Swept = ElementBatches<Self, 1, 2>;
    type Rows = ScalarBatches<Self, 1, 2>;
    const IN_NEWTON: bool = true;
}

impl Kind<3, 3> for RopeBend {
    type Swept = ElementBatches<Self, 3, 3>;
    type Rows = ScalarBatches<Self, 3, 3>;
    const PART: Part = Part::Bend;
    const IN_NEWTON: bool = true;
}

impl Kind<1, 3> for RopeAngle {
    type Swept = ElementBatches<Self, 1, 3>;
    type Rows = ScalarBatches<Self, 1, 3>;
    const PART: Part = Part::Bend;
    const IN_NEWTON: bool = true;
}

impl Kind<1, 3> for AcosAngle {
    type Swept = ElementBatches<Self, 1, 3>;
    type Rows = ScalarBatches<Self, 1, 3>;
    const PART: Part = Part::Bend;
    const IN_NEWTON: bool = true;
}

impl Kind<3, 4> for RopeTorsion {
    type Swept = ElementBatches<Self, 3, 4>;
    type Rows = ScalarBatches<Self, 3, 4>;
    const PART: Part = Part::Bend;
    const IN_NEWTON: bool = true;
}

impl Kind<3, 4> for NormalStrain {
    type Swept = ElementBatches<Self, 3, 4>;
    type Rows = ScalarBatches<Self, 3, 4>;
    const IN_NEWTON: bool = true;
}

impl Kind<3, 4> for ShearStrain {
    type Swept = ElementBatches<Self, 3, 4>;
    type Rows = ScalarBatches<Self, 3, 4>;
    const IN_NEWTON: bool = true;
}

impl Kind<1, 4> for VolumeStrain {
    type Swept = ElementBatches<Self, 1, 4>;
    type Rows = ScalarBatches<Self, 1, 4>;
    const IN_NEWTON: bool = true;
}

impl Kind<3, 2> for Stitch {
    type Swept = ElementBatches<Self, 3, 2>;
    type Rows = ();
    const IN_NEWTON: bool = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the kinds, as they are visited.
    #[derive(Default)]
    struct Names(Vec<&'static str>);

    impl VisitorMut<Lists> for Names {
        fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, _: &mut Vec<B>) {
            self.0.push(std::any::type_name::<B>());
        }

        fn plate(&mut self, _: &mut Plate) {
            self.0.push("plate");
        }

        fn volumes(&mut self, _: &mut Vec<EnclosedVolume>) {
            self.0.push("volumes");
        }
    }

    #[test]
    fn backward_all_kinds_come_in_the_reverse_order() {
        let (mut forward, mut backward) = (Names::default(), Names::default());
        let mut blocks = Blocks::default();
        blocks.visit_mut(&mut forward);
        blocks.visit_mut_backward(&mut backward);
        backward.0.reverse();
        assert!(forward.0.len() > 10);
        assert_eq!(forward.0, backward.0);
    }
}
