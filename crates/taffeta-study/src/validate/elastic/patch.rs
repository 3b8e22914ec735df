//! Blocks by themselves: the patch test and refinement.

use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use glam::{DMat3, DVec2, DVec3};
use taffeta_core::motion::rotation_xyz;
use taffeta_core::{EdgeIndex, SurfaceTopology, VertexIndex};
use taffeta_io::{GridPattern, grid};
use taffeta_sim::Material;
use taffeta_solve::{
    BendingModel, Blocks, ClothModel, Compression, ElasticEnergy, MembraneModel, MembraneScaling, PlateState,
    RestShape, Supports,
};

/// Round-off of sums over some hundred elements.
const ROUND_OFF: f64 = 1e-12;

/// Topology and material coordinates \[m\] of a random Delaunay sheet of 1 m².
struct Sheet {
    topology: SurfaceTopology,
    coords: Vec<DVec2>,
}

impl Sheet {
    fn irregular(cells: u32) -> Self {
        let mesh = grid(DVec2::ONE, [cells, cells], GridPattern::Delaunay, 1);
        let faces = mesh.faces.iter().map(|f| f.map(VertexIndex)).collect();
        let coords: Vec<DVec2> = mesh.positions.iter().map(|x| x.truncate()).collect();
        Self { topology: SurfaceTopology::from_faces(coords.len(), faces), coords }
    }

    fn blocks(&self, model: ClothModel) -> Blocks {
        let free = vec![1.0; self.coords.len()];
        let rest = RestShape::flat(&self.topology, &self.coords);
        Blocks::build(&self.topology, &rest, &[model], &Supports::new(&free))
    }

