//! What calibrate prints.
use std::{fmt::Write, path::Path};
use tpulang::{
    Graph,
    calibrate::{Difference, Entry, Mode, Search, Statistics, Table},
    graph::TensorInfo,
};
use tpulang_base::{escaped, escaped_path, pluralized};

/// Number of tensors that are listed.
const LISTED: usize = 5;
/// By how much thresholds differ from what they are rounded from, since tables have 7 decimals.
const ROUNDED: f32 = 1e-7;

/// Describes a table: its size, and the tensors that are clamped most.
pub fn of_table(path: &Path, statistics: &Statistics, table: &Table, method: &str) -> String {
    let samples = pluralized(statistics.samples().len(), "sample");
    let tensors = pluralized(table.entries.len(), "tensor");
    let mut text = format!("{}: {tensors} by {method}, {samples}\n", escaped_path(path));
    let part = |(name, entry): (&String, &Entry)| {
        let largest = statistics.tensors().get(name)?.histogram.largest();
        (entry.threshold < largest - ROUNDED).then(|| (name.clone(), entry.threshold, largest))
    };
    let mut clamped: Vec<_> = table.entries.iter().filter_map(part).collect();
    clamped.sort_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)));
    if clamped.is_empty() {
        return text;
    }
    let names: Vec<String> = clamped.iter().take(LISTED).map(|(name, ..)| escaped(name).into_owned()).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max("clamped most".len());
    let _ = writeln!(text, "\n{:width$}  {:>11}  {:>11}", "clamped most", "threshold", "largest");
    for (name, (_, threshold, largest)) in names.iter().zip(&clamped) {
        let _ = writeln!(text, "{name:width$}  {threshold:>11.5}  {largest:>11.5}");
    }
    text
}

/// Reports how many tensors have no threshold because they are already quantized.
pub fn of_quantized(graph: &Graph) -> String {
    let is_quantized = |info: &TensorInfo| info.quantization.is_some() && !info.is_coefficient();
    match graph.tensors().filter(|(_, info)| is_quantized(info)).count() {
        0 => String::new(),
        count => format!("already quantized, without a threshold in the table: {}\n", pluralized(count, "tensor")),
    }
}

/// Describes a search: the layers with the largest effect, and what is reached.
pub fn of_search(path: &Path, search: &Search) -> String {
    let [before, after] = search.cosines;
    let mut text = String::new();
    let names: Vec<String> = search.ranking.iter().take(LISTED).map(|(name, _)| escaped(name).into_owned()).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max("largest effect".len());
    let _ = writeln!(text, "\n{:width$}  {:>22}", "largest effect", "error of the outputs");
    for (name, (_, effect)) in names.iter().zip(&search.ranking) {
        let _ = writeln!(text, "{name:width$}  {effect:>22.5}");
    }
    let fixed = search.fixed().count();
    let count = |mode: Mode| search.floats.iter().filter(|(_, other)| *other == mode).count();
    let in_f32 = if count(Mode::F32) > 0 { format!(", {} in F32", count(Mode::F32)) } else { String::new() };
    let moved = match search.copies.len() {
        0 => String::new(),
        1 => ", and 1 more that only moves their numbers".to_owned(),
        count => format!(", and {count} more that only move their numbers"),
    };
    let _ = writeln!(
        text,
        "\n{}: {} in F16{in_f32} of {} that compute new numbers{moved}; cosine of the outputs {after:.6}, and {before:.6} with \
         all {}in INT8",
        escaped_path(path),
        count(Mode::F16),
        pluralized(search.ranking.len() + fixed, "layer"),
        if fixed > 0 { "others " } else { "" }
    );
    if after < search.expect {
        let floats = if search.floats.len() > fixed { "" } else { ", nor with all layers in floats" };
        let _ = writeln!(text, "the cosine {} was not reached with these{floats}", search.expect);
    }
    text
}

/// Lists the tensors of two tables, those that differ most first.
pub fn of_differences(all: &[Difference]) -> String {
    let distance = |difference: &Difference| difference.ratio().map_or(f32::INFINITY, |ratio| ratio.ln().abs());
    let mut sorted: Vec<&Difference> = all.iter().collect();
    sorted.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let names: Vec<String> = sorted.iter().map(|d| escaped(&d.tensor).into_owned()).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max("tensor".len());
    let mut text = format!("{:width$}  {:>11}  {:>11}  {:>6}\n", "tensor", "first", "second", "ratio");
    for (name, difference) in names.iter().zip(&sorted) {
        let threshold = |entry: Option<Entry>| entry.map_or("-".to_owned(), |entry| format!("{:.5}", entry.threshold));
        let ratio = difference.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        let (first, second) = (threshold(difference.entries.0), threshold(difference.entries.1));
        let _ = writeln!(text, "{name:width$}  {first:>11}  {second:>11}  {ratio:>6}");
    }
    let alone = all.iter().filter(|difference| difference.ratio().is_none()).count();
    if alone > 0 {
        let _ = writeln!(text, "\n{} in one table only", pluralized(alone, "tensor"));
    }
    text
}
