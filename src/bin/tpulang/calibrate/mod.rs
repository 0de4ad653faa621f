//! `tpulang calibrate`: thresholds for 8-bit chips.

mod report;
mod samples;
mod unusual;

use super::{
    Outcome,
    device::{Running, positive_count, repetitions},
    diagnostics::Diagnostics,
    model,
    output::Sources,
    progress::{Size, during},
    run::FILES,
};
use indexmap::IndexMap;
use samples::{Runs, Sample, Shard};
use std::{
    collections::HashSet,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};
use tpulang::{
    Array, Error, Graph, Result,
    base::Warnings,
    calibrate::{
        Chooser, LEAST_THRESHOLD, Method, Precision, QuantizeTable, QuantizedNetwork, Search, Statistics, Table,
        differences,
    },
    exec::{AnyBackend, FusionLevel, Session},
};
use tpulang_base::{argument, escaped_path, files, invalid, misfit, nearest, pluralized};
use unusual::Unusual;

/// Choose quantization thresholds from sample inputs, and write a calibration table
#[derive(clap::Args)]
#[command(
    override_usage = "tpulang calibrate [OPTIONS] --data <FOLDER|LIST> -o <TABLE> <MODEL>\n       tpulang calibrate [OPTIONS] [MODEL --data <FOLDER|LIST>] --merge <FILES>... -o <TABLE>\n       tpulang calibrate --compare <TABLE> <TABLE>",
    after_help = "\
Runs the network on samples, and counts how often numbers of each size occur in each tensor. A
method chooses a threshold for each: numbers beyond it are clamped to it. The table is that of
run_calibration, which model_deploy --calibration_table takes.

Samples are .npz files with an array for each input, .npy files, or images, preprocessed as the
model declares. With --shard, the statistics of a part of them are written; --merge makes exactly
the table of all of them from the files, in any order.

Exit status: 0 success; 1 --compare found tensors that are in one table only, or --search did not
reach --expect; 2 error.

Examples:
  tpulang calibrate model.json --data images --samples 100 -o model.table
  tpulang calibrate model.json --data samples.txt --method mse --statistics all.json -o mse.table
  tpulang calibrate --method max --merge all.json -o max.table
  tpulang calibrate model.json --data images --shard 1/2 --statistics part1.json
  tpulang calibrate model.json --data images --merge part1.json part2.json -o model.table
  tpulang calibrate model.json --data images --search model.qtable --expect 0.99 -o model.table
  tpulang calibrate --compare model.table theirs.table"
)]
pub struct Args {
    /// A graph spec (.json, or - for standard input), a Top dialect .mlir file, or an ONNX model
    #[arg(value_name = "MODEL", required_unless_present_any = ["merge", "compare"])]
    model: Option<PathBuf>,
    #[command(flatten)]
    options: model::ModelOptions,
    /// A folder of samples, a single one, or a list: each line names an .npz, or one file per input, separated by commas
    #[arg(long, value_name = "FOLDER|LIST", requires = "model", required_unless_present_any = ["merge", "compare"], help_heading = FILES)]
    data: Option<PathBuf>,
    /// Use at most N samples: the first N of a list, or N evenly spaced files of a folder
    #[arg(long, value_name = "N", value_parser = positive_count, requires = "data")]
    samples: Option<usize>,
    /// Run part I of N of the samples, and write its statistics
    #[arg(long, value_name = "I/N", requires_all = ["data", "statistics"], conflicts_with_all = ["output", "merge"])]
    shard: Option<Shard>,
    /// Instead of running a model, read the statistics of these files
    #[arg(long, value_name = "FILES", num_args = 1.., help_heading = FILES)]
    merge: Vec<PathBuf>,
    /// Print how the thresholds of two tables differ
    #[arg(long, value_name = "TABLE", num_args = 2, conflicts_with_all = ["model", "data", "merge", "output", "statistics", "method", "tune", "int4", "asymmetric"])]
    compare: Vec<PathBuf>,
    /// How thresholds are chosen: max, percentile9999, kl, mse, aciq_gauss, aciq_laplace, or auto, which runs the operators
    /// that read a tensor with the thresholds of all methods, and takes the one with the smallest error. With --merge, auto
    /// needs MODEL and --data, too
    #[arg(long, value_name = "METHOD", default_value_t = Choice::Auto)]
    method: Choice,
    /// The number of samples, evenly spaced, on which auto compares thresholds, and --search the outputs
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = repetitions)]
    tune: u32,
    /// Also write the thresholds of 4-bit integers
    #[arg(long)]
    int4: bool,
    /// List these tensors in the table's #asym_op section, with the range of percentile9999, as run_calibration does for results of SiLU
    /// and GELU. tpu_mlir 1.30 gives them no zero point on bm1684x
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    asymmetric: Vec<String>,
    /// Find the layers that must stay in floating point, and write them to this file, which model_deploy --quantize_table takes. Each layer
    /// alone is computed in integers, like on bm1684x, on two samples; then those with the largest effect become floats until the outputs
    /// are as good as --expect on the samples of --tune
    #[arg(long, value_name = "TABLE", requires_all = ["data", "output"], help_heading = FILES)]
    search: Option<PathBuf>,
    /// The least mean cosine of the outputs to those in floats, for --search
    #[arg(long, value_name = "COSINE", default_value_t = 0.99, value_parser = cosine, requires = "search")]
    expect: f64,
    /// Also write the statistics to this file, for --merge
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    statistics: Option<PathBuf>,
    /// The table to write. Its folder is created if missing
    #[arg(short, long, value_name = "TABLE", required_unless_present_any = ["compare", "statistics"], help_heading = FILES)]
    output: Option<PathBuf>,
    #[command(flatten)]
    running: Running,
}

