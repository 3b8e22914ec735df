//! Sewing as a whole.

use crate::build::seams::pair::pair_seams;
use crate::features::seams::threads::seams;
use crate::model::description::{SeamDescription, SeamSides};
use crate::model::report::seam_error::SeamDefect;
use crate::{
    BuildError, Checkpoint, ClothDescription, Mode, PinDescription, SolverChoice, StepInputs, World,
    WorldDescription,
};
use glam::{DVec2, DVec3};
use taffeta_contact::{Obstacle, Shape};
use taffeta_core::geometry::doubled_area;
use taffeta_core::{Friction, Placement, Region, TriangleMesh};
use taffeta_remesh::{RemeshSettings, validate_attributes};
use taffeta_solve::Material;

const FRAME: f64 = 1.0 / 60.0;

/// A rectangle of cells with material coordinates from `corner` \[m\], standing where these say, shifted by `shift`.
pub(super) fn panel([columns, rows]: [u32; 2], size: DVec2, corner: DVec2, shift: DVec3) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let mut coords = Vec::new();
    for (j, i) in (0..=rows).flat_map(|j| (0..=columns).map(move |i| (j, i))) {
        let part = DVec2::new(f64::from(i) / f64::from(columns), f64::from(j) / f64::from(rows));
        coords.push(corner + size * part);
        mesh.positions.push((corner + size * part).extend(0.0) + shift);
    }
    for (j, i) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))) {
        let at = |i: u32, j: u32| j * (columns + 1) + i;
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        let halves = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        mesh.faces.extend(halves);
    }
    mesh.set_vertex_material(&coords);
    mesh
}

pub(super) fn together(mut a: TriangleMesh, b: TriangleMesh) -> TriangleMesh {
    let first = a.positions.len() as u32;
    a.positions.extend(b.positions);
    a.faces.extend(b.faces.iter().map(|face| face.map(|v| v + first)));
    a.material.as_mut().expect("has some").extend(b.material.expect("has some"));
    a
}

pub(super) fn seam(a: &[u32], b: &[u32]) -> SeamDescription {
    SeamDescription { sides: SeamSides::Runs([a.to_vec(), b.to_vec()]), time: 0.2, ease: false }
}

pub(super) fn cloth(mesh: TriangleMesh, seams: Vec<SeamDescription>) -> ClothDescription {
    let material = Material::isotropic(0.2, 500.0, 0.3, 1e-4);
    ClothDescription { seams, ..ClothDescription::new("sheet", mesh, material) }
}

/// Two sheets side by side, the right one with other cells, which are sewn along the sides that face each other.
pub(super) fn two_sheets(rows: [u32; 2], gap: f64) -> ClothDescription {
    let left = panel([4, rows[0]], DVec2::new(0.4, 0.6), DVec2::ZERO, DVec3::ZERO);
    let first = left.positions.len() as u32;
    let right = panel([4, rows[1]], DVec2::new(0.4, 0.6), DVec2::new(0.4, 0.0), DVec3::X * gap);
    cloth(together(left, right), vec![seam(&[4, 4 + 5 * rows[0]], &[first, first + 5 * rows[1]])])
}

pub(super) fn world(cloth: ClothDescription, change: impl FnOnce(&mut WorldDescription)) -> World {
    let mut description = WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() };
    description.simulation.gravity = DVec3::ZERO;
    change(&mut description);
    World::build(&description).expect("a good description")
}

pub(super) fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.step(&StepInputs::default(), FRAME).expect("the step goes well");
    }
}

pub(super) fn validate(world: &World) {
    let keyed = world.keyed();
    keyed.mesh.validate().expect("a valid mesh");
    validate_attributes(&keyed.mesh, &keyed.attributes).expect("valid attributes");
}

pub(super) fn is_closed(world: &World) -> bool {
    seams(world).iter().all(|seam| seam.closed.is_some())
}

fn material_area(world: &World) -> f64 {
    world.mesh(0).material.expect("has some").iter().map(|corners| 0.5 * doubled_area(*corners)).sum()
}

fn pairs_of(cloth: &ClothDescription) -> Vec<[u32; 2]> {
    let SeamSides::Pairs(pairs) = &cloth.seams[0].sides else { panic!("the seam has been paired") };
    pairs.clone()
}

