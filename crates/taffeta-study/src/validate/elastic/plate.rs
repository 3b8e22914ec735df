//! The simply supported plate: bending must not depend on the mesh.

use crate::reference::{GRAVITY, square_plate};
use crate::validate::bench::context::{CheckError, Context, position};
use crate::validate::bench::meshes::{MeshSize, square_mesh};
use crate::validate::bench::row::Row;

/// Areal density \[kg/m²\], bending stiffness \[N·m\] and membrane stiffness \[N/m\]: the deflection is 8e-5 of the side,
/// and the tension that comes with it carries 1e-5 of the load.
const DENSITY: f64 = 0.02;
const BEND: f64 = 10.0;
const STRETCH: f64 = 1e4;
/// Cells along a side.
const CELLS: u32 = 32;
/// Rows of equilateral triangles of the size of a cell.
const EQUILATERAL_ROWS: u32 = 37;

/// Seven families of meshes, each to 2 %, and all within 2 % of each other.
pub(crate) fn check_plate(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let size = 1.0 / f64::from(CELLS);
    context.write_mesh("relaxed.obj", &square_mesh(MeshSize { near: size, far: size }))?;
    context.write_mesh("graded.obj", &square_mesh(MeshSize { near: 0.4 * size, far: 1.6 * size }))?;
    let grid = |pattern, rows| format!("grid = {{ cells = [{CELLS}, {rows}], pattern = \"{pattern}\" }}");
    let shapes = [
        ("equilateral", grid("equilateral", EQUILATERAL_ROWS)),
        ("one diagonal", grid("diagonal", CELLS)),
        ("alternating", grid("alternating", CELLS)),
        ("crossed", grid("crossed", CELLS)),
        ("relaxed Delaunay", "mesh = \"relaxed.obj\"".to_owned()),
        ("random Delaunay", grid("delaunay", CELLS)),
        ("graded", "mesh = \"graded.obj\"".to_owned()),
    ];
    let exact = square_plate() * DENSITY * GRAVITY / BEND;
    let mut rows = Vec::new();
    for (name, shape) in shapes {
        context.note(&format!("plate: {name}"));
        let world = context.equilibrium(&scene(&shape))?;
        let ratio = -position(&world, 0.5, 0.5)?.z / exact;
        rows.push(Row::relative(format!("deflection over exact, {name}"), ratio, 1.0, 0.02));
    }
    let ratios = || rows.iter().map(|row| row.value);
    let spread = ratios().fold(f64::NEG_INFINITY, f64::max) - ratios().fold(f64::INFINITY, f64::min);
    rows.push(Row::at_most("spread of all", spread, 0.02));
    Ok(rows)
}

/// Held along z at the border; in the plane at two corners only, against rigid motions. A vertex that several pins
/// select belongs to the first.
fn scene(shape: &str) -> String {
    format!(
        r#"
[simulation]
mode = "static"
gravity = [0.0, 0.0, -{GRAVITY}]
[[cloth]]
{shape}
material = {{ density = {DENSITY}, stretch = [{STRETCH}, {STRETCH}], poisson = 0.3, bend = [{BEND}, {BEND}] }}
bending = "curvature"
[[cloth.pin]]
where = {{ material_box = [[-1e-6, -1e-6], [1e-6, 1e-6]] }}
[[cloth.pin]]
where = {{ material_box = [[0.999999, -1e-6], [1.000001, 1e-6]] }}
axes = [false, true, true]
[[cloth.pin]]
where = {{ boundary = true }}
axes = [false, false, true]
"#
    )
}
