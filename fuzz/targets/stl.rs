//! Surfaces in STL files, as text and binary.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::parse_mesh;

fuzz_target!(|data: &[u8]| {
    if let Ok(file) = parse_mesh(data, Path::new("a.stl")) {
        assert!(file.mesh.positions.iter().all(|x| x.is_finite()));
    }
});
