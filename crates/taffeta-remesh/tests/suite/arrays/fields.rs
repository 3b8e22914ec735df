//! Sizes that are asked for, and what comes out.

use super::sheets::{Sheet, area, checked, distance_to_outline, edges, flat, outline, waves};
use glam::DVec2;
use taffeta_core::math::Sym2;
use taffeta_core::random::SplitMix64;
use taffeta_remesh::{FieldOptions, RemeshSettings, Remeshed, SheetArrays, SizingField, remesh_arrays};

fn lengths(result: &Remeshed) -> Vec<f64> {
    let at = |v: u32| DVec2::from(result.arrays.material[v as usize]);
    edges(&result.arrays.faces).into_iter().map(|[a, b]| at(a).distance(at(b))).collect()
}

#[test]
fn a_sheet_that_has_its_sizes_comes_back_as_it_was() {
    for sheet in [Sheet::square(12), Sheet::holed_l(16), Sheet::cells(10, |_, _| true, waves)] {
        let mut longest = vec![0.0_f64; sheet.material.len()];
        for [a, b] in edges(&sheet.faces).map_ends() {
            let length = DVec2::from(sheet.material[a]).distance(sheet.material[b].into());
            longest[a] = longest[a].max(length);
            longest[b] = longest[b].max(length);
        }
        // At the corners the longest edge is no diagonal: a jump that gradation would smooth.
        let options = FieldOptions { gradation: None, ..FieldOptions::default() };
        let result = checked(&sheet.arrays(), SizingField::Sizes(&longest), &options);
        assert_eq!((result.report.passes, result.report.settled), (1, true));
        assert_eq!(result.report.splits + result.report.collapses + result.report.flips, 0);
        let new_from_old: Vec<u32> = result.output_of_input.iter().map(|v| v.expect("kept")).collect();
        for (old, &new) in new_from_old.iter().enumerate() {
            assert_eq!(result.arrays.positions[new as usize], sheet.positions[old]);
            assert_eq!(result.arrays.material[new as usize], sheet.material[old]);
        }
        let turned = |face: [u32; 3]| {
            let smallest = (0..3).min_by_key(|&k| face[k]).expect("three");
            [0, 1, 2].map(|k| face[(smallest + k) % 3])
        };
        let mut expected: Vec<[u32; 3]> =
            sheet.faces.iter().map(|f| turned(f.map(|v| new_from_old[v as usize]))).collect();
        expected.sort_unstable();
        assert_eq!(result.arrays.faces, expected);
    }
}

/// Ends of edges as indices.
trait MapEnds {
    fn map_ends(self) -> Vec<[usize; 2]>;
}

impl MapEnds for Vec<[u32; 2]> {
    fn map_ends(self) -> Vec<[usize; 2]> {
        self.into_iter().map(|ends| ends.map(|v| v as usize)).collect()
    }
}

#[test]
fn uniform_sizes_give_the_number_of_vertices_that_fits_the_area() {
    for (sheet, exact_area) in [(Sheet::square(16), 1.0), (Sheet::holed_l(16), 0.75 - 1.0 / 64.0)] {
        assert!((sheet.area() - exact_area).abs() < 1e-12);
        for size in [0.25, 0.1, 0.04, 0.02] {
            let result = sheet.to_sizes(|_| size, &FieldOptions::default());
            assert!(result.report.settled, "{:?}", result.report);
            let lengths = lengths(&result);
            assert!(lengths.iter().all(|&length| length <= size * (1.0 + 1e-9)), "{size}");
            // Edges end up between half the size and the size. Vertices per area on equilateral triangles of length ℓ:
            // 2/(√3 ℓ²); the outline has its own share.
            let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
            assert!((0.55..0.95).contains(&(mean / size)), "{size}: {mean}");
            let rim = outline(&result.arrays.faces).len() as f64;
            let expected = 2.0 / 3.0_f64.sqrt() * exact_area / (mean * mean) + 0.5 * rim;
            let ratio = result.arrays.positions.len() as f64 / expected;
            assert!((0.8..1.25).contains(&ratio), "{size}: {ratio}");
        }
    }
}

