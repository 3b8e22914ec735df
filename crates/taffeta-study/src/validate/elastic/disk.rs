//! The inflated disk: a membrane under a follower load.

use crate::reference::hencky_membrane;
use crate::validate::bench::context::{CheckError, Context, position};
use crate::validate::bench::meshes::disk_mesh;
use crate::validate::bench::row::Row;

/// Rings of triangles: `a/h`.
const RINGS: u32 = 16;
/// Membrane stiffness \[N/m\] of a disk of radius 1 m.
const STRETCH: f64 = 1000.0;

/// Hencky's deflection. His equations are those of small slopes: at the larger pressure the deflection is 6.5 % of the
/// radius, where they are good to a fraction of a percent.
pub(crate) fn check_disk(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    context.write_mesh("disk.obj", &disk_mesh(RINGS))?;
    let mut rows = Vec::new();
    for (load, poisson) in [(1e-4, 0.3), (1e-3, 0.3), (1e-4, 0.0)] {
        let pressure = load * STRETCH;
        let scene = format!(
            r#"
[simulation]
mode = "static"
gravity = [0.0, 0.0, 0.0]
[[cloth]]
mesh = "disk.obj"
material = {{ density = 0.2, stretch = [{STRETCH}, {STRETCH}], poisson = {poisson}, bend = [1e-6, 1e-6] }}
pressure = {pressure}
[[cloth.pin]]
where = {{ boundary = true }}
"#
        );
        let world = context.equilibrium(&scene)?;
        let deflection = position(&world, 0.0, 0.0)?.z.abs() / load.cbrt();
        let case = format!("W₀, ν = {poisson}, q a/k = {load:e}");
        rows.push(Row::relative(case, deflection, hencky_membrane(poisson), 0.01));
    }
    Ok(rows)
}
