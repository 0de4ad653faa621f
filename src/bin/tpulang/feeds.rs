//! What a network is fed: arrays of files, images, numbers and random values.
use super::{
    image::{ImageFormat, decode},
    run::FILES,
};
use indexmap::IndexMap;
use std::{
    cell::LazyCell,
    collections::{HashMap, HashSet},
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    array::{NpzFile, read_arrays},
    base::{Cause, Warning, WarningKind, Warnings},
    exec::{preprocess, random_feeds},
    graph::{Tensor, TensorInfo, TensorKind},
};
use tpulang_base::{MAX_LISTED, argument, escaped_path, invalid, misfit, nearest, pluralized, truncated};

/// The inputs of a run.
#[derive(clap::Args)]
pub struct Inputs {
    /// Input data: an .npz, .safetensors or .pt file or a folder of .npy files, with arrays by name, or - for an .npz from
    /// standard input. NAME=FILE feeds one tensor, like --set; several images for one input form a batch. May be repeated
    #[arg(short = 'i', long = "inputs", value_name = "[NAME=]FILE", help_heading = FILES)]
    given: Vec<String>,
    /// Feed tensor NAME a number, which fills it; a PNG, JPEG or BMP image, preprocessed as the model declares; or an array
    /// of an .npy, .npz or .safetensors file. If an operator computes NAME, it does not run. May be repeated
    #[arg(long, value_name = "NAME=VALUE", help_heading = FILES)]
    set: Vec<String>,
    /// Feed random values to the inputs that are not fed otherwise. They depend on SEED and the input's name alone; indices
    /// and conditions are in range
    #[arg(long, value_name = "SEED", value_parser = seed, help_heading = FILES)]
    random: Option<u64>,
    /// Treat arrays for inputs that declare `preprocess` as raw images (uint8, height x width x RGB) and preprocess them
    #[arg(long, requires = "given", help_heading = FILES)]
    preprocess: bool,
}

/// Where an argument `[NAME=]FILE` says that data come from.
fn split(given: &str) -> (Option<&str>, &Path) {
    match given.split_once('=') {
        Some((name, file)) if !Path::new(given).exists() => (Some(name), Path::new(file)),
        _ => (None, Path::new(given)),
    }
}

/// Returns the shapes of the arrays of a file ([`Inputs::shapes`]), or of the one for the tensor that an argument names.
pub fn shapes_of(name: Option<&str>, file: &Path) -> Vec<(Option<String>, Vec<usize>)> {
    let arrays = readable_arrays(file);
    let is_one = arrays.len() == 1;
    let named = arrays.into_iter().filter_map(|(own, array)| {
        let name = match name {
            None if is_of_one(file) => None,
            None => Some(own),
            Some(name) if is_one || own == name => Some(name.to_owned()),
            Some(_) => return None,
        };
        Some((name, array.shape().to_vec()))
    });
    named.collect()
}

/// Reads the seed of random values.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected an integer of at least 0".to_owned())
}

/// Standard input, as a file.
pub const STDIN: &str = "-";

/// # Errors
/// Returns an error if more than one of the files that are read is standard input.
pub fn check_stdin<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    match files.into_iter().filter(|file| *file == Path::new(STDIN)).count() {
        0 | 1 => Ok(()),
        _ => Err(invalid("only one file can be read from standard input (-)")),
    }
}

