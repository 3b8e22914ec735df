use super::batches::{RowBatches, RowKernel, RowSet};
use super::kernels::{DistanceRows, LengthRows, StrainRows};
use super::*;
use crate::block::Block;
use crate::drivers::block::kernels::HingeLanes;
use crate::drivers::block::{BlockDriver, Substep};
use crate::material::Material;
use crate::model::{MembraneModel, StiffnessCorrection};
use crate::testing::{Sheet, disturb, stiff};
use glam::DVec2;
use taffeta_core::lanes::fill_rows;

const GRAVITY: f64 = 9.81;

fn rows_of(sheet: &Sheet) -> Vec<Row> {
    let mut rows = Vec::new();
    fill_rows(&mut rows, &sheet.state.positions, &sheet.state.inverse_masses);
    rows
}

fn pbd(sheet: &Sheet, stiffness: ProjectionStiffness) -> RowDriver {
    let cloths = [ProjectedCloth { model: &sheet.cloths[0], stiffness }];
    RowDriver::pbd(&sheet.topology, &sheet.rest, &cloths, &RopeBlocks::default(), &[])
}

fn rigid() -> ProjectionStiffness {
    ProjectionStiffness { stretch: 1.0, bend: 1.0, correction: StiffnessCorrection::Plain }
}

/// Every block as springs.
fn compliant<const R: usize, const V: usize, B: Block<R, V> + Clone>(blocks: &[B]) -> Vec<RowElement<B, R>> {
    blocks.iter().cloned().map(RowElement::compliant).collect()
}

/// Every block as projections.
fn projected<B: Clone>(blocks: &[B], stiffness: ProjectionStiffness, part: Part) -> Vec<RowElement<B, 1>> {
    blocks.iter().map(|block| RowElement::new(block.clone(), project(stiffness, part))).collect()
}

/// All sweeps of one substep.
fn substep(driver: &mut RowDriver, rows: &mut [Row], start: &[Row], (h, sweeps): (f64, u32)) {
    driver.begin_substep(start);
    for sweep in 0..sweeps {
        driver.sweep(rows, RowStep { h, sweep, sweeps });
    }
}

fn largest_distance(a: &[Row], b: &[Row]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.position().distance(b.position())).fold(0.0, f64::max)
}

/// Moves every vertex that is not held.
fn push(rows: &mut [Row], by: impl Fn(DVec3) -> DVec3) {
    for row in rows.iter_mut().filter(|row| row.inverse_mass > 0.0) {
        row.position = (row.position() + by(row.position())).to_array();
    }
}

/// Two distances between lanes and oracle, for rows of one kind after two sweeps of one substep. The first is the largest
/// distance of vertices. The second is that of the multipliers, relative to the largest.
fn distance_to_oracle<K, B, const R: usize, const V: usize>(
    elements: &[RowElement<B, R>],
    moved: &[Row],
    start: &[Row],
) -> [f64; 2]
where
    B: Block<R, V> + Clone,
    K: RowKernel<R, V, Block = B>,
{
    let ([mut by_lanes, mut by_oracle], h) = ([moved.to_vec(), moved.to_vec()], 0.01);
    let mut batches: RowBatches<K, R, V> = RowBatches::build(elements, moved.len());
    batches.begin_substep(start);
    (0..2).for_each(|sweep| batches.sweep(&mut by_lanes, &RowStep { h, sweep, sweeps: 2 }));
    let exact = oracle_tests::run_oracle(elements, &mut by_oracle, start, h, 2);
    let exact: Vec<f64> = (0..R).flat_map(|row| exact.iter().map(move |lambda| lambda[row])).collect();
    assert!(largest_distance(&by_lanes, moved) > 1e-5, "something moves");
    let scale = exact.iter().fold(0.0_f64, |largest, lambda| largest.max(lambda.abs()));
    let pairs = (0..R).flat_map(|row| batches.multipliers(row)).zip(exact);
    let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    [largest_distance(&by_lanes, &by_oracle), apart / scale]
}

