//! `tpulang compare`: which arrays are compared, and as what.

mod json;
mod order;
mod table;

use super::{
    Outcome,
    diagnostics::{self, Diagnostics},
    feeds::{STDIN, check_stdin},
    model,
    progress::{Size, during},
    requiring,
};
use indexmap::IndexMap;
use order::Order;
use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
};
use tpulang::{
    Array, Graph, Result,
    array::{NpzFile, read_arrays},
    exec::{Comparison, Histogram, Pair, Rename, Tolerance, pair_names, real_numbers},
};
use tpulang_base::{argument, did_you_mean, escaped_path, invalid, misfit};

/// Compare two files of arrays tensor by tensor
#[derive(clap::Args)]
#[command(mut_args(|argument| requiring::<model::ModelOptions>(argument, "model")), after_help = "\
Prints the cosine similarity, Euclidean similarity, largest absolute difference and relative L2
error of each tensor. A tensor fails if it is below the tolerance, is in one file only, or has
another shape; axes of size 1 do not matter.

Files are .npz, .safetensors, .npy or .pt (torch.save of a dict), folders of .npy files, or - for
an .npz from standard input: what users of PyTorch, onnxruntime and pymlir save. Names that differ
by a suffix of the tool chain are matched: y and y_f32, y and y_Conv.

Exit status: 0 if every tensor passes; 1 if one fails; 2 on an error.

Examples:
  tpulang compare reference.npz outputs.npz --tolerance 0.999,0.99
  tpulang compare reference.npz all.npz --common --model model.json    # where do they diverge?
  tpulang compare torch.npz all.npz --rename 'model.*=*' --worst 5
  tpulang compare reference.npz outputs.npz --histogram
  tpulang compare float.npz quantized.npz --model model.json --quantized real")]
pub struct Args {
    /// The reference: an .npz, .safetensors, .npy or .pt file, a folder of .npy files, or -
    a: PathBuf,
    /// The file to compare with the reference
    b: PathBuf,
    /// Minimum cosine and Euclidean similarity
    #[arg(long, value_name = "COS,EUCLID", default_value = "0.99999,0.9999")]
    tolerance: Tolerance,
    /// Compare only tensors that both files have
    #[arg(long)]
    common: bool,
    /// Tensor A of the reference is B in the other file. A and B may have a *, for the same text. May be repeated
    #[arg(long, value_name = "A=B")]
    rename: Vec<Rename>,
    /// List tensors in the order in which this model computes them, and name the first that fails
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    options: model::ModelOptions,
    /// Compare quantized tensors as stored, or as the real numbers that the model's scales give them. auto: as real numbers
    /// if the other file has floats
    #[arg(long, value_name = "HOW", default_value = "auto")]
    quantized: Quantized,
    /// List only the N worst tensors, by Euclidean similarity
    #[arg(long, value_name = "N", conflicts_with = "json")]
    worst: Option<usize>,
    /// Also print how many elements of a tensor differ by how much. Default: the first that fails
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    histogram: Option<Option<String>>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
#[value(rename_all = "lower")]
enum Quantized {
    Auto,
    Stored,
    Real,
}

/// Two arrays and their difference.
struct Compared {
    pair: Pair,
    result: Comparison,
    passes: bool,
    /// The shape of the reference, if both arrays exist.
    shape: Vec<usize>,
    /// Whether one array has floats and the other integers, whose scale is unknown.
    is_mixed: bool,
}

/// All that is printed.
struct Report {
    tolerance: Tolerance,
    /// In the order in which they are listed.
    tensors: Vec<Compared>,
    passed: usize,
    /// The number of arrays that were left out, since only one file has them.
    left_out: usize,
    /// The first tensor that fails in the order of computation, and what computes it.
    diverges: Option<(String, String)>,
    histogram: Option<(String, Histogram)>,
}

type Arrays = IndexMap<String, Array>;

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    check_stdin([&args.a, &args.b].into_iter().chain(&args.model).map(PathBuf::as_path))?;
    let (a, b) = (arrays(&args.a)?, arrays(&args.b)?);
    let graph = match &args.model {
        Some(path) => Some(during("reading the model", Size::Unknown, |_| args.options.read(path))?),
        None => None,
    };
    let report = report(&args, graph.as_ref(), &a, &b)?;
    let failed = report.passed < report.tensors.len();
    messages.deliver(&match args.json {
        true => diagnostics::Report::Json(json::text(&report)),
        false => diagnostics::Report::Text(table::text(&report, args.worst)),
    })?;
    Ok(!failed)
}