    /// Every face in four; positions and coordinates of the new vertices at the middles of the edges.
    fn refine(&self, x: &[DVec3]) -> (Self, Vec<DVec3>) {
        let count = self.coords.len() as u32;
        let middle = |ei: EdgeIndex| VertexIndex(count + ei.0);
        let mut faces = Vec::new();
        for (fi, [a, b, c]) in self.topology.faces.iter_indexed() {
            let [ab, bc, ca] = self.topology.face_edges[fi].map(middle);
            faces.extend([[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]);
        }
        let (mut coords, mut x) = (self.coords.clone(), x.to_vec());
        for edge in self.topology.edges.iter() {
            let [a, b] = edge.vertices.map(|vi| vi.0 as usize);
            coords.push(0.5 * (coords[a] + coords[b]));
            x.push(0.5 * (x[a] + x[b]));
        }
        (Self { topology: SurfaceTopology::from_faces(coords.len(), faces), coords }, x)
    }
}

fn model(material: Material, membrane: MembraneModel, bending: BendingModel) -> ClothModel {
    ClothModel {
        material,
        membrane,
        scaling: MembraneScaling::ByArea,
        compression: Compression::Full,
        bending,
        rest_curvature: [0.0; 3],
    }
}

/// The energies at positions.
fn energy(blocks: &Blocks, x: &[DVec3]) -> ElasticEnergy {
    blocks.energy(x, &PlateState::new(&blocks.plate, Vec::new()))
}

/// Affine maps of an irregular orthotropic sheet: the energy is that of the homogeneous strain, inner forces vanish.
pub(crate) fn check_patch(_: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let sheet = Sheet::irregular(9);
    let mut material = Material::isotropic(0.2, 2000.0, 0.3, 5e-5);
    (material.stretch, material.shear) = ([2000.0, 900.0], Some(500.0));
    let stiffness = material.membrane_compliance().try_inverse();
    let stiffness = stiffness.ok_or_else(|| CheckError::Odd("the compliance is singular".into()))?;
    let blocks = sheet.blocks(model(material, MembraneModel::Strain, BendingModel::default()));
    let mut rows = Vec::new();
    for (name, map) in affine_maps() {
        let x: Vec<DVec3> = sheet.coords.iter().map(|u| map * u.extend(0.0)).collect();
        let (f, g) = (map.x_axis, map.y_axis);
        let strain = [0.5 * (f.dot(f) - 1.0), 0.5 * (g.dot(g) - 1.0), f.dot(g)];
        let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let exact: f64 = pairs.map(|(i, j)| 0.5 * strain[i] * stiffness[(i, j)] * strain[j]).sum();
        let found = energy(&blocks, &x);
        rows.push(Row::relative(format!("{name}: energy"), found.stretch, exact, ROUND_OFF).in_unit("J"));
        let bend = Row::at_most(format!("{name}: bending energy over it"), found.bend / exact, ROUND_OFF);
        let force = largest_inner_force(&sheet.topology, &blocks, &x);
        rows.extend([bend, Row::at_most(format!("{name}: force inside over at border"), force, ROUND_OFF)]);
    }
    Ok(rows)
}

/// A map in the plane, one with shear, and that one turned in three dimensions.
fn affine_maps() -> [(&'static str, DMat3); 3] {
    let plane = |a, b, c, d| DMat3::from_cols(DVec3::new(a, c, 0.0), DVec3::new(b, d, 0.0), DVec3::Z);
    let sheared = plane(1.01, 0.04, 0.02, 0.99);
    let turned = rotation_xyz(DVec3::new(25.0, -40.0, 110.0)) * sheared;
    [("stretched", plane(1.03, 0.0, 0.0, 0.98)), ("sheared", sheared), ("sheared and turned", turned)]
}

/// The largest force on a vertex that is not on the border, over the largest of all.
fn largest_inner_force(topology: &SurfaceTopology, blocks: &Blocks, x: &[DVec3]) -> f64 {
    let mut forces = vec![DVec3::ZERO; x.len()];
    blocks.add_gradient(x, &PlateState::new(&blocks.plate, Vec::new()), &mut forces);
    let mut on_border = vec![false; x.len()];
    for edge in topology.edges.iter().filter(|edge| edge.is_boundary()) {
        edge.vertices.iter().for_each(|vi| on_border[vi.0 as usize] = true);
    }
    let largest = |inner_only: bool| {
        let counted = forces.iter().zip(&on_border).filter(|(_, border)| !(inner_only && **border));
        counted.map(|(force, _)| force.length()).fold(0.0, f64::max)
    };
    largest(true) / largest(false)
}

/// A bent and stretched sheet before and after all faces are split in four. The membrane keeps its energy exactly; where its
/// constraints are not scaled by area, four faces have four times the energy of one. A hinge of angle θ over `|e|²/(A₁+A₂)`
/// becomes two of the same angle with half the length over a quarter of the area. Their energy is twice as large: the crease is
/// as sharp but its faces are half as wide. New edges inside old faces are flat.
pub(crate) fn check_refinement(_: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let sheet = Sheet::irregular(6);
    let bend = |u: &DVec2| DVec3::new(1.02 * u.x, (2.0 * u.y).sin() / 2.0, 0.1 * (3.0 * u.x + u.y).cos());
    let x: Vec<DVec3> = sheet.coords.iter().map(bend).collect();
    let (fine, fine_x) = sheet.refine(&x);
    let material = Material::isotropic(0.2, 2000.0, 0.3, 5e-5);
    let both = |membrane, scaling, bending| {
        let model = ClothModel { scaling, ..model(material.clone(), membrane, bending) };
        [energy(&sheet.blocks(model.clone()), &x), energy(&fine.blocks(model), &fine_x)]
    };
    let mut rows = Vec::new();
    for (name, membrane) in [
        ("Green strain", MembraneModel::Strain),
        ("edge lengths", MembraneModel::Edges),
        ("energy", MembraneModel::Energy),
        ("energy as published", MembraneModel::EnergyPublished),
    ] {
        for (how, scaling, ratio) in
            [("", MembraneScaling::ByArea, 1.0), (", not scaled", MembraneScaling::Fixed(0.002), 4.0)]
        {
            let [before, after] = both(membrane, scaling, BendingModel::None);
            let case = format!("{name}{how}: after over before");
            rows.push(Row::relative(case, after.stretch / before.stretch, ratio, ROUND_OFF));
        }
    }
    let [before, after] = both(MembraneModel::Strain, MembraneScaling::ByArea, BendingModel::Hinge);
    rows.push(Row::relative("hinge: after over before", after.bend / before.bend, 2.0, ROUND_OFF));
    Ok(rows)
}
