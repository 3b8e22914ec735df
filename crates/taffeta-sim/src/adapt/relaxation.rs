//! Relaxation after a pass: edits change the elastic forces of a cloth that has not moved, and this takes the change back.
//!
//! A split halves an edge. In a bent cloth the midpoint lies on a chord, between flat halves of bent faces: all bending is then
//! at the old edges. The flip of an edge between two faces at an angle θ strains the new faces by up to θ²/8. Its new edge is the
//! chord of a path over the old one. A collapse does the like. Membranes are so stiff that such strains hold as much energy as a
//! flag in the wind has in its motion.
//!
//! So after a pass the vertices of all faces that are new go to where the elastic forces are those of before the pass, while
//! all others stay. That is the minimum of the elastic energy under these forces as loads, with inertia to keep motions that
//! nothing resists. A pass that leaves the forces as they were moves nothing. The displacement enters neither the velocities
//! nor the memory of the time integration; the momenta stay (`restore_momenta_of_piece`).
//!
//! Held vertices stay. Nothing goes deeper into an obstacle, and nothing crosses: a vertex that would is held, and the others
//! are found anew. Pieces on which nothing outside acts keep their centers.

use crate::adapt::energy::{EnergyBudget, find_pieces, put_velocities};
use crate::contact::path::{contact_path, moving_shapes};
use crate::contact::secure::keep_few_apart;
use crate::derive::bodies::extent;
use crate::derive::crossings::{crossing_count, goes_deeper, record_crossings, shapes};
use crate::derive::derived::Derived;
use crate::derive::facts::{Facts, Split};
use crate::derive::rebuild::refill;
use crate::derive::world::World;
use crate::measure::energy::elastic_gradient;
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::dense::DenseState;
use crate::model::state::sheet::Sheet;
use crate::model::workspace::{Inputs, Workspace};
use glam::DVec3;
use std::collections::HashSet;
use std::sync::Arc;
use taffeta_contact::proximity::Proximity;
use taffeta_core::VertexIndex;
use taffeta_core::components::Components;
use taffeta_core::index::DenseIndex;
use taffeta_mesh::VertexKey;
use taffeta_remesh::{MovedVertex, restore_momenta_of_piece};
use taffeta_solve::drivers::newton::{
    Contacts, Drags, LinearSolver, NewtonDriver, NewtonLimits, NewtonProblem, Site,
};
use taffeta_solve::{Blocks, Patch, PlateState};

/// Times in which inertia lets new vertices and other ones go where the forces are those of before \[s\]. New ones have to get from
/// a chord onto a bend. For the others tension is balanced, and nothing else moves: a wave of it takes 0.1 to 0.5 ms through an edge.
/// With 33 ms for all, compressed cloth buckled faster than its inertia lets it.
const TIME_OF_NEW: f64 = 1.0 / 30.0;
const TIME_OF_OTHERS: f64 = 1e-3;

/// Newton iterations at most, and when they are enough: a step that moves the vertices by less than this part of the size of
/// their cloth. There is nothing to be exact about: the next substep goes on from there.
const ITERATIONS: u32 = 4;
const TOLERANCE: f64 = 1e-5;
const LINEAR_TOLERANCE: f64 = 0.1;

/// Times that the places are found again without the vertices that are stopped. Then connected groups that still have such vertices
/// stay.
const ROUNDS: usize = 3;

/// The faces of a cloth and its elastic forces before a pass.
pub(crate) struct Undisturbed {
    sheet: Arc<Sheet>,
    /// Gradient of the elastic energy by the mass of each vertex \[m/s²\], without that of enclosed volumes.
    accelerations: Vec<DVec3>,
}

/// The forces of before, for each vertex of now.
struct Loads {
    /// By mass \[m/s²\].
    accelerations: Vec<DVec3>,
    /// The time that it has to move \[s\].
    times: Vec<f64>,
}

