//! Sewing patterns.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::parse_garment;

fuzz_target!(|data: &[u8]| {
    _ = parse_garment(data, Path::new("a.json"), 0.1);
});
