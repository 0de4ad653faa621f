//! Known causes of failures of the tool chain: the table of the page `docs/troubles.md`.
use super::tool_chain::{Failure, ToolChain};

const PAGE: &str = include_str!("../../../../docs/troubles.md");

/// A known cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cause {
    /// A part of what the tool chain prints.
    pattern: &'static str,
    /// Whether an operator of the network causes it, rather than the installation or an option.
    pub is_of_operator: bool,
    /// What it means.
    pub meaning: &'static str,
    /// What helps.
    pub remedy: &'static str,
}

/// Returns the known cause of a failure.
pub fn of(failure: &Failure, chain: &ToolChain) -> Option<Cause> {
    let printed = format!("{}\nended with {}", failure.log, failure.ended);
    let known = causes().find(|cause| printed.contains(cause.pattern));
    let crashes = failure.ended.starts_with("signal") && failure.log.trim().is_empty();
    known.or_else(|| (crashes && chain.bundles_glibc()).then_some(GLIBC))
}

const GLIBC: Cause = Cause {
    pattern: "",
    is_of_operator: false,
    meaning: "the wheel bundles a glibc, which crashes with the loader of another system",
    remedy: "make toolchain, in a clone of tpulang, moves it aside",
};

fn causes() -> impl Iterator<Item = Cause> {
    PAGE.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect();
        let [pattern, of, meaning, remedy] = cells.try_into().ok()?;
        Some(Cause { pattern: pattern.strip_suffix('`')?, is_of_operator: of == "operator", meaning, remedy })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_page_is_read() {
        let rows = PAGE.lines().filter(|line| line.starts_with("| `")).count();
        let all: Vec<Cause> = causes().collect();
        assert_eq!((all.len(), rows), (rows, 14));
        assert_eq!(all.iter().filter(|cause| cause.is_of_operator).count(), 8);
        for cause in all {
            assert!(!cause.pattern.is_empty() && !cause.meaning.is_empty() && !cause.remedy.is_empty(), "{cause:?}");
        }
    }
}
