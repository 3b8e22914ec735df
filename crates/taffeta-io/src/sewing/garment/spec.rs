//! The JSON of a sewing pattern, checked edge by edge. Lengths become meters.

use super::curve::Curve;
use super::error::{GarmentDefect, GarmentPlace, Refusal};
use glam::{DVec2, DVec3};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Units of a meter if the pattern does not say: centimeters, as GarmentCode has it.
const DEFAULT_UNITS: f64 = 100.0;
/// Distance from the origin at which vertices and panels are taken for a mistake \[m\].
const FARTHEST: f64 = 1e9;
/// Word of a stitch that sews along the direction of both edges.
const RIGHT_WRONG: &str = "right_wrong";
/// Ends of edges that follow each other are this close, relative to the panel.
const SAME_POINT: f64 = 1e-6;

/// A pattern.
pub(super) struct Pattern {
    pub panels: Vec<PanelSpec>,
    pub stitches: Vec<StitchSpec>,
}

/// A panel; lengths in meters.
pub(super) struct PanelSpec {
    pub name: String,
    pub translation: DVec3,
    /// About x, then y, then z \[degrees\].
    pub rotation: DVec3,
    /// Its edges, one after the other.
    pub edges: Vec<Curve>,
}

/// Two edges that are sewn together.
pub(super) struct StitchSpec {
    pub sides: [EdgeName; 2],
    /// True if both edges have the same direction along the seam.
    pub is_along: bool,
}

/// An edge by its numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct EdgeName {
    pub panel: usize,
    pub edge: usize,
}

#[derive(Deserialize)]
struct File {
    pattern: Sewing,
    #[serde(default)]
    properties: Properties,
}

#[derive(Deserialize)]
struct Sewing {
    panels: Map<String, Value>,
    #[serde(default)]
    stitches: Vec<Value>,
}

#[derive(Default, Deserialize)]
struct Properties {
    units_in_meter: Option<f64>,
    curvature_coords: Option<String>,
    #[serde(default)]
    normalize_panel_translation: bool,
}

#[derive(Deserialize)]
struct Panel {
    #[serde(default)]
    translation: [f64; 3],
    #[serde(default)]
    rotation: [f64; 3],
    vertices: Vec<[f64; 2]>,
    edges: Vec<Value>,
}

#[derive(Deserialize)]
struct Edge {
    endpoints: [usize; 2],
    curvature: Option<Value>,
}

#[derive(Deserialize)]
struct Side {
    panel: String,
    edge: usize,
}

/// Units and frames of the lengths of a pattern.
struct Units {
    /// Meters of a unit.
    scale: f64,
    /// True if control points are places of the panel, not of the edge.
    is_absolute: bool,
    /// True if panels are to be centered.
    is_centered: bool,
}

pub(super) fn read(bytes: &[u8]) -> Result<Pattern, Refusal> {
    let everywhere = GarmentPlace::default;
    if bytes.trim_ascii().is_empty() {
        return Err((everywhere(), GarmentDefect::Empty));
    }
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| (everywhere(), GarmentDefect::Format(format!("it cannot be read: {error}"))))?;
    let units = file.properties.units().map_err(|defect| (everywhere(), defect))?;
    if file.pattern.panels.is_empty() {
        return Err((everywhere(), GarmentDefect::NoPanels));
    }
    let panels = file.pattern.panels.into_iter().map(|(name, value)| read_panel(name, value, &units));
    let panels: Vec<PanelSpec> = panels.collect::<Result<_, _>>()?;
    let read = |(number, value)| {
        read_stitch(value, &panels).map_err(|defect| (GarmentPlace::stitch(number), defect))
    };
    let stitches = file.pattern.stitches.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(Pattern { panels, stitches })
}

impl Pattern {
    /// The outline of each panel, whatever its sides will be.
    pub(super) fn sample_roughly(&self) -> Vec<Vec<DVec2>> {
        self.panels.iter().map(|panel| panel.edges.iter().flat_map(Curve::sample_roughly).collect()).collect()
    }
}

