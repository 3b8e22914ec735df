//! The panels of an input: which faces share a chart of the material plane, and which charts are mirrored.
//!
//! Faces that agree about the coordinates of an edge are in one panel; where they disagree there is a seam. Patterns often
//! have their left and right pieces on each other, one of them mirrored. The remesher wants upright faces, so mirrored
//! panels are reflected while they are edited and given back as they came. The reflections are exact: they swap or negate
//! coordinates.

use crate::input::exact::exact_side;
use glam::DVec2;
use taffeta_core::components::Components;
use taffeta_core::math::Sym2;
use taffeta_mesh::{BuiltMesh, slot_of};

/// A way to turn a panel over that is its own inverse, to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reflection {
    #[default]
    Swap,
    NegateU,
    NegateV,
    SwapAndNegate,
}

impl Reflection {
    const ALL: [Self; 4] = [Self::Swap, Self::NegateU, Self::NegateV, Self::SwapAndNegate];

    pub(crate) fn apply(self, u: DVec2) -> DVec2 {
        match self {
            Self::Swap => DVec2::new(u.y, u.x),
            Self::NegateU => DVec2::new(-u.x, u.y),
            Self::NegateV => DVec2::new(u.x, -u.y),
            Self::SwapAndNegate => DVec2::new(-u.y, -u.x),
        }
    }

    /// A tensor in the reflected plane.
    pub(crate) fn apply_to_tensor(self, Sym2 { xx, xy, yy }: Sym2) -> Sym2 {
        match self {
            Self::Swap | Self::SwapAndNegate => Sym2 { xx: yy, xy, yy: xx },
            Self::NegateU | Self::NegateV => Sym2 { xx, xy: -xy, yy },
        }
    }
}

/// Why there are no panels to edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadPanels {
    /// Some faces of a panel are turned over and others are not: the first one, how many, of how many.
    Folded { face: u32, inverted: usize, total: usize },
    /// Every way to turn over the mirrored panels would put a side of a seam onto the other one; a face there.
    NoReflection { face: u32 },
}

/// See the module page.
#[derive(Clone, Debug)]
pub(crate) struct Panels {
    /// The face of the same panel beyond each side; side `k` runs from corner `k` to the next one.
    pub neighbors: Vec<[Option<u32>; 3]>,
    /// The panel of each face: those of the first piece first, in the order of their first faces.
    pub of_face: Vec<u32>,
    /// The connected piece of each face.
    pub pieces: Vec<u32>,
    /// The number of the first panel of each piece.
    pub starts: Vec<u32>,
    /// True for each panel that is mirrored.
    pub mirrored: Vec<bool>,
    pub reflection: Reflection,
}

impl Panels {
    /// The panels of faces by the coordinates of their corners, none of which is degenerate.
    pub(crate) fn find(built: &BuiltMesh, coords: &[[DVec2; 3]]) -> Result<Self, BadPanels> {
        let beyond = faces_beyond(built);
        let agree = |face: usize, k: usize, (other, j): (u32, usize)| sides_agree(coords, face, k, other, j);
        let within = |(face, sides): (usize, &[Option<(u32, usize)>; 3])| {
            [0, 1, 2].map(|k| sides[k].filter(|&side| agree(face, k, side)).map(|(other, _)| other))
        };
        let neighbors: Vec<[Option<u32>; 3]> = beyond.iter().enumerate().map(within).collect();
        let pieces = find_pieces(built);
        let (of_face, starts) = number_panels(&neighbors, &pieces);
        let panel_count = of_face.iter().max().map_or(0, |&last| last as usize + 1);
        let mut counts = vec![(0usize, 0usize, 0u32); panel_count];
        for ((face, &panel), &corners) in (0u32..).zip(&of_face).zip(coords) {
            let (inverted, total, first) = &mut counts[panel as usize];
            *total += 1;
            if exact_side(corners) < 0.0 {
                *first = if *inverted == 0 { face } else { *first };
                *inverted += 1;
            }
        }
        if let Some(&(inverted, total, face)) = counts.iter().find(|(bad, total, _)| *bad > 0 && bad < total)
        {
            return Err(BadPanels::Folded { face, inverted, total });
        }
        let mirrored: Vec<bool> = counts.iter().map(|(inverted, ..)| *inverted > 0).collect();
        let mut panels =
            Self { neighbors, of_face, pieces, starts, mirrored, reflection: Reflection::default() };
        panels.choose_reflection(&beyond, coords)?;
        Ok(panels)
    }

    /// The connected pieces of a rest shape in space as panels: nothing there has two sides in the plane.
    pub(crate) fn of_pieces(built: &BuiltMesh) -> Self {
        let of_side = |sides: [Option<(u32, usize)>; 3]| sides.map(|side| side.map(|(other, _)| other));
        let pieces = find_pieces(built);
        let count = pieces.iter().max().map_or(0, |&last| last + 1);
        Self {
            neighbors: faces_beyond(built).into_iter().map(of_side).collect(),
            of_face: pieces.clone(),
            pieces,
            starts: (0..count).collect(),
            mirrored: vec![false; count as usize],
            reflection: Reflection::default(),
        }
    }

    /// Takes the first reflection under which no seam closes up.
    fn choose_reflection(
        &mut self,
        beyond: &[[Option<(u32, usize)>; 3]],
        coords: &[[DVec2; 3]],
    ) -> Result<(), BadPanels> {
        let mut closed = 0;
        for reflection in Reflection::ALL {
            self.reflection = reflection;
            let reflected = self.reflected(coords);
            let closes = |(face, sides): (usize, &[Option<(u32, usize)>; 3])| {
                (0..3).any(|k| {
                    let Some((other, j)) = sides[k] else { return false };
                    self.neighbors[face][k].is_none() && sides_agree(&reflected, face, k, other, j)
                })
            };
            match beyond.iter().enumerate().position(closes) {
                None => return Ok(()),
                Some(face) => closed = face as u32,
            }
        }
        Err(BadPanels::NoReflection { face: closed })
    }

