//! `tpulang deploy`: from a network to a file for the chip, through the stages of TPU-MLIR's tool chain.

mod causes;
mod culprit;
mod errors;
mod group;
mod integers;
mod stage;
mod target;
mod tool_chain;

pub use stage::Stage;
pub use target::TargetOptions;

use super::{
    Outcome,
    diagnostics::Diagnostics,
    feeds::Inputs,
    model,
    output::Sources,
    progress::{Size, during},
    run::FILES,
};
use causes::Cause;
use culprit::{Culprit, Trial};
use errors::StageErrors;
use stage::{Arrays, Stages};
use std::{
    fs,
    io::Write,
    path::{self, Path, PathBuf},
    time::{Duration, Instant},
};
use target::Target;
use tool_chain::{Failure, Problem, ToolChain};
use tpulang::{
    Error, Graph, Mode, Result,
    array::Array,
    exec::{CpuBackend, RunOptions, Session, Tolerance, random_feeds, real_numbers},
};
use tpulang_base::{argument, escaped_path, files};

/// Compile a network for a chip, and compare its numbers after each stage
#[derive(clap::Args)]
#[command(after_help = "\
Converts the network, and runs the tool chain (tpu_mlir 1.30) on it: tpuc-opt canonicalizes it, and
model_deploy lowers it and generates the bmodel. After each stage, the network runs on the inputs,
at last in the simulator of the chip, and its tensors are compared. If the tool chain fails, the
operator that makes it fail is searched for.

The tool chain is that of TPULANG_TOOLCHAIN, a virtual environment, or of the active one, of the
folder toolchain, or of python3.

Exit status: 0 success; 1 an output is outside of the tolerance; 2 error. The bmodel is written at
the end; on an error, or if deploy is killed, the old file remains.

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
    /// The folder for the files of all stages. Default: that of the bmodel, with .stages for .bmodel
    #[arg(long, value_name = "FOLDER", help_heading = FILES)]
    stages: Option<PathBuf>,
    /// The bmodel to write. Its folder is created if missing
    #[arg(short, long, value_name = "FILE", help_heading = FILES)]
    output: PathBuf,
    /// Do not run the bmodel in the simulator, which takes minutes for large networks in floats
    #[arg(long)]
    no_simulator: bool,
    /// More options of model_deploy, after --
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// The file with the errors of all tensors.
const REPORT: &str = "report.txt";
/// Its first line. A folder with such a report is one of an earlier deployment.
const HEADING: &str = "Report of tpulang deploy. This folder is emptied by the next deployment.\n";

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let graph = during("reading the model", Size::Unknown, |_| args.model.read())?;
    messages.warn_of_model(&graph)?;
    let graph = model::unrolled(&graph)?.unwrap_or(graph);
    let options = with_absolute_paths(&args.options)?;
    let target = args.target.read(&graph, &args.model.path, options)?;
    let folder = args.stages.clone().unwrap_or_else(|| args.output.with_extension("stages"));
    let read = args.inputs.files().into_iter().chain(args.target.files()).collect();
    let sources = Sources::new(&args.model.path, &graph, read);
    check_written(&sources, &args.output, &folder)?;
    let (mut feeds, warnings) = args.inputs.read(&graph)?;
    messages.warn(&graph, &warnings)?;
    let is_random = feeds.is_empty();
    if is_random {
        feeds = random_feeds(&graph, 0)?;
    }
    let chain = ToolChain::find()?;
    let (folder, _lock) = prepared(folder)?;
    let mut pipeline = Pipeline::begin(&graph, &chain, &target, folder.clone(), &feeds)?;
    messages.warn(&graph, &graph.weight_warnings())?;
    for stage in Stage::ALL {
        let time_made = pipeline.make(stage)?;
        if pipeline.runs(stage) && (stage != Stage::Chip || !args.no_simulator) {
            pipeline.run(stage, time_made)?;
        }
    }
    let rounded = integers::rounded_slice(&graph, &target.quantize, &pipeline.ours)?;
    let Pipeline { stages, errors, .. } = pipeline;
    if !stages.bmodel().exists() {
        let expected = "with these options, model_deploy leaves no bmodel";
        return Err(argument("OPTIONS", args.options.join(" "), expected));
    }
    write_bmodel(&stages.bmodel(), &args.output)?;
    let report = folder.join(REPORT);
    let (summary, details) = (errors::summary(&errors, &target.chip), errors::details(&errors, &target.chip));
    fs::write(&report, format!("{HEADING}\n{summary}{details}")).map_err(Error::io(&report))?;
    let tolerance = args.tolerance.unwrap_or_else(|| target.tolerance());
    let failure = errors.iter().find_map(|stage| stage.failure(&tolerance, &target.chip));
    let mut remarks: Vec<String> = errors.iter().filter_map(|stage| stage.missing_outputs(&graph)).collect();
    remarks.extend(target.remark);
    remarks.extend(rounded);
    remarks.extend(is_random.then(|| "the inputs are random; -i gives others".to_owned()));
    let mut text = summary;
    for remark in remarks {
        text += &format!("\n{remark}\n");
    }
    text += &format!("\n{}\n{}: all tensors\n", escaped_path(&args.output), escaped_path(&report));
    if let Some(failure) = &failure {
        text += &format!("\n{failure}\n");
    }
    messages.report(&text)?;
    Ok(failure.is_none())
}

