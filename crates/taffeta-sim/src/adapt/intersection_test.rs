//! Intersection test of edits, as remeshing calls it: a collapse or a flip passes only if the new faces cross nothing and
//! nothing lies between them and the old ones. The test is exact.
//!
//! Remeshing moves no vertex, so an intersection can only arise in the space between the old faces and the new ones: a
//! tetrahedron per new face. Splits leave every face where it is and need no test.

use crate::adapt::surroundings::FixedObstacles;
use crate::model::state::sheet::KeyedSheet;
use glam::DVec3;
use taffeta_contact::boxes::{Aabb, MovingBox};
use taffeta_contact::bvh::BoxTree;
use taffeta_contact::crossings::{faces_cross, is_in_tetrahedron};
use taffeta_contact::shape::WorldShape;
use taffeta_mesh::{FaceKey, HalfedgeMesh, VertexKey, slot_of};
use taffeta_remesh::{EditRecord, Proposal, ProposedEdit, SheetAttributes};

/// Judges the edits of one remeshing pass.
pub(crate) struct Gate<'a> {
    /// Over leaves: what came of a face of the start of the pass stays with it.
    tree: BoxTree,
    /// The faces of each leaf; some are out of date.
    leaves: Vec<Vec<FaceKey>>,
    /// The leaf of each face, by slot.
    leaf_of: Vec<u32>,
    obstacles: &'a FixedObstacles,
    /// Edits of the pass that are accounted for.
    seen: usize,
}

/// A face by the keys of its corners, of which those of obstacles have none, and their positions \[m\].
type Face = ([Option<VertexKey>; 3], [DVec3; 3]);

impl<'a> Gate<'a> {
    /// A test for the meshes as they are before the pass, among obstacles.
    pub(crate) fn new(keyed: &KeyedSheet, obstacles: &'a FixedObstacles) -> Self {
        let KeyedSheet { mesh, attributes, .. } = keyed;
        let mut faces: Vec<FaceKey> = mesh.face_keys().collect();
        faces.sort_unstable();
        let around = |x: [DVec3; 3]| MovingBox::still(Aabb::around(x));
        let boxes: Vec<_> = faces.iter().map(|f| around(face(mesh, attributes, *f).1)).collect();
        let mut leaf_of = vec![u32::MAX; mesh.face_slot_limit()];
        (0..).zip(&faces).for_each(|(leaf, f)| leaf_of[slot_of(*f)] = leaf);
        let leaves = faces.into_iter().map(|f| vec![f]).collect();
        Self { tree: BoxTree::build(&boxes), leaves, leaf_of, obstacles, seen: 0 }
    }

    /// Returns whether an edit must be refused.
    pub(crate) fn refuses(&mut self, proposal: &Proposal<'_>) -> bool {
        let Proposal { attributes, after, .. } = *proposal;
        let place =
            |corners: &[VertexKey; 3]| (corners.map(Some), corners.map(|v| attributes.vertices[v].position));
        let after: Vec<Face> = after.iter().map(place).collect();
        if self.sinks(proposal, &after) {
            return true;
        }
        self.catch_up(proposal);
        let swept = sweep(proposal, &after);
        let area = Aabb::around(swept.iter().flatten().copied());
        let mut fixed = self.obstacles.faces_in(&area).into_iter();
        if fixed.any(|x| is_in_the_way(([None; 3], x), &[], &after, &swept)) {
            return true;
        }
        let mut near = Vec::new();
        self.tree.query(&MovingBox::still(area), |leaf| near.push(leaf));
        let faces = near.iter().flat_map(|leaf| self.leaves[*leaf as usize].iter().map(move |f| (*leaf, *f)));
        let mut current =
            faces.filter(|(leaf, f)| proposal.mesh.contains_face(*f) && self.leaf_of[slot_of(*f)] == *leaf);
        current
            .any(|(_, f)| is_in_the_way(face(proposal.mesh, attributes, f), proposal.before, &after, &swept))
    }

