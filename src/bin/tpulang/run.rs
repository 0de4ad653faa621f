use super::{Outcome, model, print};
use std::path::PathBuf;
use tpulang::{
    array::{NpzFile, write_npz},
    base::counted,
    exec::{CpuBackend, RunOptions, run},
};

/// Run a model on the CPU
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tpulang run model.json -i inputs.npz -o outputs.npz --all")]
pub struct Args {
    /// A graph spec (JSON; - for standard input), or a Top dialect .mlir with its weights beside it
    model: PathBuf,
    /// The inputs: one array each, by name
    #[arg(short, long)]
    inputs: PathBuf,
    /// Where the results go: one array each, by name
    #[arg(short, long)]
    output: PathBuf,
    /// Save every tensor that is computed, not only the outputs
    #[arg(long)]
    all: bool,
    /// Threads; 0 means as many as there are cores
    #[arg(short = 'j', long, default_value_t = 0)]
    threads: usize,
    /// The weights of an .mlir, where they are not at the place that it names
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Refuse operators that the backend has no kernel for, instead of running them on the CPU
    #[arg(long)]
    strict: bool,
}

pub fn main(args: Args) -> Outcome {
    let graph = model::read(&args.model, args.weights.as_deref())?;
    // Their elements are read once their names and shapes are known to be right.
    let feeds = NpzFile::open(&args.inputs)?.arrays()?;
    let options = RunOptions { all: args.all, strict: args.strict, threads: args.threads };
    let results = run(&graph, &feeds, &CpuBackend::new(), &options)?;
    write_npz(&args.output, results.tensors.iter().map(|(n, a)| (n.as_str(), a)))?;
    print(&format!("{}\n{}: {}\n", results.summary, args.output.display(), counted(results.tensors.len(), "tensor")))?;
    Ok(true)
}
