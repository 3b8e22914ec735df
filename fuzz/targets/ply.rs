//! Surfaces in any PLY files, and frames in those of the project.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::{parse_mesh, read_ply};

fuzz_target!(|data: &[u8]| {
    _ = parse_mesh(data, Path::new("a.ply"));
    if let Ok(frame) = read_ply(data) {
        assert_eq!(frame.find_defect(), None);
    }
});
