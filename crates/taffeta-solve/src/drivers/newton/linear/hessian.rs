//! The Hessian of `W` at a point, ready for many products.
//!
//! Membrane and hinges are multiplied out, block by block:
//!
//! * an edge of the mesh couples its ends, and a hinge also the two corners opposite to it;
//! * drag couples the vertices of a face or segment;
//! * a contact of a single vertex is part of its diagonal block.
//!
//! Bending with curvature stays in factors (`bending_factors`). Other contacts and pressure stay in the form in which they
//! come.

use super::bending_factors::{BendingFactors, FactorWork};
use super::block_rows::{BlockRows, CornerPlace};
use super::carried::CarriedCoupling;
use crate::drivers::newton::objective::bending::{Bending, EdgeGradients};
use crate::drivers::newton::objective::drag::{Displacements, Drag, Drags};
use crate::drivers::newton::objective::elements::AllElements;
use crate::drivers::newton::objective::held::mask;
use crate::drivers::newton::objective::loads::ContactCoupling;
use crate::drivers::newton::objective::tiles::TILE;
use crate::drivers::newton::objective::{NewtonProblem, System};
use crate::matrices::{Mat3, outer};
use glam::DMat3;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use taffeta_core::SurfaceTopology;
use taffeta_core::tasks::share_out;

/// Faces or edges that one task takes.
const PER_TASK: usize = 1024;
/// Faces whose blocks are computed before they are added to the rows: 216 bytes of each stay in the cache so long.
pub(crate) const CHUNK: usize = 8192;

/// The Hessian at the point of the last update.
#[derive(Clone, Debug)]
pub(crate) struct Hessian {
    rows: BlockRows,
    bending: Option<BendingFactors>,
    /// Bending that is multiplied out, if all of it are hinges.
    hinges: Option<Hinges>,
    contacts: Vec<ContactCoupling>,
    /// The contacts with rigid bodies.
    carried: Vec<CarriedCoupling>,
    /// The blocks of the faces of a chunk that couple corner `k` (rows) to corner `k + 1` (columns).
    corners: Vec<[Mat3; 3]>,
    /// Places of the corners of each chunk of faces, by block.
    chunks: Vec<Vec<CornerPlace>>,
    /// The pairs of the edges of the mesh come first, then those across hinges, then the others.
    edge_count: usize,
}

/// The hinges of a world that knows no other bending.
#[derive(Clone, Debug)]
struct Hinges {
    /// The gradients of the angles at the point of the last update.
    gradients: Vec<EdgeGradients>,
    /// The hinges at the edges of each face, each with the side on which the face lies.
    of_faces: Vec<[Option<(u32, usize)>; 3]>,
}

impl Hessian {
    /// Finds all couplings.
    pub(crate) fn build(topology: &SurfaceTopology, system: &System) -> Self {
        let bending = &system.bending;
        let mut pairs: Vec<[u32; 2]> =
            topology.edges.iter().map(|edge| edge.vertices.map(|vi| vi.0)).collect();
        let hinges = bending.is_diagonal().then(|| Hinges::find(topology, bending));
        if hinges.is_some() {
            pairs.extend(bending.vertices().iter().map(opposites));
        }
        add_pairs(&system.elements, &mut pairs);
        let rows = BlockRows::build(system.vertex_count(), &pairs);
        Self {
            bending: hinges.is_none().then(|| BendingFactors::build(system.vertex_count(), bending)),
            hinges,
            contacts: Vec::new(),
            carried: Vec::new(),
            corners: vec![[[0.0; 9]; 3]; topology.face_count().min(CHUNK)],
            chunks: place_corners(topology, &rows),
            edge_count: topology.edge_count(),
            rows,
        }
    }

    /// The part that is multiplied out.
    pub(crate) fn rows(&self) -> &BlockRows {
        &self.rows
    }

    /// All pairs of vertices that elements of the cloth couple; some come twice.
    pub(crate) fn couplings(&self, system: &System) -> Vec<[u32; 2]> {
        let bent = self.bending.as_ref().map(|_| system.bending.vertices());
        let across = bent.into_iter().flatten().map(opposites);
        self.rows.pairs().chain(across).collect()
    }