/// Maximum size of a report in bytes.
const MAX_REPORT: u64 = 1 << 30;

/// Creates the folder of the stages, or empties one of an earlier deployment. Returns its absolute path, and its report, which is locked
/// until the file is dropped.
fn prepared(folder: PathBuf) -> Result<(PathBuf, fs::File)> {
    let given = escaped_path(&folder);
    let refused = |expected: &str| Err(argument("--stages", &given, expected));
    if folder.is_file() {
        return refused("this is a file; expected a folder");
    }
    let has_entries = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let folder = std::path::absolute(&folder).map_err(Error::io(&folder))?;
    let report = folder.join(REPORT);
    if has_entries && !files::read(&report, MAX_REPORT).unwrap_or_default().starts_with(HEADING.as_bytes()) {
        return refused(&format!("it has files, but no {REPORT} of deploy; expected another folder"));
    }
    let file = fs::File::options().create(true).append(true).open(&report).map_err(Error::io(&report))?;
    if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
        return refused("another process is using this folder; expected another one");
    }
    fs::write(&report, format!("{HEADING}It is not complete.\n")).map_err(Error::io(&report))?;
    for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
        let entry = entry.map_err(Error::io(&folder))?;
        let path = entry.path();
        if path != report {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(Error::io(&path))?;
        }
    }
    Ok((folder, file))
}

/// The options of model_deploy that are followed by files, separated by commas.
const FILE_OPTIONS: [&str; 3] = ["--test_input", "--test_reference", "--fuse_preprocess_config"];

/// Returns the options of model_deploy with absolute paths, since it runs in another folder.
fn with_absolute_paths(options: &[String]) -> Result<Vec<String>> {
    let absolute = |files: &str| -> Result<String> {
        let paths = files.split(',').map(|file| {
            let path = std::path::absolute(file).map_err(Error::io(file))?;
            path.into_os_string().into_string().map_err(|_| argument("OPTIONS", file, "expected a path of UTF-8 text"))
        });
        Ok(paths.collect::<Result<Vec<_>>>()?.join(","))
    };
    let mut is_file = false;
    let each = options.iter().map(|option| {
        let was_file = std::mem::replace(&mut is_file, FILE_OPTIONS.contains(&option.as_str()));
        match option.split_once('=') {
            _ if was_file => absolute(option),
            Some((name, files)) if FILE_OPTIONS.contains(&name) => Ok(format!("{name}={}", absolute(files)?)),
            _ => Ok(option.clone()),
        }
    });
    each.collect()
}

/// Returns an error if a file that is read would be overwritten or removed, or the bmodel of an earlier deployment would be.
fn check_written(sources: &Sources, output: &Path, folder: &Path) -> Result<()> {
    sources.check("--output", output)?;
    if output.is_dir() {
        return Err(argument("--output", escaped_path(output), "this is a folder; expected a file"));
    }
    sources.check_folder("--stages", folder)?;
    if let (Ok(output), Ok(emptied)) = (path::absolute(output), path::absolute(folder))
        && output.starts_with(emptied)
    {
        let expected = "it is emptied, and the bmodel would be in it; expected another folder";
        return Err(argument("--stages", escaped_path(folder), expected));
    }
    Ok(())
}

/// Copies the bmodel to where it is wanted. It appears whole or not at all.
fn write_bmodel(from: &Path, to: &Path) -> Result<()> {
    let folder = files::folder(to);
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let mut from_file = fs::File::open(from).map_err(Error::io(from))?;
    files::replace(to, |new| std::io::copy(&mut from_file, new).and_then(|_| new.flush()).map_err(Error::io(to)))
}

