//! The report as text.
use super::{Compared, Report};
use std::fmt::Write;
use tpulang::exec::{Comparison, Histogram, Match};
use tpulang_base::{escaped, pluralized};

/// Maximum width of the column of names; longer ones move the columns after them.
const WIDEST: usize = 1000;

pub fn text(report: &Report, worst: Option<usize>) -> String {
    let listed = listed(report, worst);
    let names: Vec<String> = listed.iter().map(|t| name(t)).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).clamp("tensor".len(), WIDEST);
    let mut out =
        format!("{:width$}  {:>10}  {:>10}  {:>10}  {:>10}\n", "tensor", "cosine", "euclidean", "max abs", "rel L2");
    for (name, tensor) in names.iter().zip(&listed) {
        let _ = writeln!(out, "{name:width$}  {}", row(tensor));
    }
    let hidden = report.tensors.len() - listed.len();
    if hidden > 0 {
        let _ = writeln!(out, "and {}", pluralized(hidden, "better one"));
    }
    if let Some((name, counts)) = &report.histogram {
        let _ = write!(out, "\n{}\n", histogram(name, counts));
    }
    if let Some((name, made_by)) = &report.diverges {
        let _ = writeln!(out, "first divergence: {}, {made_by}", escaped(name));
    }
    let mixed = report.tensors.iter().filter(|t| t.is_mixed && !t.passes).count();
    if mixed > 0 {
        let _ = writeln!(
            out,
            "{} integer in one file and float in the other, and no scale is known (--model)",
            is_or_are(mixed)
        );
    }
    if report.left_out > 0 {
        let _ = writeln!(out, "{} in one file only", is_or_are(report.left_out));
    }
    let all = pluralized(report.tensors.len(), "tensor");
    let _ = writeln!(out, "{} of {all} within {}", report.passed, report.tolerance);
    out
}

fn is_or_are(count: usize) -> String {
    format!("{} {}", pluralized(count, "tensor"), if count == 1 { "is" } else { "are" })
}

/// The tensors to list: all, or the worst.
fn listed(report: &Report, worst: Option<usize>) -> Vec<&Compared> {
    let mut all: Vec<&Compared> = report.tensors.iter().collect();
    if let Some(count) = worst {
        let similarity = |t: &Compared| match t.result {
            Comparison::Values { euclidean, .. } => euclidean,
            // What cannot be compared is worse than what differs.
            Comparison::Failure(_) => f64::NEG_INFINITY,
        };
        all.sort_by(|a, b| similarity(a).total_cmp(&similarity(b)));
        all.truncate(count);
    }
    all
}

/// Both names, if they differ. Names of arrays may hold anything.
fn name(tensor: &Compared) -> String {
    match (&tensor.pair.first, &tensor.pair.second, tensor.pair.by) {
        (Some(first), Some(second), Match::Rename | Match::Suffix) => {
            format!("{} = {}", escaped(first), escaped(second))
        }
        _ => escaped(tensor.pair.name()).into_owned(),
    }
}

fn row(tensor: &Compared) -> String {
    let verdict = if tensor.passes { "" } else { "  FAIL" };
    match &tensor.result {
        Comparison::Values { cosine, euclidean, max_abs, relative_l2, nan, .. } => {
            let nan = if *nan == [0, 0] { String::new() } else { format!("  NaN: {} and {}", nan[0], nan[1]) };
            format!("{cosine:>10.7}  {euclidean:>10.7}  {max_abs:>10.3e}  {relative_l2:>10.3e}{verdict}{nan}")
        }
        Comparison::Failure(why) => format!("{why}{verdict}"),
    }
}

/// Characters of the longest bar.
const BAR: usize = 40;

fn histogram(name: &str, counts: &Histogram) -> String {
    let mut rows: Vec<_> = (counts.equal > 0).then(|| ("equal".to_owned(), counts.equal)).into_iter().collect();
    // Small differences are counted together, so that the table stays short.
    const SMALLEST: i32 = -12;
    let tiny = counts.decades.range(..SMALLEST).map(|(_, n)| n).sum::<usize>();
    rows.extend((tiny > 0).then(|| (format!("below 1e{SMALLEST}"), tiny)));
    let shown = counts.decades.range(SMALLEST..).map(|(decade, n)| (format!("1e{decade} to 1e{}", decade + 1), *n));
    rows.extend(shown);
    rows.extend((counts.not_finite > 0).then(|| ("infinite or NaN".to_owned(), counts.not_finite)));
    let most = rows.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1);
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let digits = most.to_string().len();
    let mut out = format!("absolute differences of {}:\n", escaped(name));
    for (label, n) in rows {
        // Whatever occurs is visible.
        let bar = "#".repeat((n * BAR).div_ceil(most));
        let _ = writeln!(out, "  {}", format!("{label:width$}  {n:>digits$}  {bar}").trim_end());
    }
    out
}