#[test]
fn coarsening_takes_the_inside_away_and_leaves_corners_and_pins() {
    let sheet = Sheet::square(32);
    let result = sheet.to_sizes(|_| 2.0, &FieldOptions::default());
    assert!(result.arrays.positions.len() < 12, "{}", result.arrays.positions.len());
    let pinned = sheet.field(|u| (0.2..0.3).contains(&u.x) && u.y > 0.4 && u.y < 0.6);
    let count = pinned.iter().filter(|&&held| held).count();
    let arrays = SheetArrays { pinned: Some(&pinned), ..sheet.arrays() };
    let sizes = sheet.field(|_| 2.0);
    let result = checked(&arrays, SizingField::Sizes(&sizes), &FieldOptions::default());
    for (input, held) in pinned.iter().enumerate().filter(|(_, held)| **held) {
        let output = result.output_of_input[input].expect("a pinned vertex stays");
        assert_eq!(result.arrays.pinned[output as usize], *held);
    }
    assert_eq!(result.arrays.pinned.iter().filter(|&&held| held).count(), count);
    assert!(result.report.refusals.pinned > 0 && result.arrays.positions.len() < count + 40);
}

#[test]
fn the_outline_stays_where_it_was() {
    let sheet = Sheet::holed_l(16);
    let rim = outline(&sheet.faces);
    for size in [0.5, 0.05] {
        let result = sheet.to_sizes(|u| size * (0.2 + u.x), &FieldOptions::default());
        let arrays = &result.arrays;
        let ends = outline(&arrays.faces);
        assert!(!ends.is_empty());
        for [a, b] in ends {
            let [a, b] = [a, b].map(|v| DVec2::from(arrays.material[v as usize]));
            for t in [0.0, 0.3, 0.7] {
                assert!(distance_to_outline(a.lerp(b, t), &sheet.material, &rim) < 1e-14);
            }
        }
    }
}

/// Coordinates from a file with five digits: the outline counts as straight, so new vertices can lie beside it.
#[test]
fn an_outline_that_is_straight_within_its_digits_can_be_coarsened() {
    let mut sheet = Sheet::square(40);
    let mut random = SplitMix64(5);
    for u in &mut sheet.material {
        for x in u {
            *x += 1e-5 * random.next_unit();
        }
    }
    let sizes = sheet.field(|u| 0.4 - 0.37 * u.x);
    let options = FieldOptions { budget: Some(300), ..FieldOptions::default() };
    let result =
        remesh_arrays(&sheet.arrays(), SizingField::Sizes(&sizes), &options, &mut |_| false).unwrap();
    assert!(outline(&result.arrays.faces).len() < 110, "{}", outline(&result.arrays.faces).len());
    for (u, origin) in result.arrays.material.iter().zip(&result.origins) {
        let corners = sheet.faces[origin.face as usize].map(|v| DVec2::from(sheet.material[v as usize]));
        let again: DVec2 = (0..3).map(|k| origin.weights[k] * corners[k]).sum();
        assert!(
            again.distance((*u).into()) < 1e-12 && origin.weights.iter().all(|&w| w > -1e-3),
            "{origin:?}"
        );
    }
    assert!((area(&result.arrays.material, &result.arrays.faces) - sheet.area()).abs() < 1e-4);
}

#[test]
fn there_and_back_again_keeps_area_and_outline() {
    let mut sheet = Sheet::holed_l(16);
    let start = sheet.clone();
    let rim = outline(&start.faces);
    for round in 0..6 {
        let size = if round % 2 == 0 { 0.03 } else { 0.15 };
        sheet = Sheet::from(&sheet.to_sizes(|_| size, &FieldOptions::default()));
        assert!((sheet.area() - start.area()).abs() < 1e-12, "{round}");
        for [a, _] in outline(&sheet.faces) {
            assert!(distance_to_outline(sheet.material[a as usize].into(), &start.material, &rim) < 1e-13);
        }
    }
    let counts: Vec<usize> = [0.15, 0.15]
        .map(|size| sheet.to_sizes(|_| size, &FieldOptions::default()).arrays.positions.len())
        .into();
    assert_eq!(counts[0], sheet.positions.len(), "what has its sizes is at rest");
}

