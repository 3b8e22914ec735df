//! GLB: binary glTF, one file for all bodies and frames.
//!
//! glTF has no meshes whose topology changes. So every frame of a body is a node with a mesh of its own. An animation with
//! steps shows one of them at a time: its scale is 1 in its frame and 0 otherwise. Without the animation the first frame shows.
//! Obstacles are nodes by their names that move, or stand still.
//!
//! Attributes: `POSITION` \[m\], `TEXCOORD_0`, the material coordinates \[m\] as they are, `_VELOCITY` \[m/s\] and `_SIZE`
//! \[m\]. Each panel with a name is a primitive with a material of that name. A vertex with several material coordinates is there once for each. glTF has no values of faces: strain and
//! curvature are left out. Numbers have 32 bits, and a file may have 4 GiB.

mod document;

use crate::frame::FrameData;
use crate::spanning::{Files, RigidBody, Span, SpanningWriter};
use document::{Document, Element, Mode, Motion, Node, Type};
use glam::{DQuat, DVec2, DVec3};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use taffeta_core::motion::Pose;

/// The number of a frame, and the node that shows it.
type FrameNode = (u64, Node);

/// Bodies and frames on their way to a file.
pub struct GlbWriter {
    document: Document,
    rate: f64,
    /// The frames of each body by name.
    bodies: Vec<(String, Vec<FrameNode>)>,
    roots: Vec<Node>,
    last: u64,
    up: DVec3,
}

impl GlbWriter {
    /// Starts a file with so many frames per second \[1/s\]. A temporary file without a name goes to the folder `scratch`.
    ///
    /// # Errors
    /// If a temporary file cannot be made.
    pub fn new(frame_rate: f64, scratch: &Path) -> io::Result<Self> {
        let document = Document::new(scratch)?;
        Ok(Self { document, rate: frame_rate, bodies: Vec::new(), roots: Vec::new(), last: 0, up: DVec3::Y })
    }

    /// Sets the direction that is upward. In glTF that is y, so that a node turns all others if it is another one.
    pub fn set_upward(&mut self, up: DVec3) {
        self.up = up.normalize_or(DVec3::Y);
    }

    /// Adds a frame of a body. The numbers of a body must increase.
    ///
    /// # Errors
    /// If the temporary file cannot be written, or the file would become too large.
    pub fn add(&mut self, body: &str, number: u64, frame: &FrameData) -> io::Result<()> {
        let node = self.add_mesh(&format!("{body}_{number:05}"), frame)?;
        self.last = self.last.max(number);
        match self.bodies.iter_mut().find(|(name, _)| name == body) {
            Some((_, frames)) => frames.push((number, node)),
            None => self.bodies.push((body.to_owned(), vec![(number, node)])),
        }
        Ok(())
    }

    /// Adds an obstacle.
    ///
    /// # Errors
    /// As [`GlbWriter::add`].
    pub fn add_rigid(&mut self, body: &RigidBody) -> io::Result<()> {
        for (number, positions) in &body.shapes {
            let mesh = taffeta_core::TriangleMesh { positions: positions.clone(), ..body.mesh.clone() };
            self.add(&body.name, *number, &FrameData::surface(mesh))?;
        }
        if !body.shapes.is_empty() {
            return Ok(());
        }
        let node = self.add_mesh(&body.name, &FrameData::surface(body.mesh.clone()))?;
        self.roots.push(node);
        if !body.poses.is_empty() {
            self.animate_poses(node, &body.poses)?;
        }
        Ok(())
    }

