//! Sheets for the tests.
#![allow(dead_code, reason = "every test file uses its own part")]

use glam::{DVec2, DVec3};
use taffeta_core::Region;
use taffeta_mesh::HalfedgeMesh;
use taffeta_remesh::{
    Pass, RemeshReport, RemeshSettings, SheetAttributes, VertexAttributes, is_single_valued, lumped_mass,
    remesh, validate_attributes,
};

pub(crate) use taffeta_fixtures::tier;

/// A mesh with its attributes.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub mesh: HalfedgeMesh,
    pub attributes: SheetAttributes,
}

/// Motion of a whole sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    pub center: DVec3,
    pub linear: DVec3,
    /// Angular momentum about the center.
    pub spin: DVec3,
    pub kinetic: f64,
}

/// A grid of `cells` squares with sides of `size` meters, alternating diagonals; inner vertices are moved by up to
/// `jitter` of a cell.
pub(crate) fn grid(size: [f64; 2], cells: [u32; 2], jitter: f64) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let [columns, rows] = cells;
    let mut coords = Vec::new();
    for j in 0..=rows {
        for i in 0..=columns {
            let is_inner = i > 0 && j > 0 && i < columns && j < rows;
            let noise = |k: f64| {
                let x = (f64::from(i) * 12.989_8 + f64::from(j) * 78.233 + k).sin() * 43_758.545_3;
                2.0 * (x - x.floor()) - 1.0
            };
            let offset = if is_inner { jitter * DVec2::new(noise(0.0), noise(1.0)) } else { DVec2::ZERO };
            let unit = (DVec2::new(f64::from(i), f64::from(j)) + offset)
                / DVec2::new(f64::from(columns), f64::from(rows));
            coords.push(unit * DVec2::from(size));
        }
    }
    let at = |i: u32, j: u32| j * (columns + 1) + i;
    let faces = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))).flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    (coords, faces.collect())
}

/// A disk of the given radius [m]: a center and rings.
pub(crate) fn disk(radius: f64, rings: u32, around: u32) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut coords = vec![DVec2::ZERO];
    let mut faces = Vec::new();
    let at = |ring: u32, k: u32| 1 + ring * around + k % around;
    for ring in 0..rings {
        for k in 0..around {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(around);
            coords.push(DVec2::from_angle(angle) * radius * f64::from(ring + 1) / f64::from(rings));
            if ring == 0 {
                faces.push([0, at(0, k), at(0, k + 1)]);
            } else {
                let [a, b, c, d] = [at(ring - 1, k), at(ring, k), at(ring, k + 1), at(ring - 1, k + 1)];
                faces.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    (coords, faces)
}

impl Sheet {
    /// A sheet in the shape of a map from material to world space.
    pub(crate) fn new((coords, faces): (Vec<DVec2>, Vec<[u32; 3]>), shape: impl Fn(DVec2) -> DVec3) -> Self {
        let built = HalfedgeMesh::from_triangles(coords.len(), &faces).expect("a good mesh");
        let corners: Vec<[DVec2; 3]> = faces.iter().map(|f| f.map(|v| coords[v as usize])).collect();
        let positions: Vec<DVec3> = coords.iter().map(|&u| shape(u)).collect();
        let attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
        Self { mesh: built.mesh, attributes }
    }

    /// A square of 1 m, flat.
    pub(crate) fn square(cells: u32) -> Self {
        Self::new(grid([1.0; 2], [cells; 2], 0.0), flat)
    }

    /// Gives every vertex the position of its material point on a shape.
    pub(crate) fn put_on(&mut self, shape: impl Fn(DVec2) -> DVec3) {
        self.for_each_vertex(|u, vertex| vertex.position = shape(u));
    }

    /// Visits the vertices with their material coordinates.
    pub(crate) fn for_each_vertex(&mut self, mut visit: impl FnMut(DVec2, &mut VertexAttributes)) {
        for v in self.mesh.vertex_keys() {
            let u = self.attributes.material_of(self.mesh.halfedge_from(v));
            visit(u, &mut self.attributes.vertices[v]);
        }
    }

    /// One pass without pins and veto, a second after the last one.
    pub(crate) fn pass(&mut self, settings: &RemeshSettings) -> RemeshReport {
        self.pass_with(settings, &[], 1.0)
    }

    pub(crate) fn pass_with(
        &mut self,
        settings: &RemeshSettings,
        pins: &[Region],
        elapsed: f64,
    ) -> RemeshReport {
        let settings = [Some(*settings)];
        let pass = Pass { settings: &settings, pins, elapsed, ..Pass::default() };
        let report = remesh(&mut self.mesh, &mut self.attributes, &pass, &mut |_| false);
        self.check();
        report
    }

    /// Every invariant.
    pub(crate) fn check(&self) {
        self.mesh.validate().expect("the mesh is valid");
        validate_attributes(&self.mesh, &self.attributes).expect("the attributes fit");
        assert!(is_single_valued(&self.mesh, &self.attributes, 0));
    }

    /// Motion at an areal density of 1 kg/m².
    pub(crate) fn motion(&self) -> Motion {
        let mut keys: Vec<_> = self.mesh.vertex_keys().collect();
        keys.sort_unstable();
        let bodies: Vec<(f64, VertexAttributes)> = keys
            .into_iter()
            .map(|v| (lumped_mass(&self.mesh, &self.attributes, v, 1.0), self.attributes.vertices[v]))
            .collect();
        let mass: f64 = bodies.iter().map(|(mass, _)| mass).sum();
        let center = bodies.iter().map(|(mass, vertex)| mass * vertex.position).sum::<DVec3>() / mass;
        let linear: DVec3 = bodies.iter().map(|(mass, vertex)| mass * vertex.velocity).sum();
        let spin = bodies
            .iter()
            .map(|(mass, vertex)| mass * (vertex.position - center).cross(vertex.velocity))
            .sum();
        let kinetic = bodies.iter().map(|(mass, vertex)| 0.5 * mass * vertex.velocity.length_squared()).sum();
        Motion { center, linear, spin, kinetic }
    }

    pub(crate) fn area(&self) -> f64 {
        self.mesh.face_keys().map(|f| self.attributes.material_area(&self.mesh, f)).sum()
    }

    /// Lengths of all edges in material space [m].
    pub(crate) fn lengths(&self) -> Vec<f64> {
        let corners = self.mesh.edge_keys().map(|e| self.attributes.edges[e].corners);
        corners.map(|[a, b]| a.distance(b)).collect()
    }
}

pub(crate) fn flat(u: DVec2) -> DVec3 {
    u.extend(0.0)
}

/// A cylinder of the given radius [m] around the y axis.
pub(crate) fn cylinder(radius: f64) -> impl Fn(DVec2) -> DVec3 {
    move |u| {
        let (s, c) = (u.x / radius).sin_cos();
        DVec3::new(radius * s, u.y, radius * c)
    }
}

/// Settings that leave room between the limits.
pub(crate) fn settings(size_min: f64, size_max: f64) -> RemeshSettings {
    RemeshSettings { size_min, size_max, ..RemeshSettings::by_thresholds() }
}
