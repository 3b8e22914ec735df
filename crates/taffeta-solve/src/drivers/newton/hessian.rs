//! The Hessian of `W` at a point, ready for many products.
//!
//! Membrane and hinges are multiplied out, block by block: an edge of the mesh couples its ends, and a hinge also the two
//! corners opposite to it; a contact of a single vertex is part of its diagonal block. Bending with curvature stays in
//! factors (`folds`), other contacts and pressure as they come.

use super::bending::EdgeGradients;
use super::elements::outer;
use super::folds::{FoldWork, Folds};
use super::loads::ContactCoupling;
use super::rows::{Block, SymmetricRows};
use super::system::{NewtonProblem, System, mask};
use glam::DMat3;
use std::cmp::Ordering;
use taffeta_core::tasks::share_out;
use taffeta_core::{FaceIndex, SurfaceTopology};

/// Faces or edges that one task takes.
const PER_TASK: usize = 1024;

/// The Hessian at the point of the last update.
#[derive(Clone, Debug)]
pub(super) struct Hessian {
    rows: SymmetricRows,
    folds: Option<Folds>,
    contacts: Vec<ContactCoupling>,
    /// Angles of the plate's edges at the point.
    gradients: Vec<EdgeGradients>,
    /// The block of each face that couples corner `k` (rows) to corner `k + 1` (columns).
    corners: Vec<[Block; 3]>,
    /// How the edges of the mesh lie in their faces: face and place, along the edge and against it.
    sides: Vec<[Option<(u32, u8)>; 2]>,
    /// The hinges at the edges of each face, as `2 edge + side`; empty if bending stays in factors.
    hinges: Vec<[Option<u32>; 3]>,
}

/// Scratch of products.
#[derive(Clone, Debug, Default)]
pub(super) struct ProductWork {
    folds: FoldWork,
}

impl Hessian {
    /// Finds all couplings.
    pub(super) fn build(topology: &SurfaceTopology, system: &System) -> Self {
        let bending = &system.bending;
        let plate = bending.plate();
        let has_hinges = bending.is_diagonal();
        let mut pairs: Vec<[u32; 2]> =
            topology.edges.iter().map(|edge| edge.vertices.map(|vi| vi.0)).collect();
        if has_hinges {
            pairs.extend(plate.edges.iter().map(|edge| opposites(&edge.vertices.map(|vi| vi.0))));
        }
        pairs.extend(system.quadratic.hessians().map(|(vertices, _)| opposites(&vertices)));
        pairs.extend(system.ropes.pairs());
        pairs.extend(system.stitches.hessians().map(|([a, b], _)| [a.min(b), a.max(b)]));
        let mut hinges = Vec::new();
        if has_hinges {
            hinges = vec![[None; 3]; topology.face_count()];
            for face in &plate.faces {
                hinges[face.face.0 as usize] =
                    [0, 1, 2].map(|k| Some(2 * face.edges[k]? + u32::from(face.signs[k] < 0.0)));
            }
        }
        let side = |fi: Option<FaceIndex>, ei| {
            let fi = fi?;
            let place = topology.face_edges[fi].iter().position(|other| *other == ei)?;
            Some((fi.0, place as u8))
        };
        Self {
            rows: SymmetricRows::build(topology.vertex_count, &pairs),
            folds: (!has_hinges).then(|| Folds::build(topology.vertex_count, bending)),
            contacts: Vec::new(),
            gradients: Vec::new(),
            corners: vec![[[0.0; 9]; 3]; topology.face_count()],
            sides: topology
                .edges
                .iter_indexed()
                .map(|(ei, edge)| edge.faces.map(|fi| side(fi, ei)))
                .collect(),
            hinges,
        }
    }

    /// The part that is multiplied out.
    pub(super) fn rows(&self) -> &SymmetricRows {
        &self.rows
    }

    /// All pairs of vertices that elements of the cloth couple; some come twice.
    pub(super) fn couplings(&self, system: &System) -> Vec<[u32; 2]> {
        let bent = self.folds.as_ref().map(|_| system.bending.plate().edges.iter());
        let across = bent.into_iter().flatten().map(|edge| opposites(&edge.vertices.map(|vi| vi.0)));
        self.rows.pairs().chain(across).collect()
    }

    /// The angles of the plate's edges.
    pub(super) fn gradients(&self) -> &[EdgeGradients] {
        &self.gradients
    }

    /// The contacts that couple vertices.
    pub(super) fn contacts(&self) -> &[ContactCoupling] {
        &self.contacts
    }

    /// Whether bending stays in factors.
    pub(super) fn is_folded(&self) -> bool {
        self.folds.is_some()
    }

    /// Scratch for products.
    pub(super) fn new_work(&self) -> ProductWork {
        ProductWork { folds: self.folds.as_ref().map(Folds::new_work).unwrap_or_default() }
    }