    /// The coordinates of all corners, in panels that are upright.
    pub(crate) fn reflected(&self, coords: &[[DVec2; 3]]) -> Vec<[DVec2; 3]> {
        let of_face =
            |(face, corners): (usize, &[DVec2; 3])| corners.map(|u| self.reflect(self.of_face[face], u));
        coords.iter().enumerate().map(of_face).collect()
    }

    /// From the input to the panel that is edited, and back.
    pub(crate) fn reflect(&self, panel: u32, u: DVec2) -> DVec2 {
        if self.mirrored[panel as usize] { self.reflection.apply(u) } else { u }
    }

    pub(crate) fn piece_count(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn panel_count(&self) -> usize {
        self.mirrored.len()
    }
}

/// Returns whether two faces agree about the ends of a side that they share.
fn sides_agree(coords: &[[DVec2; 3]], face: usize, k: usize, other: u32, j: usize) -> bool {
    let (mine, theirs) = (coords[face], coords[other as usize]);
    mine[k] == theirs[(j + 1) % 3] && mine[(k + 1) % 3] == theirs[j]
}

/// The face beyond each side and the number of that side there.
fn faces_beyond(built: &BuiltMesh) -> Vec<[Option<(u32, usize)>; 3]> {
    let number_of_slot = numbers_of_slots(built);
    let side = |he: taffeta_mesh::Halfedge| {
        let f = built.mesh.face(he.twin())?;
        let k = built.mesh.face_halfedges(f).iter().position(|&side| side == he.twin());
        Some((number_of_slot[slot_of(f)], k.expect("a half-edge of its face")))
    };
    built.faces.iter().map(|&f| built.mesh.face_halfedges(f).map(side)).collect()
}

fn numbers_of_slots(built: &BuiltMesh) -> Vec<u32> {
    let mut number_of_slot = vec![0u32; built.mesh.face_slot_limit()];
    for (number, &f) in (0u32..).zip(&built.faces) {
        number_of_slot[slot_of(f)] = number;
    }
    number_of_slot
}

fn find_pieces(built: &BuiltMesh) -> Vec<u32> {
    let number_of_slot = numbers_of_slots(built);
    let mut pieces = vec![0u32; built.faces.len()];
    for (piece, members) in (0u32..).zip(built.mesh.components()) {
        members.iter().for_each(|&f| pieces[number_of_slot[slot_of(f)] as usize] = piece);
    }
    pieces
}

/// The panel of each face, and the first panel of each piece.
fn number_panels(neighbors: &[[Option<u32>; 3]], pieces: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut joined = Components::new(neighbors.len());
    for (face, sides) in (0u32..).zip(neighbors) {
        sides.iter().flatten().for_each(|&other| joined.join(face, other));
    }
    let labels = joined.labels();
    let mut firsts: Vec<(u32, u32)> = (0u32..)
        .zip(&labels)
        .filter(|(face, label)| face == *label)
        .map(|(face, _)| (pieces[face as usize], face))
        .collect();
    firsts.sort_unstable();
    let mut number_of_label = vec![0u32; labels.len()];
    let mut starts: Vec<u32> = Vec::new();
    for (number, &(piece, first)) in (0u32..).zip(&firsts) {
        number_of_label[first as usize] = number;
        if starts.len() <= piece as usize {
            starts.push(number);
        }
    }
    (labels.iter().map(|&label| number_of_label[label as usize]).collect(), starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_mesh::HalfedgeMesh;

    #[test]
    fn reflections_turn_over_and_undo_themselves() {
        let triangle = [DVec2::new(0.3, 0.1), DVec2::new(1.7, 0.2), DVec2::new(0.9, 2.3)];
        let tensor = Sym2 { xx: 4.0, xy: 1.0, yy: 2.0 };
        for reflection in Reflection::ALL {
            let turned = triangle.map(|u| reflection.apply(u));
            assert!(exact_side(turned) < 0.0 && turned.map(|u| reflection.apply(u)) == triangle);
            let u = triangle[2];
            let form = reflection.apply_to_tensor(tensor).quadratic_form(reflection.apply(u));
            assert!((form - tensor.quadratic_form(u)).abs() < 1e-14);
        }
    }

    #[test]
    fn a_mirrored_half_is_reflected_in_a_way_that_keeps_the_seam() {
        // Swapping the coordinates of the second face would put its side of the seam onto that of the first one.
        let built = HalfedgeMesh::from_triangles(4, &[[0, 1, 2], [0, 2, 3]]).expect("a surface");
        let coords = [[[0.0, 1.0], [1.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [2.0, 1.0], [2.0, 0.0]]];
        let coords = coords.map(|corners| corners.map(DVec2::from));
        let panels = Panels::find(&built, &coords).expect("two panels");
        assert_eq!((&panels.mirrored[..], panels.reflection), (&[false, true][..], Reflection::NegateU));
        assert_eq!(
            (panels.piece_count(), &panels.of_face[..], &panels.starts[..]),
            (1, &[0, 1][..], &[0][..])
        );
        let reflected = panels.reflected(&coords);
        assert_eq!(reflected[0], coords[0]);
        assert!(exact_side(reflected[1]) > 0.0);
    }
}
