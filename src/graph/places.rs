//! Where in a file the tensors of a graph were declared or computed.
use super::{Graph, MadeBy, Tensor};
use crate::base::{CallContext, Error, Place, Result};
use std::{collections::HashMap, fmt};

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
    /// Returns an error about the call that computes a tensor, with the call's operands and its line in the file that the graph was
    /// read from. For an input or a coefficient, the error has the place of its declaration.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.exp(x).out_name("y").call()?;
    /// let error = g.error_about(y, "the compiler failed")?;
    /// assert_eq!(error.to_string(), "exp \"y\" (ops[0]): the compiler failed\n   input  x  2 float32");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the tensor is of another graph.
    pub fn error_about(&self, tensor: Tensor, problem: impl fmt::Display) -> Result<Error> {
        let info = self.tensor(tensor)?;
        let mut error = Error::new(problem);
        let calls = self.body().calls().enumerate();
        let made = calls.flat_map(|(index, (call, operators))| operators.iter().map(move |o| (index, call.clone(), o)));
        if let Some((index, call, operator)) = made.into_iter().find(|(.., o)| o.outputs().any(|t| t == tensor)) {
            let function = match &call.made_by {
                MadeBy::Function(function) => function.function().to_owned(),
                MadeBy::Op => format!("top.{}", operator.op.name()),
            };
            let operands = self.operand_rows(operator.op.operands().map(|(name, t)| (name, *t)));
            error = error.in_call(CallContext { function, out: Some(info.name.clone()), index, operands });
        }
        Ok(match self.place_of(&info.name) {
            Some(place) => error.at(place),
            None => error,
        })
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
