//! Image preprocessing of a deployed network, with the same pixels as TPU-MLIR's, which uses OpenCV's `resize`.
use crate::{
    array::{Array, reserve, zeros},
    base::{Dtype, Result, argument, misfit, shape_text},
    graph::{ChannelFormat, KeepRatioMode, PadType, PixelFormat, Preprocess},
};
use std::{borrow::Cow, ops::Range};

/// Converts an image to an input of the given shape, like TPU-MLIR's preprocessing: selects the channels of `pixel_format`,
/// resizes by linear interpolation, crops to the input's height and width around the center, and computes
/// `(x - mean) * scale`.
///
/// The image is uint8 of height x width x channels, with 1 (gray), 3 (RGB) or 4 (RGBA) channels. Several images of one size
/// have their number as the first dimension, one per entry of the batch. A single image is repeated for the whole batch.
/// The result is float32 of `shape`.
///
/// ```
/// use tpulang::{Array, exec, graph::Preprocess};
/// let how = Preprocess { mean: vec![128.0; 3], scale: vec![0.5; 3], ..Preprocess::default() };
/// let red = Array::from_vec([1, 1, 3], vec![255u8, 0, 0])?;
/// // Blue comes first: the default is bgr.
/// assert_eq!(exec::preprocess(&red, &how, &[1, 3, 1, 1])?.to_f32()?, [-64.0, -64.0, 63.5]);
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the array is not an image, if `shape` is not that of an image, if the number of images does not
/// match the batch, or if the format is one of raw sensor data.
pub fn preprocess(image: &Array, how: &Preprocess, shape: &[usize]) -> Result<Array> {
    how.check(shape)?;
    let channels = how.pixel_format.channels();
    let size = match (how.spatial(shape), how.channel_format) {
        (Some(size), ChannelFormat::Nchw) if shape[shape.len() - 3] == channels => size,
        (Some(size), ChannelFormat::Nhwc) if shape[shape.len() - 1] == channels => size,
        _ => {
            let (format, order) = (how.pixel_format.name(), how.channel_format.name());
            let problem = format!(
                "is {}, not an image of {channels} channels ({format}) in the order of preprocess.channel_format, {order}",
                shape_text(shape)
            );
            return Err(misfit("the input", problem));
        }
    };
    if matches!(how.pixel_format, PixelFormat::Gbrg | PixelFormat::Grbg | PixelFormat::Bggr | PixelFormat::Rggb) {
        let expected = "images become rgb, bgr, rgba or gray; feed a sensor's pixels as they are";
        return Err(argument("preprocess.pixel_format", how.pixel_format.name(), expected));
    }
    let batch = if shape.len() == 4 { shape[0] } else { 1 };
    let images = images(image)?;
    if images.len() != batch && images.len() != 1 {
        let problem = format!("has {} images; the input takes {batch}, or one for all", images.len());
        return Err(misfit("the array", problem));
    }
    let mut values: Vec<f32> = Vec::new();
    reserve(&mut values, shape.iter().product())?;
    let before_cut = how.resize_dims.map_or(size, |d| d.map(|d| d as usize));
    for image in &images {
        resized(&image.with_channels(channels)?, how, before_cut)?.cut(size)?.normalized(how, &mut values);
    }
    let done = values.len();
    (images.len()..batch).for_each(|_| values.extend_from_within(..done));
    Array::from_vec(shape, values)
}

/// Pixels in row-major order, with interleaved channels.
struct Image<'a> {
    height: usize,
    width: usize,
    channels: usize,
    pixels: Cow<'a, [u8]>,
}

fn images(array: &Array) -> Result<Vec<Image<'_>>> {
    let (count, [height, width, channels]) = match *array.shape() {
        [h, w, c] => (1, [h, w, c]),
        [n, h, w, c] => (n, [h, w, c]),
        _ => (0, [0; 3]),
    };
    if array.dtype() != Dtype::Uint8 || ![1, 3, 4].contains(&channels) || count == 0 || array.is_empty() {
        let found = format!("{} {}", shape_text(array.shape()), array.dtype());
        return Err(misfit("the image", format!("is {found}; expected uint8, height x width x channels (1, 3 or 4)")));
    }
    let size = height * width * channels;
    Ok(array.bytes()?.chunks(size).map(|pixels| Image { height, width, channels, pixels: pixels.into() }).collect())
}

