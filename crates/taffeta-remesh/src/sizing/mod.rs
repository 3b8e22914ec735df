//! The sizing field: how fine the mesh has to be, and where.
//!
//! Each [term](SizingTerm) gives a metric per face; the face takes the smallest one that [dominates](dominate) them, the
//! vertices the area-weighted mean of their faces. Then: relaxation in time, limits, [gradation](crate::metric::gradation). Terms
//! and their scaling follow R. Narain, A. Samii, J. F. O'Brien, Adaptive anisotropic remeshing for cloth simulation
//! (2012), §4. Of a cloth that is to be remeshed isotropically all metrics are, from the terms on.
//!
//! For a rest shape in space the curvature counts by its difference from that at rest. The creases of the input are part of the
//! shape, and no refinement makes them smoother.

pub(crate) mod budget;
pub(crate) mod pass;
pub(crate) mod runs;
pub mod settings;
pub(crate) mod surroundings;
mod terms;
pub(crate) mod view;
pub(crate) mod working;

use crate::metric::enclose::dominate;
use crate::metric::gradation::{GRADATION, GRADATION_SWEEPS, SizeLimit, grade_metrics, grade_sizes};
use crate::metric::{Metric, bound_aspect, clamp_sizes, isotropic_bound, isotropic_size, metric_of_size};
use crate::sizing::pass::Pass;
use crate::sizing::settings::RemeshSettings;
use crate::sizing::surroundings::{Plane, Surroundings};
use crate::sizing::view::View;
use crate::sizing::working::{EdgeRow, FaceRow, PER_TASK, RestKind, Working};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use taffeta_core::geometry::{doubled_area, green_strain};
use taffeta_core::math::{self, Sym2};
use taffeta_core::tasks::{map, map_numbers};
use terms::{FaceFields, NearPlane, SizingTerm};

/// A wanted size may grow by e^(t/2τ) in a time t \[s\]: refinement follows at once, coarsening waits until a wrinkle is
/// gone for good. Shorter: vertices come and go with every oscillation.
pub const RELAXATION_TIME: f64 = 0.2;

/// Largest ratio of the lengths that are wanted in two directions. Longer triangles save little more and make systems
/// that are slow to solve.
const ASPECT_MAX: f64 = 6.0;

/// Rest and current shape of a face.
#[derive(Clone, Copy)]
struct FaceShape {
    /// Material area \[m²\].
    area: f64,
    /// Rest gradients of the hat functions of corners 1 and 2 \[1/m\].
    gradients: [DVec2; 2],
    /// Unit normal in world space.
    normal: DVec3,
    /// Twice the world area \[m²\].
    doubled_world_area: f64,
    /// Green strain.
    green: Sym2,
    /// Its Frobenius norm.
    strain: f64,
}

impl FaceShape {
    fn of(material: [DVec2; 3], positions: [DVec3; 3]) -> Self {
        let doubled = doubled_area(material);
        let (e1, e2) = (material[1] - material[0], material[2] - material[0]);
        let gradients = [DVec2::new(e2.y, -e2.x) / doubled, DVec2::new(-e1.y, e1.x) / doubled];
        let green = green_strain(gradient_of(positions, gradients));
        let Sym2 { xx, xy, yy } = green;
        let area_vector = (positions[1] - positions[0]).cross(positions[2] - positions[0]);
        let doubled_world_area = area_vector.length();
        let normal = if doubled_world_area > 0.0 { area_vector / doubled_world_area } else { DVec3::ZERO };
        Self {
            area: 0.5 * doubled,
            gradients,
            normal,
            doubled_world_area,
            green,
            strain: (xx * xx + 2.0 * xy * xy + yy * yy).sqrt(),
        }
    }
}

/// The two material derivatives of a field that is linear in a face, from its values at the corners.
fn gradient_of(values: [DVec3; 3], gradients: [DVec2; 2]) -> [DVec3; 2] {
    let (d1, d2) = (values[1] - values[0], values[2] - values[0]);
    [d1 * gradients[0].x + d2 * gradients[1].x, d1 * gradients[0].y + d2 * gradients[1].y]
}

