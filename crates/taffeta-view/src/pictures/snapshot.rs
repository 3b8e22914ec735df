//! A frame as browsers get it.
//!
//! ```text
//! u32 length of the header │ header: JSON, filled up with spaces to a multiple of four │ arrays, 4 bytes per number
//! ```
//!
//! All little endian. The header names the arrays of every body in their order, each with how many numbers it has. A
//! browser gets faces and coordinates of a body only when they are not those that it has; and the positions of what never
//! moves only with them.

use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::command::Client;

/// A frame of a show.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// Its number.
    pub frame: u64,
    /// Its time \[s\].
    pub time: f64,
    /// The bodies to see.
    pub bodies: Vec<BodyPicture>,
    /// Numbers about the frame, by name.
    pub report: Value,
    /// For browsers that drag something: the stamp of the last place of theirs that the frame knows.
    pub stamps: BTreeMap<Client, f64>,
    /// Positions of grabbed points, and points that they are pulled to \[m\].
    pub grabs: Vec<[[f64; 3]; 2]>,
}

/// Kinds of drawing of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BodyKind {
    /// A cloth, or the surface of a solid.
    Cloth,
    /// A rope, as a tube.
    Rope,
    /// An obstacle.
    Obstacle,
    /// A plane.
    Floor,
}

/// A body in a frame.
#[derive(Clone, Debug)]
pub(crate) struct BodyPicture {
    /// Its name.
    pub name: String,
    /// Kind of its drawing.
    pub kind: BodyKind,
    /// Its number among the bodies that can be grabbed; `None`: it cannot be.
    pub number: Option<usize>,
    /// Mesh of the body.
    pub mesh: Arc<MeshPicture>,
    /// Positions \[m\], three numbers per vertex.
    pub positions: Arc<Vec<f32>>,
    /// True if it never moves.
    pub is_still: bool,
    /// True if its coordinates are material coordinates of a cloth, which has threads.
    pub is_woven: bool,
    /// The vertices that are held.
    pub held: Vec<u32>,
    /// Quantities by which it can be colored, one number per vertex.
    pub fields: Vec<(&'static str, Vec<f32>)>,
}

/// The part of a body that changes only when it is remeshed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeshPicture {
    /// Different for different meshes.
    pub number: u64,
    /// Corners of the faces.
    pub faces: Vec<u32>,
    /// Coordinates by which its points are named.
    pub coords: PointCoords,
}

/// Coordinates by which a browser names the points of a body that can be grabbed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PointCoords {
    /// The layout \[m\], three numbers per vertex; empty if the body cannot be grabbed.
    pub layout: Vec<f32>,
    /// Material coordinates \[m\], two numbers per corner of the faces; empty if the layout has them, or if there are none.
    pub corners: Vec<f32>,
    /// The panel of each face; empty if there is only one.
    pub panels: Vec<u32>,
}

/// Gives meshes their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshNumbers {
    last: BTreeMap<String, Arc<MeshPicture>>,
    count: u64,
}

impl MeshNumbers {
    /// Forgets the mesh of a body, which then gets another number: what stands still is sent anew.
    pub(crate) fn forget(&mut self, body: &str) {
        self.last.remove(body);
    }

    /// The mesh of a body: that of the last frame if it is the same.
    pub(crate) fn find(&mut self, body: &str, faces: &[[u32; 3]], coords: PointCoords) -> Arc<MeshPicture> {
        if let Some(last) = self.last.get(body)
            && last.faces.as_chunks::<3>().0 == faces
            && last.coords == coords
        {
            return Arc::clone(last);
        }
        self.count += 1;
        let mesh = MeshPicture { number: self.count, faces: faces.as_flattened().to_vec(), coords };
        let mesh = Arc::new(mesh);
        self.last.insert(body.to_owned(), Arc::clone(&mesh));
        mesh
    }
}

/// The meshes that a browser has, by body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent(BTreeMap<String, u64>);

/// The arrays of a message.
#[derive(Default)]
struct Arrays {
    bytes: Vec<u8>,
    /// Names and lengths of the arrays of one body.
    names: Vec<Value>,
}

impl Arrays {
    fn push<T: Copy>(&mut self, name: &str, numbers: &[T], bytes: impl Fn(T) -> [u8; 4]) {
        self.names.push(json!([name, numbers.len()]));
        self.bytes.extend(numbers.iter().flat_map(|number| bytes(*number)));
    }
}