#[test]
fn runs_with_different_numbers_of_vertices_are_paired_by_arc_length() {
    for rows in [[6, 6], [6, 5], [3, 12], [7, 12]] {
        let mut sheets = two_sheets(rows, 0.1);
        let area: f64 = sheets.mesh.material.iter().flatten().map(|c| doubled_area(*c)).sum();
        pair_seams(&mut sheets).expect("the sides fit");
        let pairs = pairs_of(&sheets);
        for [a, b] in &pairs {
            let [x, y] = [a, b].map(|v| sheets.mesh.positions[*v as usize]);
            assert!((y - x - DVec3::X * 0.1).length() < 1e-9, "{rows:?}: {x} and {y}");
        }
        assert!(pairs.len() as u32 > rows[0].max(rows[1]), "{rows:?}: {}", pairs.len());
        let after: f64 = sheets.mesh.material.iter().flatten().map(|c| doubled_area(*c)).sum();
        assert!((after / area - 1.0).abs() < 1e-12);
        let faces = sheets.mesh.material.iter().flatten();
        assert!(faces.into_iter().all(|corners| doubled_area(*corners) > 0.0));
        // Pairs stay as they are.
        let again = sheets.clone();
        pair_seams(&mut sheets).expect("it is paired");
        assert_eq!(sheets, again);
    }
}

#[test]
fn a_distance_finds_the_sides_that_face_each_other() {
    for rows in [[6, 6], [6, 5], [4, 9]] {
        let mut sheets = two_sheets(rows, 0.03);
        sheets.seams[0].sides = SeamSides::Near(0.05);
        let outline = crate::build::seams::runs::Outline::new(&sheets.mesh);
        let runs =
            crate::build::seams::near::find_near_runs(&sheets.mesh, &outline, 0.05).expect("they are near");
        assert_eq!(runs.len(), 1, "{rows:?}: {runs:?}");
        pair_seams(&mut sheets).expect("they are near");
        let pairs = pairs_of(&sheets);
        for [a, b] in &pairs {
            let [x, y] = [a, b].map(|v| sheets.mesh.positions[*v as usize]);
            assert!(((y - x).abs() - DVec3::X * 0.03).length() < 1e-9, "{rows:?}: {x} and {y}");
        }
        let heights = || pairs.iter().map(|[a, _]| sheets.mesh.positions[*a as usize].y);
        assert_eq!(heights().fold(1.0, f64::min), 0.0);
        assert!((heights().fold(0.0, f64::max) - 0.6).abs() < 1e-12);
    }
}

#[test]
fn a_distance_goes_round_a_corner_where_four_panels_meet() {
    let at = |i: f64, j: f64| {
        let corner = DVec2::new(0.4 * i, 0.4 * j);
        panel([4, 4], DVec2::splat(0.4), corner, DVec3::new(0.02 * i, 0.02 * j, 0.0))
    };
    let mesh = together(together(at(0.0, 0.0), at(1.0, 0.0)), together(at(0.0, 1.0), at(1.0, 1.0)));
    let near = SeamDescription { sides: SeamSides::Near(0.025), time: 0.1, ease: false };
    let mut world = world(cloth(mesh, vec![near]), |_| {});
    run(&mut world, 12);
    assert!(is_closed(&world), "{:?}", seams(&world));
    validate(&world);
    assert_eq!((world.vertex_count(), world.face_count()), (81, 128));
    assert_eq!(world.keyed().mesh.boundary_loops().len(), 1);
}

