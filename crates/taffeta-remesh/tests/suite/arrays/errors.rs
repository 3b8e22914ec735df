//! Every refusal, by what it names.

use super::sheets::Sheet;
use taffeta_mesh::BuildError;
use taffeta_remesh::{
    ArrayError, FieldOptions, MaterialCoords, RemeshSettings, SheetArrays, SizingField, remesh_arrays,
};

fn refusal_of(arrays: &SheetArrays, field: SizingField, options: &FieldOptions) -> ArrayError {
    remesh_arrays(arrays, field, options, &mut |_| false).expect_err("it is refused")
}

#[track_caller]
fn refusal(change: impl FnOnce(&mut Sheet)) -> ArrayError {
    let mut sheet = Sheet::square(2);
    change(&mut sheet);
    let sizes = vec![0.1; sheet.positions.len()];
    refusal_of(&sheet.arrays(), SizingField::Sizes(&sizes), &FieldOptions::default())
}

#[track_caller]
fn expect_text(error: &ArrayError, parts: &[&str]) {
    let text = error.to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn what_is_no_surface() {
    assert_eq!(refusal(|sheet| *sheet = Sheet::default()), ArrayError::Surface(BuildError::NoFaces));
    let error = refusal(|sheet| sheet.faces[3][1] = 9);
    expect_text(&error, &["face 3", "vertex 9", "9 vertices"]);
    let error = refusal(|sheet| sheet.faces[5][2] = sheet.faces[5][0]);
    expect_text(&error, &["face 5", "more than one corner"]);
    let error = refusal(|sheet| {
        let [a, b, _] = sheet.faces[0];
        let add = |sheet: &mut Sheet, u: [f64; 2]| {
            sheet.material.push(u);
            sheet.positions.push([u[0], u[1], 0.3]);
            sheet.positions.len() as u32 - 1
        };
        let (c, d) = (add(sheet, [0.1, -1.0]), add(sheet, [0.2, -1.0]));
        sheet.faces.extend([[b, a, c], [b, a, d]]);
    });
    assert!(matches!(error, ArrayError::Surface(BuildError::NonManifoldEdge { .. })), "{error}");
    let error = refusal(|sheet| {
        sheet.material.extend([[2.0, 2.0], [2.0, 3.0]]);
        sheet.positions.extend([[2.0, 2.0, 0.0], [2.0, 3.0, 0.0]]);
        let corner = sheet.material.iter().position(|&u| u == [1.0, 1.0]).unwrap() as u32;
        sheet.faces.push([corner, 9, 10]);
    });
    assert!(matches!(error, ArrayError::Surface(BuildError::BowTie { .. })), "{error}");
    let error = refusal(|sheet| {
        sheet.material.push([5.0, 5.0]);
        sheet.positions.push([5.0; 3]);
    });
    expect_text(&error, &["vertex 9", "no face"]);
}

#[test]
fn arrays_of_the_wrong_length() {
    let error = refusal(|sheet| sheet.material.truncate(8));
    expect_text(&error, &["8 entries in material", "9 are needed"]);
    let sheet = Sheet::square(2);
    let sizes = vec![0.1; 9];
    let expect = |arrays: SheetArrays, field, array: &str| {
        let error = refusal_of(&arrays, field, &FieldOptions::default());
        assert!(matches!(error, ArrayError::Length { array: name, .. } if name == array), "{error}");
    };
    let field = SizingField::Sizes(&sizes);
    expect(SheetArrays { pinned: Some(&[true]), ..sheet.arrays() }, field, "pinned");
    expect(SheetArrays { velocities: Some(&[[0.0; 3]; 10]), ..sheet.arrays() }, field, "velocities");
    expect(SheetArrays { attributes: &[0.0; 17], attribute_width: 2, ..sheet.arrays() }, field, "attributes");
    expect(SheetArrays { attributes: &[0.0; 9], ..sheet.arrays() }, field, "attributes");
    let corners = SheetArrays { material: MaterialCoords::PerCorner(&[]), ..sheet.arrays() };
    expect(corners, field, "material");
    expect(sheet.arrays(), SizingField::Sizes(&sizes[1..]), "sizes");
    expect(sheet.arrays(), SizingField::Metrics(&[]), "metrics");
}

#[test]
fn numbers_that_are_not_finite() {
    expect_text(&refusal(|sheet| sheet.positions[4][2] = f64::NAN), &["position of vertex 4", "NaN"]);
    expect_text(&refusal(|sheet| sheet.material[7][0] = f64::INFINITY), &["coordinate of vertex 7", "inf"]);
    let sheet = Sheet::square(2);
    let field = SizingField::Sizes(&[0.1; 9]);
    let mut velocities = [[0.0; 3]; 9];
    velocities[8][1] = f64::NEG_INFINITY;
    let arrays = SheetArrays { velocities: Some(&velocities), ..sheet.arrays() };
    expect_text(&refusal_of(&arrays, field, &FieldOptions::default()), &["velocity of vertex 8", "-inf"]);
    let mut values = [0.0; 18];
    values[5] = f64::NAN;
    let arrays = SheetArrays { attributes: &values, attribute_width: 2, ..sheet.arrays() };
    expect_text(&refusal_of(&arrays, field, &FieldOptions::default()), &["attribute of vertex 2"]);
    let mut corners: Vec<[[f64; 2]; 3]> =
        sheet.faces.iter().map(|f| f.map(|v| sheet.material[v as usize])).collect();
    corners[3][2][1] = f64::NAN;
    let arrays = SheetArrays { material: MaterialCoords::PerCorner(&corners), ..sheet.arrays() };
    expect_text(&refusal_of(&arrays, field, &FieldOptions::default()), &["corner 2 of face 3"]);
}

#[test]
fn faces_without_area_turned_over_or_on_top_of_each_other() {
    let middle = |sheet: &Sheet| sheet.material.iter().position(|&u| u == [0.5, 0.5]).unwrap();
    // The middle of the square on its outline: the face at that side has no area.
    let error = refusal(|sheet| {
        let middle = middle(sheet);
        sheet.material[middle] = [0.5, 0.0];
    });
    assert!(matches!(error, ArrayError::Degenerate { .. } | ArrayError::Inverted { .. }), "{error}");
    let error = refusal(|sheet| {
        sheet.faces = vec![[0, 1, 2]];
        sheet.positions.truncate(3);
        // By a third of the last bit: on a line only within round-off, but not exactly.
        sheet.material = vec![[0.0, 0.0], [0.1, 0.1], [0.3, 0.3]];
    });
    assert_eq!(error, ArrayError::Degenerate { face: 0 });
    let error = refusal(|sheet| {
        let middle = middle(sheet);
        sheet.material[middle] = [1.5, 0.5];
    });
    assert!(matches!(error, ArrayError::Inverted { inverted: 1..8, .. }), "{error}");
    // A strip bent around onto itself.
    let error = refusal(|sheet| {
        let turn = |k: u32| f64::from(k) * 0.7;
        let at = |k: u32, r: f64| [r * turn(k).cos(), r * turn(k).sin()];
        sheet.material = (0..12).flat_map(|k| [at(k, 1.0), at(k, 2.0)]).collect();
        sheet.positions = sheet.material.iter().map(|&[u, v]| [u, v, 0.0]).collect();
        sheet.faces =
            (0..11).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 2]]).collect();
    });
    assert!(matches!(error, ArrayError::Overlap { faces: [0..6, 14..22] }), "{error}");
}

