//! The JSON of a glTF file and its binary buffers. Names and numbers are those of the glTF 2.0 specification.

use crate::read_file;
use data_url::DataUrl;
use serde::Deserialize;
use std::path::Path;

/// Start of a binary file: `glTF`.
const MAGIC: &[u8] = b"glTF";
/// Bytes of the header of a binary file, and of each of its chunks.
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
/// Types of chunks: `JSON` and `BIN`.
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;
/// Extensions without which a file can be read all the same, because they are read or change no shape.
const KNOWN_EXTENSIONS: [&str; 2] = ["KHR_mesh_quantization", "KHR_texture_transform"];

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub scene: Option<usize>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub skins: Vec<Skin>,
    pub animations: Vec<Animation>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<BufferView>,
    buffers: Vec<Buffer>,
    extensions_required: Vec<String>,
    asset: Asset,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asset {
    version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub nodes: Vec<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub name: Option<String>,
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    /// Column by column.
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub attributes: Attributes,
    pub indices: Option<usize>,
    /// Absent: triangles.
    pub mode: Option<u32>,
    /// Morph targets.
    #[serde(default)]
    pub targets: Vec<serde_json::Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "UPPERCASE")]
pub(super) struct Attributes {
    pub position: Option<usize>,
    pub joints_0: Option<usize>,
    pub weights_0: Option<usize>,
    pub joints_1: Option<usize>,
    pub weights_1: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    pub r#type: String,
    pub sparse: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Buffer {
    byte_length: usize,
    uri: Option<String>,
}

/// A document with the bytes of its buffers.
pub(super) struct File {
    pub document: Document,
    pub buffers: Vec<Vec<u8>>,
}

impl File {
    /// Reads the bytes of a `.glb` or `.gltf` file. Other files that it names are in its folder.
    pub(super) fn parse(bytes: &[u8], folder: &Path) -> Result<Self, String> {
        let (json, mut binary) = if bytes.starts_with(MAGIC) { split(bytes)? } else { (bytes, None) };
        let document: Document =
            serde_json::from_slice(json).map_err(|error| format!("it cannot be read as glTF: {error}"))?;
        if !document.asset.version.starts_with("2.") {
            let version = &document.asset.version;
            return Err(format!("it is of version {version:?} of glTF; 2.0 is read: export it anew"));
        }
        let unknown = |name: &&String| !KNOWN_EXTENSIONS.contains(&name.as_str());
        if let Some(name) = document.extensions_required.iter().find(unknown) {
            return Err(format!(
                "it needs the extension {name}, which is not read: export it without, or uncompressed"
            ));
        }
        let mut buffers = Vec::new();
        for (number, buffer) in document.buffers.iter().enumerate() {
            let bytes = match &buffer.uri {
                Some(uri) => load(uri, folder).map_err(|reason| format!("buffer {number}: {reason}"))?,
                None => binary.take().map(<[u8]>::to_vec).ok_or("its binary part is missing")?,
            };
            if bytes.len() < buffer.byte_length {
                let (found, expected) = (bytes.len(), buffer.byte_length);
                return Err(format!(
                    "buffer {number} has {found} bytes instead of {expected}: the file is cut off"
                ));
            }
            buffers.push(bytes);
        }
        Ok(Self { document, buffers })
    }
}

/// The JSON and the binary part of a binary file.
fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?))
    };
    let (mut json, mut binary, mut at) = (None, None, HEADER);
    while let (Some(length), Some(kind)) = (number(at), number(at + 4)) {
        let start = at + CHUNK_HEADER;
        let end = start.checked_add(length as usize).filter(|end| *end <= bytes.len());
        let Some(end) = end else { return Err("the file is cut off in the middle of a chunk".to_owned()) };
        match kind {
            JSON if json.is_none() => json = Some(&bytes[start..end]),
            BIN if binary.is_none() => binary = Some(&bytes[start..end]),
            _ => {}
        }
        at = end;
    }
    Ok((json.ok_or("it has no JSON part")?, binary))
}

/// The bytes behind a URI: in the URI itself, or in a file.
fn load(uri: &str, folder: &Path) -> Result<Vec<u8>, String> {
    if uri.starts_with("data:") {
        let data = DataUrl::process(uri).map_err(|error| format!("its data URI is malformed: {error:?}"))?;
        let (bytes, _) =
            data.decode_to_vec().map_err(|error| format!("its data URI is malformed: {error:?}"))?;
        return Ok(bytes);
    }
    let path = folder.join(uri.replace("%20", " "));
    read_file(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
