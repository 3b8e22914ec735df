//! A glTF document that grows: its JSON in memory, its numbers in a temporary file.

use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::animation::{self, Animation, Interpolation, Property};
use gltf_json::buffer::{self, Buffer};
use gltf_json::material::{Material, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mesh, Mode, Primitive, Semantic};
use gltf_json::scene::{Node, Scene};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Index, Root};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

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

/// A document under construction.
pub(super) struct Document {
    root: Root,
    animation: Animation,
    material: Index<Material>,
    numbers: BufWriter<File>,
    length: u64,
}

impl Document {
    pub(super) fn new(scratch: &Path) -> io::Result<Self> {
        let mut root = Root::default();
        root.asset.generator = Some("Taffeta".to_owned());
        let animation = Animation {
            channels: Vec::new(),
            samplers: Vec::new(),
            name: Some("frames".to_owned()),
            extensions: None,
            extras: None,
        };
        // Cloths have two sides, and are not made of metal.
        let surface = PbrMetallicRoughness {
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.9),
            ..PbrMetallicRoughness::default()
        };
        let material = root.push(Material {
            double_sided: true,
            pbr_metallic_roughness: surface,
            ..Material::default()
        });
        Ok(Self {
            root,
            animation,
            material,
            numbers: BufWriter::new(tempfile::tempfile_in(scratch)?),
            length: 0,
        })
    }

    /// Appends an array of 32-bit floats and returns its accessor.
    pub(super) fn floats(
        &mut self,
        kind: Type,
        values: &[f32],
        element: Element,
    ) -> io::Result<Index<Accessor>> {
        let width = kind.multiplicity();
        let target = match element {
            Element::Vertex | Element::Bounded => Some(buffer::Target::ArrayBuffer),
            Element::Time | Element::Value => None,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let is_bounded = matches!(element, Element::Bounded | Element::Time) && !values.is_empty();
        let bound = |pick: fn(f32, f32) -> f32| -> Value {
            let of = |c: usize| values.iter().skip(c).step_by(width).copied().fold(values[c], pick);
            (0..width).map(of).collect()
        };
        let bounds = is_bounded.then(|| [bound(f32::min), bound(f32::max)]);
        self.array(&bytes, (ComponentType::F32, kind, values.len() / width), target, bounds)
    }

    /// Appends corners of triangles and returns their accessor.
    pub(super) fn indices(&mut self, values: &[u32]) -> io::Result<Index<Accessor>> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let what = (ComponentType::U32, Type::Scalar, values.len());
        self.array(&bytes, what, Some(buffer::Target::ElementArrayBuffer), None)
    }

    fn array(
        &mut self,
        bytes: &[u8],
        (component, kind, count): (ComponentType, Type, usize),
        target: Option<buffer::Target>,
        bounds: Option<[Value; 2]>,
    ) -> io::Result<Index<Accessor>> {
        let view = self.root.push(buffer::View {
            buffer: Index::new(0),
            byte_length: USize64(bytes.len() as u64),
            byte_offset: Some(USize64(self.length)),
            byte_stride: None,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: None,
        });
        self.numbers.write_all(bytes)?;
        // All elements have 4 bytes, so that every array starts where it must.
        self.length += bytes.len() as u64;
        if self.length >= u64::from(u32::MAX) / 2 * 2 {
            let message = "a GLB file cannot have more than 4 GiB: write fewer frames (output.every), or another format";
            return Err(io::Error::other(message));
        }
        let [min, max] = bounds.map_or([None, None], |bounds| bounds.map(Some));
        Ok(self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64(count as u64),
            component_type: Checked::Valid(GenericComponentType(component)),
            type_: Checked::Valid(kind),
            min,
            max,
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: None,
        }))
    }

    /// A node with a mesh of its own.
    pub(super) fn mesh_node(
        &mut self,
        name: &str,
        attributes: BTreeMap<Semantic, Index<Accessor>>,
        indices: Option<Index<Accessor>>,
        mode: Mode,
    ) -> Index<Node> {
        let primitive = Primitive {
            attributes: attributes.into_iter().map(|(key, value)| (Checked::Valid(key), value)).collect(),
            indices,
            material: Some(self.material),
            mode: Checked::Valid(mode),
            targets: None,
            extensions: None,
            extras: None,
        };
        let mesh = self.root.push(Mesh {
            name: Some(name.to_owned()),
            primitives: vec![primitive],
            weights: None,
            extensions: None,
            extras: None,
        });
        self.root.push(Node { name: Some(name.to_owned()), mesh: Some(mesh), ..Node::default() })
    }

    /// A node with children.
    pub(super) fn group(&mut self, name: &str, children: Vec<Index<Node>>) -> Index<Node> {
        self.root.push(Node { name: Some(name.to_owned()), children: Some(children), ..Node::default() })
    }

    /// Lets a node be without size unless the animation says otherwise.
    pub(super) fn hide(&mut self, node: Index<Node>) {
        self.root.nodes[node.value()].scale = Some([0.0; 3]);
    }

    /// Lets a property of a node follow values over times.
    pub(super) fn animate(
        &mut self,
        (node, path): (Index<Node>, Property),
        [input, output]: [Index<Accessor>; 2],
        interpolation: Interpolation,
    ) {
        let sampler = Index::new(self.animation.samplers.len() as u32);
        let interpolation = Checked::Valid(interpolation);
        self.animation.samplers.push(animation::Sampler {
            input,
            output,
            interpolation,
            extensions: None,
            extras: None,
        });
        let target = animation::Target { node, path: Checked::Valid(path), extensions: None, extras: None };
        self.animation.channels.push(animation::Channel { sampler, target, extensions: None, extras: None });
    }

    /// Writes the file: a header, the JSON, the numbers.
    pub(super) fn finish(mut self, writer: impl Write, roots: Vec<Index<Node>>) -> io::Result<()> {
        let scene = self.root.push(Scene { nodes: roots, name: None, extensions: None, extras: None });
        self.root.scene = Some(scene);
        if !self.animation.channels.is_empty() {
            self.root.animations.push(self.animation);
        }
        if self.length > 0 {
            let byte_length = USize64(self.length);
            self.root.buffers.push(Buffer {
                byte_length,
                name: None,
                uri: None,
                extensions: None,
                extras: None,
            });
        }
        let mut json = serde_json::to_vec(&self.root).map_err(io::Error::other)?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + json.len() as u64 + 8 + self.length;
        let length = |n: u64| {
            let fits = u32::try_from(n).map(u32::to_le_bytes);
            fits.map_err(|_| io::Error::other("a GLB file cannot have more than 4 GiB"))
        };
        let mut out = BufWriter::new(writer);
        out.write_all(b"glTF\x02\0\0\0")?;
        out.write_all(&length(total)?)?;
        out.write_all(&length(json.len() as u64)?)?;
        out.write_all(b"JSON")?;
        out.write_all(&json)?;
        out.write_all(&length(self.length)?)?;
        out.write_all(b"BIN\0")?;
        let mut numbers = self.numbers.into_inner().map_err(io::IntoInnerError::into_error)?;
        numbers.rewind()?;
        io::copy(&mut numbers, &mut out)?;
        out.flush()
    }
}
