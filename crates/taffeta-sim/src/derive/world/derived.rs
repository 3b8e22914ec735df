//! Everything derived from one topology: blocks, solver, contact candidates, load path.

use crate::derive::elements::open_seams::weightless_at;
use crate::derive::elements::proximity::build_proximity;
use crate::derive::elements::ropes::build_ropes;
use crate::derive::elements::solids::build_solids;
use crate::derive::elements::source::Source;
use crate::derive::elements::stitches::build_stitches;
use crate::derive::elements::volumes::{EnclosedLaw, build_enclosed};
use crate::derive::solver::Solver;
use crate::derive::solver::build::build_solver;
use crate::model::description::SolverChoice;
use crate::model::setup::Setup;
use crate::model::setup::pins::Pin;
use crate::model::state::dense::DenseState;
use crate::model::state::guides::rope_guides;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use std::sync::Arc;
use taffeta_contact::{Detector, MEETS_NOTHING, Proximity};
use taffeta_core::index::DenseIndex;
use taffeta_core::topology::Edge;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, TopologyEpoch, VertexIndex};
use taffeta_solve::drivers::newton::KeptGrids;
use taffeta_solve::substeps::LoadPath;
use taffeta_solve::{Blocks, ClothModel, PlateState, Supports};

/// Everything derived from one topology.
#[derive(Debug)]
pub(crate) struct Derived {
    /// The topology that everything here was made for.
    pub epoch: TopologyEpoch,
    pub blocks: Blocks,
    /// Laws of the enclosed volumes among the blocks.
    pub enclosed: Vec<EnclosedLaw>,
    /// The seam and the pair of each stitch among the blocks.
    pub stitch_places: Vec<[u32; 2]>,
    /// The cloths that were sewn without gravity then: these bend less easily.
    pub weightless: Vec<bool>,
    pub plate: PlateState,
    pub clamps: Vec<Clamp>,
    /// The solver as chosen.
    pub choice: SolverChoice,
    pub solver: Solver,
    /// Number of factorizations by projective dynamics for earlier topologies and pins.
    pub past_factorizations: usize,
    pub detector: Detector,
    /// The pairs of cloths and meshes that are near each other; `None` if cloths do not meet and there are no obstacles.
    pub proximity: Option<Proximity>,
    pub load_path: LoadPath,
}

/// An edge beyond which a pin prescribes the direction of the sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clamp {
    pub edge: EdgeIndex,
    pub pin: u32,
    /// The normal of the sheet at time 0, or when the pin was added.
    pub normal: DVec3,
}

/// Parts that outlive their topology.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    grids: Option<KeptGrids>,
    factorizations: usize,
}

impl Derived {
    /// Empties everything, so that those of two topologies are never in memory together. They must be built anew before
    /// anything asks for them.
    pub(crate) fn retire(&mut self) -> Kept {
        let grids = self.solver.grids();
        let kept = Kept { grids, factorizations: self.factorizations() };
        *self = Self {
            epoch: TopologyEpoch::default(),
            solver: Solver::Idle,
            blocks: Blocks::default(),
            enclosed: Vec::new(),
            stitch_places: Vec::new(),
            weightless: Vec::new(),
            plate: PlateState::default(),
            clamps: Vec::new(),
            choice: self.choice,
            past_factorizations: 0,
            detector: Detector::new(Vec::new(), IndexVec::default()),
            proximity: None,
            load_path: LoadPath { stiffness_demand: 0.0 },
        };
        kept
    }

