//! What could not be converted.
use super::proto;
use crate::base::{Error, MAX_ERRORS, MAX_LISTED, Result, invalid};
use indexmap::IndexMap;

/// Nodes that were refused, to be reported all at once.
#[derive(Default)]
pub struct Report {
    refused: Vec<Refused>,
}

/// A node that cannot be converted.
struct Refused {
    node: String,
    /// The operator and the problem, which several nodes may have in common.
    reason: String,
}

impl Report {
    /// Notes that a node cannot be converted.
    ///
    /// # Errors
    /// Returns an error if there are too many of them to go on.
    pub fn refuse(&mut self, node: &proto::Node, problem: Error) -> Result<()> {
        let domain = if node.domain.is_empty() { String::new() } else { format!("{}.", node.domain) };
        let name = match (node.name.as_str(), node.output.first()) {
            ("", Some(output)) => format!("the node that computes {output:?}"),
            (name, _) => format!("node {name:?}"),
        };
        let reason = format!("({domain}{}, opset {}): {}", node.op_type, node.version, problem.message());
        self.refused.push(Refused { node: name, reason });
        if self.refused.len() < MAX_ERRORS { Ok(()) } else { self.check() }
    }

    /// Returns the number of nodes that were refused.
    pub fn len(&self) -> usize {
        self.refused.len()
    }
    pub fn is_empty(&self) -> bool {
        self.refused.is_empty()
    }
    /// Takes out what was refused after the first `len` nodes.
    pub fn split_off(&mut self, len: usize) -> Report {
        Report { refused: self.refused.split_off(len.min(self.refused.len())) }
    }
    /// Adds what an attempt refused.
    pub fn extend(&mut self, other: Report) {
        self.refused.extend(other.refused);
    }

    /// Fails if nodes were refused.
    ///
    /// # Errors
    /// Returns one error for each reason, which names the nodes.
    pub fn check(&mut self) -> Result<()> {
        let at_least = if self.refused.len() < MAX_ERRORS { "" } else { "at least " };
        let mut nodes_by_reason: IndexMap<String, Vec<String>> = IndexMap::new();
        for Refused { node, reason } in std::mem::take(&mut self.refused) {
            nodes_by_reason.entry(reason).or_default().push(node);
        }
        let error = |(reason, nodes): (String, Vec<String>)| {
            let (listed, more) = nodes.split_at(nodes.len().min(MAX_LISTED));
            let more = if more.is_empty() { String::new() } else { format!(" and {at_least}{} more", more.len()) };
            invalid(format!("{}{more} {reason}", listed.join(", ")))
        };
        Error::collect(nodes_by_reason.into_iter().map(error).collect())
    }
}
