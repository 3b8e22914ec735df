//! Two fingers that close on a hanging sheet, hold it and lift it.

use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use cpu_time::ProcessTime;

/// Distance of each finger from the middle surface of the sheet at which they touch \[m\]: half its thickness.
const TOUCH: f64 = 0.0005;
/// Distance of each finger from it at the start \[m\].
const OPEN: f64 = 0.01;
/// When the fingers begin to lift \[frames\], and the end.
const LIFT: usize = 60;
const END: usize = 96;

/// The sheet stays between the fingers, at any distance to which they close.
pub(super) fn check_grip(context: &Context<'_>, crossings: &mut usize) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    let mut longest = 0.0_f64;
    for part in [0.1, 0.3, 0.5, 0.7, 0.9] {
        context.note(&format!("contact: grip at {part} of the thickness"));
        let start = ProcessTime::now();
        let mut sheet = context.experiment(&scene(part))?;
        let heights = sheet.record_crossings(crossings, |sheet| Ok(sheet.at(0.1, 0.27)?.y))?;
        longest = longest.max(start.elapsed().as_secs_f64());
        let slip = |frame: usize| {
            let lifted = 0.2 * (frame - LIFT) as f64 / (END - LIFT) as f64;
            1e3 * (heights[frame] - 0.27 - lifted).abs()
        };
        let most = (LIFT..=END).map(slip).fold(0.0, f64::max);
        let case = format!("grip at {part} of the thickness, lift by 0.2 m: slip");
        rows.push(Row::at_most(case, most, 1.0).in_unit("mm"));
    }
    rows.push(Row::at_most("grip: the longest of them", longest, 10.0).in_unit("s"));
    Ok(rows)
}

/// The sheet hangs from its upper edge until 0.5 s. The fingers close until 0.4 s and lift from 1.0 s on.
fn scene(part: f64) -> String {
    let closing = OPEN - part * TOUCH;
    let finger = |side: f64| {
        let way = -side * closing;
        format!(
            "[[obstacle]]\nshape = {{ box = {{ half_size = [0.02, 0.02, 0.01] }} }}\n\
             place = {{ translate = [0.1, 0.27, {}] }}\nfriction = {{ static = 0.8, kinetic = 0.7 }}\n\
             motion = [{{ t = 0 }}, {{ t = 0.4, translate = [0, 0, {way}] }}, \
             {{ t = 1.0, translate = [0, 0, {way}] }}, {{ t = 1.6, translate = [0, 0.2, {way}] }}]\n",
            side * (0.01 + OPEN)
        )
    };
    let [front, back] = [1.0, -1.0].map(finger);
    format!(
        r#"
[simulation]
duration = 1.6
threads = 1
[[cloth]]
grid = {{ size = [0.2, 0.3], cells = [10, 15] }}
material = {{ density = 0.2, stretch = [2000.0, 2000.0], bend = [2e-5, 2e-5], thickness = 0.001, stretch_damping = 0.002, bend_damping = 0.01, friction = {{ static = 0.8, kinetic = 0.7 }} }}
[[cloth.pin]]
where = {{ material_box = [[0.0, 0.3], [0.2, 0.3]] }}
release = 0.5
{front}{back}"#
    )
}
