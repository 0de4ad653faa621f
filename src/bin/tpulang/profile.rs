//! The profile of a run, as tables or as JSON.
use serde::Serialize;
use serde_json::json;
use std::time::Duration;
use tpulang::{
    exec::{StepTime, by_kind, critical_path},
    ops::Work,
};

/// The form of a profile.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Form {
    // Two tables: by operator, and by kind of operator.
    Table,
    // One object: `ms`, `critical_path_ms`, `parallel_speedup`, `steps` and `kinds`.
    Json,
}

pub fn text(form: Form, steps: &[StepTime]) -> String {
    let (kinds, total, longest) =
        (by_kind(steps), steps.iter().map(|s| s.time).sum::<Duration>(), critical_path(steps));
    // Without a measurable time there is nothing to gain.
    let speedup = if longest.is_zero() { 1.0 } else { total.as_secs_f64() / longest.as_secs_f64() };
    let steps: Vec<_> = steps
        .iter()
        .map(|s| StepRow { name: &s.name, op: &s.kind, r#type: &s.type_text, cost: Cost::new(s.work, s.time, total) })
        .collect();
    let kinds: Vec<_> =
        kinds.iter().map(|k| Kind { op: &k.kind, steps: k.steps, cost: Cost::new(k.work, k.time, total) }).collect();
    match form {
        Form::Json => {
            let (ms, longest) = (milliseconds(total), milliseconds(longest));
            let all = json!({
                "ms": ms, "critical_path_ms": longest, "parallel_speedup": speedup, "steps": steps, "kinds": kinds
            });
            format!("{all:#}\n")
        }
        Form::Table => {
            let row = |s: &StepRow| (vec![s.name.into(), s.op.into(), s.r#type.into()], s.cost);
            let by_step = table(&["name", "op", "output"], steps.iter().map(row).collect());
            let row = |k: &Kind| (vec![k.op.into(), k.steps.to_string()], k.cost);
            let by_kind = table(&["op", "steps"], kinds.iter().map(row).collect());
            let (total, longest) = (milliseconds(total), milliseconds(longest));
            let limit = format!("running independent operators at once would be at most {speedup:.1} times as fast");
            format!("{by_step}\n{by_kind}total {total:.3} ms\ncritical path {longest:.3} of {total:.3} ms: {limit}\n")
        }
    }
}

#[derive(Serialize)]
struct StepRow<'a> {
    name: &'a str,
    op: &'a str,
    r#type: &'a str,
    #[serde(flatten)]
    cost: Cost,
}

#[derive(Serialize)]
struct Kind<'a> {
    op: &'a str,
    steps: usize,
    #[serde(flatten)]
    cost: Cost,
}

#[derive(Clone, Copy, Serialize)]
struct Cost {
    ms: f64,
    /// The share of the total time, 0 to 1.
    share: f64,
    operations: u64,
    bytes: u64,
    gflops: f64,
    gbs: f64,
}

impl Cost {
    fn new(work: Work, time: Duration, total: Duration) -> Cost {
        let seconds = time.as_secs_f64();
        // Without a measurable time there is no rate.
        let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        Cost {
            ms: milliseconds(time),
            share: over(seconds, total.as_secs_f64()),
            operations: work.operations,
            bytes: work.bytes,
            gflops: over(work.operations as f64 / 1e9, seconds),
            gbs: over(work.bytes as f64 / 1e9, seconds),
        }
    }
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Formats rows with left-aligned texts and right-aligned measurements.
fn table(heads: &[&str], rows: Vec<(Vec<String>, Cost)>) -> String {
    let width = |i: usize| {
        let cells = rows.iter().map(|(texts, _)| texts[i].as_str()).chain([heads[i]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |texts: &[&str], cost: String| {
        let texts: String = texts.iter().zip(&widths).map(|(text, width)| format!("{text:width$}  ")).collect();
        format!("{texts}{cost}\n")
    };
    let head = format!("{:>10}  {:>6}  {:>8}  {:>8}", "ms", "share", "GFLOP/s", "GB/s");
    let mut all = line(heads, head);
    for (texts, Cost { ms, share, gflops, gbs, .. }) in &rows {
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        all += &line(&texts, format!("{ms:>10.3}  {:>5.1}%  {gflops:>8.1}  {gbs:>8.1}", share * 100.0));
    }
    all
}
