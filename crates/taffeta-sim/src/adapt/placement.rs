//! Placement of the vertices of splits: on the cloth that the faces stand for.
//!
//! A split halves an edge. In a bent cloth the midpoint lies on a chord, between flat halves of bent faces. All bending is then
//! at the old edges, which takes more energy, and the next substep would bend the cloth back.
//!
//! So after a pass the new vertices go to the minimum of the energy while all others stay. The objective is that of a substep,
//! over the new vertices alone, with inertia to keep motions that nothing resists. Their displacement enters neither their
//! velocities nor the memory of the time integration; the momenta stay (`settle_moved`).
//!
//! Held vertices stay, and nothing crosses: the displacement is shortened as in a substep. Nor does it exceed the distance that
//! the pass may move the cloth. Pieces on which nothing outside acts keep their centers.

use crate::adapt::energy::{EnergyBudget, find_pieces, put_velocities};
use crate::contact::path::contact_path;
use crate::contact::secure::keep_few_apart;
use crate::derive::bodies::extent;
use crate::derive::crossings::{crossing_count, goes_deeper, note_crossings, shapes};
use crate::derive::derived::Derived;
use crate::derive::rebuild::refill;
use crate::derive::world::World;
use glam::DVec3;
use std::sync::Arc;
use taffeta_core::index::DenseIndex;
use taffeta_core::{FaceIndex, VertexIndex};
use taffeta_mesh::VertexKey;
use taffeta_remesh::{MovedVertex, settle_moved};
use taffeta_solve::drivers::newton::{
    Contacts, Drags, LinearSolver, NewtonDriver, NewtonLimits, NewtonProblem, Site,
};
use taffeta_solve::{Patch, PlateState};

/// The time in which inertia would let the new vertices go where the energy is least \[s\]. Longer: what has no stiffness may go
/// anywhere; much shorter: they stay on the chords.
const TIME: f64 = 1.0 / 30.0;

/// Newton iterations at most, and when they are enough: a step that moves the new vertices by less than this part of the
/// size of its cloth. There is nothing to be exact about: the next substep goes on from there.
const ITERATIONS: u32 = 4;
const TOLERANCE: f64 = 1e-5;
const LINEAR_TOLERANCE: f64 = 0.1;

/// Puts the vertices that splits have made, in the order of their keys, where the energy is least. `left` is by how much
/// the pass may still move each cloth: the squared distance, integrated over it \[m⁴\]. Returns by how much this has.
/// The scalars around are those of the least energy at the places found, those further away stay.
///
/// Only where the solver is Newton's method, which knows such a place: under others they stay on the chords.
pub(crate) fn smooth_splits(
    world: &mut World,
    made: &[VertexKey],
    left: &[f64],
    budget: &EnergyBudget,
) -> Vec<f64> {
    let state = &world.state.motion;
    let vertices =
        world.state.sheet.vertex_keys().iter_indexed().filter(|(vi, _)| state.held[*vi] == [false; 3]);
    let is_new = |(vi, key): (VertexIndex, &VertexKey)| made.binary_search(key).is_ok().then_some(vi);
    let new: Vec<VertexIndex> = vertices.filter_map(is_new).collect();
    let nothing = vec![0.0; world.setup.cloths.len()];
    if new.is_empty() {
        return nothing;
    }
    let start = world.state.motion.positions.raw.clone();
    let mut end = start.clone();
    // Each cloth by itself: where the iteration stops, and the solve of its systems, are to depend on no other.
    let cloth_of = |vi: &VertexIndex| world.state.sheet.vertex_cloths[*vi];
    let by_cloth: Vec<Vec<VertexIndex>> =
        new.chunk_by(|a, b| cloth_of(a) == cloth_of(b)).map(<[VertexIndex]>::to_vec).collect();
    let places: Vec<_> = by_cloth.iter().map(|new| find_places(world, &start, new)).collect();
    if places.iter().all(Option::is_none) {
        return nothing;
    }
    for (vi, place) in
        by_cloth.iter().zip(&places).flat_map(|(new, places)| new.iter().zip(places.iter().flatten()))
    {
        end[vi.to_usize()] = *place;
    }
    keep_centers(world, &start, &mut end, budget);
    shorten(world, &start, &mut end, left);
    keep_outside(world, &start, &mut end);
    keep_clear(world, &start, &mut end);
    move_vertices(world, &start, &end);
    squared_displacements(world, &start, &end)
}

