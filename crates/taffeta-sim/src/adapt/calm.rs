//! Calm cloths: a pass that has found nothing to do on a cloth would find nothing again as long as its shape hardly changes.

use crate::derive::solver_facts::can_tear;
use crate::derive::world::World;
use crate::model::state::{Look, State};
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;
use taffeta_remesh::RemeshSettings;

/// An edge is calm while it changes, as a vector, by less than this part of what it may differ from the smooth cloth. That is the error,
/// or the angle times its length. So small a change asks for no edit that matters.
const CALM: f64 = 0.1;
/// Time \[s\] after which a cloth is looked at in any case: wanted sizes grow back in [`taffeta_remesh::RELAXATION_TIME`].
const LONGEST: f64 = 0.2;

/// Notes that a pass has looked at these cloths and changed none. Those that have to [wait](crate::adapt::energy) are looked at again
/// with the next step.
pub(crate) fn record_looks(state: &mut State, looked_at: &[bool], waits: &[bool]) {
    let State { looks, sheet, motion, time, .. } = state;
    looks.resize(looked_at.len(), None);
    for cloth in (0..looked_at.len()).filter(|cloth| looked_at[*cloth]) {
        let positions = match waits[cloth] {
            true => Vec::new(),
            false => motion.positions.raw[sheet.vertex_range(cloth as u32)].to_vec(),
        };
        looks[cloth] = Some(Look { time: *time, positions });
    }
}

/// Returns whether a pass in this step has looked at a cloth and changed nothing.
pub(crate) fn was_looked_at(state: &State, cloth: usize) -> bool {
    let look = state.looks.get(cloth).and_then(Option::as_ref);
    look.is_some_and(|look| look.time == state.time)
}

/// Returns whether the shape of a cloth has hardly changed since a pass that changed nothing, and nothing else asks for sizes. Where
/// the shape stays, velocities ask for nothing either.
pub(crate) fn is_calm(world: &World, cloth: usize) -> bool {
    let Some(settings) = world.setup.cloths[cloth].remesh else { return false };
    let looks_at_obstacles = settings.refine_error.is_none() && settings.refine_obstacle.is_some();
    let depends_on_shape =
        !looks_at_obstacles && (settings.coarsen_unseen.is_none() || world.setup.view.is_none());
    let Some(Some(look)) = world.state.looks.get(cloth) else { return false };
    depends_on_shape
        && !can_tear(world.facts())
        && world.state.time - look.time < LONGEST
        && has_kept_shape(world, cloth, &settings, look)
}

fn has_kept_shape(world: &World, cloth: usize, settings: &RemeshSettings, look: &Look) -> bool {
    let sheet = &world.state.sheet;
    let positions = &world.state.motion.positions;
    let range = sheet.vertex_range(cloth as u32);
    if look.positions.len() != range.len() {
        return false;
    }
    let keeps = |[a, b]: [VertexIndex; 2]| {
        let before = look.positions[b.to_usize() - range.start] - look.positions[a.to_usize() - range.start];
        let allowed = CALM * settings.refine_error.unwrap_or(settings.refine_angle * before.length());
        (positions[b] - positions[a] - before).length_squared() <= allowed * allowed
    };
    let mut edges = sheet.topology.edges.iter().map(|edge| edge.vertices);
    edges.all(|edge| !range.contains(&edge[0].to_usize()) || keeps(edge))
}

#[cfg(test)]
mod tests {
    use crate::{ClothDescription, PinDescription, StepInputs, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::{Region, TriangleMesh};
    use taffeta_remesh::{RemeshSettings, validate_attributes};
    use taffeta_solve::Material;

    const FRAME: f64 = 1.0 / 60.0;

    /// A square of 0.4 m in coarse cells, which ask for no edit while they are flat, held at one side or not at all.
    fn sheet(is_held: bool) -> World {
        let mut mesh = TriangleMesh::default();
        let coords: Vec<_> = (0..25).map(|k| DVec2::new(f64::from(k % 5), f64::from(k / 5)) * 0.1).collect();
        mesh.positions = coords.iter().map(|u| DVec3::new(u.x, 1.0, u.y)).collect();
        for (i, j) in (0..4).flat_map(|j| (0..4).map(move |i| (i, j))) {
            let a = 5 * j + i;
            mesh.faces.extend([[a, a + 1, a + 6], [a, a + 6, a + 5]]);
        }
        mesh.set_vertex_material(&coords);
        let mut sheet = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 1000.0, 0.0, 1e-4));
        sheet.remesh = Some(RemeshSettings { size_max: 0.12, ..RemeshSettings::default() });
        if is_held {
            sheet.pins.push(PinDescription::new(Region::Vertices(vec![0, 1, 2, 3, 4])));
        }
        World::build(&WorldDescription { cloths: vec![sheet], ..WorldDescription::bare() })
            .expect("a good world")
    }

    fn validate(world: &World) {
        let keyed = world.keyed();
        keyed.mesh.validate().expect("a valid mesh");
        validate_attributes(&keyed.mesh, &keyed.attributes).expect("valid attributes");
    }

    /// After how many of some frames a pass has just looked at the cloth, or changed it.
    fn looks(world: &mut World, frames: u32) -> u32 {
        let looks = (0..frames).filter(|_| {
            world.step(&StepInputs::default(), FRAME).expect("a step");
            super::was_looked_at(&world.state, 0) || world.state.looks.is_empty()
        });
        looks.count() as u32
    }

    #[test]
    fn a_cloth_that_keeps_its_shape_is_looked_at_now_and_then() {
        let mut world = sheet(false);
        assert_eq!(looks(&mut world, 1), 1, "at first");
        // It falls as it is.
        assert!((2..=3).contains(&looks(&mut world, 36)), "every 0.2 s");
        validate(&world);
    }

    #[test]
    fn a_cloth_that_swings_is_looked_at_in_every_frame_and_refined() {
        let mut world = sheet(true);
        let before = world.mesh(0).positions.len();
        assert!(looks(&mut world, 30) >= 25);
        assert!(world.mesh(0).positions.len() > before);
        validate(&world);
    }

    #[test]
    fn a_change_of_settings_lets_a_pass_look() {
        let mut world = sheet(false);
        looks(&mut world, 3);
        let settings = RemeshSettings { size_max: 0.06, ..RemeshSettings::default() };
        let id = world.cloth_ids()[0];
        world.set_remesh(id, settings).expect("good settings");
        let report = world.step(&StepInputs::default(), FRAME).expect("a step");
        assert!(report.remesh.splits > 0);
        validate(&world);
    }
}