impl Inputs {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        let Inputs { given, set, random, .. } = self;
        given.is_empty() && set.is_empty() && random.is_none()
    }
    /// Returns the files that are read.
    pub fn files(&self) -> Vec<&Path> {
        self.given.iter().chain(&self.set).map(|each| split(each).1).collect()
    }
    /// Returns the shapes of the arrays of files, with the names of the tensors that they are fed to; the array of a file without names is
    /// fed to the only input. Files that cannot be read, or that can be read only once, such as pipes, are left out.
    pub fn shapes(&self) -> Vec<(Option<String>, Vec<usize>)> {
        // An array of `--set` takes the place of others, so it comes last.
        self.given
            .iter()
            .chain(&self.set)
            .flat_map(|given| {
                let (name, file) = split(given);
                shapes_of(name, file)
            })
            .collect()
    }
    /// Returns the arrays to feed to a graph, which was read from `model`, by name, with warnings about those of tensors that are no
    /// inputs. Elements of files are read once their names and shapes have been checked.
    pub fn read(&self, graph: &Graph, model: &Path) -> Result<(IndexMap<String, Array>, Warnings)> {
        check_stdin(self.given.iter().map(Path::new).chain([model]))?;
        let (mut feeds, mut unused) = (Feeds::new(graph, "--inputs"), Vec::new());
        for given in &self.given {
            match split(given) {
                (Some(name), file) => feeds.add_new("--inputs", given, feeds.tensor("--inputs", given, name)?, file)?,
                (None, _) if given == STDIN => {
                    feeds.add_arrays(NpzFile::from_reader(io::stdin(), "standard input")?.arrays()?, given)?;
                }
                (None, file) if is_of_one(file) => feeds.add_new("--inputs", given, feeds.only_input(given)?, file)?,
                (None, file) => {
                    let (arrays, others) = sample_arrays(graph, file)?;
                    feeds.add_arrays(arrays, given)?;
                    unused.extend(others.into_iter().map(|array| (array, given.clone())));
                }
            }
        }
        if self.preprocess {
            feeds.take_raw_images();
        }
        for set in &self.set {
            let expected = "expected NAME=VALUE: a tensor, and a number or a file";
            let (name, value) = set.split_once('=').ok_or_else(|| argument("--set", set, expected))?;
            let tensor = feeds.tensor("--set", set, name)?;
            // It takes precedence.
            feeds.images.shift_remove(name);
            match number(value) {
                Some(number) => feeds.insert(tensor, filled(set, tensor, number)?),
                None => feeds.add_file("--set", set, tensor, Path::new(value))?,
            }
        }
        let mut warnings = feeds.drop_results();
        unused.extend(feeds.drop_unknown());
        for (array, file) in unused {
            warnings.push(Warning::new(WarningKind::UnusedArray { array, file }));
        }
        let mut arrays = feeds.prepared(<[usize]>::to_vec)?;
        warnings.extend(&inner(graph, &arrays));
        if let Some(seed) = self.random {
            let before = arrays.len();
            for (name, array) in random_feeds(graph, seed)? {
                arrays.entry(name).or_insert(array);
            }
            if arrays.len() == before {
                let reason = "every input is fed otherwise".to_owned();
                warnings.push(Warning::new(WarningKind::NoEffect { option: "--random".to_owned(), reason }));
            }
        }
        Ok((arrays, warnings))
    }
}

/// # Errors
/// Returns an error if a tensor is fed that is no input. `in_what` says what takes inputs only: `with the tool chain`.
pub fn check_inputs(graph: &Graph, feeds: &IndexMap<String, Array>, in_what: &str) -> Result<()> {
    let inputs = graph.inputs().iter().filter_map(|t| graph.tensor(*t).ok()).map(|info| info.name.as_str());
    let inputs: Vec<&str> = inputs.collect();
    let Some(other) = feeds.keys().find(|name| !inputs.contains(&name.as_str())) else { return Ok(()) };
    if graph.lookup(other).is_some() {
        let expected = format!("it is not an input; {in_what}, only inputs can be fed");
        return Err(argument("the tensor that is fed", format!("{other:?}"), expected));
    }
    let nearest = nearest(other, inputs.iter().copied());
    let known = inputs.iter().filter(|_| inputs.len() <= MAX_LISTED).map(|name| (*name).to_owned()).collect();
    Err(Cause::UnknownName { kind: "input", name: truncated(other), nearest, known }.into())
}

/// Returns remarks about fed tensors that are no inputs.
fn inner(graph: &Graph, feeds: &IndexMap<String, Array>) -> Warnings {
    let mut remarks = Warnings::default();
    let ops = LazyCell::new(|| {
        let mut ops = HashMap::new();
        graph.body().walk(&mut |operator| {
            ops.extend(graph.result_names(operator).map(|name| (name, operator.op.name())));
        });
        ops
    });
    for tensor in feeds.keys() {
        let Some(info) = graph.lookup(tensor).and_then(|t| graph.tensor(t).ok()) else { continue };
        let instead = match &info.kind {
            TensorKind::Input => continue,
            TensorKind::Coefficient(_) => "the model's coefficient".to_owned(),
            _ => ops.get(tensor.as_str()).map_or_else(String::new, |op| format!("the result of top.{op}")),
        };
        remarks.push(Warning::new(WarningKind::FedInner { tensor: tensor.clone(), instead }));
    }
    remarks
}

/// Whether a file holds data of one tensor, without its name.
fn is_of_one(file: &Path) -> bool {
    let is_image = ImageFormat::of_name(file).is_some() || ImageFormat::is_unknown(file);
    is_image || file.extension().and_then(OsStr::to_str) == Some("npy") && !file.is_dir()
}

