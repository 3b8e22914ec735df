//! Steps within a budget of wall time.

use crate::common::*;
use glam::DVec2;
use taffeta::core::Region;
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    ClothDescription, PinDescription, SimulationSettings, SolverChoice, StepInputs, World, queries,
};

const FRAME: f64 = 1.0 / 60.0;

/// An adaptive sheet that swings from an edge.
fn swinging() -> World {
    let mut cloth = ClothDescription::new("sheet", square(8, GridPattern::Alternating), stiff());
    cloth.remesh = Some(RemeshSettings {
        size_min: 0.02,
        size_max: 0.3,
        refine_error: Some(1e-3),
        ..RemeshSettings::default()
    });
    cloth.pins.push(PinDescription::new(Region::MaterialBox([DVec2::Y, DVec2::ONE])));
    // At the default one substep a frame is nearly enough.
    world(cloth, SimulationSettings { accuracy: 3e-5, ..settings(SolverChoice::Global, None) })
}

fn within(budget: Option<f64>) -> StepInputs {
    StepInputs { budget, ..StepInputs::default() }
}

#[test]
fn what_is_no_budget_is_refused() {
    let mut world = swinging();
    let before = world.state_hash();
    for budget in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = world.step(&within(Some(budget)), FRAME).unwrap_err().to_string();
        assert!(error.contains("budget") && error.contains("must be positive"), "{error}");
    }
    assert_eq!(world.state_hash(), before);
}

#[test]
fn a_budget_that_is_kept_changes_nothing() {
    let [mut free, mut kept] = [swinging(), swinging()];
    for _ in 0..5 {
        let [a, b] = [(&mut free, None), (&mut kept, Some(1e6))]
            .map(|(world, budget)| world.step(&within(budget), FRAME).unwrap());
        assert_eq!((a.state_hash, b.rough), (b.state_hash, None));
    }
}

/// No step takes as little as a nanosecond. Each is rougher than the one before, until they are as rough as they may be.
#[test]
fn what_does_not_fit_gets_rougher_and_fine_again_without_a_budget() {
    let (mut free, mut tight) = (swinging(), swinging());
    let asked = queries::accuracy(&tight);
    let (mut substeps, mut rough) = ([0, 0], None);
    for _ in 0..40 {
        let fine = free.step(&within(None), FRAME).unwrap();
        let report = tight.step(&within(Some(1e-9)), FRAME).unwrap();
        substeps = [substeps[0] + fine.plan.substeps, substeps[1] + report.plan.substeps];
        rough = report.rough;
        assert_eq!(queries::accuracy(&tight), asked, "the world keeps what it asks for");
    }
    let rough = rough.expect("it does not fit");
    assert!((rough.accuracy / asked - 100.0).abs() < 1e-9 && (rough.edges - 10_f64.sqrt()).abs() < 1e-12);
    // Nearly one substep a frame.
    assert!(substeps[1] < 50 && 3 * substeps[1] < 2 * substeps[0], "{substeps:?}");
    let vertices = [&free, &tight].map(World::vertex_count);
    assert!(vertices[1] < vertices[0], "{vertices:?}");
    let report = tight.step(&within(None), FRAME).unwrap();
    assert_eq!(report.rough, None);
}