/// Size terms of hinge angles under one error, beside those of the normals. On a resolved bend both give the same size, up to
/// the shape of the triangles. A sharp crease has twice the curvature by its hinge, as if it filled both faces each, and the
/// normals miss folds from edge to edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hinges {
    /// In full: before a simulation begins, when a coarse mesh shows in its hinges first what is to come.
    InFull,
    /// By half: a crease stands for a bend that fills both of its faces together.
    ByHalf,
}

impl Hinges {
    fn part(self) -> f64 {
        match self {
            Self::InFull => 1.0,
            Self::ByHalf => 0.5,
        }
    }
}

/// Computes the metric of every vertex from the current shape and the metrics of the last pass.
pub(crate) fn update_metrics(working: &mut Working, pass: &Pass, hinges: Hinges) {
    let Pass { surroundings, elapsed, view, .. } = *pass;
    let settings_of = |cloth: u32| pass.settings_of(cloth);
    let mut metrics = compute_metrics(working, settings_of, surroundings, elapsed, hinges);
    if let Some(view) = view {
        coarsen_unseen(working, settings_of, view, &mut metrics);
    }
    let memory = math::exp(-elapsed / RELAXATION_TIME);
    let mut sizes = vec![0.0; working.cloths.len()];
    for (slot, cloth) in working.cloths.iter().enumerate() {
        let Some(cloth) = *cloth else { continue };
        let RemeshSettings { size_min, size_max, .. } = *settings_of(cloth);
        let remembered = Sym2::default().plus(memory, &working.metrics[slot]);
        if is_anisotropic(working, settings_of(cloth), cloth) {
            let wanted = dominate([metrics[slot], remembered, working.asked[slot]]);
            working.metrics[slot] = bound_aspect(&clamp_sizes(&wanted, [size_min, size_max]), ASPECT_MAX);
        } else {
            let others = [remembered, working.asked[slot]].map(|metric| isotropic_bound(&metric));
            let wanted = dominate([metrics[slot], others[0], others[1]]);
            sizes[slot] = isotropic_size(&wanted).clamp(size_min, size_max);
        }
    }
    let has_tensor = |slot: usize| {
        working.cloths[slot].is_some_and(|cloth| is_anisotropic(working, settings_of(cloth), cloth))
    };
    let (tensors, lengths): (Vec<_>, Vec<_>) =
        size_limits(working).into_iter().partition(|limit| has_tensor(limit.ends[0]));
    grade_sizes(&lengths, &mut sizes, GRADATION, GRADATION_SWEEPS);
    grade_metrics(&tensors, &mut working.metrics, GRADATION, GRADATION_SWEEPS);
    for (slot, cloth) in working.cloths.iter().enumerate() {
        let Some(cloth) = *cloth else { continue };
        let settings = settings_of(cloth);
        working.metrics[slot] = if is_anisotropic(working, settings, cloth) {
            // An intersection has shorter axes than either metric where their directions differ.
            clamp_sizes(&working.metrics[slot], [settings.size_min, settings.size_max])
        } else {
            metric_of_size(sizes[slot])
        };
    }
}

/// Makes the wanted sizes larger where a camera does not see the cloth, or from afar.
fn coarsen_unseen<'a>(
    working: &Working,
    settings_of: impl Fn(u32) -> &'a RemeshSettings,
    view: &View,
    metrics: &mut [Metric],
) {
    for (slot, cloth) in working.cloths.iter().enumerate() {
        let most = cloth.and_then(|cloth| settings_of(cloth).coarsen_unseen);
        if let Some(most) = most {
            let factor = view.coarsening(working.positions[slot], most);
            metrics[slot] = Sym2::default().plus(1.0 / (factor * factor), &metrics[slot]);
        }
    }
}