fn number(text: &str) -> Option<f64> {
    match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => text.parse().ok(),
    }
}

/// Returns an array of a tensor's shape with one value.
fn filled(set: &str, tensor: &TensorInfo, value: f64) -> Result<Array> {
    let dtype = if tensor.dtype.is_float() { Dtype::Float32 } else { tensor.dtype };
    let expected = match dtype.int_range() {
        Some((low, high)) if value.fract() != 0.0 || !(low as f64..=high as f64).contains(&value) => {
            format!("{:?} is {dtype}; expected an integer from {low} to {high}", tensor.name)
        }
        None if value.is_finite() && !(value as f32).is_finite() => {
            format!("{:?} is {}; the number is too large", tensor.name, tensor.dtype)
        }
        _ => return Array::filled(dtype, tensor.shape.as_slice(), value),
    };
    Err(argument("--set", set, expected))
}

/// The data that arguments have given so far.
struct Feeds<'g> {
    graph: &'g Graph,
    /// The option that names the files.
    option: &'static str,
    arrays: IndexMap<String, Array>,
    /// The file of each array that no argument names.
    files: HashMap<String, String>,
    /// Images by the input that they are for, which are preprocessed at the end, since several may form a batch.
    images: IndexMap<String, (&'g TensorInfo, Vec<Array>)>,
}

/// Reads the files of a sample: an .npz, or an .npy or image for each input, in their order. Arrays of results, and others that the
/// network does not have, are left out. An image for an input with a batch becomes one entry of it.
pub fn of_sample(graph: &Graph, files: &[&Path]) -> Result<IndexMap<String, Array>> {
    let mut feeds = Feeds::new(graph, "--data");
    let inputs: Vec<_> = feeds.inputs().collect();
    if files.iter().all(|file| is_of_one(file)) {
        if files.len() != inputs.len() {
            let names: Vec<_> = inputs.iter().map(|i| i.name.as_str()).collect();
            let problem =
                format!("it has {}; the model's inputs are {}", pluralized(files.len(), "file"), names.join(", "));
            return Err(invalid(problem));
        }
        for (input, file) in inputs.into_iter().zip(files) {
            feeds.add_file(feeds.option, &escaped_path(file), input, file)?;
        }
    } else {
        for file in files {
            let (arrays, _) = sample_arrays(graph, file)?;
            feeds.add_arrays(arrays, &escaped_path(file))?;
        }
    }
    feeds.drop_results();
    // An image is an entry of a batch, which other samples fill.
    feeds.prepared(|shape| match *shape {
        [_, channels, height, width] => vec![1, channels, height, width],
        _ => shape.to_vec(),
    })
}

/// Returns the arrays of a file. If an `.npz` has all inputs, arrays that the network does not have are left out, whatever they hold: the
/// labels of a data set, or names of files. Their names are returned, too.
fn sample_arrays(graph: &Graph, file: &Path) -> Result<(IndexMap<String, Array>, Vec<String>)> {
    if file.extension() != Some(OsStr::new("npz")) || file.is_dir() {
        return Ok((read_arrays(file)?, Vec::new()));
    }
    let mut arrays = NpzFile::open(file)?;
    let (known, others): (Vec<String>, Vec<String>) =
        arrays.names().map(str::to_owned).partition(|name| graph.lookup(name).is_some());
    let has = |t: &Tensor| graph.tensor(*t).is_ok_and(|info| known.contains(&info.name));
    if graph.inputs().iter().all(has) {
        let known = known.into_iter().map(|name| Ok((name.clone(), arrays.array(&name)?))).collect::<Result<_>>();
        return Ok((known?, others));
    }
    Ok((arrays.arrays()?, Vec::new()))
}

/// Returns the arrays of a file or folder that can be read.
fn readable_arrays(file: &Path) -> IndexMap<String, Array> {
    if !file.is_file() && !file.is_dir() {
        return IndexMap::new();
    }
    match NpzFile::open(file).ok().filter(|_| file.extension() == Some(OsStr::new("npz"))) {
        Some(mut npz) => {
            let names: Vec<String> = npz.names().map(str::to_owned).collect();
            names.into_iter().filter_map(|name| Some((name.clone(), npz.array(&name).ok()?))).collect()
        }
        None => read_arrays(file).unwrap_or_default(),
    }
}

