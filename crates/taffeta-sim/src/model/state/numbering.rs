//! The order in which a cloth gives its vertices and faces away.
//!
//! Dense arrays are in an order that keeps neighbors close in memory. Outside, a cloth has the order of its input: vertices of
//! the input first, in its order, then those that edits have added. Faces are ordered by their slots, which on an unedited mesh
//! is the order of the input, with the corners of the input.

use taffeta_mesh::{FaceKey, HalfedgeMesh, VertexKey, slot_of};

/// Numbers of the vertices and the faces of a cloth, and their places among those of the cloth in dense order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbering {
    /// The place of each vertex.
    vertices: Vec<u32>,
    /// The number of the vertex at each place.
    numbers: Vec<u32>,
    /// The place of each face, and the corner there that is its first one.
    faces: Vec<(u32, u8)>,
}

impl Numbering {
    /// Numbers the vertices of a cloth, given by their numbers in its input, and its faces, given by their keys and corners,
    /// all in dense order.
    pub(crate) fn new(
        mesh: &HalfedgeMesh,
        inputs: impl Iterator<Item = Option<u32>>,
        faces: impl Iterator<Item = (FaceKey, [VertexKey; 3])>,
    ) -> Self {
        let mut order: Vec<(u32, u32)> =
            (0..).zip(inputs).map(|(place, input)| (input.unwrap_or(u32::MAX), place)).collect();
        order.sort_unstable();
        let vertices: Vec<u32> = order.into_iter().map(|(_, place)| place).collect();
        let mut numbers = vec![0; vertices.len()];
        (0..).zip(&vertices).for_each(|(number, place)| numbers[*place as usize] = number);
        let first_corner = |(key, corners): (FaceKey, [VertexKey; 3])| {
            let first = mesh.face_vertices(key)[0];
            let corner = corners.iter().position(|own| *own == first);
            (slot_of(key), corner.expect("the dense face has the corners of the keyed one") as u8)
        };
        let mut order: Vec<(usize, u32, u8)> = Vec::new();
        for (place, (slot, corner)) in (0..).zip(faces.map(first_corner)) {
            order.push((slot, place, corner));
        }
        order.sort_unstable();
        let faces = order.into_iter().map(|(_, place, corner)| (place, corner)).collect();
        Self { vertices, numbers, faces }
    }

    /// The place of a vertex.
    pub(crate) fn place(&self, number: usize) -> usize {
        self.vertices[number] as usize
    }

    /// The number of the vertex at a place.
    pub(crate) fn number(&self, place: usize) -> u32 {
        self.numbers[place]
    }

    /// The number of the face at each place, and the corner there that is its first one.
    pub(crate) fn face_numbers(&self) -> Vec<(u32, u8)> {
        let mut numbers = vec![(0, 0); self.faces.len()];
        for (number, (place, first)) in (0..).zip(&self.faces) {
            numbers[*place as usize] = (number, *first);
        }
        numbers
    }

    /// Values of the vertices, given in dense order.
    pub(crate) fn sort_vertices<T: Copy>(&self, dense: &[T]) -> Vec<T> {
        self.vertices.iter().map(|place| dense[*place as usize]).collect()
    }

    /// Values of the faces, given in dense order.
    pub(crate) fn sort_faces<T: Copy>(&self, dense: &[T]) -> Vec<T> {
        self.faces.iter().map(|(place, _)| dense[*place as usize]).collect()
    }

    /// Values of the corners of the faces, given in dense order.
    pub(crate) fn sort_corners<T: Copy>(&self, dense: &[[T; 3]]) -> Vec<[T; 3]> {
        let corners = |(place, first): &(u32, u8)| {
            let mut corners = dense[*place as usize];
            corners.rotate_left(usize::from(*first));
            corners
        };
        self.faces.iter().map(corners).collect()
    }
}
