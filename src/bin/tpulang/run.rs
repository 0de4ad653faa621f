use super::{Outcome, feeds, model, print};
use std::path::PathBuf;
use tpulang::{
    array::write_npz,
    base::counted,
    exec::{CpuBackend, RunOptions, run},
};

/// Run a model on the CPU
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tpulang run model.json -i inputs.npz -o outputs.npz --all\n  tpulang run model.json -i image=cat.jpg -o outputs.npz"
)]
pub struct Args {
    /// A graph spec (JSON; - for standard input), or a Top dialect .mlir with its weights beside it
    model: PathBuf,
    /// The inputs: an .npz with an array each, by name; or NAME=IMAGE (PNG, JPEG, BMP), which is preprocessed as the model
    /// declares. May be given several times; several images for one input are its batch
    #[arg(short, long, required = true, value_name = "[NAME=]FILE")]
    inputs: Vec<String>,
    /// The arrays of inputs that declare a preprocess are raw images: uint8, height x width x channels (red first)
    #[arg(long)]
    preprocess: bool,
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
    /// Run each operator by itself, instead of several as one where that is faster
    #[arg(long)]
    no_fusion: bool,
}

pub fn main(args: Args) -> Outcome {
    let graph = model::read(&args.model, args.weights.as_deref())?;
    let feeds = feeds::read(&graph, &args.inputs, args.preprocess)?;
    let options = RunOptions { all: args.all, strict: args.strict, threads: args.threads, unfused: args.no_fusion };
    let results = run(&graph, &feeds, &CpuBackend::new(), &options)?;
    write_npz(&args.output, results.tensors.iter().map(|(n, a)| (n.as_str(), a)))?;
    print(&format!("{}\n{}: {}\n", results.summary, args.output.display(), counted(results.tensors.len(), "tensor")))?;
    Ok(true)
}
