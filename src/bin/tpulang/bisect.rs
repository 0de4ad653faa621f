#[cfg(feature = "mlir")]
use super::deploy::{self, Stage, TargetOptions};
use super::{
    Outcome,
    compare::{Names, check_renames},
    device::Running,
    diagnostics::Diagnostics,
    feeds::{Inputs, check_inputs},
    model,
    output::Sources,
    progress::{Size, during},
    run::FILES,
    shell::shell_word,
};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use tpulang::{
    Array, Graph, Result,
    array::{read_arrays, write_npz},
    exec::{
        Backend, Bisection, Comparison, CpuBackend, Culprit, Rename, RunOptions, Session, Tolerance, bisect,
        pair_names, random_feeds, run,
    },
    graph::{TensorInfo, TensorKind},
    spec,
};
use tpulang_base::{argument, escaped, escaped_path, files, invalid, misfit, pluralized};

/// A stage of the tool chain whose inner tensors are known.
#[cfg(feature = "mlir")]
#[derive(Debug, Clone, Copy, PartialEq, clap::ValueEnum)]
#[value(rename_all = "lower")]
enum StageName {
    Top,
    Tpu,
}

/// Find the operator that makes a network differ from a reference
#[derive(clap::Args)]
#[cfg_attr(feature = "mlir", command(mut_args(|argument| super::requiring::<TargetOptions>(argument, "stage"))))]
#[command(
    override_usage = "tpulang bisect [OPTIONS] --with <FILE> <MODEL>\n       tpulang bisect [OPTIONS] --stage <STAGE> <MODEL>\n       tpulang bisect [OPTIONS] --device <DEVICE> <MODEL>",
    after_help = "\
The reference is a file with the tensors of a run by another program, a stage of TPU-MLIR's tool
chain, or, for a GPU, a run on the CPU. Each operator is fed the tensors of the reference, so that
its own error is separated from errors made earlier. The first one that is wrong by itself is
written as a spec of one operator with its data; of several operators if the reference lacks the
tensors between them. Names that differ by a suffix of the tool chain are matched: y and y_f32.

Exit status: 0 if no tensor differs; 1 if one does; 2 on an error.

Examples:
  tpulang bisect model.json -i inputs.npz --with reference.npz
  tpulang bisect model.json -i inputs.npz --with theirs.npz --rename '*=model/*' -o culprit
  tpulang bisect model.json --stage tpu --quantize INT8 --calibration model.table -i inputs.npz
  tpulang bisect model.json --random 0 --device cuda"
)]
pub struct Args {
    #[command(flatten)]
    model: model::Model,
    /// The reference: an .npz, .safetensors or .pt file or a folder of .npy files, with inner tensors by name
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    #[cfg_attr(feature = "mlir", arg(conflicts_with = "TargetOptions"))]
    with: Option<PathBuf>,
    /// Compare with a stage of TPU-MLIR's tool chain: top, the canonical module, or tpu, the module for --chip
    #[cfg(feature = "mlir")]
    #[arg(long, value_name = "STAGE", conflicts_with = "with")]
    stage: Option<StageName>,
    #[cfg(feature = "mlir")]
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    inputs: Inputs,
    /// Minimum cosine and Euclidean similarity. Default: 0.9999,0.99, or model_deploy's for --stage tpu
    #[arg(long, value_name = "COS,EUCLID")]
    tolerance: Option<Tolerance>,
    /// Tensor A of the network is B in the reference. A and B may have a *, for the same text. May be repeated
    #[arg(long, value_name = "A=B", requires = "with")]
    rename: Vec<Rename>,
    /// The folder for the operator that is wrong by itself, with its data. It is created if missing. With --stage, its folder
    /// `stages` is emptied, for the files of the tool chain
    #[arg(short, long, value_name = "FOLDER", default_value = "bisect", help_heading = FILES)]
    output: PathBuf,
    #[command(flatten)]
    running: Running,
}

