//! A cloth with and without another one far away: it moves the same.

use crate::study::Deviation;
use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use glam::DVec3;

/// A sheet that swings from its edge.
const SHEET: &str = r#"
[simulation]
duration = 1.0
[[cloth]]
grid = { cells = [16, 16], pattern = "alternating" }
material = "cotton"
place = { rotate_deg = [-90, 0, 0] }
[[cloth.pin]]
where = { material_box = [[0.0, 1.0], [1.0, 1.0]] }
"#;

/// Cloths 100 m away, with their names.
const OTHERS: [(&str, &str); 2] = [
    (
        "of 5 m",
        r#"
[[cloth]]
name = "other"
grid = { size = [5.0, 5.0], cells = [16, 16], pattern = "alternating" }
material = "cotton"
place = { rotate_deg = [-90, 0, 0], translate = [100.0, 0.0, 0.0] }
[[cloth.pin]]
where = { material_box = [[0.0, 5.0], [5.0, 5.0]] }
"#,
    ),
    (
        "small and fast",
        r#"
[[cloth]]
name = "other"
grid = { size = [0.1, 0.1], cells = [4, 4], pattern = "alternating" }
material = "cotton"
velocity = [0.0, 20.0, 0.0]
place = { translate = [100.0, 0.0, 0.0] }
[[cloth.pin]]
where = { material_box = [[0.0, 0.0], [0.0, 0.0]] }
"#,
    ),
];

/// Distances (root mean square) of the vertices after 0.1 s and 1 s.
pub(super) fn check_unrelated(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    context.note("contact: a sheet by itself");
    let alone = follow(context.experiment(SHEET)?)?;
    let mut rows = Vec::new();
    for (name, other) in OTHERS {
        context.note(&format!("contact: a sheet and another one, {name}, far away"));
        let with = follow(context.experiment(&format!("{SHEET}{other}"))?)?;
        for (time, tolerance, k) in [(0.1, 0.1, 0), (1.0, 1.0, 1)] {
            let distance = 1e3 * Deviation::between(&alone[k], &with[k]).rms;
            let case = format!("unrelated cloth, {name}: distance after {time} s");
            rows.push(Row::at_most(case, distance, tolerance).in_unit("mm"));
        }
    }
    Ok(rows)
}

/// Vertices of the first cloth after 0.1 s and 1 s.
fn follow(mut sheet: Experiment) -> Result<[Vec<DVec3>; 2], CheckError> {
    sheet.run(6)?;
    let early = sheet.world.mesh(0).positions;
    sheet.run_to_end()?;
    Ok([early, sheet.world.mesh(0).positions])
}
