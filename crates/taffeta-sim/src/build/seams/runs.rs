//! The boundary of a triangle list, and runs along it.

use crate::model::report::seam_error::{RunName, SeamDefect};
use glam::DVec2;
use std::collections::BTreeMap;
use taffeta_core::TriangleMesh;

/// The boundary loops of a mesh, in the direction in which its faces lie on the left.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// The vertex after each boundary vertex, and the one before.
    next: Vec<Option<u32>>,
    previous: Vec<Option<u32>>,
    /// The face of each boundary edge, by its tail and tip.
    faces: BTreeMap<[u32; 2], u32>,
    /// The first vertex of the loop of each boundary vertex.
    loops: Vec<u32>,
    /// Vertices that were put on the boundary.
    splits: Vec<Split>,
}

/// A vertex that was put on a boundary edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    pub vertex: u32,
    /// Tail and tip of the edge.
    pub ends: [u32; 2],
    /// Where, as a part of the edge from its tail.
    pub part: f64,
}

/// A run along the boundary, in its direction. A closed one ends with the vertex that it begins with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub vertices: Vec<u32>,
    pub is_closed: bool,
}

impl Outline {
    /// The boundary of a mesh that is a surface.
    pub(crate) fn new(mesh: &TriangleMesh) -> Self {
        let mut sides: Vec<([u32; 2], bool, u32)> = Vec::with_capacity(3 * mesh.faces.len());
        for (number, face) in (0..).zip(&mesh.faces) {
            for k in 0..3 {
                let (tail, tip) = (face[k], face[(k + 1) % 3]);
                sides.push(([tail.min(tip), tail.max(tip)], tail > tip, number));
            }
        }
        sides.sort_unstable();
        let count = mesh.positions.len();
        let mut outline = Self {
            next: vec![None; count],
            previous: vec![None; count],
            faces: BTreeMap::new(),
            loops: vec![u32::MAX; count],
            splits: Vec::new(),
        };
        for side in sides.chunk_by(|a, b| a.0 == b.0).filter(|sides| sides.len() == 1) {
            let ([low, high], is_reversed, face) = side[0];
            let [tail, tip] = if is_reversed { [high, low] } else { [low, high] };
            outline.next[tail as usize] = Some(tip);
            outline.previous[tip as usize] = Some(tail);
            outline.faces.insert([tail, tip], face);
        }
        for first in 0..count as u32 {
            let mut v = first;
            while outline.next[v as usize].is_some() && outline.loops[v as usize] == u32::MAX {
                outline.loops[v as usize] = first;
                v = outline.next(v);
            }
        }
        outline
    }

    /// The vertex after a boundary vertex.
    pub(crate) fn next(&self, v: u32) -> u32 {
        self.next[v as usize].expect("a boundary vertex")
    }

    /// The vertex before a boundary vertex.
    pub(crate) fn previous(&self, v: u32) -> u32 {
        self.previous[v as usize].expect("a boundary vertex")
    }

    pub(crate) fn is_on_boundary(&self, v: u32) -> bool {
        self.next[v as usize].is_some()
    }

