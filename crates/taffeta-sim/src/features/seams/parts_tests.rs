//! Seams that close in parts, because something is in the way.

use super::tests::{cloth, is_closed, panel, run, two_sheets, validate, world};
use crate::derive::rebuild::edit;
use crate::derive::snapshot::{go_back, note};
use crate::features::seams::threads::seams;
use crate::{PinDescription, StepInputs, World};
use glam::{DVec2, DVec3};
use taffeta_core::{Keyframe, KeyframedMotion, Region};
use taffeta_remesh::RemeshSettings;

const FRAME: f64 = 1.0 / 60.0;

/// Two sheets that are sewn together in 0.2 s. Between them a strip stands across them in the middle of the seam, from far
/// below up to `top` \[m\]. It is held, and pulled away downward from 0.4 s on if it `leaves`.
fn blocked(top: f64, leaves: bool) -> World {
    let mut strip = panel([1, 2], DVec2::new(0.04, 0.1), DVec2::ZERO, DVec3::ZERO);
    strip.positions.iter_mut().for_each(|x| *x = DVec3::new(0.41, 0.28 + x.x, top - 0.1 + x.y));
    let mut pin = PinDescription::new(Region::MaterialBox([DVec2::splat(-1.0), DVec2::splat(1.0)]));
    let key =
        |time: f64, down: f64| Keyframe { time, translate: DVec3::NEG_Z * down, rotate_deg: DVec3::ZERO };
    if leaves {
        pin.motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(0.4, 0.0), key(0.6, 0.3)]);
    }
    let mut strip = cloth(strip, Vec::new());
    strip.pins.push(pin);
    strip.name = "strip".to_owned();
    let mut sheets = two_sheets([6, 6], 0.02);
    sheets.remesh = Some(RemeshSettings { size_min: 0.06, size_max: 0.2, ..RemeshSettings::by_thresholds() });
    world(sheets, |description| {
        description.cloths.push(strip);
        description.self_contact = Some(true);
        description.simulation.velocity_damping = 2.0;
    })
}

/// Frames in each of which nothing crosses.
fn run_without_crossing(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.step(&StepInputs::default(), FRAME).expect("the step goes well");
        assert_eq!(world.crossings().map(|crossings| crossings.len()), Some(0), "frame {}", world.frame());
        validate(world);
    }
}

fn open_pairs(world: &World) -> usize {
    world.sheet().sewing.pairs_with_threads().filter(|[a, b]| a != b).count()
}

/// One place in which something was in the way kept a whole seam open.
#[test]
fn a_seam_closes_but_where_something_is_in_between_and_there_as_soon_as_it_is_gone() {
    let mut world = blocked(0.05, true);
    let mass = |world: &World| world.motion().masses.iter().sum::<f64>();
    let before = mass(&world);
    run_without_crossing(&mut world, 22);
    assert!(!is_closed(&world));
    assert_eq!(open_pairs(&world), 1, "of {}", seams(&world)[0].pairs);
    run_without_crossing(&mut world, 26);
    assert!(is_closed(&world), "{:?}", seams(&world));
    assert!((mass(&world) / before - 1.0).abs() < 1e-12);
    let attributes = &world.keyed().attributes;
    assert_eq!(
        attributes.vertices.iter().filter(|(_, v)| v.is_stitched).count(),
        0,
        "nothing holds the seam now"
    );
    assert_eq!(world.keyed().mesh.boundary_loops().len(), 2, "of the sheet and of the strip");
}

/// Cloth that reaches through a gap by less than an edge length need not keep it open.
#[test]
fn the_last_pair_meets_beside_what_reaches_through_its_gap() {
    let mut world = blocked(0.004, false);
    run_without_crossing(&mut world, 48);
    assert!(is_closed(&world), "{:?}", seams(&world));
}

#[test]
fn a_seam_that_closes_in_parts_resumes_with_the_same_bits() {
    let mut straight = blocked(0.05, true);
    for frame in 0..32 {
        let checkpoint = straight.checkpoint().to_bytes();
        run(&mut straight, 1);
        if frame % 4 == 3 {
            let mut resumed = blocked(0.05, true);
            let checkpoint = crate::Checkpoint::from_bytes(&checkpoint).expect("written");
            resumed.restore(checkpoint).expect("of the same scene");
            run(&mut resumed, 1);
            assert_eq!(straight.state_hash(), resumed.state_hash(), "frame {frame}");
        }
    }
}

/// A pinned vertex does not move to a place with more room.
#[test]
fn what_a_pin_holds_stays_where_a_seam_closes() {
    let mut sheets = two_sheets([6, 6], 2e-4);
    let held = 4 + 5 * 3;
    sheets.pins.push(PinDescription::new(Region::Vertices(vec![held])));
    let mut world = world(sheets, |description| description.self_contact = Some(true));
    let place = |world: &World| {
        let motion = world.motion();
        let at = motion.vertex_pins.iter_indexed().find(|(_, pin)| pin.is_some()).map(|(vi, _)| vi);
        motion.positions[at.expect("it is held")]
    };
    let before = place(&world);
    run(&mut world, 14);
    assert!(is_closed(&world), "{:?}", seams(&world));
    assert_eq!(place(&world), before);
}

/// Masses, velocities and pins of the welded sheet must not stay with the vertices of the open one.
#[test]
fn a_weld_that_is_taken_back_leaves_everything_as_it_was() {
    let start = || {
        let mut world = blocked(0.05, true);
        run(&mut world, 9);
        world
    };
    let (mut world, mut other) = (start(), start());
    let (hash, before) = (world.checkpoint_hash(), note(&world));
    let count = world.vertex_count();
    let pairs = world.state.sheet.sewing.seams[0].pairs[..2].to_vec();
    edit(&mut world, |keyed| keyed.weld(&pairs, &[]).expect("they can become one"));
    assert_eq!(world.vertex_count(), count - 2);
    go_back(&mut world, before);
    assert_eq!(world.checkpoint_hash(), hash);
    validate(&world);
    for frame in 0..4 {
        run(&mut world, 1);
        run(&mut other, 1);
        assert_eq!(world.checkpoint_hash(), other.checkpoint_hash(), "frame {frame}");
    }
}
