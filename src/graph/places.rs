//! Where in a file the tensors of a graph were declared or computed.
use super::{Graph, Tensor};
use crate::base::Place;
use std::collections::HashMap;

/// The places of tensors.
#[derive(Clone, Default)]
pub(super) struct Places {
    file: String,
    /// In order of creation.
    marks: Vec<Mark>,
    /// Tensors that are named elsewhere than where they are computed.
    named: HashMap<Tensor, Mark>,
}

/// The place of the tensors from the end of the mark before on.
#[derive(Clone)]
struct Mark {
    /// One past the index of the last tensor.
    end: usize,
    line: usize,
    column: usize,
    path: Box<str>,
}

impl Graph {
    /// Sets the place of the tensors that were made since the last call.
    #[doc(hidden)]
    pub fn locate_tensors(&mut self, place: impl FnOnce() -> Place) {
        let (end, Places { file, marks, .. }) = (self.tensors.len(), &mut self.places);
        if marks.last().is_none_or(|mark| mark.end < end) {
            let Place { file: of, line, column, path } = place();
            *file = of;
            marks.push(Mark { end, line, column, path: path.into() });
        }
    }
    /// Sets the place of a tensor that has one, in the same file.
    #[doc(hidden)]
    pub fn relocate_tensor(&mut self, tensor: Tensor, place: Place) {
        let Place { line, column, path, .. } = place;
        self.places.named.insert(tensor, Mark { end: tensor.index() + 1, line, column, path: path.into() });
    }
    /// Returns the place of the tensor of this name, if it was read from a file.
    pub(super) fn place_of(&self, name: &str) -> Option<Place> {
        let tensor = self.by_name.get(name)?;
        let Places { file, marks, named } = &self.places;
        let made = || marks.get(marks.partition_point(|mark| mark.end <= tensor.index()));
        let Mark { line, column, path, .. } = named.get(tensor).or_else(made)?;
        Some(Place { file: file.clone(), line: *line, column: *column, path: path.to_string() })
    }
}