/// A metric that wants `fine` along a direction and `coarse` across \[m\].
fn anisotropic(direction: DVec2, fine: f64, coarse: f64) -> [f64; 3] {
    let d = direction.normalize();
    let (a, b) = (1.0 / (fine * fine), 1.0 / (coarse * coarse));
    [a * d.x * d.x + b * d.y * d.y, (a - b) * d.x * d.y, a * d.y * d.y + b * d.x * d.x]
}

/// The lengths of all edges in a metric that is given by material coordinates.
fn metric_lengths(result: &Remeshed, metric: impl Fn(DVec2) -> [f64; 3]) -> Vec<f64> {
    let length = |[a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|v| DVec2::from(result.arrays.material[v as usize]));
        let form = |u: DVec2| {
            let [xx, xy, yy] = metric(u);
            Sym2 { xx, xy, yy }.quadratic_form(b - a)
        };
        (0.5 * (form(a) + form(b))).sqrt()
    };
    edges(&result.arrays.faces).into_iter().map(length).collect()
}

fn fraction(lengths: &[f64], range: std::ops::RangeInclusive<f64>) -> f64 {
    lengths.iter().filter(|length| range.contains(length)).count() as f64 / lengths.len() as f64
}

/// A metric by material coordinates.
type MetricField<'a> = &'a dyn Fn(DVec2) -> [f64; 3];

/// Lengths of edges in the metric of a field that is followed as closely as possible: between ½ and 1, except for edges that
/// cannot be collapsed. In the first and in the last field at the finest mesh an eighth is shorter, none is longer. For edges
/// around 1, from √½ to √2, ask for the tensors `½ M`.
#[test]
fn tensors_give_edges_of_half_to_full_length_in_the_metric() {
    let ring = |u: DVec2| {
        let from = u - DVec2::new(0.3, 0.4);
        anisotropic(from + DVec2::splat(1e-6), 0.02 + 0.1 * (from.length() - 0.3).abs(), 0.12)
    };
    let fields: [(MetricField, [f64; 2]); 3] = [
        (&|_| anisotropic(DVec2::X, 0.02, 0.1), [0.95, 0.93]),
        (&|_| anisotropic(DVec2::new(2.0, 1.0), 0.015, 0.12), [0.93, 0.9]),
        (&ring, [0.87, 0.85]),
    ];
    for (metric, least) in fields {
        for (n, least) in [20, 50].into_iter().zip(least) {
            let sheet = Sheet::square(n);
            let options = FieldOptions { gradation: None, collapse_size: 1.0, ..FieldOptions::default() };
            let result = checked(&sheet.arrays(), SizingField::Metrics(&sheet.field(metric)), &options);
            let lengths = metric_lengths(&result, metric);
            // Between the input vertices the field is interpolated: not all that is above 1 here was too long.
            assert!(fraction(&lengths, 0.0..=1.1) >= 0.99, "{n}");
            assert!(
                fraction(&lengths, 0.5..=1.0 + 1e-9) >= least,
                "{n}: {}",
                fraction(&lengths, 0.5..=1.0 + 1e-9)
            );
        }
    }
}

#[test]
fn an_isotropic_tensor_is_a_size() {
    let sheet = Sheet::holed_l(8);
    let size = |u: DVec2| 0.04 + 0.1 * u.x;
    let metrics = sheet.field(|u| [1.0 / (size(u) * size(u)), 0.0, 1.0 / (size(u) * size(u))]);
    let options = FieldOptions::default();
    let by_tensor = checked(&sheet.arrays(), SizingField::Metrics(&metrics), &options);
    let by_size = sheet.to_sizes(size, &options);
    let ratio = by_tensor.arrays.positions.len() as f64 / by_size.arrays.positions.len() as f64;
    assert!((0.98..1.02).contains(&ratio), "{ratio}");
}