#[test]
fn the_lanes_compute_what_the_scalar_rows_compute() {
    for damping in [0.0, 3e-3] {
        let blocks_of = |membrane| {
            let mut model = ClothModel { membrane, ..stiff() };
            (model.material.stretch, model.material.poisson) = ([60.0, 25.0], 0.25);
            (model.material.stretch_damping, model.material.bend_damping) = (damping, 2.0 * damping);
            Sheet::square(7, 0.5, model).pin(|u| u.y == 0.5).blocks()
        };
        let mut sheet = Sheet::square(7, 0.5, stiff()).pin(|u| u.y == 0.5);
        let start = rows_of(&sheet);
        disturb(&mut sheet.state.positions, 0.01);
        let moved = rows_of(&sheet);
        let [strain, edges] = [MembraneModel::Strain, MembraneModel::Edges].map(blocks_of);
        let springs = blocks_of(MembraneModel::Distance).distances;
        let cases = [
            distance_to_oracle::<DistanceRows, _, 1, 2>(&compliant(&springs), &moved, &start),
            distance_to_oracle::<StrainRows, _, 3, 3>(&compliant(&strain.strain), &moved, &start),
            distance_to_oracle::<LengthRows, _, 3, 3>(&compliant(&edges.lengths), &moved, &start),
            distance_to_oracle::<HingeLanes, _, 1, 4>(&compliant(&strain.hinges), &moved, &start),
        ];
        for (kind, [apart, of_lambda]) in cases.into_iter().enumerate() {
            assert!(apart < 1e-14 && of_lambda < 1e-12, "kind {kind}, {damping} s: {apart}, {of_lambda}");
        }
    }
}

#[test]
fn projections_in_lanes_are_those_of_the_scalar_rows() {
    let mut sheet = Sheet::square(7, 0.5, stiff()).pin(|u| u.y == 0.5);
    disturb(&mut sheet.state.positions, 0.01);
    let moved = rows_of(&sheet);
    for correction in [StiffnessCorrection::Plain, StiffnessCorrection::PerSubstep] {
        let stiffness = ProjectionStiffness { stretch: 0.7, bend: 0.2, correction };
        let cloths = [ProjectedCloth { model: &sheet.cloths[0], stiffness }];
        let blocks = projections(&sheet.topology, &sheet.rest, &cloths);
        let distances = projected(&blocks.distances, stiffness, Part::Stretch);
        let hinges = projected(&blocks.hinges, stiffness, Part::Bend);
        for [apart, of_lambda] in [
            distance_to_oracle::<DistanceRows, _, 1, 2>(&distances, &moved, &moved),
            distance_to_oracle::<HingeLanes, _, 1, 4>(&hinges, &moved, &moved),
        ] {
            assert!(apart < 1e-14 && of_lambda < 1e-12, "{correction:?}: {apart}, {of_lambda}");
        }
    }
}

#[test]
fn rigid_rows_without_compliance_are_the_projections_of_pbd() {
    let mut sheet = Sheet::square(6, 0.5, stiff()).pin(|u| u.y == 0.5);
    disturb(&mut sheet.state.positions, 0.004);
    let start = rows_of(&sheet);
    let mut projected = pbd(&sheet, rigid());
    let cloths = [ProjectedCloth { model: &sheet.cloths[0], stiffness: rigid() }];
    let blocks = projections(&sheet.topology, &sheet.rest, &cloths);
    let spring = RowLaw::Compliance { alpha: 0.0, damping: 0.0 };
    let mut compliant = RowDriver::pack(&sheet.topology, &blocks, |_| Some(spring));
    let run = |driver: &mut RowDriver| {
        let mut rows = start.clone();
        push(&mut rows, |x| DVec3::new(0.0, -0.01, 0.005 * x.x));
        substep(driver, &mut rows, &start, (0.01, 20));
        rows
    };
    let [a, b] = [run(&mut projected), run(&mut compliant)];
    assert!(largest_distance(&a, &start) > 1e-3);
    assert!(largest_distance(&a, &b) < 1e-15, "{}", largest_distance(&a, &b));
}

