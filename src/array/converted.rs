//! Elements that are computed from those of another array as they are read.
use super::{
    Array, NonFinite,
    dequantized::StoredIntegers,
    rows::copy_ranges,
    storage::{Loaded, Storage, collected},
    zeros,
};
use crate::base::{Dtype, Error, Result};
use std::{ops::Range, path::Path, sync::OnceLock};

/// How elements are computed, each from one element of another array.
pub(super) trait Conversion: Send + Sync {
    /// The other array.
    fn source(&self) -> &Array;
    /// The dtype of the results.
    fn dtype(&self) -> Dtype;
    /// Converts elements, which are given as bytes and follow `before` others, and passes the results to `to` in pieces.
    fn convert(&self, before: usize, bytes: &[u8], to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
    /// Returns the source's dtype if the results are the same values.
    fn fitted_from(&self) -> Option<Dtype> {
        None
    }
    /// Returns the source with its scales and zero points if the results are the numbers that its integers stand for.
    fn dequantized_from(&self) -> Option<StoredIntegers> {
        None
    }
}

/// The elements that a conversion computes.
pub(super) struct Converted<C> {
    how: C,
    loaded: Loaded,
}

impl<C: Conversion> Converted<C> {
    pub fn new(how: C) -> Self {
        Converted { how, loaded: Loaded::default() }
    }
    fn len(&self) -> usize {
        self.how.source().len() * self.how.dtype().size()
    }
    /// Passes all elements to `to` in pieces.
    fn convert(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let (source, mut before) = (self.how.source(), 0);
        source.pieces(|bytes| {
            self.how.convert(before, bytes, to)?;
            before += bytes.len() / source.dtype().size();
            Ok(())
        })
    }
    fn load(&self) -> Result<Vec<u64>> {
        collected(self.len(), |to| self.convert(to))
    }
}

impl<C: Conversion> Storage for Converted<C> {
    fn bytes(&self) -> Result<&[u8]> {
        self.loaded.bytes(self.len(), || self.load())
    }
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.loaded.is_kept() { to(self.bytes()?) } else { self.convert(to) }
    }
    fn ranges(&self, ranges: &[Range<usize>], to: &mut [u8]) -> Result<()> {
        if self.loaded.is_kept() {
            return copy_ranges(ranges, to, |pick| self.pieces(pick));
        }
        let (source, size) = (self.how.source(), self.how.dtype().size());
        let from = source.dtype().size();
        let stored: Vec<_> = ranges.iter().map(|r| r.start / size * from..r.end / size * from).collect();
        let mut bytes = zeros::<u8>(stored.iter().map(Range::len).sum())?;
        source.storage.ranges(&stored, &mut bytes)?;
        let (mut left, mut at) = (bytes.as_slice(), 0);
        for range in stored {
            let (now, rest) = left.split_at(range.len());
            left = rest;
            self.how.convert(range.start / from, now, &mut |piece| {
                to[at..at + piece.len()].copy_from_slice(piece);
                at += piece.len();
                Ok(())
            })?;
        }
        Ok(())
    }
    fn read_apart(&self) -> Result<Option<Vec<u64>>> {
        self.loaded.apart(|| self.load())
    }
    fn non_finite(&self) -> Option<&OnceLock<NonFinite>> {
        Some(&self.loaded.non_finite)
    }
    fn path(&self) -> Option<&Path> {
        self.how.source().source_path()
    }
    fn fitted_from(&self) -> Option<Dtype> {
        self.how.fitted_from()
    }
    fn dequantized_from(&self) -> Option<StoredIntegers> {
        self.how.dequantized_from()
    }
    fn error(&self, problem: String) -> Error {
        self.how.source().storage.error(problem)
    }
}
