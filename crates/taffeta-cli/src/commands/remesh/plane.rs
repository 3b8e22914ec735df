//! Material coordinates for a sheet that lies almost in a plane.

use crate::failure::Failure;
use crate::log::say;
use glam::{DVec2, DVec3};
use std::path::Path;
use taffeta_core::TriangleMesh;

/// Part by which an edge may be shortened without a warning.
const SHORTENED: f64 = 0.01;

/// The sum of the area vectors of a closed surface is round-off: at most this part of the area.
const CLOSED: f64 = 1e-9;

/// The positions seen along the mean normal, per corner \[m\]. A warning says by how much edges are shortened.
pub(super) fn project(mesh: &TriangleMesh, path: &Path) -> Result<Vec<[[f64; 2]; 3]>, Failure> {
    let x = |v: u32| mesh.positions[v as usize];
    let areas = || mesh.faces.iter().map(|face| face.map(x)).map(|[a, b, c]| (b - a).cross(c - a));
    let (sum, area) = (areas().sum::<DVec3>(), areas().map(DVec3::length).sum::<f64>());
    let Some(normal) = sum.try_normalize().filter(|_| sum.length() > CLOSED * area) else {
        let text =
            "--flat: the faces have no mean normal, as those of a closed surface; it cannot be laid flat";
        return Err(Failure::Usage(format!("{}: {text}", path.display())));
    };
    // A sheet in the xy-plane keeps its coordinates.
    let u = (DVec3::X - normal.x * normal).try_normalize().filter(|_| normal.x.abs() < 0.9);
    let u = u.unwrap_or_else(|| (DVec3::Y - normal.y * normal).normalize());
    let v = normal.cross(u);
    let project = |x: DVec3| DVec2::new(x.dot(u), x.dot(v));
    let sides = mesh.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|ends| ends.map(x));
    let ratios = sides.map(|[a, b]| project(b - a).length() / (b - a).length());
    let shortest = ratios.fold(1.0, f64::min);
    if shortest < 1.0 - SHORTENED {
        say(format!(
            "warning: the sheet is not flat: seen along its mean normal, edges are up to {:.0} % shorter, and sizes are \
             measured so",
            100.0 * (1.0 - shortest)
        ));
    }
    Ok(mesh.faces.iter().map(|face| face.map(|v| project(x(v)).to_array())).collect())
}