#[test]
fn sweeps_keep_linear_momentum() {
    let mut model = stiff();
    (model.material.stretch_damping, model.material.bend_damping) = (0.01, 0.02);
    let mut sheet = Sheet::square(6, 0.4, model);
    let start = rows_of(&sheet);
    disturb(&mut sheet.state.positions, 0.003);
    let moment = |rows: &[Row]| {
        rows.iter().zip(sheet.state.masses.iter()).map(|(r, m)| r.position() * *m).sum::<DVec3>()
    };
    let half = ProjectionStiffness { stretch: 0.5, bend: 0.3, ..rigid() };
    for mut driver in [RowDriver::xpbd(&sheet.topology, &sheet.blocks()), pbd(&sheet, half)] {
        let mut rows = rows_of(&sheet);
        let before = moment(&rows);
        substep(&mut driver, &mut rows, &start, (0.01, 5));
        assert!(largest_distance(&rows, &rows_of(&sheet)) > 1e-4);
        assert!((moment(&rows) - before).length() < 1e-14 * sheet.state.masses.iter().sum::<f64>());
    }
}

/// The distance between scalar rows and blocks after many sweeps of the same step, and the motion of the step, for forces
/// of a given scale.
fn distance_to_blocks(membrane: MembraneModel, scale: f64) -> [f64; 2] {
    let mut model = ClothModel { membrane, ..stiff() };
    (model.material.stretch, model.material.poisson) = ([40.0, 25.0], 0.25);
    let sheet = Sheet::square(5, 0.5, model).pin(|u| u.y == 0.5);
    let (h, sweeps) = (1.0 / 60.0, 3000);
    let start = rows_of(&sheet);
    let mut by_rows = start.clone();
    push(&mut by_rows, |x| DVec3::new(0.0, -0.003, 0.01 * x.x) * scale);
    let mut by_blocks = by_rows.clone();
    let mut block = BlockDriver::build(&sheet.topology, &sheet.blocks());
    (0..sweeps).for_each(|sweep| block.sweep(&mut by_blocks, Substep::forward(h, sweep)));
    let mut driver = RowDriver::xpbd(&sheet.topology, &sheet.blocks());
    substep(&mut driver, &mut by_rows, &start, (h, sweeps));
    [largest_distance(&by_rows, &by_blocks), largest_distance(&by_blocks, &start)]
}

/// Rows and blocks solve the same equations. Both add up displacements along the gradients of each moment, in another
/// order, so the distance is of the second order in the motion of the step.
#[test]
fn scalar_rows_converge_to_what_blocks_converge_to() {
    for membrane in [MembraneModel::Strain, MembraneModel::Edges] {
        let [[far, motion], [near, _]] = [1.0, 0.25].map(|scale| distance_to_blocks(membrane, scale));
        assert!(far < 0.02 * motion, "{membrane:?}: {far} of {motion}");
        assert!(near < far / 10.0, "{membrane:?}: {near} against {far}");
    }
}

/// A triangle that hangs by two corners: a warp of 1 m with its foot under the middle of the held edge.
fn hanging_triangle() -> Sheet {
    let mut material = Material::isotropic(0.2, 50.0, 0.0, 0.0);
    material.stretch = [50.0; 2];
    let model = ClothModel { material, ..stiff() };
    let coords = vec![DVec2::new(-0.5, 0.0), DVec2::new(0.0, -1.0), DVec2::new(0.5, 0.0)];
    let faces = vec![[0, 1, 2].map(taffeta_core::VertexIndex)];
    let topology = SurfaceTopology::from_faces(3, faces);
    let rest = RestShape::flat(&topology, &coords);
    let mut sheet = Sheet::square(1, 1.0, model);
    let masses = rest.lumped_masses(&topology, &sheet.cloths);
    sheet.state = crate::testing::DenseState {
        positions: coords.iter().map(|u| u.extend(0.0)).collect(),
        velocities: taffeta_core::IndexVec::filled(DVec3::ZERO, 3),
        inverse_masses: masses.iter().map(|m| 1.0 / m).collect(),
        held: taffeta_core::IndexVec::filled([false; 3], 3),
        masses,
    };
    (sheet.topology, sheet.rest, sheet.material_coords) = (topology, rest, coords);
    sheet.pin(|u| u.y == 0.0)
}

