//! Implausible values, possible but hardly meant: warnings of values in other units, each with the likely cure.

use crate::scene::Scene;
use crate::scene::bodies::body::SceneCloth;
use crate::scene::bodies::cloth_shape::ClothShape;
use glam::{DMat2, DVec2, DVec3};
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::doubled_area;
use taffeta_sim::SolverChoice;
use taffeta_solve::Material;

/// Sizes of cloths beyond which nobody means meters \[m\].
const WIDEST: f64 = 10.0;
const NARROWEST: f64 = 0.005;
/// The heaviest cloth is carpet, some 4 kg/m².
const HEAVIEST: f64 = 5.0;
/// Paper and felt have up to some 0.1 N·m, and cardboard of several millimeters some N·m.
const STIFFEST_BEND: f64 = 1.0;
/// A steel sheet of half a millimeter has 1e8 N/m; Young's moduli are larger \[N/m\].
const STIFFEST_STRETCH: f64 = 1e8;
/// Three times the gravity of the earth \[m/s²\].
const STRONGEST_GRAVITY: f64 = 30.0;
/// Strain at the start above which material coordinates are not meters, and the part of the area that must have it: a few
/// triangles of real garments are worn out.
const LARGEST_STRAIN: f64 = 0.2;
const STRAINED_PART: f64 = 0.05;
/// Part of the strain that another scale must take away to be the cure.
const CURED_PART: f64 = 0.5;
/// A triangle lower than this part of its longest edge is worth a warning.
const NEEDLE: f64 = 1e-3;
/// Units that files come in, with their sizes in meters.
const UNITS: [(&str, f64); 4] =
    [("centimeters", 0.01), ("millimeters", 0.001), ("inches", 0.0254), ("scaled once too often", 1000.0)];

/// Warnings about values of a scene that are no lengths of meshes.
pub(super) fn doubt_scene(scene: &Scene) -> Vec<String> {
    let gravity = scene.simulation.settings.gravity.length();
    let doubt_gravity = || {
        format!(
            "simulation.gravity: {gravity:?} m/s² is more than three times that of the earth: centimeters? It is in m/s², as in \
             [0, -9.81, 0]"
        )
    };
    let gravity = (gravity > STRONGEST_GRAVITY).then(doubt_gravity);
    gravity.into_iter().chain(doubt_wind(scene)).chain(doubt_solver(scene)).collect()
}

/// A warning of a solver that does not know how cloth stiffens.
fn doubt_solver(scene: &Scene) -> Option<String> {
    let solver = scene.simulation.settings.solver;
    // PBD has a stiffness of its own instead of a material; projective dynamics tells all that it leaves out together.
    let is_told = [SolverChoice::Pbd, SolverChoice::Projective].contains(&solver);
    if solver.capabilities().stiffening || is_told {
        return None;
    }
    let cloth = scene.cloths.iter().find(|cloth| cloth.material.linearity < 1.0)?;
    Some(format!(
        "simulation.solver: {:?} has no linearity below 1, as the material of the cloth {:?} has: its `stretch` holds at any strain, and \
         cloth is stiffer than under `global`",
        solver.name(),
        cloth.name
    ))
}

/// A warning of wind that has no effect.
fn doubt_wind(scene: &Scene) -> Option<String> {
    let wind = scene.air.wind;
    if wind == DVec3::ZERO {
        return None;
    }
    if scene.air.is_vacuum() {
        return Some(format!(
            "air.wind: the wind {wind} has no effect, for a density or a drag of 0 is a vacuum: `air.density = 1.2`, `air.drag = 1`"
        ));
    }
    scene.simulation.is_static().then(|| {
        format!("air.wind: the wind {wind} has no effect on an equilibrium: `simulation.mode = \"dynamic\"`")
    })
}

/// Warnings about a cloth with its mesh, placed.
pub(super) fn doubt_cloth(key: &str, cloth: &SceneCloth, mesh: &TriangleMesh) -> Vec<String> {
    let warnings = [
        doubt_size(key, cloth, mesh),
        doubt_density(key, cloth),
        doubt_bend(key, cloth),
        doubt_stretch(key, cloth),
        doubt_layout(key, cloth, mesh),
        doubt_shapes(key, cloth, mesh),
    ];
    warnings.into_iter().flatten().collect()
}

fn doubt_density(key: &str, cloth: &SceneCloth) -> Option<String> {
    let density = cloth.material.density;
    (density > HEAVIEST).then(|| {
        format!(
            "{key}.material: the cloth {:?} has {density} kg/m², more than any carpet: g/m²? density = {} then",
            cloth.name,
            density / 1000.0
        )
    })
}

