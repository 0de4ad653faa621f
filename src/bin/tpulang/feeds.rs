//! The inputs given on the command line: arrays of an `.npz`, or images.
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};
use indexmap::IndexMap;
use std::{io::Cursor, path::Path};
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    array::NpzFile,
    base::{argument, files},
    exec::preprocess,
    graph::TensorInfo,
};

/// Bytes that an image file may have.
const MAX_IMAGE: u64 = 1 << 30;

/// Reads `[NAME=]FILE` each. Images are preprocessed; arrays of an `.npz` where `raw` says that they are images too.
pub fn read(graph: &Graph, given: &[String], raw: bool) -> Result<IndexMap<String, Array>> {
    let (mut feeds, mut images) = (IndexMap::new(), IndexMap::new());
    for each in given {
        let (name, file) = match each.split_once('=') {
            Some((name, file)) if !Path::new(each).exists() => (Some(name), Path::new(file)),
            _ => (None, Path::new(each)),
        };
        if let Some(format) = image_format(file) {
            let input = named(graph, name, each)?;
            let (_, all) = images.entry(input.name.clone()).or_insert((input, Vec::new()));
            all.push(decoded(file, format)?);
        } else if name.is_some() {
            return Err(argument("--inputs", each, "an .npz names its arrays itself; NAME= stands before an image"));
        } else {
            // Their elements are read once their names and shapes are known to be right.
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

/// Numbers for every input, the same each time: floats from -1 to 1, bytes over their range. Wider integers are 0: they may
/// be indices, whose range the graph does not tell.
pub fn random(graph: &Graph) -> Result<IndexMap<String, Array>> {
    let mut state = 1u64;
    // The generator of MMIX; its high bits are good.
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

/// The input that an image is for.
fn named<'g>(graph: &'g Graph, name: Option<&str>, given: &str) -> Result<&'g TensorInfo> {
    let names: Vec<_> = inputs(graph).map(|i| i.name.as_str()).collect();
    match (name, names.as_slice()) {
        (None, [_]) => inputs(graph).next(),
        (name, _) => inputs(graph).find(|i| Some(i.name.as_str()) == name),
    }
    .ok_or_else(|| {
        argument("--inputs", given, format!("an image is for one input: NAME={given}, of {}", names.join(", ")))
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
        // Images of different sizes become one batch.
        (all, [n, rest @ ..]) if all.len() == *n && rest.len() == 3 => {
            let shape: Vec<usize> = [1].iter().chain(rest).copied().collect();
            let mut values = Vec::new();
            for image in all {
                values.extend(one(image, &shape)?.to_f32()?);
            }
            Array::from_vec(input.shape.as_slice(), values)?
        }
        (all, _) => {
            let expected = format!("{:?} takes 1, or one each of its batch", input.name);
            return Err(argument("--inputs", format!("{} images", all.len()), expected));
        }
    };
    if input.dtype.is_float() { Ok(array) } else { array.to_dtype(input.dtype) }
}

/// The format of an image file, by its name; none for what is no image.
fn image_format(file: &Path) -> Option<ImageFormat> {
    ImageFormat::from_path(file).ok().filter(ImageFormat::reading_enabled)
}

/// The pixels of an image file, as a viewer shows them: height x width x channels.
fn decoded(file: &Path, format: ImageFormat) -> Result<Array> {
    let problem = |e: image::ImageError| Error::format(file, format!("it cannot be read as an image: {e}"));
    let bytes = files::read(file, MAX_IMAGE)?;
    // Many a .jpg is a PNG.
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