/// Notes the faces and forces before a pass; `None` under solvers other than Newton's method, which know no such forces.
pub(crate) fn record_forces(world: &World) -> Option<Undisturbed> {
    if world.derived.choice.capabilities().is_local() {
        return None;
    }
    let positions = &world.state.motion.positions.raw;
    let mut pressures = vec![DVec3::ZERO; positions.len()];
    world.derived.blocks.enclosed.iter().for_each(|volume| volume.add_gradient(positions, &mut pressures));
    let forces = elastic_gradient(&world.state.motion, &world.derived)
        .into_iter()
        .zip(pressures)
        .zip(world.state.motion.masses.iter());
    let accelerations = forces.map(|((force, pressure), mass)| (force - pressure) / *mass).collect();
    Some(Undisturbed { sheet: Arc::clone(&world.state.sheet), accelerations })
}

/// Moves the vertices of new faces to where the elastic forces are those of before the pass.
pub(crate) fn relax(world: &mut World, before: &Undisturbed, budget: &EnergyBudget) {
    let mut free = find_disturbed(world, &before.sheet);
    let loads = carry_over(world, before);
    let start = world.state.motion.positions.raw.clone();
    for round in 0..=ROUNDS {
        if free.is_empty() {
            return;
        }
        let mut end = find_places(world, &start, &loads, &free);
        keep_centers(world, &start, &mut end, budget);
        let Split { facts, derived, workspace, .. } = world.split();
        let stopped = find_stopped(facts, derived.proximity.as_mut(), workspace, &start, &end);
        if stopped.is_empty() {
            let World { setup, state, derived, workspace, .. } = world;
            return move_vertices(setup, state, derived, workspace, [&start, &end]);
        }
        if round + 1 < ROUNDS {
            free.retain(|vi| stopped.binary_search(&vi.to_usize()).is_err());
        } else {
            leave_groups(world, &mut free, &start, &end, &stopped);
        }
    }
}

/// The vertices of faces that were not there before, but for held ones and those of bodies other than cloths.
fn find_disturbed(world: &World, before: &Sheet) -> Vec<VertexIndex> {
    let corners = |sheet: &Sheet, face: &[VertexIndex; 3]| {
        let mut keys = face.map(|vi| sheet.vertex_keys()[vi]);
        keys.sort_unstable();
        keys
    };
    let known: HashSet<[VertexKey; 3]> =
        before.topology.faces.iter().map(|face| corners(before, face)).collect();
    let sheet = &world.state.sheet;
    let mut is_chosen = vec![false; world.state.motion.positions.len()];
    for face in sheet.topology.faces.iter().filter(|face| !known.contains(&corners(sheet, face))) {
        face.iter().for_each(|vi| is_chosen[vi.to_usize()] = true);
    }
    coupled_vertices(&world.derived.blocks).for_each(|vi| is_chosen[vi.to_usize()] = false);
    let held = world.state.motion.held.iter().zip(&mut is_chosen);
    held.filter(|(held, _)| **held != [false; 3]).for_each(|(_, is_chosen)| *is_chosen = false);
    (0..is_chosen.len()).filter(|i| is_chosen[*i]).map(VertexIndex::from_usize).collect()
}

/// The vertices of blocks that a [`Patch`] does not have: threads, ropes, solids.
fn coupled_vertices(blocks: &Blocks) -> impl Iterator<Item = VertexIndex> + '_ {
    let threads = blocks.stitches.iter().flat_map(|block| block.vertices);
    let ropes = blocks.ropes.stretch.iter().flat_map(|block| block.vertices);
    threads.chain(ropes).chain(blocks.solids.normal.iter().flat_map(|block| block.shape.vertices))
}

