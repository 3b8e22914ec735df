//! Arrays of numbers as NumPy writes them, of any type and shape: `.npy` files with one and `.npz` files with several.
//!
//! Readers take booleans, integers of 8 to 64 bits and floating-point numbers of 32 and 64 bits, in C or Fortran order,
//! compressed or not. They do not take `numpy.float16` and complex numbers. The result has 64-bit floating-point numbers in C
//! order: whole numbers up to 2⁵³ are exact. Writers write `float64`, `int32` and `bool`.

use super::archive::{Archive, ArchiveWriter};
use super::npy::{NumberArray, NumberKind, read_npy};
use crate::frame::ReadError;
use std::io::{self, Seek, Write};

/// Reads a `.npy` file.
///
/// # Errors
/// If the bytes are no such file, its header claims more or less numbers than it has, or they are of a type that is not
/// read.
pub fn read_npy_numbers(bytes: &[u8]) -> Result<NumberArray, ReadError> {
    read_npy(bytes)
}

/// An array of an archive: its name, and its numbers or why they are not read.
pub type ArchivedArray = (String, Result<NumberArray, ReadError>);

/// Reads the arrays of a `.npz` file with their names, in the order of the file. Each may fail by itself. Texts and other
/// objects are no arrays of numbers. An array that claims more than it has, or unpacks to far more than the file, is refused.
///
/// # Errors
/// If the bytes are no such file.
pub fn read_npz_numbers(bytes: &[u8]) -> Result<Vec<ArchivedArray>, ReadError> {
    let mut archive = Archive::open(bytes)?;
    let names = archive.names().into_iter().enumerate();
    Ok(names.map(|(number, name)| (name, archive.read(number))).collect())
}

