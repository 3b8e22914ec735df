//! A glTF document that grows: its JSON in memory, its numbers in a temporary file.
//!
//! Names and numbers are those of the glTF 2.0 specification.

use glam::DQuat;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

/// `ARRAY_BUFFER`: attributes of vertices.
const ARRAY_BUFFER: u32 = 34962;
/// `ELEMENT_ARRAY_BUFFER`: corners of triangles.
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// `UNSIGNED_INT`.
const UNSIGNED_INT: u32 = 5125;
/// `FLOAT`.
const FLOAT: u32 = 5126;

/// Number of an array of the document.
#[derive(Clone, Copy)]
pub(super) struct Accessor(usize);

/// Number of a node of the document.
#[derive(Clone, Copy)]
pub(super) struct Node(usize);

/// Type of the elements of an array.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
}

impl Type {
    /// Its name in documents, and how many numbers an element has.
    fn describe(self) -> (&'static str, usize) {
        match self {
            Self::Scalar => ("SCALAR", 1),
            Self::Vec2 => ("VEC2", 2),
            Self::Vec3 => ("VEC3", 3),
            Self::Vec4 => ("VEC4", 4),
        }
    }
}

/// Purpose of an array: decides whether it gets a target, and the bounds that glTF asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// An attribute of vertices.
    Vertex,
    /// Positions, which have bounds.
    Bounded,
    /// Times of an animation, which have bounds.
    Time,
    /// Values of an animation.
    Value,
}

/// Kind of the pieces that a mesh is drawn by, by its number in documents.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    LineStrip = 3,
    Triangles = 4,
}

/// A property of a node that moves, and how its values are interpolated.
#[derive(Clone, Copy)]
pub(super) enum Motion {
    /// Translations, interpolated linearly.
    Translation,
    /// Rotations, interpolated linearly.
    Rotation,
    /// Scales, each until the next.
    Scale,
}

impl Motion {
    /// Names of the property and of the interpolation.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Translation => ["translation", "LINEAR"],
            Self::Rotation => ["rotation", "LINEAR"],
            Self::Scale => ["scale", "STEP"],
        }
    }
}

/// A document under construction.
pub(super) struct Document {
    /// The lists of the JSON by their names. Empty lists are not allowed in it, so that each begins with its first element.
    lists: BTreeMap<&'static str, Vec<Value>>,
    /// Names of materials after the first, which has none.
    materials: Vec<String>,
    numbers: BufWriter<File>,
    length: u64,
}

impl Document {
    pub(super) fn new(scratch: &Path) -> io::Result<Self> {
        Ok(Self {
            lists: BTreeMap::new(),
            materials: Vec::new(),
            numbers: BufWriter::new(tempfile::tempfile_in(scratch)?),
            length: 0,
        })
    }

    /// Appends a value to a list and returns its place.
    fn push(&mut self, list: &'static str, value: Value) -> usize {
        let list = self.lists.entry(list).or_default();
        list.push(value);
        list.len() - 1
    }

    /// The JSON of a node.
    fn node(&mut self, node: Node) -> &mut Value {
        &mut self.lists.get_mut("nodes").expect("a node was added")[node.0]
    }

