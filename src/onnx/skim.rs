//! The structure of a file without the elements of its large tensors, which stay in the file.
use super::proto::{EXTERNAL, Entry, Tensor};
use crate::base::{Error, Result};
use prost::Message;
use std::{
    io::{BufReader, Read, Seek},
    path::Path,
};

/// Bytes of elements from which a tensor is left in the file.
const LARGE: u64 = 1024;
/// Maximum number of fields. Each may take a few hundred bytes when decoded; a large network has some 100,000.
const MAX_FIELDS: usize = 4_000_000;
/// Maximum number of bytes that are kept.
const MAX_KEPT: usize = 1 << 30;
/// Maximum depth of messages within messages, which is prost's.
const MAX_DEPTH: usize = 100;

/// The kinds of messages that contain tensors.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Model,
    Graph,
    Function,
    Node,
    Attribute,
    SparseTensor,
    Tensor,
    /// Any other message, whose fields are copied as they are.
    Other,
}

impl Kind {
    /// Returns the kind of the message in a field, or `None` if the field is no message.
    fn of_field(self, field: u64) -> Option<Kind> {
        Some(match (self, field) {
            (Kind::Model, 7) | (Kind::Attribute, 6) => Kind::Graph,
            (Kind::Model, 8) | (Kind::Graph, 11..=13) | (Kind::Tensor, 13) | (Kind::Function, 9) => Kind::Other,
            (Kind::Model, 25) => Kind::Function,
            (Kind::Graph, 1) | (Kind::Function, 7) => Kind::Node,
            (Kind::Graph, 5) | (Kind::Attribute, 5) | (Kind::SparseTensor, 1 | 2) => Kind::Tensor,
            (Kind::Graph, 15) | (Kind::Attribute, 22) => Kind::SparseTensor,
            (Kind::Node, 5) | (Kind::Function, 11) => Kind::Attribute,
            _ => return None,
        })
    }
    /// Whether the field is neither needed nor kept: texts for people, graphs of training.
    fn is_dropped(self, field: u64) -> bool {
        match self {
            Kind::Model => matches!(field, 6 | 14 | 20 | 26),
            Kind::Graph => matches!(field, 10 | 14 | 16),
            Kind::Function => matches!(field, 8 | 12 | 14),
            Kind::Node => matches!(field, 6 | 10),
            Kind::Attribute => matches!(field, 10 | 11 | 13 | 14 | 15 | 23),
            Kind::Tensor => matches!(field, 3 | 6 | 12 | 16),
            Kind::SparseTensor | Kind::Other => false,
        }
    }
}

/// The tags of protocol buffers: how a field's value is encoded.
mod wire {
    pub const VARINT: u64 = 0;
    pub const FIXED64: u64 = 1;
    pub const BYTES: u64 = 2;
    pub const FIXED32: u64 = 5;
}

/// Returns the message of a model with the elements of large tensors replaced by their place in the file: an external
/// location without a file name.
///
/// # Errors
/// Returns an error if the file cannot be read, is no valid message, or has too many fields.
pub fn skim(from: impl Read + Seek, size: u64, path: &Path) -> Result<Vec<u8>> {
    let mut skimmer = Skimmer { from: BufReader::new(from), position: 0, fields: 0, kept: 0, place: None, path };
    skimmer.message(Kind::Model, size, 0)
}

struct Skimmer<'a, R> {
    from: BufReader<R>,
    position: u64,
    fields: usize,
    kept: usize,
    /// Offset and length of the elements that were left out of the tensor that is being copied.
    place: Option<(u64, u64)>,
    path: &'a Path,
}