#[test]
fn closing_a_seam_keeps_mass_momentum_and_area_and_leaves_one_sheet() {
    for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
        let mut sheets = two_sheets([6, 5], 0.06);
        sheets.velocity = DVec3::new(0.3, -0.2, 0.5);
        let mut world = world(sheets, |description| {
            description.simulation.solver = solver;
            description.simulation.substeps = Some(8);
            description.self_contact = Some(true);
        });
        let momentum = |world: &World| {
            let state = &world.motion();
            state.velocities.iter().zip(state.masses.iter()).map(|(v, m)| *v * *m).sum::<DVec3>()
        };
        let mass = |world: &World| world.motion().masses.iter().sum::<f64>();
        let before = (momentum(&world), mass(&world), material_area(&world), world.vertex_count());
        assert!(!is_closed(&world));
        run(&mut world, 16);
        assert!(is_closed(&world), "{solver:?}: {:?}", seams(&world));
        validate(&world);
        let (now, then) = (momentum(&world), before.0);
        assert!((now - then).length() < 1e-3 * then.length(), "{solver:?}: {now} and {then}");
        assert!((mass(&world) / before.1 - 1.0).abs() < 1e-12);
        assert!((material_area(&world) / before.2 - 1.0).abs() < 1e-12);
        let sewn = seams(&world)[0].pairs;
        assert_eq!(world.vertex_count(), before.3 - sewn);
        assert_eq!(world.crossings().map(|crossings| crossings.len()), Some(0));
    }
}

#[test]
fn two_sheets_that_are_sewn_together_hang_as_one() {
    let hang = |mut sheet: ClothDescription| {
        let top = Region::Box([DVec3::new(-1.0, 0.599, -1.0), DVec3::new(0.401, 0.601, 1.0)]);
        sheet.pins.push(PinDescription::new(top));
        let mut world = world(sheet, |description| {
            description.simulation.solver = SolverChoice::Direct;
            description.simulation.velocity_damping = 4.0;
        });
        run(&mut world, 20);
        assert!(is_closed(&world), "{:?}", seams(&world));
        world.setup.settings.gravity = DVec3::new(0.0, -9.81, 0.0);
        run(&mut world, taffeta_fixtures::tier(150, 300));
        world
    };
    let whole = hang(cloth(panel([8, 6], DVec2::new(0.8, 0.6), DVec2::ZERO, DVec3::ZERO), Vec::new()));
    let sewn = hang(two_sheets([6, 6], 0.02));
    let lowest = |world: &World| {
        world.mesh(0).positions.iter().fold(DVec3::splat(f64::INFINITY), |low, x| low.min(*x))
    };
    let far = |world: &World| world.mesh(0).positions.iter().map(|x| x.x).fold(0.0, f64::max);
    let (a, b) = (lowest(&whole), lowest(&sewn));
    assert!(
        (a.y - b.y).abs() < 2e-3 && (far(&whole) - far(&sewn)).abs() < 2e-3,
        "{a} {b} {} {}",
        far(&whole),
        far(&sewn)
    );
    let [energy, other] = [&whole, &sewn].map(|world| world.measure().stretch_energy);
    assert!((energy / other - 1.0).abs() < 0.02, "{energy} {other}");
}

#[test]
fn runs_resume_with_the_same_bits_before_while_and_after_sewing() {
    let description = |threads: usize| {
        let mut sheets = two_sheets([6, 5], 0.05);
        sheets.remesh =
            Some(RemeshSettings { size_min: 0.05, size_max: 0.2, ..RemeshSettings::by_thresholds() });
        let mut description =
            WorldDescription { cloths: vec![sheets], self_contact: Some(true), ..WorldDescription::bare() };
        description.simulation.threads = threads;
        description
    };
    let mut straight = World::build(&description(2)).expect("good");
    let mut hashes = Vec::new();
    let mut closed_at = None;
    for frame in 0..20 {
        let checkpoint = straight.checkpoint().to_bytes();
        let checkpoint = Checkpoint::from_bytes(&checkpoint).expect("it has just been written");
        let mut resumed = World::build(&description(1)).expect("good");
        resumed.restore(checkpoint).expect("of the same scene");
        run(&mut straight, 1);
        run(&mut resumed, 1);
        assert_eq!(straight.state_hash(), resumed.state_hash(), "frame {frame}");
        assert_eq!(seams(&straight), seams(&resumed));
        hashes.push(straight.state_hash());
        closed_at = closed_at.or(is_closed(&straight).then_some(frame));
    }
    assert!((2..18).contains(&closed_at.expect("it has closed")), "{closed_at:?}");
    let mut other = World::build(&description(1)).expect("good");
    for hash in hashes {
        run(&mut other, 1);
        assert_eq!(other.state_hash(), hash);
    }
}

