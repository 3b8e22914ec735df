//! Bodies from glTF 2.0: meshes with skins and an animation, sampled as shapes of one mesh.
//!
//! ```text
//! bytes ──document──► JSON, buffers ──accessor──► arrays ──animation──► nodes at a time ──skin──► shapes [m]
//! ```
//!
//! Read: triangles of all meshes of the scene, skins with up to eight joints per vertex, and an animation of nodes. Left out,
//! with a note: lines, points and morph targets. Vertices that coincide in every shape become one, for glTF gives each side
//! of a seam of a texture its own.

mod accessor;
mod animation;
mod document;
mod skin;

use crate::obj::{ObjError, ObjMesh};
use crate::read_file;
use accessor::find;
use animation::Tracks;
use document::{File, Primitive};
use glam::DVec3;
use skin::{Binding, Part};
use std::collections::HashMap;
use std::path::Path;

/// Numbers of all shapes together, at most: 2.4 GB.
const MOST_POINTS: f64 = 1e8;
/// A time that is later than the last of an animation by this part of a frame is the last.
const FRAME_SLACK: f64 = 1e-6;

/// A mesh that changes its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimatedMesh {
    /// The triangles at time 0.
    pub mesh: ObjMesh,
    /// Positions of the vertices \[m\], shape by shape.
    pub shapes: Vec<Vec<DVec3>>,
    /// Remarks: an animation that was chosen among others.
    pub notes: Vec<String>,
}

/// Returns whether a file is glTF, by the ending of its name.
pub fn is_gltf(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["glb", "gltf"].iter().any(|own| ending.eq_ignore_ascii_case(own)))
}

