//! One remeshing pass.

use crate::adapt::energy::EnergyBudget;
use crate::adapt::intersection_test::Gate;
use crate::adapt::relaxation::{record_forces, relax};
use crate::adapt::surroundings::FixedObstacles;
use crate::derive::bodies::extent;
use crate::derive::clock::current_view;
use crate::derive::crossings::{crossing_count, crossings, mesh_faces, pairs_meet, record_crossings};
use crate::derive::rebuild::replace_mesh;
use crate::derive::snapshot::put_threads;
use crate::derive::solver_facts::stores_energy;
use crate::derive::world::World;
use crate::features::tearing::tear::sizes_at_tears;
use crate::model::report::RemeshCounts;
use crate::model::setup::Cloth;
use crate::model::state::sheet::KeyedSheet;
use std::sync::Arc;
use taffeta_mesh::VertexKey;
use taffeta_remesh::{Metric, Pass, Proposal, remesh};

/// A pass over some of the cloths, one for each interval, without a look at what it adds to their energy.
pub(crate) fn remesh_cloths(
    world: &mut World,
    chosen: &[bool],
    budget: &EnergyBudget,
    wanted: &[(VertexKey, Metric)],
) -> (RemeshCounts, f64) {
    let touched = (0..chosen.len()).filter(|cloth| chosen[*cloth]);
    let mut due: Vec<f64> = touched.map(|cloth| world.state.last_passes[cloth]).collect();
    due.sort_unstable_by(f64::total_cmp);
    due.dedup();
    let mut counts = RemeshCounts::default();
    let mut displacements = vec![0.0; world.setup.cloths.len()];
    let cloths = world.setup.cloths.clone();
    let regions: Vec<_> = world.setup.pins.iter().map(|pin| pin.description.region.clone()).collect();
    let (time, mut last_passes) = (world.state.time, std::mem::take(&mut world.state.last_passes));
    let shapes = world.setup.obstacles.iter().map(|obstacle| obstacle.over_substep(time, 0.0).shape);
    let obstacles = FixedObstacles::new(shapes.collect(), mesh_faces(world));
    let allowed = |(number, cloth): (usize, &Cloth)| {
        let popping = cloth.remesh.and_then(|settings| settings.popping);
        popping.map_or(f64::INFINITY, |popping| popping * size_of_cloth(world, number))
    };
    let displacements_allowed: Vec<f64> = cloths.iter().enumerate().map(allowed).collect();
    let view = current_view(world);
    let (is_gated, is_paid_for) = (pairs_meet(world), stores_energy(world));
    let mut asked = sizes_at_tears(world);
    asked.extend_from_slice(wanted);
    let threads = world.derived.blocks.stitches.clone();
    let mut asked_for = Vec::new();
    let undisturbed = record_forces(world);
    let has_edited = edit_or_keep(world, is_gated, |keyed| {
        // Together those on which the last pass was at the same time.
        for last in due {
            let is_due = |cloth: usize| chosen[cloth] && last_passes[cloth] == last;
            let settings: Vec<_> =
                cloths.iter().enumerate().map(|(i, cloth)| cloth.remesh.filter(|_| is_due(i))).collect();
            let elapsed = time - last;
            let pass = Pass {
                settings: &settings,
                pins: &regions,
                elapsed,
                surroundings: Some(&obstacles),
                view: view.as_ref(),
                displacements: &displacements_allowed,
                asked: &asked,
                is_paid_for,
            };
            let mut gate = is_gated.then(|| Gate::new(keyed, &obstacles));
            let mut veto = |proposal: &Proposal<'_>| {
                gate.as_mut().is_some_and(|gate: &mut Gate<'_>| gate.refuses(proposal))
            };
            let report = remesh(&mut keyed.mesh, &mut keyed.attributes, &pass, &mut veto);
            counts.splits += report.splits as u64;
            counts.collapses += report.collapses as u64;
            counts.flips += report.flips as u64;
            counts.refused += report.vetoed as u64;
            displacements.iter_mut().zip(&report.displacements).for_each(|(sum, more)| *sum += more);
            asked_for.extend(report.asked);
            let passed = last_passes.iter_mut().zip(&settings).filter(|(_, settings)| settings.is_some());
            passed.for_each(|(last, _)| *last = time);
        }
        counts.splits + counts.collapses + counts.flips > 0
    });
    // A pass leaves what is being sewn alone. Its threads pull as before, so that no energy jumps but by edits.
    put_threads(&mut world.derived.blocks.stitches, &threads);
    world.state.last_passes = last_passes;
    world.state.asked.add(asked_for);
    if has_edited {
        if let Some(before) = undisturbed {
            relax(world, &before, budget);
        }
        world.derived.minimize_scalars(&world.state.sheet, &mut world.state.motion);
    }
    let popping = displacements.iter().enumerate().map(|(cloth, moved)| popping(world, cloth, *moved));
    (counts, popping.fold(0.0, f64::max))
}

