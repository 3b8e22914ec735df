//! Animations of nodes: where each stands at a time.

use super::accessor::find;
use super::document::{Animation, Document, File, Node};
use glam::{DMat4, DQuat, DVec3, DVec4};
use taffeta_core::math;

/// Nodes deeper than this are taken for a circle.
const DEEPEST: usize = 1000;
/// Sine of an angle between quaternions below which they are the same.
const NO_TURN: f64 = 1e-9;

/// Translation, rotation (x, y, z, w) and scale of a node relative to its parent.
#[derive(Clone, Copy)]
pub(super) enum Local {
    Parts { translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3] },
    Matrix(DMat4),
}

impl Local {
    fn of(node: &Node) -> Self {
        match node.matrix {
            Some(matrix) => Self::Matrix(DMat4::from_cols_array(&matrix)),
            None => Self::Parts {
                translation: node.translation.unwrap_or_default(),
                rotation: node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
                scale: node.scale.unwrap_or([1.0; 3]),
            },
        }
    }

    fn matrix(self) -> DMat4 {
        match self {
            Self::Matrix(matrix) => matrix,
            Self::Parts { translation, rotation, scale } => {
                let turned = DVec4::from_array(rotation).normalize_or(DVec4::W);
                DMat4::from_scale_rotation_translation(
                    DVec3::from_array(scale),
                    DQuat::from_vec4(turned),
                    DVec3::from_array(translation),
                )
            }
        }
    }
}

/// Interpolation between the values of a track.
#[derive(Clone, Copy, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    Cubic,
}

/// A property of a node over time.
struct Track {
    node: usize,
    property: Property,
    interpolation: Interpolation,
    /// Increasing \[s\].
    times: Vec<f64>,
    /// One for each time; for cubic splines three: tangent in, value, tangent out. The last number of translations and scales has
    /// no meaning.
    values: Vec<DVec4>,
}

#[derive(Clone, Copy, PartialEq)]
enum Property {
    Translation,
    Rotation,
    Scale,
}

/// An animation that has been read.
#[derive(Default)]
pub(super) struct Tracks(Vec<Track>);

impl Tracks {
    /// Reads an animation. Weights of morph targets are left out.
    pub(super) fn read(file: &File, animation: &Animation) -> Result<Self, String> {
        let mut tracks = Vec::new();
        for (number, channel) in animation.channels.iter().enumerate() {
            let property = match channel.target.path.as_str() {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                _ => continue,
            };
            let Some(node) = channel.target.node else { continue };
            find(&file.document.nodes, node, "node")?;
            let sampler = find(&animation.samplers, channel.sampler, "sampler")?;
            let what = format!("channel {number} of the animation");
            let interpolation = match sampler.interpolation.as_deref() {
                None | Some("LINEAR") => Interpolation::Linear,
                Some("STEP") => Interpolation::Step,
                Some("CUBICSPLINE") => Interpolation::Cubic,
                Some(other) => return Err(format!("{what}: the interpolation {other:?} is unknown")),
            };
            let times = file.scalars(sampler.input, &what)?;
            let values: Vec<DVec4> = match property {
                Property::Rotation => {
                    file.rows::<4>(sampler.output, &what)?.into_iter().map(DVec4::from).collect()
                }
                _ => {
                    let rows = file.rows::<3>(sampler.output, &what)?;
                    rows.into_iter().map(|row| DVec3::from(row).extend(0.0)).collect()
                }
            };
            let each = if interpolation == Interpolation::Cubic { 3 } else { 1 };
            if times.is_empty() || values.len() != each * times.len() {
                let (found, count) = (values.len(), times.len());
                return Err(format!("{what} has {found} values for {count} times"));
            }
            if times.windows(2).any(|pair| pair[1] <= pair[0]) {
                return Err(format!("{what}: its times do not increase"));
            }
            tracks.push(Track { node, property, interpolation, times, values });
        }
        Ok(Self(tracks))
    }

    /// When the last of them ends \[s\]; 0 if there are none.
    pub(super) fn end(&self) -> f64 {
        self.0.iter().filter_map(|track| track.times.last()).fold(0.0, |end, time| end.max(*time))
    }

    /// The transformation of each node to the space of the scene at a time \[s\].
    pub(super) fn matrices(&self, document: &Document, time: f64) -> Result<Vec<DMat4>, String> {
        let mut locals: Vec<Local> = document.nodes.iter().map(Local::of).collect();
        for track in &self.0 {
            let Local::Parts { translation, rotation, scale } = &mut locals[track.node] else { continue };
            let value = track.at(time);
            match track.property {
                Property::Translation => *translation = value.truncate().to_array(),
                Property::Rotation => *rotation = value.to_array(),
                Property::Scale => *scale = value.truncate().to_array(),
            }
        }
        let parents = parents(document)?;
        let matrix = |node: usize| {
            let (mut matrix, mut above, mut depth) = (locals[node].matrix(), parents[node], 0);
            while let Some(parent) = above {
                (matrix, above, depth) = (locals[parent].matrix() * matrix, parents[parent], depth + 1);
                if depth > DEEPEST {
                    return Err(format!("node {node} is its own parent, or more than {DEEPEST} nodes deep"));
                }
            }
            Ok(matrix)
        };
        (0..locals.len()).map(matrix).collect()
    }
}

/// The parent of each node.
fn parents(document: &Document) -> Result<Vec<Option<usize>>, String> {
    let mut parents = vec![None; document.nodes.len()];
    for (number, node) in document.nodes.iter().enumerate() {
        for child in &node.children {
            find(&document.nodes, *child, "node")?;
            parents[*child] = Some(number);
        }
    }
    Ok(parents)
}

impl Track {
    /// The value at a time \[s\]: before the first time the first one, after the last the last.
    fn at(&self, time: f64) -> DVec4 {
        let next = self.times.partition_point(|own| *own <= time);
        let value =
            |k: usize| self.values[if self.interpolation == Interpolation::Cubic { 3 * k + 1 } else { k }];
        if next == 0 || next == self.times.len() {
            return value(next.saturating_sub(1));
        }
        let (first, length) = (next - 1, self.times[next] - self.times[next - 1]);
        let part = (time - self.times[first]) / length;
        match self.interpolation {
            Interpolation::Step => value(first),
            Interpolation::Linear if self.property == Property::Rotation => {
                turn(value(first), value(next), part)
            }
            Interpolation::Linear => value(first).lerp(value(next), part),
            // Hermite's cubic, by its values and tangents (glTF 2.0, appendix C).
            Interpolation::Cubic => {
                let (out, into) = (length * self.values[3 * first + 2], length * self.values[3 * next]);
                let (t, t2, t3) = (part, part * part, part * part * part);
                (2.0 * t3 - 3.0 * t2 + 1.0) * value(first)
                    + (t3 - 2.0 * t2 + t) * out
                    + (3.0 * t2 - 2.0 * t3) * value(next)
                    + (t3 - t2) * into
            }
        }
    }
}

/// Between two rotations on the shorter way, with constant speed (K. Shoemake, Animating rotation with quaternion curves, 1985).
fn turn(from: DVec4, to: DVec4, part: f64) -> DVec4 {
    let [a, b] = [from, to].map(|q| q.normalize_or(DVec4::W));
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let angle = 2.0 * math::atan2(a.distance(b), (a + b).length());
    let sine = |angle: f64| math::sin_cos(angle).0;
    if sine(angle) < NO_TURN {
        return a.lerp(b, part);
    }
    (sine((1.0 - part) * angle) * a + sine(part * angle) * b) / sine(angle)
}
