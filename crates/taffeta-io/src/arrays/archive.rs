//! NPZ archives: ZIP files whose entries are arrays. Entries are unpacked within bounds that follow from the file, and stored
//! without compression.

use super::npy::{NumberArray, Stored, count_numbers, read_npy, read_texts, write_npy, write_texts};
use crate::frame::ReadError;
use std::io::{self, Cursor, Read, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Limit of the unpacked arrays of an archive, as numbers of 8 bytes \[bytes\], however small the file is. Ten
/// million vertices at rest are half of it. A file that is larger may take its own size.
const MAX_UNPACKED: u64 = 1 << 29;
/// Bytes that a byte of a deflated stream unpacks to at most (RFC 1951: 258 bytes for a length and a distance of one bit each).
const MAX_RATIO: u64 = 1032;
/// Bytes that a stream may have beyond that: those of its last block.
const SLACK: u64 = 1 << 12;

/// An archive that is read.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Length of the file \[bytes\].
    length: u64,
    /// Bytes that may still be unpacked.
    room: u64,
}

impl<'a> Archive<'a> {
    /// Opens an archive.
    ///
    /// # Errors
    /// If the bytes are none.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(ReadError::new)?;
        let length = bytes.len() as u64;
        Ok(Self { zip, length, room: length.max(MAX_UNPACKED) })
    }

    /// The names of the arrays, in the order of the file.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.zip.file_names();
        names.map(|name| name.strip_suffix(".npy").unwrap_or(name).to_owned()).collect()
    }

    /// Reads the array with a number.
    ///
    /// # Errors
    /// If the entry is damaged, claims more than it has, unpacks to more than the limit, or has an unsupported number type.
    pub(crate) fn read(&mut self, number: usize) -> Result<NumberArray, ReadError> {
        let bytes = self.unpack(number)?;
        // Numbers of one byte become numbers of eight.
        self.charge((bytes.len() as u64).max(8 * count_numbers(&bytes)? as u64))?;
        read_npy(&bytes)
    }

    /// Reads the list of texts with a number.
    ///
    /// # Errors
    /// As [`Archive::read`], and if it is no list of texts.
    pub(crate) fn read_texts(&mut self, number: usize) -> Result<Vec<String>, ReadError> {
        let bytes = self.unpack(number)?;
        self.charge(bytes.len() as u64)?;
        read_texts(&bytes)
    }

    /// Unpacks an entry within the bounds.
    fn unpack(&mut self, number: usize) -> Result<Vec<u8>, ReadError> {
        let entry = self.zip.by_index(number).map_err(ReadError::new)?;
        let (claimed, packed) = (entry.size(), entry.compressed_size().min(self.length));
        if claimed > MAX_RATIO * packed + SLACK {
            return Err(ReadError(format!(
                "it claims to have {claimed} bytes, which are not in {packed} packed ones"
            )));
        }
        if claimed > self.room {
            return Err(too_large(claimed, self.room));
        }
        let mut bytes = Vec::new();
        entry.take(claimed + 1).read_to_end(&mut bytes).map_err(ReadError::new)?;
        if bytes.len() as u64 != claimed {
            return Err(ReadError(format!("it claims to have {claimed} bytes, but has others")));
        }
        Ok(bytes)
    }

    fn charge(&mut self, cost: u64) -> Result<(), ReadError> {
        self.room = self.room.checked_sub(cost).ok_or_else(|| too_large(cost, self.room))?;
        Ok(())
    }
}

fn too_large(bytes: u64, room: u64) -> ReadError {
    ReadError(format!(
        "it unpacks to {bytes} bytes, but {room} are left of what the arrays of the file may take"
    ))
}

/// An archive that is written.
pub(crate) struct ArchiveWriter<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> ArchiveWriter<W> {
    /// Starts an archive.
    pub(crate) fn new(writer: W) -> Self {
        Self(ZipWriter::new(writer))
    }

    /// Adds an array in C order.
    ///
    /// # Errors
    /// Those of the writer.
    ///
    /// # Panics
    /// If the shape does not fit the number of values.
    pub(crate) fn add<T: Stored>(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.0.start_file(format!("{name}.npy"), options)?;
        write_npy(&mut self.0, shape, values)
    }

    /// Adds a list of texts.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn add_texts(&mut self, name: &str, texts: &[String]) -> io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.0.start_file(format!("{name}.npy"), options)?;
        write_texts(&mut self.0, texts)
    }

    /// Writes the directory at the end.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}
