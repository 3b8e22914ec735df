//! Products with the Hessian against the scalar blocks, and the grids' matrices against the Hessian.

use super::super::linear::hessian::{CHUNK, Hessian};
use super::super::objective::{Evaluation, NewtonProblem, System};
use super::super::precondition::levels::Levels;
use super::super::*;
use super::{contact, models};
use crate::block::{Block, Curvature, gather};
use crate::drivers::newton::objective::{elements, held};
use crate::model::{BendingModel, ClothModel};
use crate::plate::{Supports, angle_gradients};
use crate::testing::{Sheet, disturb, stiff};
use glam::DVec2;
use nalgebra::Vector3;
use taffeta_core::{ContactRow, EdgeIndex, VertexIndex};

const RATE: f64 = 100.0;

/// A bent and stretched sheet, held at its top, some of it along one axis only, with a system that was evaluated.
struct Case {
    sheet: Sheet,
    start: Vec<DVec3>,
    blocks: Blocks,
    normals: Vec<DVec3>,
    inertia: Vec<f64>,
    rows: Vec<ContactRow>,
    springs: Vec<FrictionSpring>,
    stiffnesses: [f64; 2],
    drags: Vec<Drag<3>>,
    system: System,
    z: Vec<f64>,
    hessian: Hessian,
}

impl Case {
    fn new(cells: u32, model: ClothModel, is_clamped: bool) -> Self {
        let mut sheet = Sheet::square(cells, 0.3, model).pin(|u| u.y == 0.3);
        sheet.state.held.raw[0] = [false, true, false];
        let start = sheet.state.positions.raw.clone();
        disturb(&mut sheet.state.positions, 0.1 / f64::from(cells));
        let is_bottom = |ei: &EdgeIndex| {
            let ends = sheet.topology.edges[*ei].vertices;
            ends.iter().all(|vi| sheet.material_coords[vi.0 as usize].y == 0.0)
        };
        let edges = (0..sheet.topology.edge_count() as u32).map(EdgeIndex);
        let clamps: Vec<_> = edges.filter(|ei| is_clamped && is_bottom(ei)).collect();
        let supports = Supports { inverse_masses: &sheet.state.inverse_masses, clamps: &clamps };
        let blocks = Blocks::build(&sheet.topology, &sheet.rest, &sheet.cloths, &supports);
        let system = System::build(&sheet.topology, &blocks, |_| 0.0);
        let [a, b, c] = sheet.topology.faces.raw[1];
        let rows = vec![contact([a, b, c, a], [0.5, 0.3, 0.2, 0.0]), contact([b; 4], [1.0, 0.0, 0.0, 0.0])];
        let hessian = Hessian::build(&sheet.topology, &system);
        let inertia = sheet.state.masses.iter().map(|m| m * 1e4).collect();
        let normals = vec![DVec3::new(0.6, 0.0, 0.8); clamps.len()];
        let z = vec![0.0; system.unknown_count()];
        let stiffnesses = [30.0; 2];
        let drag = |face: &[VertexIndex; 3]| Drag {
            vertices: face.map(|vi| vi.0),
            axis: DVec3::new(0.36, 0.48, 0.8),
            coefficient: 2e4 * f64::from(face[0].0).sin().abs(),
            target: start[face[1].0 as usize] - DVec3::Z * 0.01,
        };
        let drags = sheet.topology.faces.iter().map(drag).collect();
        let springs = Vec::new();
        let mut case = Self {
            sheet,
            start,
            blocks,
            normals,
            inertia,
            rows,
            springs,
            stiffnesses,
            drags,
            system,
            z,
            hessian,
        };
        case.update();
        case
    }

