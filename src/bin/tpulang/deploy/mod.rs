//! `tpulang deploy`: from a network to a file for the chip, through the stages of TPU-MLIR's tool chain.

mod causes;
mod culprit;
mod errors;
mod folder;
mod group;
mod integers;
mod options;
mod stage;
mod target;
mod tool_chain;

pub use stage::Stage;
pub use target::TargetOptions;

use super::{
    Outcome,
    diagnostics::Diagnostics,
    feeds::{Inputs, check_inputs},
    model,
    output::Sources,
    progress::{Size, during},
    run::FILES,
};
use causes::Cause;
use culprit::{Culprit, Trial};
use errors::StageErrors;
use folder::Report;
use stage::{Arrays, Stages};
use std::{
    collections::{HashMap, HashSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use target::Target;
use tool_chain::{Failure, Problem, ToolChain};
use tpulang::{
    Error, Graph, Mode, Result,
    array::Array,
    calibrate::QuantizeTable,
    exec::{CpuBackend, Parts, RunOptions, Session, Tolerance, random_feeds, real_numbers},
};
use tpulang_base::{MAX_LISTED, argument, escaped_path, files, invalid};

/// Compile a network for a chip, and compare its numbers after each stage
#[derive(clap::Args)]
#[command(after_help = "\
Converts the network, and runs the tool chain (tpu_mlir 1.30) on it: tpuc-opt canonicalizes it, and
model_deploy lowers it and generates the bmodel. After each stage, the network runs on the inputs,
finally in the simulator of the chip, and its tensors are compared. If the tool chain fails, deploy
searches for the operator that causes it.

The tool chain is that of TPULANG_TOOLCHAIN, a virtual environment, or of the active one, of the
folder toolchain, or of python3.

Exit status: 0 if the simulator's outputs are within the tolerance, even if those of earlier stages
are not (with --no-simulator: if the outputs of all stages are); 1 if an output is outside of the
tolerance, or was not compared; 2 on an error. The bmodel is written at the end, also if the exit
status is 1; on an error, or if deploy is killed, the old file remains.

Examples:
  tpulang deploy model.json --chip bm1684x --quantize F16 -o model.bmodel
  tpulang deploy model.json --quantize INT8 --calibration model.table -i inputs.npz -o model.bmodel
  tpulang deploy model.onnx --chip bm1688 -o model.bmodel -- --num_core 2")]
pub struct Args {
    #[command(flatten)]
    model: model::Model,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    target: target::TargetOptions,
    /// Minimum cosine and Euclidean similarity of the outputs. Default, as in model_deploy: 0.99,0.99 for F32; 0.99,0.9 for F16 and
    /// BF16; 0.8,0.5 for F8; 0.9,0.8 for all other modes
    #[arg(long, value_name = "COS,EUCLID")]
    tolerance: Option<Tolerance>,
    /// The folder for the files of all stages. Default: the bmodel's path with .stages, in place of .bmodel or at the end
    #[arg(long, value_name = "FOLDER", help_heading = FILES)]
    stages: Option<PathBuf>,
    /// The bmodel to write, which is a cvimodel for cv183x, cv182x, cv181x and cv180x. Its folder is created if missing
    #[arg(short, long, value_name = "FILE", help_heading = FILES)]
    output: PathBuf,
    /// Do not run the bmodel in the simulator, which takes minutes for large networks in floats
    #[arg(long)]
    no_simulator: bool,
    /// More options of model_deploy, after --
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

pub fn main(mut args: Args, messages: &Diagnostics) -> Outcome {
    options::check(&args.options)?;
    args.model.take_shapes_of(&args.inputs);
    let graph = during("reading the model", Size::Unknown, |_| args.model.read())?;
    let original = model::unrolled_for_chip(graph, messages)?;
    let graph = original.legalized()?;
    let options = options::with_absolute_paths(&args.options)?;
    let target = args.target.read(&graph, &args.model.path, options, messages)?;
    let folder = args.stages.clone().unwrap_or_else(|| folder::of_bmodel(&args.output));
    let read = args.inputs.files().into_iter().chain(args.target.files()).collect();
    let sources = Sources::new(&args.model.path, &graph, read);
    folder::check_written(&sources, &args.output, &folder)?;
    let (mut feeds, warnings) = args.inputs.read(&graph, &args.model.path)?;
    check_inputs(&graph, &feeds, "with the tool chain")?;
    messages.warn(&graph, &warnings)?;
    let is_random = feeds.is_empty();
    if is_random {
        feeds = random_feeds(&graph, 0)?;
    }
    let chain = ToolChain::find()?;
    let report = Report::begin(&folder)?;
    let ours = during("running", Size::Unknown, |_| references(&graph, &original, &feeds))?;
    let mut pipeline = Pipeline::begin(&graph, ours, &chain, &target, folder, &feeds)?;
    messages.warn(&graph, &graph.weight_warnings())?;
    for stage in Stage::ALL {
        let time_made = pipeline.make(stage)?;
        if pipeline.runs(stage) && (stage != Stage::Chip || !args.no_simulator) {
            pipeline.run(stage, time_made)?;
        }
    }
    let rounded = integers::rounded_slice(&graph, &target, &pipeline.ours)?;
    let inexact = integers::beyond_float32(&graph, &pipeline.ours)?;
    let infinite = infinite_layers(&graph, &target)?;
    let ignored = pipeline.ignored_modes()?;
    let Pipeline { stages, errors, .. } = pipeline;
    if !stages.bmodel().exists() {
        return Err(match args.options.join(" ") {
            options if options.is_empty() => invalid("model_deploy has written no bmodel"),
            options => argument("OPTIONS", options, "with these options, model_deploy writes no bmodel"),
        });
    }
    write_bmodel(&stages.bmodel(), &args.output)?;
    let (summary, details) = (errors::summary(&errors, &target.chip), errors::details(&errors, &target.chip));
    report.set(&format!("\n{summary}{details}"))?;
    let tolerance = args.tolerance.unwrap_or_else(|| target.tolerance());
    let (failure, mut remarks) = errors::verdict(&errors, &graph, &tolerance, &target);
    remarks.extend([rounded, inexact, infinite, ignored].into_iter().flatten());
    remarks.extend(is_random.then(|| "the inputs were random; use -i FILE to give your own".to_owned()));
    let mut text = summary;
    for remark in remarks {
        text += &format!("\n{remark}\n");
    }
    text += &format!("\n{}\n{}: all tensors\n", escaped_path(&args.output), escaped_path(&report.path));
    if let Some(failure) = &failure {
        text += &format!("\n{failure}\n");
    }
    messages.report(&text)?;
    Ok(failure.is_none())
}

/// Returns a remark about the layers with infinite numbers, if there are any.
fn infinite_layers(graph: &Graph, target: &Target) -> Result<Option<String>> {
    let layers = target.infinite_layers(graph)?;
    let remark = || {
        let (names, quantize) = (listed(&layers), &target.quantize);
        format!("layers with infinite numbers are computed in floats, since {quantize} has no scale for them: {names}")
    };
    Ok((!layers.is_empty()).then(remark))
}

/// Lists the first names of layers.
fn listed(names: &[impl AsRef<str>]) -> String {
    let mut text =
        names.iter().take(MAX_LISTED).map(|name| format!("{:?}", name.as_ref())).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED {
        text += &format!(" and {} more", names.len() - MAX_LISTED);
    }
    text
}

/// Copies the bmodel to where it is wanted. It appears whole or not at all.
fn write_bmodel(from: &Path, to: &Path) -> Result<()> {
    files::create_folder_of(to)?;
    let mut from_file = fs::File::open(from).map_err(Error::io(from))?;
    files::replace(to, |new| std::io::copy(&mut from_file, new).and_then(|_| new.flush()).map_err(Error::io(to)))
}

/// Leaves out the index of a call unless the network was read from a spec, whose calls have one.
fn without_index(error: Error) -> Error {
    match (error.place(), error.call()) {
        (None, Some(call)) => Error::new(error.message().replacen(&format!(" (ops[{}])", call.index), "", 1)),
        _ => error,
    }
}

/// Returns the tensors of a run whose names are wanted, as real numbers.
fn tensors(graph: &Graph, feeds: &Arrays, is_wanted: impl Fn(&str) -> bool + Sync) -> Result<Arrays> {
    let session = Session::new(graph, CpuBackend::new(), &RunOptions::default().unfused(true))?;
    let quantizations = graph.propagated_quantization()?;
    let mut all = Arrays::new();
    session.visit(feeds, &mut |name, array| {
        if !is_wanted(name) {
            return Ok(());
        }
        let tensor = graph.find(name)?;
        let quantization = quantizations.get(tensor.index()).and_then(Option::as_ref);
        let array = match quantization.filter(|_| !array.dtype().is_float()) {
            Some(quantization) => real_numbers(array, quantization)?,
            None => Array::clone(array),
        };
        all.insert(name.to_owned(), array);
        Ok(())
    })?;
    Ok(all)
}

/// Returns all tensors of a run. Outputs are those of the original, of which some operators were replaced.
fn references(graph: &Graph, original: &Graph, feeds: &Arrays) -> Result<Arrays> {
    let mut all = tensors(graph, feeds, |_| true)?;
    let [given, replaced] = [original, graph].map(|graph| graph.operators().iter().map(|operator| operator.op.name()));
    if !given.eq(replaced) {
        let is_output = |name: &str| original.lookup(name).is_some_and(|t| original.outputs().contains(&t));
        all.extend(tensors(original, feeds, is_output)?);
    }
    Ok(all)
}

/// Returns the tensors of a stage, for a comparison with ours. The tool chain works in `folder`.
pub fn tensors_of(stage: Stage, graph: &Graph, target: &Target, folder: PathBuf, feeds: &Arrays) -> Result<Arrays> {
    let chain = ToolChain::find()?;
    let _report = Report::begin(&folder)?;
    let ours = during("running", Size::Unknown, |_| tensors(graph, feeds, |_| true))?;
    let pipeline = Pipeline::begin(graph, ours, &chain, target, folder, feeds)?;
    if !pipeline.runs(stage) {
        return Err(argument("--stage", "top", "the tool chain does not run Top modules of integers; expected tpu"));
    }
    for each in Stage::ALL.into_iter().filter(|each| *each <= stage) {
        pipeline.make(each)?;
    }
    let mut arrays = pipeline.tensors(stage)?;
    errors::add_renamed_outputs(graph, &mut arrays)?;
    Ok(arrays)
}

/// A network on its way through the stages.
struct Pipeline<'a> {
    graph: &'a Graph,
    chain: &'a ToolChain,
    target: &'a Target,
    folder: PathBuf,
    feeds: &'a Arrays,
    stages: Stages<'a>,
    parts: HashMap<String, Parts>,
    /// Our tensors.
    ours: Arrays,
    /// Those of the canonical module, and our names of its outputs.
    top: Option<Arrays>,
    /// The names of the canonical module's tensors; none if it was not run.
    layers: HashSet<String>,
    errors: Vec<StageErrors>,
}

impl<'a> Pipeline<'a> {
    /// Writes the files that the tool chain begins with. `ours` are our tensors.
    fn begin(
        graph: &'a Graph,
        ours: Arrays,
        chain: &'a ToolChain,
        target: &'a Target,
        folder: PathBuf,
        feeds: &'a Arrays,
    ) -> Result<Pipeline<'a>> {
        let stages = Stages::new(chain, target, folder.clone(), graph, feeds)?;
        let parts = Parts::of_outputs(graph)?;
        Ok(Pipeline {
            graph,
            chain,
            target,
            folder,
            feeds,
            stages,
            parts,
            ours,
            top: None,
            layers: HashSet::new(),
            errors: Vec::new(),
        })
    }

    /// Makes a stage from the one before. Returns how long that took.
    fn make(&self, stage: Stage) -> Result<Duration> {
        let begun = Instant::now();
        let made = during(stage.action(), Size::Unknown, |_| self.stages.make_logged(stage));
        made.or_else(|problem| Err(self.explained(problem, stage, false)?))?;
        Ok(begun.elapsed())
    }

    /// Whether pymlir runs a stage: it runs no Top module of integers.
    fn runs(&self, stage: Stage) -> bool {
        stage != Stage::Top || self.graph.mode != Mode::Quantized
    }

    /// Runs a stage that has been made, and returns its tensors.
    fn tensors(&self, stage: Stage) -> Result<Arrays> {
        let run = during(stage.running(), Size::Unknown, |_| self.stages.run(stage));
        run.or_else(|problem| Err(self.explained(problem, stage, true)?))
    }

    /// Runs a stage that has been made, and compares its tensors.
    fn run(&mut self, stage: Stage, time_made: Duration) -> Result<()> {
        let begun = Instant::now();
        let mut arrays = self.tensors(stage)?;
        if stage == Stage::Top {
            self.layers = arrays.keys().cloned().collect();
        }
        errors::add_renamed_outputs(self.graph, &mut arrays)?;
        let time = [time_made, begun.elapsed()];
        let (with, reference) = self.reference();
        let errors = errors::of_stage(self.graph, stage, &self.parts, reference, &arrays)?;
        self.errors.push(StageErrors { stage, with, time, errors });
        if stage == Stage::Top {
            errors::add_outputs(self.graph, &self.ours, &mut arrays)?;
            self.top = Some(arrays);
        }
        Ok(())
    }

    /// What the next stage is compared with: the tensors of Top, which has all that are lowered, unless outputs are wrong or missing there.
    fn reference(&self) -> (&'static str, &Arrays) {
        let is_wrong = |stage: &StageErrors| {
            stage.failure(&Tolerance::SAME_DTYPE, self.target).is_some() || stage.missing_outputs(self.graph).is_some()
        };
        match &self.top {
            Some(top) if !self.errors.first().is_some_and(is_wrong) => ("Top", top),
            _ => ("tpulang", &self.ours),
        }
    }

    /// Names the layers of the given quantize table that the canonical module lacks, if there are any.
    fn ignored_modes(&self) -> Result<Option<String>> {
        let Some(text) = self.target.quantize_table.as_ref().filter(|_| !self.layers.is_empty()) else {
            return Ok(None);
        };
        let layers = QuantizeTable::layers(text)?.into_iter().map(|(_, name, _)| name);
        let missing: Vec<&str> = layers.filter(|name| !self.layers.contains(*name)).collect();
        let remark = || {
            let names = listed(&missing);
            format!(
                "these entries of the quantize table have no effect, since the canonical module lacks the layers: {names}"
            )
        };
        Ok((!missing.is_empty()).then(remark))
    }

    /// Returns the error for a problem of the tool chain, about the operator that causes it.
    fn explained(&self, problem: Problem, stage: Stage, when_run: bool) -> Result<Error> {
        let failure = match problem {
            Problem::Failed(failure) => failure,
            Problem::Other(error) => return Ok(error),
        };
        let cause = causes::of(&failure, self.chain);
        let is_of_operator = cause.is_none_or(|cause| cause.is_of_operator);
        let arrays = self.feeds.iter().chain(&self.ours).map(|(name, array)| (name.clone(), array.clone())).collect();
        let trial =
            Trial { chain: self.chain, target: self.target, stage, when_run, arrays: &arrays, folder: &self.folder };
        let culprit = match is_of_operator {
            true => during("searching for the operator", Size::Unknown, |_| trial.culprit(self.graph)),
            false => Ok(None),
        };
        let doing = if when_run { stage.running() } else { stage.action() };
        let text = self.text(&failure, doing, &culprit, cause);
        match culprit {
            Ok(Some(Culprit::Operator { tensor, .. })) => Ok(without_index(self.graph.error_about(tensor, text)?)),
            _ => Ok(Error::new(text)),
        }
    }

    fn text(&self, failure: &Failure, doing: &str, culprit: &Result<Option<Culprit>>, cause: Option<Cause>) -> String {
        let Failure { program, ended, log, log_file } = failure;
        let mut text = format!("{doing} failed: {program} ended with {ended}\n{}", tool_chain::last_lines(log));
        text += &format!("full output: {}\n", escaped_path(log_file));
        match culprit {
            Ok(Some(Culprit::Operator { tensor, alone: Some(true) })) => {
                let path = self.folder.join("operator.json");
                text += &match culprit::write(self.graph, *tensor, &path) {
                    Ok(()) => format!("this operator also fails alone: {}\n", escaped_path(&path)),
                    Err(error) => format!("this operator also fails alone, but cannot be written: {error}\n"),
                };
            }
            Ok(Some(Culprit::Operator { alone: Some(false), .. })) => {
                text += "it succeeds on the operators before this one, and on this operator by itself; only the combination fails\n";
            }
            Ok(Some(Culprit::AnyNetwork)) => {
                text += "it also fails for a single Relu: an option, a table or the installation is the cause, not an operator\n";
            }
            Ok(Some(Culprit::Operator { alone: None, .. }) | None) => {}
            Err(error) => text += &format!("the search for the operator that causes it failed: {error}\n"),
        }
        if let Some(cause) = cause {
            text += &format!("{}; {}\n", cause.meaning, cause.remedy);
        }
        text.trim_end().to_owned()
    }
}
