//! Edges of panels: lines, Bézier curves and arcs of circles.

use super::error::GarmentDefect;
use crate::sewing::outline::chords::{Chain, sample};
use glam::DVec2;
use kurbo::{CubicBez, Line, PathSeg, Point, QuadBez};
use serde_json::Value;
use taffeta_core::math;

/// Points on a curve, however short it is, and on each of its chords.
const SAMPLES: usize = 48;
const CHORD_SAMPLES: f64 = 8.0;
/// A radius may be this much less than half the distance of the ends: numbers in files are rounded.
const RADIUS_SLACK: f64 = 1e-3;

/// An edge \[m\].
#[derive(Clone, Debug)]
pub(super) enum Curve {
    /// A line or a Bézier curve.
    Segment(PathSeg),
    /// An arc.
    Arc {
        /// The center of its circle.
        center: DVec2,
        /// Its ends.
        ends: [DVec2; 2],
        /// Its angle, positive if it runs counter-clockwise \[rad\].
        angle: f64,
    },
}

fn point(p: DVec2) -> Point {
    Point::new(p.x, p.y)
}

impl Curve {
    /// An edge by its ends and its `curvature`. `scale` is the length of a unit \[m\], `place` gives the place of a control
    /// point.
    pub(super) fn new(
        [start, end]: [DVec2; 2],
        curvature: Option<Value>,
        scale: f64,
        place: &dyn Fn([f64; 2]) -> DVec2,
    ) -> Result<Self, GarmentDefect> {
        let Some(curvature) = curvature.filter(|value| !value.is_null()) else {
            return Ok(Self::Segment(PathSeg::Line(Line::new(point(start), point(end)))));
        };
        // Patterns of 2021 have the control point alone.
        let (kind, params) = match &curvature {
            Value::Array(_) => ("quadratic", Value::Array(vec![curvature.clone()])),
            _ => {
                let kind = curvature["type"].as_str();
                let kind = kind.ok_or_else(|| GarmentDefect::UnknownCurve(curvature["type"].to_string()))?;
                (kind, curvature["params"].clone())
            }
        };
        let wrong = |kind, needed| GarmentDefect::CurveParams { kind, found: params.to_string(), needed };
        match kind {
            "quadratic" => {
                let [a] = numbers(&params).ok_or_else(|| wrong("quadratic", "one point [[x, y]]"))?;
                let curve = QuadBez::new(point(start), point(place(a)), point(end));
                Ok(Self::Segment(PathSeg::Quad(curve)))
            }
            "cubic" => {
                let [a, b] = numbers(&params).ok_or_else(|| wrong("cubic", "two points [[x, y], [x, y]]"))?;
                let curve = CubicBez::new(point(start), point(place(a)), point(place(b)), point(end));
                Ok(Self::Segment(PathSeg::Cubic(curve)))
            }
            "circle" => {
                let needed = "[radius, large_arc, right] with a radius > 0 and two flags 0 or 1";
                let (radius, is_large, is_right) = circle(&params).ok_or_else(|| wrong("circle", needed))?;
                arc([start, end], scale * radius, [is_large, is_right])
            }
            other => Err(GarmentDefect::UnknownCurve(other.to_owned())),
        }
    }

    pub(super) fn start(&self) -> DVec2 {
        match self {
            Self::Segment(segment) => at(segment, 0.0),
            Self::Arc { ends, .. } => ends[0],
        }
    }

    pub(super) fn end(&self) -> DVec2 {
        match self {
            Self::Segment(segment) => at(segment, 1.0),
            Self::Arc { ends, .. } => ends[1],
        }
    }

    /// Points on the curve, its end not counted, whatever its chords will be.
    pub(super) fn sample_roughly(&self) -> Vec<DVec2> {
        let mut points = self.points(SAMPLES);
        points.pop();
        points
    }

    /// Points on the curve, close against chords of a length \[m\].
    pub(super) fn chain(&self, edge_length: f64) -> Chain {
        let rough = Chain::new(self.points(SAMPLES));
        let samples = (CHORD_SAMPLES * rough.length / edge_length) as usize;
        if samples <= SAMPLES { rough } else { Chain::new(self.points(samples)) }
    }

    /// So many points and the end.
    fn points(&self, count: usize) -> Vec<DVec2> {
        let mut points = match self {
            Self::Segment(segment) => sample(segment, count),
            Self::Arc { center, ends: [start, _], angle } => {
                let turned = |k: usize| {
                    let (sin, cos) = math::sin_cos(angle * k as f64 / count as f64);
                    *center + DVec2::new(cos, sin).rotate(*start - *center)
                };
                std::iter::once(*start).chain((1..count).map(turned)).collect()
            }
        };
        points.push(self.end());
        points
    }
}

fn at(segment: &PathSeg, t: f64) -> DVec2 {
    use kurbo::ParamCurve;
    let p = segment.eval(t);
    DVec2::new(p.x, p.y)
}

/// So many finite points.
fn numbers<const N: usize>(params: &Value) -> Option<[[f64; 2]; N]> {
    let points: Vec<[f64; 2]> = serde_json::from_value(params.clone()).ok()?;
    let is_finite = points.iter().flatten().all(|number| number.is_finite());
    points.try_into().ok().filter(|_| is_finite)
}

/// Radius and flags of a circle.
fn circle(params: &Value) -> Option<(f64, bool, bool)> {
    let [radius, is_large, is_right] = params.as_array()?.as_slice() else { return None };
    let flag = |value: &Value| match value.as_f64() {
        Some(number) => Some(number != 0.0),
        None => value.as_bool(),
    };
    let radius = radius.as_f64().filter(|radius| radius.is_finite() && *radius > 0.0)?;
    Some((radius, flag(is_large)?, flag(is_right)?))
}

/// An arc to the right of the way from its start to its end, or to the left.
fn arc(
    ends @ [start, end]: [DVec2; 2],
    radius: f64,
    [is_large, is_right]: [bool; 2],
) -> Result<Curve, GarmentDefect> {
    let (chord, half) = (end - start, 0.5 * start.distance(end));
    if radius < (1.0 - RADIUS_SLACK) * half {
        return Err(GarmentDefect::SmallCircle { radius, apart: 2.0 * half });
    }
    let height = (radius.max(half).powi(2) - half * half).max(0.0).sqrt();
    // An arc on the right runs counter-clockwise. The center of the smaller one is on the left.
    let side = if is_right != is_large { 1.0 } else { -1.0 };
    let center = 0.5 * (start + end) + side * height * chord.perp().normalize();
    let less = 2.0 * math::atan2(half, height);
    let angle = if is_large { std::f64::consts::TAU - less } else { less };
    Ok(Curve::Arc { center, ends, angle: if is_right { angle } else { -angle } })
}