fn arrays(path: &Path) -> Result<Arrays> {
    if path == Path::new(STDIN) {
        return NpzFile::from_reader(io::stdin(), "standard input")?.arrays();
    }
    read_arrays(path)
}

fn report(args: &Args, graph: Option<&Graph>, a: &Arrays, b: &Arrays) -> Result<Report> {
    let reader = Reader::new(args.quantized, graph)?;
    let (pairs, left_out) = pairs(args, a, b)?;
    let mut tensors = during("comparing", Size::Parts(pairs.len()), |progress| {
        let compared = pairs.into_iter().map(|pair| {
            let compared = compared(pair, (a, b), &reader, &args.tolerance);
            progress.advance();
            compared
        });
        compared.collect::<Result<Vec<_>>>()
    })?;
    let order = graph.map(Order::new);
    if let Some(order) = &order {
        tensors.sort_by_key(|compared| order.position(&compared.pair));
    }
    let diverges = order.and_then(|order| order.first_divergence(&tensors));
    let histogram = match &args.histogram {
        None => None,
        Some(name) => histogram(name.as_deref(), &tensors, (a, b), &reader)?,
    };
    let passed = tensors.iter().filter(|compared| compared.passes).count();
    Ok(Report { tolerance: args.tolerance, tensors, passed, left_out, diverges, histogram })
}

/// The names of one side of a comparison, and where they are, as the subject of an error.
pub struct Names<'a> {
    pub names: &'a [&'a str],
    pub place: &'a str,
}

/// # Errors
/// Returns an error if a rule pairs no name of the first side with one of the second.
pub fn check_renames(renames: &[Rename], first: &Names, second: &Names) -> Result<()> {
    let known: HashSet<&str> = second.names.iter().copied().collect();
    for rename in renames {
        let mut renamed = first.names.iter().filter_map(|name| rename.apply(name)).peekable();
        let Some(example) = renamed.peek().cloned() else {
            let expected = format!("{} has no tensor that matches the left side", first.place);
            return Err(argument("--rename", rename, expected));
        };
        if !renamed.any(|name| known.contains(name.as_str())) {
            let expected = format!("{} has no tensor {example:?}", second.place);
            return Err(argument("--rename", rename, expected));
        }
    }
    Ok(())
}

/// Returns the pairs to compare, and the number of arrays without a partner that `--common` leaves out.
fn pairs(args: &Args, a: &Arrays, b: &Arrays) -> Result<(Vec<Pair>, usize)> {
    let first: Vec<&str> = a.keys().map(String::as_str).collect();
    let second: Vec<&str> = b.keys().map(String::as_str).collect();
    if first.is_empty() && second.is_empty() {
        let files = format!("{} and {} have no arrays", escaped_path(&args.a), escaped_path(&args.b));
        return Err(invalid(format!("{files}; there is nothing to compare")));
    }
    let places = [&args.a, &args.b].map(|file| file.display().to_string());
    let sides = [(&first, &places[0]), (&second, &places[1])].map(|(names, place)| Names { names, place });
    check_renames(&args.rename, &sides[0], &sides[1])?;
    let fits = |x: &str, y: &str| a[x].len() == b[y].len();
    let mut pairs = pair_names(&first, &second, &args.rename, fits);
    let all = pairs.len();
    if args.common {
        pairs.retain(|pair| pair.first.is_some() && pair.second.is_some());
        if pairs.is_empty() {
            return Err(nothing_in_common(&args.a, &first, &args.b, &second));
        }
    }
    let left_out = all - pairs.len();
    Ok((pairs, left_out))
}

fn nothing_in_common(a: &Path, first: &[&str], b: &Path, second: &[&str]) -> tpulang::Error {
    let some = |names: &[&str]| names.iter().take(3).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let found = format!("{} has {}; {} has {}", a.display(), some(first), b.display(), some(second));
    misfit("--common:", format!("no name is in both files ({found}); --rename A=B says which belong together"))
}