/// The forces of before at the vertices of now. A new vertex has the mean acceleration of those around it.
fn carry_over(world: &World, before: &Undisturbed) -> Loads {
    let mut known: Vec<_> =
        before.sheet.vertex_keys().iter().copied().zip(before.accelerations.iter().copied()).collect();
    known.sort_unstable_by_key(|(key, _)| *key);
    let of_key =
        |key: &VertexKey| known.binary_search_by_key(key, |(key, _)| *key).ok().map(|at| known[at].1);
    let sheet = &world.state.sheet;
    let mut found: Vec<Option<DVec3>> = sheet.vertex_keys().iter().map(of_key).collect();
    let time = |known: &Option<DVec3>| if known.is_some() { TIME_OF_OTHERS } else { TIME_OF_NEW };
    let times = found.iter().map(time).collect();
    // Ring by ring, for new vertices may have none but new ones around them.
    loop {
        let mut sums = vec![(DVec3::ZERO, 0u32); found.len()];
        for edge in sheet.topology.edges.iter() {
            let [a, b] = edge.vertices.map(DenseIndex::to_usize);
            for (to, from) in [(a, b), (b, a)] {
                if let (None, Some(acceleration)) = (found[to], found[from]) {
                    sums[to].0 += acceleration;
                    sums[to].1 += 1;
                }
            }
        }
        let new = found.iter_mut().zip(&sums).filter(|(_, (_, count))| *count > 0);
        let count = new.map(|(found, (sum, count))| *found = Some(*sum / f64::from(*count))).count();
        if count == 0 {
            break;
        }
    }
    let rest = world.state.motion.positions.len() - found.len();
    let known = found.into_iter().map(Option::unwrap_or_default);
    Loads { accelerations: known.chain(std::iter::repeat_n(DVec3::ZERO, rest)).collect(), times }
}

/// Finds the places of all vertices at which the forces are those of before, while all but the free ones stay \[m\]. Each cloth
/// by itself: where the iteration stops, and the solve of its systems, are to depend on no other. A cloth stays as it is if
/// the solver fails.
fn find_places(world: &World, start: &[DVec3], loads: &Loads, free: &[VertexIndex]) -> Vec<DVec3> {
    let mut end = start.to_vec();
    let cloths = world.state.sheet.vertex_cloths.clone();
    for free in free.chunk_by(|a, b| cloths[*a] == cloths[*b]) {
        let found = find_places_in_cloth(world, start, loads, free);
        for (vi, place) in free.iter().zip(found.iter().flatten()) {
            end[vi.to_usize()] = *place;
        }
    }
    end
}

/// The places of some vertices of one cloth; `None` if the solver fails. Only their surroundings are solved for.
fn find_places_in_cloth(
    world: &World,
    start: &[DVec3],
    loads: &Loads,
    free: &[VertexIndex],
) -> Option<Vec<DVec3>> {
    let Derived { blocks, plate: whole, .. } = &world.derived;
    let patch = Patch::around(free, &world.state.sheet.topology, blocks, start, whole);
    let of_vertices = |of: &[DVec3]| patch.vertices.iter().map(|vi| of[vi.to_usize()]).collect::<Vec<_>>();
    let x = of_vertices(start);
    let way = |vi: &VertexIndex| loads.accelerations[vi.to_usize()] * loads.times[vi.to_usize()].powi(2);
    let ways: Vec<DVec3> = patch.vertices.iter().map(way).collect();
    let plate = PlateState { scalars: patch.scalars(&whole.scalars), clamps: whole.clamps.clone() };
    let inertia: Vec<f64> = patch
        .vertices
        .iter()
        .map(|vi| world.state.motion.masses[*vi] / loads.times[vi.to_usize()].powi(2))
        .collect();
    let held: Vec<[bool; 3]> = patch.vertices.iter().map(|vi| [free.binary_search(vi).is_err(); 3]).collect();
    let points = of_vertices(&world.state.sheet.layout.raw);
    let site = Site { points: &points, charts: None, face_pressures: &[], bodies: 0 };
    let linear = LinearSolver::Conjugate;
    let mut driver = NewtonDriver::build(&patch.topology, &patch.blocks, site, linear, None);
    let cloth = world.state.sheet.vertex_range(world.state.sheet.vertex_cloths[free[0]]);
    let limits = NewtonLimits {
        iterations: ITERATIONS,
        tolerance: TOLERANCE * extent(&world.state.sheet.layout.raw[cloth]),
        linear_tolerance: LINEAR_TOLERANCE,
        linear_iterations: u32::MAX,
    };
    let mut solve = |ways: &[DVec3]| {
        let (mut found, mut bent) = (x.clone(), plate.clone());
        let predicted: Vec<DVec3> = x.iter().zip(ways).map(|(x, way)| *x + *way).collect();
        let problem = NewtonProblem {
            inertia: &inertia,
            predicted: &predicted,
            held: &held,
            damping_rate: 0.0,
            drag: Drags::default(),
            contacts: Contacts::default(),
            clamps: &plate.clamps,
        };
        driver.begin_step(&x, &plate);
        // What fails here does so again in the next substep, which says what it is.
        driver.solve(&mut found, &mut bent, &problem, limits).ok()?;
        found.iter().all(|x| x.is_finite()).then_some((found, bent))
    };
    let energy = |(x, plate): (&[DVec3], &PlateState)| {
        let energy = patch.blocks.energy(x, plate);
        energy.stretch + energy.bend
    };
    let (mut found, bent) = solve(&ways)?;
    if energy((&found, &bent)) > energy((&x, &plate)) {
        // The loads are those of a blow on single vertices, which have no meaning for those around them.
        (found, _) = solve(&vec![DVec3::ZERO; ways.len()])?;
    }
    Some(free.iter().map(|vi| found[patch.vertices.partition_point(|other| other < vi)]).collect())
}