impl<'g> Feeds<'g> {
    fn new(graph: &'g Graph, option: &'static str) -> Feeds<'g> {
        Feeds { graph, option, arrays: IndexMap::new(), files: HashMap::new(), images: IndexMap::new() }
    }
    fn inputs(&self) -> impl Iterator<Item = &'g TensorInfo> + use<'g> {
        let graph = self.graph;
        graph.inputs().iter().filter_map(|t| graph.tensor(*t).ok())
    }
    /// The tensor that an argument names.
    fn tensor(&self, option: &str, given: &str, name: &str) -> Result<&'g TensorInfo> {
        self.graph.lookup(name).and_then(|t| self.graph.tensor(t).ok()).ok_or_else(|| {
            let hint = match nearest(name, self.graph.tensors().map(|(_, info)| info.name.as_str())) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("inputs: {}", self.inputs().map(|i| i.name.as_str()).collect::<Vec<_>>().join(", ")),
            };
            misfit(format!("{option} {given}:"), format!("the model has no tensor {name:?}; {hint}"))
        })
    }
    /// The model's input, if it has only one.
    fn only_input(&self, given: &str) -> Result<&'g TensorInfo> {
        let inputs: Vec<_> = self.inputs().collect();
        let [only] = inputs[..] else {
            let names: Vec<_> = inputs.iter().map(|i| i.name.as_str()).collect();
            let expected = format!("specify the input as NAME={given}; inputs: {}", names.join(", "));
            return Err(argument(self.option, given, expected));
        };
        Ok(only)
    }
    /// Adds the arrays of a file.
    fn add_arrays(&mut self, arrays: IndexMap<String, Array>, given: &str) -> Result<()> {
        let is_unnamed = |name: &&String| name.starts_with("arr_") && self.graph.lookup(name).is_none();
        if let Some(name) = arrays.keys().find(is_unnamed) {
            let inputs = self.inputs().map(|i| i.name.as_str()).collect::<Vec<_>>().join(", ");
            let expected = format!(
                "its array {name:?} was saved without a name, as by numpy.savez(FILE, array); the inputs are {inputs}: numpy.savez(FILE, INPUT=array)"
            );
            return Err(argument(self.option, given, expected));
        }
        if let Some(name) = arrays.keys().find(|name| self.arrays.contains_key(*name)) {
            return Err(argument(self.option, given, format!("an earlier file has {name:?}, too")));
        }
        self.files.extend(arrays.keys().map(|name| (name.clone(), given.to_owned())));
        self.arrays.extend(arrays);
        Ok(())
    }
    /// Drops arrays that no argument names and that a run computes: the outputs, and other results if all inputs are fed.
    /// A file that records inputs with expected results would otherwise replace the model.
    fn drop_results(&mut self) -> Warnings {
        let all_inputs = self.has_all_inputs();
        let outputs: HashSet<Tensor> = self.graph.outputs().iter().copied().collect();
        let is_computed = |name: &str| {
            self.graph.lookup(name).is_some_and(|tensor| {
                let is_result = self.graph.tensor(tensor).is_ok_and(|info| info.kind == TensorKind::Value);
                is_result && (all_inputs || outputs.contains(&tensor))
            })
        };
        let mut dropped = Warnings::default();
        self.arrays.retain(|tensor, _| match self.files.get(tensor) {
            Some(file) if is_computed(tensor) => {
                dropped.push(Warning::new(WarningKind::UnfedResult { tensor: tensor.clone(), file: file.clone() }));
                false
            }
            _ => true,
        });
        dropped
    }
    fn has_all_inputs(&self) -> bool {
        self.inputs().all(|input| self.arrays.contains_key(&input.name) || self.images.contains_key(&input.name))
    }
    /// Drops arrays of files that are of no tensor of the model, if all inputs are fed: the labels of a data set, or names of files.
    /// Returns the name of each, and its file.
    fn drop_unknown(&mut self) -> Vec<(String, String)> {
        let mut dropped = Vec::new();
        if !self.has_all_inputs() {
            return dropped;
        }
        self.arrays.retain(|array, _| match self.files.get(array) {
            Some(file) if self.graph.lookup(array).is_none() => {
                dropped.push((array.clone(), file.clone()));
                false
            }
            _ => true,
        });
        dropped
    }
    /// Adds the array of a tensor that an argument names, in place of an image.
    fn insert(&mut self, tensor: &TensorInfo, array: Array) {
        self.files.remove(&tensor.name);
        self.images.shift_remove(&tensor.name);
        self.arrays.insert(tensor.name.clone(), array);
    }
    /// Adds the image or the array of a file for a tensor that no earlier argument has fed an array.
    fn add_new(&mut self, option: &str, given: &str, tensor: &'g TensorInfo, file: &Path) -> Result<()> {
        let name = &tensor.name;
        // It takes the place of an array of a file that has several.
        let has_array = self.arrays.contains_key(name) && !self.files.contains_key(name);
        if has_array || self.images.contains_key(name) && ImageFormat::of_name(file).is_none() {
            return Err(argument(option, given, format!("{name:?} is already fed by an earlier argument")));
        }
        self.add_file(option, given, tensor, file)
    }
    /// Adds the image or the array of a file.
    fn add_file(&mut self, option: &str, given: &str, tensor: &'g TensorInfo, file: &Path) -> Result<()> {
        if ImageFormat::is_unknown(file) {
            return Err(Error::format(file, "images are read from PNG, JPEG and BMP files; convert it to one of them"));
        }
        if let Some(format) = ImageFormat::of_name(file) {
            let (_, all) = self.images.entry(tensor.name.clone()).or_insert((tensor, Vec::new()));
            all.push(decode(file, format)?);
            return Ok(());
        }
        let mut arrays = read_arrays(file).map_err(|e| wrong_value(option, given, file, e))?;
        let array = match arrays.shift_remove(&tensor.name) {
            Some(array) => array,
            None if arrays.len() == 1 => {
                arrays.swap_remove_index(0).map(|(_, array)| array).ok_or_else(|| no_array(file))?
            }
            None => {
                let names: Vec<_> = arrays.keys().take(8).map(String::as_str).collect();
                let problem =
                    format!("{} has {} arrays, none of which is {:?}", file.display(), arrays.len(), tensor.name);
                return Err(misfit(format!("{option} {given}:"), format!("{problem}: {}", names.join(", "))));
            }
        };
        self.insert(tensor, array);
        Ok(())
    }
    /// Takes the arrays for inputs that declare how images are preprocessed as images.
    fn take_raw_images(&mut self) {
        for input in self.inputs().filter(|i| i.preprocess.is_some()) {
            if let Some(array) = self.arrays.shift_remove(&input.name) {
                self.images.insert(input.name.clone(), (input, vec![array]));
            }
        }
    }
    /// Returns the arrays, and the images after preprocessing. `shape_of` returns the shape that images get, given the input's.
    fn prepared(mut self, shape_of: impl Fn(&[usize]) -> Vec<usize>) -> Result<IndexMap<String, Array>> {
        for (name, (input, all)) in self.images {
            self.arrays.insert(name, prepared(self.option, (input, &shape_of(&input.shape)), &all)?);
        }
        Ok(self.arrays)
    }
}

