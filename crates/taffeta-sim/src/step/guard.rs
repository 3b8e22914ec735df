//! Names the vertex that is not at a finite position.

use crate::derive::bodies::body_name;
use crate::derive::world::World;
use crate::model::error::StepError;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

pub(crate) fn not_finite(world: &World, i: usize, h: f64) -> StepError {
    let vi = VertexIndex::from_usize(i);
    let body = world.state.sheet.vertex_cloths[vi] as usize;
    let has_material = world.setup.cloths.get(body).is_some_and(|cloth| cloth.has_material);
    let corner = world.state.sheet.topology.faces_around(vi).first().map(|fi| {
        let k = world.state.sheet.topology.faces[*fi].iter().position(|v| *v == vi).unwrap_or(0);
        world.state.motion.rest.corners[*fi][k]
    });
    StepError::NotFinite {
        body: body_name(&world.setup, body),
        material: corner.filter(|_| has_material),
        last_position: world.scratch.start[i],
        time: world.state.time + h,
    }
}