#[test]
fn a_sewn_sheet_is_remeshed_across_its_seam() {
    let mut sheets = two_sheets([6, 5], 0.05);
    sheets.remesh =
        Some(RemeshSettings { size_min: 0.03, size_max: 0.06, ..RemeshSettings::by_thresholds() });
    let stitched = |world: &World| {
        let keyed = world.keyed();
        keyed.attributes.vertices.iter().filter(|(_, v)| v.is_stitched).count()
    };
    let mut world = world(sheets, |_| {});
    let at_start = stitched(&world);
    run(&mut world, 3);
    assert_eq!(stitched(&world), at_start, "runs keep their vertices");
    assert!(world.vertex_count() > 80, "the rest is refined");
    validate(&world);
    run(&mut world, 20);
    assert!(is_closed(&world), "{:?}", seams(&world));
    assert_eq!(stitched(&world), 0);
    let at_seam = |world: &World| {
        let mesh = world.mesh(0);
        let coords = mesh.material.expect("has some");
        let corners = mesh.faces.iter().flatten().zip(coords.iter().flatten());
        let mut on: Vec<u32> = corners.filter(|(_, u)| (u.x - 0.4).abs() < 1e-9).map(|(v, _)| *v).collect();
        on.sort_unstable();
        on.dedup();
        on.len()
    };
    assert!(at_seam(&world) > 9, "the seam is refined too: {}", at_seam(&world));
    validate(&world);
}

#[test]
fn what_cannot_reach_stays_open_and_pulls_without_tearing() {
    let mut sheets = two_sheets([6, 6], 0.2);
    sheets
        .pins
        .push(PinDescription::new(Region::MaterialBox([DVec2::new(-0.01, 0.0), DVec2::new(0.01, 0.6)])));
    sheets
        .pins
        .push(PinDescription::new(Region::MaterialBox([DVec2::new(0.79, 0.0), DVec2::new(0.81, 0.6)])));
    let mut world = world(sheets, |description| description.simulation.velocity_damping = 5.0);
    run(&mut world, 40);
    let seam = &seams(&world)[0];
    assert!(seam.closed.is_none() && seam.is_late && seam.gap > 0.1, "{seam:?}");
    assert!(world.measure().max_strain < 0.2, "{}", world.measure().max_strain);
    validate(&world);
}

#[test]
fn a_seam_that_is_given_up_lets_gravity_and_bending_come_back() {
    let mut sheets = two_sheets([6, 6], 0.2);
    let ends = [[-0.01, 0.01], [0.79, 0.81]];
    let held = ends.map(|[from, to]| Region::MaterialBox([DVec2::new(from, 0.0), DVec2::new(to, 0.6)]));
    sheets.pins.extend(held.map(PinDescription::new));
    let hold = |description: &mut WorldDescription| {
        description.simulation.gravity = DVec3::new(0.0, 0.0, -9.81);
        description.simulation.gravity_while_sewing = false;
    };
    let mut world = world(sheets, hold);
    let bending = |world: &World| world.derived.blocks.plate.faces[0].stiffness.norm();
    // The time of the seam is 0.2 s; it is given up after three times of that.
    run(&mut world, 1);
    let sewn = (bending(&world), DVec3::ZERO);
    run(&mut world, 29);
    assert_eq!(sewn, (bending(&world), world.state.gravity), "still being sewn");
    run(&mut world, 10);
    assert!(seams(&world)[0].closed.is_none());
    assert_eq!(world.state.gravity.z, -9.81);
    let stiffer = sewn.0 / bending(&world);
    assert!((stiffer - 20.0).abs() < 1e-9, "{stiffer}");
    validate(&world);
}

#[test]
fn sides_that_touch_from_the_start_are_one_at_once() {
    let world = world(two_sheets([6, 6], 0.0), |description| description.self_contact = Some(true));
    assert_eq!(seams(&world)[0].closed, Some(0.0));
    assert_eq!(world.vertex_count(), 63);
    assert_eq!(world.crossings().map(|crossings| crossings.len()), Some(0));
    validate(&world);
}