pub fn main(mut args: Args, messages: &Diagnostics) -> Outcome {
    args.model.take_shapes_of(&args.inputs);
    let graph = during("reading the model", Size::Unknown, |_| args.model.read())?;
    args.check_output(&graph)?;
    let graph = args.warned(graph, messages)?;
    let (mut feeds, warnings) = args.inputs.read(&graph, &args.model.path)?;
    check_inputs(&graph, &feeds, if args.stage_given() { "with the tool chain" } else { "in bisect" })?;
    messages.warn(&graph, &warnings)?;
    let (mut given, tolerance) = match (&args.with, args.stage_given()) {
        (Some(file), _) => {
            let arrays = read_arrays(file)?;
            check_rules(&graph, &arrays, &args.rename, file)?;
            (Some(named(&graph, arrays, &args.rename).map_err(|e| misfit("--with:", e))?), None)
        }
        (None, false) => (None, None),
        (None, true) => {
            if feeds.is_empty() {
                feeds = random_feeds(&graph, 0)?;
            }
            let (mut arrays, tolerance) = args.of_stage(&graph, &feeds, messages)?;
            // Lowering also gives these names to tensors of other sizes.
            let size = |name: &str| graph.tensor(graph.lookup(name)?).ok().map(|info| info.shape.iter().product());
            arrays.retain(|name, array| size(name).is_none_or(|size: usize| array.len() == size));
            (Some(named(&graph, arrays, &[])?), tolerance)
        }
    };
    let info_of = |name: &str| graph.lookup(name).and_then(|t| graph.tensor(t).ok());
    let is_input = |name: &str| info_of(name).is_some_and(|info| info.kind == TensorKind::Input);
    if let Some(given) = &mut given {
        let inputs: Vec<String> = given.keys().filter(|name| is_input(name)).cloned().collect();
        for name in inputs {
            let Some(array) = given.shift_remove(&name) else { continue };
            match feeds.get(&name) {
                Some(fed) => check_input(&name, fed, &array)?,
                None if info_of(&name).is_some_and(|info| is_stored(info, &array)) => drop(feeds.insert(name, array)),
                None => {}
            }
        }
    }
    let (backend, options) = args.running.open(&graph, false, messages)?;
    let options = options.unfused(true);
    let reference = match given {
        Some(given) => given,
        None if backend.name() == "cpu" => {
            let expected = "expected --with FILE, the tensors of another program, --stage tpu, or --device cuda";
            return Err(argument("the reference", "missing", expected));
        }
        None => run(&graph, &feeds, &CpuBackend::new(), &RunOptions::default().unfused(true).all(true))?.tensors,
    };
    let session = during("preparing", Size::Unknown, |_| Session::new(&graph, backend, &options))?;
    let tolerance = args.tolerance.or(tolerance).unwrap_or(Tolerance::SAME_DTYPE);
    let found = during("comparing", Size::Unknown, |_| bisect(&graph, &session, &feeds, &reference, &tolerance))?;
    let mut text = described(&found, &tolerance);
    if let Some(culprit) = &found.alone {
        text += &written(&graph, culprit, &reference, &args, &tolerance)?;
    }
    messages.report(&text)?;
    Ok(found.alone.is_none() && found.propagated.is_none())
}

impl Args {
    /// The folder for the files of the tool chain.
    fn stages(&self) -> PathBuf {
        self.output.join("stages")
    }
    /// The files in the folder for the operator: its spec, its inputs, the reference, and the result when it is repeated.
    fn files(&self) -> [PathBuf; 4] {
        ["operator.json", "inputs.npz", "reference.npz", "result.npz"].map(|name| self.output.join(name))
    }
    /// Returns an error if a file that is read would be overwritten or removed.
    fn check_output(&self, graph: &Graph) -> Result<()> {
        let read = self.inputs.files().into_iter().chain(self.with.as_deref()).chain(self.tables()).collect();
        let sources = Sources::new(&self.model.path, graph, read);
        let [spec, data, expected, _] = self.files();
        sources.check_spec("--output", &spec)?;
        [data, expected].iter().try_for_each(|path| sources.check("--output", path))?;
        if self.stage_given() { sources.check_folder("--output", &self.stages()) } else { Ok(()) }
    }
}

