use super::{Outcome, model, print};
use std::{collections::HashMap, path::PathBuf};
use tpulang::{
    array::NpzFile,
    base::{counted, escaped},
    exec::{Comparison, Tolerance, compare},
};

/// Compare two .npz files tensor by tensor
///
/// Prints cosine similarity, Euclidean similarity, largest absolute difference and relative L2 error of each tensor,
/// the first file being the reference. Names that are in one file only, and different shapes, are failures. Exits
/// with 1 if a tensor is below the tolerance.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tpulang compare reference.npz outputs.npz --tolerance 0.999,0.99")]
pub struct Args {
    /// The reference
    a: PathBuf,
    /// The file to compare with the reference
    b: PathBuf,
    /// Least cosine and Euclidean similarity
    #[arg(long, value_name = "COS,EUCLID", default_value = "0.99999,0.9999")]
    tolerance: Tolerance,
    /// List tensors in the order in which this spec or .mlir computes them
    #[arg(long)]
    model: Option<PathBuf>,
    /// The weights of an .mlir, where they are not at the place that it names
    #[arg(long)]
    weights: Option<PathBuf>,
}

pub fn main(args: Args) -> Outcome {
    // One tensor at a time is in memory.
    let (a, b) = (NpzFile::open(&args.a)?.arrays()?, NpzFile::open(&args.b)?.arrays()?);
    let mut results: Vec<_> = compare(&a, &b)?.into_iter().collect();
    if let Some(path) = &args.model {
        let graph = model::read(path, args.weights.as_deref())?;
        let order: HashMap<&str, usize> = graph.tensors().map(|(_, t)| t.name.as_str()).zip(0..).collect();
        results.sort_by_key(|(name, _)| order.get(name.as_str()).copied().unwrap_or(usize::MAX));
    }
    // Names of arrays may hold anything.
    for (name, _) in &mut results {
        *name = escaped(name).into_owned();
    }
    let width = results.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0).max("tensor".len());
    print(&format!(
        "{:width$}  {:>10}  {:>10}  {:>10}  {:>10}\n",
        "tensor", "cosine", "euclidean", "max abs", "rel L2"
    ))?;
    let mut failed = 0;
    for (name, result) in &results {
        let passes = result.passes(&args.tolerance);
        failed += usize::from(!passes);
        let verdict = if passes { "" } else { "  FAIL" };
        print(&match result {
            Comparison::Values { cosine, euclidean, max_abs, relative_l2 } => {
                format!(
                    "{name:width$}  {cosine:>10.7}  {euclidean:>10.7}  {max_abs:>10.3e}  {relative_l2:>10.3e}{verdict}\n"
                )
            }
            Comparison::Failure(why) => format!("{name:width$}  {why}{verdict}\n"),
        })?;
    }
    let Tolerance { cosine, euclidean } = args.tolerance;
    print(&format!(
        "{} of {} within {cosine},{euclidean}\n",
        results.len() - failed,
        counted(results.len(), "tensor")
    ))?;
    Ok(failed == 0)
}
