//! The colored sweep over batches of four elements. The only file of the project with `unsafe` code.
//!
//! A batch is four elements of one color, one in each lane. No two elements of a color share a vertex, so the batches of a
//! color can be updated at once and in any order with the same result. A sweep therefore gives the same bits for any number of
//! threads. There is no fused multiply-add and no reduction across lanes, so a lane computes exactly what scalar code would,
//! with or without AVX2.

#![allow(unsafe_code)]

use crate::color::color_elements;
use crate::index::VertexIndex;
use crate::tasks::{for_each_part, is_shared};
use glam::DVec3;
use std::ops::Range;

pub use super::wide::{F64x4, LANES, Vec3x4};

/// Batches that one task of a parallel sweep takes. A color with fewer batches than two tasks is swept by one thread:
/// waking a second one costs more than it saves.
const BATCHES_PER_TASK: usize = 128;

/// Runs `work` compiled for AVX2 where the machine has it, so that plain loops in it become vector code. The result has
/// the same bits either way: there is no fused multiply-add, and the order of sums is that of the source. Only what is
/// inlined into `work` gains.
#[inline]
pub fn vectorized<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected.
        return unsafe { vectorized_avx2(work) };
    }
    work()
}

/// `work` compiled for AVX2.
///
/// # Safety
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn vectorized_avx2<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// A vertex as the sweeps see it: position \[m\] and inverse mass \[1/kg\], 0 if the vertex is held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Row {
    /// Position \[m\].
    pub position: [f64; 3],
    /// Inverse mass \[1/kg\].
    pub inverse_mass: f64,
}

impl Row {
    /// The position as a vector \[m\].
    #[inline]
    pub fn position(&self) -> DVec3 {
        DVec3::from_array(self.position)
    }
}

/// The vertices of four elements; unused lanes repeat the first.
type BatchVertices<const V: usize> = [[u32; LANES]; V];

/// The order of the colors in a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the first to the last.
    Forward,
    /// From the last to the first.
    Backward,
}

/// Elements with `V` vertices each, packed four by four, color by color.
///
/// Invariant, on which the unsafe code below rests: every vertex number is below `vertex_count`, and within one color
/// no vertex appears in two used lanes. `build` establishes it, resting on `color_elements`; nothing changes it.
#[derive(Clone, Debug)]
pub struct LaneBatches<const V: usize> {
    vertex_count: usize,
    vertices: Vec<BatchVertices<V>>,
    elements: Vec<[u32; LANES]>,
    used: Vec<u8>,
    colors: Vec<Range<usize>>,
}

impl<const V: usize> LaneBatches<V> {
    /// Colors the elements greedily in their order and packs each color.
    ///
    /// # Panics
    /// If a vertex is not below `vertex_count` or an element names one twice.
    pub fn build(elements: &[[VertexIndex; V]], vertex_count: usize) -> Self {
        let mut batches = Self {
            vertex_count,
            vertices: Vec::with_capacity(elements.len() / LANES + 64),
            elements: Vec::with_capacity(elements.len() / LANES + 64),
            used: Vec::with_capacity(elements.len() / LANES + 64),
            colors: Vec::new(),
        };
        for color in color_elements(elements, vertex_count) {
            let start = batches.used.len();
            for group in color.chunks(LANES) {
                let lane_element = |lane: usize| group[if lane < group.len() { lane } else { 0 }];
                let packed = std::array::from_fn(lane_element);
                let corner = |k: usize| std::array::from_fn(|lane| elements[packed[lane] as usize][k].0);
                batches.vertices.push(std::array::from_fn(corner));
                batches.elements.push(packed);
                batches.used.push(group.len() as u8);
            }
            batches.colors.push(start..batches.used.len());
        }
        batches
    }

    /// Number of batches.
    pub fn batch_count(&self) -> usize {
        self.used.len()
    }

    /// Returns whether a sweep on more than one thread shares out at least one color.
    pub fn sweeps_in_parallel(&self) -> bool {
        self.colors.iter().any(|color| color.len() >= 2 * BATCHES_PER_TASK)
    }

    /// Packs one value per element into the lanes of the batches; unused lanes repeat the first lane.
    pub fn pack<D>(&self, make: impl Fn([usize; LANES]) -> D) -> Vec<D> {
        self.elements.iter().map(|lanes| make(lanes.map(|e| e as usize))).collect()
    }