/// Returns whether the metrics of a cloth are tensors: only in one chart do those of neighbors share their
/// directions.
fn is_anisotropic(working: &Working, settings: &RemeshSettings, cloth: u32) -> bool {
    settings.anisotropic && working.kinds[cloth as usize] == RestKind::Flat
}

/// The metric of every vertex by slot, from the current shape alone.
fn compute_metrics<'a>(
    working: &Working,
    settings_of: impl Fn(u32) -> &'a RemeshSettings + Sync,
    surroundings: Option<&dyn Surroundings>,
    elapsed: f64,
    hinges: Hinges,
) -> Vec<Metric> {
    let at = |corners: [u32; 3]| corners.map(|slot| slot as usize);
    let shapes = compute_shapes(working, &working.positions);
    let operators = compute_shape_operators(working, &working.positions, &shapes);
    let coming = compute_coming_curvatures(working, &settings_of, elapsed);
    let (normals, strains) = recover_at_vertices(working, &shapes);
    let planes = find_planes(working, &settings_of, surroundings);
    let rest_normals = recover_rest_normals(working);
    let of_face = |face: usize| {
        let (row, shape) = (&working.faces[face], &shapes[face]);
        let corners = at(row.corners);
        let [s0, s1, s2] = corners.map(|slot| strains[slot]);
        let fields = FaceFields {
            shape: operators[face],
            hinge_part: hinges.part(),
            coming_shape: coming.get(face).copied().unwrap_or_default(),
            normal_gradient: match working.kinds[row.cloth as usize] {
                RestKind::Flat | RestKind::Panels => {
                    gradient_of(corners.map(|slot| normals[slot]), shape.gradients)
                }
                RestKind::Space => bend_from_rest(working, row, shape, [&normals, &rest_normals]),
            },
            strain_gradient: (s1 - s0) * shape.gradients[0] + (s2 - s0) * shape.gradients[1],
            green: shape.green,
            plastic_curvature: row.plastic_curvature,
            velocity_gradient: gradient_of(corners.map(|slot| working.velocities[slot]), shape.gradients),
            position_gradient: gradient_of(corners.map(|slot| working.positions[slot]), shape.gradients),
            planes: corners.map(|slot| planes.get(slot).copied().flatten()),
        };
        let settings = settings_of(row.cloth);
        combine_terms(&fields, settings, is_anisotropic(working, settings, row.cloth))
    };
    let metrics = map_numbers(working.faces.len(), PER_TASK, of_face);
    let mut sums = vec![(0.0, Sym2::default()); working.cloths.len()];
    for ((row, shape), metric) in working.faces.iter().zip(&shapes).zip(&metrics) {
        for slot in at(row.corners) {
            let (area, sum) = &mut sums[slot];
            *area += shape.area;
            *sum = sum.plus(shape.area, metric);
        }
    }
    let mut metrics: Vec<Metric> = sums
        .into_iter()
        .map(|(area, sum)| if area > 0.0 { Sym2::default().plus(1.0 / area, &sum) } else { sum })
        .collect();
    continue_to_outline(working, &mut metrics);
    metrics
}

/// The metric of a face: the smallest one that dominates those of all terms.
fn combine_terms(fields: &FaceFields, settings: &RemeshSettings, is_anisotropic: bool) -> Metric {
    let bound = |term: SizingTerm| {
        let metric = term.metric(fields, settings);
        if is_anisotropic { metric } else { isotropic_bound(&metric) }
    };
    let metric = dominate(SizingTerm::ALL.map(bound));
    // Asked only where there are folds: what stays flat is not touched by them.
    match fields.plastic_curvature == Sym2::default() {
        true => metric,
        false => dominate([metric, bound(SizingTerm::PlasticCurvature)]),
    }
}

fn compute_shapes(working: &Working, positions: &[DVec3]) -> Vec<FaceShape> {
    let of = |row: &FaceRow| FaceShape::of(row.material, row.corners.map(|slot| positions[slot as usize]));
    map(&working.faces, PER_TASK, of)
}

