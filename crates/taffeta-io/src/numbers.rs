//! Arrays of numbers as NumPy writes them, of any type and shape: `.npy` files with one and `.npz` files with several.
//!
//! Readers take booleans, integers of 8 to 64 bits and floating-point numbers of 32 and 64 bits, in C or Fortran order,
//! compressed or not. They do not take `numpy.float16` and complex numbers. The result has 64-bit floating-point numbers in C
//! order: whole numbers up to 2⁵³ are exact. Writers write `float64`, `int32` and `bool`.

use crate::archive::Archive;
use crate::claims::check_array;
use crate::frame::ReadError;
use ndarray::{ArrayD, IxDyn};
use ndarray_npy::{NpzWriter, ReadNpyError, ReadNpyExt, ReadableElement, WriteNpzError};
use std::io::{self, Seek, Write};

/// Kind of the numbers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Any number.
    Real,
    /// Whole numbers.
    Whole,
    /// 0 and 1.
    Truth,
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberArray {
    /// Length along each axis; their product is the length of `values`.
    pub shape: Vec<usize>,
    /// The numbers in C order: the last axis runs fastest.
    pub values: Vec<f64>,
    /// Kind of the numbers.
    pub kind: NumberKind,
}

impl NumberArray {
    /// Rows of real numbers.
    pub fn rows<const N: usize>(rows: &[[f64; N]]) -> Self {
        Self { shape: vec![rows.len(), N], values: rows.as_flattened().to_vec(), kind: NumberKind::Real }
    }

    /// Rows of whole numbers.
    pub fn whole_rows<const N: usize>(rows: &[[u32; N]]) -> Self {
        let values = rows.as_flattened().iter().map(|&number| f64::from(number)).collect();
        Self { shape: vec![rows.len(), N], values, kind: NumberKind::Whole }
    }

    /// A list of numbers of a kind.
    pub fn list(values: Vec<f64>, kind: NumberKind) -> Self {
        Self { shape: vec![values.len()], values, kind }
    }

    /// The shape as Python writes it.
    pub fn shape_text(&self) -> String {
        let lengths: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
    }
}

/// A type of numbers in files.
trait Number: ReadableElement + Copy {
    const KIND: NumberKind;
    fn to_f64(self) -> f64;
}

/// Implements [`Number`] for types of a kind.
macro_rules! numbers {
    ($kind:ident: $($number:ty),*) => {
        $(impl Number for $number {
            const KIND: NumberKind = NumberKind::$kind;
            fn to_f64(self) -> f64 {
                self as f64
            }
        })*
    };
}

numbers!(Real: f32, f64);
numbers!(Whole: i8, i16, i32, i64, u8, u16, u32, u64);

impl Number for bool {
    const KIND: NumberKind = NumberKind::Truth;
    fn to_f64(self) -> f64 {
        f64::from(u8::from(self))
    }
}

/// Reads an array whose header has been checked. Tries the types one after the other.
fn read_any(bytes: &[u8]) -> Result<NumberArray, ReadError> {
    let mut found = read_as::<f64>(bytes);
    for read in [
        read_as::<f32>,
        read_as::<i64>,
        read_as::<i32>,
        read_as::<bool>,
        read_as::<u32>,
        read_as::<u64>,
        read_as::<u8>,
        read_as::<i8>,
        read_as::<i16>,
        read_as::<u16>,
    ] {
        match found {
            Err(ReadNpyError::WrongDescriptor(_)) => found = read(bytes),
            _ => break,
        }
    }
    found.map_err(|error| match error {
        ReadNpyError::WrongDescriptor(descriptor) => ReadError(format!(
            "it has numbers of the type {descriptor}, but booleans, integers (8, 16, 32 or 64 bits), float32 or float64 are read"
        )),
        error => ReadError::new(error),
    })
}

fn read_as<T: Number>(bytes: &[u8]) -> Result<NumberArray, ReadNpyError> {
    let array = ArrayD::<T>::read_npy(bytes)?;
    let values = array.iter().map(|&number| number.to_f64()).collect();
    Ok(NumberArray { shape: array.shape().to_vec(), values, kind: T::KIND })
}