#[cfg(feature = "mlir")]
impl Args {
    fn stage_given(&self) -> bool {
        self.stage.is_some()
    }
    /// The tables that are read.
    fn tables(&self) -> impl Iterator<Item = &Path> {
        self.target.files()
    }
    /// Warns of the network and returns it; with `--stage`, as the tool chain gets it.
    fn warned(&self, graph: Graph, messages: &Diagnostics) -> Result<Graph> {
        if self.stage.is_some() {
            return model::for_chip(graph, messages);
        }
        messages.warn_of_model(&graph)?;
        Ok(graph)
    }
    /// Returns the tensors of a stage of the tool chain, and the tolerance for them.
    fn of_stage(
        &self,
        graph: &Graph,
        feeds: &IndexMap<String, Array>,
        messages: &Diagnostics,
    ) -> Result<(IndexMap<String, Array>, Option<Tolerance>)> {
        let Some(stage) = self.stage else { return Err(argument("--stage", "missing", "expected top or tpu")) };
        let target = self.target.read(graph, &self.model.path, Vec::new(), messages)?;
        let (stage, tolerance) = match stage {
            StageName::Top => (Stage::Top, None),
            StageName::Tpu => (Stage::Tpu, Some(target.tolerance())),
        };
        Ok((deploy::tensors_of(stage, graph, &target, self.stages(), feeds)?, tolerance))
    }
}

#[cfg(not(feature = "mlir"))]
impl Args {
    fn stage_given(&self) -> bool {
        false
    }
    fn tables(&self) -> impl Iterator<Item = &Path> {
        std::iter::empty()
    }
    fn warned(&self, graph: Graph, messages: &Diagnostics) -> Result<Graph> {
        messages.warn_of_model(&graph)?;
        Ok(graph)
    }
    fn of_stage(
        &self,
        _: &Graph,
        _: &IndexMap<String, Array>,
        _: &Diagnostics,
    ) -> Result<(IndexMap<String, Array>, Option<Tolerance>)> {
        Err(argument("--stage", "given", "this tpulang was built without MLIR"))
    }
}

/// # Errors
/// Returns an error if the reference was computed from other numbers than those of `-i`.
fn check_input(name: &str, fed: &Array, of_reference: &Array) -> Result<()> {
    let comparison = Comparison::of(of_reference, fed)?;
    if comparison.passes(&Tolerance::SAME_DTYPE) {
        return Ok(());
    }
    let difference = difference(&comparison);
    let problem =
        format!("its array {name:?} is not what the network is fed ({difference}); expected a run on the same inputs");
    Err(misfit("--with:", problem))
}

/// Returns the tensors that a reference may have, by name.
fn comparable(graph: &Graph) -> IndexMap<&str, &TensorInfo> {
    let tensors = graph.tensors().map(|(_, info)| info);
    tensors.filter(|info| !info.is_coefficient()).map(|info| (info.name.as_str(), info)).collect()
}

/// # Errors
/// Returns an error if a rule pairs no tensor of the network with an array of the file.
fn check_rules(graph: &Graph, arrays: &IndexMap<String, Array>, rules: &[Rename], file: &Path) -> Result<()> {
    let names: Vec<&str> = comparable(graph).into_keys().collect();
    let theirs: Vec<&str> = arrays.keys().map(String::as_str).collect();
    let place = escaped_path(file).to_string();
    check_renames(rules, &Names { names: &names, place: "the network" }, &Names { names: &theirs, place: &place })
}

/// Whether an array has the numbers of a tensor as they are stored, rather than the real numbers of integers.
fn is_stored(info: &TensorInfo, array: &Array) -> bool {
    info.dtype.is_float() == array.dtype().is_float()
}