/// Lets a sheet come to rest in strongly damped steps; the rows at the end.
fn settle(sheet: &Sheet, driver: &mut RowDriver, (h, sweeps): (f64, u32), steps: u32) -> Vec<Row> {
    let mut rows = rows_of(sheet);
    let mut velocities = vec![DVec3::ZERO; rows.len()];
    let decay = taffeta_core::math::exp(-20.0 * h);
    for _ in 0..steps {
        let start = rows.clone();
        for (row, v) in rows.iter_mut().zip(&mut velocities).filter(|(row, _)| row.inverse_mass > 0.0) {
            *v = *v * decay - DVec3::Y * (GRAVITY * h);
            row.position = (row.position() + *v * h).to_array();
        }
        substep(driver, &mut rows, &start, (h, sweeps));
        for ((row, v), start) in rows.iter().zip(&mut velocities).zip(&start) {
            *v = (row.position() - start.position()) / h;
        }
    }
    rows
}

#[test]
fn the_row_that_carries_a_mass_has_its_weight() {
    let sheet = hanging_triangle();
    let weight = sheet.state.masses.raw[1] * GRAVITY;
    let mut driver = RowDriver::xpbd(&sheet.topology, &sheet.blocks());
    let h = 1.0 / 240.0;
    let rows = settle(&sheet, &mut driver, (h, 20), 1000);
    let forces = driver.forces(&rows, h);
    assert_eq!(forces.len(), 3, "three rows of one face");
    let on_mass = |force: &RowForce| force.forces[force.vertices.iter().position(|vi| vi.0 == 1).unwrap()];
    // Without Poisson's ratio the row of the warp carries all.
    assert!((on_mass(&forces[1]).y / weight - 1.0).abs() < 1e-3, "{} of {weight}", on_mass(&forces[1]));
    for other in [&forces[0], &forces[2]] {
        assert!(on_mass(other).length() < 1e-3 * weight, "{}", on_mass(other));
    }
    // And the held corners carry the mass.
    let total: DVec3 = forces.iter().flat_map(|force| &force.forces).sum();
    assert!(total.length() < 1e-12 * weight);
}

#[test]
fn two_edges_share_the_weight_of_a_mass() {
    let sheet = hanging_triangle();
    let weight = sheet.state.masses.raw[1] * GRAVITY;
    let mut driver = pbd(&sheet, rigid());
    let h = 1.0 / 240.0;
    let rows = settle(&sheet, &mut driver, (h, 400), 400);
    let on_mass = |force: &RowForce| {
        let place = force.vertices.iter().position(|vi| vi.0 == 1);
        place.map_or(DVec3::ZERO, |place| force.forces[place])
    };
    let forces: Vec<_> = driver.forces(&rows, h).iter().map(on_mass).collect();
    let total: DVec3 = forces.iter().sum();
    assert!((total - DVec3::Y * weight).length() < 1e-3 * weight, "{total} of {weight}");
    // Each along its edge: half of the weight upward, a quarter sideways.
    for force in forces.iter().filter(|force| **force != DVec3::ZERO) {
        assert!((force.y / weight - 0.5).abs() < 1e-3 && (force.x.abs() / weight - 0.25).abs() < 1e-3);
    }
}

