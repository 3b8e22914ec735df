//! Meshes and polylines in OBJ files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::parse_mesh;

fuzz_target!(|data: &[u8]| {
    if let Ok(file) = parse_mesh(data, Path::new("a.obj")) {
        let count = file.mesh.positions.len();
        assert!(file.mesh.faces.as_flattened().iter().all(|vertex| (*vertex as usize) < count));
    }
});