impl<R: Read + Seek> Skimmer<'_, R> {
    fn invalid(&self, problem: &str) -> Error {
        Error::format(self.path, format!("not a valid ONNX file: {problem} (at byte {})", self.position))
    }

    /// Copies a message that ends at `end`.
    fn message(&mut self, kind: Kind, end: u64, depth: usize) -> Result<Vec<u8>> {
        if depth > MAX_DEPTH {
            return Err(self.invalid(&format!("messages are nested deeper than {MAX_DEPTH}")));
        }
        let mut to = Vec::new();
        while self.position < end {
            self.field(kind, end, depth, &mut to)?;
        }
        if self.position > end {
            return Err(self.invalid("a field is longer than its message"));
        }
        // Last, since of a field that occurs twice the last value counts, and the file may have a location, too.
        if let Some((offset, length)) = self.place.take_if(|_| kind == Kind::Tensor) {
            put_place(&mut to, offset, length);
        }
        Ok(to)
    }

    /// Copies one field, or what is kept of it.
    fn field(&mut self, kind: Kind, end: u64, depth: usize, to: &mut Vec<u8>) -> Result<()> {
        self.fields += 1;
        if self.fields > MAX_FIELDS {
            return Err(self.invalid(&format!("it has more than {MAX_FIELDS} fields")));
        }
        let key = self.varint()?;
        let field = key >> 3;
        match key & 7 {
            wire::VARINT => {
                let value = self.varint()?;
                put_varint(to, key);
                put_varint(to, value);
            }
            wire::FIXED64 => self.copy(key, 8, to)?,
            wire::FIXED32 => self.copy(key, 4, to)?,
            wire::BYTES => {
                let length = self.varint()?;
                if length > end.saturating_sub(self.position) {
                    return Err(self.invalid("a field is longer than its message; the file may be cut off"));
                }
                self.bytes(kind, field, length, depth, to)?;
            }
            _ => return Err(self.invalid("it is another kind of file, or damaged")),
        }
        Ok(())
    }

    /// Copies a field of `length` bytes, or what is kept of it.
    fn bytes(&mut self, kind: Kind, field: u64, length: u64, depth: usize, to: &mut Vec<u8>) -> Result<()> {
        let key = field << 3 | wire::BYTES;
        if kind.is_dropped(field) {
            return self.skip(length);
        }
        if kind == Kind::Tensor && field == 9 && length > LARGE {
            self.place = Some((self.position, length));
            return self.skip(length);
        }
        match kind.of_field(field) {
            Some(inner) => {
                let message = self.message(inner, self.position + length, depth + 1)?;
                put_varint(to, key);
                put_varint(to, message.len() as u64);
                to.extend(message);
                Ok(())
            }
            None => {
                // What is in the messages of other kinds is not looked at: it counts by its length.
                self.fields +=
                    if kind == Kind::Tensor { 0 } else { usize::try_from(length / 16).unwrap_or(MAX_FIELDS) };
                put_varint(to, key);
                put_varint(to, length);
                self.copy_bytes(length, to)
            }
        }
    }

    fn copy(&mut self, key: u64, length: u64, to: &mut Vec<u8>) -> Result<()> {
        put_varint(to, key);
        self.copy_bytes(length, to)
    }

    fn copy_bytes(&mut self, length: u64, to: &mut Vec<u8>) -> Result<()> {
        self.kept = self.kept.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
        if self.kept > MAX_KEPT {
            return Err(self.invalid("it has more than 1 GiB beside the raw data of its tensors"));
        }
        let read = self.from.by_ref().take(length).read_to_end(to).map_err(Error::io(self.path))?;
        self.position += read as u64;
        if (read as u64) < length { Err(self.invalid("the file is cut off")) } else { Ok(()) }
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        self.position += length;
        let distance = i64::try_from(length).map_err(|_| self.invalid("a field is too long"))?;
        self.from.seek_relative(distance).map_err(Error::io(self.path))
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.from.read_exact(&mut byte).map_err(|_| self.invalid("the file is cut off"))?;
            self.position += 1;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(value);
            }
        }
        Err(self.invalid("a number has more than 64 bits"))
    }
}

fn put_varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Writes fields of a tensor that say where in this file its elements are.
fn put_place(to: &mut Vec<u8>, offset: u64, length: u64) {
    let entry = |key: &str, value: u64| Entry { key: key.into(), value: value.to_string() };
    let place = Tensor {
        external_data: vec![entry("offset", offset), entry("length", length)],
        data_location: EXTERNAL,
        ..Tensor::default()
    };
    to.extend(place.encode_to_vec());
}

#[cfg(test)]
mod tests {
    use super::super::proto::{Graph, Model};
    use super::*;
    use std::io::Cursor;

    fn model(weight: Tensor, more: &[u8]) -> Vec<u8> {
        let mut tensor = weight.encode_to_vec();
        tensor.extend(more);
        // The graph's field of initializers, then the model's of the graph.
        let field = |number: u8, content: &[u8]| {
            let mut to = vec![number << 3 | 2];
            put_varint(&mut to, content.len() as u64);
            to.extend(content);
            to
        };
        [Model { ir_version: 9, ..Model::default() }.encode_to_vec(), field(7, &field(5, &tensor))].concat()
    }

    fn skimmed(bytes: &[u8]) -> Result<Model> {
        let kept = skim(Cursor::new(bytes), bytes.len() as u64, Path::new("model"))?;
        Ok(Model::decode(kept.as_slice()).unwrap())
    }

    fn weight(model: Model) -> Tensor {
        let Graph { mut initializer, .. } = model.graph.unwrap();
        initializer.remove(0)
    }

    #[test]
    fn large_tensors_are_left_in_the_file() {
        let raw: Vec<u8> = (0..2000).map(|i| i as u8).collect();
        let tensor = Tensor {
            name: "w".into(),
            data_type: 2,
            dims: vec![2000],
            raw_data: Some(raw.clone()),
            ..Tensor::default()
        };
        // The field of the location may follow, with its default value.
        for more in [&[][..], &[0x70, 0]] {
            let bytes = model(tensor.clone(), more);
            let found = weight(skimmed(&bytes).unwrap());
            assert_eq!((found.name.as_str(), &found.raw_data, found.data_location), ("w", &None, EXTERNAL));
            let entry = |i: usize| found.external_data[i].value.parse::<usize>().unwrap();
            assert_eq!(bytes[entry(0)..entry(0) + entry(1)], raw);
        }
        let small = Tensor { raw_data: Some(vec![1, 2]), ..tensor };
        assert_eq!(weight(skimmed(&model(small.clone(), &[])).unwrap()), small);
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = model(Tensor { raw_data: Some(vec![0; 5000]), ..Tensor::default() }, &[]);
        for end in 1..bytes.len() {
            assert!(skimmed(&bytes[..end]).is_err() || end == 2, "{end}");
        }
        assert!(skimmed(&[0x0b]).is_err());
        assert!(skimmed(&[0xff; 12]).is_err());
    }
}
