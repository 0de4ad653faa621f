//! What the stages lose: the errors of their tensors.
use super::{
    stage::{Arrays, Stage},
    target::Target,
};
use std::{borrow::Cow, collections::HashMap, fmt::Write, time::Duration};
use tpulang::{
    Array, Graph, Mode, Result, Tensor,
    exec::{Comparison, Parts, Tolerance, pair_names},
};
use tpulang_base::{WarningKind, escaped};

/// The error of a tensor.
#[derive(Debug, Clone)]
pub struct TensorError {
    pub tensor: String,
    /// The op that computes it; nothing for an input.
    pub op: String,
    pub is_output: bool,
    pub comparison: Comparison,
    /// The parts of an output that come from several tensors.
    pub parts: Vec<PartError>,
    /// How many of an output's integers are equal, and how many there are. The cosine of indices, such as the results of an ArgMax, means
    /// nothing.
    pub equal: Option<[usize; 2]>,
    /// By how much its error exceeds those of what it was computed from.
    pub own: f64,
}

/// The error of a part of an output.
#[derive(Debug, Clone)]
pub struct PartError {
    /// The tensor that its numbers come from.
    source: String,
    comparison: Comparison,
    /// Like that of the whole.
    equal: Option<[usize; 2]>,
}

impl PartError {
    fn passes(&self, tolerance: &Tolerance) -> bool {
        match self.equal {
            Some(equal) => too_different(equal, tolerance).is_none(),
            None => self.comparison.passes(tolerance),
        }
    }
}

/// Says how many integers differ, if they are too many.
fn too_different([equal, all]: [usize; 2], tolerance: &Tolerance) -> Option<String> {
    // 1 - 0.9 is less than 0.1.
    let most = ((1.0 - tolerance.cosine + f64::EPSILON) * all as f64).floor();
    ((all - equal) as f64 > most).then(|| format!("in {} of {all} integers; {most} may differ", all - equal))
}

impl TensorError {
    /// Cosine and relative L2 error; none for a tensor of another shape.
    fn numbers(&self) -> Option<(f64, f64)> {
        match self.comparison {
            Comparison::Values { cosine, relative_l2, .. } => Some((cosine, relative_l2)),
            Comparison::Failure(_) => None,
        }
    }
    /// The relative L2 error, infinite for NaN and for a tensor of another shape.
    fn size(&self) -> f64 {
        self.numbers().map_or(f64::INFINITY, |(_, l2)| if l2.is_nan() { f64::INFINITY } else { l2 })
    }
    /// Says how an output is outside of a tolerance, if it is. `has_thresholds` tells whether a Concat has one for all its operands.
    fn failure(&self, tolerance: &Tolerance, has_thresholds: bool) -> Option<String> {
        if let Some(equal) = self.equal {
            return too_different(equal, tolerance);
        }
        let by = format!("by more than the tolerance {tolerance}");
        if let Some(part) = self.parts.iter().find(|part| !part.passes(tolerance)) {
            let by = part.equal.and_then(|equal| too_different(equal, tolerance)).unwrap_or(by);
            let mut text = format!("{by}, in the numbers that come from {:?}", part.source);
            if has_thresholds {
                text += &format!(
                    ", one of {} tensors that share a threshold there; as outputs of their own, they would each have one",
                    self.parts.len()
                );
            }
            return Some(text);
        }
        (!self.comparison.passes(tolerance)).then_some(by)
    }
}

/// The errors that a stage introduces.
pub struct StageErrors {
    pub stage: Stage,
    /// What it is compared with.
    pub with: &'static str,
    /// How long making and running it took.
    pub time: [Duration; 2],
    /// The tensors in the order of computation.
    pub errors: Vec<TensorError>,
}

