use super::{
    Outcome,
    device::{self, Running},
    diagnostics::{Diagnostics, Report},
    emulation,
    feeds::{Inputs, check_inputs},
    model,
    output::{Output, Sources},
    profile::{self, Form},
    progress::{Size, StepCounter, during},
};
use indexmap::IndexMap;
use std::path::PathBuf;
use tpulang::{
    Array, Error, Graph, Result,
    base::Cause,
    calibrate::QuantizedNetwork,
    exec::{AnyBackend, RunOptions, Session},
};
use tpulang_base::{argument, pluralized};

/// Run a network on the CPU or an NVIDIA GPU and save its outputs
#[derive(clap::Args)]
#[command(
    override_usage = "tpulang run [OPTIONS] -i <[NAME=]FILE>... -o <FILE> <MODEL>\n       tpulang run [OPTIONS] --set <NAME=VALUE>... -o <FILE> <MODEL>\n       tpulang run [OPTIONS] --random <SEED> -o <FILE> <MODEL>\n       tpulang run [OPTIONS] --explain <MODEL>",
    after_help = "Examples:
  tpulang run model.json -i inputs.npz -o outputs.npz
  tpulang run model.json -i image=cat.jpg -o outputs.npz        # the model declares `preprocess`
  tpulang run model.json --random 0 -o outputs.npz              # random inputs
  tpulang run model.json --set image=0.5 -o outputs.npz         # a number fills an input
  tpulang run build/net_origin.mlir -i inputs.npz -o all.npz --all
  tpulang run model.json -i inputs.npz -o hidden.npy --fetch hidden
  tpulang run model.json --set hidden=hidden.npy -o outputs.npz # from an inner tensor on
  tpulang run a.json -i inputs.npz -o - | tpulang run b.json -i - -o outputs.npz
  tpulang run model.json -i inputs.npz -o outputs.npz --profile
  tpulang run model.json -i inputs.npz -o int8.npz --calibration model.table --all   # as bm1684x does
  tpulang run model.json --explain"
)]
pub struct Args {
    #[command(flatten)]
    model: model::Model,
    #[command(flatten)]
    inputs: Inputs,
    /// Write the results to this .npz or .safetensors file, one array per result, or a single one to an .npy file; or to
    /// standard output (-), as an .npz. Its folder is created if missing
    #[arg(short, long, required_unless_present = "explain", value_name = "FILE", help_heading = FILES)]
    output: Option<PathBuf>,
    /// Save every computed tensor, not only the outputs
    #[arg(long, help_heading = FILES)]
    all: bool,
    /// Save these tensors instead of the outputs, inner ones too, and compute only what they need. Separate names by
    /// commas, or repeat the option
    #[arg(long, value_name = "NAMES", conflicts_with = "all", help_heading = FILES)]
    fetch: Vec<String>,
    #[command(flatten)]
    emulation: emulation::Options,
    #[command(flatten)]
    running: Running,
    /// Print the execution plan and exit; -i and -o are not needed
    #[arg(long, conflicts_with = "profile", help_heading = "Diagnostics")]
    explain: bool,
    /// Also print the time per operator and per kind of operator (median of 3 extra runs). table: two tables; json: one
    /// JSON object and no other output. GFLOP/s and GB/s follow from the operator's definition, not the kernel. The
    /// critical path is the longest chain of operators that each read a result of the one before: running independent
    /// operators at once takes at least that long. Measure it with -j 1
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

pub fn main(mut args: Args, messages: &Diagnostics) -> Outcome {
    args.model.take_shapes_of(&args.inputs);
    let graph = during("reading the model", Size::Unknown, |_| args.model.read())?;
    let graph = if args.emulation.is_given() {
        model::for_chip(graph, messages)?
    } else {
        messages.warn_of_model(&graph)?;
        graph
    };
    let count =
        (!args.all).then(|| if args.fetch.is_empty() { graph.outputs().len() } else { fetched(&args, &graph).len() });
    let sources = Sources::new(&args.model.path, &graph, args.inputs.files());
    let output = match &args.output {
        Some(path) if !args.explain => Some(Output::new(path, count, &sources)?),
        _ => None,
    };
    let (feeds, warnings) = args.inputs.read(&graph, &args.model.path)?;
    if args.emulation.is_given() {
        args.running.limit_threads();
        check_inputs(&graph, &feeds, "with --calibration")?;
    }
    messages.warn(&graph, &warnings)?;
    if let (Some(network), Some(output)) = (args.emulation.network(&graph, messages)?, &output) {
        let report = emulated(&args, &graph, &network, &feeds, output)?;
        output.report(&Report::Text(report), messages)?;
        return Ok(true);
    }
    let (backend, options) = args.running.open(&graph, args.all, messages)?;
    let options = options.fetched(fetched(&args, &graph));
    // Without feeds, an explained plan is that of the model's inputs.
    let options = if feeds.is_empty() { options } else { options.fed(feeds.keys()) };
    let report = match &output {
        None => explained(&graph, &backend, &options).map(Report::Text),
        Some(output) => run(&args, &graph, (&backend, &options), (feeds, output), messages),
    }?;
    messages.warn(&graph, &device::warnings(&backend))?;
    match &output {
        Some(output) => output.report(&report, messages)?,
        None => messages.deliver(&report)?,
    }
    Ok(true)
}

/// The names of `--fetch`.
fn fetched<'a>(args: &'a Args, graph: &Graph) -> Vec<&'a str> {
    args.fetch.iter().flat_map(|given| model::tensor_names(graph, given)).collect()
}

