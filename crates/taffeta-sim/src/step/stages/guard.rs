//! Names the vertex that is not at a finite position.

use crate::derive::bodies::body_name;
use crate::derive::facts::Facts;
use crate::model::report::error::StepError;
use crate::model::workspace::Workspace;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

pub(crate) fn not_finite(
    Facts { setup, state, .. }: Facts<'_>,
    work: &Workspace,
    i: usize,
    h: f64,
) -> StepError {
    let vi = VertexIndex::from_usize(i);
    let body = state.sheet.vertex_cloths[vi] as usize;
    let has_material = setup.cloths.get(body).is_some_and(|cloth| cloth.has_material);
    let corner = state.sheet.topology.faces_around(vi).first().map(|fi| {
        let k = state.sheet.topology.faces[*fi].iter().position(|v| *v == vi).unwrap_or(0);
        state.motion.rest.corners[*fi][k]
    });
    StepError::NotFinite {
        body: body_name(setup, body),
        material: corner.filter(|_| has_material),
        last_position: work.start[i],
        time: state.time + h,
    }
}
