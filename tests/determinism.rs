//! Equal input gives equal bits: for any number of threads, with and without optimization.

use crate::common::*;
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::lanes::LaneBatches;
use taffeta::core::{Placement, Region, VertexIndex};
use taffeta::io::{GridPattern, solid_box, sphere_mesh};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    BendingModel, ClothDescription, EnclosedDescription, PinDescription, RopeDescription, RopeMaterial,
    SolidDescription, SolidMaterial, SolverChoice, World, WorldDescription,
};
use taffeta::solve::BlockDriver;

/// A sheet that falls onto a ball and is remeshed to edges between 1 and 2 cm.
fn drape(cells: u32, solver: SolverChoice, threads: usize) -> World {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.21, 0.5 - x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    let size = 1.0 / f64::from(cells);
    cloth.remesh = Some(RemeshSettings {
        size_min: 0.8 * size,
        size_max: 1.6 * size,
        ..RemeshSettings::by_thresholds()
    });
    let mut simulation = settings(solver, None);
    simulation.threads = threads;
    build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        simulation,
        air: Some(air(DVec3::new(0.5, 0.0, 0.0))),
        ..WorldDescription::bare()
    })
}

/// Returns whether the sweeps over the present sheet share out work among threads.
fn sweeps_in_parallel(world: &World) -> bool {
    BlockDriver::build(&world.sheet().topology, &blocks_of(world)).sweeps_in_parallel()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let hashes = |threads| {
        let mut world = drape(80, SolverChoice::Block, threads);
        let hashes: Vec<_> = (0..tier(3, 5)).map(|_| run(&mut world, 1).state_hash).collect();
        assert!(sweeps_in_parallel(&world), "the sheet is large enough for the threads to share it");
        hashes
    };
    let reference = hashes(1);
    for threads in tier(&[3][..], &[2, 3, 8]).iter().copied() {
        assert_eq!(hashes(threads), reference, "{threads} threads");
    }
}

#[test]
fn the_global_solver_gives_the_same_bits_for_any_number_of_threads() {
    let hashes = |threads| {
        let mut world = drape(64, SolverChoice::Global, threads);
        (0..tier(2, 4)).map(|_| run(&mut world, 1).state_hash).collect::<Vec<_>>()
    };
    let reference = hashes(1);
    for threads in tier(&[3][..], &[2, 3]).iter().copied() {
        assert_eq!(hashes(threads), reference, "{threads} threads");
    }
}

#[test]
fn the_direct_solver_gives_the_same_bits_for_any_number_of_threads() {
    let hashes = |threads| {
        let mut world = drape(10, SolverChoice::Direct, threads);
        (0..3).map(|_| run(&mut world, 1).state_hash).collect::<Vec<_>>()
    };
    assert_eq!(hashes(1), hashes(2));
}

/// Returns whether a sweep over elements with these vertices shares out work among threads.
fn is_shared<const V: usize>(elements: impl Iterator<Item = [u32; V]>, vertex_count: usize) -> bool {
    let elements: Vec<_> = elements.map(|vertices| vertices.map(VertexIndex)).collect();
    LaneBatches::build(&elements, vertex_count).sweeps_in_parallel()
}

/// Ropes of many segments that fall onto a ball, one of them curled and held at an end, beside a cloth.
fn ropes(solver: SolverChoice, threads: usize) -> World {
    let material = RopeMaterial::new(0.05, 500.0, 1e-3);
    let straight = |i: u32| DVec3::new(f64::from(i) / 1000.0 - 1.0, 0.2055, 0.02);
    let curl = |i: u32| {
        let angle = f64::from(i) * 0.05;
        DVec3::new(0.3 * angle.cos(), 0.2055 + 1e-4 * f64::from(i), 0.3 * angle.sin())
    };
    let line = RopeDescription::new("line", (0..=2000).map(straight).collect(), 0.005, material.clone());
    let mut strand = RopeDescription::new("strand", (0..=2000).map(curl).collect(), 0.005, material);
    let end = PinDescription::new(Region::Vertices(vec![2000]));
    strand.pins = vec![PinDescription { clamp: true, ..end }];
    let mut mesh = square(12, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.25, 0.5 - x.y));
    let mut simulation = settings(solver, Some(8));
    simulation.threads = threads;
    let mut sheet = ClothDescription::new("sheet", mesh, stiff());
    if matches!(solver, SolverChoice::Xpbd | SolverChoice::Pbd) {
        sheet.bending = BendingModel::Hinge;
    }
    build(&WorldDescription {
        cloths: vec![sheet],
        ropes: vec![line, strand],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        simulation,
        air: Some(air(DVec3::new(0.5, 0.0, 0.0))),
        ..WorldDescription::bare()
    })
}