/// Returns all tensors of a run, as real numbers.
fn all_tensors(graph: &Graph, feeds: &Arrays) -> Result<Arrays> {
    let session = Session::new(graph, CpuBackend::new(), &RunOptions::default().unfused(true))?;
    let quantizations = graph.propagated_quantization()?;
    let mut all = Arrays::new();
    session.visit(feeds, &mut |name, array| {
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

/// Returns the tensors of a stage, for a comparison with ours. The tool chain works in `folder`.
pub fn tensors_of(stage: Stage, graph: &Graph, target: &Target, folder: PathBuf, feeds: &Arrays) -> Result<Arrays> {
    let chain = ToolChain::find()?;
    let (folder, _lock) = prepared(folder)?;
    let pipeline = Pipeline::begin(graph, &chain, target, folder, feeds)?;
    if !pipeline.runs(stage) {
        return Err(argument("--stage", "top", "the tool chain does not run Top modules of integers; expected tpu"));
    }
    for each in Stage::ALL.into_iter().filter(|each| *each <= stage) {
        pipeline.make(each)?;
    }
    pipeline.tensors(stage)
}

/// A network on its way through the stages.
struct Pipeline<'a> {
    graph: &'a Graph,
    chain: &'a ToolChain,
    target: &'a Target,
    folder: PathBuf,
    feeds: &'a Arrays,
    stages: Stages<'a>,
    /// Our tensors.
    ours: Arrays,
    /// Those of the canonical module.
    top: Option<Arrays>,
    errors: Vec<StageErrors>,
}

impl<'a> Pipeline<'a> {
    /// Computes our tensors, and writes the files that the tool chain begins with.
    fn begin(
        graph: &'a Graph,
        chain: &'a ToolChain,
        target: &'a Target,
        folder: PathBuf,
        feeds: &'a Arrays,
    ) -> Result<Pipeline<'a>> {
        let ours = during("running", Size::Unknown, |_| all_tensors(graph, feeds))?;
        let stages = Stages::new(chain, target, folder.clone(), graph, feeds)?;
        Ok(Pipeline { graph, chain, target, folder, feeds, stages, ours, top: None, errors: Vec::new() })
    }

    /// Makes a stage from the one before. Returns how long that took.
    fn make(&self, stage: Stage) -> Result<Duration> {
        let begun = Instant::now();
        let made = during(stage.action(), Size::Unknown, |_| self.stages.make(stage));
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
        let mut arrays = run.or_else(|problem| Err(self.explained(problem, stage, true)?))?;
        errors::add_renamed_outputs(self.graph, &mut arrays)?;
        Ok(arrays)
    }

    /// Runs a stage that has been made, and compares its tensors.
    fn run(&mut self, stage: Stage, time_made: Duration) -> Result<()> {
        let begun = Instant::now();
        let arrays = self.tensors(stage)?;
        let time = [time_made, begun.elapsed()];
        let with = if self.top.is_some() { "Top" } else { "tpulang" };
        let errors = errors::of_stage(self.graph, self.top.as_ref().unwrap_or(&self.ours), &arrays)?;
        self.errors.push(StageErrors { stage, with, time, errors });
        if stage == Stage::Top {
            self.top = Some(arrays);
        }
        Ok(())
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
            true => during("searching for the operator", Size::Unknown, |_| trial.culprit(self.graph))?,
            false => None,
        };
        let doing = if when_run { stage.running() } else { stage.action() };
        let text = self.text(&failure, doing, culprit.as_ref(), cause)?;
        match culprit {
            Some(Culprit::Operator { tensor, .. }) => self.graph.error_about(tensor, text),
            Some(Culprit::AnyNetwork) | None => Ok(Error::new(text)),
        }
    }

    fn text(&self, failure: &Failure, doing: &str, culprit: Option<&Culprit>, cause: Option<Cause>) -> Result<String> {
        let Failure { program, ended, log, log_file } = failure;
        let mut text = format!("{doing} failed: {program} ended with {ended}\n{}", tool_chain::last_lines(log));
        text += &format!("full output: {}\n", escaped_path(log_file));
        match culprit {
            Some(Culprit::Operator { tensor, alone: Some(true) }) => {
                let path = self.folder.join("operator.json");
                culprit::write(self.graph, *tensor, &path)?;
                text += &format!("this operator also fails alone: {}\n", escaped_path(&path));
            }
            Some(Culprit::Operator { alone: Some(false), .. }) => {
                text += "it succeeds on the operators before this one, and on this operator by itself; only the combination fails\n";
            }
            Some(Culprit::AnyNetwork) => {
                text += "it also fails for a single Relu: an option, a table or the installation is the cause, not an operator\n";
            }
            Some(Culprit::Operator { alone: None, .. }) | None => {}
        }
        if let Some(cause) = cause {
            text += &format!("{}; {}\n", cause.meaning, cause.remedy);
        }
        Ok(text.trim_end().to_owned())
    }
}
