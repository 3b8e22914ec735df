//! Claims of the header of a PLY file, compared with its content before anything is made room for.

use crate::frame::ReadError;
use ply_rs_bw::ply::{self, Encoding, PropertyType, ScalarType};

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
