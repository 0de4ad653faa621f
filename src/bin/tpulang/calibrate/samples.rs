//! The samples that a network is calibrated with.
use crate::command::{feeds, image::ImageFormat};
use indexmap::IndexMap;
use std::{
    collections::{BTreeSet, HashSet},
    ffi::OsStr,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};
use tpulang::{Array, Error, Graph, Result};
use tpulang_base::{argument, escaped_path, files, invalid, misfit, shape_text};

/// Maximum size of a list in bytes.
const MAX_LIST: u64 = 256 << 20;

/// One sample.
#[derive(Debug, PartialEq)]
pub struct Sample {
    /// Its path in the folder, or its line in the list: the same on every machine.
    pub name: String,
    /// An .npz, or an .npy or image for each input, in their order.
    files: Vec<PathBuf>,
    /// The list that names it, and the line there.
    listed: Option<(PathBuf, usize)>,
}

impl Sample {
    fn of_file(name: String, file: PathBuf) -> Sample {
        Sample { name, files: vec![file], listed: None }
    }

    /// Returns the shapes of the arrays of its files, with the names of inputs where the files have them.
    pub fn shapes(&self) -> Vec<(Option<String>, Vec<usize>)> {
        self.files.iter().flat_map(|file| feeds::shapes_of(None, file)).collect()
    }

    /// Reads the arrays of the inputs.
    fn read(&self, graph: &Graph) -> Result<IndexMap<String, Array>> {
        let files: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        feeds::of_sample(graph, &files).map_err(|e| match &self.listed {
            Some((list, line)) => Error::format(list, format!("line {line}: {e}")),
            None => misfit(format!("the sample {:?}:", self.name), e),
        })
    }
}

/// Part I of N of the samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err("expected I/N, as in 1/4: part I of N".to_owned()),
        }
    }
}

/// Lists the samples of a folder (with all folders in it), of a list, or of a single file. At most `most` of them are taken: of a
/// folder, evenly spaced in the order of their names; of a list, the first.
pub fn list(data: &Path, most: Option<usize>) -> Result<Vec<Sample>> {
    let (mut samples, is_folder) = match data {
        _ if data.is_dir() => (in_folder(data)?, true),
        _ if is_data(data) => (vec![Sample::of_file(escaped_path(data), data.to_owned())], false),
        _ => (in_list(data)?, false),
    };
    if samples.is_empty() {
        return Err(argument("--data", escaped_path(data), "it has no .npz, .npy or image"));
    }
    if let Some(most) = most.filter(|most| *most < samples.len()) {
        let all = samples.len();
        let taken: BTreeSet<usize> = (0..most).map(|i| if is_folder { i * all / most } else { i }).collect();
        let mut i = 0..;
        samples.retain(|_| i.next().is_some_and(|i| taken.contains(&i)));
    }
    Ok(samples)
}

fn is_data(file: &Path) -> bool {
    let extension = file.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    ImageFormat::of_name(file).is_some() || matches!(extension.as_deref(), Some("npz" | "npy"))
}

fn in_folder(root: &Path) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    let mut folders = vec![root.to_owned()];
    // A link may lead back to a folder, which is read by the first of its names: the same on every machine.
    let mut seen = HashSet::new();
    while let Some(folder) = folders.pop() {
        if !seen.insert(fs::canonicalize(&folder).map_err(Error::io(&folder))?) {
            continue;
        }
        let entries = fs::read_dir(&folder).and_then(|all| all.map(|entry| Ok(entry?.path())).collect());
        let mut paths: Vec<PathBuf> = entries.map_err(Error::io(&folder))?;
        paths.sort_by(|a, b| b.cmp(a));
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if is_data(&path) {
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                samples.push(Sample::of_file(name, path));
            }
        }
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(samples)
}

/// Each line is a sample: an .npz, or one file per input, separated by commas. Paths are relative to the current folder, or to that of
/// the list if there is no such file.
fn in_list(list: &Path) -> Result<Vec<Sample>> {
    let bytes = files::read(list, MAX_LIST)?;
    let text = str::from_utf8(&bytes).map_err(|_| {
        argument(
            "--data",
            escaped_path(list),
            "expected a folder, a list of files (text), an .npz, an .npy or an image",
        )
    })?;
    let file = |name: &str| {
        let name = Path::new(name.trim());
        let beside = files::folder(list).join(name);
        let path = if !name.exists() && beside.exists() { beside } else { name.to_owned() };
        match is_data(&path) {
            true => Ok(path),
            false => Err(invalid(format!("{}: expected .npz, .npy, .png, .jpg or .bmp files", escaped_path(&path)))),
        }
    };
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(i, line)| {
            let files: Result<Vec<PathBuf>> = line.split(',').map(file).collect();
            let name = line.split(',').map(str::trim).collect::<Vec<_>>().join(",");
            let at = |e: Error| Error::format(list, format!("line {}: {}", i + 1, e.message()));
            Ok(Sample { name, files: files.map_err(at)?, listed: Some((list.to_owned(), i + 1)) })
        })
        .collect()
}

/// The runs that samples make: one for each, or for as many as an input has in its batch.
pub struct Runs {
    samples: Vec<Sample>,
    /// Samples per run.
    together: usize,
    shard: Shard,
}