#[test]
fn ropes_have_the_same_bits_for_any_number_of_threads() {
    let joints = (0..1999).chain(2001..4000).map(|i| [i, i + 1, i + 2]);
    assert!(is_shared(joints, 4002), "the threads share the ropes");
    let solvers = [
        SolverChoice::Block,
        SolverChoice::Xpbd,
        SolverChoice::Pbd,
        SolverChoice::Global,
        SolverChoice::Direct,
    ];
    for solver in solvers.into_iter().take(tier(4, 5)) {
        let hashes = |threads| {
            let mut world = ropes(solver, threads);
            let reports: Vec<_> = (0..2).map(|_| run(&mut world, 1)).collect();
            assert!(reports.last().is_some_and(|report| report.contacts > 0), "they touch the ball");
            reports.into_iter().map(|report| report.state_hash).collect::<Vec<_>>()
        };
        let reference = hashes(1);
        for threads in tier(&[3][..], &[2, 8]).iter().copied() {
            assert_eq!(hashes(threads), reference, "{threads} threads, {solver:?}");
        }
    }
}

/// A block of so many tetrahedra that the threads share them, which falls onto a ball.
fn solid(solver: SolverChoice, threads: usize) -> World {
    let (mut positions, tetrahedra) = solid_box(DVec3::new(0.25, 0.15, 0.3), [20, 12, 24]);
    positions.iter_mut().for_each(|x| *x += DVec3::new(-0.125, 0.2005, -0.15));
    let material = SolidMaterial { volume_stiffness: 1e4, ..SolidMaterial::new(1000.0, 5e4, 0.35) };
    let mut simulation = settings(solver, Some(2));
    simulation.threads = threads;
    build(&WorldDescription {
        solids: vec![SolidDescription::new("block", positions, tetrahedra, material)],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        simulation,
        ..WorldDescription::bare()
    })
}

#[test]
fn solids_have_the_same_bits_for_any_number_of_threads() {
    for solver in
        [SolverChoice::Block, SolverChoice::Xpbd, SolverChoice::Projective].into_iter().take(tier(2, 3))
    {
        let hashes = |threads| {
            let mut world = solid(solver, threads);
            let (tetrahedra, count) = (&world.solids()[0].tetrahedra, world.vertex_count());
            assert!(is_shared(tetrahedra.iter().copied(), count), "the threads share the block");
            let reports: Vec<_> = (0..tier(1, 2)).map(|_| run(&mut world, 1)).collect();
            assert!(reports.last().is_some_and(|report| report.contacts > 0), "it touches the ball");
            reports.into_iter().map(|report| report.state_hash).collect::<Vec<_>>()
        };
        let reference = hashes(1);
        for threads in tier(&[3][..], &[2, 8]).iter().copied() {
            assert_eq!(hashes(threads), reference, "{threads} threads, {solver:?}");
        }
    }
}

/// A balloon that is blown up while it falls onto a ball.
fn balloon(solver: SolverChoice, threads: usize) -> World {
    let mut mesh = sphere_mesh(0.2, 5);
    mesh.positions.iter_mut().for_each(|x| x.y += 0.4005);
    let mut cloth = ClothDescription::new("balloon", mesh, stiff());
    cloth.bending = BendingModel::None;
    cloth.volume = Some(EnclosedDescription { ratio: 1.1, inflation: 0.1, bulk: None });
    let mut simulation = settings(solver, Some(4));
    simulation.threads = threads;
    build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        simulation,
        ..WorldDescription::bare()
    })
}

