//! Decoding of PNG, JPEG and BMP files.
use exif::{In, Tag};
use std::{io::Cursor, path::Path};
use tpulang::{
    Array, Error, Result,
    array::{reserve, zeros},
};
use tpulang_base::files;
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
    /// Whether a file is an image of a format that is not read, by the extension of its name.
    pub fn is_unknown(file: &Path) -> bool {
        let others = ["webp", "gif", "tif", "tiff", "heic", "heif", "avif", "jp2", "jxl", "ico", "tga", "ppm", "exr"];
        let extension = file.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        extension.is_some_and(|extension| others.contains(&extension.as_str()))
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
    // Exif data may follow the pixels.
    reader.finish().map_err(problem)?;
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
    let problem = |e: zune_jpeg::errors::DecodeErrors| match e.to_string() {
        text if text.contains("Not enough bytes") => "it is truncated or damaged".to_owned(),
        text => text.trim_end().to_owned(),
    };
    decoder.decode_headers().map_err(problem)?;
    let (width, height) = decoder.dimensions().ok_or("it has no header")?;
    check_size(width, height)?;
    check_complete(bytes, width, height)?;
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

/// Checks that a JPEG is complete. The decoder fills missing blocks with gray.
fn check_complete(bytes: &[u8], width: usize, height: usize) -> Result<(), Problem> {
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    let (scan, end) = (last(0xda), last(0xd9));
    // Every block of 8x8 pixels takes at least one bit.
    let blocks = width.div_ceil(8) * height.div_ceil(8);
    if scan >= end || bytes.len().saturating_mul(8) < blocks {
        return Err("it is truncated".to_owned());
    }
    Ok(())
}

/// Decodes an uncompressed BMP. Alpha is ignored, and channels of 5 or 6 bits are shifted, as in OpenCV.
fn bmp(bytes: &[u8]) -> Result<Pixels, Problem> {
    let number = |at: usize, len: usize| -> Result<u32, Problem> {
        let field = bytes.get(at..at + len).ok_or("its header is truncated")?;
        Ok(field.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte)))
    };
    let (start, header) = (number(10, 4)? as usize, number(14, 4)? as usize);
    // The first version has sizes of 16 bits, and neither compression nor masks.
    let is_old = header == 12;
    let (width, height, bits, compression) = match is_old {
        true => (number(18, 2)?, number(20, 2)? as i32, number(24, 2)?, 0),
        false => (number(18, 4)?, number(22, 4)? as i32, number(28, 2)?, number(30, 4)?),
    };
    let masks = match (compression, bits) {
        (0, 16) => [0x7c00, 0x03e0, 0x001f],
        (0, 1 | 4 | 8 | 24 | 32) => [0xff_0000, 0xff00, 0xff],
        (3, 16 | 32) => [number(54, 4)?, number(58, 4)?, number(62, 4)?],
        _ => return Err(format!("a BMP of {bits} bits per pixel with compression {compression} is not supported")),
    };
    let (is_top_down, bits) = (height < 0, bits as usize);
    let (width, height) = (width as usize, height.unsigned_abs() as usize);
    check_size(width, height)?;
    let stride = (width * bits).div_ceil(32) * 4;
    let rows = bytes.get(start..).and_then(|rows| rows.get(..stride * height));
    let rows = rows.filter(|rows| !rows.is_empty()).ok_or("it is truncated")?;
    let palette: Vec<&[u8]> =
        bytes.get(14 + header..start).unwrap_or_default().chunks_exact(if is_old { 3 } else { 4 }).collect();
    let mut pixels = buffer(width, height, 3)?;
    for (y, out) in pixels.chunks_exact_mut(width * 3).enumerate() {
        let row = &rows[stride * if is_top_down { y } else { height - 1 - y }..][..stride];
        for (x, rgb) in out.chunks_exact_mut(3).enumerate() {
            rgb.copy_from_slice(&match bits {
                1 | 4 | 8 => {
                    let index = usize::from(row[x * bits / 8]) >> (8 - bits - x * bits % 8) & ((1 << bits) - 1);
                    palette.get(index).map_or([0; 3], |bgr| [bgr[2], bgr[1], bgr[0]])
                }
                _ => {
                    let bytes = &row[x * bits / 8..][..bits / 8];
                    let pixel = bytes.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
                    // The highest eight bits of each channel.
                    masks.map(|mask| ((pixel & mask).checked_shl(mask.leading_zeros()).unwrap_or(0) >> 24) as u8)
                }
            });
        }
    }
    Ok(Pixels { height, width, channels: 3, bytes: pixels })
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
