use super::{Outcome, diagnostics::Diagnostics, model};
use std::{collections::HashMap, path::PathBuf};
use tpulang::{
    array::NpzFile,
    exec::{Comparison, Tolerance, compare},
};
use tpulang_base::{escaped, pluralized};

/// Compare two .npz files tensor by tensor
#[derive(clap::Args)]
#[command(after_help = "\
Prints the cosine similarity, Euclidean similarity, largest absolute difference and relative L2
error of each tensor. A tensor fails if it is below the tolerance, is in one file only, or has
another shape.

Exit status: 0 if every tensor passes; 1 if one fails; 2 on an error.

Example:
  tpulang compare reference.npz outputs.npz --tolerance 0.999,0.99")]
pub struct Args {
    /// The reference (.npz)
    a: PathBuf,
    /// The file to compare with the reference (.npz)
    b: PathBuf,
    /// Minimum cosine and Euclidean similarity
    #[arg(long, value_name = "COS,EUCLID", default_value = "0.99999,0.9999")]
    tolerance: Tolerance,
    /// List tensors in the execution order of this spec or .mlir
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    options: model::ModelOptions,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    // Only one tensor at a time is in memory.
    let (a, b) = (NpzFile::open(&args.a)?.arrays()?, NpzFile::open(&args.b)?.arrays()?);
    let mut results: Vec<_> = compare(&a, &b)?.into_iter().collect();
    if let Some(path) = &args.model {
        let graph = args.options.read(path)?;
        let order: HashMap<&str, usize> = graph.tensors().map(|(_, t)| t.name.as_str()).zip(0..).collect();
        results.sort_by_key(|(name, _)| order.get(name.as_str()).copied().unwrap_or(usize::MAX));
    }
    // Names of arrays may hold anything.
    for (name, _) in &mut results {
        *name = escaped(name).into_owned();
    }
    let width = results.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0).max("tensor".len());
    messages.report(&format!(
        "{:width$}  {:>10}  {:>10}  {:>10}  {:>10}\n",
        "tensor", "cosine", "euclidean", "max abs", "rel L2"
    ))?;
    let mut failed = 0;
    for (name, result) in &results {
        let passes = result.passes(&args.tolerance);
        failed += usize::from(!passes);
        let verdict = if passes { "" } else { "  FAIL" };
        messages.report(&match result {
            Comparison::Values { cosine, euclidean, max_abs, relative_l2 } => {
                format!(
                    "{name:width$}  {cosine:>10.7}  {euclidean:>10.7}  {max_abs:>10.3e}  {relative_l2:>10.3e}{verdict}\n"
                )
            }
            Comparison::Failure(why) => format!("{name:width$}  {why}{verdict}\n"),
        })?;
    }
    let Tolerance { cosine, euclidean } = args.tolerance;
    messages.report(&format!(
        "{} of {} within {cosine},{euclidean}\n",
        results.len() - failed,
        pluralized(results.len(), "tensor")
    ))?;
    Ok(failed == 0)
}
