//! Substeps of local solvers that hold the tension of what they solve.
//!
//! Unconverged sweeps give way to a force like a body of stiffness `K = ρ I s²/h²` (the law of [`taffeta_solve::substeps`]).
//! `ρ` is the density, `I` the number of sweeps, and `s` the length of the edges. In series with the stiffness `k` of the material,
//! it has the tension `T = ε k K/(k + K)` at a strain `ε`. The part `T/K` of that strain is false, and comes out as motion
//! when contact asks for more substeps. The load path knows the weight that a cloth carries; a taut one bears many times of it.
//!
//! Stiffness and density are those per width of a cloth \[N/m, kg/m²\], of the section of a rope \[N, kg/m\] and of a
//! solid \[Pa, kg/m³\].

use crate::derive::world::World;
use crate::model::description::SolverChoice;
use crate::model::state::State;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;
use taffeta_solve::substeps::{EXCESS_TOLERANCE, SHORTEST_SUBSTEP, effective_sweeps};

/// Time in which substeps that tension has shortened double once it is gone \[s\].
const RELAXATION: f64 = 0.25;

/// Number of substeps, and the false part of the strain if more than the shortest would be needed.
pub(crate) struct TensionDemand {
    pub substeps: u32,
    pub capped_excess: Option<f64>,
}

/// Into how many substeps what is left of a step of length `dt` \[s\] is cut so that sweeps hold the tension of all bodies.
pub(crate) fn substeps_for_tension(world: &World, left: f64, dt: f64, sweeps: u32) -> TensionDemand {
    let h = world.state.last_substep;
    let sweeps = effective_sweeps(sweeps, world.derived.choice == SolverChoice::Block);
    // `T/K h⁻²`: the false strain is that times the square of the substep.
    let demand = |(extension, [stiffness, density]): (Extension, [f64; 2])| {
        let Extension { square, length, count } = extension;
        if count == 0.0 || square == 0.0 {
            return 0.0;
        }
        let (strain, length) = ((square / count).sqrt(), length / count);
        let held = density * sweeps * length * length;
        strain / (1.0 / stiffness + h * h / held) / held
    };
    let demand = extensions(world).into_iter().zip(materials(world)).map(demand).fold(0.0, f64::max);
    let substep = (EXCESS_TOLERANCE / demand).sqrt();
    let excess = demand * SHORTEST_SUBSTEP * SHORTEST_SUBSTEP;
    let asked = (left / substep.max(SHORTEST_SUBSTEP) - 1e-9).ceil().max(1.0);
    // Rounded down, or a number of substeps would last for ever.
    let slowly = if h > 0.0 { (left / (h * (1.0 + dt / RELAXATION))).floor() } else { 0.0 };
    TensionDemand {
        substeps: asked.max(slowly) as u32,
        capped_excess: (substep < SHORTEST_SUBSTEP).then_some(excess),
    }
}

/// Sums over the edges of a body: of the squares of their strains, of their lengths at rest \[m\], and their number.
#[derive(Clone, Copy, Default)]
struct Extension {
    square: f64,
    length: f64,
    count: f64,
}

impl Extension {
    fn add(&mut self, strain: f64, length: f64) {
        self.square += strain * strain;
        self.length += length;
        self.count += 1.0;
    }
}

/// Largest stiffness and density of each body; no stiffness where nothing is stretched.
fn materials(world: &World) -> Vec<[f64; 2]> {
    let setup = &world.setup;
    let of_cloths = setup.cloths.iter().map(|cloth| {
        let material = &cloth.material;
        [material.stretch.into_iter().fold(0.0, f64::max), material.density]
    });
    let of_ropes = setup.bodies.iter().map(|body| {
        body.rope.as_ref().map_or([0.0; 2], |rope| [rope.material.stretch, rope.material.density])
    });
    let mut all: Vec<_> = of_cloths.chain(of_ropes).collect();
    setup.solids.iter().for_each(|solid| all[solid.cloth] = [solid.material.young, solid.material.density]);
    all
}

/// Extension of each body. Cloth and ropes buckle where they are shortened; a solid resists that as well.
fn extensions(world: &World) -> Vec<Extension> {
    let State { sheet, motion, .. } = &world.state;
    let setup = &world.setup;
    let mut sums = vec![Extension::default(); setup.cloths.len() + setup.bodies.len()];
    let strain = |a: VertexIndex, b: VertexIndex, rest: f64| {
        motion.positions[a].distance(motion.positions[b]) / rest - 1.0
    };
    let surfaces = &world.derived.blocks.solids.surfaces;
    for (fi, face) in sheet.topology.faces.iter_indexed() {
        let cloth = motion.rest.cloths[fi];
        if surfaces.contains(&cloth) {
            continue;
        }
        for k in 0..3 {
            let rest = motion.rest.corners[fi][k].distance(motion.rest.corners[fi][(k + 1) % 3]);
            sums[cloth as usize].add(strain(face[k], face[(k + 1) % 3], rest).max(0.0), rest);
        }
    }
    for block in &world.derived.blocks.ropes.stretch {
        let [a, b] = block.vertices;
        let body = sheet.vertex_cloths.raw[a.to_usize()] as usize;
        sums[body].add(strain(a, b, block.length).max(0.0), block.length);
    }
    let body_of = |v: VertexIndex| {
        let body = sheet.vertex_cloths.raw[v.to_usize()] as usize;
        let is_in = |solid: &&crate::model::setup::solid::Solid| {
            solid.cloth == body || solid.body.is_some_and(|inside| inside + setup.cloths.len() == body)
        };
        setup.solids.iter().find(is_in).map_or(body, |solid| solid.cloth)
    };
    for ([a, b], length, _) in world.derived.blocks.solids.edges() {
        sums[body_of(a)].add(strain(a, b, length), length);
    }
    sums
}
