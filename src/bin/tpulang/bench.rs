use super::{
    Outcome,
    device::{self, Running},
    diagnostics::{Diagnostics, Report},
    feeds::Inputs,
    model,
    output::{Output, Sources},
    profile::milliseconds,
    run::FILES,
};
use indexmap::IndexMap;
use serde::Serialize;
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};
use tpulang::{
    Array, Result,
    array::byte_text,
    base::Warnings,
    exec::{AnyBackend, Latency, Session, random_feeds},
};
use tpulang_base::pluralized;

/// Measure latency, startup time and peak memory
#[derive(clap::Args)]
#[command(after_help = "\
Runs the model --repeat times after a warm-up and prints the minimum, median and 95th percentile
of the time, the time from the start of the command to the first result, and the peak memory of
the process: all of it, and that without the files that it maps, such as its own code. On a GPU
it also prints the time of a run without copies to and from the GPU.
Without -i, --set and --random, the inputs are those of --random 0.

Examples:
  tpulang bench model.json
  tpulang bench model.json -i inputs.npz -j 1 --repeat 100 --json")]
pub struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Number of timed runs
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = device::repetitions,
        help_heading = "Measurement"
    )]
    repeat: u32,
    /// Write the results of a run to this .npz, .safetensors or (a single result) .npy file, or to standard output (-), as an
    /// .npz; the report then goes to standard error
    #[arg(short, long, value_name = "FILE", help_heading = FILES)]
    output: Option<PathBuf>,
    /// Print one JSON object: min_ms, median_ms, p95_ms, first_ms, device_ms (a run without copies; GPU only), peak_bytes
    /// and private_bytes (the same without mapped files; both Linux only), runs
    #[arg(long, help_heading = "Measurement")]
    json: bool,
    #[command(flatten)]
    model: model::Model,
    #[command(flatten)]
    running: Running,
}

/// `begun` is the time at which the command started.
pub fn main(mut args: Args, messages: &Diagnostics, begun: Instant) -> Outcome {
    args.model.take_shapes_of(&args.inputs);
    let graph = args.model.read()?;
    messages.warn_of_model(&graph)?;
    let sources = Sources::new(&args.model.path, &graph, args.inputs.files());
    let output =
        args.output.as_ref().map(|path| Output::new(path, Some(graph.outputs().len()), &sources)).transpose()?;
    let (backend, options) = args.running.open(&graph, false, messages)?;
    let (feeds, warnings) = match args.inputs.is_empty() {
        true => (random_feeds(&graph, 0)?, Warnings::default()),
        false => args.inputs.read(&graph, &args.model.path)?,
    };
    messages.warn(&graph, &warnings)?;
    let session = Session::new(&graph, &backend, &options.fed(feeds.keys()))?;
    // Weights of a file have been read now.
    messages.warn(&graph, &graph.weight_warnings())?;
    let figures = measure(&session, &feeds, (args.repeat, output.as_ref()), begun)?;
    messages.warn(&graph, &device::warnings(&backend))?;
    let report = match args.json {
        true => Report::Json(format!("{}\n", serde_json::json!(figures))),
        false => Report::Text(figures.text(&session.summary())),
    };
    match &output {
        Some(output) => output.report(&report, messages)?,
        None => messages.deliver(&report)?,
    }
    Ok(true)
}

fn measure(
    session: &Session<&AnyBackend>,
    feeds: &IndexMap<String, Array>,
    (repeat, output): (u32, Option<&Output>),
    begun: Instant,
) -> Result<Figures> {
    session.run(feeds)?;
    let first = begun.elapsed();
    let latency = session.measure(feeds, repeat)?;
    if let Some(output) = output {
        let results = session.run(feeds)?;
        output.write(results.iter().map(|(n, a)| (n.as_str(), a)))?;
    }
    let device_ms = without_copies(session)?.map(milliseconds);
    Ok(Figures { device_ms, ..Figures::new(latency, first) })
}

/// Returns the mean time of a run without copies, on a busy device.
fn without_copies(session: &Session<&AnyBackend>) -> Result<Option<Duration>> {
    let Some(one) = session.time_replay(3)? else { return Ok(None) };
    let runs_in = |time: Duration| (time.as_nanos() / one.as_nanos().max(1)).clamp(1, 10_000) as u32;
    // So that its clocks rise.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    private_bytes: Option<u64>,
    runs: usize,
}

impl Figures {
    fn new(latency: Latency, first: Duration) -> Figures {
        Figures {
            min_ms: milliseconds(latency.min),
            median_ms: milliseconds(latency.median),
            p95_ms: milliseconds(latency.p95),
            first_ms: milliseconds(first),
            device_ms: None,
            peak_bytes: peak_bytes(),
            private_bytes: private_bytes(),
            runs: latency.runs,
        }
    }
    fn text(&self, summary: &str) -> String {
        let Figures { min_ms, median_ms, p95_ms, first_ms, device_ms, peak_bytes, private_bytes, runs } = self;
        let [peak, private] = [peak_bytes, private_bytes].map(|bytes| bytes.map_or("unknown".into(), byte_text));
        let device = device_ms.map_or(String::new(), |ms| format!("without copies  {ms:10.3} ms\n"));
        format!(
            "{summary}, {}\nminimum         {min_ms:10.3} ms\nmedian          {median_ms:10.3} ms\n\
             95th percentile {p95_ms:10.3} ms\n{device}first result    {first_ms:10.3} ms\npeak memory     {peak:>13}\n\
             private memory  {private:>13}\n",
            pluralized(*runs, "run")
        )
    }
}

/// Returns the peak memory of this process, on Linux.
fn peak_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// Returns the peak memory without mapped files. Their resident pages only grow in number, so those of now are those of the peak.
fn private_bytes() -> Option<u64> {
    peak_bytes()?.checked_sub(status("RssFile:")?)
}

/// Returns a size from the process's status.
fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_the_memory() {
        let private = private_bytes().unwrap();
        assert!(private > 1 << 18 && private < peak_bytes().unwrap());
    }
}