fn doubt_bend(key: &str, cloth: &SceneCloth) -> Option<String> {
    let bend = cloth.material.bend;
    (bend[0].max(bend[1]) > STIFFEST_BEND).then(|| {
        format!(
            "{key}.material: the cloth {:?} has a bend of {bend:?} N·m, more than any cardboard: µN·m? bend = {:?} then",
            cloth.name,
            bend.map(|value| round(1e-6 * value))
        )
    })
}

fn doubt_stretch(key: &str, cloth: &SceneCloth) -> Option<String> {
    let Material { stretch, thickness, .. } = cloth.material;
    (stretch[0].max(stretch[1]) > STIFFEST_STRETCH).then(|| {
        format!(
            "{key}.material: the cloth {:?} has a stretch of {stretch:?} N/m, more than sheet steel: Pa? It is Young's modulus \
             times thickness: stretch = {:?} then, for {thickness} m",
            cloth.name,
            stretch.map(|value| round(thickness * value))
        )
    })
}

/// A warning of a mesh or a grid that is far from the size of cloth.
fn doubt_size(key: &str, cloth: &SceneCloth, mesh: &TriangleMesh) -> Option<String> {
    let [low, high] = mesh.bounds()?;
    doubt_extent(high - low).map(|(what, unit, factor)| {
        let cure = match &cloth.shape {
            ClothShape::Grid { .. } => format!("`{key}.grid.size` is in m"),
            ClothShape::Ball { .. } => format!("`{key}.ball.radius` is in m"),
            ClothShape::Outline { scale: Some(scale), .. } => {
                format!("{unit}? `{key}.scale = {}`", round(scale * factor))
            }
            ClothShape::Outline { scale: None, .. } => {
                format!("{unit}? a `{key}.scale` that is {factor} times that of the file")
            }
            ClothShape::Garment { path, .. } => {
                format!("{unit}? correct `units_in_meter` in {}: 100 for cm", path.display())
            }
            ClothShape::Mesh { uv_scale, .. } if mesh.material.is_some() => format!(
                "{unit}? `{key}.place.scale = {}`, `{key}.uv_scale = {}`",
                round(cloth.place.scale * factor),
                round(uv_scale * factor)
            ),
            ClothShape::Mesh { .. } => {
                format!("{unit}? `{key}.place.scale = {}`", round(cloth.place.scale * factor))
            }
        };
        format!("{key}: the cloth {:?} is {what}: {cure}", cloth.name)
    })
}

/// Doubts about the extent of a cloth \[m\]: in words, the unit that it may be in, and the size of that. `None` if it
/// is plausible.
fn doubt_extent(extent: DVec3) -> Option<(String, &'static str, f64)> {
    let size = extent.max_element();
    if (NARROWEST..=WIDEST).contains(&size) {
        return None;
    }
    let width = if size > WIDEST { "wide" } else { "small" };
    let fits = |(_, factor): &&(&str, f64)| (0.1..WIDEST).contains(&(size * factor));
    let (unit, factor) = UNITS.iter().find(fits).unwrap_or(if size > WIDEST { &UNITS[1] } else { &UNITS[3] });
    Some((format!("{} m {width}", round(size)), unit, *factor))
}

/// Describes doubts about the size of a mesh by itself, for those who look at files; `None` if there are none.
pub fn doubt_mesh_size(mesh: &TriangleMesh) -> Option<String> {
    let [low, high] = mesh.bounds()?;
    let (what, unit, factor) = doubt_extent(high - low)?;
    Some(format!("it is {what}: {unit}? As cloth it needs `place.scale = {factor}`, `uv_scale = {factor}`"))
}

/// Describes doubts about the material coordinates of a mesh by itself, for those who look at files; `None` if there
/// are none.
pub fn doubt_mesh_layout(mesh: &TriangleMesh) -> Option<String> {
    let (strain, cure) = Layout::measure(mesh)?.doubt(1.0)?;
    Some(format!("as cloth it is strained by {strain} at the start: {cure}"))
}

