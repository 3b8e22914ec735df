//! Bodies as glTF.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::parse_gltf;

fuzz_target!(|data: &[u8]| {
    _ = parse_gltf(data, Path::new("a.glb"), 2.0, None);
});
