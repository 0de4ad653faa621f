use super::{
    Outcome,
    device::{Running, Task},
    feeds, model, print,
    profile::{self, Form},
    warn,
};
use std::path::PathBuf;
use tpulang::{
    Graph, Result,
    array::write_npz,
    base::counted,
    exec::{Backend, RunOptions, Session},
};

/// Run a model on the CPU, or on a GPU
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tpulang run model.json -i inputs.npz -o outputs.npz --all\n  tpulang run model.json -i image=cat.jpg -o outputs.npz\n  tpulang run model.json -i inputs.npz -o outputs.npz --profile\n  tpulang run model.json --explain"
)]
pub struct Args {
    /// A graph spec (JSON; - for standard input), or a Top dialect .mlir with its weights beside it
    model: PathBuf,
    /// The inputs: an .npz with an array each, by name; or NAME=IMAGE (PNG, JPEG, BMP), which is preprocessed as the model
    /// declares. May be given several times; several images for one input are its batch
    #[arg(short, long, required_unless_present = "explain", value_name = "[NAME=]FILE")]
    inputs: Vec<String>,
    /// The arrays of inputs that declare a preprocess are raw images: uint8, height x width x channels (red first)
    #[arg(long)]
    preprocess: bool,
    /// Where the results go: one array each, by name
    #[arg(short, long, required_unless_present = "explain")]
    output: Option<PathBuf>,
    /// Save every tensor that is computed, not only the outputs
    #[arg(long)]
    all: bool,
    /// The weights of an .mlir, where they are not at the place that it names
    #[arg(long)]
    weights: Option<PathBuf>,
    #[command(flatten)]
    running: Running,
    /// Print what a run does, step by step, and what was made of the operators for it, instead of running
    #[arg(long)]
    explain: bool,
    /// Print also where the time goes, by operator and by kind of operator: the median of three more runs. With
    /// --profile=json one object, and nothing else. Operations and bytes are those of the op's definition
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "table")]
    profile: Option<Form>,
}

/// Runs that a profile is the median of, after the one that gives the results.
const PROFILED: usize = 3;

pub fn main(args: Args) -> Outcome {
    let graph = model::read(&args.model, args.weights.as_deref())?;
    let report = args.running.run(&graph, args.all, Run { graph: &graph, args: &args })?;
    warn(&graph);
    print(&report)?;
    Ok(true)
}

struct Run<'a> {
    graph: &'a Graph,
    args: &'a Args,
}

impl Task for Run<'_> {
    /// What is printed.
    type Done = String;
    fn on<B: Backend>(self, backend: B, options: &RunOptions) -> Result<String> {
        let Run { graph, args } = self;
        let (false, Some(output)) = (args.explain, &args.output) else {
            return Ok(Session::new(graph, backend, options)?.explain());
        };
        let feeds = feeds::read(graph, &args.inputs, args.preprocess)?;
        let session = Session::new(graph, backend, options)?;
        let results = session.run(&feeds)?;
        write_npz(output, results.iter().map(|(n, a)| (n.as_str(), a)))?;
        let written = format!("{}\n{}: {}\n", session.summary(), output.display(), counted(results.len(), "tensor"));
        drop(results);
        let profile = |form| -> Result<String> { Ok(profile::text(form, &session.profile(&feeds, PROFILED)?)) };
        Ok(match args.profile {
            None => written,
            Some(Form::Table) => format!("{written}\n{}", profile(Form::Table)?),
            Some(Form::Json) => profile(Form::Json)?,
        })
    }
}
