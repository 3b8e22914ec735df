//! NPZ archives: ZIP files whose entries are arrays. Entries are unpacked within bounds that follow from the file.

use crate::claims::check_array;
use crate::frame::ReadError;
use std::io::{Cursor, Read};
use zip::ZipArchive;

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

    /// The entry with a number, unpacked: a sound header of an array and as many numbers as it claims.
    ///
    /// # Errors
    /// If the entry is damaged, claims more than it has, or unpacks to more than is let.
    pub(crate) fn unpack(&mut self, number: usize) -> Result<Vec<u8>, ReadError> {
        let entry = self.zip.by_index(number).map_err(ReadError::new)?;
        let (claimed, packed) = (entry.size(), entry.compressed_size().min(self.length));
        if claimed > MAX_RATIO * packed + SLACK {
            return Err(ReadError(format!(
                "it claims to have {claimed} bytes, which are not in {packed} packed ones"
            )));
        }
        let room = self.room;
        let refuse = |bytes: u64| {
            ReadError(format!(
                "it unpacks to {bytes} bytes, but {room} are left of what the arrays of the file may take"
            ))
        };
        if claimed > room {
            return Err(refuse(claimed));
        }
        let mut bytes = Vec::new();
        entry.take(claimed + 1).read_to_end(&mut bytes).map_err(ReadError::new)?;
        if bytes.len() as u64 != claimed {
            return Err(ReadError(format!("it claims to have {claimed} bytes, but has others")));
        }
        // Numbers of one byte become numbers of eight.
        let cost = claimed.max(8 * check_array(&bytes)? as u64);
        self.room = room.checked_sub(cost).ok_or_else(|| refuse(cost))?;
        Ok(bytes)
    }
}