    /// Computes the Hessian at the point of the system's last evaluation.
    pub(super) fn update(&mut self, system: &System, problem: &NewtonProblem<'_>) {
        let rate = problem.damping_rate;
        self.gradients.resize(system.bending.plate().edges.len(), EdgeGradients::default());
        share_out(&mut self.gradients, PER_TASK, |first, out| {
            out.iter_mut().enumerate().for_each(|(k, out)| *out = system.bending.edge(first + k, rate));
        });
        system.membrane.couple_corners(rate, &mut self.corners);
        self.add_hinges();
        let (sides, corners, gradients) = (&self.sides, &self.corners, &self.gradients);
        // After the pairs of the edges come those of the hinges, if there are any, then those of quadratic
        // bending, of ropes and of stitches.
        let opposite = if self.hinges.is_empty() { &[] } else { gradients.as_slice() };
        self.rows.fill(|pair| match sides.get(pair) {
            Some(sides) => edge_block(sides, corners),
            None => opposite.get(pair - sides.len()).map_or([0.0; 9], opposite_block),
        });
        for (vertices, hessian) in system.lengths.hessians() {
            add_element(&mut self.rows, &vertices, hessian);
        }
        for (vertices, hessian) in system.quadratic.hessians() {
            add_element(&mut self.rows, &vertices, hessian);
        }
        for (vertices, hessian) in system.stitches.hessians() {
            add_element(&mut self.rows, &vertices, hessian);
        }
        let rows = &mut self.rows;
        system.ropes.for_each_hessian(|vertices, block| {
            for a in 0..vertices.len() {
                (0..a).for_each(|b| rows.add(vertices[a], vertices[b], &block(a, b)));
            }
        });
        self.rows.balance(problem.inertia);
        for (vi, block) in problem.contacts.of_vertices(&system.touches) {
            self.rows.add_diagonal(vi.0, &block);
        }
        self.contacts.clear();
        self.contacts.extend(problem.contacts.couplings(&system.touches));
        if let Some(folds) = &mut self.folds {
            folds.update(&system.bending, &self.gradients, rate);
        }
    }

    /// Adds the hinges to the blocks of the faces; what couples the ends of an edge goes to its first face.
    fn add_hinges(&mut self) {
        let (hinges, gradients) = (&self.hinges, &self.gradients);
        if hinges.is_empty() {
            return;
        }
        share_out(&mut self.corners, PER_TASK, |first, out| {
            for (blocks, hinges) in out.iter_mut().zip(&hinges[first..]) {
                for (k, hinge) in hinges.iter().enumerate() {
                    let Some(hinge) = *hinge else { continue };
                    let edge = &gradients[hinge as usize / 2];
                    let side = hinge as usize % 2;
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

    /// The product with `p`, whose held components are zero, at the point `z` of the last evaluation of the system.
    pub(super) fn product(
        &self,
        (system, z): (&System, &[f64]),
        p: &[f64],
        problem: &NewtonProblem<'_>,
        (out, work): (&mut [f64], &mut ProductWork),
    ) {
        let count = system.coordinate_count();
        let (out, by_scalar) = out.split_at_mut(count);
        self.rows.product(p, out);
        if let Some(folds) = &self.folds {
            let scalars = system.scalars(p);
            folds.add_product(
                (&p[..count], scalars),
                (out, &mut by_scalar[..scalars.len()]),
                &mut work.folds,
            );
        }
        self.contacts.iter().for_each(|contact| contact.add_product(&p[..count], out));
        system.pressure.add_product(&z[..count], &p[..count], out);
        mask(problem.held, out);
    }
}

/// The block of an edge: its part in the face that runs along it and, transposed, in the one that runs against it.
fn edge_block(sides: &[Option<(u32, u8)>; 2], corners: &[[Block; 3]]) -> Block {
    let mut out = [0.0; 9];
    if let Some((face, k)) = sides[0] {
        out = corners[face as usize][k as usize];
    }
    if let Some((face, k)) = sides[1] {
        let block = &corners[face as usize][k as usize];
        for c in 0..3 {
            (0..3).for_each(|r| out[3 * c + r] += block[3 * r + c]);
        }
    }
    out
}

/// The corners opposite to an edge, the smaller first. A clamped edge has one only; so do two faces that share all of
/// their corners.
fn opposites([_, _, c, d]: &[u32; 4]) -> [u32; 2] {
    [*c.min(d), *c.max(d)]
}

/// The block of a hinge between the two corners opposite to its edge.
fn opposite_block(edge: &EdgeGradients) -> Block {
    let ([.., c, d], [.., at_c, at_d]) = (edge.vertices, edge.gradients);
    match c.cmp(&d) {
        Ordering::Less => outer(at_c * edge.stiffness, at_d).to_cols_array(),
        Ordering::Equal => [0.0; 9],
        Ordering::Greater => outer(at_d * edge.stiffness, at_c).to_cols_array(),
    }
}

fn add_block(out: &mut Block, block: &DMat3) {
    out.iter_mut().zip(block.to_cols_array()).for_each(|(out, entry)| *out += entry);
}

fn add_element<const V: usize>(rows: &mut SymmetricRows, vertices: &[u32; V], hessian: &[[DMat3; V]; V]) {
    for a in 0..V {
        (0..a).for_each(|b| rows.add(vertices[a], vertices[b], &hessian[a][b]));
    }
}
