//! Decoding of PNG, JPEG and BMP files.
use exif::{In, Tag};
use std::{io::Cursor, path::Path};
use tpulang::{
    Array, Error, Result,
    array::{reserve, zeros},
    base::files,
};
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// Maximum size of an image file in bytes.
const MAX_FILE: u64 = 1 << 30;
/// Maximum number of pixels of an image. A file of a few bytes can claim any size.
const MAX_PIXELS: usize = 100_000_000;
/// Bytes per pixel that decoders need in addition to the result, at most: coefficients of a progressive JPEG with four
/// components, and a row or a palette.
const WORKSPACE: usize = 2 * 4;

/// The format of an image file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    Png,
    Jpeg,
    Bmp,
}

impl ImageFormat {
    /// The format of a file by the extension of its name; `None` if it is not an image.
    pub fn of_name(file: &Path) -> Option<ImageFormat> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "png" => Some(ImageFormat::Png),
            "jpg" | "jpeg" => Some(ImageFormat::Jpeg),
            "bmp" => Some(ImageFormat::Bmp),
            _ => None,
        }
    }
    /// The format of a file by its first bytes.
    fn of_bytes(bytes: &[u8]) -> Option<ImageFormat> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(ImageFormat::Png),
            [0xff, 0xd8, ..] => Some(ImageFormat::Jpeg),
            [b'B', b'M', ..] => Some(ImageFormat::Bmp),
            _ => None,
        }
    }
}

/// Decoded pixels in row-major order, with interleaved channels: 1 (gray), 3 (RGB) or 4 (RGBA).
#[derive(Debug, PartialEq)]
struct Pixels {
    height: usize,
    width: usize,
    channels: usize,
    bytes: Vec<u8>,
}

/// Why an image cannot be decoded.
type Problem = String;

/// Decodes an image file of the given format, turned upright: uint8 of height x width x channels.
///
/// # Errors
/// Returns an error if the file cannot be read, is damaged or truncated, or is too large.
pub fn decode(file: &Path, format: ImageFormat) -> Result<Array> {
    let bytes = files::read(file, MAX_FILE)?;
    // Extensions are often wrong.
    let format = ImageFormat::of_bytes(&bytes).unwrap_or(format);
    let decoded = match format {
        ImageFormat::Png => png(&bytes),
        ImageFormat::Jpeg => jpeg(&bytes),
        ImageFormat::Bmp => bmp(&bytes).map(|pixels| (pixels, None)),
    };
    let upright = decoded.and_then(|(pixels, exif)| pixels.oriented(exif.map_or(1, orientation)));
    let pixels = upright.map_err(|problem| Error::format(file, format!("the image cannot be decoded: {problem}")))?;
    Array::from_vec([pixels.height, pixels.width, pixels.channels], pixels.bytes)
}

/// Checks the size that a header claims.
fn check_size(width: usize, height: usize) -> Result<(), Problem> {
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(format!("it has {width} x {height} pixels; at most {MAX_PIXELS} are supported"));
    }
    Ok(())
}

/// Checks the size that a header claims, and that there is memory for decoding. Returns the buffer for the pixels.
fn buffer(width: usize, height: usize, channels: usize) -> Result<Vec<u8>, Problem> {
    check_size(width, height)?;
    let pixels = width * height;
    // Decoders abort the process if an allocation fails.
    reserve::<u8>(&mut Vec::new(), pixels * (channels + WORKSPACE)).map_err(|e| e.to_string())?;
    zeros(pixels * channels).map_err(|e| e.to_string())
}

