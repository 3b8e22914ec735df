//! Headers of arrays: a dictionary as Python writes it, with the type of the numbers, their order and the shape.

use crate::frame::ReadError;

/// First bytes of every array.
const MAGIC: &[u8] = b"\x93NUMPY";
/// Alignment of the first number \[bytes\].
const ALIGNMENT: usize = 64;
/// Limit of a header \[bytes\], which is NumPy's default too (`max_header_size`).
const MAX_LENGTH: usize = 10_000;
/// Characters of a malformed header in the error message.
const QUOTED: usize = 40;

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

/// Header of an array.
pub(super) struct Header {
    /// Type of the numbers.
    pub scalar: Scalar,
    /// True if the highest byte of a number is the first.
    pub is_big_endian: bool,
    /// True if the first axis runs fastest.
    pub is_fortran: bool,
    /// Length along each axis.
    pub shape: Vec<usize>,
}

/// A number type of arrays that can be read.
pub(super) struct Scalar {
    /// Kind of the numbers.
    pub kind: NumberKind,
    /// Bytes of a number.
    pub size: usize,
    /// Converts bytes, the lowest first, to a number.
    pub read: fn(&[u8]) -> f64,
}

impl Scalar {
    /// The type with a name, without byte order; `None`: it is not supported.
    fn find(name: &str) -> Option<Self> {
        /// Format of a Rust type.
        macro_rules! scalar {
            ($kind:ident, $number:ty) => {
                Self {
                    kind: $kind,
                    size: size_of::<$number>(),
                    read: |bytes| <$number>::from_le_bytes(bytes.try_into().expect("as many bytes")) as f64,
                }
            };
        }
        use NumberKind::{Real, Truth, Whole};
        Some(match name {
            "f8" => scalar!(Real, f64),
            "f4" => scalar!(Real, f32),
            "i8" => scalar!(Whole, i64),
            "i4" => scalar!(Whole, i32),
            "i2" => scalar!(Whole, i16),
            "i1" => scalar!(Whole, i8),
            "u8" => scalar!(Whole, u64),
            "u4" => scalar!(Whole, u32),
            "u2" => scalar!(Whole, u16),
            "u1" => scalar!(Whole, u8),
            "b1" => scalar!(Truth, u8),
            _ => return None,
        })
    }
}

impl Header {
    /// The header of an array, and the bytes behind it: as many as it claims.
    ///
    /// # Errors
    /// If it is malformed, does not fit the number of bytes, or names a type that is not supported.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), ReadError> {
        let ((name, is_fortran, shape), numbers) = parse(bytes)?;
        let scalar = Scalar::find(name.trim_start_matches(['<', '>', '|'])).ok_or_else(|| {
            ReadError(format!(
                "it has numbers of the type '{name}', but booleans, integers (8, 16, 32 or 64 bits), float32 or float64 are read"
            ))
        })?;
        // Next to an axis of length 0, the product of the others must not overflow either.
        let product = shape.iter().try_fold(1usize, |product, axis| product.checked_mul((*axis).max(1)));
        let product = product.filter(|product| *product <= isize::MAX as usize / 8);
        let count = product.map(|product| if shape.contains(&0) { 0 } else { product });
        if count.and_then(|count| count.checked_mul(scalar.size)) != Some(numbers.len()) {
            return Err(ReadError(format!(
                "its header claims numbers of the type '{name}' in the shape {}, but {} bytes follow",
                shape_text(&shape),
                numbers.len()
            )));
        }
        Ok((Self { scalar, is_big_endian: name.starts_with('>'), is_fortran, shape }, numbers))
    }
}

/// Name of the type, true for Fortran order, shape.
type Dictionary<'a> = (&'a str, bool, Vec<usize>);

/// The dictionary of an array, and the bytes behind its header.
fn parse(bytes: &[u8]) -> Result<(Dictionary<'_>, &[u8]), ReadError> {
    let (mut rest, numbers) = split(bytes)?;
    let dictionary = read_dictionary(&mut rest).filter(|_| rest.trim().is_empty());
    let dictionary = dictionary.ok_or_else(|| {
        let found: String = rest.trim().chars().take(QUOTED).collect();
        let place = if found.is_empty() { String::new() } else { format!(" at `{found}`") };
        ReadError(format!(
            "its header is malformed{place}: one like {{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3)}} is expected"
        ))
    })?;
    Ok((dictionary, numbers))
}

