use super::{
    Outcome,
    device::{Running, Task},
    feeds, model, print,
    profile::milliseconds,
};
use indexmap::IndexMap;
use serde::Serialize;
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};
use tpulang::{
    Graph, Result,
    array::{byte_text, write_npz},
    base::counted,
    exec::{Backend, RunOptions, Session},
};

/// Measure how fast a model runs on the CPU, or on a GPU
///
/// Prepares the model once, runs it for the first result, a few times more to warm up, then as often as --repeat says,
/// and prints the shortest time of a run, the median and the 95th percentile; on a GPU also the time of a run without the
/// copies to it and back; the time from the command's start to the first result; and the most memory that the process held.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tpulang bench model.json\n  tpulang bench model.json -i inputs.npz -j 1 --repeat 100 --json"
)]
pub struct Args {
    /// A graph spec (JSON; - for standard input), or a Top dialect .mlir with its weights beside it
    model: PathBuf,
    /// The inputs, as run takes them. Without: random numbers, always the same (floats from -1 to 1, integers of 8 bits
    /// over their range, wider ones 0, as they may be indices)
    #[arg(short, long, value_name = "[NAME=]FILE")]
    inputs: Vec<String>,
    /// The arrays of inputs that declare a preprocess are raw images: uint8, height x width x channels (red first)
    #[arg(long, requires = "inputs")]
    preprocess: bool,
    /// How many runs are measured
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// Where the results of the last run go: one array each, by name
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Print one JSON object: min_ms, median_ms, p95_ms, first_ms, device_ms (a run without copies, where it is recorded),
    /// peak_bytes (where the system tells), runs
    #[arg(long)]
    json: bool,
    /// The weights of an .mlir, where they are not at the place that it names
    #[arg(long)]
    weights: Option<PathBuf>,
    #[command(flatten)]
    running: Running,
}

/// Runs between the first result and what is measured.
const WARM_UP: u32 = 2;

/// `begun`: when the command did.
pub fn main(args: Args, begun: Instant) -> Outcome {
    let graph = model::read(&args.model, args.weights.as_deref())?;
    print(&args.running.run(&graph, false, Measured { graph: &graph, args: &args, begun })?)?;
    Ok(true)
}

struct Measured<'a> {
    graph: &'a Graph,
    args: &'a Args,
    begun: Instant,
}

impl Task for Measured<'_> {
    /// What is printed.
    type Done = String;
    fn on<B: Backend>(self, backend: B, options: &RunOptions) -> Result<String> {
        let Measured { graph, args, begun } = self;
        let feeds = match args.inputs.as_slice() {
            [] => feeds::random(graph)?,
            given => feeds::read(graph, given, args.preprocess)?,
        };
        let session = Session::new(graph, backend, options)?;
        session.run(&feeds)?;
        let first = begun.elapsed();
        // Reading the file is no part of a run.
        let feeds = feeds
            .into_iter()
            .map(|(name, array)| Ok((name, array.in_memory()?)))
            .collect::<Result<IndexMap<_, _>>>()?;
        for _ in 0..WARM_UP {
            session.run(&feeds)?;
        }
        let (mut times, mut results) = (Vec::new(), IndexMap::new());
        for _ in 0..args.repeat {
            let start = Instant::now();
            results = session.run(&feeds)?;
            times.push(start.elapsed());
        }
        if let Some(output) = &args.output {
            write_npz(output, results.iter().map(|(n, a)| (n.as_str(), a)))?;
        }
        let device_ms = without_copies(&session)?.map(milliseconds);
        let figures = Figures { device_ms, ..Figures::new(times, first) };
        Ok(if args.json { format!("{}\n", serde_json::json!(figures)) } else { figures.text(&session.summary()) })
    }
}

/// The mean time of a run that copies nothing, while a device works without pause.
fn without_copies<B: Backend>(session: &Session<B>) -> Result<Option<Duration>> {
    let Some(one) = session.time_replay(3)? else { return Ok(None) };
    let runs_in = |time: Duration| (time.as_nanos() / one.as_nanos().max(1)).clamp(1, 10_000) as u32;
    // Its clocks rise meanwhile.
    session.time_replay(runs_in(Duration::from_millis(100)))?;
    session.time_replay(runs_in(Duration::from_millis(300)))
}

#[derive(Serialize)]
struct Figures {
    min_ms: f64,
    median_ms: f64,
    p95_ms: f64,
    first_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    runs: usize,
}

impl Figures {
    fn new(mut times: Vec<Duration>, first: Duration) -> Figures {
        times.sort_unstable();
        // The least of the runs that so many percent do not exceed.
        let percentile = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().map_or(0.0, milliseconds)
        };
        Figures {
            min_ms: percentile(0),
            median_ms: percentile(50),
            p95_ms: percentile(95),
            first_ms: milliseconds(first),
            device_ms: None,
            peak_bytes: peak_bytes(),
            runs: times.len(),
        }
    }
    fn text(&self, summary: &str) -> String {
        let Figures { min_ms, median_ms, p95_ms, first_ms, device_ms, peak_bytes, runs } = self;
        let peak = peak_bytes.map_or("unknown".into(), byte_text);
        let device = device_ms.map_or(String::new(), |ms| format!("without copies  {ms:10.3} ms\n"));
        format!(
            "{summary}, {}\nminimum         {min_ms:10.3} ms\nmedian          {median_ms:10.3} ms\n\
             95th percentile {p95_ms:10.3} ms\n{device}first result    {first_ms:10.3} ms\npeak memory     {peak:>13}\n",
            counted(*runs, "run")
        )
    }
}

/// The most memory that this process has held, where Linux tells.
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_runs_that_were() {
        let times = |n: u64| (1..=n).rev().map(Duration::from_millis).collect();
        let figures = |n| Figures::new(times(n), Duration::from_millis(500));
        let all = figures(100);
        assert_eq!((all.min_ms, all.median_ms, all.p95_ms, all.first_ms), (1.0, 50.0, 95.0, 500.0));
        assert_eq!((figures(1).min_ms, figures(1).p95_ms), (1.0, 1.0));
        assert_eq!(figures(5).median_ms, 3.0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_the_peak() {
        assert!(peak_bytes().unwrap() > 1 << 20);
    }
}