    /// Reads a value of each element back out of the lanes: `out[element] = read(batch, lane)`.
    pub fn unpack<T: Clone + Default>(&self, count: usize, read: impl Fn(usize, usize) -> T) -> Vec<T> {
        let mut out = vec![T::default(); count];
        for (batch, lanes) in self.elements.iter().enumerate() {
            for lane in 0..self.used[batch] as usize {
                out[lanes[lane] as usize] = read(batch, lane);
            }
        }
        out
    }

    /// One Gauss-Seidel sweep, color by color in the order asked for. `kernel` gets the data of a batch and the positions
    /// and inverse masses of its vertices, and returns the new positions. Runs on the current rayon pool.
    ///
    /// # Panics
    /// If `rows` does not have one row per vertex or `data` one entry per batch.
    pub fn sweep<D: Send>(
        &self,
        rows: &mut [Row],
        data: &mut [D],
        order: Order,
        kernel: impl Fn(&mut D, &[Vec3x4; V], &[F64x4; V]) -> [Vec3x4; V] + Sync,
    ) {
        assert_eq!(rows.len(), self.vertex_count, "one row per vertex");
        assert_eq!(data.len(), self.used.len(), "one entry per batch");
        let shared = SharedRows(rows.as_mut_ptr());
        let count = self.colors.len();
        for number in 0..count {
            let color = &self.colors[if order == Order::Forward { number } else { count - 1 - number }];
            let data = &mut data[color.clone()];
            let (vertices, used) = (&self.vertices[color.clone()], &self.used[color.clone()]);
            if is_shared(data.len(), BATCHES_PER_TASK) {
                let tasks = data.chunks_mut(BATCHES_PER_TASK).zip(vertices.chunks(BATCHES_PER_TASK));
                let tasks = tasks.zip(used.chunks(BATCHES_PER_TASK));
                for_each_part(tasks, |_, ((data, vertices), used)| {
                    // SAFETY: rows has `vertex_count` rows and is borrowed mutably for the whole sweep; the batches of
                    // this color touch different vertices (invariant), so no two tasks reach the same row.
                    unsafe { run_batches(&shared, Span { vertices, used }, data, &kernel) }
                });
            } else {
                // SAFETY: as above, with one task.
                unsafe { run_batches(&shared, Span { vertices, used }, data, &kernel) }
            }
        }
    }

    /// Calls `read` for every batch with the positions of its vertices; nothing moves.
    ///
    /// # Panics
    /// If `rows` does not have one row per vertex or `data` one entry per batch.
    pub fn visit<D>(&self, rows: &[Row], data: &mut [D], read: impl Fn(&mut D, &[Vec3x4; V])) {
        assert_eq!(rows.len(), self.vertex_count, "one row per vertex");
        assert_eq!(data.len(), self.used.len(), "one entry per batch");
        for (entry, vertices) in data.iter_mut().zip(&self.vertices) {
            let corner = |k: usize| vertices[k].map(|vi| rows[vi as usize]);
            let positions = std::array::from_fn(|k| transpose(&corner(k)).0);
            read(entry, &positions);
        }
    }
}

/// A run of batches of one color.
struct Span<'a, const V: usize> {
    vertices: &'a [BatchVertices<V>],
    used: &'a [u8],
}

/// Rows that several tasks write, each its own.
struct SharedRows(*mut Row);

// SAFETY: the pointer is only used by `run_batches`, whose callers guarantee that tasks touch different rows.
unsafe impl Sync for SharedRows {}

/// Updates the batches of a span, with AVX2 code where the machine has it. Both paths compute the same bits.
///
/// # Safety
/// Every vertex number of the span is a valid offset from `rows.0`, and no row is accessed by another thread.
unsafe fn run_batches<const V: usize, D>(
    rows: &SharedRows,
    span: Span<'_, V>,
    data: &mut [D],
    kernel: &impl Fn(&mut D, &[Vec3x4; V], &[F64x4; V]) -> [Vec3x4; V],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected; the rest is this function's own contract.
        return unsafe { run_batches_avx2(rows, span, data, kernel) };
    }
    // SAFETY: this function's own contract.
    unsafe { run_batches_inline(rows, span, data, kernel) }
}