fn no_array(file: &Path) -> Error {
    Error::format(PathBuf::from(file), "it has no arrays")
}

/// A value that is neither a number nor a file is more likely a misspelled number than a file of an unknown format.
fn wrong_value(option: &str, given: &str, file: &Path, error: Error) -> Error {
    if file.exists() || file.extension().is_some() || option != "--set" {
        return error;
    }
    argument(option, given, "expected a number, an image, or an .npy, .npz or .safetensors file")
}

/// Preprocesses images for an input, as an array of this shape.
fn prepared(option: &str, (input, shape): (&TensorInfo, &[usize]), images: &[Array]) -> Result<Array> {
    let how = input.preprocess.as_ref().ok_or_else(|| {
        let problem = "the model declares no preprocess for it; feed an array instead, or add \"preprocess\" to the input in a spec (tpulang spec writes one from an ONNX model)";
        misfit(format!("an image for {:?}:", input.name), problem)
    })?;
    let one = |image: &Array, shape: &[usize]| preprocess(image, how, shape);
    let array = match (images, shape) {
        ([image], shape) => one(image, shape)?,
        // Images of different sizes form one batch.
        (all, [n, rest @ ..]) if all.len() == *n && rest.len() == 3 => {
            let shape: Vec<usize> = [1].iter().chain(rest).copied().collect();
            let mut values = Vec::new();
            for image in all {
                values.extend(one(image, &shape)?.to_f32()?);
            }
            Array::from_vec(shape, values)?
        }
        (all, _) => {
            let expected = format!("{:?} takes one image, or one per sample of its batch", input.name);
            return Err(argument(option, format!("{} images", all.len()), expected));
        }
    };
    if input.dtype.is_float() { Ok(array) } else { array.to_dtype(input.dtype) }
}