impl Args {
    /// The files to write, each with its option.
    fn written(&self) -> Vec<(&'static str, &Path)> {
        let all = [("--output", &self.output), ("--statistics", &self.statistics), ("--search", &self.search)];
        all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
    }
    /// Returns an error if two files to write are the same, or one holds statistics to merge.
    fn check_written(&self) -> Result<()> {
        let written = self.written();
        let is_twice = |i: &usize| written[..*i].iter().any(|(_, path)| files::is_same_file(path, written[*i].1));
        let twice = (1..written.len()).find(is_twice);
        if let Some(twice) = twice {
            let (option, path) = written[twice];
            let expected = "another file to write has this path, too; expected different paths";
            return Err(argument(option, escaped_path(path), expected));
        }
        let merged = Sources::of_files("a file to merge", self.merge.iter().map(PathBuf::as_path));
        written.iter().try_for_each(|(option, path)| merged.check(option, path))
    }
}

fn cosine(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|cosine| (0.0..=1.0).contains(cosine)).ok_or("expected a number from 0 to 1")
}

/// How thresholds are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Choice {
    /// By comparing those of all methods.
    Auto,
    By(Method),
}

impl FromStr for Choice {
    type Err = Error;
    fn from_str(name: &str) -> Result<Choice> {
        if name == "auto" {
            return Ok(Choice::Auto);
        }
        let all = Method::all().map(Method::name).collect::<Vec<_>>().join(", ");
        name.parse().map(Choice::By).map_err(|_| Error::new(format!("expected auto, {all}")))
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Choice::Auto => f.write_str("auto"),
            Choice::By(method) => method.fmt(f),
        }
    }
}

pub fn main(mut args: Args, messages: &Diagnostics) -> Outcome {
    if let [first, second] = args.compare.as_slice() {
        return compare(first, second, messages);
    }
    if let Some((option, _)) = args.written().into_iter().find(|(_, path)| *path == Path::new("-")) {
        return Err(argument(option, "-", "expected a file, not standard output"));
    }
    args.check_written()?;
    args.running.limit_threads();
    let network = match (args.model.clone(), args.data.clone()) {
        (Some(model), Some(data)) => Some(Network::open(&mut args, &model, &data, messages)?),
        (Some(_), None) => return Err(argument("--data", "nothing", "expected the samples to run MODEL on")),
        _ => None,
    };
    let statistics = match &network {
        Some(network) if args.merge.is_empty() => network.statistics(messages)?,
        _ => merged(&args.merge)?,
    };
    if let Some(network) = &network {
        network.check(&statistics)?;
    }
    let (mut text, mut is_reached) = (String::new(), true);
    // Collecting them takes longest, so they are kept even if a threshold cannot be chosen.
    if let Some(path) = &args.statistics {
        files::create_folder_of(path)?;
        statistics.write(path)?;
        text += &format!("{}: {}\n", escaped_path(path), statistics.summary());
    }
    if let Some(path) = &args.output {
        let table = table(&args, &statistics, network.as_ref())?;
        files::create_folder_of(path)?;
        table.write(path)?;
        text += &report::of_table(path, &statistics, &table, &args.method.to_string());
        if let Some(network) = &network {
            text += &report::of_quantized(&network.graph);
        }
        if let (Some(to), Some(network)) = (&args.search, &network) {
            files::create_folder_of(to)?;
            let search = network.search(&table, args.tune as usize, args.expect)?;
            search.table().write(to)?;
            is_reached = search.cosines[1] >= args.expect;
            text += &report::of_search(to, &search);
        }
    }
    messages.report(&text)?;
    Ok(is_reached)
}