#[test]
fn material_points_that_do_not_exist_and_panels_that_are_folded() {
    let sheet = Sheet::square(2);
    let sizes = [0.1; 9];
    let refused = |coords: &[[f64; 2]], faces: &[[u32; 3]]| {
        let material = MaterialCoords::Indexed { coords, faces };
        let arrays = SheetArrays { material, ..sheet.arrays() };
        refusal_of(&arrays, SizingField::Sizes(&sizes), &FieldOptions::default())
    };
    let error = refused(&sheet.material[..8], &sheet.faces);
    assert!(matches!(error, ArrayError::PointOutOfRange { point: 8, count: 8, .. }), "{error}");
    let error = refused(&sheet.material, &sheet.faces[1..]);
    assert!(matches!(error, ArrayError::Length { array: "material_faces", found: 7, .. }), "{error}");
    let mut coords = sheet.material.clone();
    coords[5][1] = f64::NAN;
    expect_text(&refused(&coords, &sheet.faces), &["material point 5", "NaN"]);
    let mut coords = sheet.material.clone();
    let middle = coords.iter().position(|&u| u == [0.5, 0.5]).unwrap();
    coords[middle] = [1.5, 0.5];
    expect_text(
        &refused(&coords, &sheet.faces),
        &["clockwise", "of the 8 faces of its panel", "folded over"],
    );
}

#[test]
fn fields_that_are_not_positive() {
    let sheet = Sheet::square(2);
    for value in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-200] {
        let mut sizes = [0.1; 9];
        sizes[6] = value;
        let error = refusal_of(&sheet.arrays(), SizingField::Sizes(&sizes), &FieldOptions::default());
        assert!(matches!(error, ArrayError::Size { vertex: 6, .. }), "{error}");
    }
    let bad = [
        [0.0; 3],
        [-1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [1.0, 2.0, 3.0],
        [1.0, f64::NAN, 1.0],
        [1e130, 0.0, 1.0],
    ];
    for metric in bad {
        let mut metrics = [[4.0, 1.0, 2.0]; 9];
        metrics[2] = metric;
        let error = refusal_of(&sheet.arrays(), SizingField::Metrics(&metrics), &FieldOptions::default());
        assert!(matches!(error, ArrayError::Metric { vertex: 2, .. }), "{error}");
    }
}

#[test]
fn options_out_of_range() {
    let sheet = Sheet::square(2);
    let default = FieldOptions::default();
    let expect = |options: FieldOptions, name: &str| {
        let error = refusal_of(&sheet.arrays(), SizingField::Sizes(&[0.1; 9]), &options);
        assert!(matches!(&error, ArrayError::Setting(setting) if setting.name == name), "{error}");
    };
    expect(FieldOptions { passes: 0, ..default }, "passes");
    expect(FieldOptions { max_vertices: 0, ..default }, "max_vertices");
    expect(FieldOptions { gradation: Some(1.0), ..default }, "gradation");
    expect(FieldOptions { aspect: 0.5, ..default }, "aspect");
    expect(FieldOptions { quality: f64::NAN, ..default }, "quality");
    let settings = RemeshSettings { size_min: 1.0, size_max: 0.1, ..RemeshSettings::by_thresholds() };
    let error = refusal_of(&sheet.arrays(), SizingField::Shape(settings), &default);
    expect_text(&error, &["size_min"]);
}