/// Root mean square over a cloth of a displacement whose square has this integral \[m⁴\], relative to its size.
fn popping(world: &World, cloth: usize, displacement: f64) -> f64 {
    let (size, area) = (size_of_cloth(world, cloth), area_of_cloth(world, cloth));
    if displacement > 0.0 { (displacement / area).sqrt() / size } else { 0.0 }
}

/// The area of a cloth at rest \[m²\].
fn area_of_cloth(world: &World, cloth: usize) -> f64 {
    let rest = &world.state.motion.rest;
    let faces = rest.cloths.iter().zip(rest.areas.iter());
    faces.filter(|(of, _)| **of == cloth as u32).map(|(_, area)| *area).sum()
}

/// The longest side of the box around the layout of a cloth \[m\].
fn size_of_cloth(world: &World, cloth: usize) -> f64 {
    extent(&world.state.sheet.layout.raw[world.state.sheet.vertex_range(cloth as u32)])
}

/// Makes a remeshing pass, and returns whether it has edited anything, as `pass` tells. Without an edit only the
/// metrics at the vertices are taken over, and nothing is derived anew. A [gated](crate::adapt::intersection_test) pass adds no
/// crossing where there was none. Scalars keep their values; new edges have none.
fn edit_or_keep(world: &mut World, is_gated: bool, pass: impl FnOnce(&mut KeyedSheet) -> bool) -> bool {
    let mut keyed = world.state.sheet.to_keyed(&world.state.motion);
    let has_edited = pass(&mut keyed);
    if has_edited {
        let before = world.state.sheet.vertex_keys().clone();
        let is_clear = is_gated && crossing_count(&world.derived) == 0;
        replace_mesh(world, keyed, &before);
        if !is_clear {
            record_crossings(&world.setup, &world.state, &mut world.derived);
        }
        debug_assert!(!is_clear || crossings(world).is_none_or(|found| found.is_empty()));
    } else {
        world.state.motion.metrics = Arc::new(world.state.sheet.metrics_in(&keyed.attributes));
    }
    has_edited
}

#[cfg(test)]
mod tests {
    use crate::{ClothDescription, StepInputs, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::TriangleMesh;
    use taffeta_remesh::RemeshSettings;
    use taffeta_solve::Material;

    /// A shallow bowl of 1 m that is much finer than it has to be.
    fn bowl(popping: Option<f64>) -> World {
        let cells = 20;
        let mut mesh = TriangleMesh::default();
        let mut coords = Vec::new();
        for (j, i) in (0..=cells).flat_map(|j| (0..=cells).map(move |i| (j, i))) {
            let u = DVec2::new(f64::from(i), f64::from(j)) / f64::from(cells);
            coords.push(u);
            mesh.positions.push(u.extend(0.1 * (u - 0.5).length_squared()));
        }
        for (j, i) in (0..cells).flat_map(|j| (0..cells).map(move |i| (j, i))) {
            let a = j * (cells + 1) + i;
            mesh.faces.extend([[a, a + 1, a + cells + 2], [a, a + cells + 2, a + cells + 1]]);
        }
        mesh.set_vertex_material(&coords);
        let mut sheet = ClothDescription::new("bowl", mesh, Material::isotropic(0.2, 1.0, 0.0, 1e-9));
        sheet.remesh = Some(RemeshSettings {
            size_min: 0.05,
            size_max: 0.5,
            refine_angle: 3.0,
            refine_strain: 10.0,
            refine_compression: None,
            refine_velocity: None,
            popping,
            ..RemeshSettings::by_thresholds()
        });
        let mut description = WorldDescription { cloths: vec![sheet], ..WorldDescription::bare() };
        description.simulation.gravity = DVec3::ZERO;
        World::build(&description).expect("a good description")
    }

    #[test]
    fn a_tighter_bound_pops_less_and_a_looser_one_coarsens_sooner() {
        let mut ends = Vec::new();
        for popping in [Some(1e-5), RemeshSettings::by_thresholds().popping, Some(1e-3), None] {
            let mut world = bowl(popping);
            let mut most: f64 = 0.0;
            for _ in 0..3 {
                let report = world.step(&StepInputs::default(), 1e-4).expect("a step");
                most = most.max(report.jumps.popping);
            }
            // The size of the cloth is that before the pass, by which it is bounded, and that after it.
            assert!(most <= popping.unwrap_or(f64::INFINITY) * 1.01, "{most} under {popping:?}");
            ends.push((most, world.mesh(0).positions.len()));
        }
        for pair in ends.windows(2) {
            let [(tight, many), (loose, few)] = pair else { unreachable!("two of them") };
            assert!(tight <= loose && many >= few, "{ends:?}");
        }
        assert!(ends[0].0 * 5.0 < ends[1].0 && ends[0].1 > 2 * ends[2].1, "{ends:?}");
    }
}