impl StageErrors {
    /// What the stage is called.
    pub fn name<'c>(&self, chip: &'c str) -> &'c str {
        match self.stage {
            Stage::Top => "Top",
            Stage::Tpu => "Tpu",
            Stage::Chip => chip,
        }
    }
    fn outputs(&self) -> impl Iterator<Item = &TensorError> {
        self.errors.iter().filter(|error| error.is_output)
    }
    /// Names the outputs of the network that could not be compared, if there are any.
    pub fn missing_outputs(&self, graph: &Graph) -> Option<String> {
        let names = graph.outputs().iter().filter_map(|t| graph.tensor(*t).ok()).map(|info| &info.name);
        let missing = names.filter(|name| !self.errors.iter().any(|error| error.tensor == **name));
        let missing = missing.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let stage = self.name("bmodel");
        let why = format!("the {stage} stage has no tensor with that name and size");
        (!missing.is_empty()).then(|| format!("not compared, because {why}: {missing}"))
    }
    /// The output with the largest error.
    fn worst_output(&self) -> Option<&TensorError> {
        self.outputs().max_by(|a, b| a.size().total_cmp(&b.size()))
    }
    /// Says which output is outside of a tolerance, if there is one, and which tensor has the largest error of its own.
    pub fn failure(&self, tolerance: &Tolerance, target: &Target) -> Option<String> {
        let has_thresholds = self.stage != Stage::Top && target.has_thresholds();
        let (output, what) =
            self.outputs().find_map(|error| Some((error, error.failure(tolerance, has_thresholds)?)))?;
        let (name, with) = (self.name(&target.chip), self.with);
        let mut text = format!("output {:?} of the {name} stage differs from {with} {what}", output.tensor);
        // A bmodel returns outputs only, so where its errors begin is unknown.
        if let Some(cause) = self.largest().next().filter(|_| self.stage != Stage::Chip) {
            text += &format!("; {:?} (top.{}) has the largest error of its own", cause.tensor, cause.op);
        }
        Some(text)
    }
    /// The tensors that are not only wrong because of what they are computed from, the largest errors first.
    fn largest(&self) -> impl Iterator<Item = &TensorError> {
        let mut sorted: Vec<&TensorError> = self.errors.iter().filter(|error| error.own > 0.0).collect();
        sorted.sort_by(|a, b| b.own.total_cmp(&a.own));
        sorted.into_iter()
    }
}

/// Returns what is wrong with the outputs, if anything is, and remarks. If the outputs of the bmodel are right, those of earlier stages,
/// which pymlir runs, deserve only a remark.
pub fn verdict(
    stages: &[StageErrors],
    graph: &Graph,
    tolerance: &Tolerance,
    target: &Target,
) -> (Option<String>, Vec<String>) {
    let Some((last, earlier)) = stages.split_last() else { return (None, Vec::new()) };
    let mut failure = stages.iter().find_map(|stage| stage.failure(tolerance, target));
    let mut remarks = Vec::new();
    let missing = last.missing_outputs(graph);
    let is_right = last.stage == Stage::Chip && missing.is_none() && last.failure(tolerance, target).is_none();
    if is_right && let Some(failure) = failure.take() {
        remarks.push(format!(
            "{failure}. The outputs of the bmodel are within the tolerance; pymlir, which runs that stage, may compute this network wrongly"
        ));
    }
    remarks.extend(earlier.iter().filter_map(|stage| stage.missing_outputs(graph)));
    (failure.or(missing), remarks)
}

/// Compares the tensors of a stage with a reference, in the order in which the network computes them.
pub fn of_stage(
    graph: &Graph,
    stage: Stage,
    parts: &HashMap<String, Parts>,
    reference: &Arrays,
    arrays: &Arrays,
) -> Result<Vec<TensorError>> {
    let pairs = paired(graph, stage, reference, arrays)?;
    let mut by_tensor: HashMap<Tensor, f64> = HashMap::new();
    let mut errors = Vec::new();
    for operator in graph.operators() {
        let inherited = operator.uses().iter().filter_map(|t| by_tensor.get(t)).copied().fold(0.0, f64::max);
        for tensor in operator.outputs() {
            let name = &graph.tensor(tensor)?.name;
            let Some(theirs) = pairs.get(name) else {
                by_tensor.insert(tensor, inherited);
                continue;
            };
            let is_output = graph.outputs().contains(&tensor);
            let (expected, found) = (&reference[name], &arrays[theirs]);
            let found = if is_output { Cow::Borrowed(found) } else { in_shape_of(expected, found)? };
            let (tensor_name, op) = (name.clone(), operator.op.name().to_owned());
            let comparison = Comparison::of(expected, &found)?;
            let mut error = TensorError {
                tensor: tensor_name,
                op,
                is_output,
                comparison,
                parts: Vec::new(),
                equal: None,
                own: 0.0,
            };
            if is_output && is_integer(graph, tensor)? {
                error.equal = Some(equal(expected, &found)?);
            }
            if let Some(parts) = parts.get(name).filter(|_| is_output) {
                error.parts = compare_parts(parts, expected, &found)?;
            }
            error.own = error.size() - inherited;
            by_tensor.insert(tensor, error.size());
            errors.push(error);
        }
    }
    Ok(errors)
}

/// Returns an array in the shape of another with as many elements: lowering moves Reshapes past other operators, but keeps names.
fn in_shape_of<'a>(expected: &Array, found: &'a Array) -> Result<Cow<'a, Array>> {
    let has_other = found.len() == expected.len() && found.shape() != expected.shape();
    Ok(if has_other { Cow::Owned(found.reshaped(expected.shape())?) } else { Cow::Borrowed(found) })
}

