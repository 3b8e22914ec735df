//! Single arrays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta::io::read_npy_numbers;

fuzz_target!(|data: &[u8]| {
    if let Ok(array) = read_npy_numbers(data) {
        assert_eq!(array.shape.iter().product::<usize>(), array.values.len());
    }
});
