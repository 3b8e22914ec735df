//! The energy of connected pieces of cloth over a remeshing pass: what a pass adds is taken back.
//!
//! Edits change the energy of a cloth even if they do not move it. A split puts its vertex on a chord, a flip or collapse
//! stretches bent faces, and masses are lumped anew. Most of it goes when the vertices around the edits have settled
//! ([`crate::adapt::relaxation`]). The remainder is paid from the non-rigid motion of the piece, which is scaled down; both
//! momenta stay.
//!
//! Energy that passes have taken from a cloth is its credit, and later ones may give it back: a mesh that is refined and
//! coarsened again has its former energy. Lumped mass alone has less kinetic energy on a finer mesh. A swing that had to pay
//! for every coarsening, but got nothing for the refinements, lost a tenth of its energy in 1 000 passes.
//!
//! An isolated cloth never has more energy than it would have had without passes. If the motion of its pieces is not enough,
//! the pass is rolled back, and the cloth waits for the next one. A fold that forms slowly under a load cannot wait, though:
//! other cloths pay as much as they can.

use crate::derive::derived::Derived;
use crate::derive::pressure::has_pressure;
use crate::derive::world::World;
use crate::measure::energy::gravity;
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::dense::DenseState;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use std::sync::Arc;
use taffeta_core::VertexIndex;
use taffeta_core::components::Components;
use taffeta_core::index::{DenseIndex, IndexVec};
use taffeta_mesh::VertexKey;
use taffeta_remesh::{MovedVertex, slow_within};

/// Part of its energy by which that of a piece may seem to grow, by root of its number of vertices: round-off. And the speed
/// \[m/s\] of which the energy counts as none: what is flat and at rest has but round-off.
const ROUND_OFF: f64 = 1e-14;
const STILL: f64 = 1e-6;

/// Mass, momentum and energy of every piece before a pass.
pub(crate) struct EnergyBudget {
    /// Vertices in key order, with the numbers of their pieces.
    numbers: Vec<(VertexKey, usize)>,
    accounts: Vec<Account>,
}

/// Mass, velocity and energy of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    cloth: usize,
    mass: f64,
    /// Of its center \[m/s\].
    velocity: DVec3,
    /// Kinetic, elastic and gravity's, the last from `origin` \[J\].
    energy: f64,
    origin: DVec3,
    /// True if something outside acts on it: pins, contacts, threads, air, pressure, grabs.
    pub is_driven: bool,
}

impl EnergyBudget {
    /// For each of so many cloths, whether nothing outside acts on any of its pieces.
    pub(crate) fn find_free(&self, cloths: usize) -> Vec<bool> {
        let is_free =
            |cloth| self.accounts.iter().all(|account| account.cloth != cloth || !account.is_driven);
        (0..cloths).map(is_free).collect()
    }

    /// Account of the piece whose vertices are now these; `None` if it has kept none of its vertices.
    pub(crate) fn account_of(
        &self,
        piece: &[usize],
        keys: &IndexVec<VertexIndex, VertexKey>,
    ) -> Option<Account> {
        let number_of = |i: &usize| {
            let place = self.numbers.binary_search_by_key(&keys.raw[*i], |(key, _)| *key).ok()?;
            Some(self.numbers[place].1)
        };
        piece.iter().find_map(number_of).map(|number| self.accounts[number])
    }
}

/// The vertices of the surface by connected piece.
pub(crate) struct Pieces {
    pub lists: Vec<Vec<usize>>,
    /// The number of the piece of each vertex.
    pub numbers: Vec<usize>,
}

/// The vertices of each connected piece of cloth.
pub(crate) fn find_pieces(sheet: &Sheet) -> Pieces {
    let topology = &sheet.topology;
    let mut components = Components::new(topology.surface_vertex_count());
    topology.edges.iter().for_each(|edge| components.join(edge.vertices[0].0, edge.vertices[1].0));
    let numbers: Vec<usize> = components.numbers().into_iter().map(|number| number as usize).collect();
    let mut lists = vec![Vec::new(); numbers.iter().max().map_or(0, |last| last + 1)];
    numbers.iter().enumerate().for_each(|(i, number)| lists[*number].push(i));
    Pieces { lists, numbers }
}