/// Writes arrays with their names to a `.npz` file. Whole numbers must be below 2³¹.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// If the shape of an array does not fit its values.
pub fn write_npz_numbers(writer: impl Write + Seek, arrays: &[(String, NumberArray)]) -> io::Result<()> {
    let mut archive = ArchiveWriter::new(writer);
    for (name, NumberArray { shape, values, kind }) in arrays {
        let values = values.iter().copied();
        match kind {
            NumberKind::Real => archive.add(name, shape, values),
            NumberKind::Whole => archive.add(name, shape, values.map(|number| number as i32)),
            NumberKind::Truth => archive.add(name, shape, values.map(|number| number != 0.0)),
        }?;
    }
    archive.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A file as NumPy writes it: of a type, an order and a shape.
    fn npy(name: &str, is_fortran: bool, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let order = if is_fortran { "True" } else { "False" };
        let text = format!("{{'descr': '{name}', 'fortran_order': {order}, 'shape': {shape}, }}");
        [b"\x93NUMPY\x01\x00\x76\x00", format!("{text:117}\n").as_bytes(), numbers].concat()
    }

    #[test]
    fn every_type_and_order_gives_the_same_numbers() {
        let expected = |kind| NumberArray { shape: vec![2, 2], values: vec![1.0, 0.0, 1.0, 1.0], kind };
        let numbers = [1u8, 0, 1, 1];
        /// The numbers as a type, the lowest byte first and the highest first.
        macro_rules! bytes {
            ($number:ty) => {{
                let numbers = numbers.map(|number| number as $number);
                [numbers.map(<$number>::to_le_bytes).concat(), numbers.map(<$number>::to_be_bytes).concat()]
            }};
        }
        for (name, bytes, kind) in [
            ("f8", bytes!(f64), NumberKind::Real),
            ("f4", bytes!(f32), NumberKind::Real),
            ("i8", bytes!(i64), NumberKind::Whole),
            ("i4", bytes!(i32), NumberKind::Whole),
            ("i2", bytes!(i16), NumberKind::Whole),
            ("i1", bytes!(i8), NumberKind::Whole),
            ("u8", bytes!(u64), NumberKind::Whole),
            ("u4", bytes!(u32), NumberKind::Whole),
            ("u2", bytes!(u16), NumberKind::Whole),
            ("u1", bytes!(u8), NumberKind::Whole),
            ("b1", bytes!(u8), NumberKind::Truth),
        ] {
            for (order, bytes) in ["<", ">"].into_iter().zip(bytes) {
                let order = if name.ends_with('1') { "|" } else { order };
                let file = npy(&format!("{order}{name}"), false, "(2, 2)", &bytes);
                assert_eq!(read_npy_numbers(&file).expect("a good file"), expected(kind), "{order}{name}");
            }
        }
        let fortran = npy("|i1", true, "(2, 2)", &[1, 1, 0, 1]);
        assert_eq!(read_npy_numbers(&fortran).expect("a good file"), expected(NumberKind::Whole));
        let values = [3.5f64, -1e300];
        let scalar = npy("<f8", false, "()", &values[0].to_le_bytes());
        let scalar = read_npy_numbers(&scalar).expect("a good file");
        assert_eq!((scalar.shape, scalar.values), (vec![], vec![3.5]));
        let list = npy("<f8", false, "(2,)", &values.map(f64::to_le_bytes).concat());
        assert_eq!(read_npy_numbers(&list).expect("a good file").values, values);
    }

    #[test]
    fn of_an_array_in_the_order_of_fortran_the_first_axis_runs_fastest() {
        let numbers: Vec<u8> = (0..24).collect();
        let array = read_npy_numbers(&npy("|u1", true, "(2, 3, 4)", &numbers)).expect("a good file");
        let expected = (0..24).map(|at| {
            let (i, j, k) = (at / 12, at / 4 % 3, at % 4);
            f64::from(i + 2 * (j + 3 * k))
        });
        assert_eq!(array.values, expected.collect::<Vec<_>>());
        assert_eq!(array.shape, [2, 3, 4]);
    }

    #[test]
    fn archives_give_back_what_was_written() {
        let arrays = [
            ("positions".to_owned(), NumberArray::rows(&[[0.1, -2.0, 1e-300]])),
            ("faces".to_owned(), NumberArray::whole_rows(&[[0, 7, 2_000_000_000], [1, 2, 3]])),
            ("pinned".to_owned(), NumberArray::list(vec![1.0, 0.0], NumberKind::Truth)),
        ];
        let mut bytes = Cursor::new(Vec::new());
        write_npz_numbers(&mut bytes, &arrays).expect("memory can be written");
        let read = read_npz_numbers(&bytes.into_inner()).expect("a good file");
        assert_eq!(read, arrays.map(|(name, array)| (name, Ok(array))));
    }

    #[test]
    fn what_is_no_array_of_numbers_is_refused() {
        assert!(read_npz_numbers(b"PK?").is_err() && read_npy_numbers(b"").is_err());
        let good = npy("<f8", false, "()", &1f64.to_le_bytes());
        for length in 0..good.len() {
            assert!(read_npy_numbers(&good[..length]).is_err(), "{length}");
        }
        let mut future = good;
        future[6] = 4;
        for (bytes, reason) in [
            (npy("<f2", false, "()", &[0; 2]), "float32 or float64 are read"),
            (npy("<U5", false, "(1,)", &[0; 20]), "numbers of the type '<U5'"),
            (npy("|b1", false, "(2,)", &[1, 7]), "one of its booleans is 7"),
            (npy("<f8", false, "(1, 'a')", &[0; 8]), "malformed at `'a')"),
            (npy("<f8", false, "(-1,)", &[0; 8]), "malformed at `-1,)"),
            (npy("<f8", false, "(1", &[0; 8]), "malformed at `}`"),
            (npy("<f8', 'pages': '3", false, "(1,)", &[0; 8]), "malformed at `'pages': '3'"),
            (npy("<f8", false, "(1,)}, {", &[0; 8]), "malformed at `, {"),
            (b"\x93NUMPY\x01\x00\x02\x00{}".to_vec(), "malformed: one like"),
            (future, "version 4 of the format"),
        ] {
            let error = read_npy_numbers(&bytes).expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}, not {reason}");
        }
        assert_eq!(NumberArray::rows(&[[1.0; 3]]).shape_text(), "(1, 3)");
        assert_eq!(NumberArray::list(vec![1.0], NumberKind::Real).shape_text(), "(1,)");
    }
}
