//! Output of remeshing, as files.

use super::input::{Field, Input};
use glam::DVec3;
use std::fmt::Write;
use std::io::Cursor;
use taffeta_io::{MaterialPoints, NumberArray, NumberKind, write_indexed_obj, write_npz_numbers};
use taffeta_remesh::{OutputArrays, Remeshed};

type Arrays = Vec<(String, NumberArray)>;

/// The mesh as an OBJ file; with `vt` if the input had any.
pub(super) fn obj_bytes(arrays: &OutputArrays, with_coords: bool) -> Vec<u8> {
    let positions: Vec<DVec3> = arrays.positions.iter().map(|&x| x.into()).collect();
    let points = MaterialPoints { coords: &arrays.material, faces: &arrays.material_faces };
    let material = with_coords.then_some(points);
    let mut bytes = Vec::new();
    write_indexed_obj(&mut bytes, &positions, &arrays.faces, material).expect("memory can be written");
    bytes
}

/// The mesh, what its vertices carry and the map, as an NPZ file.
pub(super) fn npz_bytes(result: &Remeshed, input: &Input, with_coords: bool) -> Vec<u8> {
    let arrays = &result.arrays;
    let mut list: Arrays = Vec::new();
    let mut add = |name: &str, array: NumberArray| list.push((name.to_owned(), array));
    add("positions", NumberArray::rows(&arrays.positions));
    add("faces", NumberArray::whole_rows(&arrays.faces));
    if with_coords {
        add("uv", NumberArray::rows(&arrays.material));
        add("uv_faces", NumberArray::whole_rows(&arrays.material_faces));
    }
    if let Some(velocities) = &arrays.velocities {
        add("velocities", NumberArray::rows(velocities));
    }
    let pinned = arrays.pinned.iter().map(|&pinned| f64::from(u8::from(pinned))).collect();
    add("pinned", NumberArray::list(pinned, NumberKind::Truth));
    let width: usize = input.fields.iter().map(Field::width).sum();
    let mut start = 0;
    for field in &input.fields {
        let columns = start..start + field.width();
        start = columns.end;
        let rows = arrays.attributes.chunks_exact(width.max(1));
        let values = rows.flat_map(|row| row[columns.clone()].iter().copied()).collect();
        let mut shape = vec![arrays.positions.len()];
        shape.extend(&field.shape);
        add(&field.name, NumberArray { shape, values, kind: NumberKind::Real });
    }
    list.extend(map_arrays(result, with_coords));
    bytes_of(&list)
}

/// The map by itself, as an NPZ file.
pub(super) fn map_npz(result: &Remeshed, with_coords: bool) -> Vec<u8> {
    bytes_of(&map_arrays(result, with_coords))
}

fn bytes_of(arrays: &Arrays) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    write_npz_numbers(&mut bytes, arrays).expect("memory can be written");
    bytes.into_inner()
}

fn map_arrays(result: &Remeshed, with_coords: bool) -> Arrays {
    let origins = [("", &result.origins), ("uv_", &result.material_origins)];
    let mut list: Arrays = Vec::new();
    for (prefix, origins) in origins.into_iter().filter(|(prefix, _)| with_coords || prefix.is_empty()) {
        let faces = origins.iter().map(|origin| f64::from(origin.face)).collect();
        let weights: Vec<[f64; 3]> = origins.iter().map(|origin| origin.weights).collect();
        list.push((format!("{prefix}origin_face"), NumberArray::list(faces, NumberKind::Whole)));
        list.push((format!("{prefix}origin_weights"), NumberArray::rows(&weights)));
    }
    let outputs = result.output_of_input.iter().map(|output| output.map_or(-1.0, f64::from)).collect();
    list.push(("output_of_input".to_owned(), NumberArray::list(outputs, NumberKind::Whole)));
    list
}

/// The map as CSV, everything counted from 1: triangles in the order of the file, polygons as they are cut.
pub(super) fn map_text(result: &Remeshed, input: &Input) -> String {
    let mut text = String::from("vertex,face,weight_0,weight_1,weight_2,corner_0,corner_1,corner_2\n");
    for (vertex, origin) in (1..).zip(&result.origins) {
        let [a, b, c] = input.mesh.faces[origin.face as usize].map(|v| input.file_vertex(v) + 1);
        let (face, [wa, wb, wc]) = (origin.face + 1, origin.weights);
        writeln!(text, "{vertex},{face},{wa:?},{wb:?},{wc:?},{a},{b},{c}").expect("text can be written");
    }
    text
}