#[test]
fn a_dart_closes_and_a_tube_is_sewn_onto_another() {
    // A ring of 12 in two rows, and the same further up.
    let tube = |height: f64| {
        let mut mesh = TriangleMesh::default();
        let at = |i: u32, j: u32| {
            let angle = std::f64::consts::TAU * f64::from(i) / 12.0;
            DVec3::new(0.1 * angle.cos(), height + 0.05 * f64::from(j), -0.1 * angle.sin())
        };
        let width = 0.2 * (std::f64::consts::TAU / 24.0).sin();
        let mut material = Vec::new();
        for (j, i) in (0..2).flat_map(|j| (0..12).map(move |i| (j, i))) {
            mesh.positions.push(at(i, j));
        }
        for i in 0..12 {
            let [a, b, c, d] = [i, (i + 1) % 12, 12 + (i + 1) % 12, 12 + i];
            let u = |k: u32, j: u32| DVec2::new(width * f64::from(i + k), 0.05 * f64::from(j));
            mesh.faces.extend([[a, b, c], [a, c, d]]);
            material.extend([[u(0, 0), u(1, 0), u(1, 1)], [u(0, 0), u(1, 1), u(0, 1)]]);
        }
        mesh.material = Some(material);
        mesh
    };
    let mesh = together(tube(0.0), tube(0.07));
    let mut world = world(cloth(mesh, vec![seam(&[12, 12], &[24, 24])]), |_| {});
    assert_eq!(seams(&world)[0].pairs, 12);
    run(&mut world, 15);
    assert!(is_closed(&world), "{:?}", seams(&world));
    validate(&world);
    assert_eq!(world.keyed().mesh.boundary_loops().len(), 2);
}

/// Front and back of a shirt that hang side by side, sewn together at both sides.
fn shirt() -> ClothDescription {
    let front = panel([12, 16], DVec2::new(0.6, 0.8), DVec2::ZERO, DVec3::ZERO);
    let mut back = front.clone();
    back.positions.iter_mut().for_each(|x| *x = DVec3::new(0.6 - x.x, x.y, -0.25));
    let first = front.positions.len() as u32;
    let top = 13 * 16;
    let seams =
        vec![seam(&[12, top + 12], &[first, first + top]), seam(&[0, top], &[first + 12, first + top + 12])];
    let mut shirt = cloth(together(front, back), seams);
    shirt.seams.iter_mut().for_each(|seam| seam.time = 0.5);
    let shoulders = (0..13).map(|i| top + i).filter(|i| (i - top) % 12 < 4 || (i - top) > 8);
    let both = shoulders.flat_map(|i| [i, first + i]).collect();
    let axes = [false, true, false];
    shirt.pins.push(PinDescription { axes, ..PinDescription::new(Region::Vertices(both)) });
    shirt
}

/// The substeps that a hung cloth asks for are too few for threads that move its edges: the block solver stretched the tunic
/// of the scenes by a fifth.
#[test]
fn threads_do_not_stretch_a_garment_under_a_local_solver() {
    let strain = |solver: SolverChoice| {
        let mut world = world(shirt(), |description| {
            description.simulation.solver = solver;
            description.simulation.gravity = DVec3::new(0.0, -9.81, 0.0);
        });
        let frames = (0..20).map(|_| {
            run(&mut world, 1);
            world.measure().max_strain
        });
        frames.fold(0.0, f64::max)
    };
    let [global, block] = [SolverChoice::Global, SolverChoice::Block].map(strain);
    println!("{global} {block}");
    assert!(global < 0.05 && block < 0.1, "{global} {block}");
}

fn run_until_closed(world: &mut World, frames: usize) {
    (0..frames).for_each(|_| {
        if !is_closed(world) {
            run(world, 1)
        }
    });
}

/// The way around the column of [`sleeve`], in the middle of the cloth \[m\].
const GIRTH: f64 = std::f64::consts::TAU * (0.1 + 2.5e-4);

/// All seams close within some frames, and nothing crosses.
fn assert_closes(mut world: World, frames: usize) {
    run_until_closed(&mut world, frames);
    assert!(is_closed(&world), "{:?}", seams(&world));
    assert_eq!(world.crossings().map(|crossings| crossings.len()), Some(0));
    validate(&world);
}