/// Notes what every piece has before a pass.
pub(crate) fn record_energies(world: &World) -> EnergyBudget {
    let pieces = find_pieces(&world.state.sheet);
    let state = &world.state.motion;
    let account = |piece: &Vec<usize>| {
        let mass: f64 = piece.iter().map(|i| state.masses.raw[*i]).sum();
        let mean = |of: &[DVec3]| piece.iter().map(|i| of[*i] * state.masses.raw[*i]).sum::<DVec3>() / mass;
        Account {
            cloth: world.state.sheet.vertex_cloths.raw[piece[0]] as usize,
            mass,
            velocity: mean(&state.velocities.raw),
            energy: 0.0,
            origin: mean(&state.positions.raw),
            is_driven: false,
        }
    };
    let mut accounts: Vec<Account> = pieces.lists.iter().map(account).collect();
    let origins: Vec<DVec3> = accounts.iter().map(|account| account.origin).collect();
    let found = piece_energies(&world.setup, &world.state, &world.derived, &pieces, &origins)
        .into_iter()
        .zip(find_driven(world, &pieces));
    for (account, (energy, is_driven)) in accounts.iter_mut().zip(found) {
        (account.energy, account.is_driven) = (energy, is_driven);
    }
    let keys = world.state.sheet.vertex_keys().iter().copied();
    let mut numbers: Vec<_> = keys.zip(pieces.numbers).collect();
    numbers.sort_unstable();
    EnergyBudget { numbers, accounts }
}

/// Kinetic, elastic and gravity's energy of each piece \[J\], the last from an origin of its own.
fn piece_energies(
    setup: &Setup,
    state: &State,
    derived: &Derived,
    pieces: &Pieces,
    origins: &[DVec3],
) -> Vec<f64> {
    let (gravity, state) = (gravity(setup, state), &state.motion);
    let mut energies = vec![0.0; origins.len()];
    for (i, number) in pieces.numbers.iter().copied().enumerate() {
        let fallen = gravity.dot(state.positions.raw[i] - origins[number]);
        let speed = state.velocities.raw[i].length_squared();
        energies[number] += state.masses.raw[i] * (0.5 * speed - fallen);
    }
    derived.blocks.each_energy(&state.positions, &derived.plate, |vi, energy| {
        energies[pieces.numbers[vi.to_usize()]] += energy;
    });
    energies
}

/// Returns, for each piece, whether something outside acts on it.
fn find_driven(world: &World, pieces: &Pieces) -> Vec<bool> {
    let is_blown =
        world.inputs.air.is_some() || has_pressure(&world.setup) || !world.inputs.grabbed.is_empty();
    // Nothing tells what touched what if that has been forgotten since the last substep.
    let mut is_driven = vec![is_blown || world.state.last.has_forgotten_contacts; pieces.lists.len()];
    let mut drive = |i: usize| {
        if let Some(number) = pieces.numbers.get(i) {
            is_driven[*number] = true;
        }
    };
    let held = world.state.motion.held.iter().enumerate();
    held.filter(|(_, held)| **held != [false; 3]).for_each(|(i, _)| drive(i));
    let stitches = world.derived.blocks.stitches.iter();
    stitches.flat_map(|stitch| stitch.vertices).for_each(|vi| drive(vi.to_usize()));
    for contact in world.state.last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0) {
        let row = contact.row;
        let touched = row.vertices.into_iter().zip(row.weights).filter(|(_, weight)| *weight != 0.0);
        touched.for_each(|(vi, _)| drive(vi.to_usize()));
    }
    is_driven
}

