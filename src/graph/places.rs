//! Where in a file the tensors of a graph were declared or computed.
use super::Graph;
use crate::base::Place;

/// The places of tensors, in order of creation.
#[derive(Clone, Default)]
pub(super) struct Places {
    file: String,
    marks: Vec<Mark>,
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
        let (end, Places { file, marks }) = (self.tensors.len(), &mut self.places);
        if marks.last().is_none_or(|mark| mark.end < end) {
            let Place { file: of, line, column, path } = place();
            *file = of;
            marks.push(Mark { end, line, column, path: path.into() });
        }
    }
    /// Returns the place of the tensor of this name, if it was read from a file.
    pub(super) fn place_of(&self, name: &str) -> Option<Place> {
        let index = self.by_name.get(name)?.index();
        let Places { file, marks } = &self.places;
        let Mark { line, column, path, .. } = marks.get(marks.partition_point(|mark| mark.end <= index))?;
        Some(Place { file: file.clone(), line: *line, column: *column, path: path.to_string() })
    }
}
