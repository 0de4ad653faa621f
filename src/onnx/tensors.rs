//! Tensors of a file as arrays.
use super::{
    node::count,
    proto::{self, EXTERNAL},
    small_float::SmallFloat,
};
use crate::{
    array::{Array, RangeFile},
    base::{Dtype, Error, Result, elements, invalid},
};
use std::{
    collections::HashMap,
    path::{Component, Path},
};

/// How an element type is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Element {
    Whole(Dtype),
    /// Integers of 2 or 4 bits, several to a byte, which become int8 or uint8.
    Packed {
        bits: u32,
        signed: bool,
    },
    /// Floats that arrays have no dtype for, which become float32.
    Small(SmallFloat),
}

impl Element {
    /// Returns the element type with a number of `TensorProto.DataType`.
    ///
    /// # Errors
    /// Returns an error that names the type if tensors cannot have it.
    pub fn of(data_type: i32) -> Result<Element> {
        Ok(Element::Whole(match data_type {
            1 => Dtype::Float32,
            2 => Dtype::Uint8,
            3 => Dtype::Int8,
            4 => Dtype::Uint16,
            5 => Dtype::Int16,
            6 => Dtype::Int32,
            7 => Dtype::Int64,
            9 => Dtype::Bool,
            10 => Dtype::Float16,
            11 => Dtype::Float64,
            12 => Dtype::Uint32,
            13 => Dtype::Uint64,
            16 => Dtype::Bfloat16,
            17 => Dtype::Fp8e4m3,
            19 => Dtype::Fp8e5m2,
            21 => return Ok(Element::Packed { bits: 4, signed: false }),
            22 => return Ok(Element::Packed { bits: 4, signed: true }),
            25 => return Ok(Element::Packed { bits: 2, signed: false }),
            26 => return Ok(Element::Packed { bits: 2, signed: true }),
            18 | 20 | 23 if let Some(small) = SmallFloat::of(data_type) => return Ok(Element::Small(small)),
            other => return Err(invalid(format!("its type, {}, is not supported", type_name(other)))),
        }))
    }
    /// Returns the dtype of an array of such elements.
    pub fn dtype(self) -> Dtype {
        match self {
            Element::Whole(dtype) => dtype,
            Element::Packed { signed: true, .. } => Dtype::Int8,
            Element::Packed { signed: false, .. } => Dtype::Uint8,
            Element::Small(_) => Dtype::Float32,
        }
    }
    /// Returns the type unless arrays have it, too.
    pub fn packed(self) -> Option<Element> {
        Some(self).filter(|element| !matches!(element, Element::Whole(_)))
    }
    /// Returns the type of floats that numbers are rounded to when they are converted to this one.
    pub fn small_float(self) -> Option<SmallFloat> {
        match self {
            Element::Small(small) => Some(small),
            Element::Whole(Dtype::Fp8e4m3) => Some(SmallFloat::E4m3fn),
            Element::Whole(Dtype::Fp8e5m2) => Some(SmallFloat::E5m2),
            _ => None,
        }
    }
    /// Returns the bits of an element that is not stored like one of an array.
    fn packed_bits(self) -> Option<usize> {
        match self {
            Element::Whole(_) => None,
            Element::Packed { bits, .. } => Some(bits as usize),
            Element::Small(small) => Some(small.bits() as usize),
        }
    }
}

/// Returns ONNX's name of an element type that is not supported.
fn type_name(data_type: i32) -> String {
    let name = match data_type {
        8 => "string",
        14 => "complex64",
        15 => "complex128",
        24 => "float8e8m0",
        27 => "float6e2m3",
        28 => "float6e3m2",
        _ => return format!("number {data_type}"),
    };
    name.into()
}

/// The files that hold the elements of a model's tensors.
pub struct TensorFiles {
    /// `None` if the model was read from a stream, with all elements.
    model: Option<RangeFile>,
    folder: std::path::PathBuf,
    /// Whether external data may lie outside of the folder.
    anywhere: bool,
    opened: HashMap<String, RangeFile>,
}

impl TensorFiles {
    pub fn new(model: Option<RangeFile>, folder: &Path, anywhere: bool) -> TensorFiles {
        TensorFiles { model, folder: folder.into(), anywhere, opened: HashMap::new() }
    }

