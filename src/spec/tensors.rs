//! Tensor declarations.
use super::{
    node::{Fields, Node},
    weights::Weights,
};
use crate::{
    array::Array,
    base::{Cause, Dtype, Result, Shape, elements, pluralized, shape_text},
    functions::{closest, not_finite},
    graph::{Graph, Preprocess, TensorKind},
    quant::Quantization,
};
use serde::{Deserialize, Deserializer, de};

pub(super) const KEYS: [&str; 8] = ["repeat", "dtype", "shape", "coeff", "scale", "zero_point", "data", "preprocess"];
const ARGUMENT_KEYS: [&str; 4] = ["dtype", "shape", "scale", "zero_point"];

/// The type of a declared tensor.
pub(super) struct Declared {
    pub dtype: Dtype,
    pub shape: Shape,
    pub quantization: Quantization,
}

/// Reads the declaration of a block's argument.
pub(super) fn argument(node: &Node) -> Result<Declared> {
    declared(&node.fields(&ARGUMENT_KEYS)?)
}

fn declared(fields: &Fields) -> Result<Declared> {
    let dtype = fields.get("dtype").map_or(Ok(Dtype::Float32), dtype)?;
    let dims = fields.need("shape")?;
    let shape: Shape = dims.read().map_err(|e| match (is_open(dims), listed(dims.text())) {
        (true, _) => dims.problem(
            "a dimension is -1, None or a name; expected numbers (a size that varies is a parameter: \"params\": {\"N\": 1}, \"shape\": [\"${N}\", 3])",
        ),
        (false, Some(list)) => dims.expected(format!("a list of dimensions: {list}")),
        (false, None) => e,
    })?;
    elements(&shape, dtype).map_err(|e| e.at(dims.place()))?;
    Ok(Declared { dtype, shape, quantization: quantization(fields)? })
}

/// Returns whether a list has a dimension that other frameworks determine later.
fn is_open(dims: &Node) -> bool {
    let open = |node: &Node| {
        matches!(node.text(), "-1" | "null") || node.text().starts_with('"') && !node.text().contains("${")
    };
    dims.list().is_ok_and(|all| all.iter().any(open))
}

/// Returns the dimensions in a text such as `"1x3x8x8"` or a single number as a list.
fn listed(text: &str) -> Option<String> {
    let dims: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|dim| !dim.is_empty()).collect();
    let is_list = text.starts_with(['[', '{']) || text.contains(['$', '-']) || dims.is_empty();
    (!is_list).then(|| format!("[{}]", dims.join(", ")))
}

fn quantization(fields: &Fields) -> Result<Quantization> {
    Ok(Quantization { scale: fields.read("scale")?, zero_point: fields.read("zero_point")? })
}

/// Reads the type of a coefficient, which that of its data completes if it is declared without a shape.
fn of_coefficient(name: &str, node: &Node, fields: &Fields, weights: &mut Weights) -> Result<Declared> {
    if fields.get("shape").is_some() || fields.get("data").is_some() {
        return declared(fields);
    }
    let Some((found, shape)) = weights.type_of(name).map_err(|e| e.at(node.place()))? else {
        return declared(fields);
    };
    let dtype = fields.get("dtype").map_or(Ok(found), dtype)?;
    Ok(Declared { dtype, shape, quantization: quantization(fields)? })
}

/// Declares the tensor `name`. The data of a coefficient are those of the declaration or of `weights`.
pub(super) fn declare(
    graph: &mut Graph,
    name: &str,
    node: &Node,
    fields: &Fields,
    weights: &mut Weights,
) -> Result<()> {
    let coeff: bool = fields.read("coeff")?.unwrap_or(false);
    let Declared { dtype, shape, quantization } =
        if coeff { of_coefficient(name, node, fields, weights)? } else { declared(fields)? };
    let tensor = if coeff {
        let data = match fields.get("data") {
            Some(n) => Some(inline(n, dtype, &shape)?),
            None => weights.data(name, dtype, &shape).map_err(|e| e.at(node.place()))?,
        };
        graph.add_tensor(Some(name), dtype, shape, TensorKind::Coefficient(data))
    } else {
        if let Some(n) = fields.get("data") {
            return Err(n.problem("only a coefficient has data; set \"coeff\": true, or remove the data"));
        }
        graph.input(name, dtype, shape)
    };
    let tensor = tensor.map_err(|e| e.at(node.place()))?;
    graph.quantize(tensor, &quantization).map_err(|e| e.at(node.place()))?;
    if let Some(n) = fields.get("preprocess") {
        let preprocess: Preprocess = n.read()?;
        graph.preprocess(tensor, preprocess).map_err(|e| e.at(n.place()))?;
    }
    Ok(())
}