/// Finds the places of some vertices at which the energy of the cloth is least while all others stay \[m\]; `None` if the
/// solver fails. Only the surroundings of these vertices are solved for.
fn find_places(world: &mut World, start: &[DVec3], new: &[VertexIndex]) -> Option<Vec<DVec3>> {
    if world.derived.choice.capabilities().is_local() {
        return None;
    }
    let Derived { blocks, plate: whole, .. } = &world.derived;
    let patch = Patch::around(new, (&world.state.sheet.topology, blocks), (start, whole));
    let of_vertices = |of: &[DVec3]| patch.vertices.iter().map(|vi| of[vi.to_usize()]).collect::<Vec<_>>();
    let mut x = of_vertices(start);
    let mut plate = PlateState { scalars: patch.scalars(&whole.scalars), clamps: whole.clamps.clone() };
    let inertia: Vec<f64> =
        patch.vertices.iter().map(|vi| world.state.motion.masses[*vi] / (TIME * TIME)).collect();
    let held: Vec<[bool; 3]> = patch.vertices.iter().map(|vi| [new.binary_search(vi).is_err(); 3]).collect();
    let pressure = |fi: &FaceIndex| world.setup.cloths[world.state.motion.rest.cloths[*fi] as usize].pressure;
    let pressures: Vec<f64> = patch.faces.iter().map(pressure).collect();
    let points = of_vertices(&world.state.sheet.layout.raw);
    let site = Site { points: &points, charts: None, face_pressures: &pressures };
    let how = (LinearSolver::Conjugate, None);
    let mut driver = NewtonDriver::build(&patch.topology, &patch.blocks, site, how);
    driver.begin_step(&x, &plate);
    let (predicted, clamps) = (x.clone(), plate.clamps.clone());
    let problem = NewtonProblem {
        inertia: &inertia,
        predicted: &predicted,
        held: &held,
        damping_rate: 0.0,
        drag: Drags::default(),
        contacts: Contacts { rows: &[], springs: &[], stiffnesses: &[] },
        clamps: &clamps,
    };
    let cloth = world.state.sheet.vertex_range(world.state.sheet.vertex_cloths[new[0]]);
    let size = extent(&world.state.sheet.layout.raw[cloth]);
    let limits = NewtonLimits {
        iterations: ITERATIONS,
        tolerance: TOLERANCE * size,
        linear_tolerance: LINEAR_TOLERANCE,
        linear_iterations: u32::MAX,
    };
    let solved = driver.solve((&mut x, &mut plate), &problem, limits);
    // What fails here does so again in the next substep, which says what it is.
    if solved.is_err() || !x.iter().all(|x| x.is_finite()) {
        return None;
    }
    let scalars = &mut world.derived.plate.scalars;
    patch.plate_edges.iter().zip(&plate.scalars).for_each(|(edge, own)| scalars[*edge as usize] = *own);
    Some(new.iter().map(|vi| x[patch.vertices.partition_point(|other| other < vi)]).collect())
}

