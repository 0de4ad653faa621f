//! What could not be converted.
use super::proto;
use crate::base::{Error, MAX_ERRORS, Result, invalid, pluralized};
use indexmap::IndexMap;

/// Nodes that were refused, to be reported all at once.
#[derive(Default)]
pub struct Report {
    errors: Vec<Error>,
    /// How many nodes of each operator.
    counts: IndexMap<String, usize>,
}

impl Report {
    /// Notes that a node cannot be converted.
    ///
    /// # Errors
    /// Returns an error if there are too many of them to go on.
    pub fn refuse(&mut self, node: &proto::Node, version: i64, problem: Error) -> Result<()> {
        let domain = if node.domain.is_empty() { String::new() } else { format!("{}.", node.domain) };
        let op = format!("{domain}{}", node.op_type);
        let name = match (node.name.as_str(), node.output.first()) {
            ("", Some(output)) => format!("the node that computes {output:?}"),
            (name, _) => format!("node {name:?}"),
        };
        self.errors.push(invalid(format!("{name} ({op}, opset {version}): {}", problem.message())));
        *self.counts.entry(op).or_default() += 1;
        if self.errors.len() < MAX_ERRORS { Ok(()) } else { self.check() }
    }

    /// Fails if nodes were refused.
    ///
    /// # Errors
    /// Returns one error for each node, and the numbers of nodes by operator if there are several.
    pub fn check(&mut self) -> Result<()> {
        let mut errors = std::mem::take(&mut self.errors);
        if errors.len() > 1 {
            let counts: Vec<_> = self.counts.iter().map(|(op, n)| format!("{op} ({n})")).collect();
            let nodes = pluralized(errors.len(), "node");
            errors.push(invalid(format!("{nodes} cannot be converted: {}", counts.join(", "))));
        }
        Error::collect(errors)
    }
}