fn dtype(node: &Node) -> Result<Dtype> {
    let name: String = node.read()?;
    Dtype::from_name(&name).ok_or_else(|| {
        let known: Vec<&str> = Dtype::all().map(Dtype::name).collect();
        let nearest = closest(&name, &known);
        let known = if nearest.is_some() { Vec::new() } else { known.into_iter().map(str::to_owned).collect() };
        node.error(Cause::UnknownName { kind: "dtype", name: name.chars().take(60).collect(), nearest, known })
    })
}

/// Numbers in row-major order, from one list or from nested ones.
#[derive(Default)]
struct Numbers {
    values: Vec<f64>,
    /// Number of elements of the lists at each depth.
    dims: Vec<Option<usize>>,
    /// Whether lists at one depth differ in length, or numbers occur at several depths.
    is_ragged: bool,
}

impl Numbers {
    fn number(&mut self, v: f64, depth: usize) {
        self.is_ragged |= !self.values.is_empty() && self.dims.len() != depth;
        self.dims.resize(self.dims.len().max(depth), None);
        self.values.push(v);
    }
    fn list(&mut self, entries: usize, depth: usize) {
        self.dims.resize(self.dims.len().max(depth + 1), None);
        self.is_ragged |= self.dims[depth].replace(entries).is_some_and(|n| n != entries);
    }
    /// Returns whether the numbers match a shape: as one list, or nested like the shape.
    fn fits(&self, shape: &[usize]) -> bool {
        self.dims.len() <= 1 || !self.is_ragged && self.dims.iter().copied().eq(shape.iter().map(|&d| Some(d)))
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        struct Into<'a>(&'a mut Numbers, usize);
        impl<'de> de::DeserializeSeed<'de> for Into<'_> {
            type Value = ();
            fn deserialize<D: Deserializer<'de>>(self, d: D) -> std::result::Result<(), D::Error> {
                d.deserialize_any(self)
            }
        }
        impl<'de> de::Visitor<'de> for Into<'_> {
            type Value = ();
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a number or a list of numbers")
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> std::result::Result<(), E> {
                self.0.number(v, self.1);
                Ok(())
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> std::result::Result<(), E> {
                self.visit_f64(v as f64)
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> std::result::Result<(), E> {
                self.visit_f64(v as f64)
            }
            fn visit_str<E: de::Error>(self, v: &str) -> std::result::Result<(), E> {
                let number = not_finite(v).ok_or_else(|| E::invalid_value(de::Unexpected::Str(v), &self))?;
                self.visit_f64(number)
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
                let mut entries = 0;
                while seq.next_element_seed(Into(self.0, self.1 + 1))?.is_some() {
                    entries += 1;
                }
                self.0.list(entries, self.1);
                Ok(())
            }
        }
        let mut all = Numbers::default();
        d.deserialize_any(Into(&mut all, 0))?;
        Ok(all)
    }
}

fn inline(node: &Node, dtype: Dtype, shape: &Shape) -> Result<Array> {
    let numbers: Numbers = node.read()?;
    if !numbers.fits(shape) {
        let expected = pluralized(shape.iter().product(), "number");
        let problem = format!(
            "data does not match shape {}; expected {expected}, flat or nested like the shape",
            shape_text(shape)
        );
        return Err(node.problem(problem));
    }
    let values = numbers.values;
    let bytes = matches!(dtype, Dtype::Fp8e4m3 | Dtype::Fp8e5m2);
    let stored = if bytes { Dtype::Uint8 } else { dtype };
    if let Some((low, high)) = stored.int_range() {
        let fits = |v: &&f64| v.fract() == 0.0 && **v >= low as f64 && **v <= high as f64;
        if let Some(v) = values.iter().find(|v| !fits(v)) {
            let what = if bytes { format!("{dtype}, whose data are bytes") } else { dtype.to_string() };
            return Err(node.problem(format!("{v} is not a value of {what}; expected integers from {low} to {high}")));
        }
    }
    let array = Array::from_f64s(stored, shape.clone(), values.into_iter()).map_err(|e| e.at(node.place()))?;
    Ok(if bytes { array.reinterpreted(dtype).unwrap_or(array) } else { array })
}