/// Adds the outputs that have other names in the Top module under ours, so that the other stages can be compared with them.
pub fn add_outputs(graph: &Graph, ours: &Arrays, arrays: &mut Arrays) -> Result<()> {
    let mut pairs = paired(graph, Stage::Top, ours, arrays)?;
    for output in graph.outputs() {
        let name = &graph.tensor(*output)?.name;
        if let Some(theirs) = pairs.remove(name).filter(|theirs| theirs != name) {
            arrays.insert(name.clone(), arrays[&theirs].clone());
        }
    }
    Ok(())
}

/// Returns what our tensors are called in a stage, by their names.
fn paired(graph: &Graph, stage: Stage, reference: &Arrays, arrays: &Arrays) -> Result<HashMap<String, String>> {
    let [names, theirs]: [Vec<&str>; 2] = [reference, arrays].map(|all| all.keys().map(String::as_str).collect());
    let fits = |ours: &str, theirs: &str| reference[ours].len() == arrays[theirs].len();
    let pairs = pair_names(&names, &theirs, &[], fits).into_iter();
    let mut pairs: HashMap<String, String> = pairs.filter_map(|pair| Some((pair.first?, pair.second?))).collect();
    for (i, output) in graph.outputs().iter().enumerate() {
        let name = &graph.tensor(*output)?.name;
        let Some(array) = reference.get(name).filter(|_| !pairs.contains_key(name)) else { continue };
        // The reference may have a tensor of that name beside ours.
        let is_free = |theirs: &str| !pairs.iter().any(|(name, taken)| taken == theirs && graph.lookup(name).is_some());
        let renamed = renamed_output(graph, name, array.len(), arrays).filter(|theirs| is_free(theirs)).or_else(|| {
            // A bmodel has the outputs in their order, whatever their names.
            let has_all = stage == Stage::Chip && arrays.len() == graph.outputs().len();
            let (theirs, other) = arrays.get_index(i).filter(|_| has_all)?;
            (is_free(theirs) && other.len() == array.len()).then(|| theirs.clone())
        });
        pairs.extend(renamed.map(|theirs| (name.clone(), theirs)));
    }
    Ok(pairs)
}

/// Compares the parts of an output. Floats that are a single number or zeros are left out, since their cosine means nothing.
fn compare_parts(parts: &Parts, expected: &Array, found: &Array) -> Result<Vec<PartError>> {
    let (expected, found) = (parts.split(&expected.to_f64()?), parts.split(&found.to_f64()?));
    let array = |part: Vec<f64>| Array::from_vec([part.len()], part);
    let mut errors = Vec::new();
    for (source, (expected, found)) in parts.sources().iter().zip(expected.into_iter().zip(found)) {
        if expected.len() > 1 && expected.iter().any(|x| *x != 0.0) || source.is_integer {
            let (expected, found) = (array(expected)?, array(found)?);
            let equal = if source.is_integer { Some(equal(&expected, &found)?) } else { None };
            let comparison = Comparison::of(&expected, &found)?;
            errors.push(PartError { source: source.tensor.clone(), comparison, equal });
        }
    }
    Ok(errors)
}

/// Whether a tensor has integers that are not quantized numbers.
fn is_integer(graph: &Graph, tensor: Tensor) -> Result<bool> {
    let info = graph.tensor(tensor)?;
    Ok(graph.mode != Mode::Quantized && info.is_plain_integer())
}

/// Returns how many elements are equal, and how many there are.
fn equal(expected: &Array, found: &Array) -> Result<[usize; 2]> {
    let (expected, found) = (expected.to_f64()?, found.to_f64()?);
    Ok([expected.iter().zip(&found).filter(|(a, b)| a == b).count(), expected.len()])
}

/// Returns the tensor that an output has become: lowering adds what it has done to the name (`y__softmax_reshape_f32`), each time again,
/// or the name of what it has added (`y/ReduceMean_output_0_f32`).
fn renamed_output(graph: &Graph, name: &str, size: usize, arrays: &Arrays) -> Option<String> {
    let is_form_of =
        |name: &str, theirs: &str| theirs.strip_prefix(name).is_some_and(|rest| rest.starts_with(['_', '/']));
    // `y_2_f32` is a form of `y_2` rather than of `y`.
    let others: Vec<&str> =
        graph.tensors().map(|(_, info)| info.name.as_str()).filter(|other| is_form_of(name, other)).collect();
    let is_of_other = |theirs: &str| others.iter().any(|other| theirs == *other || is_form_of(other, theirs));
    let found = arrays.iter().filter(|(theirs, array)| array.len() == size && is_form_of(name, theirs));
    let found = found.map(|(theirs, _)| theirs).filter(|theirs| !is_of_other(theirs));
    found.max_by_key(|theirs| theirs.len()).cloned()
}