    /// Builds everything. Angles and scalars continue from those that the sheet remembers.
    pub(crate) fn build(source: Source<'_>, kept: Kept) -> Self {
        let Source { setup, sheet, motion, choice, .. } = source;
        let Setup { cloths, bodies, pins, .. } = setup;
        let can_meet = setup.self_contact || !setup.obstacles.is_empty();
        let meets = can_meet && !sheet.topology.faces.is_empty() || !setup.meshes.is_empty();
        let weightless = weightless_at(setup, sheet, source.time);
        let models: Vec<_> =
            cloths.iter().zip(&weightless).map(|(c, is)| model_now(&c.model_under(choice), *is)).collect();
        let clamps = find_clamps(sheet, motion, pins);
        let edges: Vec<_> = clamps.iter().map(|clamp| clamp.edge).collect();
        let supports = Supports { inverse_masses: &motion.inverse_masses, clamps: &edges };
        let mut blocks = Blocks::build(&sheet.topology, &motion.rest, &models, &supports);
        blocks.ropes = build_ropes(&source);
        blocks.solids = build_solids(&source);
        let (volumes, enclosed) = build_enclosed(&source);
        blocks.enclosed = volumes;
        let (stitches, stitch_places) = build_stitches(&source);
        blocks.stitches = stitches;
        let plate = PlateState {
            scalars: blocks.plate.edges.iter().map(|edge| motion.scalars[edge.edge]).collect(),
            clamps: clamps.iter().map(|clamp| clamp.normal).collect(),
        };
        let solver = build_solver(source, &blocks, &models, &plate, kept.grids);
        let surfaces = cloths.iter().map(|c| c.surface).chain(bodies.iter().map(|b| b.surface)).collect();
        let mut derived = Self {
            epoch: sheet.topology.epoch,
            load_path: measure_load_path(sheet, motion, &blocks),
            plate,
            clamps,
            enclosed,
            choice,
            solver,
            past_factorizations: kept.factorizations,
            detector: Detector::new(surfaces, meeting_bodies(setup, sheet)),
            proximity: meets.then(|| build_proximity(source, &blocks.stitches, &stitch_places)),
            stitch_places,
            weightless,
            blocks,
        };
        // Afterwards: the colors must be those of the whole sheet, as they were when the edges broke.
        derived.switch_off(&motion.broken);
        derived
    }

    /// Takes what belongs to broken edges out of solver and blocks.
    pub(crate) fn switch_off(&mut self, broken: &IndexVec<EdgeIndex, bool>) {
        if !broken.contains(&true) {
            return;
        }
        self.blocks.switch_off(broken);
        self.solver.switch_off(broken);
    }

    /// Number of factorizations by projective dynamics.
    pub(crate) fn factorizations(&self) -> usize {
        self.past_factorizations + self.solver.factorizations()
    }

    /// Stores unwrapped angles and scalars at the end of a step. The blocks measure energies with them, and the state keeps
    /// them when the blocks are gone.
    pub(crate) fn keep_bending(&mut self, sheet: &Sheet, motion: &mut DenseState) {
        let last_angles = &mut Arc::make_mut(&mut motion.rest).last_angles;
        let hinges: Vec<EdgeIndex> = self.blocks.hinges.iter().map(|hinge| hinge.edge).collect();
        let angles = self.solver.hinge_angles(&hinges, &motion.positions);
        if !angles.is_empty() {
            angles.into_iter().for_each(|(edge, angle)| last_angles[edge] = angle);
            self.blocks.hinges.iter_mut().for_each(|hinge| hinge.reference = last_angles[hinge.edge]);
        }
        self.blocks.ropes.begin_step(&motion.positions);
        let first_loose = sheet.topology.surface_vertex_count();
        for block in &self.blocks.ropes.angles {
            let angles = Arc::make_mut(&mut motion.loose_angles);
            angles[block.vertices[1].to_usize() - first_loose] = block.reference;
        }
        let plate = &mut self.blocks.plate;
        if let Some(scalars) = self.solver.plate_scalars() {
            self.plate.scalars = scalars;
        }
        let remembered = || plate.edges.iter().map(|edge| last_angles[edge.edge]).collect();
        let angles: Vec<f64> = self.solver.plate_angles().unwrap_or_else(remembered);
        plate.edges.iter_mut().zip(angles).for_each(|(edge, angle)| edge.reference = angle);
        plate.begin_step(&motion.positions, &self.plate.clamps);
        let scalars = Arc::make_mut(&mut motion.scalars);
        for (edge, scalar) in plate.edges.iter().zip(&self.plate.scalars) {
            last_angles[edge.edge] = edge.reference;
            scalars[edge.edge] = *scalar;
        }
    }

    /// Takes over the angles and scalars that the state remembers from parts of the world, as
    /// [`keep_bending`](Self::keep_bending) does from the solver.
    pub(crate) fn follow_bending(&mut self, motion: &DenseState) {
        let last_angles = &motion.rest.last_angles;
        self.blocks.hinges.iter_mut().for_each(|hinge| hinge.reference = last_angles[hinge.edge]);
        self.blocks.ropes.begin_step(&motion.positions);
        let plate = &mut self.blocks.plate;
        plate.edges.iter_mut().for_each(|edge| edge.reference = last_angles[edge.edge]);
        plate.begin_step(&motion.positions, &self.plate.clamps);
        for (edge, scalar) in plate.edges.iter().zip(&mut self.plate.scalars) {
            *scalar = motion.scalars[edge.edge];
        }
    }

