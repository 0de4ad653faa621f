use super::{
    Outcome,
    device::{self, Running},
    diagnostics::Diagnostics,
    feeds, model,
    output::{Output, Sources},
    profile::{self, Form},
};
use std::path::PathBuf;
use tpulang::{
    Graph, Result,
    exec::{AnyBackend, RunOptions, Session},
};
use tpulang_base::{escaped_path, pluralized};

/// Run a network on the CPU or an NVIDIA GPU and save its outputs
#[derive(clap::Args)]
#[command(
    override_usage = "tpulang run [OPTIONS] -i <[NAME=]FILE>... -o <FILE> <MODEL>\n       tpulang run --explain [OPTIONS] <MODEL>",
    after_help = "Examples:
  tpulang run model.json -i inputs.npz -o outputs.npz
  tpulang run model.json -i image=cat.jpg -o outputs.npz   # the model declares `preprocess`
  tpulang run build/net_origin.mlir -i inputs.npz -o all.npz --all
  tpulang run model.json -i inputs.npz -o outputs.npz --profile
  tpulang run model.json --explain"
)]
pub struct Args {
    /// Input data. FILE is an .npz with one array per model input, matched by name. NAME=FILE feeds a PNG, JPEG or BMP
    /// image to input NAME, preprocessed as the model declares. Repeat -i to add files; several images for one input
    /// form a batch
    #[arg(short, long, required_unless_present = "explain", value_name = "[NAME=]FILE", help_heading = FILES)]
    inputs: Vec<String>,
    /// Treat arrays for inputs that declare `preprocess` as raw images (uint8, height x width x RGB) and preprocess them
    #[arg(long, help_heading = FILES)]
    preprocess: bool,
    /// Write the results to this .npz or .safetensors file, one array per output, or a single result to an .npy file.
    /// Its folder is created if missing
    #[arg(short, long, required_unless_present = "explain", value_name = "FILE", help_heading = FILES)]
    output: Option<PathBuf>,
    /// Save every computed tensor, not only the outputs
    #[arg(long, help_heading = FILES)]
    all: bool,
    #[command(flatten)]
    model: model::Model,
    #[command(flatten)]
    running: Running,
    /// Print the execution plan and exit; -i and -o are not needed
    #[arg(long, help_heading = "Diagnostics")]
    explain: bool,
    /// Also print the time per operator and per kind of operator (median of 3 extra runs). table: two tables; json: one
    /// JSON object and no other output. GFLOP/s and GB/s follow from the operator's definition, not the kernel
    #[arg(
        long,
        value_name = "FORM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "table",
        help_heading = "Diagnostics"
    )]
    profile: Option<Form>,
}

/// The heading of options that name files.
pub const FILES: &str = "Input and output";

/// Profiled runs, of which the median is taken, after the run that computes the results.
const PROFILED: usize = 3;

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let graph = args.model.read()?;
    let (backend, options) = args.running.open(&graph, args.all, messages)?;
    messages.warn(&graph.warnings())?;
    let report = run(&args, &graph, (&backend, &options), messages)?;
    messages.warn(&device::warnings(&backend))?;
    messages.warn(&graph.warnings())?;
    messages.report(&report)?;
    Ok(true)
}

/// Returns the text to print.
fn run(
    args: &Args,
    graph: &Graph,
    (backend, options): (&AnyBackend, &RunOptions),
    messages: &Diagnostics,
) -> Result<String> {
    let (false, Some(path)) = (args.explain, &args.output) else {
        return Ok(Session::new(graph, backend, options)?.explain());
    };
    let count = (!args.all).then_some(graph.outputs().len());
    let output = Output::new(path, count, &Sources::new(&args.model.path, graph, feeds::files(&args.inputs)))?;
    let feeds = feeds::read(graph, &args.inputs, args.preprocess)?;
    let session = Session::new(graph, backend, options)?;
    let results = session.run(&feeds)?;
    messages.warn(&session.non_finite(&feeds, &results)?)?;
    output.write(results.iter().map(|(n, a)| (n.as_str(), a)))?;
    let written = format!("{}\n{}: {}\n", session.summary(), escaped_path(path), pluralized(results.len(), "tensor"));
    drop(results);
    let profile = |form| -> Result<String> { Ok(profile::text(form, &session.profile(&feeds, PROFILED)?)) };
    Ok(match args.profile {
        None => written,
        Some(Form::Table) => format!("{written}\n{}", profile(Form::Table)?),
        Some(Form::Json) => profile(Form::Json)?,
    })
}