    fn problem(&self) -> NewtonProblem<'_> {
        NewtonProblem {
            inertia: &self.inertia,
            predicted: &self.start,
            held: &self.sheet.state.held,
            damping_rate: RATE,
            drag: Drags { faces: &self.drags, segments: &[] },
            contacts: Contacts {
                rows: &self.rows,
                springs: &self.springs,
                stiffnesses: &self.stiffnesses,
                ..Contacts::default()
            },
            clamps: &self.normals,
        }
    }

    fn update(&mut self) {
        let spring = |(row, stiffness): (&ContactRow, &f64)| {
            let origin = row.interpolate(|vi| self.start[vi.0 as usize]);
            FrictionSpring { origin, carried: DVec3::ZERO, stiffness: *stiffness, left: 1e-3 }
        };
        self.springs = self.rows.iter().zip(&self.stiffnesses).map(spring).collect();
        self.z.chunks_exact_mut(3).zip(&self.start).for_each(|(z, x)| z.copy_from_slice(&x.to_array()));
        let mut system = self.system.clone();
        let mut hessian = self.hessian.clone();
        system.begin_step(&self.z, &self.normals);
        let x = &self.sheet.state.positions;
        self.z.chunks_exact_mut(3).zip(x.iter()).for_each(|(z, x)| z.copy_from_slice(&x.to_array()));
        system.grip(&self.z, &self.problem(), &vec![0.0; self.z.len()], None);
        system.evaluate(&self.z, &self.problem(), Curvature::Clamped, &mut Evaluation::default());
        hessian.update(&system, &self.problem());
        (self.system, self.hessian) = (system, hessian);
    }

    /// A vector that is zero at held components and where there is no scalar.
    fn direction(&self, frequency: f64) -> Vec<f64> {
        let mut p: Vec<f64> = (0..self.z.len()).map(|i| (frequency * i as f64).sin()).collect();
        let (x, scalars) = p.split_at_mut(self.system.coordinate_count());
        held::mask(&self.sheet.state.held, x);
        for (e, scalar) in scalars.iter_mut().enumerate() {
            let has_scalar = self.blocks.plate.edges.get(e).is_some_and(|edge| edge.has_scalar);
            *scalar = if has_scalar { *scalar } else { 0.0 };
        }
        p
    }

    fn product(&self, p: &[f64]) -> Vec<f64> {
        let (mut out, mut work) = (vec![0.0; p.len()], self.hessian.new_work(&self.system));
        self.hessian.product(&self.system, &self.z, p, &self.problem(), &mut out, &mut work);
        out
    }

    /// The product, block by block from the definitions.
    fn oracle(&self, p: &[f64]) -> Vec<f64> {
        let count = self.start.len();
        let moved: Vec<DVec3> = p[..3 * count].chunks_exact(3).map(DVec3::from_slice).collect();
        let mut out: Vec<DVec3> = moved.iter().zip(&self.inertia).map(|(p, m)| *p * *m).collect();
        let x = (self.sheet.state.positions.raw.as_slice(), self.start.as_slice());
        self.blocks.strain.iter().for_each(|block| add_block(block, x, &moved, &mut out));
        self.blocks.lengths.iter().for_each(|block| add_block(block, x, &moved, &mut out));
        self.blocks.quadratic.iter().for_each(|block| add_block(block, x, &moved, &mut out));
        let plate = &self.blocks.plate;
        let mut by_scalar = vec![0.0; p.len() - 3 * count];
        let gradients: Vec<_> = plate.edges.iter().map(|edge| angle_gradients(edge, x.0)).collect();
        let turned = |e: usize| {
            let edge = &plate.edges[e];
            edge.vertices.iter().zip(gradients[e]).map(|(v, g)| g.dot(moved[v.0 as usize])).sum::<f64>()
        };
        for face in &plate.faces {
            let scalar = |e: u32| p.get(3 * count + e as usize).copied().unwrap_or(0.0);
            let eta = |k: usize| {
                let e = face.edges[k]?;
                Some(plate.edges[e as usize].share * turned(e as usize) + face.signs[k] * scalar(e))
            };
            let eta = Vector3::from_fn(|k, _| eta(k).unwrap_or(0.0));
            let moments = face.stiffness * eta * (1.0 + face.damping * RATE);
            for k in 0..3 {
                let Some(e) = face.edges[k].map(|e| e as usize) else { continue };
                for (v, g) in plate.edges[e].vertices.iter().zip(gradients[e]) {
                    out[v.0 as usize] += g * (plate.edges[e].share * moments[k]);
                }
                if plate.edges[e].has_scalar {
                    by_scalar[e] += face.signs[k] * moments[k];
                }
            }
        }
        let mut flat: Vec<f64> = out.iter().flat_map(|v| v.to_array()).collect();
        for (row, touch) in self.problem().contacts.closed(&self.system.touches) {
            let force = touch.hessian * row.interpolate(|vi| moved[vi.0 as usize]);
            for (vi, s) in row.vertices.iter().zip(row.weights) {
                elements::add(&mut flat, vi.0, force * s);
            }
        }
        for drag in &self.drags {
            let mean = |x: &[DVec3]| drag.vertices.iter().map(|v| x[*v as usize]).sum::<DVec3>() / 3.0;
            let depth = drag.axis.dot(mean(&self.sheet.state.positions.raw) - drag.target).abs();
            let third = drag.axis * (2.0 * drag.coefficient * depth * drag.axis.dot(mean(&moved)) / 3.0);
            drag.vertices.iter().for_each(|v| elements::add(&mut flat, *v, third));
        }
        held::mask(&self.sheet.state.held, &mut flat);
        flat.extend(by_scalar);
        flat
    }
}

