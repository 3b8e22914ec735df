//! Attributes of the result, and the map.

use super::sheets::{Sheet, checked, waves};
use glam::{DVec2, DVec3};
use taffeta_remesh::{
    FieldOptions, FieldRemesher, MaterialCoords, Proposal, SheetArrays, SizingField, remesh_arrays,
};

#[test]
fn a_linear_field_on_the_material_plane_is_found_again_everywhere() {
    let sheet = Sheet::holed_l(16);
    let linear = |u: DVec2| [3.0 - 2.0 * u.x + 0.7 * u.y, u.x];
    let values = sheet.field(linear).concat();
    let arrays = SheetArrays { attributes: &values, attribute_width: 2, ..sheet.arrays() };
    let sizes = sheet.field(|u| 0.02 + 0.3 * u.y);
    let result = checked(&arrays, SizingField::Sizes(&sizes), &FieldOptions::default());
    assert!(result.report.collapses > 0 && result.report.splits > 0);
    for (u, sampled) in result.arrays.material.iter().zip(result.arrays.attributes.chunks(2)) {
        let exact = linear((*u).into());
        assert!((sampled[0] - exact[0]).abs() < 1e-12 && (sampled[1] - exact[1]).abs() < 1e-12);
    }
    assert_eq!(result.sample(&sheet.faces, &values, 2), result.arrays.attributes);
}

#[test]
fn new_vertices_lie_on_the_input_surface_after_any_number_of_passes() {
    let sheet = Sheet::cells(12, |_, _| true, waves);
    // First coarser than the input, then finer: no vertex comes from an edge of the coarse mesh.
    let coarse =
        sheet.to_sizes(|u| 0.3 - 0.25 * u.x, &FieldOptions { budget: Some(20), ..FieldOptions::default() });
    assert!(coarse.report.passes > 3 && coarse.report.splits > 20);
    // The check of the map is in `to_sizes`.
}

#[test]
fn corners_and_vertices_give_the_same_result() {
    let sheet = Sheet::holed_l(8);
    let corners: Vec<[[f64; 2]; 3]> =
        sheet.faces.iter().map(|f| f.map(|v| sheet.material[v as usize])).collect();
    let by_corner = SheetArrays::new(MaterialCoords::PerCorner(&corners), &sheet.positions, &sheet.faces);
    let sizes = sheet.field(|u| 0.03 + 0.2 * u.x);
    let remesh = |arrays: &SheetArrays| {
        remesh_arrays(arrays, SizingField::Sizes(&sizes), &FieldOptions::default(), &mut |_| false).unwrap()
    };
    assert_eq!(remesh(&by_corner), remesh(&sheet.arrays()));
}

#[test]
fn two_runs_have_the_same_bits() {
    let sheet = Sheet::cells(20, |i, j| i > 3 || j > 5, waves);
    let metrics = sheet.field(|u| [400.0 + 3e3 * u.x, 100.0 * u.y, 300.0]);
    let velocities: Vec<[f64; 3]> = sheet.field(|u| [u.y, -u.x, u.x * u.y]);
    let arrays = SheetArrays { velocities: Some(&velocities), ..sheet.arrays() };
    let remesh = || {
        let field = SizingField::Metrics(&metrics);
        remesh_arrays(&arrays, field, &FieldOptions::default(), &mut |_| false).unwrap()
    };
    let bits =
        |values: &[[f64; 3]]| -> Vec<u64> { values.as_flattened().iter().map(|x| x.to_bits()).collect() };
    let (first, second) = (remesh(), remesh());
    assert_eq!(first.arrays.faces, second.arrays.faces);
    assert_eq!(bits(&first.arrays.positions), bits(&second.arrays.positions));
    assert_eq!(bits(&first.arrays.velocities.unwrap()), bits(&second.arrays.velocities.unwrap()));
}

#[test]
fn the_veto_sees_every_collapse_and_flip() {
    let sheet = Sheet::square(16);
    let sizes = sheet.field(|u| 0.03 + 0.4 * u.x);
    let mut asked = 0;
    let mut refuse = |proposal: &Proposal| {
        assert!(!proposal.before.is_empty() && !proposal.after.is_empty());
        asked += 1;
        true
    };
    let options = FieldOptions::default();
    let result = remesh_arrays(&sheet.arrays(), SizingField::Sizes(&sizes), &options, &mut refuse).unwrap();
    assert!(asked > 0 && result.report.vetoed > 0);
    assert_eq!((result.report.collapses, result.report.flips), (0, 0));
    assert!(result.output_of_input.iter().all(Option::is_some));
}

#[test]
fn passes_one_by_one_give_what_all_together_give() {
    let sheet = Sheet::square(10);
    let sizes = sheet.field(|u| 0.03 + 0.1 * u.y);
    let field = SizingField::Sizes(&sizes);
    let options = FieldOptions { budget: Some(50), ..FieldOptions::default() };
    let mut remesher = FieldRemesher::new(&sheet.arrays(), field, &options).unwrap();
    let mut half_way = 0;
    while !remesher.report().settled {
        remesher.pass(&mut |_| false);
        half_way = half_way.max(remesher.mesh().vertex_count());
    }
    let together = remesh_arrays(&sheet.arrays(), field, &options, &mut |_| false).unwrap();
    assert_eq!(remesher.finish(), together);
    assert_eq!(half_way, together.arrays.positions.len());
}

#[test]
fn pieces_may_lie_on_each_other_in_material_space() {
    let one = Sheet::square(6);
    let mut both = one.clone();
    let shift = one.positions.len() as u32;
    both.material.extend(&one.material);
    both.positions.extend(one.positions.iter().map(|&[x, y, z]| [x, y, z + 1.0]));
    both.faces.extend(one.faces.iter().map(|f| f.map(|v| v + shift)));
    let sizes: Vec<f64> = (0..2 * shift).map(|v| if v < shift { 0.05 } else { 0.5 }).collect();
    let result = checked(&both.arrays(), SizingField::Sizes(&sizes), &FieldOptions::default());
    let upper = result.arrays.positions.iter().filter(|x| x[2] > 0.5).count();
    assert!(upper < 30 && result.arrays.positions.len() > 400);
    assert!(result.arrays.positions.iter().all(|x| x[2] == 0.0 || x[2] == 1.0));
    let heights: Vec<DVec3> = result.arrays.positions.iter().map(|&x| x.into()).collect();
    assert!(
        result
            .arrays
            .faces
            .iter()
            .all(|f| f.iter().all(|&v| heights[v as usize].z == heights[f[0] as usize].z))
    );
}