/// [`run_batches_inline`] compiled for AVX2.
///
/// # Safety
/// As [`run_batches`]; the machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_batches_avx2<const V: usize, D>(
    rows: &SharedRows,
    span: Span<'_, V>,
    data: &mut [D],
    kernel: &impl Fn(&mut D, &[Vec3x4; V], &[F64x4; V]) -> [Vec3x4; V],
) {
    // SAFETY: this function's own contract.
    unsafe { run_batches_inline(rows, span, data, kernel) }
}

/// The loop over the batches: gather, kernel, scatter.
///
/// # Safety
/// As [`run_batches`].
#[inline(always)]
unsafe fn run_batches_inline<const V: usize, D>(
    rows: &SharedRows,
    span: Span<'_, V>,
    data: &mut [D],
    kernel: &impl Fn(&mut D, &[Vec3x4; V], &[F64x4; V]) -> [Vec3x4; V],
) {
    for ((entry, vertices), used) in data.iter_mut().zip(span.vertices).zip(span.used) {
        // SAFETY: the vertex numbers are in bounds and nobody else accesses these rows (contract).
        let load = |vi: u32| unsafe { *rows.0.add(vi as usize) };
        let mut positions = [Vec3x4::default(); V];
        let mut masses = [F64x4::default(); V];
        for k in 0..V {
            let corner =
                [load(vertices[k][0]), load(vertices[k][1]), load(vertices[k][2]), load(vertices[k][3])];
            (positions[k], masses[k]) = transpose(&corner);
        }
        let moved = kernel(entry, &positions, &masses);
        for k in 0..V {
            for (lane, vi) in vertices[k].iter().enumerate().take(*used as usize) {
                let position = [moved[k].x.0[lane], moved[k].y.0[lane], moved[k].z.0[lane]];
                // SAFETY: as for the loads.
                unsafe { (*rows.0.add(*vi as usize)).position = position };
            }
        }
    }
}

/// Four rows as lanes.
#[inline(always)]
fn transpose(rows: &[Row; LANES]) -> (Vec3x4, F64x4) {
    let coordinate = |c: usize| {
        F64x4([rows[0].position[c], rows[1].position[c], rows[2].position[c], rows[3].position[c]])
    };
    let masses =
        F64x4([rows[0].inverse_mass, rows[1].inverse_mass, rows[2].inverse_mass, rows[3].inverse_mass]);
    (Vec3x4 { x: coordinate(0), y: coordinate(1), z: coordinate(2) }, masses)
}

/// Copies positions \[m\] and inverse masses \[1/kg\] into rows.
pub fn fill_rows(rows: &mut Vec<Row>, positions: &[DVec3], inverse_masses: &[f64]) {
    rows.clear();
    let pairs = positions.iter().zip(inverse_masses);
    rows.extend(pairs.map(|(x, w)| Row { position: x.to_array(), inverse_mass: *w }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of edges whose kernel is not commutative: only the colored order gives the expected bits.
    #[test]
    fn a_sweep_gives_the_same_bits_for_any_number_of_threads() {
        let count = 20_000u32;
        let elements: Vec<_> = (0..count).map(|i| [VertexIndex(i), VertexIndex((i + 1) % count)]).collect();
        let batches = LaneBatches::build(&elements, count as usize);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut rows: Vec<Row> = (0..count)
                .map(|i| Row { position: [f64::from(i).sin(), f64::from(i % 7), 0.3], inverse_mass: 1.0 })
                .collect();
            let mut data = batches.pack(|lanes| F64x4(lanes.map(|e| 0.1 + e as f64 * 1e-5)));
            pool.install(|| {
                for _ in 0..5 {
                    batches.sweep(&mut rows, &mut data, Order::Forward, |rate, [a, b], _| {
                        let d = (*b - *a) * *rate;
                        [*a + d, *b - d]
                    });
                }
            });
            rows
        };
        let reference = run(1);
        for threads in [2, 3, 8] {
            assert_eq!(run(threads), reference);
        }
    }

    #[test]
    fn unpacking_returns_what_was_packed() {
        let elements: Vec<_> = (0..37).map(|i| [VertexIndex(i), VertexIndex(i + 1)]).collect();
        let batches = LaneBatches::build(&elements, 38);
        let data = batches.pack(|lanes| lanes.map(|e| e * 10));
        let back = batches.unpack(37, |batch, lane| data[batch][lane]);
        assert_eq!(back, (0..37).map(|e| e * 10).collect::<Vec<_>>());
    }
}
