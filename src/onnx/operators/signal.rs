//! Windows and Fourier transforms.
use super::Convert;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, Shape, argument, invalid, misfit},
    emit::Emit,
    import::Importer,
    node::{Node, known_float, known_int, pieces, resolved_axis, table},
    tensors::Element,
    value::Value,
};
use std::f64::consts::PI;

pub const OPERATORS: &[(&str, Convert)] = &[
    ("BlackmanWindow", |_, n| window(n, &[0.42, -0.5, 0.08])),
    ("DFT", dft),
    ("HammingWindow", |_, n| window(n, &[25.0 / 46.0, -21.0 / 46.0])),
    ("HannWindow", |_, n| window(n, &[0.5, -0.5])),
    ("MelWeightMatrix", mel_weight_matrix),
    ("STFT", stft),
];

fn count(value: i64, what: &str) -> Result<usize> {
    usize::try_from(value)
        .ok()
        .filter(|c| (1..1 << 24).contains(c))
        .ok_or_else(|| argument(what, value, "expected 1 to 2^24"))
}

/// A sum of cosines.
fn window(n: &Node, coefficients: &[f64]) -> Result<Vec<Value>> {
    let size = count(known_int(n.input(0)?, "size")?, "size")?;
    let dtype = Element::of(n.int_or("output_datatype", 1) as i32).map_err(|e| misfit("output_datatype:", e))?.dtype();
    let period = if n.int_or("periodic", 1) != 0 { size } else { size - 1 } as f64;
    let at = |i: usize| -> f64 {
        let angle = 2.0 * PI * i as f64 / period;
        coefficients.iter().enumerate().map(|(k, c)| c * (k as f64 * angle).cos()).sum()
    };
    Ok(vec![Value::constant(Array::from_f64s(dtype, [size], (0..size).map(at))?)])
}

fn mel_weight_matrix<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let bins = count(known_int(n.input(0)?, "num_mel_bins")?, "num_mel_bins")?;
    let length = count(known_int(n.input(1)?, "dft_length")?, "dft_length")?;
    let rate = known_float(n.input(2)?, "sample_rate")?;
    let (low, high) = (known_float(n.input(3)?, "lower_edge_hertz")?, known_float(n.input(4)?, "upper_edge_hertz")?);
    let dtype = Element::of(n.int_or("output_datatype", 1) as i32).map_err(|e| misfit("output_datatype:", e))?.dtype();
    let mel = |hertz: f64| 2595.0 * (1.0 + hertz / 700.0).log10();
    let hertz = |mel: f64| 700.0 * (10f64.powf(mel / 2595.0) - 1.0);
    let spectrum = length / 2 + 1;
    let step = (mel(high) - mel(low)) / (bins + 2) as f64;
    let edge = |i: usize| ((length + 1) as f64 * hertz(i as f64 * step + mel(low)) / rate).floor();
    let mut matrix = vec![0.0; table(&[spectrum, bins])?];
    for bin in 0..bins {
        let (low, center, high) = (edge(bin), edge(bin + 1), edge(bin + 2));
        for at in 0..spectrum {
            let x = at as f64;
            matrix[at * bins + bin] = if (center..high).contains(&x) {
                (high - x) / (high - center)
            } else if low == center && x == center {
                1.0
            } else if (low..=center).contains(&x) {
                (x - low) / (center - low)
            } else {
                0.0
            };
        }
    }
    Ok(vec![Value::constant(Array::from_f64s(dtype, [spectrum, bins], matrix.into_iter())?)])
}

/// Cosines and sines of a transform of `size` points, of which `bins` are computed: two matrices [size, bins].
fn matrices(b: &mut Importer, size: usize, bins: usize, inverse: bool) -> Result<(Tensor, Tensor)> {
    table(&[size, bins])?;
    let factor = if inverse { 1.0 / size as f64 } else { 1.0 };
    let sign = if inverse { 1.0 } else { -1.0 };
    let at = |i: usize, of: fn(f64) -> f64| {
        let (row, bin) = (i / bins, i % bins);
        of(2.0 * PI * ((row * bin) % size) as f64 / size as f64) * factor
    };
    let cosines = Array::from_f64s(Dtype::Float32, [size, bins], (0..size * bins).map(|i| at(i, f64::cos)))?;
    let sines = Array::from_f64s(Dtype::Float32, [size, bins], (0..size * bins).map(|i| sign * at(i, f64::sin)))?;
    Ok((b.coefficient(cosines)?, b.coefficient(sines)?))
}

/// Transforms the last axis of a real part and, if there is one, an imaginary part.
fn transformed(
    b: &mut Importer,
    real: Tensor,
    imaginary: Option<Tensor>,
    (cosines, sines): (Tensor, Tensor),
) -> Result<(Tensor, Tensor)> {
    let (mut re, mut im) = (b.matmul(real, cosines)?, b.matmul(real, sines)?);
    if let Some(imaginary) = imaginary {
        let (a, c) = (b.matmul(imaginary, sines)?, b.matmul(imaginary, cosines)?);
        (re, im) = (b.sub(re, a)?, b.add(im, c)?);
    }
    Ok((re, im))
}