    /// The contacts that couple vertices; those with rigid bodies as if these stood still.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = &ContactCoupling> {
        self.contacts.iter().chain(self.carried.iter().map(|contact| &contact.cloth))
    }

    /// The contacts with rigid bodies.
    pub(crate) fn carried(&self) -> &[CarriedCoupling] {
        &self.carried
    }

    /// Bending that stays in factors.
    pub(crate) fn bending_factors(&self) -> Option<&BendingFactors> {
        self.bending.as_ref()
    }

    /// Scratch for products.
    pub(crate) fn new_work(&self, system: &System) -> FactorWork {
        let work = self.bending.as_ref().map(|_| BendingFactors::new_work(&system.bending));
        work.unwrap_or_default()
    }

    /// Computes the Hessian at the point of the system's last evaluation.
    pub(crate) fn update(&mut self, system: &System, problem: &NewtonProblem<'_>) {
        let rate = problem.damping_rate;
        self.fill_rows(system, problem);
        let rows = &mut self.rows;
        system.elements.for_each_hessian(|vertices, hessian| {
            for (a, row) in hessian.chunks_exact(vertices.len()).enumerate() {
                (0..a).for_each(|b| rows.add(vertices[a], vertices[b], &row[b]));
            }
        });
        for ([a, b], hessian) in problem.drag.segment_hessians(&system.displacements) {
            self.rows.add(*a, *b, &(hessian * (Drag::<2>::SHARE * Drag::<2>::SHARE)));
        }
        self.rows.balance(problem.inertia);
        // Translations meet drag as well: of each row of its blocks the sum is left.
        problem.drag.for_each_hessian(&system.displacements, |vertices, hessian| {
            let sum = hessian * (1.0 / vertices.len() as f64);
            vertices.iter().for_each(|vertex| self.rows.add_diagonal(*vertex, &sum));
        });
        for (vi, block) in problem.contacts.of_vertices(&system.touches) {
            self.rows.add_diagonal(vi.0, &block);
        }
        self.contacts.clear();
        self.contacts.extend(problem.contacts.couplings(&system.touches));
        self.carried.clear();
        self.carried.extend(problem.contacts.carried(&system.touches));
        for (drive, block) in problem.contacts.drives.iter().zip(&system.drives) {
            self.rows.add_diagonal(drive.vertex, block);
        }
        if let Some(factors) = &mut self.bending {
            factors.update(&system.bending, rate);
        }
    }

    /// Sets all blocks beside the diagonal: to those of membrane, hinges and drag of faces, and otherwise to zero.
    fn fill_rows(&mut self, system: &System, problem: &NewtonProblem<'_>) {
        let rate = problem.damping_rate;
        if let Some(hinges) = &mut self.hinges {
            hinges.update(&system.bending, rate);
        }
        let opposite = self.hinges.as_ref().map_or(&[][..], |hinges| &hinges.gradients);
        self.rows.fill_from(self.edge_count, |pair| opposite.get(pair).map_or([0.0; 9], opposite_block));
        for (number, places) in self.chunks.iter().enumerate() {
            let first = number * CHUNK;
            let faces = CHUNK.min(system.membrane.face_limit() - first).min(self.corners.len());
            let corners = &mut self.corners[..faces];
            system.membrane.couple_corners(first / TILE, rate, corners);
            if let Some(hinges) = &self.hinges {
                hinges.add_to_faces(first, corners);
            }
            add_drag(&problem.drag, &system.displacements, first, corners);
            self.rows.add_corners(places, corners);
        }
    }

    /// The product with `p`, whose held components are zero, at the point `z` of the last evaluation of the system.
    pub(crate) fn product(
        &self,
        system: &System,
        z: &[f64],
        p: &[f64],
        problem: &NewtonProblem<'_>,
        out: &mut [f64],
        work: &mut FactorWork,
    ) {
        let count = system.coordinate_count();
        let (out, by_scalar) = out.split_at_mut(count);
        self.rows.product(p, out);
        if let Some(factors) = &self.bending {
            factors.add_product(&system.bending, &p[..count], system.scalars(p), out, by_scalar, work);
        }
        self.contacts.iter().for_each(|contact| contact.add_product(&p[..count], out));
        self.carried.iter().for_each(|contact| contact.add_product(&p[..count], out));
        system.pressure.add_product(&z[..count], &p[..count], out);
        mask(problem.held, out);
    }
}

impl Hinges {
    fn find(topology: &SurfaceTopology, bending: &Bending) -> Self {
        Self {
            gradients: Vec::new(),
            of_faces: topology.faces.indices().map(|fi| bending.edges_of(fi)).collect(),
        }
    }

    /// Computes the gradients of all angles.
    fn update(&mut self, bending: &Bending, rate: f64) {
        self.gradients.resize(bending.edge_count(), EdgeGradients::default());
        share_out(&mut self.gradients, PER_TASK, |first, out| {
            out.iter_mut().enumerate().for_each(|(k, out)| *out = bending.edge(first + k, rate));
        });
    }

