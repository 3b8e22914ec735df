//! The shape of adaptive meshes, and how far a pass moves what is seen.

use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use taffeta_sim::queries;

/// Angle that a face is to have at least, in the metric that the pass wanted \[°\], and the part of the faces of all frames that
/// may have less. In a single frame one face of a few hundred is more than that.
const LEAST_ANGLE: f64 = 15.0;
const BELOW: f64 = 1e-3;
/// Root mean square over a cloth of the displacement by a pass, relative to its size; with round-off.
const POPPING: f64 = 1e-4 * (1.0 + 1e-9);

/// Sheets of 1 m whose meshes are adapted, with the number of frames in which that is looked at.
const SHEETS: [(&str, u32, &str); 2] = [
    (
        "swing from one edge",
        60,
        r#"
[simulation]
threads = 1
duration = 1.0
[[cloth]]
grid = { size = [1.0, 1.0], cells = [8, 8], pattern = "alternating" }
material = "cotton"
place = { rotate_deg = [-90, 0, 0] }
remesh = { size_max = 0.25, refine_error = 0.002 }
[[cloth.pin]]
where = { material_box = [[0.0, 1.0], [1.0, 1.0]] }
"#,
    ),
    (
        "fall onto a ball",
        40,
        r#"
[simulation]
threads = 1
duration = 1.0
[[cloth]]
grid = { size = [1.0, 1.0], cells = [8, 8], pattern = "alternating" }
material = "canvas"
place = { translate = [-0.5, 0.25, 0.5], rotate_deg = [-90, 0, 0] }
remesh = { size_min = 0.025, size_max = 0.2, refine_error = 0.006 }
[[obstacle]]
shape = { sphere = { radius = 0.2 } }
friction = { static = 0.4, kinetic = 0.3 }
"#,
    ),
];

/// All faces, the worst frame and the worst pass of every sheet.
pub(crate) fn check_quality(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for (name, frames, scene) in SHEETS {
        context.note(&format!("mesh-quality: {name}"));
        let mut experiment = context.experiment(scene)?;
        let (mut below, mut faces, mut worst) = (0, 0, 0.0_f64);
        let (mut least, mut popping) = (180.0_f64, 0.0_f64);
        for _ in 0..frames {
            popping = popping.max(experiment.step()?.jumps.popping);
            let angles: Vec<f64> =
                queries::face_angles(&experiment.world, 0).iter().map(|a| a.to_degrees()).collect();
            let small = angles.iter().filter(|angle| **angle < LEAST_ANGLE).count();
            (below, faces) = (below + small, faces + angles.len());
            worst = worst.max(small as f64 / angles.len() as f64);
            least = angles.iter().copied().fold(least, f64::min);
        }
        rows.extend([
            Row::at_most(format!("{name}: part of the faces below 15°"), below as f64 / faces as f64, BELOW),
            Row::reported(format!("{name}: the same in the worst frame"), worst),
            Row::reported(format!("{name}: smallest angle"), least).in_unit("°"),
            Row::at_most(format!("{name}: popping of a pass"), popping, POPPING),
        ]);
    }
    Ok(rows)
}