/// The number of characters of each text of a list, and the characters of all, the lowest byte first.
///
/// # Errors
/// If it is no list of texts, or does not fit the number of bytes.
pub(super) fn read_texts(bytes: &[u8]) -> Result<(usize, &[[u8; 4]]), ReadError> {
    let ((name, _, shape), rest) = parse(bytes)?;
    let width: Option<usize> = name.strip_prefix("<U").and_then(|width| width.parse().ok());
    let (characters, odd) = rest.as_chunks::<4>();
    let fits = |width: &usize| width.checked_mul(shape[0]) == Some(characters.len()) && odd.is_empty();
    match (width, shape.len()) {
        (Some(width), 1) if fits(&width) => Ok((width, characters)),
        _ => Err(ReadError(format!(
            "a list of texts is expected, but it is of the type '{name}' in the shape {}, of {} bytes",
            shape_text(&shape),
            rest.len()
        ))),
    }
}

/// The text of a header and the bytes behind it.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), ReadError> {
    let early = || ReadError("it ends within its header".to_owned());
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| ReadError("it is no array of NumPy: those start with \\x93NUMPY".to_owned()))?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(early)?;
    let width = match version[0] {
        1 => 2,
        2 | 3 => 4,
        other => return Err(ReadError(format!("it has version {other} of the format, but 1 to 3 are read"))),
    };
    let (length, rest) = rest.split_at_checked(width).ok_or_else(early)?;
    let length = length.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
    if length > MAX_LENGTH {
        return Err(ReadError(format!(
            "its header has {length} bytes, more than the {MAX_LENGTH} that are read"
        )));
    }
    let (text, numbers) = rest.split_at_checked(length).ok_or_else(early)?;
    let text = std::str::from_utf8(text).map_err(|_| ReadError("its header is no text".to_owned()))?;
    Ok((text, numbers))
}

/// Reads a dictionary of the three keys: name of the type, true for Fortran order, shape. `None`: it is malformed at the start
/// of the rest.
fn read_dictionary<'a>(rest: &mut &'a str) -> Option<Dictionary<'a>> {
    let (mut name, mut is_fortran, mut shape) = (None, None, None);
    read_list(rest, ['{', '}'], |rest| {
        let start = *rest;
        let key = read_quoted(rest)?;
        read_sign(rest, ':')?;
        match key {
            "descr" => name = Some(read_quoted(rest)?),
            "fortran_order" => is_fortran = Some(read_truth(rest)?),
            "shape" => {
                let mut lengths = Vec::new();
                read_list(rest, ['(', ')'], |rest| {
                    lengths.push(read_length(rest)?);
                    Some(())
                })?;
                shape = Some(lengths);
            }
            _ => {
                *rest = start;
                return None;
            }
        }
        Some(())
    })?;
    Some((name?, is_fortran?, shape?))
}

/// Reads a list in brackets, with commas between the elements and perhaps after the last one.
fn read_list<'a>(
    rest: &mut &'a str,
    [open, close]: [char; 2],
    mut read_element: impl FnMut(&mut &'a str) -> Option<()>,
) -> Option<()> {
    read_sign(rest, open)?;
    while read_sign(rest, close).is_none() {
        read_element(rest)?;
        if read_sign(rest, ',').is_none() {
            return read_sign(rest, close);
        }
    }
    Some(())
}

fn read_sign(rest: &mut &str, sign: char) -> Option<()> {
    *rest = rest.trim_start().strip_prefix(sign)?;
    Some(())
}

fn read_quoted<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let start = rest.trim_start();
    let quote = start.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    let (text, end) = start[1..].split_once(quote)?;
    *rest = end;
    Some(text)
}

fn read_truth(rest: &mut &str) -> Option<bool> {
    for (word, value) in [("True", true), ("False", false)] {
        if let Some(end) = rest.trim_start().strip_prefix(word) {
            *rest = end;
            return Some(value);
        }
    }
    None
}

fn read_length(rest: &mut &str) -> Option<usize> {
    let start = rest.trim_start();
    let end = start.find(|c: char| !c.is_ascii_digit()).unwrap_or(start.len());
    let length = start[..end].parse().ok()?;
    *rest = &start[end..];
    Some(length)
}

/// A shape as Python writes it.
pub(super) fn shape_text(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
}

/// The bytes of the header of numbers in C order.
///
/// # Panics
/// If the shape has hundreds of axes.
pub(super) fn format(name: &str, shape: &[usize]) -> Vec<u8> {
    let mut text = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': {}}}", shape_text(shape));
    // The magic, two bytes of the version and two of the length precede it; a newline follows.
    let start = MAGIC.len() + 4;
    let padded = (start + text.len() + 2).next_multiple_of(ALIGNMENT) - start - 1;
    text += &" ".repeat(padded - text.len());
    text.push('\n');
    let length = u16::try_from(text.len()).expect("few axes");
    [MAGIC, b"\x01\x00", &length.to_le_bytes(), text.as_bytes()].concat()
}