    /// The vertices on the boundary.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.next.len() as u32).filter(|v| self.is_on_boundary(*v))
    }

    /// Returns whether two boundary vertices lie on one loop.
    pub(crate) fn share_loop(&self, a: u32, b: u32) -> bool {
        self.loops[a as usize] == self.loops[b as usize]
    }

    /// Returns whether a vertex is the one after another on the boundary.
    pub(crate) fn follows(&self, tail: u32, tip: u32) -> bool {
        self.next.get(tail as usize).copied().flatten() == Some(tip)
    }

    /// Vertices that were put on the boundary.
    pub(crate) fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// The face of the boundary edge from a vertex to the next.
    pub(crate) fn face_after(&self, v: u32) -> u32 {
        self.faces[&[v, self.next(v)]]
    }

    /// Length at rest of the boundary edge from a vertex to the next \[m\].
    pub(crate) fn length_after(&self, mesh: &TriangleMesh, v: u32) -> f64 {
        let face = self.face_after(v) as usize;
        let at = |v: u32| corner_of(mesh, face, v);
        at(v).distance(at(self.next(v)))
    }

    /// Checks that a run may name a vertex.
    pub(crate) fn check_vertex(&self, side: char, vertex: u32) -> Result<(), SeamDefect> {
        match self.next.get(vertex as usize) {
            None => Err(SeamDefect::OutOfRange { side, vertex, last: self.next.len() as u32 - 1 }),
            Some(None) => Err(SeamDefect::Inside { side, vertex }),
            Some(Some(_)) => Ok(()),
        }
    }

    /// The way along the boundary from one vertex to another: forward, the ends included.
    fn way(&self, from: u32, to: u32) -> Vec<u32> {
        let mut way = vec![from];
        let mut v = from;
        loop {
            v = self.next(v);
            way.push(v);
            if v == to {
                return way;
            }
        }
    }

    /// A run with the vertices that were put on it since it was found.
    pub(crate) fn with_new_vertices(&self, run: Run) -> Run {
        let mut vertices = vec![run.vertices[0]];
        for pair in run.vertices.windows(2) {
            vertices.extend_from_slice(&self.way(pair[0], pair[1])[1..]);
        }
        Run { vertices, ..run }
    }

    /// The run through some vertices.
    pub(crate) fn find_run(&self, mesh: &TriangleMesh, side: char, list: &[u32]) -> Result<Run, SeamDefect> {
        if list.len() < 2 {
            return Err(SeamDefect::Short { side, count: list.len() });
        }
        list.iter().try_for_each(|v| self.check_vertex(side, *v))?;
        let is_closed = list[0] == list[list.len() - 1];
        let mut path = vec![list[0]];
        for pair in list.windows(2) {
            let [p, q] = [pair[0], pair[1]];
            if !self.share_loop(p, q) {
                return Err(SeamDefect::Apart { side, vertices: [p, q] });
            }
            if p == q && list.len() > 2 {
                return Err(SeamDefect::Twice { side, vertex: p });
            }
            let (forward, mut backward) = (self.way(p, q), self.way(q, p));
            backward.reverse();
            let length = |way: &[u32]| -> f64 {
                way.windows(2)
                    .map(|e| {
                        if self.next(e[0]) == e[1] {
                            self.length_after(mesh, e[0])
                        } else {
                            self.length_after(mesh, e[1])
                        }
                    })
                    .sum()
            };
            let is_backward = p != q && length(&backward) < length(&forward);
            path.extend(&if is_backward { backward } else { forward }[1..]);
        }
        let inner = if is_closed { &path[1..] } else { &path[..] };
        let mut sorted = inner.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(SeamDefect::Twice { side, vertex: pair[0] });
        }
        if self.next(path[0]) != path[1] || path.len() > 2 && self.next(path[1]) != path[2] {
            path.reverse();
        }
        Ok(Run { vertices: path, is_closed })
    }

    /// The distances along a run from its start \[m\].
    pub(crate) fn distances(&self, mesh: &TriangleMesh, run: &Run) -> Vec<f64> {
        let mut sum = 0.0;
        let edges = run.vertices[..run.vertices.len() - 1].iter();
        let rest = edges.map(|v| {
            sum += self.length_after(mesh, *v);
            sum
        });
        std::iter::once(0.0).chain(rest.collect::<Vec<_>>()).collect()
    }

    /// The run in messages.
    pub(crate) fn name(&self, mesh: &TriangleMesh, side: char, run: &Run) -> RunName {
        let length = self.distances(mesh, run).last().copied().unwrap_or(0.0);
        let panel = mesh.panels()[self.face_after(run.vertices[0]) as usize];
        RunName { side, ends: [run.vertices[0], run.vertices[run.vertices.len() - 1]], panel, length }
    }

    /// Puts a vertex on the boundary edge from a vertex to the next, at a part of its length.
    pub(crate) fn split_after(&mut self, mesh: &mut TriangleMesh, tail: u32, part: f64) -> u32 {
        let tip = self.next(tail);
        let face = self.faces.remove(&[tail, tip]).expect("the edge is on the boundary") as usize;
        let new = mesh.positions.len() as u32;
        let [a, b] = [tail, tip].map(|v| mesh.positions[v as usize]);
        mesh.positions.push(a.lerp(b, part));
        let k = mesh.faces[face].iter().position(|v| *v == tail).expect("a corner of the face");
        let (tip_at, apex_at) = ((k + 1) % 3, (k + 2) % 3);
        let apex = mesh.faces[face][apex_at];
        mesh.faces[face][tip_at] = new;
        mesh.faces.push([new, tip, apex]);
        if let Some(material) = &mut mesh.material {
            let corners = material[face];
            let middle: DVec2 = corners[k].lerp(corners[tip_at], part);
            material[face][tip_at] = middle;
            material.push([middle, corners[tip_at], corners[apex_at]]);
        }
        // The edge from the tip to the apex belongs to the new face now.
        let created = mesh.faces.len() as u32 - 1;
        if let Some(owner) = self.faces.get_mut(&[tip, apex]) {
            *owner = created;
        }
        self.faces.insert([tail, new], face as u32);
        self.faces.insert([new, tip], created);
        self.next[tail as usize] = Some(new);
        self.previous[tip as usize] = Some(new);
        self.next.push(Some(tip));
        self.previous.push(Some(tail));
        self.loops.push(self.loops[tail as usize]);
        self.splits.push(Split { vertex: new, ends: [tail, tip], part });
        new
    }
}

/// The material coordinate of a vertex in a face \[m\].
pub(crate) fn corner_of(mesh: &TriangleMesh, face: usize, v: u32) -> DVec2 {
    let k = mesh.faces[face].iter().position(|corner| *corner == v).expect("a corner of the face");
    mesh.material.as_ref().expect("panels have material coordinates")[face][k]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_run_takes_over_what_was_put_on_it() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let faces = vec![[0, 1, 2], [0, 2, 3]];
        let mut mesh = TriangleMesh { positions, faces, ..TriangleMesh::default() };
        let mut outline = Outline::new(&mesh);
        let run = Run { vertices: vec![0, 1, 2], is_closed: false };
        assert_eq!(outline.with_new_vertices(run.clone()), run);
        let first = outline.split_after(&mut mesh, 0, 0.5);
        let second = outline.split_after(&mut mesh, first, 0.5);
        assert_eq!(outline.with_new_vertices(run).vertices, [0, first, second, 1, 2]);
    }
}
