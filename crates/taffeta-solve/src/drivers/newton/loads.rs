//! What acts on a sheet from outside: contacts and follower pressure.

use super::elements::{add, at, outer};
use glam::{DMat3, DVec3};
use taffeta_core::{ContactRow, SurfaceTopology};

/// Contacts as one-sided springs `½ k min(0, gap)²`.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'a> {
    /// The rows.
    pub rows: &'a [ContactRow],
    /// Their stiffness `k` \[N/m\].
    pub stiffness: f64,
}

impl Contacts<'_> {
    /// Adds the gradient, notes which contacts are active, returns the energy \[J\].
    pub fn evaluate(&self, x: &[f64], active: &mut Vec<bool>, out: &mut [f64]) -> f64 {
        active.clear();
        let mut energy = 0.0;
        for row in self.rows {
            let depth = -row.gap(row.interpolate(|vi| at(x, vi.0)));
            active.push(depth > 0.0);
            if depth > 0.0 {
                energy += 0.5 * self.stiffness * depth * depth;
                let force = row.normal * (-self.stiffness * depth);
                for (vi, s) in row.vertices.iter().zip(row.weights) {
                    add(out, vi.0, force * s);
                }
            }
        }
        energy
    }

    /// The active rows.
    pub fn active<'a>(&'a self, active: &'a [bool]) -> impl Iterator<Item = &'a ContactRow> {
        self.rows.iter().zip(active).filter(|(_, active)| **active).map(|(row, _)| row)
    }

    /// Adds the product of the Hessian with `p` to `out`.
    pub fn add_product(&self, p: &[f64], active: &[bool], out: &mut [f64]) {
        for row in self.active(active) {
            let moved = row.interpolate(|vi| at(p, vi.0)).dot(row.normal) * self.stiffness;
            for (vi, s) in row.vertices.iter().zip(row.weights) {
                add(out, vi.0, row.normal * (moved * s));
            }
        }
    }

    /// The 3×3 block of an active row between two of its corners, divided by the corners' weights.
    pub fn block(&self, row: &ContactRow) -> DMat3 {
        outer(row.normal, row.normal) * self.stiffness
    }
}

/// Follower pressure: `−p V` with the volume `V = Σ x₀·(x₁×x₂)/6` over the faces.
///
/// The gradient of the volume is a third of the area vector of the faces around a vertex, except at the boundary,
/// where it depends on the origin and the load has no energy. There a correction makes the force exact; the line search
/// takes it as constant.
#[derive(Clone, Debug, Default)]
pub struct Pressure {
    /// Faces with a pressure: corners and `p/6` \[Pa\].
    faces: Vec<([u32; 3], f64)>,
    /// Boundary edges of those faces, along the faces.
    rim: Vec<([u32; 2], f64)>,
    /// Where volumes are measured from \[m\].
    origin: DVec3,
}

impl Pressure {
    /// The faces of a sheet under the pressures of their cloths \[Pa\].
    pub fn build(topology: &SurfaceTopology, face_pressure: impl Fn(taffeta_core::FaceIndex) -> f64) -> Self {
        let mut out = Self::default();
        for (fi, face) in topology.faces.iter_indexed() {
            let sixth = face_pressure(fi) / 6.0;
            if sixth == 0.0 {
                continue;
            }
            out.faces.push((face.map(|vi| vi.0), sixth));
            for k in 0..3 {
                if topology.edges[topology.face_edges[fi][k]].is_boundary() {
                    out.rim.push(([face[k].0, face[(k + 1) % 3].0], sixth));
                }
            }
        }
        out
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Chooses the origin near the sheet, where the volumes are small numbers.
    pub fn begin_step(&mut self, x: &[f64]) {
        let count = self.faces.len().max(1) as f64;
        self.origin = self.faces.iter().map(|(face, _)| at(x, face[0])).sum::<DVec3>() / count;
    }

    /// Adds the gradient of `−p V` to `out` and returns the energy \[J\].
    pub fn evaluate(&self, x: &[f64], out: &mut [f64]) -> f64 {
        let mut energy = 0.0;
        for (face, sixth) in &self.faces {
            let [a, b, c] = face.map(|vertex| at(x, vertex) - self.origin);
            energy -= sixth * a.dot(b.cross(c));
            add(out, face[0], b.cross(c) * -sixth);
            add(out, face[1], c.cross(a) * -sixth);
            add(out, face[2], a.cross(b) * -sixth);
        }
        energy
    }

    /// Writes the forces that the volume's gradient misses at the boundary \[N\].
    pub fn write_rim(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for ([a, b], sixth) in &self.rim {
            let force = (at(x, *a) - self.origin).cross(at(x, *b) - self.origin) * *sixth;
            add(out, *a, force);
            add(out, *b, force);
        }
    }

    /// Adds the product of the Hessian of `−p V` at `x` with `p` to `out`. It is not definite.
    pub fn add_product(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        for (face, sixth) in &self.faces {
            let [a, b, c] = face.map(|vertex| at(x, vertex) - self.origin);
            let [da, db, dc] = face.map(|vertex| at(p, vertex));
            add(out, face[0], (db.cross(c) + b.cross(dc)) * -sixth);
            add(out, face[1], (dc.cross(a) + c.cross(da)) * -sixth);
            add(out, face[2], (da.cross(b) + a.cross(db)) * -sixth);
        }
    }

    /// The faces with `p/6` \[Pa\] and their positions relative to the origin \[m\].
    pub fn faces<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = ([u32; 3], f64, [DVec3; 3])> + 'a {
        self.faces.iter().map(|(face, sixth)| (*face, *sixth, face.map(|vertex| at(x, vertex) - self.origin)))
    }
}
