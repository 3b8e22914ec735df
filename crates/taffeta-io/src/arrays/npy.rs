//! Arrays in the format of NumPy: a header that is a Python dictionary with three keys, then the numbers.
//!
//! ```text
//! \x93NUMPY, version, length of the header
//! {'descr': '<f8', 'fortran_order': False, 'shape': (4, 3)}      padded with spaces, ends with a newline
//! 96 bytes: 4 × 3 numbers of 8 bytes, the lowest byte first
//! ```

mod header;

use crate::frame::ReadError;
pub use header::NumberKind;
use header::{Header, Scalar};
use std::io::{self, Write};

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
        header::shape_text(&self.shape)
    }
}

/// Count of the numbers of an array, after its header was checked against the bytes behind it.
///
/// # Errors
/// As [`read_npy`].
pub(crate) fn count_numbers(bytes: &[u8]) -> Result<usize, ReadError> {
    let (header, numbers) = Header::read(bytes)?;
    Ok(numbers.len() / header.scalar.size)
}

/// Reads an array.
///
/// # Errors
/// If the header is malformed, its shape and type do not fit the number of bytes, or the type is not supported.
pub(crate) fn read_npy(bytes: &[u8]) -> Result<NumberArray, ReadError> {
    let (header, numbers) = Header::read(bytes)?;
    let Header { scalar: Scalar { kind, size, read }, is_big_endian, is_fortran, shape } = header;
    if kind == NumberKind::Truth
        && let Some(value) = numbers.iter().find(|byte| **byte > 1)
    {
        return Err(ReadError(format!("one of its booleans is {value}, neither 0 nor 1")));
    }
    let words = numbers.chunks_exact(size);
    let values = if is_big_endian {
        words.map(|word| read(&word.iter().rev().copied().collect::<Vec<u8>>())).collect()
    } else {
        words.map(read).collect()
    };
    let values = if is_fortran { to_c_order(&shape, values) } else { values };
    Ok(NumberArray { shape, values, kind })
}

/// Reads a list of texts: numbers of characters, equally many each, filled up with zeros.
///
/// # Errors
/// If it is no list of texts, or does not fit the number of bytes.
pub(crate) fn read_texts(bytes: &[u8]) -> Result<Vec<String>, ReadError> {
    let (width, characters) = header::read_texts(bytes)?;
    let text = |characters: &[[u8; 4]]| -> Result<String, ReadError> {
        let numbers = characters.iter().map(|bytes| u32::from_le_bytes(*bytes)).filter(|number| *number != 0);
        let text = numbers.map(char::from_u32).collect::<Option<String>>();
        text.ok_or_else(|| ReadError("one of its characters does not exist".to_owned()))
    };
    characters.chunks(width.max(1)).map(text).collect()
}

/// Writes a list of texts.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_texts(mut writer: impl Write, texts: &[String]) -> io::Result<()> {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = header::format(&format!("<U{width}"), &[texts.len()]);
    for text in texts {
        let characters = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
        bytes.extend(characters.flat_map(u32::to_le_bytes));
    }
    writer.write_all(&bytes)
}

/// Transposes the numbers of an array from Fortran order to C order.
fn to_c_order(shape: &[usize], values: Vec<f64>) -> Vec<f64> {
    let strides: Vec<usize> =
        shape.iter().scan(1, |next, axis| Some(std::mem::replace(next, *next * axis))).collect();
    let mut place = vec![0; shape.len()];
    let mut ordered = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        ordered.push(values[place.iter().zip(&strides).map(|(i, stride)| i * stride).sum::<usize>()]);
        for (i, length) in place.iter_mut().zip(shape).rev() {
            *i = (*i + 1) % length;
            if *i > 0 {
                break;
            }
        }
    }
    ordered
}

/// A number type of written arrays.
pub(crate) trait Stored: Copy {
    /// Its name in headers.
    const NAME: &str;
    /// Appends the bytes of a number.
    fn put(self, bytes: &mut Vec<u8>);
}

/// Implements [`Stored`] for types of numbers by their names.
macro_rules! stored {
    ($($number:ty: $name:literal),*) => {
        $(impl Stored for $number {
            const NAME: &str = $name;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        })*
    };
}

stored!(f64: "<f8", i32: "<i4", i64: "<i8");

impl Stored for bool {
    const NAME: &str = "|b1";
    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}

/// Writes an array in C order.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// If the shape does not fit the number of values.
pub(crate) fn write_npy<T: Stored>(
    mut writer: impl Write,
    shape: &[usize],
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let mut bytes = header::format(T::NAME, shape);
    let mut count = 0;
    for value in values {
        value.put(&mut bytes);
        count += 1;
    }
    assert_eq!(count, shape.iter().product::<usize>(), "the shape has as many entries as there are values");
    writer.write_all(&bytes)
}
