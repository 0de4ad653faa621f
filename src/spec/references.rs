//! Errors about what a call refers to: where it is written, and what is there instead of a name that is not.
use super::{
    calls::{OP_KEYS, out_names},
    node::{Fields, Node},
    read::Reader,
};
use crate::base::{Cause, Error, MAX_LISTED, invalid};
use std::collections::HashMap;

/// Maximum number of names that are noted, to tell where a tensor is computed that is used too early.
const MAX_LATER: usize = 100_000;

impl Reader<'_> {
    /// Adds the position of the argument that a call's error concerns.
    pub(super) fn located(&mut self, error: Error, index: usize, entries: &[(String, Node)]) -> Error {
        if error.each().len() > 1 {
            let each = error.into_each().into_iter().map(|e| self.located(e, index, entries)).collect();
            return Error::from(Cause::Many(each));
        }
        if let Cause::UnknownName { kind: "tensor", name, nearest, known } = error.cause() {
            let place = entries.iter().find(|(_, n)| names_in(n).contains(name)).map(|(_, n)| n.place());
            let better = match self.later().get(name) {
                Some(&at) => later(&error, name, at, index),
                None => in_call_of(&error, self.unknown(name, nearest.as_deref(), known)),
            };
            return place.into_iter().fold(better, Error::at);
        }
        let Some(about) = error.argument() else {
            return error;
        };
        let (name, path) = about.split_at(about.find('[').unwrap_or(about.len()));
        let place = entries.iter().find(|(k, _)| k == name).map(|(_, n)| n.part(path).place());
        place.into_iter().fold(error, Error::at)
    }

    /// Returns the outputs of the operators that are being read.
    fn later(&mut self) -> &HashMap<String, usize> {
        let siblings = self.siblings.as_ref();
        self.later.get_or_insert_with(|| {
            let mut later = HashMap::new();
            for (i, op) in siblings.and_then(|node| node.list().ok()).unwrap_or_default().iter().enumerate() {
                let Ok(fields) = op.fields(&OP_KEYS) else { continue };
                let names = |fields: &Fields| out_names(fields).ok().flatten().unwrap_or_default();
                let Some(repeat) = fields.get("repeat") else {
                    later.extend(names(&fields).into_iter().map(|name| (name, i)));
                    continue;
                };
                for op in op.repeated(repeat).into_iter().flatten() {
                    let Ok(fields) = op.fields(&OP_KEYS) else { break };
                    later.extend(names(&fields).into_iter().map(|name| (name, i)));
                    if later.len() > MAX_LATER {
                        break;
                    }
                }
            }
            later
        })
    }

    /// Creates the error about a tensor that does not exist.
    fn unknown(&self, name: &str, nearest: Option<&str>, known: &[String]) -> Error {
        if self.weights.is_unread() {
            let problem = format!(
                "unknown tensor {name:?}; it is not declared in \"tensors\", and the spec's weights, which may have it, are \
                 not read here"
            );
            return invalid(problem);
        }
        let nearest = self.weights.nearest(name, nearest);
        let mut known = if nearest.is_none() { known.to_vec() } else { Vec::new() };
        if !known.is_empty() {
            // An array of the weights would do, too.
            known.extend(self.weights.names().take(MAX_LISTED + 1));
            known.sort_unstable();
            known.dedup();
            if known.len() > MAX_LISTED {
                known.clear();
            }
        }
        Cause::UnknownName { kind: "tensor", name: name.to_owned(), nearest, known }.into()
    }
}

/// Creates the error about a tensor that is used before it is computed.
fn later(error: &Error, name: &str, at: usize, index: usize) -> Error {
    let what = if at == index {
        "this operator's own output".into()
    } else {
        format!("the output of ops[{at}], which comes later")
    };
    let problem = format!("the tensor {name:?} is {what}; operators must be listed in execution order, without cycles");
    in_call_of(error, Cause::Shape(problem).into())
}

/// Attaches the call of another error.
fn in_call_of(error: &Error, new: Error) -> Error {
    error.call().cloned().into_iter().fold(new, Error::in_call)
}

/// Returns the strings in an argument: the names of tensors, if it accepts tensors.
pub(super) fn names_in(node: &Node) -> Vec<String> {
    match node.text().as_bytes().first() {
        Some(b'"') => node.peek().map(|name| vec![name]).unwrap_or_default(),
        Some(b'[') if node.has_repeated() => node.items().unwrap_or_default().iter().filter_map(Node::peek).collect(),
        Some(b'[') => node.peek().unwrap_or_default(),
        _ => Vec::new(),
    }
}