impl Snapshot {
    /// The message for a browser that has some meshes, which are then those of this frame.
    pub(crate) fn encode(&self, client: Client, sent: &mut Sent) -> Vec<u8> {
        let mut arrays = Arrays::default();
        let mut now = Sent::default();
        let bodies: Vec<Value> = self
            .bodies
            .iter()
            .map(|body| {
                let mesh = &body.mesh;
                let has_mesh = sent.0.get(&body.name) == Some(&mesh.number);
                now.0.insert(body.name.clone(), mesh.number);
                if !has_mesh {
                    arrays.push("faces", &mesh.faces, u32::to_le_bytes);
                    arrays.push("layout", &mesh.coords.layout, f32::to_le_bytes);
                    arrays.push("corners", &mesh.coords.corners, f32::to_le_bytes);
                    arrays.push("panels", &mesh.coords.panels, u32::to_le_bytes);
                }
                if !(has_mesh && body.is_still) {
                    arrays.push("positions", &body.positions, f32::to_le_bytes);
                }
                arrays.push("held", &body.held, u32::to_le_bytes);
                for (name, field) in &body.fields {
                    arrays.push(name, field, f32::to_le_bytes);
                }
                let names = std::mem::take(&mut arrays.names);
                json!({
                    "name": body.name,
                    "kind": body.kind,
                    "number": body.number,
                    "mesh": mesh.number,
                    "woven": body.is_woven,
                    "arrays": names,
                })
            })
            .collect();
        *sent = now;
        let header = json!({
            "frame": self.frame,
            "time": self.time,
            "bodies": bodies,
            "report": self.report,
            "stamp": self.stamps.get(&client),
            "grabs": self.grabs,
        });
        let mut header = header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let mut message = Vec::with_capacity(4 + header.len() + arrays.bytes.len());
        message.extend((header.len() as u32).to_le_bytes());
        message.extend(header);
        message.extend(arrays.bytes);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(numbers: &mut MeshNumbers, faces: &[[u32; 3]]) -> Snapshot {
        let body = |name: &str, is_still| BodyPicture {
            name: name.into(),
            kind: BodyKind::Cloth,
            number: None,
            mesh: Arc::new(MeshPicture { number: 0, faces: Vec::new(), coords: PointCoords::default() }),
            positions: Arc::new(vec![1.0, 2.0, 3.0]),
            is_still,
            is_woven: false,
            held: vec![7],
            fields: vec![("speed", vec![0.5])],
        };
        let mut bodies = vec![body("sheet", false), body("floor", true)];
        for body in &mut bodies {
            let coords = PointCoords { layout: vec![0.0], ..PointCoords::default() };
            body.mesh = numbers.find(&body.name, faces, coords);
        }
        let stamps = BTreeMap::from([(3, 12.5)]);
        Snapshot { frame: 4, time: 0.5, bodies, report: json!({}), stamps, grabs: Vec::new() }
    }

    /// The header and the number of the numbers that follow.
    fn read(message: &[u8]) -> (Value, usize) {
        let length = u32::from_le_bytes(message[..4].try_into().unwrap()) as usize;
        assert_eq!(length % 4, 0);
        (serde_json::from_slice(&message[4..4 + length]).unwrap(), (message.len() - 4 - length) / 4)
    }

    #[test]
    fn meshes_go_to_a_browser_once_and_again_when_they_have_changed() {
        let (mut numbers, mut sent) = (MeshNumbers::default(), Sent::default());
        let first = snapshot(&mut numbers, &[[0, 1, 2]]);
        let (header, count) = read(&first.encode(3, &mut sent));
        // Faces, layout, positions, held, speed of each body.
        assert_eq!(count, 2 * (3 + 1 + 3 + 1 + 1));
        assert_eq!(
            (&header["stamp"], &header["bodies"][0]["arrays"][0]),
            (&json!(12.5), &json!(["faces", 3]))
        );
        let (header, count) = read(&snapshot(&mut numbers, &[[0, 1, 2]]).encode(4, &mut sent));
        assert_eq!(count, (3 + 1 + 1) + (1 + 1), "what stands still is not sent again");
        assert_eq!(header["stamp"], Value::Null, "of another browser");
        let (_, count) = read(&snapshot(&mut numbers, &[[0, 2, 1]]).encode(3, &mut sent));
        assert_eq!(count, 2 * (3 + 1 + 3 + 1 + 1));
    }
}