/// Adds `(1+τ/h) Jᵀ α⁻¹ J p` and what the stress adds.
fn add_block<const R: usize, const V: usize>(
    block: &impl Block<R, V>,
    (x, start): (&[DVec3], &[DVec3]),
    p: &[DVec3],
    out: &mut [DVec3],
) {
    let vertices = block.vertices();
    let (p, x, start) = (gather(vertices, p), gather(vertices, x), gather(vertices, start));
    let (j, ratio) = (block.jacobian(&x), block.damping() * RATE);
    let change = block.constraint(&x) - block.constraint(&start);
    let stress = block.stiffness() * (block.constraint(&x) + change * ratio);
    let strain = nalgebra::SVector::<f64, R>::from_fn(|r, _| (0..V).map(|a| j[r][a].dot(p[a])).sum());
    let force = block.stiffness() * strain * (1.0 + ratio);
    let geometric = block.geometric_stiffness(&x, &stress, Curvature::Clamped);
    for a in 0..V {
        out[vertices[a].0 as usize] += (0..R).map(|r| j[r][a] * force[r]).sum::<DVec3>();
        if let Some(geometric) = geometric {
            out[vertices[a].0 as usize] += (0..V).map(|b| geometric[a][b] * p[b]).sum::<DVec3>();
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |size, value| value.abs().max(size))
}

#[test]
fn product_is_that_of_the_scalar_blocks() {
    for model in models() {
        for is_clamped in [false, true] {
            expect_product(&Case::new(5, model.clone(), is_clamped), &model);
        }
    }
}

/// Without damping in it the preconditioner of damped cloth took three times as many iterations of conjugate gradients.
#[test]
fn the_inverse_diagonal_of_the_scalars_is_that_of_the_product() {
    for model in models() {
        let case = Case::new(5, model, false);
        let (mut inverses, first) = (Vec::new(), case.system.coordinate_count());
        case.system.bending.invert_scalar_diagonal(RATE, &mut inverses);
        for (e, inverse) in inverses.iter().enumerate().filter(|(_, inverse)| **inverse != 0.0) {
            let mut unit = vec![0.0; case.z.len()];
            unit[first + e] = 1.0;
            let diagonal = case.product(&unit)[first + e];
            assert!((inverse * diagonal - 1.0).abs() < 1e-6, "edge {e}: {}", inverse * diagonal);
        }
    }
}

#[test]
fn faces_of_several_chunks_add_up_along_their_common_edges() {
    for bending in [BendingModel::Curvature, BendingModel::Hinge] {
        let model = ClothModel { bending, ..stiff() };
        let case = Case::new(66, model.clone(), false);
        assert!(case.sheet.topology.face_count() > CHUNK);
        expect_product(&case, &model);
    }
}

#[track_caller]
fn expect_product(case: &Case, model: &ClothModel) {
    let p = case.direction(1.3);
    let (product, expected) = (case.product(&p), case.oracle(&p));
    // The gradients of factors are rounded to single precision.
    let tolerance = if case.hessian.bending_factors().is_some() { 1e-6 } else { 1e-12 };
    let scale = size(&expected);
    for (i, (value, expected)) in product.iter().zip(&expected).enumerate() {
        assert!((value - expected).abs() < tolerance * scale, "{model:?}: {i}: {value} {expected}");
    }
}

/// Two cloths may bend by different models: here one sheet does by both at once.
#[test]
fn bending_in_blocks_stands_beside_bending_in_factors() {
    let mut case = Case::new(5, ClothModel { bending: BendingModel::Curvature, ..stiff() }, false);
    case.blocks.quadratic =
        Case::new(5, ClothModel { bending: BendingModel::Quadratic, ..stiff() }, false).blocks.quadratic;
    case.system = System::build(&case.sheet.topology, &case.blocks, |_| 0.0);
    case.hessian = Hessian::build(&case.sheet.topology, &case.system);
    case.update();
    let p = case.direction(1.3);
    let (product, expected) = (case.product(&p), case.oracle(&p));
    for (i, (value, expected)) in product.iter().zip(&expected).enumerate() {
        assert!((value - expected).abs() < 1e-6 * size(&product), "{i}: {value} {expected}");
    }
}

#[test]
fn product_is_symmetric_and_positive() {
    for model in models() {
        let case = Case::new(6, model, false);
        let (p, q) = (case.direction(1.3), case.direction(0.7));
        let (by_p, by_q) = (case.product(&p), case.product(&q));
        let scale = dot(&p, &by_p).max(dot(&q, &by_q));
        assert!((dot(&q, &by_p) - dot(&p, &by_q)).abs() < 1e-13 * scale);
        assert!(dot(&p, &by_p) > 0.0);
    }
}

#[test]
fn translations_meet_inertia_only() {
    for bending in [BendingModel::Hinge, BendingModel::Curvature] {
        let mut case = Case::new(6, ClothModel { bending, ..stiff() }, false);
        case.sheet.state.held.raw.fill([false; 3]);
        case.rows.clear();
        case.drags.clear();
        case.update();
        let mut p = vec![0.0; case.z.len()];
        p[..case.system.coordinate_count()]
            .chunks_exact_mut(3)
            .for_each(|p| p.copy_from_slice(&[1.0, -2.0, 0.5]));
        let product = case.product(&p);
        let largest = case.hessian.rows().diagonal().as_flattened().iter().fold(0.0, |a: f64, b| a.max(*b));
        for (i, value) in product.iter().enumerate() {
            let expected = case.inertia.get(i / 3).map_or(0.0, |inertia| inertia * p[i]);
            assert!((value - expected).abs() < 1e-14 * largest, "{i}: {value} {expected}");
        }
    }
}

#[test]
fn products_have_the_same_bits_for_any_number_of_threads() {
    for bending in [BendingModel::Hinge, BendingModel::Curvature] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let case = Case::new(60, ClothModel { bending, ..stiff() }, false);
                case.product(&case.direction(1.3))
            })
        };
        let reference = run(1);
        assert!([2, 3].into_iter().all(|threads| run(threads) == reference));
    }
}