impl Image<'_> {
    fn made(height: usize, width: usize, channels: usize, pixels: Vec<u8>) -> Image<'static> {
        Image { height, width, channels, pixels: pixels.into() }
    }
    fn with_channels(&self, channels: usize) -> Result<Image<'static>> {
        let mut pixels = Vec::new();
        reserve(&mut pixels, self.height * self.width * channels)?;
        for p in self.pixels.chunks(self.channels) {
            match (p, channels) {
                ([r, g, b, ..], 1) => pixels.push(gray(*r, *g, *b)),
                ([r, g, b, ..], 3) => pixels.extend([r, g, b]),
                ([r, g, b], _) => pixels.extend([*r, *g, *b, 255]),
                ([v], 4) => pixels.extend([*v, *v, *v, 255]),
                ([v], n) => pixels.extend(std::iter::repeat_n(*v, n)),
                (other, _) => pixels.extend(other),
            }
        }
        Ok(Image::made(self.height, self.width, channels, pixels))
    }
    /// Crops the center, rounding like TPU-MLIR.
    fn cut(&self, [height, width]: [usize; 2]) -> Result<Image<'static>> {
        let top = (self.height / 2).saturating_sub(height / 2).min(self.height - height);
        let left = (self.width / 2).saturating_sub(width / 2).min(self.width - width);
        self.part([top, left], [height, width])
    }
    fn part(&self, [top, left]: [usize; 2], [height, width]: [usize; 2]) -> Result<Image<'static>> {
        let mut pixels = Vec::new();
        reserve(&mut pixels, height * width * self.channels)?;
        for y in top..top + height {
            pixels.extend_from_slice(&self.pixels[(y * self.width + left) * self.channels..][..width * self.channels]);
        }
        Ok(Image::made(height, width, self.channels, pixels))
    }
    /// Appends the channels in the input's order, as `(x - mean) * scale`.
    fn normalized(&self, how: &Preprocess, into: &mut Vec<f32>) {
        let of = |pixel: usize, c: usize| {
            let source = if how.pixel_format == PixelFormat::Bgr { 2 - c } else { c };
            let value = f32::from(self.pixels[pixel * self.channels + source]);
            (value - how.mean[c] as f32) * how.scale[c] as f32
        };
        let pixels = self.height * self.width;
        match how.channel_format {
            ChannelFormat::Nchw => (0..self.channels).for_each(|c| into.extend((0..pixels).map(|p| of(p, c)))),
            ChannelFormat::Nhwc => (0..pixels).for_each(|p| into.extend((0..self.channels).map(|c| of(p, c)))),
        }
    }
}

/// OpenCV's luminance, in 14-bit fixed point.
fn gray(r: u8, g: u8, b: u8) -> u8 {
    ((u32::from(r) * 4899 + u32::from(g) * 9617 + u32::from(b) * 1868 + (1 << 13)) >> 14) as u8
}

