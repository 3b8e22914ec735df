//! The dense arrays of a state: all that substeps, pins and passes change while the mesh stays the same.

use glam::DVec3;
use std::sync::Arc;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, VertexIndex};
use taffeta_remesh::{Hold, Metric};
use taffeta_solve::RestShape;

/// The dense state of all bodies. A clone is a snapshot: it copies what every substep changes, and shares the rest until
/// one of the two is changed.
#[derive(Clone, Debug, Default)]
pub struct DenseState {
    /// World positions \[m\].
    pub positions: Arc<IndexVec<VertexIndex, DVec3>>,
    /// Velocities \[m/s\].
    pub velocities: Arc<IndexVec<VertexIndex, DVec3>>,
    /// Lumped masses \[kg\]: `m_i = Σ ρ A_f / 3` over the faces around the vertex.
    pub masses: Arc<IndexVec<VertexIndex, f64>>,
    /// Inverse masses \[1/kg\]; 0 exactly for a vertex that is held in all three axes.
    pub inverse_masses: Arc<IndexVec<VertexIndex, f64>>,
    /// Which world axes of each vertex are held: its position along them is given and not solved for.
    pub held: Arc<IndexVec<VertexIndex, [bool; 3]>>,
    /// Holds of pins on vertices, in the order of the vertices.
    pub holds: Arc<Vec<(VertexIndex, Hold)>>,
    /// The pin that holds each vertex.
    pub vertex_pins: Arc<IndexVec<VertexIndex, Option<u32>>>,
    /// Rest shape, with what is plastic.
    pub rest: Arc<RestShape>,
    /// Scalar of curvature bending of each edge \[rad\], as seen from its first face, at the start of the step.
    pub scalars: Arc<IndexVec<EdgeIndex, f64>>,
    /// True for each edge whose spring has let go.
    pub broken: Arc<IndexVec<EdgeIndex, bool>>,
    /// Turning angle of ropes in a plane at each loose vertex \[rad\], at the start of the step.
    pub loose_angles: Arc<Vec<f64>>,
    /// Sizing metric of each vertex of the mesh in the last remeshing pass \[1/m²\].
    pub metrics: Arc<IndexVec<VertexIndex, Metric>>,
}

impl DenseState {
    /// Lets pins hold vertices and no others, in the order of the vertices; `axes` has what each pin holds.
    pub(crate) fn hold(&mut self, holds: Vec<(VertexIndex, Hold)>, axes: &[[bool; 3]]) {
        let mut vertex_pins = IndexVec::from(vec![None; self.masses.len()]);
        holds.iter().for_each(|(vi, hold)| vertex_pins[*vi] = Some(hold.pin));
        let held = |pin: &Option<u32>| pin.map_or([false; 3], |pin| axes[pin as usize]);
        let inverse = |(m, held): (&f64, &[bool; 3])| if *held == [true; 3] { 0.0 } else { 1.0 / m };
        let held: IndexVec<VertexIndex, [bool; 3]> = vertex_pins.iter().map(held).collect();
        self.inverse_masses = Arc::new(self.masses.iter().zip(held.iter()).map(inverse).collect());
        self.held = Arc::new(held);
        self.vertex_pins = Arc::new(vertex_pins);
        self.holds = Arc::new(holds);
    }

    /// Mass of all vertices that can move \[kg\].
    pub(crate) fn moving_mass(&self) -> f64 {
        let moving = self.masses.iter().zip(self.inverse_masses.iter()).filter(|(_, w)| **w > 0.0);
        moving.map(|(m, _)| *m).sum()
    }

    /// The hold of a pin on a vertex; `None`: it is free.
    pub(crate) fn hold_of(&self, vi: VertexIndex) -> Option<Hold> {
        let place = self.holds.binary_search_by_key(&vi, |(vertex, _)| *vertex);
        place.ok().map(|place| self.holds[place].1)
    }

    /// Describes the first array that has not one entry for each element of a topology; `None` if all have.
    pub(crate) fn find_misfit(&self, topology: &SurfaceTopology) -> Option<String> {
        let Self { positions, velocities, masses, inverse_masses, held, .. } = self;
        let Self { vertex_pins, rest, scalars, broken, loose_angles, metrics, .. } = self;
        let (vertices, surface) = (topology.vertex_count, topology.surface_vertex_count());
        let (edges, faces) = (topology.edge_count(), topology.face_count());
        let arrays = [
            ("positions", positions.len(), vertices),
            ("velocities", velocities.len(), vertices),
            ("masses", masses.len(), vertices),
            ("inverse_masses", inverse_masses.len(), vertices),
            ("held", held.len(), vertices),
            ("vertex_pins", vertex_pins.len(), vertices),
            ("metrics", metrics.len(), surface),
            ("loose_angles", loose_angles.len(), vertices - surface),
            ("scalars", scalars.len(), edges),
            ("broken", broken.len(), edges),
            ("rest.angles", rest.angles.len(), edges),
            ("rest.last_angles", rest.last_angles.len(), edges),
            ("rest.corners", rest.corners.len(), faces),
            ("rest.areas", rest.areas.len(), faces),
            ("rest.cloths", rest.cloths.len(), faces),
            ("rest.plastic_curvatures", rest.plastic_curvatures.len(), faces),
        ];
        let (name, found, wanted) = arrays.into_iter().find(|(_, found, wanted)| found != wanted)?;
        Some(format!("{name} has {found} entries, but the topology has {wanted}"))
    }

    /// The faces of a cloth, in dense order.
    pub(crate) fn faces_of(&self, cloth: u32) -> impl Iterator<Item = FaceIndex> + '_ {
        self.rest.cloths.iter_indexed().filter(move |(_, c)| **c == cloth).map(|(fi, _)| fi)
    }
}