#[test]
fn a_mass_hangs_from_two_springs_with_the_forces_of_statics() {
    let mut sheet = hanging_triangle();
    sheet.cloths[0].membrane = MembraneModel::Distance;
    let weight = sheet.state.masses.raw[1] * GRAVITY;
    let mut driver = RowDriver::xpbd(&sheet.topology, &sheet.blocks());
    let h = 1.0 / 240.0;
    let rows = settle(&sheet, &mut driver, (h, 100), 1000);
    // Each spring bears half of the weight along its direction, and has the length that its force gives it.
    let [left, mass] = [rows[0].position(), rows[1].position()];
    let expected = 0.5 * weight * left.distance(mass) / (left.y - mass.y);
    let forces = driver.edge_forces(h);
    let blocks = sheet.blocks().distances;
    assert_eq!(forces.len(), 3);
    for ((edge, force), block) in forces.into_iter().zip(blocks) {
        assert_eq!(edge, block.edge);
        let bears = block.vertices.iter().any(|vi| vi.0 == 1);
        assert!((force - if bears { expected } else { 0.0 }).abs() < 1e-3 * expected, "{force}");
        let extension = block.vertices.map(|vi| rows[vi.0 as usize].position());
        let extension = extension[0].distance(extension[1]) - block.length;
        assert!((extension - block.compliance * force).abs() < 1e-3 * expected * block.compliance);
    }
}

#[test]
fn what_is_switched_off_bears_nothing_and_the_rest_goes_on() {
    for damping in [0.0, 1e-3] {
        let mut model = ClothModel { membrane: MembraneModel::Distance, ..stiff() };
        model.material.stretch_damping = damping;
        let mut sheet = Sheet::square(4, 0.4, model);
        disturb(&mut sheet.state.positions, 0.01);
        let start = rows_of(&sheet);
        let mut off = IndexVec::filled(false, sheet.topology.edge_count());
        sheet.topology.edges.iter_indexed().step_by(3).for_each(|(ei, _)| off[ei] = true);
        let mut blocks = sheet.blocks();
        let mut driver = RowDriver::xpbd(&sheet.topology, &blocks);
        driver.switch_off(&off);
        let mut rows = start.clone();
        substep(&mut driver, &mut rows, &start, (0.01, 3));
        assert!(largest_distance(&rows, &start) > 1e-4);
        for (edge, force) in driver.edge_forces(0.01) {
            assert_eq!(force == 0.0, off[edge], "{edge:?}: {force}");
        }
        // With every row switched off nothing moves any more, and the energy has no other parts either.
        blocks.switch_off(&off);
        let all = IndexVec::filled(true, sheet.topology.edge_count());
        driver.switch_off(&all);
        let mut still = start.clone();
        substep(&mut driver, &mut still, &start, (0.01, 3));
        assert!(still == start);
        let plate = crate::plate::PlateState::new(&blocks.plate, Vec::new());
        let x = &sheet.state.positions;
        let energy = |blocks: &Blocks| blocks.energy(x, &plate);
        let (some, full) = (energy(&blocks), energy(&sheet.blocks()));
        assert!(some.stretch < full.stretch && some.bend < full.bend);
        blocks.switch_off(&all);
        assert_eq!((energy(&blocks).stretch, energy(&blocks).bend), (0.0, 0.0));
    }
}

/// Sag of the lower edge of a hung sheet \[m\].
fn drop_of(sheet: &Sheet, mut driver: RowDriver, sweeps: u32) -> f64 {
    let rows = settle(sheet, &mut driver, (1.0 / 60.0, sweeps), 90);
    let lower = sheet.material_coords.iter().zip(&rows).filter(|(u, _)| u.y == 0.0);
    let heights: Vec<f64> = lower.map(|(_, row)| row.position().y).collect();
    -heights.iter().sum::<f64>() / heights.len() as f64
}

