//! From the keyed mesh back to arrays, in dense order.

use super::{FieldRemesher, OutputArrays, Remeshed, sample_at};
use crate::input::chart::Chart;
use crate::input::origin::Origin;
use crate::input::surface::InputSurface;
use glam::{DVec2, DVec3};
use taffeta_core::morton::morton_code;
use taffeta_core::{TopologyEpoch, VertexIndex};
use taffeta_mesh::{FaceKey, KeyTable, VertexKey, slot_of};

/// The material points of the vertices, those of a vertex together; none where there are no material coordinates.
#[derive(Default)]
struct MaterialPoints {
    /// The first point of each vertex, and at last their number.
    starts: Vec<u32>,
    /// Panel and coordinate \[m\], as they are edited.
    points: Vec<(u32, DVec2)>,
    origins: Vec<Origin>,
}

impl FieldRemesher {
    /// The sheet as it is now, and where its vertices came from.
    pub fn finish(&self) -> Remeshed {
        let Self { mesh, attributes, tracker, .. } = self;
        let places = self.places();
        let dense = mesh.dense_topology(|v| places[slot_of(v)], TopologyEpoch(0));
        let keys: &[VertexKey] = &dense.keys.vertices.raw;
        let vertex = |v: &VertexKey| &attributes.vertices[*v];
        let surface = &tracker.surface;
        let points = match surface.chart.is_in_space() {
            true => MaterialPoints::default(),
            false => self.material_points(keys),
        };
        // Of a vertex with several points the first one tells the origin.
        let origins: Vec<Origin> = match surface.chart.is_in_space() {
            true => keys.iter().map(|&v| *tracker.origin_of(v)).collect(),
            false => {
                points.starts[..keys.len()].iter().map(|&start| points.origins[start as usize]).collect()
            }
        };
        let mut output_of_input = vec![None; self.vertices.len()];
        for (output, v) in (0u32..).zip(keys) {
            if let Some(input) = vertex(v).input {
                output_of_input[input as usize] = Some(output);
            }
        }
        let (fields, width) = &self.fields;
        let velocities = surface.velocities.as_ref().map(|_| keys.iter().map(|v| vertex(v).velocity.into()));
        let faces: Vec<[u32; 3]> =
            dense.topology.faces.iter().map(|corners| corners.map(|VertexIndex(v)| v)).collect();
        let arrays = OutputArrays {
            material: points.points.iter().map(|&(panel, u)| self.given(panel, u).into()).collect(),
            material_faces: self.material_faces(&faces, &dense.keys, &points),
            positions: keys.iter().map(|v| vertex(v).position.into()).collect(),
            faces,
            pinned: keys.iter().map(|v| vertex(v).hold.is_some()).collect(),
            velocities: velocities.map(Iterator::collect),
            attributes: sample_at(&origins, &surface.chart.faces, fields, *width),
        };
        Remeshed { arrays, origins, material_origins: points.origins, output_of_input, report: self.report }
    }