/// Takes what a pass over the chosen cloths has added to the energy of each piece from its motion within itself. Returns for
/// each cloth whether that was not enough.
pub(crate) fn pay_energies(
    setup: &Setup,
    state: &mut State,
    derived: &Derived,
    budget: &EnergyBudget,
    chosen: &[bool],
) -> Vec<bool> {
    let mut is_unpaid = vec![false; setup.cloths.len()];
    let pieces = find_pieces(&state.sheet);
    let keys = state.sheet.vertex_keys();
    let accounts: Vec<Option<Account>> =
        pieces.lists.iter().map(|piece| budget.account_of(piece, keys)).collect();
    let origins: Vec<DVec3> =
        accounts.iter().map(|account| account.map_or(DVec3::ZERO, |account| account.origin)).collect();
    let energies = piece_energies(setup, state, derived, &pieces, &origins);
    let masses = cloth_masses(state, setup.cloths.len());
    let credits = state.credits.clone();
    for ((piece, energy), account) in pieces.lists.iter().zip(energies).zip(accounts) {
        // Nothing tells which one a piece was that has kept no vertex.
        let Some(account) = account.filter(|account| chosen[account.cloth]) else { continue };
        let mass: f64 = piece.iter().map(|i| state.motion.masses.raw[*i]).sum();
        // Rest shapes in space and round outlines have other areas with other meshes: what mass is new moves with the others.
        let carried = 0.5 * (mass - account.mass) * account.velocity.length_squared();
        let rise = energy - account.energy - carried;
        let round_off =
            ROUND_OFF * (piece.len() as f64).sqrt().max(10.0) * (energy.abs() + account.energy.abs())
                + mass * STILL * STILL;
        // A piece has its share of what all pieces of its cloth have been taken.
        let given = rise.clamp(0.0, credits[account.cloth] * (mass / masses[account.cloth]).min(1.0));
        let credit = &mut state.credits[account.cloth];
        *credit = (*credit - given + (-rise).max(0.0)).max(0.0);
        let due = rise - given;
        if due > round_off {
            is_unpaid[account.cloth] |= due - slow_piece(&mut state.motion, piece, due) > round_off;
        }
    }
    is_unpaid
}

/// The mass of the surface of each of so many cloths \[kg\].
fn cloth_masses(State { sheet, motion, .. }: &State, count: usize) -> Vec<f64> {
    let mut sums = vec![0.0; count];
    for (cloth, mass) in sheet.vertex_cloths.iter().zip(motion.masses.iter()) {
        if let Some(sum) = sums.get_mut(*cloth as usize) {
            *sum += mass;
        }
    }
    sums
}

/// Takes energy from the motion of a piece within itself, at most `amount`; how much \[J\].
fn slow_piece(motion: &mut DenseState, piece: &[usize], amount: f64) -> f64 {
    let vertex = |i: &usize| MovedVertex {
        mass: motion.masses.raw[*i],
        path: [motion.positions.raw[*i]; 2],
        velocity: motion.velocities.raw[*i],
        is_free: motion.held.raw[*i] == [false; 3],
    };
    let mut vertices: Vec<MovedVertex> = piece.iter().map(vertex).collect();
    let paid = slow_within(&mut vertices, amount);
    put_velocities(motion, piece, &vertices);
    paid
}