    fn add_mesh(&mut self, name: &str, frame: &FrameData) -> io::Result<Node> {
        let source = split_vertices(frame);
        let mut attributes = Vec::new();
        let pick = |list: &[DVec3]| source.vertices.iter().map(|v| list[*v as usize]).collect::<Vec<_>>();
        let document = &mut self.document;
        let points = numbers(&pick(&frame.mesh.positions));
        attributes.push(("POSITION", document.floats(Type::Vec3, &points, Element::Bounded)?));
        if let Some(coords) = &source.material {
            let values: Vec<f32> = coords.iter().flat_map(|u| u.to_array().map(|c| c as f32)).collect();
            attributes.push(("TEXCOORD_0", document.floats(Type::Vec2, &values, Element::Vertex)?));
        }
        if let Some(velocities) = &frame.velocities {
            let values = numbers(&pick(velocities));
            attributes.push(("_VELOCITY", document.floats(Type::Vec3, &values, Element::Vertex)?));
        }
        if let Some(sizes) = &frame.sizes {
            let values: Vec<f32> = source.vertices.iter().map(|v| sizes[*v as usize] as f32).collect();
            attributes.push(("_SIZE", document.floats(Type::Scalar, &values, Element::Vertex)?));
        }
        let mode = if frame.is_curve { Mode::LineStrip } else { Mode::Triangles };
        let mut parts = Vec::new();
        match &frame.panels {
            _ if frame.is_curve => parts.push((None, None)),
            None => parts.push((Some(document.indices(&source.indices)?), None)),
            Some(panels) => {
                let corners = source.indices.as_chunks::<3>().0;
                for (panel, faces) in panels.lists().into_iter().filter(|(_, faces)| !faces.is_empty()) {
                    let own: Vec<u32> = faces.iter().flat_map(|face| corners[*face as usize]).collect();
                    parts.push((Some(document.indices(&own)?), Some(panel)));
                }
            }
        }
        Ok(document.mesh_node(name, attributes, &parts, mode))
    }

    fn animate_poses(&mut self, node: Node, poses: &[(u64, Pose)]) -> io::Result<()> {
        let times: Vec<f32> = poses.iter().map(|(number, _)| (*number as f64 / self.rate) as f32).collect();
        let shifts = numbers(&poses.iter().map(|(_, pose)| pose.translation).collect::<Vec<_>>());
        let mut turns: Vec<f32> = Vec::with_capacity(4 * poses.len());
        let mut last = DQuat::IDENTITY;
        for (_, pose) in poses {
            // The nearer of the two quaternions of a rotation, so that it is not turned the long way round.
            let turn = DQuat::from_mat3(&pose.rotation).normalize();
            last = if turn.dot(last) < 0.0 { -turn } else { turn };
            turns.extend(last.to_array().map(|c| c as f32));
        }
        let input = self.document.floats(Type::Scalar, &times, Element::Time)?;
        let shifts = self.document.floats(Type::Vec3, &shifts, Element::Value)?;
        let turns = self.document.floats(Type::Vec4, &turns, Element::Value)?;
        self.document.animate(node, Motion::Translation, [input, shifts]);
        self.document.animate(node, Motion::Rotation, [input, turns]);
        Ok(())
    }

    /// Shows each frame of a body in its time only.
    fn animate_frames(&mut self, frames: &[FrameNode]) -> io::Result<()> {
        let time = |number: u64| (number as f64 / self.rate) as f32;
        let end = time(self.last);
        for (place, (number, node)) in frames.iter().enumerate() {
            let (start, next) = (time(*number), frames.get(place + 1).map(|(next, _)| time(*next)));
            let mut keys: Vec<(f32, f32)> = Vec::new();
            if start > 0.0 {
                keys.push((0.0, 0.0));
            }
            keys.push((start, 1.0));
            keys.extend(next.map(|next| (next, 0.0)));
            if next.is_none() && end > start {
                keys.push((end, 1.0));
            }
            let times: Vec<f32> = keys.iter().map(|(time, _)| *time).collect();
            let scales: Vec<f32> = keys.iter().flat_map(|(_, scale)| [*scale; 3]).collect();
            let input = self.document.floats(Type::Scalar, &times, Element::Time)?;
            let output = self.document.floats(Type::Vec3, &scales, Element::Value)?;
            self.document.animate(*node, Motion::Scale, [input, output]);
            if place > 0 {
                self.document.hide(*node);
            }
        }
        Ok(())
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of the writer and of the temporary file, and a file of more than 4 GiB.
    pub fn finish(mut self, writer: impl Write) -> io::Result<()> {
        for (name, frames) in std::mem::take(&mut self.bodies) {
            if frames.len() > 1 {
                self.animate_frames(&frames)?;
            }
            let children: Vec<Node> = frames.into_iter().map(|(_, node)| node).collect();
            let root = self.document.group(&name, &children);
            self.roots.push(root);
        }
        let mut roots = std::mem::take(&mut self.roots);
        if self.up != DVec3::Y {
            let turned = self.document.group("upward", &roots);
            self.document.turn(turned, DQuat::from_rotation_arc(self.up, DVec3::Y));
            roots = vec![turned];
        }
        self.document.finish(writer, &roots)
    }
}

/// All bodies of a run.
pub const FILE: &str = "scene.glb";

impl GlbWriter {
    /// Starts the file of a run.
    ///
    /// # Errors
    /// If a temporary file cannot be made.
    pub fn start(span: Span) -> io::Result<Box<dyn SpanningWriter>> {
        let mut writer = Self::new(span.frame_rate, &span.scratch)?;
        writer.set_upward(span.up);
        Ok(Box::new(writer))
    }
}

impl SpanningWriter for GlbWriter {
    fn add(&mut self, body: &str, number: u64, frame: &FrameData) -> io::Result<()> {
        Self::add(self, body, number, frame)
    }