/// Returns the arrays that are tensors of the network, by the network's names. Real numbers of integer tensors are left out, since
/// operators read them as stored; those of plain integer inputs are kept, to be compared with what is fed.
fn named(graph: &Graph, arrays: IndexMap<String, Array>, renames: &[Rename]) -> Result<IndexMap<String, Array>> {
    let infos = comparable(graph);
    let names: Vec<&str> = infos.keys().copied().collect();
    let theirs: Vec<&str> = arrays.keys().map(String::as_str).collect();
    let fits = |ours: &str, theirs: &str| infos[ours].shape.iter().product::<usize>() == arrays[theirs].len();
    let mut found = IndexMap::new();
    for pair in pair_names(&names, &theirs, renames, fits) {
        let (Some(name), Some(theirs)) = (pair.first, pair.second) else { continue };
        let (info, array) = (infos[name.as_str()], &arrays[&theirs]);
        let is_plain_input = info.kind == TensorKind::Input && info.quantization.is_none();
        if is_plain_input || is_stored(info, array) {
            found.insert(name.clone(), array.clone());
        }
    }
    match found.is_empty() {
        true => {
            let some = theirs.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            Err(invalid(format!("none of the arrays is a tensor of the network: {some}")))
        }
        false => Ok(found),
    }
}

fn described(found: &Bisection, tolerance: &Tolerance) -> String {
    let mut text = format!("{} compared with the tolerance {tolerance}", pluralized(found.compared, "tensor"));
    if !found.missing.is_empty() {
        text += &format!("; the reference lacks {}", found.missing.len());
    }
    text.push('\n');
    let one = |culprit: &Culprit| {
        let (tensor, op) = (escaped(&culprit.tensor), &culprit.op);
        format!("{tensor}, computed by top.{op} ({})", difference(&culprit.comparison))
    };
    let alone = |culprit: &Culprit| {
        if culprit.operators == 1 {
            return format!("wrong by itself: {}\n", one(culprit));
        }
        let inputs = culprit.inputs.keys().map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
        let between = match inputs.as_str() {
            "" => "before".to_owned(),
            inputs => format!("between {inputs} and"),
        };
        format!(
            "one of the {} operators {between} {} is wrong: {}; the reference lacks the tensors between\n",
            culprit.operators,
            escaped(&culprit.tensor),
            difference(&culprit.comparison)
        )
    };
    match (&found.alone, &found.propagated) {
        (None, None) => text += "no tensor differs\n",
        (Some(culprit), None) => text += &format!("{}no tensor differs in a run\n", alone(culprit)),
        (None, Some(propagated)) => {
            text += &format!("no operator is wrong by itself; errors add up to: {}\n", one(propagated));
        }
        (Some(culprit), Some(propagated)) => {
            text += &format!("{}first to differ in a run: {}\n", alone(culprit), one(propagated));
        }
    }
    text
}

/// Describes how two arrays differ.
fn difference(comparison: &Comparison) -> String {
    match comparison {
        Comparison::Values { cosine, max_abs, relative_l2, .. } => {
            format!("cosine {cosine:.6}, max abs {max_abs:.3e}, rel L2 {relative_l2:.3e}")
        }
        Comparison::Failure(problem) => problem.clone(),
    }
}

/// Writes the operator that is wrong by itself, or those of which one is, and returns the commands that repeat the error.
fn written(
    graph: &Graph,
    culprit: &Culprit,
    reference: &IndexMap<String, Array>,
    args: &Args,
    tolerance: &Tolerance,
) -> Result<String> {
    let inputs = culprit.inputs.keys().map(|name| graph.find(name)).collect::<Result<Vec<_>>>()?;
    let part = graph.part(&inputs, &[graph.find(&culprit.tensor)?])?;
    files::create_folder(&args.output)?;
    let [spec, data, expected, result] = args.files();
    spec::save(&part.named("operator")?, &spec)?;
    write_npz(&data, culprit.inputs.iter().map(|(name, array)| (name.as_str(), array)))?;
    write_npz(&expected, [(culprit.tensor.as_str(), &reference[&culprit.tensor])])?;
    let written = escaped_path(&spec);
    let options = args.running.options_to_repeat(&part);
    let [spec, data, expected, result] = [spec, data, expected, result].map(shell_word);
    let content = match culprit.operators {
        1 => "is the operator that is wrong by itself".to_owned(),
        n => format!("has the {n} operators, one of which is wrong"),
    };
    Ok(format!(
        "\n{written} {content}. This repeats it:\n  \
         tpulang run {spec} -i {data}{options} -o {result}\n  tpulang compare {expected} {result} --tolerance {tolerance}\n"
    ))
}