/// Moves the pieces on which nothing outside acts back as wholes, so that their centers of mass stay: a center that moves has
/// another angular momentum about all others.
fn keep_centers(world: &World, start: &[DVec3], end: &mut [DVec3], budget: &EnergyBudget) {
    let masses = &world.state.motion.masses.raw;
    for piece in find_pieces(&world.state.sheet).lists {
        if piece.iter().all(|i| start[*i] == end[*i])
            || budget
                .account_of(&piece, world.state.sheet.vertex_keys())
                .is_none_or(|account| account.is_driven)
        {
            continue;
        }
        let mass: f64 = piece.iter().map(|i| masses[*i]).sum();
        let shift = piece.iter().map(|i| (end[*i] - start[*i]) * masses[*i]).sum::<DVec3>() / mass;
        piece.iter().for_each(|i| end[*i] -= shift);
    }
}

/// The vertices that would come nearer to an obstacle in closed form than contact lets them, or deeper, and those that
/// would cross something on their way, in increasing order.
fn find_stopped(
    facts: Facts<'_>,
    proximity: Option<&mut Proximity>,
    work: &mut Workspace,
    start: &[DVec3],
    end: &[DVec3],
) -> Vec<usize> {
    let Facts { setup, state, .. } = facts;
    let shapes = shapes(setup, state.time);
    let certified = proximity.map(|proximity| find_clear_ends(facts, proximity, work, end));
    let is_stopped = |i: &usize| {
        start[*i] != end[*i]
            && (certified.as_ref().is_some_and(|certified| certified[*i] != end[*i])
                || goes_deeper(
                    setup,
                    &state.sheet,
                    &shapes,
                    VertexIndex::from_usize(*i),
                    [start[*i], end[*i]],
                ))
    };
    (0..start.len()).filter(is_stopped).collect()
}

/// The ends of ways that are shortened so that nothing crosses, as those of a substep in which obstacles stand still.
fn find_clear_ends(
    facts: Facts<'_>,
    proximity: &mut Proximity,
    work: &mut Workspace,
    end: &[DVec3],
) -> Vec<DVec3> {
    let inputs = Inputs { stands_still: true, ..facts.inputs.clone() };
    let facts = Facts { inputs: &inputs, ..facts };
    work.guided.clear();
    work.start_velocities = vec![DVec3::ZERO; end.len()];
    work.rows.iter_mut().zip(end).for_each(|(row, x)| row.position = x.to_array());
    let mut path = contact_path(facts, work, TIME_OF_OTHERS);
    path.hold_what_stays();
    let shapes = moving_shapes(facts, TIME_OF_OTHERS);
    keep_few_apart(proximity, &mut work.work_budget, path.step(&shapes))
}

/// Takes the vertices of all connected groups that move and of which one is stopped out of the free ones.
fn leave_groups(
    world: &World,
    free: &mut Vec<VertexIndex>,
    start: &[DVec3],
    end: &[DVec3],
    stopped: &[usize],
) {
    let mut groups = Components::new(start.len());
    let edges = world.state.sheet.topology.edges.iter().map(|edge| edge.vertices);
    for [a, b] in edges.filter(|ends| ends.iter().all(|vi| start[vi.to_usize()] != end[vi.to_usize()])) {
        groups.join(a.0, b.0);
    }
    let labels = groups.labels();
    let left: HashSet<u32> = stopped.iter().map(|i| labels[*i]).collect();
    free.retain(|vi| !left.contains(&labels[vi.to_usize()]));
}

