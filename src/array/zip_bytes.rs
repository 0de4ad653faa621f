//! The bytes of a zip archive, with a validated end record.
//!
//! The zip crate allocates memory for as many entries as the end record claims, and searches for another one if it is
//! invalid. So the end record is read and checked here, and the crate reads a correct one in its place. This also repairs
//! two errors of the tool chain's writer: its zip64 end record gives its length as 0x44 bytes instead of 44, and the record
//! that locates it contains a wrong offset.
use super::storage::{At, Source};
use crate::base::{Error, Result};
use std::{
    fs::File,
    io::{self, Read, Seek},
    path::Path,
    sync::Arc,
};
use zip::ZipArchive;

/// What messages call the archives of NumPy and those of PyTorch.
pub(super) const NPZ: &str = "an npz (zip) archive";
pub(super) const TORCH: &str = "a zip archive, as torch.save writes one";

/// Maximum number of entries. No network has as many arrays.
const MAX_ENTRIES: u64 = 1 << 20;
/// Sizes in bytes of an end record without its comment, of a zip64 end record, and of its locator.
const END: usize = 22;
const END64: usize = 56;
const LOCATOR: usize = 20;
/// Maximum length of the comment of an archive.
const MAX_COMMENT: usize = u16::MAX as usize;

/// The bytes of an archive up to its end records, followed by correct ones.
#[derive(Clone)]
pub(super) struct ZipBytes {
    at: At,
    /// Offset of the end records.
    body: u64,
    end: Arc<[u8]>,
    /// What the archive is in messages: [`NPZ`].
    kind: &'static str,
}

/// The contents of the end records of an archive.
pub(super) struct End {
    /// Offset of the end records.
    at: u64,
    entries: u64,
    size: u64,
    /// Offset of the list of entries.
    pub offset: u64,
}

impl End {
    /// Reads and checks the end of an archive; `path` and `kind` are for messages.
    pub fn read(from: &mut (impl Read + Seek), path: &Path, kind: &str) -> Result<End> {
        let len = from.seek(io::SeekFrom::End(0)).map_err(Error::io(path))?;
        if len == 0 {
            return Err(Error::format(path, "the file is empty"));
        }
        let mut tail = vec![0; len.min((MAX_COMMENT + END + LOCATOR + END64) as u64) as usize];
        let start = len - tail.len() as u64;
        from.seek(io::SeekFrom::Start(start)).map_err(Error::io(path))?;
        from.read_exact(&mut tail).map_err(Error::io(path))?;
        let fail = |problem: String| Error::format(path, format!("not {kind}: {problem}"));
        let end = find(&tail, start).ok_or_else(|| fail("its end is missing".into()))?;
        if end.offset.checked_add(end.size) != Some(end.at) {
            let End { size, offset, at, .. } = end;
            return Err(fail(format!("its list of {size} bytes at {offset} does not lie before its end at {at}")));
        }
        if end.entries > MAX_ENTRIES {
            return Err(fail(format!("it claims {} entries; at most {MAX_ENTRIES} are read", end.entries)));
        }
        Ok(end)
    }
}

impl ZipBytes {
    /// Reads an archive from an open file; `path` and `kind` are for messages.
    pub fn of(file: File, path: &Path, kind: &'static str) -> Result<Self> {
        let source = Source { file, path: path.into() };
        let end = End::read(&mut &source.file, path, kind)?;
        let at = At { source: Arc::new(source), position: 0 };
        Ok(ZipBytes { at, body: end.at, end: records(&end).into(), kind })
    }
    /// Returns a reader of the file itself, from its first byte.
    pub fn file(&self) -> At {
        At { source: self.at.source.clone(), position: 0 }
    }
}

/// Lists the entries of an archive; `path` is for messages.
pub(super) fn archive(bytes: ZipBytes, path: &Path) -> Result<ZipArchive<ZipBytes>> {
    let kind = bytes.kind;
    let broken = |e| Error::format(path, format!("not {kind}: {e}"));
    let mut archive = ZipArchive::new(bytes).map_err(broken)?;
    // Reading `n` entries would take `n` times as long as the file is large.
    if archive.len() > 1 && archive.has_overlapping_entries().map_err(broken)? {
        return Err(Error::format(path, "its entries overlap; every array needs bytes of its own"));
    }
    // The zip crate keeps only the last entry of a name.
    if archive.has_duplicate_names() {
        return Err(Error::format(path, "it has several entries of one name; every array needs its own"));
    }
    Ok(archive)
}

/// Reads a number of `N` bytes.
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let mut all = [0; 8];
    all[..N].copy_from_slice(&bytes[at..at + N]);
    u64::from_le_bytes(all)
}

/// Reads the end of an archive from its last bytes, which begin at `start`.
fn find(tail: &[u8], start: u64) -> Option<End> {
    let last = tail.len().checked_sub(END)?;
    let is_end = |at: &usize| {
        tail[*at..].starts_with(b"PK\x05\x06") && number::<2>(tail, at + 20) == (tail.len() - at - END) as u64
    };
    let at = (0..=last).rev().find(is_end)?;
    let zip64 = at.checked_sub(LOCATOR).filter(|l| tail[*l..].starts_with(b"PK\x06\x07"));
    let Some(locator) = zip64 else {
        let (entries, size, offset) =
            (number::<2>(tail, at + 10), number::<4>(tail, at + 12), number::<4>(tail, at + 16));
        return Some(End { at: start + at as u64, entries, size, offset });
    };
    let at = locator.checked_sub(END64).filter(|at| tail[*at..].starts_with(b"PK\x06\x06"))?;
    let (entries, size, offset) = (number::<8>(tail, at + 32), number::<8>(tail, at + 40), number::<8>(tail, at + 48));
    Some(End { at: start + at as u64, entries, size, offset })
}

/// Builds both kinds of end records.
fn records(end: &End) -> Vec<u8> {
    let mut out = b"PK\x06\x06".to_vec();
    out.extend((END64 as u64 - 12).to_le_bytes());
    // Version 4.5, and disk 0 of 1.
    out.extend(b"\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
    [end.entries, end.entries, end.size, end.offset].iter().for_each(|n| out.extend(n.to_le_bytes()));
    out.extend(b"PK\x06\x07\0\0\0\0");
    out.extend(end.at.to_le_bytes());
    out.extend(1u32.to_le_bytes());
    out.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
    out
}

impl Read for ZipBytes {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let position = self.at.position;
        if let Some(left) = self.body.checked_sub(position).filter(|left| *left > 0) {
            let n = left.min(to.len() as u64) as usize;
            return self.at.read(&mut to[..n]);
        }
        let from = usize::try_from(position - self.body).unwrap_or(usize::MAX);
        let n = self.end.get(from..).unwrap_or_default().read(to)?;
        self.at.position += n as u64;
        Ok(n)
    }
}

impl Seek for ZipBytes {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let place = match to {
            io::SeekFrom::Start(place) => Some(place),
            io::SeekFrom::End(by) => (self.body + self.end.len() as u64).checked_add_signed(by),
            io::SeekFrom::Current(by) => self.at.position.checked_add_signed(by),
        };
        self.at.position = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at.position)
    }
}
