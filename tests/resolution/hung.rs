//! The sheet that hangs by its upper edge.

use super::meshing::Meshing;
use crate::common::*;
use glam::DVec2;
use taffeta::sim::SimulationSettings;
use taffeta::study::validate::mean_position;

/// Mean drop of the lower edge, converged \[m\].
const DROP: f64 = 0.48e-3;

/// Mean drop of the lower edge \[m\] when the sheet has settled.
fn settled_drop(meshing: Meshing) -> f64 {
    let upper_edge = [DVec2::new(0.0, 1.0), DVec2::ONE];
    let mut cloth = pinned(meshing.rectangle(DVec2::ONE), stiff(), [upper_edge]);
    meshing.adapt(&mut cloth, 1.0, 4.0);
    let settling = SimulationSettings { velocity_damping: 20.0, ..SimulationSettings::default() };
    let mut world = world(cloth, settling);
    run(&mut world, 36);
    -mean_position(&world, DVec2::ZERO, DVec2::X).expect("on the sheet").y
}

#[test]
fn the_settled_drop_is_the_same_on_every_mesh() {
    for meshing in tier(&[16][..], &[16, 32, 64]).iter().copied().flat_map(Meshing::some) {
        let drop = settled_drop(meshing);
        assert!((drop / DROP - 1.0).abs() < 0.02, "{meshing:?}: {drop}");
    }
}