/// A network and its samples.
struct Network {
    graph: Graph,
    session: Session<AnyBackend>,
    runs: Runs,
    /// The statistics before any sample is counted.
    statistics: Statistics,
}

impl Network {
    fn open(args: &mut Args, model: &Path, data: &Path, messages: &Diagnostics) -> Result<Network> {
        let samples = samples::list(data, args.samples)?;
        args.options.take_shapes(model, || samples.first().map(Sample::shapes).unwrap_or_default());
        let graph = during("reading the model", Size::Unknown, |_| args.options.read(model))?;
        let graph = model::for_chip(graph, messages)?;
        let statistics = Statistics::new(&graph)?;
        check_before_running(args, &graph, &statistics)?;
        let sources = Sources::new(model, &graph, vec![data]);
        for (option, path) in args.written() {
            sources.check(option, path)?;
        }
        let runs = Runs::new(&graph, samples, args.shard)?;
        let (backend, options) = args.running.open(&graph, false, messages)?;
        let fusion = if options.fusion == FusionLevel::Full { FusionLevel::Layouts } else { options.fusion };
        // `auto` runs each operator by itself, and the whole graph in two ways.
        let options = options.fusion(fusion).kept_plans(graph.operators().len() + 2);
        let session = during("preparing", Size::Unknown, |_| Session::new(&graph, backend, &options))?;
        messages.warn(&graph, &graph.weight_warnings())?;
        Ok(Network { graph, session, runs, statistics })
    }

    /// # Errors
    /// Returns an error if the statistics are those of another network.
    fn check(&self, statistics: &Statistics) -> Result<()> {
        self.statistics.check_network(statistics).map_err(|e| misfit("--merge and MODEL:", e))
    }

    /// Runs the network on the samples.
    fn statistics(&self, messages: &Diagnostics) -> Result<Statistics> {
        let Network { graph, session, runs, statistics } = self;
        let mut statistics = statistics.clone();
        let (mut unusual, mut reported) = (Unusual::default(), HashSet::new());
        during("calibrating", Size::Parts(runs.count()), |progress| {
            runs.read(graph, runs.count()).try_for_each(|run| -> Result<()> {
                let (names, feeds) = run?;
                let results = statistics.run(session, &names, &feeds).map_err(of_samples(&names))?;
                if unusual.add(&names, runs.together(), &feeds)? {
                    messages.warn(graph, &self.new_non_finite(&feeds, &results, &mut reported)?)?;
                }
                progress.advance();
                Ok(())
            })
        })?;
        messages.warn(graph, &unusual.warnings().collect())?;
        if runs.missing() > 0 {
            let times = pluralized(runs.missing(), "time");
            messages.report(&format!("the last sample is repeated {times} to fill a batch\n"))?;
        }
        Ok(statistics)
    }

    /// Returns warnings about tensors with elements that are not finite, but for those in `reported`, to which they are added: a thousand
    /// samples may have the same problem.
    fn new_non_finite(
        &self,
        feeds: &IndexMap<String, Array>,
        results: &IndexMap<String, Array>,
        reported: &mut HashSet<String>,
    ) -> Result<Warnings> {
        let is_new = |(name, array): (&String, &Array)| {
            array.non_finite().is_some_and(|found| found.any()) && !reported.contains(name)
        };
        // Finding where such elements come from takes another run.
        if !feeds.iter().chain(results).any(is_new) {
            return Ok(Warnings::default());
        }
        let found = self.session.non_finite(feeds, results)?;
        let kinds = found.iter().map(|warning| warning.kind().clone());
        Ok(kinds.filter(|kind| kind.tensor().is_none_or(|t| reported.insert(t.to_owned()))).collect())
    }

    /// Chooses thresholds by comparison, on at most `most` samples.
    fn chosen(&self, statistics: &Statistics, precision: Precision, most: usize) -> Result<Table> {
        let Network { graph, session, runs, .. } = self;
        let mut chooser = Chooser::new(graph, statistics, precision)?;
        let most = most.div_ceil(runs.together()).min(runs.count());
        during("comparing thresholds", Size::Parts(most), |progress| {
            let mut samples = runs.read(graph, most);
            while !chooser.is_decided()
                && let Some(run) = samples.next()
            {
                let (names, feeds) = run?;
                chooser.add(session, &feeds).map_err(of_samples(&names))?;
                progress.advance();
            }
            Ok::<(), Error>(())
        })?;
        chooser.table()
    }
}