/// The curvature after `elapsed` seconds if the velocities stay, from the normals: hinges would take what rings from edge to
/// edge for folds. Nothing if no cloth has one error for all terms.
fn compute_coming_curvatures<'a>(
    working: &Working,
    settings_of: impl Fn(u32) -> &'a RemeshSettings,
    elapsed: f64,
) -> Vec<Sym2> {
    let looks_ahead =
        |cloth: &Option<u32>| cloth.is_some_and(|cloth| settings_of(cloth).refine_error.is_some());
    if !working.cloths.iter().any(looks_ahead) {
        return Vec::new();
    }
    let positions: Vec<DVec3> =
        working.positions.iter().zip(&working.velocities).map(|(x, v)| x + elapsed * v).collect();
    let shapes = compute_shapes(working, &positions);
    let (normals, _) = recover_at_vertices(working, &shapes);
    let of_face = |face: usize| {
        let corners = working.faces[face].corners.map(|slot| normals[slot as usize]);
        terms::root(&terms::gram(gradient_of(corners, shapes[face].gradients)))
    };
    map_numbers(working.faces.len(), PER_TASK, of_face)
}

/// The obstacles near the vertices, by slot; nothing if nobody asks for them. Beyond `size_max` they ask for nothing.
fn find_planes<'a>(
    working: &Working,
    settings_of: impl Fn(u32) -> &'a RemeshSettings + Sync,
    surroundings: Option<&dyn Surroundings>,
) -> Vec<Option<NearPlane>> {
    let Some(surroundings) = surroundings else { return Vec::new() };
    let find = |slot: usize| {
        let settings = settings_of(working.cloths[slot]?);
        let reach = settings.refine_obstacle? * settings.size_max;
        let point = working.positions[slot];
        let plane: Plane = surroundings.nearest(point, reach)?;
        Some(NearPlane { normal: plane.normal, distance: plane.height(point) })
    };
    map_numbers(working.cloths.len(), PER_TASK, find)
}

/// Lets the vertices of the outline take over what their inner neighbors want. Normals and hinges see only half of the
/// curvature at a free edge, where a cloth curls.
fn continue_to_outline(working: &Working, metrics: &mut [Metric]) {
    let mut on_outline = vec![false; metrics.len()];
    for edge in working.edges.iter().filter(|edge| edge.faces.contains(&None)) {
        for slot in edge.ends {
            on_outline[slot as usize] = true;
        }
    }
    for edge in &working.edges {
        let [a, b] = edge.ends.map(|slot| slot as usize);
        let (outer, inner) = if on_outline[a] { (a, b) } else { (b, a) };
        if on_outline[outer] && !on_outline[inner] {
            metrics[outer] = dominate([metrics[outer], metrics[inner]]);
        }
    }
}

/// The shape operator of each face, `S = −(1/2A) Σ_e θ_e |e| t tᵀ` with `t` the unit normal of the edge in material
/// space (E. Grinspun, Y. Gingold, J. Reisman, D. Zorin, Computing discrete shape operators, 2006, eq. 4). Its sign
/// does not matter here.
fn compute_shape_operators(working: &Working, positions: &[DVec3], shapes: &[FaceShape]) -> Vec<Sym2> {
    // The angles are most of the work; the sums are made in the order of the edges.
    let angle_of = |edge: &EdgeRow| {
        let [Some(first), Some(second)] = edge.faces.map(|row| row.map(|row| row as usize)) else {
            return 0.0;
        };
        let [tail, tip] = edge.ends.map(|slot| slot as usize);
        let direction = (positions[tip] - positions[tail]).normalize_or_zero();
        let (n0, n1) = (shapes[first].normal, shapes[second].normal);
        // Rest angles have the opposite sign; the sum is 0 at rest, within half a turn.
        let bend = math::atan2(n0.cross(n1).dot(direction), n0.dot(n1)) + edge.rest_angle;
        bend - TAU * (bend / TAU).round_ties_even()
    };
    let angles = map(&working.edges, PER_TASK, angle_of);
    let mut operators = vec![Sym2::default(); shapes.len()];
    for (edge, angle) in working.edges.iter().zip(angles) {
        let [Some(first), Some(second)] = edge.faces.map(|row| row.map(|row| row as usize)) else { continue };
        for row in [first, second] {
            // Each face in its own chart: beyond a seam the edge has other coordinates.
            let u = working.faces[row].span(edge.ends);
            let tensor = Sym2 { xx: u.y * u.y, xy: -u.x * u.y, yy: u.x * u.x };
            operators[row] = operators[row].plus(0.5 * angle / u.length(), &tensor);
        }
    }
    for (operator, shape) in operators.iter_mut().zip(shapes) {
        *operator = Sym2::default().plus(1.0 / shape.area, operator);
    }
    operators
}