    /// Returns a tensor as an array. Elements that are in a file are read on first use.
    ///
    /// # Errors
    /// Returns an error if the type is not supported, or the elements are missing or do not fit the shape.
    pub fn array(&mut self, tensor: &proto::Tensor) -> Result<Array> {
        let element = Element::of(tensor.data_type)?;
        let shape = tensor.dims.iter().map(|&d| usize::try_from(d)).collect::<Result<Vec<_>, _>>();
        let shape = shape.map_err(|_| invalid(format!("its shape {:?} has a negative dimension", tensor.dims)))?;
        if !shape.contains(&0) {
            elements(&shape, element.dtype())?;
        }
        if tensor.data_location == EXTERNAL {
            return self.external(tensor, element, &shape);
        }
        match &tensor.raw_data {
            Some(raw) => from_bytes(element, &shape, raw),
            None => from_fields(tensor, element, &shape),
        }
    }

    fn external(&mut self, tensor: &proto::Tensor, element: Element, shape: &[usize]) -> Result<Array> {
        let entry = |key: &str| tensor.external_data.iter().find(|e| e.key == key).map(|e| e.value.as_str());
        let offset = match entry("offset") {
            None => 0,
            Some(text) => {
                text.parse().map_err(|_| invalid(format!("the offset {text:?} of its data is not a number")))?
            }
        };
        let file = match entry("location") {
            // Left there by `skim`.
            None => self.model.clone().ok_or_else(|| invalid("it has no data"))?,
            Some(location) => self.open(location)?,
        };
        match element.packed_bits() {
            None => file.array(&tensor.name, element.dtype(), shape, offset),
            Some(bits) => {
                let count = count(shape)?;
                let bytes = file.array(&tensor.name, Dtype::Uint8, &[count.div_ceil(8 / bits)], offset)?;
                from_bytes(element, shape, bytes.bytes()?)
            }
        }
    }

    fn open(&mut self, location: &str) -> Result<RangeFile> {
        if let Some(file) = self.opened.get(location) {
            return Ok(file.clone());
        }
        let inside = Path::new(location).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !inside && !self.anywhere {
            return Err(invalid(format!(
                "its data are in {location:?}, outside of the model's folder; external data anywhere are read only if that is allowed"
            )));
        }
        let file = RangeFile::open(self.folder.join(location))?;
        if !self.anywhere {
            self.check_inside(&file, location)?;
        }
        self.opened.insert(location.into(), file.clone());
        Ok(file)
    }

    /// Refuses symbolic links that lead out of the folder.
    fn check_inside(&self, file: &RangeFile, location: &str) -> Result<()> {
        let real = |path: &Path| path.canonicalize().map_err(Error::io(path));
        let folder = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        if real(file.path())?.starts_with(real(folder)?) {
            return Ok(());
        }
        Err(invalid(format!("its data are in {location:?}, a link out of the model's folder")))
    }
}

/// Makes an array of the bytes of its elements, little-endian.
fn from_bytes(element: Element, shape: &[usize], bytes: &[u8]) -> Result<Array> {
    let Some(bits) = element.packed_bits() else {
        return Array::from_le_bytes(element.dtype(), shape, bytes);
    };
    let (count, per_byte) = (count(shape)?, 8 / bits);
    let needed = count.div_ceil(per_byte);
    if bytes.len() < needed {
        return Err(invalid(format!("it has {} bytes of data; expected {needed}", bytes.len())));
    }
    let values = (0..count).map(|i| {
        let code = (u32::from(bytes[i / per_byte]) >> (bits * (i % per_byte))) & ((1 << bits) - 1);
        match element {
            Element::Small(small) => small.decoded(code as u8),
            Element::Packed { signed: true, .. } if code >> (bits - 1) == 1 => f64::from(code) - f64::from(1 << bits),
            _ => f64::from(code),
        }
    });
    Array::from_f64s(element.dtype(), shape, values)
}

/// Makes an array of the elements in the typed fields of a tensor.
fn from_fields(tensor: &proto::Tensor, element: Element, shape: &[usize]) -> Result<Array> {
    let ints = &tensor.int32_data;
    let bytes: Vec<u8> = match element {
        Element::Packed { .. } | Element::Small(_) => ints.iter().map(|&v| v as u8).collect(),
        Element::Whole(Dtype::Float32) => tensor.float_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Element::Whole(Dtype::Float64) => tensor.double_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Element::Whole(Dtype::Int64) => tensor.int64_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Element::Whole(Dtype::Uint64) => tensor.uint64_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Element::Whole(Dtype::Uint32) => tensor.uint64_data.iter().flat_map(|&v| (v as u32).to_le_bytes()).collect(),
        // The low bytes of each int32.
        Element::Whole(other) => ints.iter().flat_map(|v| v.to_le_bytes()[..other.size()].to_vec()).collect(),
    };
    let expected = count(shape)?;
    if bytes.is_empty() && expected > 0 {
        return Err(invalid("it has no data"));
    }
    from_bytes(element, shape, &bytes)
}