/// Two panels in front of and behind a column of radius 10 cm, `width` \[m\] each, that are sewn together at their sides
/// between two heights. Above and below these they stay open, like a garment at its armholes.
fn sleeve(width: f64, friction: f64) -> World {
    let front = panel([8, 12], DVec2::new(width, 0.4), DVec2::ZERO, DVec3::new(-0.5 * width, -0.2, 0.115));
    let mut back = front.clone();
    back.positions.iter_mut().for_each(|x| *x = DVec3::new(-x.x, x.y, -x.z));
    let first = front.positions.len() as u32;
    let [low, high] = [2, 10].map(|row| 9 * row);
    let mut garment = cloth(
        together(front, back),
        vec![
            seam(&[low + 8, high + 8], &[first + low, first + high]),
            seam(&[low, high], &[first + low + 8, first + high + 8]),
        ],
    );
    garment.material.thickness = 5e-4;
    world(garment, |description| {
        let mut column =
            Obstacle::new(Shape::Capsule { radius: 0.1, half_length: 0.5 }, Placement::default());
        column.friction = Friction { static_: friction, kinetic: friction };
        description.cloths[0].material.friction = column.friction;
        description.obstacles = vec![column];
        description.self_contact = Some(true);
    })
}

/// Friction grows around a body like that of a rope around a bollard: the threads were held back by it, and the seams open.
#[test]
fn a_garment_closes_on_a_body_that_it_fits_however_rough_that_is() {
    assert_closes(sleeve(0.5 * GIRTH / 1.03, 0.8), 24);
}

/// A checkpoint determines thread forces, sliding contacts and initial contact stiffnesses.
#[test]
fn a_tight_garment_resumes_with_the_same_bits() {
    let start = || sleeve(0.5 * GIRTH / 1.09, 0.3);
    let mut straight = start();
    for frame in 0..24 {
        let checkpoint = straight.checkpoint().to_bytes();
        run(&mut straight, 1);
        if frame % 4 == 3 {
            let mut resumed = start();
            resumed
                .restore(Checkpoint::from_bytes(&checkpoint).expect("written"))
                .expect("of the same scene");
            run(&mut resumed, 1);
            assert_eq!(straight.state_hash(), resumed.state_hash(), "frame {frame}");
        }
    }
    assert!(seams(&straight).iter().any(|seam| seam.gap > 1e-4), "it is late in the last frames");
}

/// A seam runs into an opening, where the tension of its edge meets at the last threads.
#[test]
fn a_garment_that_is_tight_closes_up_to_the_ends_of_its_seams() {
    assert_closes(sleeve(0.5 * GIRTH / 1.09, 0.3), 40);
}

fn refusal(cloth: ClothDescription) -> SeamDefect {
    let mut cloth = cloth;
    pair_seams(&mut cloth).expect_err("it makes no sense").defect
}

#[test]
fn what_makes_no_sense_is_named() {
    let with = |a: &[u32], b: &[u32]| {
        let mut sheets = two_sheets([6, 6], 0.1);
        sheets.seams = vec![seam(a, b)];
        sheets
    };
    assert_eq!(refusal(with(&[4], &[35, 65])), SeamDefect::Short { side: 'a', count: 1 });
    assert_eq!(
        refusal(with(&[4, 34], &[35, 70])),
        SeamDefect::OutOfRange { side: 'b', vertex: 70, last: 69 }
    );
    assert_eq!(refusal(with(&[4, 7], &[35, 65])), SeamDefect::Inside { side: 'a', vertex: 7 });
    assert_eq!(refusal(with(&[4, 35], &[35, 65])), SeamDefect::Apart { side: 'a', vertices: [4, 35] });
    assert_eq!(refusal(with(&[4, 14, 9], &[35, 65])), SeamDefect::Twice { side: 'a', vertex: 9 });
    assert_eq!(refusal(with(&[4, 34], &[9, 24])), SeamDefect::Shared { vertex: 9 });
    assert_eq!(refusal(with(&[4, 4], &[35, 65])), SeamDefect::Closed { side: 'a' });
    let lengths = refusal(with(&[4, 34], &[35, 60])).to_string();
    assert!(lengths.contains("run a (panel 0, vertices 4 to 34) is 0.6000 m long"), "{lengths}");
    assert!(lengths.contains("run b (panel 1, vertices 60 to 35) is 0.5000 m long"), "{lengths}");
    assert!(lengths.contains("differ by 16.7 %"), "{lengths}");
    let mut gathered = with(&[4, 34], &[35, 60]);
    gathered.seams[0].ease = true;
    assert_eq!(pair_seams(&mut gathered), Ok(()));
    let mut bare = with(&[4, 34], &[35, 65]);
    bare.mesh.material = None;
    assert_eq!(refusal(bare), SeamDefect::NoMaterial);
    let mut timeless = with(&[4, 34], &[35, 65]);
    timeless.seams[0].time = 0.0;
    assert_eq!(refusal(timeless), SeamDefect::Time { time: 0.0 });
    let mut far = with(&[4, 34], &[35, 65]);
    far.seams[0].sides = SeamSides::Near(0.05);
    assert_eq!(refusal(far), SeamDefect::NothingNear { distance: 0.05 });
}

