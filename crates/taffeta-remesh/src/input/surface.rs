//! The input surface of a fixed sizing field: where every vertex of a mesh that is being edited lies on it, and what it
//! carries there.
//!
//! The field, positions and velocities are linear on the faces of the input. A vertex of a split takes all of them from the
//! input face at its material point, so that nothing is averaged twice, however many passes there are.

use crate::attributes::{SheetAttributes, VertexAttributes};
use crate::input::chart::Chart;
use crate::input::origin::Origin;
use crate::input::samples::InputSamples;
use crate::input::seams::SeamLines;
use crate::metric::{Metric, metric_of_size_tensor};
use glam::{DVec2, DVec3};
use slotmap::SecondaryMap;
use taffeta_core::math::Sym2;
use taffeta_mesh::{BuiltMesh, VertexKey, slot_of};

/// The input, by its numbers.
#[derive(Clone, Debug)]
pub(crate) struct InputSurface {
    pub chart: Chart,
    /// World positions \[m\].
    pub positions: Vec<DVec3>,
    /// World velocities \[m/s\]; `None`: at rest.
    pub velocities: Option<Vec<DVec3>>,
    /// Wanted sizes \[m\] as tensors, `M^(−½)`.
    pub sizes: Vec<Sym2>,
}

impl InputSurface {
    /// The metric of an input vertex \[1/m²\].
    pub(crate) fn metric_of(&self, vertex: usize) -> Metric {
        metric_of_size_tensor(&self.sizes[vertex])
    }

    /// Gives a vertex what the input has at its origin.
    pub(crate) fn put(&self, origin: &Origin, vertex: &mut VertexAttributes) {
        vertex.position = sample(&self.chart.faces, &self.positions, origin);
        if let Some(velocities) = &self.velocities {
            vertex.velocity = sample(&self.chart.faces, velocities, origin);
        }
        vertex.metric = metric_of_size_tensor(&self.sample_size(origin));
    }

    fn sample_size(&self, origin: &Origin) -> Sym2 {
        let corners = self.chart.faces[origin.face as usize];
        let add = |sum: Sym2, (v, weight): (u32, f64)| sum.plus(weight, &self.sizes[v as usize]);
        // Beside the input a size could be extrapolated to nothing.
        let weights = origin.weights.map(|weight| weight.max(0.0));
        corners.into_iter().zip(weights).fold(Sym2::default(), add)
    }
}

/// The value of a field at an origin: linear on the face.
pub(crate) fn sample(faces: &[[u32; 3]], values: &[DVec3], origin: &Origin) -> DVec3 {
    let corners = faces[origin.face as usize];
    let [a, b, c] = corners.map(|v| values[v as usize]);
    let [wa, wb, wc] = origin.weights;
    wa * a + wb * b + wc * c
}

/// The background with the origin of every vertex.
#[derive(Clone, Debug)]
pub(crate) struct InputTracker {
    pub surface: InputSurface,
    /// By slot of the vertex. Slots that are not in use have the origin of an earlier vertex.
    origins: Vec<Origin>,
    /// Of the vertices on seams their places in all charts there.
    charts: SecondaryMap<VertexKey, Vec<Origin>>,
    pub seams: SeamLines,
    /// Witnesses that bound the edits of a rest shape in space; `None`: there are material coordinates.
    pub samples: Option<InputSamples>,
}

impl InputTracker {
    /// Starts with the vertices of the input, by number.
    pub(crate) fn new(surface: InputSurface, built: &BuiltMesh, attributes: &SheetAttributes) -> Self {
        let vertices = &built.vertices;
        let seams = SeamLines::of_built(built, attributes, &surface.chart);
        let unknown = Origin { face: 0, weights: [0.0; 3] };
        let limit = vertices.iter().map(|&v| slot_of(v) + 1).max().unwrap_or_default();
        let mut origins = vec![unknown; limit];
        let mut charts: SecondaryMap<VertexKey, Vec<Origin>> = SecondaryMap::new();
        let chart = &surface.chart;
        for (face, corners) in chart.faces.iter().enumerate().rev() {
            let face = face as u32;
            for (k, v) in corners.iter().enumerate() {
                let mut weights = [0.0; 3];
                weights[k] = 1.0;
                let v = vertices[*v as usize];
                let origin = Origin { face, weights };
                origins[slot_of(v)] = origin;
                if !seams.is_empty() && seams.touches(&built.mesh, v) {
                    let list = charts.entry(v).expect("a vertex of the mesh").or_default();
                    // The first face of each chart, as everywhere.
                    list.retain(|other| chart.panel_and_point(other) != chart.panel_and_point(&origin));
                    list.push(origin);
                }
            }
        }
        let samples = surface.chart.is_in_space().then(InputSamples::default);
        Self { surface, origins, charts, seams, samples }
    }

    /// The place on the input of what is in the middle between some vertices of a rest shape in space \[m\].
    pub(crate) fn nearest(&self, near: &[VertexKey], point: DVec3) -> Origin {
        let starts = near.iter().map(|&v| self.origin_of(v).face);
        self.surface.nearest(starts, point)
    }

    /// Gives a new vertex what the input has at its material point \[m\] in a panel. `near` are vertices close to it.
    pub(crate) fn place(
        &self,
        near: &[VertexKey],
        panel: u32,
        material: DVec2,
        vertex: &mut VertexAttributes,
    ) -> Origin {
        let chart = &self.surface.chart;
        let faces = || near.iter().flat_map(|&v| self.origins_of(v)).map(|origin| origin.face);
        let start = faces().find(|&face| chart.panels.of_face[face as usize] == panel).or(faces().next());
        let origin = chart.locate(panel, start.expect("there are vertices around"), material);
        self.surface.put(&origin, vertex);
        origin
    }

    /// Notes where a new vertex is, in all charts if it is on a seam.
    pub(crate) fn remember(&mut self, v: VertexKey, places: &[Origin]) {
        let [origin, others @ ..] = places else { return };
        let slot = slot_of(v);
        if slot >= self.origins.len() {
            self.origins.resize(slot + 1, *origin);
        }
        self.origins[slot] = *origin;
        if !others.is_empty() {
            self.charts.insert(v, places.to_vec());
        }
    }

    pub(crate) fn origin_of(&self, v: VertexKey) -> &Origin {
        &self.origins[slot_of(v)]
    }

    /// The places of a vertex in all charts around it.
    pub(crate) fn origins_of(&self, v: VertexKey) -> &[Origin] {
        match self.charts.get(v) {
            Some(places) => places,
            None => std::slice::from_ref(self.origin_of(v)),
        }
    }
}
