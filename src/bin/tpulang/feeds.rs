//! The inputs given on the command line: arrays of an `.npz`, or images.
use super::image::{ImageFormat, decode};
use indexmap::IndexMap;
use std::path::Path;
use tpulang::{Array, Graph, Result, array::NpzFile, exec::preprocess, graph::TensorInfo};
use tpulang_base::{argument, misfit, nearest};

/// Splits `[NAME=]FILE`.
fn split(given: &str) -> (Option<&str>, &Path) {
    match given.split_once('=') {
        Some((name, file)) if !Path::new(given).exists() => (Some(name), Path::new(file)),
        _ => (None, Path::new(given)),
    }
}

/// Returns the files of `[NAME=]FILE` arguments.
pub fn files(given: &[String]) -> Vec<&Path> {
    given.iter().map(|each| split(each).1).collect()
}

/// Reads `[NAME=]FILE` arguments. Images are preprocessed, and also arrays if they are `raw` images.
pub fn read(graph: &Graph, given: &[String], raw: bool) -> Result<IndexMap<String, Array>> {
    let (mut feeds, mut images) = (IndexMap::new(), IndexMap::new());
    for each in given {
        let (name, file) = split(each);
        if let Some(format) = ImageFormat::of_name(file) {
            let input = named(graph, name, each)?;
            let (_, all) = images.entry(input.name.clone()).or_insert((input, Vec::new()));
            all.push(decode(file, format)?);
        } else if name.is_some() {
            return Err(argument(
                "--inputs",
                each,
                "NAME= applies only to images; arrays in an .npz are already named",
            ));
        } else {
            // Their elements are read once their names and shapes have been checked.
            feeds.extend(NpzFile::open(file)?.arrays()?);
        }
    }
    if raw {
        for input in inputs(graph).filter(|i| i.preprocess.is_some()) {
            if let Some(array) = feeds.shift_remove(&input.name) {
                images.insert(input.name.clone(), (input, vec![array]));
            }
        }
    }
    for (name, (input, all)) in images {
        feeds.insert(name, prepared(input, &all)?);
    }
    Ok(feeds)
}

fn inputs(graph: &Graph) -> impl Iterator<Item = &TensorInfo> {
    graph.inputs().iter().filter_map(|t| graph.tensor(*t).ok())
}

/// The input that an image is fed to.
fn named<'g>(graph: &'g Graph, name: Option<&str>, given: &str) -> Result<&'g TensorInfo> {
    let names: Vec<_> = inputs(graph).map(|i| i.name.as_str()).collect();
    let Some(name) = name.or(names.first().copied().filter(|_| names.len() == 1)) else {
        let expected = format!("specify the input as NAME={given}; inputs: {}", names.join(", "));
        return Err(argument("--inputs", given, expected));
    };
    inputs(graph).find(|i| i.name == name).ok_or_else(|| {
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("inputs: {}", names.join(", ")),
        };
        misfit(format!("--inputs {given}:"), format!("the model has no input {name:?}; {hint}"))
    })
}

fn prepared(input: &TensorInfo, images: &[Array]) -> Result<Array> {
    let how = input.preprocess.as_ref().ok_or_else(|| {
        argument(
            "--inputs",
            format!("an image for {:?}", input.name),
            "the model declares no preprocess for it; feed an array instead",
        )
    })?;
    let one = |image: &Array, shape: &[usize]| preprocess(image, how, shape);
    let array = match (images, input.shape.as_slice()) {
        ([image], shape) => one(image, shape)?,
        // Images of different sizes form one batch.
        (all, [n, rest @ ..]) if all.len() == *n && rest.len() == 3 => {
            let shape: Vec<usize> = [1].iter().chain(rest).copied().collect();
            let mut values = Vec::new();
            for image in all {
                values.extend(one(image, &shape)?.to_f32()?);
            }
            Array::from_vec(input.shape.as_slice(), values)?
        }
        (all, _) => {
            let expected = format!("{:?} takes one image, or one per sample of its batch", input.name);
            return Err(argument("--inputs", format!("{} images", all.len()), expected));
        }
    };
    if input.dtype.is_float() { Ok(array) } else { array.to_dtype(input.dtype) }
}