/// Gives the vertices of a piece new velocities.
pub(crate) fn put_velocities(motion: &mut DenseState, piece: &[usize], vertices: &[MovedVertex]) {
    let velocities = &mut Arc::make_mut(&mut motion.velocities).raw;
    for (i, vertex) in piece.iter().zip(vertices) {
        velocities[*i] = vertex.velocity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::energy::{find_pieces, pay_energies, record_energies};
    use crate::adapt::pass::remesh_cloths;
    use crate::adapt::schedule::remesh_if_due;
    use crate::derive::clock::clamp_normals;
    use crate::measure::energy::measure;
    use crate::model::description::EnclosedDescription;
    use crate::{ClothDescription, PinDescription, SolverChoice, StepInputs, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::{Keyframe, KeyframedMotion, Region, TriangleMesh};
    use taffeta_remesh::RemeshSettings;
    use taffeta_solve::Material;

    const DT: f64 = 1.0 / 240.0;

    /// Kinetic, elastic and potential energy together \[J\].
    fn mechanical_energy(world: &World) -> f64 {
        let metrics = measure(world);
        metrics.kinetic_energy + metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy
    }

    /// Two bent sheets, each of two panels with a seam between them, as one cloth. The second panel is laid out elsewhere.
    fn bent_sheets() -> ClothDescription {
        let (columns, rows, cell) = (8, 6, 0.05);
        let mut mesh = TriangleMesh::default();
        let mut corners = Vec::new();
        for sheet in 0..2 {
            let first = mesh.positions.len() as u32;
            let spot =
                |i: u32, j: u32| DVec2::new(f64::from(i) + 20.0 * f64::from(sheet), f64::from(j)) * cell;
            for (j, i) in (0..=rows).flat_map(|j| (0..=columns).map(move |i| (j, i))) {
                let (s, c) = (2.5 * cell * (f64::from(i) - 4.0)).sin_cos();
                mesh.positions.push(DVec3::new(0.4 * s, spot(i, j).y, 0.4 * c + f64::from(sheet)));
            }
            for (j, i) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))) {
                let places = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
                let shift = if i < columns / 2 { DVec2::ZERO } else { DVec2::new(0.3, 0.1) };
                for face in [[0, 1, 2], [0, 2, 3]] {
                    let face = face.map(|k: usize| places[k]);
                    mesh.faces.push(face.map(|[i, j]| first + j * (columns + 1) + i));
                    corners.push(face.map(|[i, j]| spot(i, j) + shift));
                }
            }
        }
        mesh.material = Some(corners);
        let mut cloth = ClothDescription::new("sheets", mesh, Material::isotropic(0.2, 200.0, 0.3, 1e-4));
        (cloth.velocity, cloth.angular_velocity) = (DVec3::new(0.3, -0.2, 0.1), DVec3::new(0.3, 0.6, 0.9));
        cloth.remesh =
            Some(RemeshSettings { size_min: 0.02, popping: None, ..RemeshSettings::by_thresholds() });
        cloth
    }

    fn flying(cloth: ClothDescription) -> World {
        flying_together(vec![cloth])
    }

    fn flying_together(cloths: Vec<ClothDescription>) -> World {
        let mut description = WorldDescription { cloths, ..WorldDescription::bare() };
        description.simulation.gravity = DVec3::ZERO;
        description.simulation.threads = 1;
        World::build(&description).expect("a good description")
    }

    #[test]
    fn forced_passes_in_free_flight_keep_momenta_and_together_never_add_energy() {
        force_passes(24);
    }

    #[test]
    #[ignore = "second tier"]
    fn a_thousand_forced_passes_in_free_flight() {
        force_passes(1000);
    }

    /// Lets two bent sheets fly with sizes that go back and forth, so that every pass refines or coarsens.
    fn force_passes(count: usize) {
        let mut world = flying(bent_sheets());
        let (mut linear, mut angular, mut edits, mut passes) = (DVec3::ZERO, DVec3::ZERO, 0, 0);
        let mut scales = [f64::INFINITY; 2];
        // The first step makes passes of its own, and what they take is there to be given back.
        world.step(&StepInputs::default(), DT).expect("a step");
        let mut added = -world.state.credits[0];
        for pass in 0..count {
            if pass % 10 == 0 {
                // The integration in time damps waves, and passes spend them.
                let state = &mut world.state.motion;
                for (x, v) in state.positions.iter().zip(Arc::make_mut(&mut state.velocities).iter_mut()) {
                    *v += 0.2 * DVec3::new((9.0 * x.y).sin(), (7.0 * x.x).cos(), (13.0 * x.x * x.y).sin());
                }
            }
            // A mesh relaxes toward larger sizes in time: enough has passed.
            world.state.last_passes[0] = world.state.time - 10.0;
            let size_max = [0.03, 0.06, 0.04, 0.08][pass % 4];
            world.setup.cloths[0].remesh =
                Some(RemeshSettings { size_max, ..world.setup.cloths[0].remesh.unwrap() });
            let report = world.step(&StepInputs::default(), DT).expect("a step");
            let (before, after) = (report.metrics, world.measure());
            let made = report.remesh.splits + report.remesh.collapses + report.remesh.flips;
            (edits, passes) = (edits + made, passes + usize::from(made > 0));
            let energy = before.kinetic_energy + before.stretch_energy + before.bend_energy;
            let rise = after.kinetic_energy + after.stretch_energy + after.bend_energy - energy;
            // A pass may give back what earlier ones have taken, and no more.
            added += rise;
            assert!(added <= 1e-12 * energy, "pass {pass}: {added} J on {energy} J");
            linear += after.momentum - before.momentum;
            angular += after.angular_momentum - before.angular_momentum;
            scales[0] = scales[0].min(before.momentum.length());
            scales[1] = scales[1].min(before.angular_momentum.length());
        }
        assert!(linear.length() <= 1e-12 * scales[0], "{linear} of {}", scales[0]);
        assert!(angular.length() <= 1e-10 * scales[1], "{angular} of {}", scales[1]);
        eprintln!("{passes} of {count} passes edit, {edits} edits");
        assert!(2 * passes > count && edits as usize > 50 * count, "{passes} passes, {edits} edits");
        world.state.sheet.to_keyed(&world.state.motion).mesh.validate().expect("a mesh");
    }

    #[test]
    fn energies_of_pieces_add_up() {
        let mut world = flying(bent_sheets());
        world.setup.settings.gravity = DVec3::new(0.3, -0.2, -9.0);
        world.step(&StepInputs::default(), DT).expect("a step");
        let pieces = find_pieces(&world.state.sheet);
        assert_eq!(pieces.lists.len(), 2);
        let sum: f64 = piece_energies(&world.setup, &world.state, &world.derived, &pieces, &[DVec3::ZERO; 2])
            .iter()
            .sum();
        let whole = mechanical_energy(&world);
        assert!((sum / whole - 1.0).abs() < 1e-12 && whole > 0.0, "{sum} {whole}");
    }

    /// A world in which the vertices move at random, and its energies before it is changed.
    fn wobbling() -> (World, super::EnergyBudget) {
        let mut world = flying(bent_sheets());
        world.setup.settings.gravity = DVec3::new(0.0, 0.0, -9.0);
        Arc::make_mut(&mut world.state.motion.velocities)
            .iter_mut()
            .enumerate()
            .for_each(|(i, v)| v.y += (i as f64).sin());
        let budget = record_energies(&world);
        (world, budget)
    }

    #[test]
    fn motion_pays_for_what_was_lifted() {
        let (mut world, budget) = wobbling();
        let before = mechanical_energy(&world);
        Arc::make_mut(&mut world.state.motion.positions).iter_mut().for_each(|x| x.z += 1e-3);
        let lifted = mechanical_energy(&world) - before;
        assert_eq!(pay_energies(&world.setup, &mut world.state, &world.derived, &budget, &[true]), [false]);
        let left = mechanical_energy(&world) - before;
        assert!(lifted > 1e-4 && left.abs() < 1e-12, "{lifted} {left}");
        // More than there is of it.
        Arc::make_mut(&mut world.state.motion.positions).iter_mut().for_each(|x| x.z += 10.0);
        assert_eq!(pay_energies(&world.setup, &mut world.state, &world.derived, &budget, &[true]), [true]);
    }

    #[test]
    fn mass_that_is_new_moves_with_the_others_for_nothing() {
        let (mut world, _) = wobbling();
        Arc::make_mut(&mut world.state.motion.velocities)
            .iter_mut()
            .for_each(|v| *v = DVec3::new(30.0, 0.0, 0.0));
        let budget = record_energies(&world);
        std::sync::Arc::make_mut(&mut world.state.motion.masses).iter_mut().for_each(|mass| *mass *= 1.01);
        assert_eq!(pay_energies(&world.setup, &mut world.state, &world.derived, &budget, &[true]), [false]);
        assert!(world.state.motion.velocities.iter().all(|v| *v == DVec3::new(30.0, 0.0, 0.0)));
    }

    #[test]
    fn a_cloth_that_waits_lets_others_be_remeshed() {
        let still = |name: &str, pinned: bool| {
            let mut cloth = bent_sheets();
            cloth.name = name.to_owned();
            (cloth.velocity, cloth.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            cloth.remesh = cloth.remesh.map(|remesh| RemeshSettings { size_max: 0.03, ..remesh });
            cloth.mesh.positions.iter_mut().for_each(|x| x.y += if pinned { 3.0 } else { 0.0 });
            let region = Region::MaterialBox([DVec2::splat(-1.0), DVec2::new(2.0, 1e-6)]);
            cloth.pins.extend(pinned.then(|| PinDescription::new(region)));
            cloth
        };
        let mut world = flying_together(vec![still("waiting", false), still("held", true)]);
        world.setup.settings.solver = SolverChoice::Block;
        let before = [0, 1].map(|cloth| world.mesh(cloth).positions.len());
        let splits = remesh_if_due(&mut world).0.splits as usize;
        let after = [0, 1].map(|cloth| world.mesh(cloth).positions.len());
        assert!(splits > 100 && after[0] == before[0] && after[1] > before[1] + 100, "{before:?} {after:?}");
        world.state.sheet.to_keyed(&world.state.motion).mesh.validate().expect("a mesh");
    }

    #[test]
    fn a_balloon_beside_a_cloth_that_is_remeshed_keeps_its_motion() {
        let axes = [DVec3::X, DVec3::Y, -DVec3::X, -DVec3::Y, DVec3::Z, -DVec3::Z];
        let mesh = TriangleMesh {
            positions: axes.map(|axis| 0.2 * axis + DVec3::new(0.0, -3.0, 0.0)).to_vec(),
            faces: (0..4).flat_map(|k| [[k, (k + 1) % 4, 4], [(k + 1) % 4, k, 5]]).collect(),
            ..TriangleMesh::default()
        };
        let mut balloon = ClothDescription::new("balloon", mesh, Material::isotropic(0.2, 200.0, 0.3, 0.0));
        balloon.volume = Some(EnclosedDescription { ratio: 1.5, inflation: 0.0, bulk: Some(1e4) });
        let mut world = flying_together(vec![bent_sheets(), balloon]);
        world.setup.settings.solver = SolverChoice::Block;
        world.step(&StepInputs::default(), DT).expect("a step");
        // Motion that pays.
        Arc::make_mut(&mut world.state.motion.velocities)
            .iter_mut()
            .enumerate()
            .for_each(|(i, v)| v.y += (i as f64).sin());
        let range = world.state.sheet.vertex_range(1);
        let of_balloon = |world: &World| -> Vec<DVec3> {
            let range = world.state.sheet.vertex_range(1);
            range.map(|i| world.state.motion.velocities.raw[i]).collect()
        };
        let before = of_balloon(&world);
        world.setup.cloths[0].remesh =
            Some(RemeshSettings { size_max: 0.03, ..world.setup.cloths[0].remesh.unwrap() });
        world.state.wake();
        remesh_if_due(&mut world);
        assert!(world.state.sheet.vertex_range(1) != range, "nothing was remeshed");
        assert_eq!(before, of_balloon(&world));
    }

    #[test]
    fn clamps_that_have_turned_are_not_turned_back_by_a_pass() {
        let mut cloth = bent_sheets();
        let region = Region::MaterialBox([DVec2::splat(-1.0), DVec2::new(2.0, 0.051)]);
        let key = |time: f64, angle: f64| Keyframe {
            time,
            translate: DVec3::ZERO,
            rotate_deg: DVec3::new(0.0, angle, 0.0),
        };
        let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(DT, 40.0)]);
        cloth.pins.push(PinDescription { clamp: true, motion, ..PinDescription::new(region) });
        // A pass that edits: one that edits nothing derives nothing anew.
        cloth.remesh = cloth.remesh.map(|remesh| RemeshSettings { size_max: 0.03, ..remesh });
        let mut world = flying(cloth);
        let vertices = world.mesh(0).positions.len();
        world.state.time = DT;
        let budget = record_energies(&world);
        remesh_cloths(&mut world, &[true], &budget, &[]);
        assert!(world.mesh(0).positions.len() > vertices, "nothing was remeshed");
        let turned = clamp_normals(&world.setup, &world.derived.clamps, DT);
        assert!(
            !turned.is_empty()
                && turned == world.derived.plate.clamps
                && turned != clamp_normals(&world.setup, &world.derived.clamps, 0.0)
        );
    }

    #[test]
    fn what_nothing_can_pay_for_waits_in_free_flight_but_not_where_pins_hold() {
        let refine = |pinned: bool, speed: f64| {
            let mut cloth = bent_sheets();
            (cloth.velocity, cloth.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            if pinned {
                let region = Region::MaterialBox([DVec2::splat(-1.0), DVec2::new(2.0, 1e-6)]);
                cloth.pins.push(PinDescription::new(region));
            }
            cloth.remesh = cloth.remesh.map(|remesh| RemeshSettings { size_max: 0.03, ..remesh });
            let mut world = flying(cloth);
            // Without its vertices on the bend a sheet at rest has more energy.
            world.setup.settings.solver = SolverChoice::Block;
            Arc::make_mut(&mut world.state.motion.velocities)
                .iter_mut()
                .enumerate()
                .for_each(|(i, v)| v.x = speed * (i as f64).sin());
            let before = mechanical_energy(&world);
            let splits = remesh_if_due(&mut world).0.splits;
            (splits, mechanical_energy(&world) - before)
        };
        assert_eq!(refine(false, 0.0), (0, 0.0));
        let (splits, rise) = refine(true, 0.0);
        assert!(splits > 100 && rise > 0.0, "{splits} splits, {rise} J");
        // Its own motion pays if there is enough.
        for pinned in [false, true] {
            let (splits, rise) = refine(pinned, 1.0);
            assert!(splits > 100 && rise < 1e-12, "{splits} splits, {rise} J");
        }
    }
}