/// Runs the network as a chip does, and returns the text to print.
fn emulated(
    args: &Args,
    graph: &Graph,
    network: &QuantizedNetwork,
    feeds: &IndexMap<String, Array>,
    output: &Output,
) -> Result<String> {
    let fetched = fetched(args, graph);
    fetched.iter().try_for_each(|name| graph.find(name).map(drop))?;
    let mut kept: IndexMap<String, Array> = IndexMap::new();
    let outputs = during("running", Size::Unknown, |_| {
        network.run(feeds, &mut |name, array| {
            if args.all || fetched.contains(&name) {
                kept.insert(name.to_owned(), array.clone());
            }
            Ok(())
        })
    });
    let outputs = outputs.map_err(|error| if feeds.is_empty() { unfed(error) } else { error })?;
    let results = if args.all || !fetched.is_empty() { kept } else { outputs };
    if let Some(missing) = fetched.iter().find(|name| !results.contains_key(**name)) {
        let expected = "the chip does not compute it: it is an input, or fused with the Relu that reads it";
        return Err(argument("--fetch", format!("{missing:?}"), expected));
    }
    during("writing the results", Size::Unknown, |_| output.write(results.iter().map(|(n, a)| (n.as_str(), a))))?;
    let summary = emulation::summary(network);
    Ok(format!("{summary}\n{}: {}\n", output.name(), pluralized(results.len(), "tensor")))
}

fn explained(graph: &Graph, backend: &AnyBackend, options: &RunOptions) -> Result<String> {
    let counter = StepCounter::default();
    let session =
        counter.during("preparing", "operator", || Session::new(graph, backend, &counter.counting(options)))?;
    Ok(session.explain())
}

/// Adds how inputs are fed to the error that they are not.
fn unfed(error: Error) -> Error {
    match error.cause() {
        Cause::MissingData(problem) => {
            Error::new(format!("{problem}; -i FILE, --set NAME=VALUE or --random SEED feeds it"))
        }
        _ => error,
    }
}

/// Runs the network, and writes the results.
fn run(
    args: &Args,
    graph: &Graph,
    (backend, options): (&AnyBackend, &RunOptions),
    (feeds, output): (IndexMap<String, Array>, &Output),
    messages: &Diagnostics,
) -> Result<Report> {
    let counter = StepCounter::default();
    let session =
        counter.during("preparing", "operator", || Session::new(graph, backend, &counter.counting(options)))?;
    // Weights of a file have been read now.
    messages.warn(graph, &graph.weight_warnings())?;
    messages.warn(graph, &session.conversions(&feeds))?;
    let results = counter.during("running", "step", || session.run(&feeds));
    let results = results.map_err(|error| if feeds.is_empty() { unfed(error) } else { error })?;
    messages.warn(graph, &session.non_finite(&feeds, &results)?)?;
    messages.warn(graph, &session.saturated(&results)?)?;
    messages.warn(graph, &session.overflowed(&feeds, &results)?)?;
    during("writing the results", Size::Unknown, |_| output.write(results.iter().map(|(n, a)| (n.as_str(), a))))?;
    let written = format!("{}\n{}: {}\n", session.summary(), output.name(), pluralized(results.len(), "tensor"));
    drop(results);
    let profile = |form| -> Result<String> {
        let steps = counter.during("profiling", "step", || session.profile(&feeds, PROFILED))?;
        Ok(profile::text(form, &steps))
    };
    Ok(match args.profile {
        None => Report::Text(written),
        Some(Form::Table) => Report::Text(format!("{written}\n{}", profile(Form::Table)?)),
        Some(Form::Json) => Report::Json(profile(Form::Json)?),
    })
}