/// Shows a part from 0 to 1 as so many steps.
const STEPS: u32 = 100;

impl Network {
    /// Searches for the layers that must stay floats, on at most `most` samples.
    fn search(&self, table: &Table, most: usize, expect: f64) -> Result<Search> {
        let Network { graph, runs, .. } = self;
        let network = QuantizedNetwork::new(graph, table, &QuantizeTable::default())?;
        let most = most.div_ceil(runs.together()).min(runs.count());
        let samples = runs.read(graph, most).map(|run| run.map(|(_, feeds)| feeds)).collect::<Result<Vec<_>>>()?;
        during("searching for the layers", Size::Parts(STEPS as usize), |progress| {
            let mut done = 0u32;
            Search::new(&network, &samples, expect, &mut |part| {
                while f64::from(done + 1) <= part * f64::from(STEPS) {
                    progress.advance();
                    done += 1;
                }
            })
        })
    }
}

/// Adds the samples of a run to its error.
fn of_samples(names: &[&str]) -> impl FnOnce(Error) -> Error {
    let names = names.join(", ");
    move |e| misfit(format!("the sample {names:?}:"), e)
}

/// Checks what would otherwise fail after all samples have been run.
///
/// # Errors
/// Returns an error if a name of `--asymmetric` is not that of a tensor with statistics, if a table cannot have a tensor's name, or if
/// `--search` cannot quantize the network.
fn check_before_running(args: &Args, graph: &Graph, statistics: &Statistics) -> Result<()> {
    let counted = statistics.tensors();
    if let Some(name) = args.asymmetric.iter().find(|name| !counted.contains_key(name.as_str())) {
        let near = nearest(name, counted.keys().map(String::as_str));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        let problem = match graph.lookup(name) {
            Some(_) => "the tensor gets no threshold; expected an input or a result that is not in a branch or loop",
            None => "the model has no such tensor",
        };
        return Err(argument("--asymmetric", format!("{name:?}"), format!("{problem}{hint}")));
    }
    if args.output.is_some() {
        Table::check_names(counted.keys().map(String::as_str))?;
    }
    if args.search.is_some() {
        QuantizedNetwork::check(graph)?;
    }
    Ok(())
}

fn merged(paths: &[PathBuf]) -> Result<Statistics> {
    let mut all: Option<Statistics> = None;
    for path in paths {
        let read = Statistics::read(path)?;
        match &mut all {
            None => all = Some(read),
            Some(all) => all.merge(&read).map_err(|e| misfit(format!("--merge {}:", escaped_path(path)), e))?,
        }
    }
    all.ok_or_else(|| invalid("--merge: expected the files that --statistics has written"))
}

/// Chooses the thresholds.
fn table(args: &Args, statistics: &Statistics, network: Option<&Network>) -> Result<Table> {
    let chosen = |precision| match (args.method, network) {
        (Choice::By(method), _) => statistics.table(method, precision),
        (Choice::Auto, Some(network)) => network.chosen(statistics, precision, args.tune as usize),
        (Choice::Auto, None) => {
            let expected =
                "it compares thresholds on samples: expected MODEL and --data beside --merge, or another method";
            Err(argument("--method", Choice::Auto, expected))
        }
    };
    let mut table = chosen(Precision::Int8)?;
    if args.int4 {
        table.int4 = chosen(Precision::Int4)?.entries;
        // The chip's range has one more integer below zero than above.
        table
            .int4
            .values_mut()
            .for_each(|entry| (entry.min, entry.max) = (-entry.threshold * 8.0 / 7.0, entry.threshold));
    }
    for name in &args.asymmetric {
        let histogram = statistics.tensors().get(name).map(|tensor| &tensor.histogram);
        let (Some(entry), Some(histogram)) = (table.entries.get_mut(name), histogram) else {
            return Err(argument("--asymmetric", format!("{name:?}"), "the statistics have no such tensor"));
        };
        *entry = Method::Percentile.entry(histogram, Precision::Int8);
        // A threshold of 0 is none for the tool chain.
        entry.threshold = entry.max.max(-entry.min).max(LEAST_THRESHOLD);
    }
    table.asymmetric.clone_from(&args.asymmetric);
    Ok(table)
}

fn compare(first: &Path, second: &Path, messages: &Diagnostics) -> Outcome {
    let found = differences(&Table::read(first)?, &Table::read(second)?);
    messages.report(&report::of_differences(&found))?;
    Ok(found.iter().all(|difference| difference.ratio().is_some()))
}
