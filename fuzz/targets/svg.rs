//! Outlines in SVG documents.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::io::parse_outline;

fuzz_target!(|data: &[u8]| {
    _ = parse_outline(data, Path::new("a.svg"), 5.0, Some(1.0));
});
