//! The bias extension test: strips at angles to warp are gripped at both ends and pulled.

use super::elastic_part;
use crate::reference::{Weave, pull_off_axis};
use crate::validate::bench::context::{CheckError, Context, position};
use crate::validate::bench::row::Row;
use glam::{DVec2, DVec3};
use taffeta_core::TriangleMesh;
use taffeta_io::{GridPattern, grid};
use taffeta_scene::materials::Preset;
use taffeta_solve::Material;

/// Length and width of the strips \[m\].
const LENGTH: f64 = 0.4;
const WIDTH: f64 = 0.05;
/// Cells along and across.
const CELLS: [u32; 2] = [64, 8];
/// Distance of the marks between which the stretch is measured \[m\].
const GAUGE: f64 = 0.05;
/// Angles to warp \[degrees\].
pub(super) const ANGLES: [f64; 3] = [0.0, 45.0, 90.0];
/// Strains.
pub(super) const STRAINS: [f64; 3] = [0.01, 0.02, 0.05];
/// Difference of strain by which the force is found from the energy.
const STEP: f64 = 1e-4;
/// File of the strip.
const MESH: &str = "bias.obj";

/// Force per width against that of the law of the material, far from the grips: `λ S` for a stretch `λ`, as the strain is that of
/// Green.
pub(super) fn check_bias(
    context: &Context<'_>,
    preset: &Preset,
    angle: f64,
    strain: f64,
) -> Result<Row, CheckError> {
    let material = &preset.material;
    let table = elastic_part(material);
    let (below, shorter) = pull(context, &table, angle, strain - STEP)?;
    let (above, longer) = pull(context, &table, angle, strain + STEP)?;
    let stretch = 0.5 * (shorter + longer);
    let force = (above - below) / (2.0 * STEP * LENGTH * WIDTH);
    let Material { stretch: moduli, linearity, poisson, .. } = *material;
    let weave = Weave { stretch: moduli, linearity, shear: material.shear_stiffness(), poisson };
    let expected = stretch * pull_off_axis(&weave, angle.to_radians(), 0.5 * (stretch * stretch - 1.0));
    let case = format!("{}, pull at {angle}°, {} %", preset.name, 100.0 * strain);
    Ok(Row::relative(case, force, expected, 0.02).in_unit("N/m"))
}

/// Elastic energy \[J\] of a pulled strip, and the stretch between its marks.
fn pull(context: &Context<'_>, material: &str, angle: f64, strain: f64) -> Result<(f64, f64), CheckError> {
    context.write_mesh(MESH, &strip(angle, strain))?;
    let last = CELLS[0];
    let row = |first: u32| (0..=CELLS[1]).map(move |k| first + k * (last + 1));
    let ends: Vec<u32> = row(0).chain(row(last)).collect();
    let scene = format!(
        r#"
[simulation]
mode = "static"
gravity = [0.0, 0.0, 0.0]
[[cloth]]
mesh = "{MESH}"
material = {material}
[[cloth.pin]]
where = {{ vertices = {ends:?} }}
[contact]
self = false
"#
    );
    let world = context.equilibrium(&scene)?;
    let turn = DVec2::from_angle(angle.to_radians());
    let mark = |side: f64| {
        let at = turn.rotate(DVec2::new(0.5 * (LENGTH + side * GAUGE), 0.5 * WIDTH));
        position(&world, at.x, at.y)
    };
    let stretch = mark(1.0)?.distance(mark(-1.0)?) / GAUGE;
    Ok((world.measure().stretch_energy, stretch))
}

/// A strip whose length is along x, and at an angle to warp \[degrees\] in the material; all of it is strained evenly.
fn strip(angle: f64, strain: f64) -> TriangleMesh {
    let mut mesh = grid(DVec2::new(LENGTH, WIDTH), CELLS, GridPattern::Alternating, 1);
    let turn = DVec2::from_angle(angle.to_radians());
    let coords: Vec<DVec2> = mesh.positions.iter().map(|x| turn.rotate(x.truncate())).collect();
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new((1.0 + strain) * x.x, x.y, 0.0));
    mesh.set_vertex_material(&coords);
    mesh
}
