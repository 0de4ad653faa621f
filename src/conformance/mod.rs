//! The conformance suite for all backends: modules with expected values, and graphs compared with the CPU backend.
//!
//! The comments of a module specify inputs, coefficients and expected values; `// -----` separates the cases of a file.
//!
//! ```
//! use tpulang::{conformance::{Case, check}, exec::{CpuBackend, RunOptions}};
//! let cases = Case::read_text(r#"
//! // input x = [-1, 2]
//! // expect y = [0, 2]
//! module @relu attributes {module.state = "TOP_F32"} {
//!   func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!     %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
//!     %1 = "top.Relu"(%0) : (tensor<2xf32>) -> tensor<2xf32> loc("y")
//!     return %1 : tensor<2xf32>
//!   }
//! }
//! "#, "relu.mlir")?;
//! let report = check(&CpuBackend::new(), &cases, &RunOptions::default());
//! assert_eq!((report.passed, report.failures.len()), (1, 0));
//! # Ok::<(), tpulang::Error>(())
//! ```

mod case;

use crate::{
    array::Array,
    base::Result,
    exec::{Backend, Comparison, RunOptions, compare, run},
};
pub use case::Case;
use indexmap::IndexMap;
use std::fmt;

/// Maximum relative L2 error of floats. Integers must be equal.
pub const TOLERANCE: f64 = 1e-5;

/// The results of running the cases on a backend.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of passed cases.
    pub passed: usize,
    /// Name and problem of each failed case.
    pub failures: Vec<(String, String)>,
    /// The [`Session::summary`](crate::exec::Session::summary) of each passed case.
    pub summaries: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (case, problem) in &self.failures {
            writeln!(f, "{case}: {problem}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failures.len())
    }
}

/// Runs every case on a backend twice and compares all expected tensors: once keeping every tensor, which prevents most
/// fusion, and once for the outputs alone.
pub fn check<B: Backend>(backend: &B, cases: &[Case], options: &RunOptions) -> Report {
    let mut report = Report::default();
    for case in cases {
        match one(backend, case, options) {
            Ok((summary, None)) => {
                report.passed += 1;
                report.summaries.push(summary);
            }
            Ok((_, Some(problem))) => report.failures.push((case.name.clone(), problem)),
            Err(e) => report.failures.push((case.name.clone(), e.to_string())),
        }
    }
    report
}

/// Runs a case. Returns the summary of the run that keeps every tensor, and the first difference, if any.
fn one<B: Backend>(backend: &B, case: &Case, options: &RunOptions) -> Result<(String, Option<String>)> {
    let got = run(&case.graph, &case.feeds, backend, &options.clone().all(true))?;
    for (name, expected) in &case.expected {
        let Some(found) = got.tensors.get(name) else {
            return Ok((got.summary, Some(format!("there is no tensor {name:?}"))));
        };
        if let Some(problem) = difference(expected, found)? {
            return Ok((got.summary, Some(format!("{name}: {problem}"))));
        }
    }
    let outputs = run(&case.graph, &case.feeds, backend, &options.clone().all(false))?.tensors;
    for (name, found) in &outputs {
        if let Some(expected) = case.expected.get(name)
            && let Some(problem) = difference(expected, found)?
        {
            return Ok((got.summary, Some(format!("{name}, of a run that keeps only the outputs: {problem}"))));
        }
    }
    Ok((got.summary, None))
}

fn difference(expected: &Array, found: &Array) -> Result<Option<String>> {
    if (expected.dtype(), expected.shape()) != (found.dtype(), found.shape()) {
        return Ok(Some(format!("{expected:?} is expected, {found:?} was computed")));
    }
    if !expected.dtype().is_float() {
        let shown = || -> Result<String> {
            Ok(format!("{:?} is expected, {:?} was computed", expected.to_f64()?, found.to_f64()?))
        };
        return if expected == found { Ok(None) } else { shown().map(Some) };
    }
    let named = |a: &Array| IndexMap::from([("it".to_owned(), a.clone())]);
    Ok(match &compare(&named(expected), &named(found))?["it"] {
        Comparison::Values { relative_l2, .. } if *relative_l2 <= TOLERANCE => None,
        Comparison::Values { relative_l2, .. } => Some(format!("the relative L2 error is {relative_l2:e}")),
        Comparison::Failure(why) => Some(why.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::CpuBackend;

    #[test]
    fn what_is_wrong_fails() {
        let text = include_str!("../../tests/ops/Relu.mlir");
        let cases = |text: &str| Case::read_text(text, "Relu.mlir").unwrap();
        let report = |text: &str| check(&CpuBackend::new(), &cases(text), &RunOptions::default());
        assert!(report(text).failures.is_empty() && report(text).passed > 0);
        let line = text.lines().find(|l| l.starts_with("// expect ")).unwrap();
        let (name, _) = line.split_once(" = ").unwrap();
        let n: usize = cases(text)[0].expected[0].len();
        let wrong = text.replacen(line, &format!("{name} = {:?}", vec![77; n]), 1);
        assert_eq!(report(&wrong).failures.len(), 1, "{}", report(&wrong));
        for (from, to, problem) in [
            ("// expect ", "// expekt ", "expects nothing"),
            ("// input ", "// expect ", "expects nothing"),
            (line, "// expect q = [1]", "unknown tensor"),
            (line, "// expect y = [1", "is not JSON"),
        ] {
            let text = text.split("// -----").next().unwrap().replace(from, to);
            let error = Case::read_text(&text, "x.mlir")
                .map(|c| check(&CpuBackend::new(), &c, &RunOptions::default()).to_string());
            let said = error.unwrap_or_else(|e| e.to_string());
            assert!(said.contains(problem) || problem == "expects nothing" && !said.starts_with("1 passed"), "{said}");
        }
    }
}
