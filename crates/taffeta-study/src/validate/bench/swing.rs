//! The sheet that several checks let swing.

/// The material of the checks: 2000 N/m.
pub(crate) const MATERIAL: &str =
    "{ density = 0.2, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5] }";

/// Support that the sheet swings from. Either ends on lines of grids of 20, 32, 64 and 128 cells, so that all hold
/// the same part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// Two squares at its corners, of a tenth of its size: it bends sharply where they end.
    Patches,
    /// The ends of its upper edge, of a tenth of its length: it turns about them.
    Edges,
}

/// A square sheet of 1 m² in a vacuum that swings from its upper corners for a second, with lines for `[simulation]`.
pub(crate) fn swing_scene(cells: u32, support: Support, settings: &str) -> String {
    let low = if support == Support::Patches { 0.9 } else { 1.0 };
    format!(
        r#"
[simulation]
duration = 1.0
{settings}
[[cloth]]
grid = {{ cells = [{cells}, {cells}], pattern = "alternating" }}
material = {MATERIAL}
place = {{ rotate_deg = [-90, 0, 0] }}
[[cloth.pin]]
where = {{ material_box = [[0.0, {low}], [0.1, 1.0]] }}
[[cloth.pin]]
where = {{ material_box = [[0.9, {low}], [1.0, 1.0]] }}
[air]
density = 0.0
"#
    )
}