/// The energy of a function of the grid is that of its interpolation to the mesh, on every level.
#[test]
fn matrices_of_the_grids_are_galerkin_matrices() {
    let mut case = Case::new(60, stiff(), false);
    let [a, b, c] = case.sheet.topology.faces.raw[4000];
    case.rows[0].vertices = [a, b, c, a];
    case.update();
    let points: Vec<DVec3> = case.sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    let mut levels =
        Levels::build(&case.sheet.topology, Charts { points: &points, charts: &[] }, &[], &[], None);
    levels.update(&case.hessian, &case.problem());
    assert!(levels.count() > 1);
    for level in 0..levels.count() {
        let (p, energy) = levels.sample(level, |i| (0.9 * i as f64).sin());
        let mut p = p;
        held::mask(&case.sheet.state.held, &mut p);
        let expected = dot(&p, &case.product(&p));
        assert!((energy / expected - 1.0).abs() < 1e-6, "{level}: {energy} {expected}");
    }
}

/// The grids bound the energy of a contact between parts far apart on the sheet: no less than it is, nor much more.
#[test]
fn grids_bound_contacts_between_distant_parts() {
    let mut case = Case::new(60, stiff(), false);
    let [a, b, c] = case.sheet.topology.faces.raw[4000];
    let far = case.sheet.topology.faces.raw[600][0];
    case.rows = vec![contact([a, b, c, far], [0.5, 0.3, 0.2, -1.0])];
    case.rows[0].offset = 1.0;
    case.stiffnesses = [3e7; 2];
    let points: Vec<DVec3> = case.sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    let mut levels =
        Levels::build(&case.sheet.topology, Charts { points: &points, charts: &[] }, &[], &[], None);
    let mut energies = |case: &mut Case, frequency: f64| {
        case.update();
        levels.update(&case.hessian, &case.problem());
        let (mut p, energy) = levels.sample(0, |i| (frequency * i as f64).sin());
        held::mask(&case.sheet.state.held, &mut p);
        (energy, dot(&p, &case.product(&p)))
    };
    for frequency in [0.9, 0.1, 2.3] {
        let (energy, exact) = energies(&mut case, frequency);
        // Without the coupling: each side by itself.
        let (weights, mut alone) = (case.rows[0].weights, 0.0);
        for kept in [[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.0, -1.0]] {
            case.rows[0].weights = kept;
            alone += energies(&mut case, frequency).1;
        }
        case.rows[0].weights = [0.0; 4];
        let nothing = energies(&mut case, frequency).1;
        case.rows[0].weights = weights;
        let (of_contact, of_sides) = (exact - nothing, alone - 2.0 * nothing);
        assert!(of_contact > 1e-3 * exact, "{of_contact} of {exact}: the contact must be felt");
        assert!(energy >= exact * (1.0 - 1e-6), "{energy} {exact}");
        assert!(energy - nothing < 4.0 * of_sides, "{energy} {nothing} {of_sides}");
    }
}

