//! Branches: a world that goes back to a snapshot or a checkpoint and on another way.

use crate::common::*;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Placement, Pose};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{Checkpoint, ClothId, SafeguardReport, SolverChoice, StepInputs, World, WorldDescription};

/// A sheet that swings and is remeshed in every frame.
fn adaptive() -> World {
    let mut cloth = swing(6);
    cloth.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.3, ..RemeshSettings::by_thresholds() });
    world(cloth, settings(SolverChoice::Global, None))
}

/// Steps under a wind, so that branches get meshes of their own.
fn blow(world: &mut World, wind: f64, frames: usize) {
    for _ in 0..frames {
        let gravity = Some(DVec3::new(wind, -9.81, 0.0));
        world.step(&StepInputs { gravity, ..StepInputs::default() }, FRAME).expect("it steps");
    }
}

/// The topologies that were seen of a cloth, by their numbers.
#[derive(Default)]
struct Seen(BTreeMap<u64, Vec<[u32; 3]>>);

impl Seen {
    /// Looks at a cloth: its number rises if its faces have changed, and means the same faces for good.
    fn look(&mut self, world: &World, id: ClothId) {
        let cloth = world.cloth(id);
        let version = cloth.topology_version();
        let newest = self.0.last_key_value().map_or(0, |(newest, _)| *newest);
        assert!(version >= newest, "{version} after {newest}");
        let faces = self.0.entry(version).or_insert_with(|| cloth.faces().to_vec());
        assert_eq!(faces, cloth.faces(), "version {version} has been another topology");
    }
}

#[test]
fn no_two_branches_give_a_number_to_different_topologies() {
    let mut world = adaptive();
    let id = world.cloth_ids()[0];
    let mut seen = Seen::default();
    seen.look(&world, id);
    blow(&mut world, 0.0, 4);
    seen.look(&world, id);
    let (snapshot, bytes) = (world.snapshot(), world.checkpoint().to_bytes());
    let mut counts = Vec::new();
    for (branch, wind) in [20.0, -20.0, 60.0, 0.0].into_iter().enumerate() {
        for _ in 0..6 {
            blow(&mut world, wind, 1);
            seen.look(&world, id);
        }
        counts.push(world.face_count());
        match branch % 2 {
            0 => world.return_to(&snapshot).expect("of this world"),
            _ => world.restore(Checkpoint::from_bytes(&bytes).expect("sound")).expect("of this scene"),
        }
        seen.look(&world, id);
    }
    counts.sort_unstable();
    counts.dedup();
    assert!(counts.len() > 1, "the branches have meshes of their own: {counts:?}");
    // Without a change of the mesh the number stays.
    let version = world.cloth(id).topology_version();
    world.return_to(&snapshot).expect("of this world");
    assert_eq!(world.cloth(id).topology_version(), version);
}

#[test]
fn a_world_that_goes_back_has_the_masses_of_its_present_materials() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut world = world(swing(6), settings(solver, None));
        let id = world.cloth_ids()[0];
        blow(&mut world, 0.0, 3);
        let (snapshot, light) = (world.snapshot(), world.motion().masses.iter().sum::<f64>());
        let mut heavy = stiff();
        heavy.density *= 3.0;
        world.set_material(id, heavy.clone()).expect("a sound material");
        blow(&mut world, 0.0, 2);
        world.return_to(&snapshot).expect("of this world");
        let mass = world.motion().masses.iter().sum::<f64>();
        assert!((mass / (3.0 * light) - 1.0).abs() < 1e-12, "{solver:?}: {mass} kg, {light} kg before");
        let pairs = world.motion().masses.iter().zip(world.motion().inverse_masses.iter());
        assert!(pairs.into_iter().all(|(m, w)| *w == 0.0 || (m * w - 1.0).abs() < 1e-12), "{solver:?}");
        // It goes on as a world that had the material from that state on.
        let mut other = build_like(solver, heavy, &snapshot_of(solver));
        let next = |world: &mut World| {
            world.step(&StepInputs::default(), FRAME).expect("it steps");
            world.state_hash()
        };
        assert_eq!(next(&mut world), next(&mut other), "{solver:?}");
    }
}

/// The bytes of the state in which the snapshot was taken.
fn snapshot_of(solver: SolverChoice) -> Vec<u8> {
    let mut world = world(swing(6), settings(solver, None));
    blow(&mut world, 0.0, 3);
    world.checkpoint().to_bytes()
}

/// A world that continues from a state with another material.
fn build_like(solver: SolverChoice, material: taffeta::solve::Material, bytes: &[u8]) -> World {
    let mut world = world(swing(6), settings(solver, None));
    world.restore(Checkpoint::from_bytes(bytes).expect("sound")).expect("of this scene");
    let id = world.cloth_ids()[0];
    world.set_material(id, material).expect("a sound material");
    world
}

#[test]
fn an_equilibrium_does_not_repeat_the_report_of_the_step_before() {
    // A ball goes through a sheet that is held everywhere.
    let everywhere = [DVec2::splat(-1.0), DVec2::splat(2.0)];
    let description = WorldDescription {
        cloths: vec![pinned(square(6, GridPattern::Alternating), stiff(), [everywhere])],
        obstacles: vec![Obstacle {
            name: "ball".into(),
            ..Obstacle::new(
                Shape::Sphere { radius: 0.1 },
                Placement { translate: DVec3::new(0.5, 0.4, 0.3), ..Placement::default() },
            )
        }],
        simulation: settings(SolverChoice::Global, None),
        ..WorldDescription::bare()
    };
    let mut world = build(&description);
    let ball = world.find_obstacle("ball").expect("its name");
    let pose = Pose { translation: DVec3::new(0.5, 0.4, -0.3), ..Pose::IDENTITY };
    world.set_obstacle_pose(ball, pose).expect("a pose");
    let pushed = run(&mut world, 1).safeguard;
    assert_ne!(pushed, SafeguardReport::default(), "it was forced through");
    world.remove_obstacle(ball).expect("it is there");
    let report = world.equilibrate().expect("it hangs");
    assert_eq!(report.safeguard, SafeguardReport::default());
    assert_eq!((report.contacts, report.broken_edges), (0, 0));
}
