//! What a file contains, by its first bytes: names are often wrong.
use std::{
    fs::File,
    io::{Read, Result},
    path::Path,
};
use tpulang_spec::begins_module;

/// The content of a file that is given as a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Content {
    /// A spec, or anything else that is text.
    Text,
    /// An MLIR module.
    Module,
    /// An ONNX model.
    Onnx,
    /// A file of another kind.
    Other(Other),
}

/// A file that is not a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Other {
    /// `a TensorFlow Lite model`.
    pub what: &'static str,
    /// What to do with it.
    pub hint: &'static str,
}

/// Whether the first bytes of a file are those of a format.
type Test = fn(&[u8]) -> bool;

/// Formats that people pass as models.
const OTHERS: &[(Test, &str, &str)] = &[
    (|b| b.get(4..8) == Some(b"TFL3"), "a TensorFlow Lite model", TRANSFORM),
    (|b| b.starts_with(b"\x89HDF"), "an HDF5 file, such as a Keras model", TRANSFORM),
    (|b| b.starts_with(b"\xee\xaa\x55\xff"), "a compiled model (bmodel)", "model_runner of tpu_mlir runs it"),
    (|b| b.starts_with(b"ML\xefR"), "MLIR bytecode", "mlir-opt writes it as text"),
    (|b| b.starts_with(b"PK\x03\x04"), "an archive of arrays (.npz) or a PyTorch file", ARRAYS),
    (|b| b.starts_with(b"\x93NUMPY"), "an array (.npy)", ARRAYS),
    (is_safetensors, "a safetensors file", ARRAYS),
    (|b| b.starts_with(b"GGUF"), "a GGUF file", ARRAYS),
    (|b| b.starts_with(b"\x80\x02") || b.starts_with(b"\x80\x04"), "a pickle, such as an old PyTorch file", ARRAYS),
    (|b| b.starts_with(b"\x89PNG") || b.starts_with(b"\xff\xd8\xff"), "an image", "-i NAME=FILE feeds it to an input"),
    (|b| b.starts_with(b"\x7fELF"), "a program", "expected a graph spec (JSON) or a Top dialect .mlir file"),
];

const TRANSFORM: &str = "model_transform of tpu_mlir converts it to a Top dialect .mlir file, which tpulang runs";
const ARRAYS: &str =
    "a graph spec (JSON) names its weights file under \"weights\", and -i names files of inputs; pass the spec";

/// Bytes that are read.
const READ: u64 = 4096;

/// Returns the content of a file.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn of(path: &Path) -> Result<Content> {
    let mut bytes = Vec::new();
    // Opening a named pipe would wait for a writer.
    if !path.metadata()?.is_file() {
        return Ok(Content::Text);
    }
    File::open(path)?.take(READ).read_to_end(&mut bytes)?;
    Ok(of_bytes(&bytes))
}

fn of_bytes(bytes: &[u8]) -> Content {
    let other = OTHERS.iter().find(|(is_it, _, _)| is_it(bytes));
    match other {
        Some(&(_, what, hint)) => Content::Other(Other { what, hint }),
        None if is_onnx(bytes) => Content::Onnx,
        None if begins_module(&String::from_utf8_lossy(bytes)) => Content::Module,
        None => Content::Text,
    }
}

/// A message of protocol buffers that begins with `ir_version` and one of the fields after it.
pub fn is_onnx(bytes: &[u8]) -> bool {
    matches!(bytes, [0x08, 1..=40, 0x12 | 0x1a | 0x22 | 0x28 | 0x32 | 0x3a | 0x42, ..])
}

/// The length of a JSON object, and its first byte.
fn is_safetensors(bytes: &[u8]) -> bool {
    bytes.get(..8).and_then(|n| n.try_into().ok()).is_some_and(|n| u64::from_le_bytes(n) < 1 << 30)
        && bytes.get(8) == Some(&b'{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_recognized() {
        let what = |bytes: &[u8]| match of_bytes(bytes) {
            Content::Text => "text",
            Content::Module => "module",
            Content::Onnx => "ONNX",
            Content::Other(other) => other.what,
        };
        for (bytes, expected) in [
            (&b"{\"version\": 1}"[..], "text"),
            (b"// a spec\n{", "text"),
            (b"", "text"),
            (b"// weights: 0\n#loc = loc(unknown)\nmodule {", "module"),
            (b"  module @net {", "module"),
            (b"\x08\x08\x12\x07pytorch", "ONNX"),
            (b"\x08\x00\x00\x00\x00\x00\x00\x00{\"a\": 1}", "a safetensors file"),
            (b"\x1c\x00\x00\x00TFL3", "a TensorFlow Lite model"),
            (b"PK\x03\x04", "an archive of arrays (.npz) or a PyTorch file"),
        ] {
            assert_eq!(what(bytes), expected);
        }
    }
}
