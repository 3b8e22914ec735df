//! The preconditioner: the inverses of the 3×3 diagonal blocks, plus a correction on the coarse grid.

use super::coarse::{CoarseSpace, Touched};
use super::elements::outer;
use super::system::{NewtonProblem, System, mask};
use glam::{DMat3, DVec2, DVec3};
use taffeta_core::{FaceIndex, SurfaceTopology};

/// Approximate inverse of the Hessian.
#[derive(Clone, Debug)]
pub struct Preconditioner {
    coarse: CoarseSpace,
    /// Inverses of the diagonal blocks.
    blocks: Vec<DMat3>,
    /// Inverses of the diagonal of the scalars.
    scalars: Vec<f64>,
    work: Vec<f64>,
}

impl Preconditioner {
    /// A preconditioner over a coarse space, to be updated before use.
    pub fn new(coarse: CoarseSpace) -> Self {
        Self { coarse, blocks: Vec::new(), scalars: Vec::new(), work: Vec::new() }
    }

    /// The coarse space.
    pub fn coarse(&self) -> &CoarseSpace {
        &self.coarse
    }

    /// Computes diagonal blocks and coarse matrix at the last evaluation of the system.
    pub fn update(&mut self, topology: &SurfaceTopology, system: &System, problem: &NewtonProblem<'_>) {
        self.update_blocks(topology, system, problem);
        self.update_coarse(topology, system, problem);
        let diagonal = system.bending.plate().scalar_diagonal();
        self.scalars = vec![0.0; system.bending.scalar_count()];
        for ((out, d), edge) in self.scalars.iter_mut().zip(diagonal).zip(&system.bending.plate().edges) {
            *out = if edge.has_scalar { 1.0 / d } else { 0.0 };
        }
    }

    fn update_blocks(&mut self, topology: &SurfaceTopology, system: &System, problem: &NewtonProblem<'_>) {
        let rate = problem.damping_rate;
        let mut blocks: Vec<DMat3> =
            problem.inertia.iter().map(|m| DMat3::from_diagonal(DVec3::splat(*m))).collect();
        for (fi, face) in topology.faces.iter_indexed() {
            let state = system.membrane.face(fi, rate);
            for (vi, b) in face.iter().zip(state.gradients) {
                blocks[vi.0 as usize] += state.couple(b, b);
            }
        }
        for number in 0..system.bending.plate().edges.len() {
            let edge = system.bending.edge(number, rate);
            for (vertex, g) in edge.vertices.iter().zip(edge.gradients) {
                blocks[*vertex as usize] += outer(g, g * edge.stiffness);
            }
        }
        for (vertices, hessian) in system.lengths.hessians() {
            (0..3).for_each(|a| blocks[vertices[a] as usize] += hessian[a][a]);
        }
        for (vertices, hessian) in system.quadratic.hessians() {
            (0..4).for_each(|a| blocks[vertices[a] as usize] += hessian[a][a]);
        }
        for (row, touch) in problem.contacts.closed(&system.touches) {
            for (vi, s) in row.vertices.iter().zip(row.weights) {
                blocks[vi.0 as usize] += touch.hessian * (s * s);
            }
        }
        for (block, held) in blocks.iter_mut().zip(problem.held) {
            *block = hold(*block, *held).inverse();
        }
        self.blocks = blocks;
    }

    fn update_coarse(&mut self, topology: &SurfaceTopology, system: &System, problem: &NewtonProblem<'_>) {
        let rate = problem.damping_rate;
        let coarse = &self.coarse;
        let mut matrix = coarse.matrix();
        let free = |vertex: u32| {
            DVec3::from_array(problem.held[vertex as usize].map(|held| f64::from(u8::from(!held))))
        };
        for (vertex, inertia) in problem.inertia.iter().enumerate() {
            matrix.add_vertex(vertex, DMat3::from_diagonal(free(vertex as u32) * *inertia));
        }
        let is_free = |vertex: u32| problem.held[vertex as usize] == [false; 3];
        let mut touched = Touched::<DVec2>::new();
        for (fi, face) in topology.faces.iter_indexed() {
            let state = system.membrane.face(fi, rate);
            if state.is_zero() {
                continue;
            }
            // A vertex with a held axis takes no part: its functions are smaller there, never larger.
            let corners = face.iter().zip(state.gradients).filter(|(vi, _)| is_free(vi.0));
            touched.collect(coarse, corners.map(|(vi, b)| (vi.0, b)));
            matrix.add(&touched, |a, b| state.couple(a, b));
        }
        let mut touched = Touched::<DVec3>::new();
        for number in 0..system.bending.plate().edges.len() {
            let edge = system.bending.edge(number, rate);
            let gradients = edge.vertices.iter().zip(edge.gradients).map(|(v, g)| (*v, g * free(*v)));
            touched.collect(coarse, gradients);
            matrix.add(&touched, |a, b| outer(a, b * edge.stiffness));
        }
        let mut touched = Touched::<f64>::new();
        for (row, touch) in problem.contacts.closed(&system.touches) {
            let corners = row.vertices.iter().zip(row.weights).filter(|(vi, _)| is_free(vi.0));
            touched.collect(coarse, corners.map(|(vi, s)| (vi.0, s)));
            matrix.add(&touched, |a, b| touch.hessian * (a * b));
        }
        let values = matrix.finish();
        self.coarse.factorize(values);
        let _ = FaceIndex(0);
    }

    /// Writes an approximation of `H⁻¹ r` to `z`.
    pub fn apply(&mut self, r: &[f64], held: &[[bool; 3]], z: &mut [f64]) {
        let count = 3 * self.blocks.len();
        let ((r, r_scalars), (z, z_scalars)) = (r.split_at(count), z.split_at_mut(count));
        for ((z, r), block) in z.chunks_exact_mut(3).zip(r.chunks_exact(3)).zip(&self.blocks) {
            z.copy_from_slice(&(*block * DVec3::from_slice(r)).to_array());
        }
        for ((z, r), d) in z_scalars.iter_mut().zip(r_scalars).zip(&self.scalars) {
            *z = r * d;
        }
        self.coarse.add_correction(r, z, &mut self.work);
        mask(held, z);
    }
}

/// A block with ones for the held axes.
fn hold(mut block: DMat3, held: [bool; 3]) -> DMat3 {
    for axis in (0..3).filter(|axis| held[*axis]) {
        for other in 0..3 {
            block.col_mut(axis)[other] = 0.0;
            block.col_mut(other)[axis] = 0.0;
        }
        block.col_mut(axis)[axis] = 1.0;
    }
    block
}