    /// Panel and Morton code of every vertex, by slot.
    fn places(&self) -> Vec<(u32, u64)> {
        let Self { mesh, attributes, tracker, .. } = self;
        let InputSurface { chart, positions, .. } = &tracker.surface;
        let mut bounds = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; chart.panels.panel_count()];
        for (face, panel) in (0u32..).zip(&chart.panels.of_face) {
            let [low, high] = &mut bounds[*panel as usize];
            let corners = match chart.is_in_space() {
                true => chart.faces[face as usize].map(|v| positions[v as usize]),
                false => chart.corners(face).map(flat),
            };
            for x in corners {
                (*low, *high) = (low.min(x), high.max(x));
            }
        }
        let mut places = vec![(0, 0); mesh.vertex_slot_limit()];
        for v in mesh.vertex_keys() {
            let origins = tracker.origins_of(v);
            let panel = origins.iter().map(|origin| chart.panels.of_face[origin.face as usize]).min();
            let panel = panel.expect("every vertex has an origin");
            let [low, high] = bounds[panel as usize];
            let x = match origins {
                _ if chart.is_in_space() => attributes.vertices[v].position,
                [_] => flat(attributes.material_of(mesh.halfedge_from(v))),
                _ => flat(self.points_at(v)[0].1),
            };
            places[slot_of(v)] = (panel, morton_code(x, low, high));
        }
        places
    }

    /// Panels and coordinates of the charts around a vertex, the lowest panel first and then counter-clockwise.
    fn points_at(&self, v: VertexKey) -> Vec<(u32, DVec2)> {
        let Self { mesh, attributes, .. } = self;
        let mut points: Vec<(u32, DVec2)> = Vec::new();
        for out in mesh.halfedges_around(v) {
            let Some(f) = mesh.face(out) else { continue };
            let (panel, u) = (self.panel_of(f), attributes.material_of(out));
            let given = self.given(panel, u);
            // What is the same point of the plane in two panels, or on both sides of a dart, is one to the output.
            if !points.iter().any(|&(panel, u)| self.given(panel, u) == given) {
                points.push((panel, u));
            }
        }
        points.sort_by_key(|(panel, _)| *panel);
        points
    }

    fn panel_of(&self, f: FaceKey) -> u32 {
        let face = &self.attributes.faces[f];
        self.tracker.surface.chart.panels.starts[face.cloth as usize] + face.panel
    }

    fn material_points(&self, keys: &[VertexKey]) -> MaterialPoints {
        let Self { mesh, attributes, tracker, .. } = self;
        let chart = &tracker.surface.chart;
        let mut found = MaterialPoints {
            starts: Vec::with_capacity(keys.len() + 1),
            points: Vec::with_capacity(keys.len()),
            origins: Vec::with_capacity(keys.len()),
        };
        for &v in keys {
            found.starts.push(found.points.len() as u32);
            let origins = tracker.origins_of(v);
            if let [origin] = origins {
                let panel = chart.panels.of_face[origin.face as usize];
                found.points.push((panel, attributes.material_of(mesh.halfedge_from(v))));
                found.origins.push(*origin);
                continue;
            }
            for (panel, u) in self.points_at(v) {
                found.points.push((panel, u));
                found.origins.push(*nearest(origins, panel, u, chart));
            }
        }
        found.starts.push(found.points.len() as u32);
        found
    }

    /// The numbers of the material points at the corners of the faces.
    fn material_faces(
        &self,
        faces: &[[u32; 3]],
        keys: &KeyTable,
        MaterialPoints { starts, points, .. }: &MaterialPoints,
    ) -> Vec<[u32; 3]> {
        if self.tracker.surface.chart.is_in_space() {
            return Vec::new();
        }
        if points.len() == starts.len() - 1 {
            return faces.to_vec();
        }
        let of_face = |(corners, &f): (&[u32; 3], &FaceKey)| {
            let sides = self.mesh.face_halfedges(f);
            corners.map(|vertex| {
                let v = keys.vertices.raw[vertex as usize];
                let side = sides.iter().find(|he| self.mesh.tail(**he) == v).expect("a corner of the face");
                let u = self.given(self.panel_of(f), self.attributes.material_of(*side));
                let first = starts[vertex as usize];
                let own = &points[first as usize..starts[vertex as usize + 1] as usize];
                let at = own.iter().position(|&(panel, other)| self.given(panel, other) == u);
                first + at.expect("a point of the vertex") as u32
            })
        };
        faces.iter().zip(&keys.faces.raw).map(of_face).collect()
    }

    /// The coordinate of a point of a panel as the input has it.
    fn given(&self, panel: u32, u: DVec2) -> DVec2 {
        self.tracker.surface.chart.panels.reflect(panel, u)
    }
}

/// The place of a vertex on the input that is a point of a panel.
fn nearest<'a>(origins: &'a [Origin], panel: u32, u: DVec2, chart: &Chart) -> &'a Origin {
    let distance = |origin: &&Origin| {
        let (other, point) = chart.panel_and_point(origin);
        // On a seam between panels the panel decides, on a dart the distance.
        (u8::from(other != panel), point.distance_squared(u))
    };
    let nearer = |a: &&Origin, b: &&Origin| {
        let (a, b) = (distance(a), distance(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    origins.iter().min_by(nearer).expect("every vertex has an origin")
}

fn flat(u: DVec2) -> DVec3 {
    u.extend(0.0)
}
