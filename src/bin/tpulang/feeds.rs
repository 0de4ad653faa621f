//! The inputs given on the command line: arrays of an `.npz` file, or images.
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};
use indexmap::IndexMap;
use std::{io::Cursor, path::Path};
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    array::NpzFile,
    base::{argument, files, invalid, nearest},
    exec::preprocess,
    graph::TensorInfo,
};

/// Maximum size of an image file in bytes.
const MAX_IMAGE: u64 = 1 << 30;

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
        if let Some(format) = image_format(file) {
            let input = named(graph, name, each)?;
            let (_, all) = images.entry(input.name.clone()).or_insert((input, Vec::new()));
            all.push(decoded(file, format)?);
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

/// Returns deterministic random values for every input: floats from -1 to 1, 8-bit integers over their range. Wider
/// integers are 0, since they may be indices, whose range the graph does not define.
pub fn random(graph: &Graph) -> Result<IndexMap<String, Array>> {
    let mut state = 1u64;
    // The generator of MMIX, of which only the high bits are random enough.
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let mut drawn = |input: &TensorInfo| {
        let (least, most) = match input.dtype {
            Dtype::Int8 => (-128.0, 128.0),
            Dtype::Uint8 => (0.0, 256.0),
            dtype if dtype.is_float() => (-1.0, 1.0),
            _ => return Array::filled(input.dtype, input.shape.as_slice(), 0.0),
        };
        let number = |drawn: f64| least + drawn * (most - least);
        let whole = |v: f64| if input.dtype.is_float() { v } else { v.floor() };
        let count = input.shape.iter().product();
        let dtype = if input.dtype.is_float() { Dtype::Float32 } else { input.dtype };
        Array::from_f64s(dtype, input.shape.as_slice(), (0..count).map(|_| whole(number(next()))))
    };
    inputs(graph).map(|input| Ok((input.name.clone(), drawn(input)?))).collect()
}

fn inputs(graph: &Graph) -> impl Iterator<Item = &TensorInfo> {
    graph.inputs().iter().filter_map(|t| graph.tensor(*t).ok())
}

/// Returns the input that an image is fed to.
fn named<'g>(graph: &'g Graph, name: Option<&str>, given: &str) -> Result<&'g TensorInfo> {
    let names: Vec<_> = inputs(graph).map(|i| i.name.as_str()).collect();
    let found = match (name, names.as_slice()) {
        (None, [_]) => inputs(graph).next(),
        (name, _) => inputs(graph).find(|i| Some(i.name.as_str()) == name),
    };
    found.ok_or_else(|| match name {
        None => invalid(format!(
            "--inputs {given}: specify the input as NAME={given}; the model's inputs are {}",
            names.join(", ")
        )),
        Some(name) => {
            let hint = match nearest(name, names.iter().copied()) {
                Some(nearest) => format!("did you mean {nearest:?}?"),
                None => format!("its inputs are {}", names.join(", ")),
            };
            invalid(format!("--inputs {given}: the model has no input {name:?}; {hint}"))
        }
    })
}

fn prepared(input: &TensorInfo, images: &[Array]) -> Result<Array> {
    let how = input.preprocess.as_ref().ok_or_else(|| {
        argument(
            "--inputs",
            format!("an image for {:?}", input.name),
            "the model declares no preprocess for it; feed an array",
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

/// Returns the format of an image file by its extension. Returns `None` if it is not an image.
fn image_format(file: &Path) -> Option<ImageFormat> {
    ImageFormat::from_path(file).ok().filter(ImageFormat::reading_enabled)
}

/// Decodes an image file, with its orientation applied, to height x width x channels.
fn decoded(file: &Path, format: ImageFormat) -> Result<Array> {
    let problem = |e: image::ImageError| Error::format(file, format!("it cannot be read as an image: {e}"));
    let bytes = files::read(file, MAX_IMAGE)?;
    // Extensions are often wrong.
    let format = image::guess_format(&bytes).unwrap_or(format);
    let mut decoder = ImageReader::with_format(Cursor::new(bytes), format).into_decoder().map_err(problem)?;
    let orientation = decoder.orientation().map_err(problem)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(problem)?;
    image.apply_orientation(orientation);
    let (size, color) = ([image.height() as usize, image.width() as usize], image.color());
    let (channels, pixels) = match (color.has_alpha(), color.has_color()) {
        (true, _) => (4, image.into_rgba8().into_raw()),
        (false, true) => (3, image.into_rgb8().into_raw()),
        (false, false) => (1, image.into_luma8().into_raw()),
    };
    Array::from_vec([size[0], size[1], channels], pixels)
}