    /// Adds the hinges to the blocks of the faces from a number on; what couples the ends of an edge goes to its first face.
    fn add_to_faces(&self, first_face: usize, corners: &mut [[Mat3; 3]]) {
        share_out(corners, PER_TASK, |first, out| {
            for (blocks, hinges) in out.iter_mut().zip(&self.of_faces[first_face + first..]) {
                for (k, hinge) in hinges.iter().enumerate() {
                    let Some((hinge, side)) = *hinge else { continue };
                    let edge = &self.gradients[hinge as usize];
                    let [a, b, ..] = edge.gradients;
                    let (tail, tip) = if side == 0 { (a, b) } else { (b, a) };
                    let apex = edge.gradients[2 + side];
                    if side == 0 {
                        add_block(&mut blocks[k], &outer(tail * edge.stiffness, tip));
                    }
                    add_block(&mut blocks[(k + 1) % 3], &outer(tip * edge.stiffness, apex));
                    add_block(&mut blocks[(k + 2) % 3], &outer(apex * edge.stiffness, tail));
                }
            }
        });
    }
}

/// Adds the drag of the faces from a number on to their blocks.
fn add_drag(drag: &Drags<'_>, displacements: &Displacements, first_face: usize, corners: &mut [[Mat3; 3]]) {
    if drag.faces.is_empty() {
        return;
    }
    share_out(corners, PER_TASK, |first, out| {
        for (face, blocks) in (first_face + first..).zip(out) {
            let block = drag.face_hessian(displacements, face) * (Drag::<3>::SHARE * Drag::<3>::SHARE);
            blocks.iter_mut().for_each(|out| add_block(out, &block));
        }
    });
}

/// Places of the corners of the faces, chunk by chunk. Each corner couples the ends of an edge. The block of the edge is
/// the sum of the parts in its two faces. The part in the face that runs against the edge is transposed.
fn place_corners(topology: &SurfaceTopology, rows: &BlockRows) -> Vec<Vec<CornerPlace>> {
    let mut chunks = vec![Vec::new(); topology.face_count().div_ceil(CHUNK)];
    for (block, pair) in rows.pairs_of_blocks().enumerate() {
        let Some(edge) = topology.edges.get(pair) else { continue };
        let faces = edge.faces.map(|fi| fi.map(|fi| fi.0 as usize));
        // Whichever chunk comes first sets the block; in the same one, the face along the edge.
        let begins = |side: usize| match (faces[0], faces[1]) {
            (Some(along), Some(against)) => (along / CHUNK <= against / CHUNK) == (side == 0),
            _ => true,
        };
        for (side, face) in faces.into_iter().enumerate() {
            let Some(face) = face else { continue };
            let own = topology.face_edges.raw[face].iter().position(|other| other.0 as usize == pair);
            let place = own.expect("the faces of an edge have it");
            chunks[face / CHUNK].push(CornerPlace {
                block: block as u32,
                corner: (3 * (face % CHUNK) + place) as u16,
                is_transposed: side == 1,
                begins: begins(side),
            });
        }
    }
    chunks
}

/// The corners opposite to an edge, the smaller first. A clamped edge has one only; so do two faces that share all of
/// their corners.
fn opposites([_, _, c, d]: &[u32; 4]) -> [u32; 2] {
    [*c.min(d), *c.max(d)]
}

/// The block of a hinge between the two corners opposite to its edge.
fn opposite_block(edge: &EdgeGradients) -> Mat3 {
    let ([.., c, d], [.., at_c, at_d]) = (edge.vertices, edge.gradients);
    match c.cmp(&d) {
        Ordering::Less => outer(at_c * edge.stiffness, at_d).to_cols_array(),
        Ordering::Equal => [0.0; 9],
        Ordering::Greater => outer(at_d * edge.stiffness, at_c).to_cols_array(),
    }
}

fn add_block(out: &mut Mat3, block: &DMat3) {
    out.iter_mut().zip(block.to_cols_array()).for_each(|(out, entry)| *out += entry);
}

/// Adds the pairs of vertices that elements couple and no pair so far, each once, in the order of the elements.
fn add_pairs(elements: &AllElements, pairs: &mut Vec<[u32; 2]>) {
    // All edges of a mesh are only sorted if there are elements at all.
    let mut known: Option<BTreeSet<[u32; 2]>> = None;
    elements.for_each_hessian(|vertices, _| {
        let known = known.get_or_insert_with(|| pairs.iter().copied().collect());
        for (k, a) in vertices.iter().enumerate() {
            let others = vertices[..k].iter().map(|b| [*a.min(b), *a.max(b)]);
            pairs.extend(others.filter(|pair| known.insert(*pair)));
        }
    });
}