    /// Begins a frame, or another step of a search: the solver forgets what only its substeps share.
    pub(crate) fn begin_frame(&mut self) {
        self.solver.begin_frame();
    }

    /// Gives the scalars of cloths whose topology the last edit has changed the values of least energy: new edges have none.
    pub(crate) fn minimize_scalars(&mut self, sheet: &Sheet, motion: &mut DenseState) {
        let plate = &self.blocks.plate;
        let angles = plate.angles(&motion.positions, &self.plate.clamps);
        let mut least = self.plate.scalars.clone();
        plate.minimize_scalars(&angles, &mut least);
        let scalars = Arc::make_mut(&mut motion.scalars);
        for (edge, (scalar, least)) in plate.edges.iter().zip(self.plate.scalars.iter_mut().zip(least)) {
            let cloth = sheet.vertex_cloths[edge.vertices[0]] as usize;
            if sheet.version(cloth) == sheet.topology.epoch.0 {
                *scalar = least;
            }
            scalars[edge.edge] = *scalar;
        }
        self.solver.set_plate_state(&self.plate);
    }
}

/// Bending stiffness while cloth is sewn without gravity, relative to its own: thin cloth would crumple where panels meet.
const SEWING_BEND: f64 = 20.0;

/// The model of a cloth, as it bends now.
fn model_now(model: &ClothModel, is_weightless: bool) -> ClothModel {
    let mut model = model.clone();
    if is_weightless {
        model.material.bend = model.material.bend.map(|stiffness| SEWING_BEND * stiffness);
    }
    model
}

/// The body of each vertex as contact sees it: guides of ropes meet nothing.
fn meeting_bodies(setup: &Setup, sheet: &Sheet) -> IndexVec<VertexIndex, u32> {
    let mut bodies = sheet.vertex_cloths.clone();
    rope_guides(setup, sheet).iter().for_each(|guide| bodies[guide.vertex] = MEETS_NOTHING);
    bodies
}

/// The edges of which both ends are held by one clamping pin and exactly one face can move.
fn find_clamps(sheet: &Sheet, motion: &DenseState, pins: &[Pin]) -> Vec<Clamp> {
    let clamp = |(ei, edge): (EdgeIndex, &Edge)| {
        let [a, b] = edge.vertices.map(|vi| motion.vertex_pins[vi]);
        let pin = a.filter(|pin| b == a && pins[*pin as usize].description.clamp)?;
        let is_held =
            |fi: &FaceIndex| sheet.topology.faces[*fi].iter().all(|vi| motion.inverse_masses[*vi] == 0.0);
        let faces = || edge.faces.iter().flatten();
        if faces().filter(|fi| !is_held(fi)).count() != 1 {
            return None;
        }
        if let [Some(a), Some(b)] = edge.vertices.map(|vi| motion.hold_of(vi)?.normal) {
            return Some(Clamp { edge: ei, pin, normal: (a + b).normalize_or_zero() });
        }
        // Inside, the direction is that of the held face; on the boundary, that of the face at time 0.
        let beyond = faces().find(|fi| is_held(fi)).or(faces().next())?;
        let [x0, x1, x2] = sheet.topology.faces[*beyond].map(|vi| sheet.starts[vi]);
        Some(Clamp { edge: ei, pin, normal: (x1 - x0).cross(x2 - x0).normalize_or_zero() })
    };
    if !pins.iter().any(|pin| pin.description.clamp) {
        return Vec::new();
    }
    debug_assert!(motion.vertex_pins.len() == sheet.topology.vertex_count, "{:?}", sheet.topology.epoch);
    (0..sheet.topology.edge_count())
        .map(EdgeIndex::from_usize)
        .filter_map(|ei| clamp((ei, &sheet.topology.edges[ei])))
        .collect()
}

/// The load path of a sheet. What is held along any axis carries: along which axes the load acts is not known.
fn measure_load_path(sheet: &Sheet, motion: &DenseState, blocks: &Blocks) -> LoadPath {
    let is_partly_held = |held: &[bool; 3]| held.contains(&true) && held.contains(&false);
    if !motion.held.iter().any(is_partly_held) {
        return LoadPath::of_bodies(&sheet.topology, &motion.rest, &motion.inverse_masses, blocks);
    }
    let carried = |(w, held): (&f64, &[bool; 3])| if held.contains(&true) { 0.0 } else { *w };
    let inverse_masses = motion.inverse_masses.iter().zip(motion.held.iter()).map(carried).collect();
    LoadPath::of_bodies(&sheet.topology, &motion.rest, &inverse_masses, blocks)
}