/// Compares two arrays. Only one pair at a time is in memory.
fn compared(pair: Pair, arrays: (&Arrays, &Arrays), reader: &Reader, tolerance: &Tolerance) -> Result<Compared> {
    let Some((a, b)) = reader.both(&pair, arrays)? else {
        let which = if pair.second.is_none() { "second" } else { "first" };
        let result = Comparison::Failure(format!("missing in the {which}"));
        return Ok(Compared { pair, result, passes: false, shape: Vec::new(), is_mixed: false });
    };
    let result = Comparison::of(&a, &b)?;
    let is_mixed = is_mixed(&a, &b);
    Ok(Compared { passes: result.passes(tolerance), pair, result, shape: a.shape().to_vec(), is_mixed })
}

/// Whether one array has floats and the other integers.
fn is_mixed(a: &Array, b: &Array) -> bool {
    a.dtype().is_float() != b.dtype().is_float()
}

/// Returns the histogram of the tensor of that name, or of the first that fails.
fn histogram(
    name: Option<&str>,
    tensors: &[Compared],
    arrays: (&Arrays, &Arrays),
    reader: &Reader,
) -> Result<Option<(String, Histogram)>> {
    let found = match name {
        None => tensors.iter().find(|t| !t.passes && matches!(t.result, Comparison::Values { .. })),
        Some(name) => {
            let is_it = |t: &&Compared| t.pair.first.as_deref() == Some(name) || t.pair.second.as_deref() == Some(name);
            Some(tensors.iter().find(is_it).ok_or_else(|| unknown(name, tensors))?)
        }
    };
    let Some(found) = found else { return Ok(None) };
    let Some((a, b)) = reader.both(&found.pair, arrays)? else { return Ok(None) };
    Ok(Some((found.pair.name().to_owned(), Histogram::of(&a, &b)?)))
}

fn unknown(name: &str, tensors: &[Compared]) -> tpulang::Error {
    let hint = did_you_mean(name, tensors.iter().map(|t| t.pair.name()));
    argument("--histogram", name, format!("no compared tensor has this name{hint}"))
}

/// Reads the arrays of a pair as what they stand for.
struct Reader<'g> {
    how: Quantized,
    model: Option<(&'g Graph, Vec<Option<tpulang::quant::Quantization>>)>,
}

impl<'g> Reader<'g> {
    /// # Errors
    /// Returns an error if real numbers are asked for and there is no model, or its scales contradict each other.
    fn new(how: Quantized, graph: Option<&'g Graph>) -> Result<Self> {
        if how == Quantized::Real && graph.is_none() {
            return Err(argument("--quantized", "real", "the scales come from --model, which is missing"));
        }
        let model =
            graph.map(|graph| Ok::<_, tpulang::Error>((graph, graph.propagated_quantization()?))).transpose()?;
        Ok(Reader { how, model })
    }
    /// Returns the arrays of a pair, or `None` if one is missing.
    fn both(&self, pair: &Pair, (a, b): (&Arrays, &Arrays)) -> Result<Option<(Array, Array)>> {
        let (Some(first), Some(second)) = (&pair.first, &pair.second) else { return Ok(None) };
        let (a, b) = (a[first].in_memory()?, b[second].in_memory()?);
        if self.how == Quantized::Stored || self.how == Quantized::Auto && !is_mixed(&a, &b) {
            return Ok(Some((a, b)));
        }
        Ok(Some((self.real(a, [first, second])?, self.real(b, [second, first])?)))
    }
    /// Returns the real numbers of a quantized array, or an array of floats as it is. The model may know it by the other name.
    fn real(&self, array: Array, names: [&str; 2]) -> Result<Array> {
        let Some((graph, quantization)) = &self.model else { return Ok(array) };
        let tensor = names.into_iter().find_map(|name| graph.lookup(name));
        let Some(tensor) = tensor.filter(|_| !array.dtype().is_float()) else { return Ok(array) };
        // Floats of 16 bits are often stored as their bits.
        let dtype = graph.tensor(tensor)?.dtype;
        if let Some(bits) = array.reinterpreted(dtype).filter(|_| dtype.is_float()) {
            return Ok(bits);
        }
        match quantization.get(tensor.index()).and_then(Option::as_ref) {
            Some(quantization) => real_numbers(&array, quantization),
            None => Ok(array),
        }
    }
}