    fn finish(mut self: Box<Self>, obstacles: &[RigidBody], files: &mut Files<'_>) -> io::Result<()> {
        obstacles.iter().try_for_each(|body| self.add_rigid(body))?;
        files(FILE, Box::new(|file| Self::finish(*self, file)))
    }
}

/// The vertices of a frame by material coordinates.
struct SplitVertices {
    /// The vertex of the frame that each vertex of the file is.
    vertices: Vec<u32>,
    /// Material coordinates \[m\].
    material: Option<Vec<DVec2>>,
    /// Corners of the triangles.
    indices: Vec<u32>,
}

/// One vertex for every vertex and material coordinate: first those of the frame in their order, each with the first
/// coordinate that a face gives it, then further ones.
fn split_vertices(frame: &FrameData) -> SplitVertices {
    let count = frame.mesh.positions.len();
    let mut vertices: Vec<u32> = (0..count as u32).collect();
    let faces = &frame.mesh.faces;
    let Some(material) = &frame.mesh.material else {
        return SplitVertices {
            vertices,
            material: None,
            indices: faces.iter().flatten().copied().collect(),
        };
    };
    let mut coords: Vec<Option<DVec2>> = vec![None; count];
    let mut others: BTreeMap<(u32, [u64; 2]), u32> = BTreeMap::new();
    let mut indices = Vec::with_capacity(3 * faces.len());
    for (vertex, u) in faces.iter().flatten().zip(material.iter().flatten()) {
        let bits = |u: DVec2| u.to_array().map(f64::to_bits);
        let first = *coords[*vertex as usize].get_or_insert(*u);
        let index = if bits(first) == bits(*u) {
            *vertex
        } else {
            *others.entry((*vertex, bits(*u))).or_insert_with(|| {
                vertices.push(*vertex);
                coords.push(Some(*u));
                vertices.len() as u32 - 1
            })
        };
        indices.push(index);
    }
    let material = coords.into_iter().map(Option::unwrap_or_default).collect();
    SplitVertices { vertices, material: Some(material), indices }
}

fn numbers(list: &[DVec3]) -> Vec<f32> {
    list.iter().flat_map(|x| x.to_array().map(|c| c as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::TriangleMesh;

    #[test]
    fn a_vertex_on_a_seam_is_there_once_for_each_side() {
        let [a, b, c, d] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(DVec2::from_array);
        let shift = DVec2::new(5.0, 0.0);
        let mesh = TriangleMesh {
            positions: vec![DVec3::ZERO; 4],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            material: Some(vec![[a, b, c], [a + shift, c, d]]),
        };
        let split = split_vertices(&FrameData::surface(mesh));
        assert_eq!(split.vertices, [0, 1, 2, 3, 0]);
        assert_eq!(split.indices, [0, 1, 2, 4, 2, 3]);
        assert_eq!(split.material.unwrap(), [a, b, c, d, a + shift]);
    }
}