#[test]
fn the_curvature_of_the_sheet_refines_where_it_bends() {
    let roll =
        |u: DVec2| if u.x < 0.5 { flat(u) } else { flat(u) + glam::DVec3::Z * 0.5 * (u.x - 0.5).powi(2) };
    let sheet = Sheet::cells(24, |_, _| true, roll);
    let settings = RemeshSettings { size_min: 0.02, size_max: 0.2, ..RemeshSettings::by_thresholds() };
    let settings = RemeshSettings { refine_angle: 0.05, refine_strain: 10.0, ..settings };
    let result = checked(&sheet.arrays(), SizingField::Shape(settings), &FieldOptions::default());
    let count =
        |range: std::ops::Range<f64>| result.arrays.material.iter().filter(|u| range.contains(&u[0])).count();
    assert!(count(0.6..1.0) > 3 * count(0.0..0.4), "{} and {}", count(0.6..1.0), count(0.0..0.4));
}

#[test]
fn options_forbid_what_they_forbid() {
    let sheet = Sheet::square(8);
    let graded = |u: DVec2| 0.03 + 0.5 * u.x;
    let all = FieldOptions::default();
    let rigid = sheet.to_sizes(graded, &FieldOptions { flips: false, ..all });
    assert!(rigid.report.flips == 0 && rigid.report.splits > 0);
    let finer = sheet.to_sizes(graded, &FieldOptions { collapses: false, ..all });
    assert!(finer.report.collapses == 0 && finer.output_of_input.iter().all(Option::is_some));
    let slow = sheet.to_sizes(graded, &FieldOptions { budget: Some(10), passes: 3, ..all });
    assert!(slow.report.splits + slow.report.collapses == 30 && !slow.report.settled);
    let small = sheet.to_sizes(|_| 0.01, &FieldOptions { max_vertices: 200, ..all });
    assert!(small.report.at_vertex_limit && small.arrays.positions.len() == 200);
    let jump = |u: DVec2| if u.distance(DVec2::splat(0.5)) < 0.1 { 0.01 } else { 0.5 };
    let graded = sheet.to_sizes(jump, &all).arrays.positions.len();
    let steep = sheet.to_sizes(jump, &FieldOptions { gradation: Some(3.0), ..all }).arrays.positions.len();
    let free = sheet.to_sizes(jump, &FieldOptions { gradation: None, ..all }).arrays.positions.len();
    assert!(graded > steep && steep > free, "{graded}, {steep}, {free}");
    let needles = sheet.field(|_| anisotropic(DVec2::X, 0.01, 1.0));
    let counts = [30.0, 3.0, 1.0].map(|aspect| {
        let options = FieldOptions { aspect, ..all };
        checked(&sheet.arrays(), SizingField::Metrics(&needles), &options).arrays.positions.len()
    });
    assert!(counts.is_sorted() && counts[2] > 5 * counts[0], "{counts:?}");
}

#[test]
fn random_fields_end_at_rest_with_valid_meshes() {
    let mut random = SplitMix64(20);
    for round in 0..60 {
        let n = 4 + random.below(8) as u32 * 2;
        let mut draw = || random.next_unit();
        let (fine, coarse, turn, bend) = (0.02 + 0.1 * draw(), 0.05 + 0.4 * draw(), 6.3 * draw(), draw());
        let (center, steep) = (DVec2::new(draw(), draw()), 3.0 + 10.0 * draw());
        let sheet = Sheet::cells(n, |i, j| i * 3 < 2 * n || j * 2 < n, |u| waves(u * (0.5 + bend)));
        let near = |u: DVec2| (-steep * u.distance(center)).exp();
        let size = |u: DVec2| coarse + (fine.min(coarse) - coarse) * near(u);
        let options = FieldOptions {
            gradation: [None, Some(1.2), Some(1.5)][random.below(3)],
            quality: 0.2 + 0.3 * random.next_unit(),
            ..FieldOptions::default()
        };
        let result = if round % 2 == 0 {
            sheet.to_sizes(size, &options)
        } else {
            let metric = |u: DVec2| anisotropic(DVec2::from_angle(turn + 3.0 * u.x), size(u), coarse);
            checked(&sheet.arrays(), SizingField::Metrics(&sheet.field(metric)), &options)
        };
        assert!(result.report.settled, "{round}: {:?}", result.report);
        assert!((area(&result.arrays.material, &result.arrays.faces) - sheet.area()).abs() < 1e-12);
    }
}