/// Reads a `.glb` or `.gltf` file as shapes of one mesh, `rate` of them per second \[1/s\]. They last from time 0 to the end of
/// the animation with the name, or else of the first one. Without an animation there is one shape.
///
/// # Errors
/// If the file cannot be read or is malformed, has no triangles, a skin lacks joints or weights, or there is no animation of the
/// name.
///
/// # Panics
/// If the rate is not positive.
pub fn read_gltf(path: &Path, rate: f64, animation: Option<&str>) -> Result<AnimatedMesh, ObjError> {
    let bytes = read_file(path)
        .map_err(|error| ObjError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    parse_gltf(&bytes, path, rate, animation)
}

/// Like [`read_gltf`], from the bytes of a file; other files that it names are in the folder of the path.
///
/// # Errors
/// As [`read_gltf`].
///
/// # Panics
/// If the rate is not positive.
pub fn parse_gltf(
    bytes: &[u8],
    path: &Path,
    rate: f64,
    animation: Option<&str>,
) -> Result<AnimatedMesh, ObjError> {
    assert!(rate > 0.0, "rates are positive");
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = File::parse(bytes, folder).and_then(|file| sample(&file, rate, animation));
    read.map_err(|message| ObjError::Whole { path: path.to_owned(), message })
}

/// Samples the shapes of a file.
fn sample(file: &File, rate: f64, animation: Option<&str>) -> Result<AnimatedMesh, String> {
    let mut body = Body::default();
    for node in drawn_nodes(file)? {
        body.add(file, node)?;
    }
    if body.faces.is_empty() {
        return Err("it has no triangles: nothing can meet it".to_owned());
    }
    let (tracks, notes) = choose(file, animation)?;
    let count = (tracks.end() * rate - FRAME_SLACK).ceil().max(0.0) + 1.0;
    if count * body.points as f64 > MOST_POINTS {
        return Err(format!(
            "its animation of {} s makes {count} shapes of {} vertices, more than {MOST_POINTS:.0e} points together: lower \
             `frame_rate`, or export a part of it",
            tracks.end(),
            body.points
        ));
    }
    let mut shapes = Vec::new();
    for number in 0..count as usize {
        let nodes = tracks.matrices(&file.document, number as f64 / rate)?;
        let shape: Vec<DVec3> = body.parts.iter().flat_map(|part| part.place(&nodes)).collect();
        if let Some(vertex) = shape.iter().position(|x| !x.is_finite()) {
            return Err(format!("vertex {vertex} of shape {number} is at no finite position"));
        }
        shapes.push(shape);
    }
    Ok(join(body, shapes, notes))
}

/// The animation with a name, or else the first, with notes about the choice.
fn choose(file: &File, name: Option<&str>) -> Result<(Tracks, Vec<String>), String> {
    let animations = &file.document.animations;
    let called = |k: usize| animations[k].name.clone().unwrap_or_else(|| k.to_string());
    let names = || (0..animations.len()).map(|k| format!("{:?}", called(k))).collect::<Vec<_>>().join(", ");
    let place = match name {
        None => 0,
        Some(name) => {
            (0..animations.len()).find(|k| called(*k) == name).ok_or_else(|| match animations.as_slice() {
                [] => format!("it has no animation, so none is called {name:?}: leave `animation` out"),
                _ => format!("it has no animation {name:?}; there are {}", names()),
            })?
        }
    };
    let Some(chosen) = animations.get(place) else { return Ok((Tracks::default(), Vec::new())) };
    let several = name.is_none() && animations.len() > 1;
    let note = || {
        format!("it has the animations {}: {:?} is taken; `animation` chooses another", names(), called(0))
    };
    Ok((Tracks::read(file, chosen)?, several.then(note).into_iter().collect()))
}

/// The nodes of the scene that have a mesh.
fn drawn_nodes(file: &File) -> Result<Vec<usize>, String> {
    let document = &file.document;
    let mut open = match (document.scene, document.scenes.as_slice()) {
        (None, []) => (0..document.nodes.len()).collect(),
        (scene, scenes) => find(scenes, scene.unwrap_or(0), "scene")?.nodes.clone(),
    };
    let mut is_known = vec![false; document.nodes.len()];
    let mut drawn = Vec::new();
    open.reverse();
    while let Some(number) = open.pop() {
        let node = find(&document.nodes, number, "node")?;
        if std::mem::replace(&mut is_known[number], true) {
            continue;
        }
        if node.mesh.is_some() {
            drawn.push(number);
        }
        open.extend(node.children.iter().rev());
    }
    Ok(drawn)
}

/// The parts of a file as one mesh.
#[derive(Default)]
struct Body {
    parts: Vec<Part>,
    faces: Vec<[u32; 3]>,
    /// Vertices of all parts.
    points: usize,
    /// Pieces that are no triangles.
    others: usize,
    targets: usize,
}

impl Body {
    /// Adds the mesh of a node.
    fn add(&mut self, file: &File, node: usize) -> Result<(), String> {
        let own = &file.document.nodes[node];
        let Some(mesh) = own.mesh else { return Ok(()) };
        let primitives = &find(&file.document.meshes, mesh, "mesh")?.primitives;
        for (number, primitive) in primitives.iter().enumerate() {
            let what = match &own.name {
                Some(name) => format!("primitive {number} of the mesh of node {name:?}"),
                None => format!("primitive {number} of the mesh of node {node}"),
            };
            let mode = primitive.mode.unwrap_or(4);
            let Some(positions) = primitive.attributes.position.filter(|_| (4..=6).contains(&mode)) else {
                self.others += 1;
                continue;
            };
            self.targets += usize::from(!primitive.targets.is_empty());
            let positions: Vec<DVec3> =
                file.rows::<3>(positions, &what)?.into_iter().map(DVec3::from).collect();
            self.add_faces(file, primitive, mode, positions.len(), &what)?;
            let binding = match own.skin {
                None => Binding::Node(node),
                Some(skin) => Binding::skin(file, skin, &primitive.attributes, positions.len(), &what)?,
            };
            self.points += positions.len();
            self.parts.push(Part { positions, binding });
        }
        Ok(())
    }

    /// Adds the triangles of a list, a strip or a fan of so many vertices.
    fn add_faces(
        &mut self,
        file: &File,
        primitive: &Primitive,
        mode: u32,
        count: usize,
        what: &str,
    ) -> Result<(), String> {
        let corners: Vec<u32> = match primitive.indices {
            Some(indices) => file.scalars(indices, what)?.into_iter().map(|index| index as u32).collect(),
            None => (0..count as u32).collect(),
        };
        if let Some(beyond) = corners.iter().find(|corner| **corner as usize >= count) {
            return Err(format!("{what}: a triangle has vertex {beyond}, but there are {count}"));
        }
        let first = self.points as u32;
        let mut add = |face: [u32; 3]| self.faces.push(face.map(|corner| first + corner));
        match mode {
            4 => corners.as_chunks::<3>().0.iter().for_each(|face| add(*face)),
            5 => corners.windows(3).enumerate().for_each(|(k, three)| match k % 2 {
                0 => add([three[0], three[1], three[2]]),
                _ => add([three[1], three[0], three[2]]),
            }),
            _ => corners.windows(2).skip(1).for_each(|pair| add([corners[0], pair[0], pair[1]])),
        }
        Ok(())
    }
}

/// The mesh with its shapes, in which vertices that coincide in every shape are one.
fn join(body: Body, shapes: Vec<Vec<DVec3>>, notes: Vec<String>) -> AnimatedMesh {
    // Adding zero makes −0 and 0 the same.
    let bits = |x: DVec3| x.to_array().map(|number| (number + 0.0).to_bits());
    // By the place in the first shape those that are kept.
    let mut known: HashMap<[u64; 3], Vec<u32>> = HashMap::new();
    let mut kept: Vec<usize> = Vec::new();
    let mut is_used = vec![false; body.points];
    body.faces.iter().flatten().for_each(|v| is_used[*v as usize] = true);
    let mut new_from_old = vec![0; body.points];
    for old in (0..body.points).filter(|v| is_used[*v]) {
        let near = known.entry(bits(shapes[0][old])).or_default();
        let coincides = |new: &&u32| shapes.iter().all(|shape| shape[kept[**new as usize]] == shape[old]);
        let same = near.iter().find(coincides).copied();
        new_from_old[old] = same.unwrap_or_else(|| {
            near.push(kept.len() as u32);
            kept.push(old);
            kept.len() as u32 - 1
        });
    }
    let pick = |shape: &Vec<DVec3>| kept.iter().map(|old| shape[*old]).collect::<Vec<_>>();
    let shapes: Vec<Vec<DVec3>> = shapes.iter().map(pick).collect();
    let mut mesh = ObjMesh::default();
    mesh.mesh.faces = body.faces.iter().map(|face| face.map(|v| new_from_old[v as usize])).collect();
    mesh.mesh.positions.clone_from(&shapes[0]);
    mesh.source_vertices = kept.iter().map(|old| *old as u32).collect();
    mesh.dropped_vertices = is_used.iter().filter(|used| !**used).count();
    let left_out =
        [(body.others, "primitives that are no triangles"), (body.targets, "lists of morph targets")];
    let left_out = left_out.iter().filter(|(count, _)| *count > 0);
    mesh.other_elements = left_out.map(|(count, what)| format!("{count} {what}")).collect();
    AnimatedMesh { mesh, shapes, notes }
}