#[test]
fn a_panel_that_is_turned_over_is_refused() {
    let left = panel([4, 6], DVec2::new(0.4, 0.6), DVec2::ZERO, DVec3::ZERO);
    let mut right = panel([4, 6], DVec2::new(0.4, 0.6), DVec2::ZERO, DVec3::ZERO);
    // Seen from behind: its right side is at the left one's right side.
    right.positions.iter_mut().for_each(|x| x.x = 0.9 - x.x);
    let turned = cloth(together(left, right), vec![seam(&[4, 34], &[39, 69])]);
    assert_eq!(refusal(turned), SeamDefect::TurnedOver { panels: [0, 1] });
}

#[test]
fn seams_that_would_leave_no_surface_are_refused_with_the_vertex() {
    let mut sheets = two_sheets([6, 6], 0.1);
    // Two neighbors on the side of the first.
    let corners = SeamSides::Pairs(vec![[4, 9]]);
    sheets.seams.push(SeamDescription { sides: corners, ..sheets.seams[0].clone() });
    let description = WorldDescription { cloths: vec![sheets], ..WorldDescription::bare() };
    let error = World::build(&description).expect_err("a face without area");
    let BuildError::Seam { error: seam, .. } = &error else { panic!("{error}") };
    assert!(seam.seam == 1 && matches!(seam.defect, SeamDefect::NoSurface { .. }), "{error}");
    assert!(error.to_string().contains("cloth 'sheet': seam 1: sewn together"), "{error}");
}

#[test]
fn solvers_and_modes_that_cannot_sew_say_so() {
    let refuse = |change: fn(&mut WorldDescription)| {
        let mut description =
            WorldDescription { cloths: vec![two_sheets([6, 6], 0.1)], ..WorldDescription::bare() };
        change(&mut description);
        World::build(&description).expect_err("it cannot be sewn").to_string()
    };
    let other = refuse(|description| {
        description.simulation.solver = SolverChoice::Xpbd;
        description.cloths[0].bending = taffeta_solve::BendingModel::Hinge;
    });
    assert!(other.contains("the solver \"xpbd\" cannot sew"), "{other}");
    let still = refuse(|description| description.simulation.mode = Mode::Static);
    assert!(still.contains("sewing takes time"), "{still}");
}

#[test]
fn vertices_keep_their_order_while_they_are_sewn_and_those_that_a_seam_adds_have_no_name() {
    let description = two_sheets([6, 4], 0.02);
    let input = description.mesh.positions.clone();
    let mut world = world(description, |_| {});
    // Vertices in the order of the input, then the added ones; the number of both.
    let count = |world: &World| {
        let view = world.cloth(world.cloth_ids()[0]);
        let names = view.vertex_names();
        let known: Vec<usize> = names.iter().flatten().map(|name| *name as usize).collect();
        assert!(known.is_sorted_by(|a, b| a < b) && names[..known.len()].iter().all(Option::is_some));
        let start = |k: usize| world.state.sheet.starts[view.vertex(k)];
        // A vertex may slide along the seam, and the weld is in the middle of the gap.
        assert!(known.iter().enumerate().all(|(k, name)| start(k).distance(input[*name]) < 0.06));
        [known.len(), names.len() - known.len()]
    };
    let [known, added] = count(&world);
    assert!(known == input.len() && added > 0, "{known} and {added}");
    run(&mut world, 40);
    assert!(is_closed(&world));
    // Each added one is sewn to one of the input.
    let [known, added] = count(&world);
    assert!(known < input.len() && added == 0, "{known} and {added}");
}