impl Properties {
    fn units(&self) -> Result<Units, GarmentDefect> {
        let units = self.units_in_meter.unwrap_or(DEFAULT_UNITS);
        if !(units.is_finite() && units > 0.0) {
            return Err(GarmentDefect::Units(units));
        }
        let is_absolute = match self.curvature_coords.as_deref() {
            None | Some("relative") => false,
            Some("absolute") => true,
            Some(other) => return Err(GarmentDefect::Coords(other.to_owned())),
        };
        Ok(Units { scale: 1.0 / units, is_absolute, is_centered: self.normalize_panel_translation })
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, GarmentDefect> {
    serde_json::from_value(value).map_err(|error| GarmentDefect::Format(error.to_string()))
}

fn read_panel(name: String, value: Value, units: &Units) -> Result<PanelSpec, Refusal> {
    let refuse = |defect| (GarmentPlace::panel(&name), defect);
    let panel: Panel = parse(value).map_err(refuse)?;
    let mut vertices: Vec<DVec2> =
        panel.vertices.iter().map(|p| units.scale * DVec2::from_array(*p)).collect();
    let mut translation = units.scale * DVec3::from_array(panel.translation);
    let rotation = DVec3::from_array(panel.rotation);
    if !(vertices.iter().all(|p| p.is_finite()) && translation.is_finite() && rotation.is_finite()) {
        return Err(refuse(GarmentDefect::NotFinite));
    }
    let far = vertices.iter().map(|p| p.length()).fold(translation.length(), f64::max);
    if far > FARTHEST {
        return Err(refuse(GarmentDefect::Far(far)));
    }
    if panel.edges.len() < 3 {
        return Err(refuse(GarmentDefect::FewEdges(panel.edges.len())));
    }
    let mut center = DVec2::ZERO;
    if units.is_centered {
        center = vertices.iter().sum::<DVec2>() / vertices.len() as f64;
        vertices.iter_mut().for_each(|p| *p -= center);
        translation += center.extend(0.0);
    }
    let read = |(number, value)| {
        read_edge(value, &vertices, units, center)
            .map_err(|defect| (GarmentPlace::edge(&name, number), defect))
    };
    let edges: Vec<Curve> = panel.edges.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    check_loop(&edges).map_err(|(edge, defect)| (GarmentPlace::edge(&name, edge), defect))?;
    Ok(PanelSpec { name, translation, rotation, edges })
}

fn read_edge(value: Value, vertices: &[DVec2], units: &Units, center: DVec2) -> Result<Curve, GarmentDefect> {
    let edge: Edge = parse(value)?;
    let last = vertices.len().saturating_sub(1);
    let find = |vertex: usize| vertices.get(vertex).copied().ok_or(GarmentDefect::NoVertex { vertex, last });
    let [start, end] = [find(edge.endpoints[0])?, find(edge.endpoints[1])?];
    if start == end {
        return Err(GarmentDefect::NoLength(start));
    }
    let place = |[x, y]: [f64; 2]| match units.is_absolute {
        true => units.scale * DVec2::new(x, y) - center,
        false => start + x * (end - start) + y * (end - start).perp(),
    };
    Curve::new([start, end], edge.curvature, units.scale, &place)
}

/// Checks that each edge begins where the one before ends.
fn check_loop(edges: &[Curve]) -> Result<(), (usize, GarmentDefect)> {
    let size = edges.iter().map(|edge| edge.start().distance(edge.end())).sum::<f64>();
    for (number, edge) in edges.iter().enumerate() {
        let next = (number + 1) % edges.len();
        let (end, start) = (edge.end(), edges[next].start());
        if end.distance(start) > SAME_POINT * size {
            return Err((number, GarmentDefect::NoLoop { next, end, start }));
        }
    }
    Ok(())
}

fn read_stitch(value: Value, panels: &[PanelSpec]) -> Result<StitchSpec, GarmentDefect> {
    let Value::Array(parts) = value else {
        return Err(GarmentDefect::NotAStitch(format!("it is {value}")));
    };
    let count = parts.len();
    let mut parts = parts.into_iter();
    let (Some(first), Some(second), mark, None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(GarmentDefect::NotAStitch(format!("it has {count} members")));
    };
    let is_along = match mark {
        None => false,
        Some(Value::String(word)) if word == RIGHT_WRONG => true,
        Some(other) => {
            return Err(GarmentDefect::NotAStitch(format!(
                "its third member is {other}, but may only be {RIGHT_WRONG:?}"
            )));
        }
    };
    let sides = [find_edge(first, panels)?, find_edge(second, panels)?];
    if sides[0] == sides[1] {
        let EdgeName { panel, edge } = sides[0];
        return Err(GarmentDefect::SewnToItself { panel: panels[panel].name.clone(), edge });
    }
    Ok(StitchSpec { sides, is_along })
}

fn find_edge(value: Value, panels: &[PanelSpec]) -> Result<EdgeName, GarmentDefect> {
    let text = value.to_string();
    let Ok(Side { panel: name, edge }) = serde_json::from_value(value) else {
        return Err(GarmentDefect::NotAStitch(format!("{text} has no `panel` and `edge`")));
    };
    let Some(panel) = panels.iter().position(|panel| panel.name == name) else {
        let panels = panels.iter().map(|panel| panel.name.clone()).collect();
        return Err(GarmentDefect::NoPanel { name, panels });
    };
    let last = panels[panel].edges.len() - 1;
    if edge > last {
        return Err(GarmentDefect::NoEdge { panel: name, edge, last });
    }
    Ok(EdgeName { panel, edge })
}