fn dft<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let rank = x.rank();
    let axis = if n.version < 20 {
        n.int_or("axis", 1)
    } else {
        n.optional(2).map(|v| known_int(v, "axis")).transpose()?.unwrap_or(-2)
    };
    let axis = resolved_axis("axis", axis, rank)?;
    let (inverse, onesided) = (n.flag("inverse"), n.flag("onesided"));
    let shape = x.shape();
    let [.., parts] = shape[..] else { return Err(invalid("its last axis holds real and imaginary parts")) };
    if axis + 1 >= rank {
        return Err(argument("axis", axis, "it must be before the last, which holds real and imaginary parts"));
    }
    let size = match n.optional(1) {
        Some(length) => count(known_int(length, "dft_length")?, "dft_length")?,
        None => shape[axis],
    };
    let mut tensor = b.float_tensor(x)?;
    // A one-sided inverse continues the conjugate half.
    let mirrored = inverse && onesided;
    let size = if mirrored && n.optional(1).is_none() { 2 * (shape[axis] - 1) } else { size };
    if !mirrored {
        tensor = match size < shape[axis] {
            true => b.slice(tensor, axis, 0, size)?,
            false => b.pad_axis(tensor, axis, 0, size - shape[axis])?,
        };
    }
    let take = |b: &mut Importer, part: usize| -> Result<Tensor> {
        let one = b.slice(tensor, rank - 1, part, 1)?;
        let mut without: Shape = b.shape(one)?;
        without.pop();
        let one = b.reshape(one, &without)?;
        b.swap_axes(one, axis, rank - 2)
    };
    let real = take(b, 0)?;
    let imaginary = if parts == 2 { Some(take(b, 1)?) } else { None };
    let bins = if onesided && !inverse { size / 2 + 1 } else { size };
    let (re, im) = match mirrored {
        true => (mirrored_inverse(b, real, imaginary, size)?, None),
        false => {
            let tables = matrices(b, size, bins, inverse)?;
            let (re, im) = transformed(b, real, imaginary, tables)?;
            (re, Some(im))
        }
    };
    let mut columns = Vec::new();
    for part in [Some(re), im].into_iter().flatten() {
        let part = b.swap_axes(part, axis, rank - 2)?;
        let mut with = b.shape(part)?;
        with.push(1);
        columns.push(b.reshape(part, &with)?);
    }
    let made = b.concat(columns, rank - 1)?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// The real signal of which the first half of the spectrum is given.
fn mirrored_inverse(b: &mut Importer, real: Tensor, imaginary: Option<Tensor>, size: usize) -> Result<Tensor> {
    let last = b.rank(real)? - 1;
    let bins = b.shape(real)?[last];
    table(&[bins, size])?;
    // Bins between the first and the middle count twice, as their conjugates do.
    let weight = |bin: usize| if bin == 0 || 2 * bin == size { 1.0 } else { 2.0 } / size as f64;
    let at = |i: usize, of: fn(f64) -> f64| {
        let (bin, t) = (i / size, i % size);
        weight(bin) * of(2.0 * PI * ((bin * t) % size) as f64 / size as f64)
    };
    let matrix = |b: &mut Importer, of: fn(f64) -> f64| -> Result<Tensor> {
        b.coefficient(Array::from_f64s(Dtype::Float32, [bins, size], (0..bins * size).map(|i| at(i, of)))?)
    };
    let cosines = matrix(b, f64::cos)?;
    let re = b.matmul(real, cosines)?;
    let Some(imaginary) = imaginary else { return Ok(re) };
    let sines = matrix(b, f64::sin)?;
    let im = b.matmul(imaginary, sines)?;
    b.sub(re, im)
}

/// Transforms of windows of a signal [batch, length, 1 or 2].
fn stft<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let [_, length, parts] = x.shape()[..] else { return Err(invalid("its signal must have 3 dimensions")) };
    let step = count(known_int(n.input(1)?, "frame_step")?, "frame_step")?;
    let window = n.optional(2);
    let size = match (n.optional(3), window) {
        (Some(size), _) => count(known_int(size, "frame_length")?, "frame_length")?,
        (None, Some(window)) => window.elements(),
        (None, None) => return Err(invalid("it has neither a window nor a frame_length")),
    };
    if size > length {
        return Err(argument("frame_length", size, format!("the signal has {length} samples")));
    }
    let frames = pieces((length - size) / step + 1)?;
    let onesided = n.int_or("onesided", 1) != 0;
    let tables = matrices(b, size, if onesided { size / 2 + 1 } else { size }, false)?;
    let signal = b.float_tensor(x)?;
    let window = window.map(|w| b.float_tensor(w)).transpose()?;
    let mut rows = Vec::new();
    for frame in 0..frames {
        let part = b.slice(signal, 1, frame * step, size)?;
        let take = |b: &mut Importer, which: usize| -> Result<Tensor> {
            let one = b.slice(part, 2, which, 1)?;
            let without = b.shape(one)?[..2].to_vec();
            let one = b.reshape(one, &without)?;
            match window {
                Some(window) => b.mul(one, window),
                None => Ok(one),
            }
        };
        let real = take(b, 0)?;
        let imaginary = if parts == 2 { Some(take(b, 1)?) } else { None };
        let (re, im) = transformed(b, real, imaginary, tables)?;
        let column = [&b.shape(re)?[..1], &[1], &b.shape(re)?[1..], &[1]].concat();
        let (re, im) = (b.reshape(re, &column)?, b.reshape(im, &column)?);
        rows.push(b.concat(vec![re, im], 3)?);
    }
    let made = b.concat(rows, 1)?;
    Ok(vec![b.value(made, x.dtype())?])
}
