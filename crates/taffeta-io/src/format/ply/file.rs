//! PLY files of any content: a header that lists elements with typed properties, then their values as text or as bytes.
//!
//! The counts of the header are checked against the bytes behind it before memory is allocated.

use crate::frame::ReadError;

/// Encoding of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// Type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Float,
    Double,
}

impl Scalar {
    /// The type of a name; both generations of names are in use.
    fn find(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::Char,
            "uchar" | "uint8" => Self::UChar,
            "short" | "int16" => Self::Short,
            "ushort" | "uint16" => Self::UShort,
            "int" | "int32" => Self::Int,
            "uint" | "uint32" => Self::UInt,
            "float" | "float32" => Self::Float,
            "double" | "float64" => Self::Double,
            _ => return None,
        })
    }

    /// Bytes of a number.
    fn size(self) -> usize {
        match self {
            Self::Char | Self::UChar => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt | Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// Converts eight bytes to a number; those of the type come first, the lowest first.
    fn decode(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Self::Char => f64::from(i8::from_le_bytes([a])),
            Self::UChar => f64::from(a),
            Self::Short => f64::from(i16::from_le_bytes([a, b])),
            Self::UShort => f64::from(u16::from_le_bytes([a, b])),
            Self::Int => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::UInt => f64::from(u32::from_le_bytes([a, b, c, d])),
            Self::Float => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::Double => f64::from_le_bytes(bytes),
        }
    }

    /// Returns whether the type can represent a number.
    fn has(self, number: f64) -> bool {
        let [low, high] = match self {
            Self::Char => [f64::from(i8::MIN), f64::from(i8::MAX)],
            Self::UChar => [0.0, f64::from(u8::MAX)],
            Self::Short => [f64::from(i16::MIN), f64::from(i16::MAX)],
            Self::UShort => [0.0, f64::from(u16::MAX)],
            Self::Int => [f64::from(i32::MIN), f64::from(i32::MAX)],
            Self::UInt => [0.0, f64::from(u32::MAX)],
            Self::Float | Self::Double => return true,
        };
        number.fract() == 0.0 && (low..=high).contains(&number)
    }
}

/// A property of an element.
#[derive(Clone, Debug)]
struct Property {
    name: String,
    /// Type of the length; `None`: it is a single number.
    length: Option<Scalar>,
    /// Type of the numbers.
    scalar: Scalar,
}

/// Elements of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// Name of the kind.
    pub name: String,
    count: usize,
    properties: Vec<Property>,
}

impl Element {
    /// Returns whether the elements have a property.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.properties.iter().any(|property| property.name == name)
    }

    /// Smallest size of an element \[bytes\]. In text, a value takes two: a digit and the separator.
    fn least_size(&self, encoding: Encoding) -> usize {
        let of = |property: &Property| match encoding {
            Encoding::Ascii => 2,
            // An empty list has its length only.
            _ => property.length.unwrap_or(property.scalar).size(),
        };
        self.properties.iter().map(of).sum()
    }
}

/// Values of elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
}

/// Values of a property.
#[derive(Clone, Debug, Default)]
struct Column {
    name: String,
    is_list: bool,
    /// The numbers of all elements, one after the other.
    numbers: Vec<f64>,
    /// End of each element's numbers in `values`, if they are lists.
    ends: Vec<usize>,
}

impl Table {
    /// The numbers of a property; `None`: there is none, or it has lists.
    pub(crate) fn numbers(&self, name: &str) -> Option<&[f64]> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        (!column.is_list).then_some(&*column.numbers)
    }

    /// The lists of a property; `None`: there is none, or it has single numbers.
    pub(crate) fn lists(&self, name: &str) -> Option<impl Iterator<Item = &[f64]>> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        let starts = [0].into_iter().chain(column.ends.iter().copied());
        let list = |(start, end): (usize, &usize)| &column.numbers[start..*end];
        column.is_list.then(|| starts.zip(&column.ends).map(list))
    }
}

/// A file that is read from the front to the end.
#[derive(Clone, Debug)]
pub(crate) struct PlyFile<'a> {
    /// Kinds of elements in their order.
    pub elements: Vec<Element>,
    /// Comments of the header.
    pub comments: Vec<String>,
    encoding: Encoding,
    /// Bytes that have not been read yet.
    rest: &'a [u8],
}