    /// Returns whether a new face would be inside an obstacle where the old ones were not.
    fn sinks(&self, proposal: &Proposal<'_>, after: &[Face]) -> bool {
        let corners = |face: &[VertexKey; 3]| face.map(|v| proposal.attributes.vertices[v].position);
        let is_inside = |shape: &WorldShape, x: &[DVec3; 3]| shape.distance_of_face(*x) <= 0.0;
        self.obstacles.shapes.iter().any(|shape| {
            after.iter().any(|(_, x)| is_inside(shape, x))
                && !proposal.before.iter().any(|face| is_inside(shape, &corners(face)))
        })
    }

    /// Accounts for the edits that were made since the last question.
    fn catch_up(&mut self, proposal: &Proposal<'_>) {
        let Proposal { mesh, attributes, log, .. } = *proposal;
        let mut touched = Vec::new();
        for record in &log[self.seen..] {
            match record {
                EditRecord::Split(split) => {
                    for side in split.sides.iter().flatten() {
                        let leaf = self.leaf_of[slot_of(side.kept_face)];
                        self.adopt(side.created_face, leaf);
                        touched.extend([side.kept_face, side.created_face]);
                    }
                }
                EditRecord::Flip(flip) => touched.extend(flip.faces),
                EditRecord::Collapse(collapse) => {
                    if mesh.contains_vertex(collapse.kept_vertex) {
                        touched.extend(mesh.faces_around(collapse.kept_vertex));
                    }
                }
            }
        }
        self.seen = log.len();
        // Positions stay, so it is enough to have the boxes of what is there now.
        for f in touched.into_iter().filter(|f| mesh.contains_face(*f)) {
            let area = MovingBox::still(Aabb::around(face(mesh, attributes, f).1));
            self.tree.grow(self.leaf_of[slot_of(f)], area);
        }
    }

    /// Puts a new face into a leaf.
    fn adopt(&mut self, f: FaceKey, leaf: u32) {
        let slot = slot_of(f);
        if slot >= self.leaf_of.len() {
            self.leaf_of.resize(slot + 1, u32::MAX);
        }
        self.leaf_of[slot] = leaf;
        self.leaves[leaf as usize].push(f);
    }
}

fn face(mesh: &HalfedgeMesh, attributes: &SheetAttributes, f: FaceKey) -> Face {
    let corners = mesh.face_vertices(f);
    (corners.map(Some), corners.map(|v| attributes.vertices[v].position))
}

/// The tetrahedra between the old faces and the new ones \[m\].
fn sweep(proposal: &Proposal<'_>, after: &[Face]) -> Vec<[DVec3; 4]> {
    let at = |v: VertexKey| proposal.attributes.vertices[v].position;
    match proposal.edit {
        // Between the two diagonals of a bent quad.
        ProposedEdit::Flip(_) => {
            let [a, b, _] = proposal.before[0];
            let [d, c, _] = after[0].1;
            vec![[at(a), at(b), c, d]]
        }
        ProposedEdit::Collapse(he) => {
            let [removed, _] = proposal.mesh.ends(he);
            after.iter().map(|(_, [a, b, c])| [*a, *b, *c, at(removed)]).collect()
        }
    }
}

/// Returns whether a face that stays crosses the new ones or lies between them and the old ones.
fn is_in_the_way(face: Face, before: &[[VertexKey; 3]], after: &[Face], swept: &[[DVec3; 4]]) -> bool {
    if before.iter().any(|corners| is_same(corners.map(Some), face.0)) {
        return false;
    }
    let is_inside = |x: &DVec3| swept.iter().any(|tetrahedron| is_in_tetrahedron(*tetrahedron, *x));
    after.iter().any(|new| faces_cross(*new, face)) || face.1.iter().any(is_inside)
}

/// Returns whether two faces have the same corners in the same order, whichever comes first.
fn is_same([a, b, c]: [Option<VertexKey>; 3], other: [Option<VertexKey>; 3]) -> bool {
    [[a, b, c], [b, c, a], [c, a, b]].contains(&other)
}
