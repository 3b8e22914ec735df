//! Arrays of numbers in the buffers of a glTF file.

use super::document::{Accessor, File};

/// Rows of numbers.
pub(super) type Rows<const N: usize> = Vec<[f64; N]>;

/// The element of a list that a document names by its number.
pub(super) fn find<'a, T>(list: &'a [T], number: usize, what: &str) -> Result<&'a T, String> {
    let count = list.len();
    list.get(number).ok_or_else(|| format!("{what} {number} is missing: there are {count}"))
}

impl File {
    /// The rows of an accessor of a type; integers that are normalized become parts of 1.
    pub(super) fn rows<const N: usize>(&self, number: usize, what: &str) -> Result<Rows<N>, String> {
        let rows = find(&self.document.accessors, number, "accessor").and_then(|own| self.read(own));
        rows.map_err(|reason| format!("{what}: {reason}"))
    }

    /// The numbers of an accessor, one by one.
    pub(super) fn scalars(&self, number: usize, what: &str) -> Result<Vec<f64>, String> {
        Ok(self.rows::<1>(number, what)?.into_iter().map(|[number]| number).collect())
    }

    fn read<const N: usize>(&self, accessor: &Accessor) -> Result<Rows<N>, String> {
        let Accessor { buffer_view, byte_offset, component_type, normalized, count, r#type, sparse } =
            accessor;
        let components = match r#type.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" | "MAT2" => 4,
            "MAT3" => 9,
            "MAT4" => 16,
            other => return Err(format!("the type {other:?} is unknown")),
        };
        if components != N {
            return Err(format!("its elements are of the type {}, but should have {N} numbers", r#type));
        }
        if sparse.is_some() {
            return Err("sparse accessors are not read: export the file without them".to_owned());
        }
        let (size, read) = component(*component_type)?;
        let view = buffer_view.ok_or("it has no numbers in the buffers")?;
        let view = find(&self.document.buffer_views, view, "buffer view")?;
        let buffer = find(&self.buffers, view.buffer, "buffer")?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let bytes = end.and_then(|end| buffer.get(view.byte_offset..end));
        let bytes = bytes.ok_or("its buffer view leaves the buffer")?;
        let row = size * N;
        let stride = view.byte_stride.unwrap_or(row).max(1);
        let last =
            count.saturating_sub(1).checked_mul(stride).and_then(|last| last.checked_add(*byte_offset));
        if *count > 0 && last.and_then(|last| last.checked_add(row)).is_none_or(|end| end > bytes.len()) {
            return Err(format!("its {count} elements do not fit into the buffer view"));
        }
        let scale = if *normalized { largest(*component_type) } else { 1.0 };
        let element = |k: usize| -> [f64; N] {
            std::array::from_fn(|axis| read(&bytes[byte_offset + k * stride + axis * size..]) / scale)
        };
        let rows: Rows<N> = (0..*count).map(element).collect();
        match rows.iter().position(|row| row.iter().any(|number| !number.is_finite())) {
            Some(k) => Err(format!("number {k} is not finite")),
            None => Ok(rows),
        }
    }
}

/// Bytes of a component, and how it is read from the start of some bytes.
type Component = (usize, fn(&[u8]) -> f64);

fn component(kind: u32) -> Result<Component, String> {
    fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
        std::array::from_fn(|k| bytes[k])
    }
    Ok(match kind {
        5120 => (1, |bytes| f64::from(i8::from_le_bytes(first(bytes)))),
        5121 => (1, |bytes| f64::from(bytes[0])),
        5122 => (2, |bytes| f64::from(i16::from_le_bytes(first(bytes)))),
        5123 => (2, |bytes| f64::from(u16::from_le_bytes(first(bytes)))),
        5125 => (4, |bytes| f64::from(u32::from_le_bytes(first(bytes)))),
        5126 => (4, |bytes| f64::from(f32::from_le_bytes(first(bytes)))),
        other => return Err(format!("the component type {other} is unknown")),
    })
}

/// The integer that stands for 1.
fn largest(kind: u32) -> f64 {
    match kind {
        5120 => f64::from(i8::MAX),
        5121 => f64::from(u8::MAX),
        5122 => f64::from(i16::MAX),
        5123 => f64::from(u16::MAX),
        5125 => f64::from(u32::MAX),
        _ => 1.0,
    }
}
