//! Claims of the header of a file, compared with its content before anything is made room for.

use crate::frame::ReadError;
use ndarray_npy::npy::header::Header;
use ply_rs_bw::ply::{self, Encoding, PropertyType, ScalarType};

/// Bytes of the header of an array; NumPy reads no longer ones either unless it is told to (`max_header_size`).
const MAX_ARRAY_HEADER: usize = 10_000;
/// Brackets that the header of an array opens. That of plain numbers opens two; the parser of the library recurses into
/// each and would run out of stack.
const MAX_ARRAY_BRACKETS: usize = 64;

/// Checks the header of an array in the format of NumPy against the bytes behind it. Returns how many numbers it has.
///
/// # Errors
/// If the header is malformed, or its shape and its type call for another number of bytes than there are.
pub(crate) fn check_array(bytes: &[u8]) -> Result<usize, ReadError> {
    let header = read_array_header(bytes)?;
    let refuse = || {
        let lengths: Vec<String> = header.0.shape.iter().map(usize::to_string).collect();
        let (shape, kind, rest) = (lengths.join(", "), &header.0.type_descriptor, header.1.len());
        ReadError(format!(
            "its header claims numbers of the type {kind} in the shape ({shape}), but {rest} bytes follow"
        ))
    };
    // Axes of length 0 too must have a product that can be counted.
    let product = header.0.shape.iter().try_fold(1usize, |product, axis| product.checked_mul((*axis).max(1)));
    let product = product.filter(|product| *product <= isize::MAX as usize / 8).ok_or_else(refuse)?;
    let count = if header.0.shape.contains(&0) { 0 } else { product };
    match number_size(&header.0.type_descriptor.to_string()) {
        Some(size) if count.checked_mul(size) != Some(header.1.len()) => Err(refuse()),
        _ => Ok(count),
    }
}

/// The header of an array and the bytes behind it.
fn read_array_header(bytes: &[u8]) -> Result<(Header, &[u8]), ReadError> {
    let early = || ReadError("it ends within its header".to_owned());
    let size = |range: std::ops::Range<usize>| {
        let bytes = bytes.get(range).ok_or_else(early)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err(ReadError("it is no array of NumPy: those start with \\x93NUMPY".to_owned()));
    }
    let start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
    let length = size(8..start)?;
    if length > MAX_ARRAY_HEADER {
        return Err(ReadError(format!(
            "its header has {length} bytes, more than the {MAX_ARRAY_HEADER} that are read"
        )));
    }
    let text = bytes.get(start..start + length).ok_or_else(early)?;
    if text.iter().filter(|byte| b"([{".contains(byte)).count() > MAX_ARRAY_BRACKETS {
        return Err(ReadError("its header has more brackets than that of an array of numbers".to_owned()));
    }
    let mut rest = bytes;
    let header = Header::from_reader(&mut rest).map_err(ReadError::new)?;
    Ok((header, rest))
}

/// Bytes of a number by its type as NumPy writes it, in quotes; `None`: of a type that is not read.
fn number_size(descriptor: &str) -> Option<usize> {
    let name = descriptor.trim_matches(['\'', '"']).trim_start_matches(['<', '>', '|', '=']);
    match name {
        "b1" | "i1" | "u1" => Some(1),
        "i2" | "u2" => Some(2),
        "i4" | "u4" | "f4" => Some(4),
        "i8" | "u8" | "f8" => Some(8),
        _ => None,
    }
}

/// Checks the counts of elements in the header of a PLY file against the bytes behind it.
///
/// # Errors
/// If the elements cannot be in so few bytes, or have no properties.
pub(crate) fn check_elements(header: &ply::Header, rest: usize) -> Result<(), ReadError> {
    let is_text = header.encoding == Encoding::Ascii;
    // A word of a text has a character and one behind it, but for the last.
    let mut room = rest + usize::from(is_text);
    for (name, element) in &header.elements {
        let least: usize =
            element.properties.values().map(|p| if is_text { 2 } else { least_size(&p.data_type) }).sum();
        if least == 0 && element.count > 0 {
            return Err(ReadError(format!("its {name} elements have no properties")));
        }
        let needed = element.count.checked_mul(least).filter(|needed| *needed <= room);
        room -= needed.ok_or_else(|| {
            ReadError(format!(
                "its header claims {} {name} elements of at least {least} bytes, but {room} bytes are left for them",
                element.count
            ))
        })?;
    }
    Ok(())
}

/// Bytes that a property takes at least: those of an empty list are its length.
fn least_size(property: &PropertyType) -> usize {
    let (PropertyType::Scalar(kind) | PropertyType::List(kind, _)) = property;
    match kind {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}