impl<'a> PlyFile<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it is malformed, or claims elements that cannot be in the bytes behind it.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut file =
            Self { elements: Vec::new(), comments: Vec::new(), encoding: Encoding::Ascii, rest: bytes };
        if file.take_line() != Some("ply") {
            return Err(ReadError("it is no PLY file: those start with a line `ply`".to_owned()));
        }
        let mut encoding = None;
        for number in 2.. {
            let line = file.take_line().ok_or_else(|| {
                ReadError(format!("its header ends in line {number} without `end_header`, or is no text"))
            })?;
            if line == "end_header" {
                break;
            }
            file.read_line(line, &mut encoding)
                .ok_or_else(|| ReadError(format!("line {number} of its header is malformed: `{line}`")))?;
        }
        file.encoding = encoding.ok_or_else(|| ReadError("its header has no line `format`".to_owned()))?;
        file.check_claims()?;
        Ok(file)
    }

    /// Takes a line of the header; `None`: it has no end, or is no text.
    fn take_line(&mut self) -> Option<&'a str> {
        let end = self.rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&self.rest[..end]).ok()?;
        self.rest = &self.rest[end + 1..];
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Reads a line of the header; `None`: it is malformed.
    fn read_line(&mut self, line: &str, encoding: &mut Option<Encoding>) -> Option<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (word, &words[..]) {
            ("comment", _) => self.comments.push(rest.to_owned()),
            ("obj_info", _) => {}
            ("format", [name, "1.0"]) => {
                *encoding = Some(match *name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    _ => return None,
                });
            }
            ("element", [name, count]) => {
                let (name, count) = ((*name).to_owned(), count.parse().ok()?);
                self.elements.push(Element { name, count, properties: Vec::new() });
            }
            ("property", ["list", length, scalar, name]) => {
                let (length, scalar) = (Some(Scalar::find(length)?), Scalar::find(scalar)?);
                let name = (*name).to_owned();
                self.elements.last_mut()?.properties.push(Property { name, length, scalar });
            }
            ("property", [scalar, name]) => {
                let (name, scalar) = ((*name).to_owned(), Scalar::find(scalar)?);
                self.elements.last_mut()?.properties.push(Property { name, length: None, scalar });
            }
            _ => return None,
        }
        Some(())
    }

    /// Checks the counts of elements against the bytes behind the header.
    fn check_claims(&self) -> Result<(), ReadError> {
        // The last word of a text has no separator.
        let mut room = self.rest.len() + usize::from(self.encoding == Encoding::Ascii);
        for element in &self.elements {
            let (name, count, least) = (&element.name, element.count, element.least_size(self.encoding));
            if least == 0 && count > 0 {
                return Err(ReadError(format!("its {name} elements have no properties")));
            }
            let needed = count.checked_mul(least).filter(|needed| *needed <= room);
            room -= needed.ok_or_else(|| {
                ReadError(format!(
                    "its header claims {count} {name} elements of at least {least} bytes, but {room} bytes are left for them"
                ))
            })?;
        }
        Ok(())
    }

    /// Reads the values of the next elements, which are those of `element`.
    ///
    /// # Errors
    /// If the file ends within them, or a value is not a number of its type.
    pub(crate) fn read(&mut self, element: &Element) -> Result<Table, ReadError> {
        let column = |property: &Property| Column {
            name: property.name.clone(),
            is_list: property.length.is_some(),
            ..Column::default()
        };
        let mut columns: Vec<Column> = element.properties.iter().map(column).collect();
        for number in 0..element.count {
            for (property, column) in element.properties.iter().zip(&mut columns) {
                self.read_property(property, column).map_err(|error| {
                    ReadError(format!(
                        "{} {number} (from 0), property {}: {error}",
                        element.name, property.name
                    ))
                })?;
            }
        }
        Ok(Table { columns })
    }

    fn read_property(&mut self, property: &Property, column: &mut Column) -> Result<(), ReadError> {
        let count = match property.length {
            None => 1,
            Some(scalar) => self.take_number(scalar)? as i64,
        };
        for _ in 0..count {
            column.numbers.push(self.take_number(property.scalar)?);
        }
        column.ends.push(column.numbers.len());
        Ok(())
    }

    fn take_number(&mut self, scalar: Scalar) -> Result<f64, ReadError> {
        let early = || ReadError("the file ends early".to_owned());
        if self.encoding == Encoding::Ascii {
            self.rest = self.rest.trim_ascii_start();
            let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            if word.is_empty() {
                return Err(early());
            }
            let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
            return number.filter(|number| scalar.has(*number)).ok_or_else(|| {
                ReadError(format!("`{}` is no number of its type", String::from_utf8_lossy(word)))
            });
        }
        let (found, rest) = self.rest.split_at_checked(scalar.size()).ok_or_else(early)?;
        self.rest = rest;
        let mut bytes = [0; 8];
        bytes[..found.len()].copy_from_slice(found);
        if self.encoding == Encoding::BigEndian {
            bytes[..found.len()].reverse();
        }
        Ok(scalar.decode(bytes))
    }
}