/// Moves vertices from places to others without giving them velocity; momenta follow.
fn move_vertices(
    setup: &Setup,
    state: &mut State,
    derived: &mut Derived,
    work: &mut Workspace,
    [start, end]: [&[DVec3]; 2],
) {
    let positions = Arc::make_mut(&mut state.motion.positions);
    for (i, (_, y)) in start.iter().zip(end).enumerate().filter(|(_, (x, y))| x != y) {
        positions.raw[i] = *y;
    }
    restore_momenta_of_pieces(&find_pieces(&state.sheet).lists, &mut state.motion, start);
    refill(state, work);
    if crossing_count(derived) > 0 {
        // A run that is resumed here finds those that there are now.
        record_crossings(setup, state, derived);
    }
}

/// Restores the momenta of the pieces of which vertices were moved.
fn restore_momenta_of_pieces(pieces: &[Vec<usize>], motion: &mut DenseState, start: &[DVec3]) {
    for piece in pieces {
        let has_moved = |i: &usize| start[*i] != motion.positions.raw[*i];
        if !piece.iter().any(has_moved) {
            continue;
        }
        let vertex = |i: &usize| MovedVertex {
            mass: motion.masses.raw[*i],
            path: [start[*i], motion.positions.raw[*i]],
            velocity: motion.velocities.raw[*i],
            is_free: motion.held.raw[*i] == [false; 3],
        };
        let mut vertices: Vec<MovedVertex> = piece.iter().map(vertex).collect();
        restore_momenta_of_piece(&mut vertices);
        put_velocities(motion, piece, &vertices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::energy::record_energies;
    use crate::adapt::pass::remesh_cloths;
    use crate::{ClothDescription, PinDescription, SolverChoice, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_contact::{Obstacle, Shape};
    use taffeta_core::{Placement, Region, TriangleMesh};
    use taffeta_remesh::RemeshSettings;
    use taffeta_solve::Material;

    /// Radius of the bend \[m\].
    const RADIUS: f64 = 0.3;
    /// Cells along the bend, and the angle of each \[rad\].
    const CELLS: u32 = 5;
    const ANGLE: f64 = 0.3;

    /// A sheet on a map of its material coordinates, of cells of such a size \[m\].
    fn sheet(cell: f64, shape: impl Fn(DVec2) -> DVec3) -> ClothDescription {
        let rows = 2;
        let corners =
            (0..=rows).flat_map(|j| (0..=CELLS).map(move |i| DVec2::new(f64::from(i), f64::from(j))));
        let coords: Vec<DVec2> = corners.map(|corner| corner * cell).collect();
        let mut mesh =
            TriangleMesh { positions: coords.iter().map(|u| shape(*u)).collect(), ..TriangleMesh::default() };
        for (j, i) in (0..rows).flat_map(|j| (0..CELLS).map(move |i| (j, i))) {
            let [a, b] = [j, j + 1].map(|j| j * (CELLS + 1) + i);
            mesh.faces.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
        mesh.set_vertex_material(&coords);
        let mut sheet = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 10.0, 0.0, 1e-3));
        sheet.remesh = Some(RemeshSettings {
            size_min: 0.05,
            size_max: 1.0,
            refine_angle: 0.2,
            refine_compression: None,
            refine_velocity: None,
            popping: None,
            ..RemeshSettings::by_thresholds()
        });
        sheet
    }

    /// The length of the chord of a cell \[m\]: at rest the cells are as long.
    fn chord() -> f64 {
        2.0 * RADIUS * (0.5 * ANGLE).sin()
    }

    /// A sheet of which the vertices lie on an arc about the y axis, and nothing is strained.
    fn arc() -> ClothDescription {
        sheet(chord(), |u| {
            let (s, c) = (ANGLE * (u.x / chord() - 0.5 * f64::from(CELLS))).sin_cos();
            DVec3::new(RADIUS * s, u.y, RADIUS * c)
        })
    }

    fn world_of(mut cloths: Vec<ClothDescription>) -> World {
        (0..).zip(&mut cloths).for_each(|(number, cloth): (u32, _)| cloth.name = format!("sheet {number}"));
        let mut description =
            WorldDescription { cloths, self_contact: Some(true), ..WorldDescription::bare() };
        description.simulation.gravity = DVec3::ZERO;
        World::build(&description).expect("a good description")
    }

    /// Makes a pass; the elastic energy that it has added \[J\].
    fn pass(world: &mut World) -> f64 {
        let elastic = |world: &World| {
            let metrics = world.measure();
            metrics.stretch_energy + metrics.bend_energy
        };
        let before = elastic(world);
        // Nothing pays for what a pass adds to a sheet that lies still, so that it would wait.
        let budget = record_energies(world);
        let (counts, _) = remesh_cloths(world, &vec![true; world.setup.cloths.len()], &budget, &[]);
        assert!(counts.splits > 10 && counts.collapses == 0, "{counts:?}");
        elastic(world) - before
    }

    /// Difference of the depths inside of the arc of the innermost and the outermost vertex \[m\]: a free sheet may shift as a
    /// whole.
    fn depth(world: &World) -> f64 {
        // At its ends nothing bends a sheet: there the chords are right.
        let is_inside = |x: &&DVec3| x.x.abs() < RADIUS * (1.4 * ANGLE).sin();
        let depth = |x: &DVec3| RADIUS - DVec2::new(x.x, x.z).length();
        let x = world.mesh(0).positions;
        let depths = || x.iter().filter(is_inside).map(depth);
        depths().fold(f64::NEG_INFINITY, f64::max) - depths().fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn new_vertices_come_to_lie_on_the_bend_and_not_on_its_chords() {
        let mut on_chords = {
            let mut description = WorldDescription { cloths: vec![arc()], ..WorldDescription::bare() };
            description.simulation.solver = SolverChoice::Block;
            World::build(&description).expect("a good description")
        };
        let mut smooth = world_of(vec![arc()]);
        let kinked = pass(&mut on_chords);
        let bent = pass(&mut smooth);
        let sagitta = RADIUS * (1.0 - (0.5 * ANGLE).cos());
        assert!(depth(&on_chords) > 0.9 * sagitta);
        assert!(depth(&smooth) < 0.5 * sagitta, "{} of {sagitta}", depth(&smooth));
        assert!(kinked > 0.0 && bent < 0.3 * kinked, "{bent} {kinked}");
    }

    #[test]
    fn what_is_held_stays() {
        let mut held = arc();
        held.pins.push(PinDescription::new(Region::MaterialBox([DVec2::splat(-1.0), DVec2::new(2.0, 1e-6)])));
        let mut world = world_of(vec![held]);
        pass(&mut world);
        let after = world.mesh(0).positions;
        let sagitta = RADIUS * (1.0 - (0.5 * ANGLE).cos());
        let is_on_chord = |x: &&DVec3| DVec2::new(x.x, x.z).length() < RADIUS - 0.9 * sagitta;
        let on_edge: Vec<_> = after.iter().filter(|x| x.y == 0.0).collect();
        assert!(on_edge.iter().filter(|x| is_on_chord(x)).count() >= CELLS as usize, "{on_edge:?}");
    }

    #[test]
    fn momenta_stay_and_the_kinetic_energy_does_not_grow() {
        let mut moving = arc();
        (moving.velocity, moving.angular_velocity) = (DVec3::new(0.4, -0.1, 0.2), DVec3::new(1.0, 2.0, -0.5));
        let mut world = world_of(vec![moving]);
        // What is not rigid pays for what rigid turning gains where masses are lumped anew.
        let state = &mut world.state.motion;
        for (x, v) in state.positions.raw.iter().zip(&mut Arc::make_mut(&mut state.velocities).raw) {
            *v += DVec3::new((50.0 * x.y).sin(), (30.0 * x.z).cos(), (40.0 * x.x).sin());
        }
        let before = world.measure();
        let start = world.mesh(0).positions;
        pass(&mut world);
        let after = world.measure();
        assert!(!world.mesh(0).positions.starts_with(&start), "vertices of splits have neighbors that move");
        assert!(after.kinetic_energy <= before.kinetic_energy * (1.0 + 1e-13));
        assert!(after.momentum.distance(before.momentum) < 1e-13 * before.momentum.length());
        let (spin, spin_before) = (after.angular_momentum, before.angular_momentum);
        assert!(spin.distance(spin_before) < 1e-12 * spin_before.length(), "{spin} {spin_before}");
    }

    /// A flip in a bent sheet puts the chord of a path in its place: a strain of θ²/8.
    #[test]
    fn edits_of_a_bent_stiff_sheet_hold_little_energy() {
        let stiff = |solver| {
            let mut sheet = arc();
            let bend = 1e-3;
            sheet.material = Material::isotropic(0.2, 1e4, 0.3, bend);
            let mut description = WorldDescription { cloths: vec![sheet], ..WorldDescription::bare() };
            (description.simulation.gravity, description.simulation.solver) = (DVec3::ZERO, solver);
            World::build(&description).expect("a good description")
        };
        let strained = pass(&mut stiff(SolverChoice::Block));
        let relaxed = pass(&mut stiff(SolverChoice::Global));
        assert!(strained > 0.0 && relaxed < 0.25 * strained, "{relaxed} of {strained} J");
    }

    #[test]
    fn what_is_flat_stays_so() {
        let mut flat = sheet(0.1, |u| u.extend(0.0));
        flat.remesh.as_mut().expect("it is remeshed").size_max = 0.06;
        let mut world = world_of(vec![flat]);
        let energy = pass(&mut world);
        assert!(world.mesh(0).positions.iter().all(|x| x.z == 0.0));
        assert!(energy.abs() < 1e-20, "{energy}");
    }

    #[test]
    fn nothing_crosses_what_is_between_the_chords_and_the_bend() {
        // The middle of the sheet is that of a cell: flat on top, on the chord, until its edges are split.
        let (apothem, gap) = (RADIUS * (0.5 * ANGLE).cos(), 1.2e-3);
        let mut lid = sheet(0.02, |u| DVec3::new(u.x - 0.05, u.y + chord() - 0.02, apothem + gap));
        lid.remesh = None;
        let height = |world: &World| {
            let middle = DVec2::new(0.0, chord());
            let x = world.mesh(0).positions;
            let distance = |x: &DVec3| (x.truncate() - middle).length();
            x.iter().copied().min_by(|x, y| distance(x).total_cmp(&distance(y))).expect("a vertex").z
                - apothem
        };
        let (mut alone, mut covered) = (world_of(vec![arc()]), world_of(vec![arc(), lid]));
        pass(&mut alone);
        assert!(height(&alone) > gap, "{} is not through the lid", height(&alone));
        let before = covered.mesh(1).positions;
        pass(&mut covered);
        assert_eq!(covered.mesh(1).positions, before);
        assert_eq!(covered.crossings().map(|crossings| crossings.len()), Some(0));
        // What is free moves back as a whole, so that its center stays.
        assert!((-gap..gap).contains(&height(&covered)), "{}", height(&covered));
    }

    #[test]
    fn nothing_goes_into_an_obstacle() {
        let apothem = RADIUS * (0.5 * ANGLE).cos();
        let ball = Obstacle::new(
            Shape::Sphere { radius: 0.05 },
            Placement { translate: DVec3::new(0.0, 0.5 * chord(), apothem + 0.052), ..Placement::default() },
        );
        for self_contact in [false, true] {
            let mut description = WorldDescription {
                cloths: vec![arc()],
                obstacles: vec![ball.clone()],
                self_contact: Some(self_contact),
                ..WorldDescription::bare()
            };
            description.simulation.gravity = DVec3::ZERO;
            let mut world = World::build(&description).expect("a good description");
            pass(&mut world);
            let center = ball.place.translate;
            let nearest = world.mesh(0).positions.iter().map(|x| x.distance(center)).fold(1.0, f64::min);
            assert!(nearest > 0.05, "{nearest}");
        }
    }
}
