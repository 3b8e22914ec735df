//! Sheets as arrays, and what must hold for every result.

use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use taffeta_core::geometry::doubled_area;
use taffeta_mesh::HalfedgeMesh;
use taffeta_remesh::{
    FieldOptions, FieldRemesher, MaterialCoords, Remeshed, SheetArrays, SizingField, remesh_arrays,
};

/// The arrays of a sheet, to borrow from.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub material: Vec<[f64; 2]>,
    pub positions: Vec<[f64; 3]>,
    pub faces: Vec<[u32; 3]>,
}

impl Sheet {
    /// The cells of a grid of n × n squares over the unit square that are chosen by column and row; alternating
    /// diagonals. The sheet lies in the shape of a map from material to world space.
    pub(super) fn cells(n: u32, chosen: impl Fn(u32, u32) -> bool, shape: impl Fn(DVec2) -> DVec3) -> Self {
        let mut numbers = BTreeMap::new();
        let mut sheet = Self::default();
        let mut corner = |sheet: &mut Self, i: u32, j: u32| {
            *numbers.entry((j, i)).or_insert_with(|| {
                let u = DVec2::new(f64::from(i), f64::from(j)) / f64::from(n);
                sheet.material.push(u.into());
                sheet.positions.push(shape(u).into());
                sheet.material.len() as u32 - 1
            })
        };
        for (i, j) in (0..n * n).map(|cell| (cell % n, cell / n)).filter(|&(i, j)| chosen(i, j)) {
            let [a, b, c, d] =
                [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(&mut sheet, i, j));
            let split = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            sheet.faces.extend(split);
        }
        sheet
    }

    pub(super) fn square(n: u32) -> Self {
        Self::cells(n, |_, _| true, flat)
    }

    /// An L of three quarters of the unit square with a square hole of 1/8 in its corner block; n a multiple of 8.
    pub(super) fn holed_l(n: u32) -> Self {
        let is_hole = |i: u32, j: u32| (n / 8..n / 4).contains(&i) && (n / 8..n / 4).contains(&j);
        Self::cells(n, |i, j| (i < n / 2 || j < n / 2) && !is_hole(i, j), flat)
    }

    pub(super) fn arrays(&self) -> SheetArrays<'_> {
        SheetArrays::new(MaterialCoords::PerVertex(&self.material), &self.positions, &self.faces)
    }

    /// A field by material coordinates.
    pub(super) fn field<T>(&self, of: impl Fn(DVec2) -> T) -> Vec<T> {
        self.material.iter().map(|&u| of(u.into())).collect()
    }

    /// Remeshes to sizes by material coordinates and checks everything.
    pub(super) fn to_sizes(&self, size: impl Fn(DVec2) -> f64, options: &FieldOptions) -> Remeshed {
        checked(&self.arrays(), SizingField::Sizes(&self.field(size)), options)
    }

    pub(super) fn area(&self) -> f64 {
        area(&self.material, &self.faces)
    }
}

impl From<&Remeshed> for Sheet {
    fn from(result: &Remeshed) -> Self {
        let arrays = result.arrays.clone();
        Self { material: arrays.material, positions: arrays.positions, faces: arrays.faces }
    }
}

pub(super) fn flat(u: DVec2) -> DVec3 {
    u.extend(0.0)
}

pub(super) fn waves(u: DVec2) -> DVec3 {
    DVec3::new(u.x, u.y, 0.05 * (9.0 * u.x).sin() * (5.0 * u.y).cos())
}

pub(super) fn area(material: &[[f64; 2]], faces: &[[u32; 3]]) -> f64 {
    faces.iter().map(|f| 0.5 * doubled_area(f.map(|v| material[v as usize].into()))).sum()
}

/// All edges of some faces, once each.
pub(super) fn edges(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<_> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The sides of faces that have no twin, in the direction of their face.
pub(super) fn outline(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides: Vec<[u32; 2]> = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let mut reversed: Vec<_> = sides.iter().map(|&[a, b]| [b, a]).collect();
    reversed.sort_unstable();
    sides.into_iter().filter(|side| reversed.binary_search(side).is_err()).collect()
}

/// Distance of a point from the nearest side of an outline.
pub(super) fn distance_to_outline(u: DVec2, material: &[[f64; 2]], sides: &[[u32; 2]]) -> f64 {
    let to = |&[a, b]: &[u32; 2]| {
        let [p, q] = [a, b].map(|v| DVec2::from(material[v as usize]));
        let t = ((u - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        u.distance(p.lerp(q, t))
    };
    sides.iter().map(to).fold(f64::INFINITY, f64::min)
}

/// Remeshes and checks everything: after every pass the mesh, at the end the arrays and the map.
#[track_caller]
pub(super) fn checked(sheet: &SheetArrays, field: SizingField, options: &FieldOptions) -> Remeshed {
    let mut remesher = FieldRemesher::new(sheet, field, options).expect("a good sheet");
    while !remesher.report().settled && remesher.report().passes < options.passes {
        remesher.pass(&mut |_| false);
        remesher.mesh().validate().expect("the mesh is valid");
        taffeta_remesh::validate_attributes(remesher.mesh(), remesher.attributes())
            .expect("the attributes fit");
    }
    let result = remesher.finish();
    check_map(sheet, &result);
    assert_eq!(remesh_arrays(sheet, field, options, &mut |_| false).expect("a good sheet"), result);
    result
}

/// The map of a result: every vertex lies in an input face, kept ones at its corners, and what is linear on the input is
/// found again.
#[track_caller]
pub(super) fn check_map(sheet: &SheetArrays, result: &Remeshed) {
    let MaterialCoords::PerVertex(material) = sheet.material else { panic!("tests give one per vertex") };
    let arrays = &result.arrays;
    let built = HalfedgeMesh::from_triangles(arrays.positions.len(), &arrays.faces).expect("a surface");
    built.mesh.validate().expect("a valid mesh");
    assert!(arrays.faces.iter().all(|f| doubled_area(f.map(|v| arrays.material[v as usize].into())) > 0.0));
    for (vertex, origin) in result.origins.iter().enumerate() {
        let corners = sheet.faces[origin.face as usize];
        assert!(origin.weights.iter().all(|weight| (0.0..=1.0).contains(weight)), "{origin:?}");
        assert!((origin.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let weighted = origin.weights.into_iter().zip(corners);
        let u: DVec2 = weighted.clone().map(|(w, v)| w * DVec2::from(material[v as usize])).sum();
        assert!(u.distance(arrays.material[vertex].into()) < 1e-12, "{vertex}");
        let x: DVec3 = weighted.map(|(w, v)| w * DVec3::from(sheet.positions[v as usize])).sum();
        assert!(x.distance(arrays.positions[vertex].into()) < 1e-12, "{vertex}");
    }
    for (input, output) in result.output_of_input.iter().enumerate() {
        let Some(output) = output.map(|output| output as usize) else { continue };
        let origin = result.origins[output];
        let k =
            origin.weights.iter().position(|&weight| weight == 1.0).expect("a kept vertex is at a corner");
        assert_eq!(sheet.faces[origin.face as usize][k] as usize, input);
        assert_eq!(arrays.positions[output], sheet.positions[input]);
        assert_eq!(arrays.material[output], material[input]);
    }
    let kept = result.output_of_input.iter().flatten().count();
    let at_corners = result.origins.iter().filter(|origin| origin.weights.contains(&1.0)).count();
    assert!(kept <= at_corners);
    assert!((area(&arrays.material, &arrays.faces) - area(material, sheet.faces)).abs() < 1e-12);
}
