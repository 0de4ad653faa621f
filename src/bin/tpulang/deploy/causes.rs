//! Known causes of failures of the tool chain.
use super::tool_chain::{Failure, ToolChain};

/// A known cause of a failure.
pub struct Cause {
    /// A part of what the tool chain prints.
    pattern: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// Whether an operator of the network causes it, rather than the installation.
    pub is_of_network: bool,
}

/// The causes, the most specific first. The page of tool chain troubles lists them.
pub const CAUSES: &[Cause] = &[];

const GLIBC: Cause = Cause { pattern: "", remedy: "the wheel bundles a glibc", is_of_network: false };

/// Returns the known cause of a failure.
pub fn of(failure: &Failure, chain: &ToolChain) -> Option<&'static Cause> {
    let known = CAUSES.iter().find(|cause| failure.log.contains(cause.pattern));
    known.or_else(|| (chain.bundles_glibc() && failure.ended.starts_with("signal")).then_some(&GLIBC))
}