fn resized(image: &Image, how: &Preprocess, [height, width]: [usize; 2]) -> Result<Image<'static>> {
    if !how.keep_aspect_ratio {
        return resize(image, [height, width]);
    }
    let (fit_h, fit_w) = (height as f64 / image.height as f64, width as f64 / image.width as f64);
    let scaled = |scale: f64| [image.height, image.width].map(|d| (d as f64 * scale) as usize);
    match how.keep_ratio_mode {
        KeepRatioMode::Letterbox => {
            let [h, w] = scaled(fit_h.min(fit_w)).map(|d| d.max(1));
            let inner = resize(image, [h, w])?;
            let [top, left] = match how.pad_type {
                PadType::Normal => [0, 0],
                PadType::Center => [(height - h) / 2, (width - w) / 2],
            };
            let c = image.channels;
            let mut pixels = zeros::<u8>(height * width * c)?;
            pixels.fill(how.pad_value as u8);
            for (y, row) in inner.pixels.chunks(w * c).enumerate() {
                pixels[((top + y) * width + left) * c..][..w * c].copy_from_slice(row);
            }
            Ok(Image::made(height, width, c, pixels))
        }
        KeepRatioMode::ShortSideScale => {
            let [h, w] = scaled(fit_h.max(fit_w));
            let (h, w) = (h.max(height), w.max(width));
            // A thin image becomes very long, so only what is kept is computed.
            resize_part(image, [h, w], [(h - height) / 2, (w - width) / 2], [height, width])
        }
    }
}

/// The two source rows or columns of an output row or column, with weights that add up to 2^11.
struct Tap {
    from: [usize; 2],
    weight: [i32; 2],
}

/// The taps of OpenCV's `resize` (imgproc/src/resize.cpp) for a part of the output. Beyond the edge it weights columns and rows
/// differently.
fn taps(input: usize, output: usize, part: Range<usize>, columns: bool) -> impl Iterator<Item = Tap> {
    let step = 1.0 / (output as f64 / input as f64);
    part.map(move |i| {
        let at = ((i as f64 + 0.5) * step - 0.5) as f32;
        let (mut first, mut rest) = (at.floor(), at - at.floor());
        let last = (input - 1) as f32;
        if columns && (first < 0.0 || first >= last) {
            (first, rest) = (first.clamp(0.0, last), 0.0);
        }
        let place = |p: f32| p.clamp(0.0, last) as usize;
        let weight = |w: f32| (w * 2048.0).round_ties_even() as i32;
        Tap { from: [place(first), place(first + 1.0)], weight: [weight(1.0 - rest), weight(rest)] }
    })
}

/// OpenCV's linear interpolation of bytes, bit-exact.
fn resize(image: &Image, size: [usize; 2]) -> Result<Image<'static>> {
    resize_part(image, size, [0, 0], size)
}

