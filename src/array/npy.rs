//! The npy format: a header that is a Python dict, then the elements.
//! Source: numpy's `numpy.lib.format`, versions 1.0 to 3.0.
use super::zeros;
use crate::base::{Dtype, Result, Shape, elements};

/// The contents of an npy header.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub dtype: Dtype,
    pub big_endian: bool,
    pub fortran_order: bool,
    pub shape: Shape,
    /// Size of the header in bytes.
    pub len: usize,
}

impl Header {
    /// Returns the bytes of the elements. `size` is that of the whole npy.
    pub fn expected_len(&self, size: usize) -> std::result::Result<usize, String> {
        let count = match self.shape.contains(&0) {
            true => 0,
            false => elements(&self.shape, self.dtype).map_err(|e| e.to_string())?,
        };
        let (expected, found) = (count * self.dtype.size(), size.saturating_sub(self.len));
        if expected != found {
            return Err(format!("it holds {found} bytes; its shape and dtype need {expected}"));
        }
        Ok(expected)
    }
    /// Whether the elements are stored in row-major order and little-endian.
    pub fn in_order(&self) -> bool {
        !self.big_endian && !self.fortran_order
    }
    /// Converts the elements to row-major order and little-endian, in words. Returns `None` if they are stored so.
    pub fn reordered(&self, bytes: &[u8]) -> Result<Option<Vec<u64>>> {
        if self.in_order() {
            return Ok(None);
        }
        let (size, shape) = (self.dtype.size(), &self.shape);
        let mut words = zeros::<u64>(bytes.len().div_ceil(size_of::<u64>()))?;
        let mut index = vec![0usize; shape.len()];
        for (i, element) in
            bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].chunks_exact_mut(size).enumerate()
        {
            let at = match self.fortran_order {
                true => index.iter().zip(shape).rev().fold(0, |at, (i, d)| at * d + i),
                false => i,
            };
            element.copy_from_slice(&bytes[at * size..(at + 1) * size]);
            if self.big_endian {
                element.reverse();
            }
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        Ok(Some(words))
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";
/// Maximum size of the text of a header in bytes. Usual ones have a few dozen.
const MAX_HEADER: usize = 4096;
/// Maximum size of a header in bytes.
pub(super) const MAX_LEN: usize = MAX_HEADER + 12;

pub(super) fn parse_header(bytes: &[u8]) -> std::result::Result<Header, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin like an npy file")?;
    let (&[major, _minor], rest) = rest.split_first_chunk::<2>().ok_or("the header is cut off")?;
    let (text_len, prefix) = match major {
        1 => (rest.first_chunk::<2>().map(|b| usize::from(u16::from_le_bytes(*b))), 10),
        2 | 3 => (rest.first_chunk::<4>().map(|b| u32::from_le_bytes(*b) as usize), 12),
        _ => return Err(format!("npy version {major} is unknown")),
    };
    let text_len = text_len.ok_or("the header is cut off")?;
    if text_len > MAX_HEADER {
        return Err(format!("the header claims {text_len} bytes; at most {MAX_HEADER} are read"));
    }
    let text = bytes.get(prefix..prefix + text_len).ok_or("the header is cut off")?;
    let text = std::str::from_utf8(text).map_err(|_| "the header is not text")?;
    let Dict { descr, fortran_order, shape } = parse_dict(text.trim())?;
    let (dtype, big_endian) = parse_descr(&descr)?;
    Ok(Header { dtype, big_endian, fortran_order, shape, len: prefix + text_len })
}

/// The three entries of the header.
struct Dict {
    descr: String,
    fortran_order: bool,
    shape: Shape,
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, the entries in any order.
fn parse_dict(text: &str) -> std::result::Result<Dict, String> {
    let not_a_dict = || "the header is not a Python dict".to_owned();
    let mut rest = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or_else(not_a_dict)?.trim();
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    while !rest.is_empty() {
        let (key, after) = quoted(rest).ok_or_else(not_a_dict)?;
        let value = after.trim_start().strip_prefix(':').ok_or_else(not_a_dict)?.trim_start();
        rest = match key {
            "descr" => {
                let (text, after) = quoted(value).ok_or("records are not supported")?;
                descr = Some(text.to_owned());
                after
            }
            "fortran_order" => {
                let end = value.find([',', ' ']).unwrap_or(value.len());
                fortran_order = Some(match &value[..end] {
                    "True" => true,
                    "False" => false,
                    _ => return Err("fortran_order is not a bool".into()),
                });
                &value[end..]
            }
            "shape" => {
                let (dims, after) =
                    value.strip_prefix('(').and_then(|v| v.split_once(')')).ok_or("the shape is not a tuple")?;
                let dims = dims.split(',').map(str::trim).filter(|d| !d.is_empty());
                let dims: std::result::Result<Shape, _> =
                    dims.map(|d| d.trim_end_matches('L').parse::<usize>()).collect();
                shape = Some(dims.map_err(|_| "a dimension is not a size")?);
                after
            }
            other => return Err(format!("the header has the unknown entry {other:?}")),
        };
        rest = rest.trim_start();
        rest = if rest.is_empty() { rest } else { rest.strip_prefix(',').ok_or_else(not_a_dict)?.trim_start() };
    }
    let missing = |key: &str| format!("the header has no {key}");
    Ok(Dict {
        descr: descr.ok_or_else(|| missing("descr"))?,
        fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

/// Splits a quoted word from the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    text[1..].split_once(quote)
}

const DESCRS: [(&str, Dtype); 13] = [
    ("f4", Dtype::Float32),
    ("f2", Dtype::Float16),
    ("f8", Dtype::Float64),
    ("i1", Dtype::Int8),
    ("u1", Dtype::Uint8),
    ("i2", Dtype::Int16),
    ("u2", Dtype::Uint16),
    ("i4", Dtype::Int32),
    ("u4", Dtype::Uint32),
    ("i8", Dtype::Int64),
    ("u8", Dtype::Uint64),
    ("b1", Dtype::Bool),
    // What NumPy writes for the bfloat16 of ml_dtypes.
    ("V2", Dtype::Bfloat16),
];

fn parse_descr(descr: &str) -> std::result::Result<(Dtype, bool), String> {
    let (order, code) = descr.split_at_checked(1).unwrap_or(("", descr));
    let row = DESCRS.iter().find(|(c, _)| *c == code).filter(|_| ["<", ">", "|", "="].contains(&order));
    row.map(|(_, d)| (*d, order == ">")).ok_or_else(|| {
        let shown: String = descr.chars().take(20).collect();
        match shown.contains('O') {
            true => format!("elements of type {shown:?} (Python objects) are not supported; store numbers"),
            false => format!("elements of type {shown:?} are not supported"),
        }
    })
}

/// Builds the header of a row-major little-endian array. bfloat16 and fp8 are stored as unsigned integers.
pub(super) fn header(dtype: Dtype, shape: &[usize]) -> Vec<u8> {
    let stored = match dtype {
        Dtype::Bfloat16 => Dtype::Uint16,
        Dtype::Fp8e4m3 | Dtype::Fp8e5m2 => Dtype::Uint8,
        other => other,
    };
    let code = DESCRS.iter().find(|(_, d)| *d == stored).map_or("u1", |(c, _)| c);
    let order = if stored.size() == 1 { '|' } else { '<' };
    let dims: String = shape.iter().map(|d| format!("{d}, ")).collect();
    let dims = if shape.len() == 1 { dims.trim_end().to_owned() } else { dims.trim_end_matches(", ").to_owned() };
    let mut text = format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({dims}), }}");
    // As numpy does, pad with spaces to align the elements to 64 bytes.
    let pad = (64 - (10 + text.len() + 1) % 64) % 64;
    text.extend(std::iter::repeat_n(' ', pad));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_back() {
        for shape in [vec![], vec![3], vec![2, 3], vec![0, 4]] {
            let bytes = header(Dtype::Float16, &shape);
            assert_eq!(bytes.len() % 64, 0);
            let h = parse_header(&bytes).unwrap();
            assert_eq!((h.dtype, h.shape, h.len), (Dtype::Float16, shape, bytes.len()));
        }
    }

    #[test]
    fn bad_headers_are_refused() {
        let with = |text: &str| [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
        for (bytes, message) in [
            (b"PK".to_vec(), "it does not begin like an npy file"),
            (header(Dtype::Int8, &[2])[..20].to_vec(), "the header is cut off"),
            (
                with("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"),
                "elements of type \"<c8\" are not supported",
            ),
            (with("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "a dimension is not a size"),
            (with("{'descr': '<f4', 'shape': (1,)}"), "the header has no fortran_order"),
            (with(&"(".repeat(4000)), "the header is not a Python dict"),
            (with("nonsense"), "the header is not a Python dict"),
        ] {
            assert_eq!(parse_header(&bytes).unwrap_err(), message);
        }
    }
}