/// Adds the outputs that tpuc-opt renames, since it removes their operators, such as a last Reshape that changes nothing.
pub fn add_renamed_outputs(graph: &Graph, arrays: &mut Arrays) -> Result<()> {
    for warning in graph.structural_warnings().iter() {
        let WarningKind::RenamedTensor { tensor, renamed } = warning.kind() else { continue };
        let info = graph.tensor(graph.find(tensor)?)?;
        if arrays.contains_key(tensor) {
            continue;
        }
        let lowered = renamed_output(graph, renamed, info.elements(), arrays);
        let found = arrays.get(lowered.as_ref().unwrap_or(renamed)).filter(|array| array.len() == info.elements());
        if let Some(array) = found.map(|array| array.reshaped(info.shape.as_slice())).transpose()? {
            arrays.insert(tensor.clone(), array);
        }
    }
    Ok(())
}

/// Number of tensors that are printed.
const LISTED: usize = 5;

/// Returns one row for each stage, and the tensors with the largest errors of their own.
pub fn summary(stages: &[StageErrors], chip: &str) -> String {
    let mut text = format!(
        "{:<9} {:<14} {:>8} {:>8} {:>8}   {:<19} {:>9} {:>9}\n",
        "stage", "compared with", "made", "run", "tensors", "worst output", "cosine", "error"
    );
    for stage in stages {
        let (name, with) = (stage.name(chip), stage.with);
        let [made, run] = stage.time.map(|time| format!("{:.1} s", time.as_secs_f64()));
        let count = stage.errors.len();
        let _ = write!(text, "{name:<9} {with:<14} {made:>8} {run:>8} {count:>8}   ");
        let Some(worst) = stage.worst_output() else {
            text += "-\n";
            continue;
        };
        let _ = writeln!(text, "{:<19} {}", escaped(&worst.tensor), figures(worst.equal, &worst.comparison));
    }
    if let Some(tpu) = stages.iter().find(|stage| stage.stage == Stage::Tpu) {
        let largest: Vec<&TensorError> = tpu.largest().take(LISTED).collect();
        if !largest.is_empty() {
            text += "\nlargest errors of the Tpu stage, beyond those of the operands:\n";
            text += &table(&largest);
        }
    }
    text
}

/// Returns all tensors of all stages.
pub fn details(stages: &[StageErrors], chip: &str) -> String {
    let mut text = String::new();
    for stage in stages {
        let (name, with) = (stage.name(chip), stage.with);
        let _ = writeln!(text, "\n{name}, compared with {with}");
        text += &table(&stage.errors.iter().collect::<Vec<_>>());
    }
    text
}

fn table(errors: &[&TensorError]) -> String {
    let names: Vec<_> = errors.iter().map(|error| escaped(&error.tensor)).collect();
    let longest = |texts: &mut dyn Iterator<Item = usize>, least: usize| texts.max().unwrap_or(0).max(least);
    let width = longest(&mut names.iter().map(|name| name.chars().count()), "tensor".len());
    let op_width = longest(&mut errors.iter().map(|error| error.op.len()), "op".len());
    let mut text = format!("{:width$}  {:op_width$}  {:>9} {:>9} {:>9}\n", "tensor", "op", "cosine", "error", "own");
    for (name, error) in names.iter().zip(errors) {
        let own = format!("{:.1e}", error.own);
        let _ = writeln!(
            text,
            "{name:width$}  {:op_width$}  {} {own:>9}",
            error.op,
            figures(error.equal, &error.comparison)
        );
        for part in &error.parts {
            let figures = figures(part.equal, &part.comparison);
            let _ = writeln!(text, "{:width$}  {:op_width$}  {figures}  from {}", "", "", escaped(&part.source));
        }
    }
    text
}

fn figures(equal: Option<[usize; 2]>, comparison: &Comparison) -> String {
    match equal {
        Some([equal, all]) => format!("{:>19}", format!("{equal} of {all} equal")),
        None => numbers(comparison),
    }
}

fn numbers(comparison: &Comparison) -> String {
    match comparison {
        Comparison::Values { relative_l2, .. } if relative_l2.is_nan() => format!("{:>9} {:>9}", "NaN", "NaN"),
        Comparison::Values { cosine, relative_l2, .. } => format!("{cosine:>9.6} {:>9}", format!("{relative_l2:.1e}")),
        Comparison::Failure(_) => format!("{:>19}", "other shape"),
    }
}
