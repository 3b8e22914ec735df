//! Archives of arrays, and frames in them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta::io::{read_npz, read_npz_numbers};

fuzz_target!(|data: &[u8]| {
    if let Ok(frame) = read_npz(data) {
        assert_eq!(frame.find_defect(), None);
    }
    for (_, array) in read_npz_numbers(data).into_iter().flatten() {
        let Ok(array) = array else { continue };
        assert_eq!(array.shape.iter().product::<usize>(), array.values.len());
    }
});