/// Reads a `.npy` file.
///
/// # Errors
/// If the bytes are no such file, its header claims more or less numbers than it has, or they are of a type that is not
/// read.
pub fn read_npy_numbers(bytes: &[u8]) -> Result<NumberArray, ReadError> {
    check_array(bytes)?;
    read_any(bytes)
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
    Ok(names
        .map(|(number, name)| (name, archive.unpack(number).and_then(|entry| read_any(&entry))))
        .collect())
}

/// Writes arrays with their names to a `.npz` file. Whole numbers must be below 2³¹.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// If the shape of an array does not fit its values.
pub fn write_npz_numbers(writer: impl Write + Seek, arrays: &[(String, NumberArray)]) -> io::Result<()> {
    let mut npz = NpzWriter::new(writer);
    for (name, array) in arrays {
        add(&mut npz, name, array).map_err(io::Error::other)?;
    }
    npz.finish().map_err(io::Error::other)?.flush()
}

fn add<W: Write + Seek>(
    npz: &mut NpzWriter<W>,
    name: &str,
    NumberArray { shape, values, kind }: &NumberArray,
) -> Result<(), WriteNpzError> {
    let fits = "the shape has as many entries as there are values";
    let shape = || IxDyn(shape);
    match kind {
        NumberKind::Real => {
            npz.add_array(name, &ArrayD::from_shape_vec(shape(), values.clone()).expect(fits))
        }
        NumberKind::Whole => {
            let values = values.iter().map(|&number| number as i32).collect();
            npz.add_array(name, &ArrayD::<i32>::from_shape_vec(shape(), values).expect(fits))
        }
        NumberKind::Truth => {
            let values = values.iter().map(|&number| number != 0.0).collect();
            npz.add_array(name, &ArrayD::<bool>::from_shape_vec(shape(), values).expect(fits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ShapeBuilder, arr0};
    use ndarray_npy::WriteNpyExt;
    use std::io::Cursor;

    fn npy(array: &impl WriteNpyExt) -> Vec<u8> {
        let mut bytes = Vec::new();
        array.write_npy(&mut bytes).expect("memory can be written");
        bytes
    }

    #[test]
    fn every_type_and_order_gives_the_same_numbers() {
        let expected = |kind| NumberArray { shape: vec![2, 2], values: vec![1.0, 0.0, 1.0, 1.0], kind };
        let numbers = [[1u8, 0], [1, 1]];
        let array = Array2::from_shape_fn((2, 2), |(i, k)| numbers[i][k]);
        for (bytes, kind) in [
            (npy(&array.mapv(f64::from)), NumberKind::Real),
            (npy(&array.mapv(f32::from)), NumberKind::Real),
            (npy(&array.mapv(i32::from)), NumberKind::Whole),
            (npy(&array.mapv(i64::from)), NumberKind::Whole),
            (npy(&array.mapv(u32::from)), NumberKind::Whole),
            (npy(&array.mapv(u64::from)), NumberKind::Whole),
            (npy(&array), NumberKind::Whole),
            (npy(&array.mapv(|number| number == 1)), NumberKind::Truth),
        ] {
            assert_eq!(read_npy_numbers(&bytes).expect("a good file"), expected(kind));
        }
        let fortran = Array2::from_shape_fn((2, 2).f(), |(i, k)| f64::from(numbers[i][k]));
        assert_eq!(read_npy_numbers(&npy(&fortran)).expect("a good file"), expected(NumberKind::Real));
        assert_eq!(read_npy_numbers(&npy(&arr0(3.5))).expect("a good file").shape, [0usize; 0]);
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
        let bytes = npy(&arr0(1.0));
        assert!(read_npy_numbers(&bytes[..bytes.len() - 1]).is_err());
        let mut half = bytes.clone();
        let at = half.windows(3).position(|word| word == b"<f8").expect("the type of the numbers");
        half[at + 2] = b'2';
        let error = read_npy_numbers(&half).unwrap_err();
        assert!(error.0.contains("float32 or float64 are read"), "{error}");
        assert_eq!(NumberArray::rows(&[[1.0; 3]]).shape_text(), "(1, 3)");
        assert_eq!(NumberArray::list(vec![1.0], NumberKind::Real).shape_text(), "(1,)");
    }
}
