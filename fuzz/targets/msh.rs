//! Tetrahedra in Gmsh files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::parse_msh;

fuzz_target!(|data: &[u8]| {
    if let Ok(mesh) = parse_msh(data, Path::new("a.msh")) {
        let count = mesh.positions.len();
        assert!(mesh.tetrahedra.as_flattened().iter().all(|vertex| (*vertex as usize) < count));
    }
});
