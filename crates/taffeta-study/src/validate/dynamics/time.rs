//! Integration in time: steady states at any step, a swing against one of many substeps, what motion without losses keeps.

use super::conserved::{default_energy, default_spin};
use super::flight::linear_momentum;
use super::steady::check_steady_states;
use crate::study::Deviation;
use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use glam::DVec3;

/// See the module page.
pub(crate) fn check_time(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = check_steady_states(context)?;
    rows.extend(check_swing(context)?);
    context.note("time: spin, energy, momentum");
    rows.extend(default_spin(context)?);
    rows.extend(default_energy(context)?);
    rows.push(linear_momentum(context)?);
    Ok(rows)
}

/// Cotton that swings from an edge, by level of accuracy, against 64 substeps on the same mesh. Their equations are
/// solved well. With the default accuracy alone 64 substeps are 0.4 mm off.
fn check_swing(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let finest = swing(context, "substeps = 64\naccuracy = 1e-7")?;
    let coarser = swing(context, "substeps = 32\naccuracy = 1e-7")?;
    let error = |sheet: &[DVec3]| 1e3 * Deviation::between(sheet, &finest).rms;
    let case = "swing of cotton, 40 frames: 32 substeps against 64";
    let mut rows = vec![Row::reported(case, error(&coarser)).in_unit("mm")];
    for (level, tolerance) in [("draft", 16.0), ("standard", 4.0), ("fine", 1.0)] {
        let sheet = swing(context, &format!("accuracy = \"{level}\""))?;
        let case = format!("swing of cotton, 40 frames: error of {level}");
        rows.push(Row::at_most(case, error(&sheet), tolerance).in_unit("mm"));
    }
    Ok(rows)
}

/// Vertices of the sheet after 40 frames.
fn swing(context: &Context<'_>, settings: &str) -> Result<Vec<DVec3>, CheckError> {
    context.note(&format!("time: swing, {settings}"));
    let mut sheet = context.experiment(&format!(
        r#"
[simulation]
duration = 0.67
{settings}
[[cloth]]
grid = {{ cells = [32, 32], pattern = "alternating" }}
material = "cotton"
place = {{ rotate_deg = [-90, 0, 0] }}
[[cloth.pin]]
where = {{ material_box = [[0.0, 1.0], [1.0, 1.0]] }}
"#
    ))?;
    sheet.run(40)?;
    Ok(sheet.world.mesh(0).positions)
}