/// Returns a part of the resized image, which begins at `top` and `left`.
fn resize_part(
    image: &Image,
    size: [usize; 2],
    [top, left]: [usize; 2],
    [height, width]: [usize; 2],
) -> Result<Image<'static>> {
    let c = image.channels;
    if [image.height, image.width] == size {
        return image.part([top, left], [height, width]);
    }
    let row = |y: usize| &image.pixels[y * image.width * c..][..image.width * c];
    let mut pixels = zeros::<u8>(height.saturating_mul(width).saturating_mul(c))?;
    if [image.height, image.width] == size.map(|d| 2 * d) {
        // OpenCV averages four pixels for half the size.
        for (i, out) in pixels.iter_mut().enumerate() {
            let (y, x, k) = (top + i / (width * c), left + i / c % width, i % c);
            let sum = |r: &[u8]| u32::from(r[2 * x * c + k]) + u32::from(r[(2 * x + 1) * c + k]);
            *out = ((sum(row(2 * y)) + sum(row(2 * y + 1)) + 2) >> 2) as u8;
        }
    } else {
        let columns: Vec<Tap> = taps(image.width, size[1], left..left + width, true).collect();
        let rows = taps(image.height, size[0], top..top + height, false);
        for (tap, out) in rows.zip(pixels.chunks_mut(width * c)) {
            let rows = tap.from.map(row);
            for (column, out) in columns.iter().zip(out.chunks_mut(c)) {
                for (k, out) in out.iter_mut().enumerate() {
                    let tapped = |r: &[u8], j: usize| i32::from(r[column.from[j] * c + k]) * column.weight[j];
                    let across = |r: &[u8]| tapped(r, 0) + tapped(r, 1);
                    let down: i32 = (0..2).map(|j| ((across(rows[j]) >> 4) * tap.weight[j]) >> 16).sum();
                    *out = ((down + 2) >> 2).clamp(0, 255) as u8;
                }
            }
        }
    }
    Ok(Image::made(height, width, c, pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of varied pixels.
    fn photo(height: usize, width: usize, channels: usize) -> Array {
        let pixels = (0..height * width * channels).map(|i| (i * i * 7 + i * 31) as u8).collect::<Vec<_>>();
        Array::from_vec([height, width, channels], pixels).unwrap()
    }
    fn done(image: &Array, how: &Preprocess, shape: &[usize]) -> Vec<f32> {
        preprocess(image, how, shape).unwrap().to_f32().unwrap()
    }
    fn plain(pixel_format: PixelFormat) -> Preprocess {
        let channels = pixel_format.channels();
        Preprocess { pixel_format, mean: vec![0.0; channels], scale: vec![1.0; channels], ..Preprocess::default() }
    }

    /// Expected values: TPU-MLIR's `preprocess` with OpenCV 4.8 on the same pixels.
    #[test]
    fn resizing_is_opencvs() {
        let rgb = || plain(PixelFormat::Rgb);
        let cases = [
            ([5, 7], [3, 4], rgb(), vec![126, 110, 104, 139, 164, 139, 92, 22, 184, 129, 41, 144]),
            (
                [3, 2],
                [4, 5],
                rgb(),
                vec![38, 58, 137, 216, 236, 44, 64, 142, 220, 240, 49, 68, 145, 222, 241, 50, 69, 145, 221, 240],
            ),
            ([4, 6], [2, 3], rgb(), vec![137, 133, 121, 121, 133, 137]),
            (
                [5, 7],
                [4, 3],
                Preprocess { resize_dims: Some([6, 5]), ..rgb() },
                vec![135, 67, 185, 136, 38, 119, 144, 94, 52, 147, 170, 48],
            ),
            (
                [3, 7],
                [4, 4],
                Preprocess { keep_aspect_ratio: true, pad_value: 9, ..rgb() },
                vec![9, 9, 9, 9, 155, 187, 164, 183, 9, 9, 9, 9, 9, 9, 9, 9],
            ),
            (
                [7, 3],
                [4, 4],
                Preprocess { keep_aspect_ratio: true, pad_value: 9, pad_type: PadType::Normal, ..rgb() },
                vec![166, 9, 9, 9, 202, 9, 9, 9, 134, 9, 9, 9, 58, 9, 9, 9],
            ),
            (
                [3, 7],
                [4, 4],
                Preprocess { keep_aspect_ratio: true, keep_ratio_mode: KeepRatioMode::ShortSideScale, ..rgb() },
                vec![152, 91, 242, 93, 126, 138, 96, 126, 117, 153, 28, 125, 128, 130, 60, 88],
            ),
        ];
        for ([h, w], [height, width], how, green) in cases {
            let all = done(&photo(h, w, 3), &how, &[1, 3, height, width]);
            let found: Vec<u8> = all[height * width..][..height * width].iter().map(|v| *v as u8).collect();
            assert_eq!(found, green, "{h}x{w}: {how:?}");
        }
    }

    #[test]
    fn only_the_part_that_is_kept_is_computed() {
        let (thin, size, part) = (photo(1, 9, 3), [40, 360], [[0, 160], [40, 40]]);
        let image = images(&thin).unwrap().remove(0);
        let whole = resize(&image, size).unwrap();
        let expected = whole.part(part[0], part[1]).unwrap();
        assert_eq!(resize_part(&image, size, part[0], part[1]).unwrap().pixels, expected.pixels);
        // The whole would have 10^13 pixels.
        let how = Preprocess {
            keep_aspect_ratio: true,
            keep_ratio_mode: KeepRatioMode::ShortSideScale,
            ..plain(PixelFormat::Rgb)
        };
        assert_eq!(done(&photo(1, 100_000, 3), &how, &[1, 3, 10_000, 1]).len(), 30_000);
    }

    #[test]
    fn channels_come_in_their_order() {
        let image = Array::from_vec([1, 2, 3], vec![1u8, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(done(&image, &plain(PixelFormat::Rgb), &[1, 3, 1, 2]), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let nhwc = Preprocess { channel_format: ChannelFormat::Nhwc, ..plain(PixelFormat::Bgr) };
        assert_eq!(done(&image, &nhwc, &[2, 1, 2, 3]), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0].repeat(2));
        assert_eq!(done(&image, &plain(PixelFormat::Gray), &[1, 1, 1, 2]), [2.0, 5.0]);
        assert_eq!(done(&image, &plain(PixelFormat::Rgba), &[1, 4, 1, 1]).len(), 4);
        let normalized =
            Preprocess { mean: vec![1.0, 2.0, 3.0], scale: vec![2.0, 3.0, 0.5], ..plain(PixelFormat::Rgb) };
        assert_eq!(done(&image, &normalized, &[3, 1, 2]), [0.0, 6.0, 0.0, 9.0, 0.0, 1.5]);
    }

    #[test]
    fn errors_are_specific() {
        let told = |image: &Array, how: &Preprocess, shape: &[usize]| {
            let error = preprocess(image, how, shape).unwrap_err();
            error.to_string()
        };
        let (image, how) = (photo(4, 4, 3), Preprocess::default());
        let raw = Preprocess { pixel_format: PixelFormat::Rggb, ..how.clone() };
        let short = Preprocess { mean: vec![1.0], ..how.clone() };
        let long = Preprocess { mean: vec![1.0, 2.0, 3.0, 4.0], ..how.clone() };
        let infinite = Preprocess { scale: vec![1.0, 1.0, f64::NAN], ..how.clone() };
        let small = Preprocess { resize_dims: Some([8, 7]), ..how.clone() };
        let all = [
            told(&image, &how, &[1, 1, 8, 8]),
            told(&image, &how, &[8]),
            told(&photo(4, 4, 2), &how, &[1, 3, 8, 8]),
            told(&Array::filled(Dtype::Float32, [4, 4, 3], 0.0).unwrap(), &how, &[1, 3, 8, 8]),
            told(&Array::filled(Dtype::Uint8, [2, 4, 4, 3], 0.0).unwrap(), &how, &[3, 3, 8, 8]),
            told(&image, &raw, &[1, 1, 8, 8]),
            told(&image, &short, &[1, 3, 8, 8]),
            told(&image, &long, &[1, 3, 8, 8]),
            told(&image, &infinite, &[1, 3, 8, 8]),
            told(&image, &small, &[1, 3, 8, 8]),
        ];
        insta::assert_snapshot!(all.join("\n"), @"
        preprocess.pixel_format is bgr, of 3 channels; the input 1x1x8x8 has 1 channel (nchw)
        the input is 8, not an image of 3 channels (bgr) in the order of preprocess.channel_format, nchw
        the image is 4x4x2 uint8; expected uint8, height x width x channels (1, 3 or 4)
        the image is 4x4x3 float32; expected uint8, height x width x channels (1, 3 or 4)
        the array has 2 images; the input takes 3, or one for all
        preprocess.pixel_format is rggb; images become rgb, bgr, rgba or gray; feed a sensor's pixels as they are
        preprocess.mean is [1.0]; pixel_format bgr has 3 channels
        preprocess.mean is [1.0, 2.0, 3.0, 4.0]; pixel_format bgr has 3 channels
        preprocess.scale is [1.0, 1.0, NaN]; expected finite float32 values
        preprocess.resize_dims is [8, 7]; expected at least 8x8, since the input is cropped from it, and at most 1048576x1048576
        ");
        let thin = Preprocess {
            keep_aspect_ratio: true,
            keep_ratio_mode: KeepRatioMode::ShortSideScale,
            resize_dims: Some([1 << 20, 1 << 20]),
            ..Preprocess::default()
        };
        assert!(told(&photo(1, 100_000, 3), &thin, &[1, 3, 8, 8]).contains("available"));
    }
}