/// Unit normals, weighted by world area, and norms of the strain, weighted by material area, at the vertices by slot.
fn recover_at_vertices(working: &Working, shapes: &[FaceShape]) -> (Vec<DVec3>, Vec<f64>) {
    let mut normals = vec![DVec3::ZERO; working.cloths.len()];
    let mut strains = vec![(0.0, 0.0); working.cloths.len()];
    for (row, shape) in working.faces.iter().zip(shapes) {
        for slot in row.corners.map(|slot| slot as usize) {
            normals[slot] += shape.doubled_world_area * shape.normal;
            strains[slot].0 += shape.area;
            strains[slot].1 += shape.area * shape.strain;
        }
    }
    let normals = normals.into_iter().map(DVec3::normalize_or_zero).collect();
    let strains = strains.into_iter().map(|(area, sum)| if area > 0.0 { sum / area } else { 0.0 }).collect();
    (normals, strains)
}

/// Unit normals of the rest shapes in space, weighted by area, at the vertices by slot; empty without such shapes.
fn recover_rest_normals(working: &Working) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; working.starts.len()];
    let in_space = |row: &&FaceRow| working.kinds[row.cloth as usize] == RestKind::Space;
    for row in working.faces.iter().filter(in_space) {
        let corners = row.corners.map(|slot| slot as usize);
        let [a, b, c] = corners.map(|slot| working.starts[slot]);
        corners.into_iter().for_each(|slot| normals[slot] += (b - a).cross(c - a));
    }
    normals.into_iter().map(DVec3::normalize_or_zero).collect()
}

/// Difference of the second fundamental form of a face to that at rest, `∂ᵢn·∂ⱼx − ∂ᵢN·∂ⱼX` \[1/m\], as two columns.
/// Takes the place of the derivatives of the normal: it equals their products where the face is not strained and flat
/// at rest.
fn bend_from_rest(
    working: &Working,
    row: &FaceRow,
    shape: &FaceShape,
    [normals, rest_normals]: [&[DVec3]; 2],
) -> [DVec3; 2] {
    let corners = row.corners.map(|slot| slot as usize);
    let form = |normals: &[DVec3], positions: &[DVec3]| {
        let [n_u, n_v] = gradient_of(corners.map(|slot| normals[slot]), shape.gradients);
        let [x_u, x_v] = gradient_of(corners.map(|slot| positions[slot]), shape.gradients);
        [n_u.dot(x_u), 0.5 * (n_u.dot(x_v) + n_v.dot(x_u)), n_v.dot(x_v)]
    };
    let (now, rest) = (form(normals, &working.positions), form(rest_normals, &working.starts));
    let [uu, uv, vv] = [0, 1, 2].map(|k| now[k] - rest[k]);
    [DVec3::new(uu, uv, 0.0), DVec3::new(uv, vv, 0.0)]
}

/// The edges between whose ends the sizes may not differ too much, by slot.
fn size_limits(working: &Working) -> Vec<SizeLimit> {
    let of = |edge: &EdgeRow| SizeLimit {
        ends: edge.ends.map(|slot| slot as usize),
        edge: working.shorter_span(edge),
    };
    map(&working.edges, PER_TASK, of)
}