#[test]
fn more_sweeps_stiffen_pbd_and_leave_xpbd_as_it_is() {
    let mut model = stiff();
    model.material.stretch = [100.0; 2];
    let sheet = Sheet::square(6, 1.0, model).pin(|u| u.y == 1.0);
    let soft = ProjectionStiffness { stretch: 0.1, bend: 0.1, correction: StiffnessCorrection::Plain };
    let sweeps = [20, 40, 80, 160];
    let projected = sweeps.map(|n| drop_of(&sheet, pbd(&sheet, soft), n));
    let springs = sweeps.map(|n| drop_of(&sheet, RowDriver::xpbd(&sheet.topology, &sheet.blocks()), n));
    println!("pbd {projected:?}\nxpbd {springs:?}");
    assert!(projected.windows(2).all(|pair| pair[1] < 0.7 * pair[0]), "{projected:?}");
    assert!(projected[3] < 0.25 * projected[0], "{projected:?}");
    assert!((springs[3] / springs[2] - 1.0).abs() < 0.03, "{springs:?}");
}

#[test]
fn the_corrected_stiffness_depends_less_on_the_sweeps() {
    let sheet = Sheet::square(6, 1.0, stiff()).pin(|u| u.y == 1.0);
    let growth = |correction| {
        let soft = ProjectionStiffness { stretch: 0.5, bend: 0.1, correction };
        let [few, many] = [5, 40].map(|n| drop_of(&sheet, pbd(&sheet, soft), n));
        few / many
    };
    let [plain, corrected] = [StiffnessCorrection::Plain, StiffnessCorrection::PerSubstep].map(growth);
    println!("plain {plain}, corrected {corrected}");
    assert!(plain > 3.0 * corrected, "{plain} against {corrected}");
}

#[test]
fn damping_takes_energy_and_the_undamped_row_does_not_know_the_start() {
    let speed = |damping: f64| {
        let mut model = stiff();
        model.material.stretch_damping = damping;
        let sheet = Sheet::square(3, 0.3, model);
        let start = rows_of(&sheet);
        let mut rows = start.clone();
        // Pulled out evenly: a motion that only stretches.
        push(&mut rows, |x| (x - DVec3::new(0.15, 0.15, 0.0)) * 0.01);
        let mut driver = RowDriver::xpbd(&sheet.topology, &sheet.blocks());
        substep(&mut driver, &mut rows, &start, (1e-3, 50));
        largest_distance(&rows, &start)
    };
    let [free, damped, more] = [0.0, 2e-3, 2e-2].map(speed);
    assert!(damped < 0.9 * free && more < 0.5 * damped, "{free}, {damped}, {more}");
}

#[test]
fn the_result_has_the_same_bits_for_any_number_of_threads() {
    let mut sheet = Sheet::square(90, 1.0, stiff()).pin(|u| u.y == 1.0);
    let start = rows_of(&sheet);
    disturb(&mut sheet.state.positions, 1e-4);
    let drivers = || [RowDriver::xpbd(&sheet.topology, &sheet.blocks()), pbd(&sheet, rigid())];
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            drivers().map(|mut driver| {
                assert!(driver.sweeps_in_parallel());
                let mut rows = rows_of(&sheet);
                substep(&mut driver, &mut rows, &start, (1e-3, 3));
                rows
            })
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}

#[test]
fn angles_continue_through_a_half_turn() {
    let sheet = Sheet::square(1, 1.0, stiff());
    let mut driver = RowDriver::xpbd(&sheet.topology, &sheet.blocks());
    // About the diagonal of the square, by a tenth of a radian at a time.
    let axis = DVec3::new(1.0, 1.0, 0.0).normalize();
    let mut last = 0.0;
    for k in 0..50 {
        let turn = glam::DQuat::from_axis_angle(axis, 0.1 * f64::from(k));
        let place = |u: &DVec2| if u.x > u.y { turn * u.extend(0.0) } else { u.extend(0.0) };
        let x: Vec<DVec3> = sheet.material_coords.iter().map(place).collect();
        let mut rows = Vec::new();
        fill_rows(&mut rows, &x, &sheet.state.inverse_masses);
        driver.sweep(&mut rows, RowStep { h: 1e-6, sweep: 0, sweeps: 1 });
        last = driver.angles(&x)[0].1;
    }
    assert!((last.abs() - 4.9).abs() < 1e-9, "{last}");
}