    /// Appends an array of 32-bit floats.
    pub(super) fn floats(&mut self, kind: Type, values: &[f32], element: Element) -> io::Result<Accessor> {
        let (name, width) = kind.describe();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let target = matches!(element, Element::Vertex | Element::Bounded).then_some(ARRAY_BUFFER);
        let view = self.view(&bytes, target)?;
        let mut accessor = json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len() / width, "type": name,
        });
        if matches!(element, Element::Bounded | Element::Time) && !values.is_empty() {
            let bound = |pick: fn(f32, f32) -> f32| -> Value {
                let of = |c: usize| values.iter().skip(c).step_by(width).copied().fold(values[c], pick);
                (0..width).map(of).collect()
            };
            accessor["min"] = bound(f32::min);
            accessor["max"] = bound(f32::max);
        }
        Ok(Accessor(self.push("accessors", accessor)))
    }

    /// Appends corners of triangles.
    pub(super) fn indices(&mut self, values: &[u32]) -> io::Result<Accessor> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(ELEMENT_ARRAY_BUFFER))?;
        let accessor = json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": values.len(), "type": "SCALAR",
        });
        Ok(Accessor(self.push("accessors", accessor)))
    }

    /// Appends bytes to the buffer and returns the number of their view.
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> io::Result<usize> {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.numbers.write_all(bytes)?;
        // All elements have 4 bytes, so that every array starts where it must.
        self.length += bytes.len() as u64;
        if self.length >= u64::from(u32::MAX) / 2 * 2 {
            let message = "a GLB file cannot have more than 4 GiB: write fewer frames (output.every), or another format";
            return Err(io::Error::other(message));
        }
        Ok(self.push("bufferViews", view))
    }

    /// Adds a node with a mesh of its own. It is drawn in parts, each with its corners and the name of its material.
    pub(super) fn mesh_node(
        &mut self,
        name: &str,
        attributes: Vec<(&str, Accessor)>,
        parts: &[(Option<Accessor>, Option<&str>)],
        mode: Mode,
    ) -> Node {
        let attributes: Map<String, Value> =
            attributes.into_iter().map(|(name, accessor)| (name.to_owned(), accessor.0.into())).collect();
        let mut primitives = Vec::new();
        for (indices, material) in parts {
            let material = material.map_or(0, |name| self.material(name));
            let mut primitive =
                json!({ "attributes": attributes, "material": material, "mode": mode as u32 });
            if let Some(indices) = indices {
                primitive["indices"] = indices.0.into();
            }
            primitives.push(primitive);
        }
        let mesh = self.push("meshes", json!({ "name": name, "primitives": primitives }));
        Node(self.push("nodes", json!({ "name": name, "mesh": mesh })))
    }

    /// The number of the material of a name. That of number 0 has none.
    fn material(&mut self, name: &str) -> usize {
        let known = self.materials.iter().position(|known| known == name);
        1 + known.unwrap_or_else(|| {
            self.materials.push(name.to_owned());
            self.materials.len() - 1
        })
    }

    /// Adds a node with children.
    pub(super) fn group(&mut self, name: &str, children: &[Node]) -> Node {
        let mut node = json!({ "name": name });
        // An empty list is not allowed.
        if !children.is_empty() {
            node["children"] = children.iter().map(|child| child.0).collect();
        }
        Node(self.push("nodes", node))
    }

    /// Turns a node.
    pub(super) fn turn(&mut self, node: Node, turn: DQuat) {
        self.node(node)["rotation"] = turn.to_array().map(|c| c as f32).to_vec().into();
    }

    /// Hides a node, by the scale 0, unless the animation scales it.
    pub(super) fn hide(&mut self, node: Node) {
        self.node(node)["scale"] = json!([0.0, 0.0, 0.0]);
    }

    /// Animates a property of a node with values at times.
    pub(super) fn animate(&mut self, node: Node, motion: Motion, [input, output]: [Accessor; 2]) {
        let [path, interpolation] = motion.names();
        let sampler = json!({ "input": input.0, "output": output.0, "interpolation": interpolation });
        let sampler = self.push("samplers", sampler);
        self.push("channels", json!({ "sampler": sampler, "target": { "node": node.0, "path": path } }));
    }

    /// Writes the file: a header, the JSON, the numbers.
    pub(super) fn finish(mut self, writer: impl Write, roots: &[Node]) -> io::Result<()> {
        let length = self.length;
        let mut json = self.take_root(roots).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + json.len() as u64 + 8 + length;
        let bytes = |n: u64| {
            let fits = u32::try_from(n).map(u32::to_le_bytes);
            fits.map_err(|_| io::Error::other("a GLB file cannot have more than 4 GiB"))
        };
        let mut out = BufWriter::new(writer);
        out.write_all(b"glTF\x02\0\0\0")?;
        out.write_all(&bytes(total)?)?;
        out.write_all(&bytes(json.len() as u64)?)?;
        out.write_all(b"JSON")?;
        out.write_all(&json)?;
        out.write_all(&bytes(length)?)?;
        out.write_all(b"BIN\0")?;
        let mut numbers = self.numbers.into_inner().map_err(io::IntoInnerError::into_error)?;
        numbers.rewind()?;
        io::copy(&mut numbers, &mut out)?;
        out.flush()
    }

    /// The whole JSON.
    fn take_root(&mut self, roots: &[Node]) -> Value {
        let mut root = json!({
            "asset": { "version": "2.0", "generator": "Taffeta" },
            // Cloths have two sides, and are not made of metal.
            "materials": [{
                "doubleSided": true,
                "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.9 },
            }],
            "scenes": [{}],
            "scene": 0,
        });
        for name in &self.materials {
            let mut material = root["materials"][0].clone();
            material["name"] = name.as_str().into();
            if let Value::Array(materials) = &mut root["materials"] {
                materials.push(material);
            }
        }
        if let (Some(channels), Some(samplers)) =
            (self.lists.remove("channels"), self.lists.remove("samplers"))
        {
            root["animations"] = json!([{ "name": "frames", "channels": channels, "samplers": samplers }]);
        }
        if self.length > 0 {
            root["buffers"] = json!([{ "byteLength": self.length }]);
        }
        if !roots.is_empty() {
            root["scenes"][0]["nodes"] = roots.iter().map(|node| node.0).collect();
        }
        for (name, list) in std::mem::take(&mut self.lists) {
            root[name] = list.into();
        }
        root
    }
}