fn png(bytes: &[u8]) -> Result<(Pixels, Option<Vec<u8>>), Problem> {
    let problem = |e: png::DecodingError| e.to_string();
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // 16-bit samples keep their high byte, as in OpenCV.
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(problem)?;
    let (width, height) = reader.info().size();
    let (width, height) = (width as usize, height as usize);
    let channels = reader.output_color_type().0.samples();
    let mut bytes = buffer(width, height, channels)?;
    reader.next_frame(&mut bytes).map_err(problem)?;
    let exif = reader.info().exif_metadata.as_ref().map(|exif| exif.to_vec());
    let gray_alpha = || bytes.chunks(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect();
    let pixels = match channels {
        2 => Pixels { height, width, channels: 4, bytes: gray_alpha() },
        _ => Pixels { height, width, channels, bytes },
    };
    Ok((pixels, exif))
}

fn jpeg(bytes: &[u8]) -> Result<(Pixels, Option<Vec<u8>>), Problem> {
    // Otherwise truncated and damaged images are filled with gray.
    let options = DecoderOptions::new_safe().set_strict_mode(true).set_max_width(1 << 16).set_max_height(1 << 16);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let problem = |e: zune_jpeg::errors::DecodeErrors| e.to_string().trim_end().to_owned();
    decoder.decode_headers().map_err(problem)?;
    let (width, height) = decoder.dimensions().ok_or("it has no header")?;
    let (space, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let mut bytes = buffer(width, height, channels)?;
    decoder.decode_into(&mut bytes).map_err(problem)?;
    let exif = decoder.exif().cloned();
    Ok((Pixels { height, width, channels, bytes }, exif))
}

fn bmp(bytes: &[u8]) -> Result<Pixels, Problem> {
    let options = DecoderOptions::new_safe().set_strict_mode(true).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = zune_bmp::BmpDecoder::new_with_options(ZCursor::new(bytes), options);
    let problem = |e: zune_bmp::BmpDecoderErrors| format!("{e:?}").trim_end().to_owned();
    decoder.decode_headers().map_err(problem)?;
    let (width, height) = decoder.dimensions().ok_or("it has no header")?;
    let channels = decoder.colorspace().map_or(0, |space| space.num_components());
    check_size(width, height)?;
    if let Some(missing) = missing_bytes(bytes, width, height) {
        return Err(format!("it is truncated: {missing} bytes are missing"));
    }
    let mut pixels = buffer(width, height, channels)?;
    decoder.decode_into(&mut pixels).map_err(problem)?;
    Ok(Pixels { height, width, channels, bytes: pixels })
}

/// How many bytes of pixels an uncompressed BMP lacks. The decoder fills them with 0.
fn missing_bytes(bytes: &[u8], width: usize, height: usize) -> Option<usize> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let is_old = word(14)? == 12;
    let (bits, compression) = if is_old { (word(22)? >> 16, 0) } else { (word(26)? >> 16, word(30)?) };
    let is_run_length = [1, 2].contains(&compression);
    let needed = (width * bits).div_ceil(32) * 4 * height + word(10)?;
    needed.checked_sub(bytes.len()).filter(|missing| *missing > 0 && !is_run_length)
}

/// The orientation in Exif data, 1 (upright) to 8.
fn orientation(exif: Vec<u8>) -> u32 {
    let fields = exif::Reader::new().read_raw(exif).ok();
    let field = fields.as_ref().and_then(|f| f.get_field(Tag::Orientation, In::PRIMARY));
    field.and_then(|f| f.value.get_uint(0)).unwrap_or(1)
}

impl Pixels {
    /// The image turned upright; `orientation` is that of Exif.
    fn oriented(self, orientation: u32) -> Result<Pixels, Problem> {
        let (transpose, flip_rows, flip_columns) = match orientation {
            2 => (false, false, true),
            3 => (false, true, true),
            4 => (false, true, false),
            5 => (true, false, false),
            6 => (true, true, false),
            7 => (true, true, true),
            8 => (true, false, true),
            _ => return Ok(self),
        };
        let Pixels { height: h, width: w, channels, .. } = self;
        let (height, width) = if transpose { (w, h) } else { (h, w) };
        let mut bytes = Vec::new();
        reserve(&mut bytes, self.bytes.len()).map_err(|e| e.to_string())?;
        for y in 0..height {
            for x in 0..width {
                let (row, column) = if transpose { (x, y) } else { (y, x) };
                let row = if flip_rows { h - 1 - row } else { row };
                let column = if flip_columns { w - 1 - column } else { column };
                bytes.extend_from_slice(&self.bytes[(row * w + column) * channels..][..channels]);
            }
        }
        Ok(Pixels { height, width, channels, bytes })
    }
}