/// Moves the pieces on which nothing outside acts back as wholes, so that their centers of mass stay: a center that moves has
/// another angular momentum about all others.
fn keep_centers(world: &World, start: &[DVec3], end: &mut [DVec3], budget: &EnergyBudget) {
    let masses = &world.state.motion.masses.raw;
    for piece in find_pieces(world).lists {
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

/// Shortens the ways of each cloth until they move it by no more than is left.
fn shorten(world: &World, start: &[DVec3], end: &mut [DVec3], left: &[f64]) {
    let moved = squared_displacements(world, start, end);
    // Nothing may be left, or by round-off less than that.
    let left = left.iter().map(|left| left.max(0.0));
    for (cloth, (moved, left)) in moved.iter().zip(left).enumerate().filter(|(_, (m, l))| *m > l) {
        let part = (left / moved).sqrt();
        for i in world.state.sheet.vertex_range(cloth as u32) {
            end[i] = start[i] + (end[i] - start[i]) * part;
        }
    }
}

/// Shortens the ways so that nothing crosses, as those of a substep in which obstacles stand still.
fn keep_clear(world: &mut World, start: &[DVec3], end: &mut [DVec3]) {
    let Some(mut proximity) = world.derived.proximity.take() else { return };
    let (stood_still, h) = (world.inputs.stands_still, world.state.last.h);
    (world.inputs.stands_still, world.state.last.h) = (true, TIME);
    world.scratch.guided.clear();
    world.scratch.start_velocities = vec![DVec3::ZERO; start.len()];
    world.scratch.rows.iter_mut().zip(&*end).for_each(|(row, x)| row.position = x.to_array());
    let mut path = contact_path(world);
    path.hold_what_stays();
    let found = keep_few_apart(world, &mut proximity, &path, TIME);
    end.copy_from_slice(&found[..end.len()]);
    world.derived.proximity = Some(proximity);
    (world.inputs.stands_still, world.state.last.h) = (stood_still, h);
}

/// Leaves vertices where they are that would come nearer to an obstacle in closed form than contact lets them, or deeper.
fn keep_outside(world: &World, start: &[DVec3], end: &mut [DVec3]) {
    let shapes = shapes(world);
    for (i, (x, y)) in start.iter().zip(end.iter_mut()).enumerate().filter(|(_, (x, y))| *x != *y) {
        if goes_deeper(world, &shapes, VertexIndex(i as u32), [*x, *y]) {
            *y = *x;
        }
    }
}

/// Moves vertices without giving them velocity; momenta follow.
fn move_vertices(world: &mut World, start: &[DVec3], end: &[DVec3]) {
    let positions = Arc::make_mut(&mut world.state.motion.positions);
    for (i, (_, y)) in start.iter().zip(end).enumerate().filter(|(_, (x, y))| x != y) {
        positions.raw[i] = *y;
    }
    settle_pieces(world, start);
    refill(world);
    if crossing_count(world) > 0 {
        // A run that is resumed here finds those that there are now.
        note_crossings(world);
    }
}

/// Restores the momenta of the pieces of which vertices were moved.
fn settle_pieces(world: &mut World, start: &[DVec3]) {
    for piece in find_pieces(world).lists {
        let state = &world.state.motion;
        let has_moved = |i: &usize| start[*i] != state.positions.raw[*i];
        if !piece.iter().any(has_moved) {
            continue;
        }
        let vertex = |i: &usize| MovedVertex {
            mass: state.masses.raw[*i],
            path: [start[*i], state.positions.raw[*i]],
            velocity: state.velocities.raw[*i],
            is_free: state.held.raw[*i] == [false; 3],
        };
        let mut vertices: Vec<MovedVertex> = piece.iter().map(vertex).collect();
        settle_moved(&mut vertices);
        put_velocities(world, &piece, &vertices);
    }
}

/// The squared distance between two positions of the faces of each cloth, integrated over it \[m⁴\].
fn squared_displacements(world: &World, start: &[DVec3], end: &[DVec3]) -> Vec<f64> {
    let mut squared = vec![0.0; world.setup.cloths.len()];
    for (fi, face) in world.state.sheet.topology.faces.iter_indexed() {
        let gaps = face.map(|vi| end[vi.to_usize()] - start[vi.to_usize()]);
        if gaps != [DVec3::ZERO; 3] {
            let sum = gaps[0] + gaps[1] + gaps[2];
            let squares = gaps.iter().map(|gap| gap.length_squared()).sum::<f64>() + sum.length_squared();
            squared[world.state.motion.rest.cloths[fi] as usize] +=
                world.state.motion.rest.areas[fi] / 12.0 * squares;
        }
    }
    squared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::energy::note_energies;
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

    /// Makes a pass; the elastic energy that it has added \[J\], and its popping.
    fn pass(world: &mut World) -> (f64, f64) {
        let elastic = |world: &World| {
            let metrics = world.measure();
            metrics.stretch_energy + metrics.bend_energy
        };
        let before = elastic(world);
        // Nothing pays for what a pass adds to a sheet that lies still, so that it would wait.
        let budget = note_energies(world);
        let (counts, popping) = remesh_cloths(world, &vec![true; world.setup.cloths.len()], &budget, &[]);
        assert!(counts.splits > 10 && counts.collapses == 0, "{counts:?}");
        (elastic(world) - before, popping)
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
        let (kinked, nothing) = pass(&mut on_chords);
        let (bent, popping) = pass(&mut smooth);
        let sagitta = RADIUS * (1.0 - (0.5 * ANGLE).cos());
        assert!(depth(&on_chords) > 0.9 * sagitta && nothing == 0.0);
        assert!(depth(&smooth) < 0.5 * sagitta, "{} of {sagitta}", depth(&smooth));
        assert!(kinked > 0.0 && bent < 0.3 * kinked && popping > 0.0, "{bent} {kinked} {popping}");
    }

    #[test]
    fn what_was_there_before_and_what_is_held_stays() {
        let mut held = arc();
        held.pins.push(PinDescription::new(Region::MaterialBox([DVec2::splat(-1.0), DVec2::new(2.0, 1e-6)])));
        let mut world = world_of(vec![held]);
        let before = world.mesh(0).positions;
        pass(&mut world);
        let after = world.mesh(0).positions;
        assert!(before.iter().all(|x| after.contains(x)));
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
        let (_, popping) = pass(&mut world);
        let after = world.measure();
        assert!(popping > 0.0);
        assert!(after.kinetic_energy <= before.kinetic_energy * (1.0 + 1e-13));
        assert!(after.momentum.distance(before.momentum) < 1e-13 * before.momentum.length());
        let (spin, spin_before) = (after.angular_momentum, before.angular_momentum);
        assert!(spin.distance(spin_before) < 1e-12 * spin_before.length(), "{spin} {spin_before}");
    }

    #[test]
    fn a_pass_moves_the_cloth_no_further_than_it_may() {
        let mut bound = arc();
        bound.remesh.as_mut().expect("it is remeshed").popping = Some(1e-4);
        let free = pass(&mut world_of(vec![arc()])).1;
        let popping = pass(&mut world_of(vec![bound])).1;
        assert!(free > 2e-4 && popping > 0.9e-4 && popping < 1.0001e-4, "{free} {popping}");
    }

    #[test]
    fn nothing_moves_where_nothing_is_left() {
        let world = world_of(vec![arc()]);
        let start = world.mesh(0).positions;
        let mut end = start.clone();
        shorten(&world, &start, &mut end, &[-1e-20]);
        assert_eq!(end, start);
        end[0].z += 0.01;
        shorten(&world, &start, &mut end, &[-1e-20]);
        assert_eq!(end, start);
    }

    #[test]
    fn what_is_flat_stays_so() {
        let mut flat = sheet(0.1, |u| u.extend(0.0));
        flat.remesh.as_mut().expect("it is remeshed").size_max = 0.06;
        let mut world = world_of(vec![flat]);
        let (energy, popping) = pass(&mut world);
        assert!(world.mesh(0).positions.iter().all(|x| x.z == 0.0));
        assert!(energy.abs() < 1e-20 && popping < 1e-12, "{energy} {popping}");
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
        assert!((0.0..gap).contains(&height(&covered)), "{}", height(&covered));
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