/// The grids of a sheet with two overlapping charts are coupled fully, without bounds, where threads join distant
/// parts.
#[test]
fn grids_of_panels_couple_at_seams_and_along_threads() {
    let mut case = Case::new(60, stiff(), false);
    let [a, b, c] = case.sheet.topology.faces.raw[4000];
    case.rows[0].vertices = [a, b, c, a];
    let sewn: Vec<[u32; 2]> = (0..20).map(|k| [61 * (10 + k) + 1, 61 * (12 + k) + 3 * k]).collect();
    let thread = |pair: &[u32; 2]| Stitch {
        vertices: pair.map(VertexIndex),
        gap: DVec3::X * 1e-3,
        stiffness: 2000.0,
        reach: 1.0,
    };
    case.blocks.stitches = sewn.iter().map(thread).collect();
    case.system = System::build(&case.sheet.topology, &case.blocks, |_| 0.0);
    case.hessian = Hessian::build(&case.sheet.topology, &case.system);
    case.update();
    // The right part lies on its chart where the left one does, turned by a quarter.
    let is_right = |u: &DVec2| u.x > 0.18;
    let coords = &case.sheet.material_coords;
    let place = |u: &DVec2| if is_right(u) { DVec3::new(u.y, 0.3 - u.x, 0.0) } else { u.extend(0.0) };
    let points: Vec<DVec3> = coords.iter().map(place).collect();
    let charts: Vec<u32> = coords.iter().map(|u| u32::from(is_right(u))).collect();
    let couplings = case.hessian.couplings(&case.system);
    let charts = Charts { points: &points, charts: &charts };
    let build =
        |before: Option<&KeptGrids>| Levels::build(&case.sheet.topology, charts, &couplings, &sewn, before);
    let mut levels = build(None);
    levels.update(&case.hessian, &case.problem());
    assert!(levels.count() > 1);
    for level in 0..levels.count() {
        let (mut p, energy) = levels.sample(level, |i| (0.9 * i as f64).sin());
        held::mask(&case.sheet.state.held, &mut p);
        let expected = dot(&p, &case.product(&p));
        assert!((energy / expected - 1.0).abs() < 1e-6, "{level}: {energy} {expected}");
    }
    assert!(build(Some(&levels.kept())).shares_shape(&levels), "what does not depend on the mesh is kept");
}
