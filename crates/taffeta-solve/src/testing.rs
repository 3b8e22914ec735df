//! Small sheets for the tests of this crate.

use crate::drivers::newton::{
    Contacts, Drags, LinearSolver, NewtonDriver, NewtonLimits, NewtonProblem, NewtonReport, Site,
};
use crate::kinds::Blocks;
use crate::material::Material;
use crate::model::{BendingModel, ClothModel, Compression, MembraneModel, MembraneScaling};
use crate::plate::{PlateState, Supports};
use crate::state::RestShape;
use glam::{DVec2, DVec3};
use taffeta_core::{IndexVec, SurfaceTopology, VertexIndex};

/// Positions, velocities and masses, one entry per vertex in dense order.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseState {
    /// World positions \[m\].
    pub positions: IndexVec<VertexIndex, DVec3>,
    /// Velocities \[m/s\].
    pub velocities: IndexVec<VertexIndex, DVec3>,
    /// Lumped masses \[kg\]: `m_i = Σ ρ A_f / 3` over the faces around the vertex.
    pub masses: IndexVec<VertexIndex, f64>,
    /// Inverse masses \[1/kg\]; 0 exactly for a vertex that is held in all three axes.
    pub inverse_masses: IndexVec<VertexIndex, f64>,
    /// Which world axes of each vertex are held: its position along them is given and not solved for.
    pub held: IndexVec<VertexIndex, [bool; 3]>,
}

/// A sheet with everything that the drivers need.
pub(crate) struct Sheet {
    pub topology: SurfaceTopology,
    pub rest: RestShape,
    pub cloths: Vec<ClothModel>,
    pub state: DenseState,
    pub material_coords: Vec<DVec2>,
}

impl Sheet {
    /// A square sheet of `size` \[m\] with `n × n` cells and alternating diagonals, hanging in the xy-plane.
    pub(crate) fn square(n: u32, size: f64, model: ClothModel) -> Self {
        Self::row_of_squares(1, n, size, model)
    }

    /// Such sheets side by side, a tenth of their size apart.
    pub(crate) fn row_of_squares(count: u32, n: u32, size: f64, model: ClothModel) -> Self {
        let side = n + 1;
        let step = size / f64::from(n);
        let (mut coords, mut faces) = (Vec::new(), Vec::new());
        for number in 0..count {
            let (first, shift) = (coords.len() as u32, 1.1 * size * f64::from(number));
            let at = |i: u32| DVec2::new(f64::from(i % side) * step + shift, f64::from(i / side) * step);
            coords.extend((0..side * side).map(at));
            for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
                let corners = [j * side + i, j * side + i + 1, (j + 1) * side + i + 1, (j + 1) * side + i];
                let [a, b, c, d] = corners.map(|v| first + v);
                let cell = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                faces.extend(cell);
            }
        }
        Self::of_triangles(coords, faces, model)
    }

    /// A flat sheet on any triangles.
    pub(crate) fn of_triangles(coords: Vec<DVec2>, faces: Vec<[u32; 3]>, model: ClothModel) -> Self {
        let faces = faces.into_iter().map(|f| f.map(VertexIndex)).collect();
        let topology = SurfaceTopology::from_faces(coords.len(), faces);
        let rest = RestShape::flat(&topology, &coords);
        let cloths = vec![model];
        let masses = rest.lumped_masses(&topology, &cloths);
        let state = DenseState {
            positions: coords.iter().map(|u| u.extend(0.0)).collect(),
            velocities: IndexVec::filled(DVec3::ZERO, coords.len()),
            inverse_masses: masses.iter().map(|m| 1.0 / m).collect(),
            held: IndexVec::filled([false; 3], coords.len()),
            masses,
        };
        Self { topology, rest, cloths, state, material_coords: coords }
    }

    /// Holds the vertices that the predicate selects by their material coordinates.
    pub(crate) fn pin(mut self, held: impl Fn(DVec2) -> bool) -> Self {
        for (i, u) in self.material_coords.iter().enumerate() {
            if held(*u) {
                self.state.inverse_masses.raw[i] = 0.0;
                self.state.held.raw[i] = [true; 3];
            }
        }
        self
    }

    /// The blocks of the sheet.
    pub(crate) fn blocks(&self) -> Blocks {
        Blocks::build(&self.topology, &self.rest, &self.cloths, &Supports::new(&self.state.inverse_masses))
    }

    /// Mean height of the vertices at the bottom \[m\].
    pub(crate) fn mean_bottom(&self) -> f64 {
        let bottom: Vec<_> =
            (0..self.material_coords.len()).filter(|i| self.material_coords[*i].y == 0.0).collect();
        bottom.iter().map(|i| self.state.positions.raw[*i].y).sum::<f64>() / bottom.len() as f64
    }
}

/// The sheet of the resolution study: 2000 N/m, 0.2 kg/m², 5e-5 N·m.
pub(crate) fn stiff() -> ClothModel {
    ClothModel {
        material: Material::isotropic(0.2, 2000.0, 0.3, 5e-5),
        membrane: MembraneModel::Strain,
        scaling: MembraneScaling::ByArea,
        compression: Compression::Full,
        bending: BendingModel::Hinge,
        rest_curvature: [0.0; 3],
    }
}

/// A deterministic disturbance of positions by up to `amount` \[m\].
pub(crate) fn disturb(positions: &mut [DVec3], amount: f64) {
    for (i, x) in positions.iter_mut().enumerate() {
        let t = i as f64;
        *x += DVec3::new((t * 1.7).sin(), (t * 2.3).cos(), (t * 0.9).sin()) * amount;
    }
}

/// A step of a length \[s\] by Newton's method from the sheet's positions towards predicted ones \[m\], and its report.
pub(crate) fn newton_step(
    sheet: &Sheet,
    blocks: &Blocks,
    predicted: &[DVec3],
    h: f64,
    solver: LinearSolver,
    limits: NewtonLimits,
) -> (Vec<DVec3>, NewtonReport) {
    let points: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    let pressures = vec![0.0; sheet.topology.face_count()];
    let site = Site { points: &points, charts: None, face_pressures: &pressures, bodies: 0 };
    let mut driver = NewtonDriver::build(&sheet.topology, blocks, site, solver, None);
    let mut plate = PlateState::new(&blocks.plate, Vec::new());
    let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / (h * h)).collect();
    let problem = NewtonProblem {
        inertia: &inertia,
        predicted,
        held: &sheet.state.held,
        damping_rate: 1.0 / h,
        drag: Drags::default(),
        contacts: Contacts::default(),
        clamps: &[],
    };
    let mut x = sheet.state.positions.raw.clone();
    driver.begin_step(&x, &plate);
    let report = driver.solve(&mut x, &mut plate, &problem, limits).expect("the matrix is positive definite");
    (x, report)
}
