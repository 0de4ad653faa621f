//! The report as JSON.
use super::{Compared, Report};
use serde_json::{Value, json};
use tpulang::exec::{Comparison, Histogram, Match};

pub fn text(report: &Report) -> String {
    let object = json!({
        "tolerance": {"cosine": report.tolerance.cosine, "euclidean": report.tolerance.euclidean},
        "compared": report.tensors.len(),
        "passed": report.passed,
        "left_out": report.left_out,
        "first_divergence": report.diverges.as_ref().map(|(name, _)| name),
        "tensors": report.tensors.iter().map(tensor).collect::<Vec<_>>(),
        "histogram": report.histogram.as_ref().map(|(name, counts)| histogram(name, counts)),
    });
    format!("{object:#}\n")
}

/// Numbers that JSON does not have, NaN and infinity, are null.
fn tensor(tensor: &Compared) -> Value {
    let mut object = json!({
        "first": tensor.pair.first,
        "second": tensor.pair.second,
        "matched_by": match tensor.pair.by {
            Match::Name => "name",
            Match::Rename => "rename",
            Match::Suffix => "suffix",
        },
        "passes": tensor.passes,
    });
    let more = match &tensor.result {
        Comparison::Values { cosine, euclidean, max_abs, max_at, relative_l2, nan } => json!({
            "cosine": cosine, "euclidean": euclidean, "max_abs": max_abs, "max_at": indices(*max_at, &tensor.shape),
            "relative_l2": relative_l2, "nan": nan,
        }),
        Comparison::Failure(why) => json!({"problem": why}),
    };
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

/// One index per axis of a row-major index.
fn indices(at: usize, shape: &[usize]) -> Vec<usize> {
    let mut left = at;
    let mut all: Vec<usize> = shape
        .iter()
        .rev()
        .map(|dim| {
            let index = left % (*dim).max(1);
            left /= (*dim).max(1);
            index
        })
        .collect();
    all.reverse();
    all
}

fn histogram(name: &str, counts: &Histogram) -> Value {
    let decades: Vec<_> =
        counts.decades.iter().map(|(decade, count)| json!({"decade": decade, "count": count})).collect();
    json!({"tensor": name, "equal": counts.equal, "decades": decades, "not_finite": counts.not_finite})
}
