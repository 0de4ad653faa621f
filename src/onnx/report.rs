//! What could not be converted.
use super::proto;
use crate::base::{Error, MAX_ERRORS, Result, invalid, pluralized};
use indexmap::IndexMap;

/// Nodes that were refused, to be reported all at once.
#[derive(Default)]
pub struct Report {
    /// The operator and the error of each.
    errors: Vec<(String, Error)>,
}

impl Report {
    /// Notes that a node cannot be converted.
    ///
    /// # Errors
    /// Returns an error if there are too many of them to go on.
    pub fn refuse(&mut self, node: &proto::Node, problem: Error) -> Result<()> {
        let domain = if node.domain.is_empty() { String::new() } else { format!("{}.", node.domain) };
        let op = format!("{domain}{}", node.op_type);
        let name = match (node.name.as_str(), node.output.first()) {
            ("", Some(output)) => format!("the node that computes {output:?}"),
            (name, _) => format!("node {name:?}"),
        };
        let error = invalid(format!("{name} ({op}, opset {}): {}", node.version, problem.message()));
        self.errors.push((op, error));
        if self.errors.len() < MAX_ERRORS { Ok(()) } else { self.check() }
    }

    /// Returns the number of nodes that were refused.
    pub fn len(&self) -> usize {
        self.errors.len()
    }
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }
    /// Takes out what was refused after the first `len` nodes.
    pub fn split_off(&mut self, len: usize) -> Report {
        Report { errors: self.errors.split_off(len.min(self.errors.len())) }
    }
    /// Adds what an attempt refused.
    pub fn extend(&mut self, other: Report) {
        self.errors.extend(other.errors);
    }

    /// Fails if nodes were refused.
    ///
    /// # Errors
    /// Returns one error for each node, and the numbers of nodes by operator if there are several.
    pub fn check(&mut self) -> Result<()> {
        let mut counts: IndexMap<String, usize> = IndexMap::new();
        self.errors.iter().for_each(|(op, _)| *counts.entry(op.clone()).or_default() += 1);
        let mut errors: Vec<Error> = std::mem::take(&mut self.errors).into_iter().map(|(_, error)| error).collect();
        if errors.len() > 1 {
            let counts: Vec<_> = counts.iter().map(|(op, n)| format!("{op} ({n})")).collect();
            let nodes = pluralized(errors.len(), "node");
            errors.push(invalid(format!("{nodes} cannot be converted: {}", counts.join(", "))));
        }
        Error::collect(errors)
    }
}