impl Runs {
    /// Samples are run together if the arrays of the first one have a batch of 1, and the inputs a larger one.
    pub fn new(graph: &Graph, samples: Vec<Sample>, shard: Option<Shard>) -> Result<Runs> {
        let shard = shard.unwrap_or(Shard { index: 1, count: 1 });
        let mut together = 1;
        if let Some(first) = samples.first() {
            let batches = first.read(graph)?.iter().map(|(name, array)| batch(graph, name, array)).collect::<Vec<_>>();
            together = batches.iter().copied().flatten().min().unwrap_or(1);
        }
        let (all, Shard { index, count }) = (samples.len().div_ceil(together), shard);
        // An error for every part: without the empty ones, the others could not be merged.
        if count > all {
            let expected = format!("there are only {all} runs; expected at most as many parts");
            return Err(argument("--shard", format!("{index}/{count}"), expected));
        }
        Ok(Runs { samples, together, shard })
    }

    fn indices(&self) -> impl Iterator<Item = usize> + use<> {
        let all = self.samples.len().div_ceil(self.together);
        (self.shard.index - 1..all).step_by(self.shard.count)
    }

    /// The number of runs.
    pub fn count(&self) -> usize {
        self.indices().count()
    }

    /// The number of samples that are missing in the last batch, which its last sample fills.
    pub fn missing(&self) -> usize {
        let has_last = self.indices().last() == self.samples.len().div_ceil(self.together).checked_sub(1);
        if has_last { self.samples.len().next_multiple_of(self.together) - self.samples.len() } else { 0 }
    }

    /// The number of samples of a run.
    pub fn together(&self) -> usize {
        self.together
    }

    /// Returns the names of the samples of each run, and what is fed; of `most` evenly spaced runs, if there are more.
    pub fn read(
        &self,
        graph: &Graph,
        most: usize,
    ) -> impl Iterator<Item = Result<(Vec<&str>, IndexMap<String, Array>)>> {
        let (all, most) = (self.count(), most.min(self.count()));
        let taken: BTreeSet<usize> = (0..most).map(|i| i * all / most).collect();
        let indices = self.indices().enumerate().filter(move |(i, _)| taken.contains(i));
        indices.map(move |(_, i)| {
            let first = i * self.together;
            let samples = first..(first + self.together).min(self.samples.len());
            let names = self.samples[samples.clone()].iter().map(|sample| sample.name.as_str()).collect();
            Ok((names, self.feeds(graph, samples)?))
        })
    }

    /// Joins the arrays of some samples to batches; the last one is repeated until they are full.
    ///
    /// # Errors
    /// Returns an error if the samples differ in an array that is not an entry of a batch.
    fn feeds(&self, graph: &Graph, samples: Range<usize>) -> Result<IndexMap<String, Array>> {
        let all = self.samples[samples].iter().map(|sample| sample.read(graph)).collect::<Result<Vec<_>>>()?;
        let Some(last) = all.last().filter(|_| self.together > 1) else {
            return Ok(all.into_iter().next().unwrap_or_default());
        };
        let joined = |(name, of_last): (&String, &Array)| {
            let of_sample = |i: usize| all.get(i).unwrap_or(last).get(name).unwrap_or(of_last);
            if batch(graph, name, of_last) != Some(self.together) {
                return match (0..all.len()).all(|i| of_sample(i) == of_last) {
                    true => Ok((name.clone(), of_last.clone())),
                    false => Err(not_joined(name, of_last, self.together)),
                };
            }
            let parts: Vec<&Array> = (0..self.together).map(of_sample).collect();
            Ok((name.clone(), joined(&parts)?))
        };
        last.iter().map(joined).collect()
    }
}

/// Creates the error about samples that are run together but have different arrays of a tensor.
fn not_joined(name: &str, array: &Array, together: usize) -> Error {
    let shape = shape_text(array.shape());
    invalid(format!(
        "the samples have different arrays for {name:?} ({shape}), but {together} samples are run at once, because other inputs have a \
         batch of {together}; expected a batch of {together} for {name:?}, too, or the same array in all samples"
    ))
}

/// Joins arrays of one shape, whose first dimension is 1, to a batch.
fn joined(parts: &[&Array]) -> Result<Array> {
    let Some(first) = parts.first() else { return Err(invalid("a batch has no entries")) };
    let mut bytes = Vec::new();
    for part in parts {
        if (part.dtype(), part.shape()) != (first.dtype(), first.shape()) {
            let [a, b] = [first, part].map(|array| format!("{} {}", shape_text(array.shape()), array.dtype()));
            return Err(invalid(format!("the samples of a batch have different arrays: {a} and {b}")));
        }
        bytes.extend_from_slice(part.bytes()?);
    }
    let shape: Vec<usize> = [parts.len()].into_iter().chain(first.shape()[1..].iter().copied()).collect();
    Array::from_le_bytes(first.dtype(), shape, &bytes)
}

/// The batch of an input, if an array is one entry of it.
fn batch(graph: &Graph, name: &str, array: &Array) -> Option<usize> {
    let shape = &graph.tensor(graph.lookup(name)?).ok()?.shape;
    let ([n, rest @ ..], [1, of_one @ ..]) = (shape.as_slice(), array.shape()) else { return None };
    (*n > 1 && rest == of_one).then_some(*n)
}