/// A warning of material coordinates that are not those of the mesh in meters.
fn doubt_layout(key: &str, cloth: &SceneCloth, mesh: &TriangleMesh) -> Option<String> {
    let scale = match &cloth.shape {
        ClothShape::Mesh { uv_scale, .. } => *uv_scale,
        _ => 1.0,
    };
    let (strain, cure) = Layout::measure(mesh)?.doubt(scale)?;
    let cure = match &cloth.shape {
        ClothShape::Mesh { .. } => cure,
        _ => format!("`{key}.place.scale` stretches a cloth; a size of its own makes it larger"),
    };
    Some(format!("{key}: the cloth {:?} is strained by {strain} at the start: {cure}", cloth.name))
}

/// Stretches of the faces of a mesh against their material coordinates.
struct Layout {
    /// Area at rest and principal stretches of each face.
    faces: Vec<(f64, [f64; 2])>,
}

impl Layout {
    /// `None` without material coordinates.
    fn measure(mesh: &TriangleMesh) -> Option<Self> {
        let material = mesh.material.as_ref()?;
        let stretch = |(face, corners): (&[u32; 3], &[_; 3])| {
            let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
            let [u, v, w]: [DVec2; 3] = *corners;
            let rest = DMat2::from_cols(v - u, w - u).inverse();
            // The columns of F; the eigenvalues of FᵀF are the squares of the principal stretches.
            let [along_u, along_v] =
                [rest.x_axis, rest.y_axis].map(|column| (b - a) * column.x + (c - a) * column.y);
            let (xx, yy, xy) = (along_u.length_squared(), along_v.length_squared(), along_u.dot(along_v));
            let (mean, half) = (0.5 * (xx + yy), (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt());
            (0.5 * doubled_area(*corners).abs(), [(mean + half).sqrt(), (mean - half).max(0.0).sqrt()])
        };
        Some(Self { faces: mesh.faces.iter().zip(material).map(stretch).collect() })
    }

    /// The strain that all but a twentieth of the area stay below if the material coordinates are scaled.
    fn strain(&self, scale: f64) -> f64 {
        let strain =
            |stretches: &[f64; 2]| stretches.iter().map(|s| (s / scale - 1.0).abs()).fold(0.0, f64::max);
        let mut strains: Vec<(f64, f64)> = self.faces.iter().map(|(area, s)| (strain(s), *area)).collect();
        strains.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut left = STRAINED_PART * strains.iter().map(|(_, area)| area).sum::<f64>();
        for (strain, area) in strains {
            left -= area;
            if left < 0.0 {
                return strain;
            }
        }
        0.0
    }

    /// The strain in words and what helps, if it is too large: `scale` is that of the material coordinates so far.
    fn doubt(&self, scale: f64) -> Option<(String, String)> {
        let strain = self.strain(1.0);
        if strain <= LARGEST_STRAIN {
            return None;
        }
        let area: f64 = self.faces.iter().map(|(area, _)| area).sum();
        let mean = self.faces.iter().map(|(area, [s, t])| 0.5 * (s + t) * area).sum::<f64>() / area;
        let left = self.strain(mean);
        let cure = if left < CURED_PART * strain {
            format!("material coordinates are not meters: `uv_scale = {}` would fit", round(scale * mean))
        } else {
            format!(
                "its material coordinates are another shape than its mesh; without them (`vt`) the mesh is at rest as it \
                 comes, and the best `uv_scale`, {}, leaves {:.0} %",
                round(scale * mean),
                100.0 * left
            )
        };
        Some((format!("{:.0} %", 100.0 * strain), cure))
    }
}

/// A warning of triangles that are hardly any.
fn doubt_shapes(key: &str, cloth: &SceneCloth, mesh: &TriangleMesh) -> Option<String> {
    let height = |face: usize| {
        let (longest, doubled) = match &mesh.material {
            Some(material) => {
                let [a, b, c] = material[face];
                (a.distance(b).max(b.distance(c)).max(c.distance(a)), doubled_area(material[face]).abs())
            }
            None => {
                let [a, b, c] = mesh.faces[face].map(|v| mesh.positions[v as usize]);
                (a.distance(b).max(b.distance(c)).max(c.distance(a)), (b - a).cross(c - a).length())
            }
        };
        doubled / (longest * longest)
    };
    let heights = (0..mesh.faces.len()).map(|face| (height(face), face));
    let (worst, face) = heights.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (worst < NEEDLE).then(|| {
        format!(
            "{key}: face {face} of the cloth {:?} is a needle, {worst:.1e} times as high as its longest edge: it is stiff, and \
             slow to solve; `taffeta remesh` makes better triangles, or [cloth.remesh] on the way",
            cloth.name
        )
    })
}

/// A number with two digits after its first.
fn round(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