#[test]
fn closed_cloths_have_the_same_bits_for_any_number_of_threads() {
    for solver in [SolverChoice::Block, SolverChoice::Xpbd, SolverChoice::Projective] {
        let hashes = |threads| {
            let mut world = balloon(solver, threads);
            let (faces, count) = (world.mesh(0).faces, world.vertex_count());
            assert!(is_shared(faces.into_iter(), count), "the threads share the balloon");
            let reports: Vec<_> = (0..tier(1, 2)).map(|_| run(&mut world, 1)).collect();
            assert!(reports.last().is_some_and(|report| report.contacts > 0), "it touches the ball");
            reports.into_iter().map(|report| report.state_hash).collect::<Vec<_>>()
        };
        let reference = hashes(1);
        for threads in tier(&[3][..], &[2, 8]).iter().copied() {
            assert_eq!(hashes(threads), reference, "{threads} threads, {solver:?}");
        }
    }
}

/// The scene of the comparison of builds: adaptive, with a ball, wind and two cloths.
const SCENE: &str = r#"
[simulation]
duration = 0.2
frame_rate = 60.0
[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [10, 10], pattern = "delaunay" }
place = { translate = [-0.5, 0.22, 0.5], rotate_deg = [-90, 0, 0] }
[cloth.remesh]
size_min = 0.02
[[cloth]]
name = "flag"
grid = { size = [0.3, 0.2], cells = [6, 4], pattern = "equilateral" }
place = { translate = [1.0, 0.0, 0.0] }
constraint = "edges"
[[cloth.pin]]
where = { material_box = [[-0.01, -0.01], [0.01, 0.21]] }
[[obstacle]]
shape = { sphere = { radius = 0.2 } }
motion = [ { t = 0.0 }, { t = 1.0, rotate_deg = [0, 90, 0] } ]
[air]
wind = [3.0, 0.0, 1.0]
"#;

/// Builds the program in a profile and returns its path.
fn build_program(profile: &str) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--package", "taffeta-cli", "--bin", "taffeta", "--profile", profile])
        .args(["--message-format", "json-render-diagnostics"])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = cargo_metadata::Message::parse_stream(output.stdout.as_slice());
    let executable = |message| match message {
        Ok(cargo_metadata::Message::CompilerArtifact(artifact)) => artifact.executable,
        _ => None,
    };
    messages.filter_map(executable).last().expect("the program is built").into_std_path_buf()
}

/// The frames of a run, as bytes.
fn frames_of(program: &Path, scene: &Path, out: &Path, arguments: &[&str]) -> Vec<Vec<u8>> {
    let run = Command::new(program).arg("run").arg(scene).arg("--out").arg(out).args(arguments).output();
    let run = run.expect("the program runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut files: Vec<_> = std::fs::read_dir(out.join("frames"))
        .expect("frames are written")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).expect("readable")).collect()
}

#[test]
#[ignore = "second tier: the program is built twice"]
fn optimized_and_unoptimized_programs_write_the_same_frames() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = folder.path().join("scene.toml");
    std::fs::write(&scene, SCENE).expect("writable");
    let [fast, slow] = ["release", "unoptimized"].map(build_program);
    let global = ["--frames", "8"];
    let block = ["--set", "simulation.solver=block"];
    let direct = ["--set", "simulation.solver=direct", "cloth.0.remesh.size_min=0.09", "--frames", "4"];
    let projective = ["--set", "simulation.solver=projective", "--frames", "8"];
    for (name, arguments, count) in [
        ("global", &global[..], 18),
        ("block", &block[..], 26),
        ("direct", &direct[..], 10),
        ("projective", &projective[..], 18),
    ] {
        let frames = |program: &Path, build: &str| {
            frames_of(program, &scene, &folder.path().join(format!("{name}-{build}")), arguments)
        };
        let (fast, slow) = (frames(&fast, "release"), frames(&slow, "unoptimized"));
        assert_eq!(fast.len(), count, "{name}");
        assert!(fast == slow, "the frames of the {name} solver differ");
    }
}
