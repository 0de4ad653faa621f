//! How each operator of ONNX is converted, by family. A converter adds operators to the graph and returns the node's results.
mod activation;
mod arithmetic;
mod attention;
mod bits;
mod cast;
mod compare;
mod control_flow;
mod conv;
mod create;
mod determinant;
mod einsum;
mod gather;
mod image;
mod integer_product;
mod layout;
mod linear;
mod loss;
mod machine_learning;
mod math;
mod matmul;
mod microsoft;
mod microsoft_attention;
mod microsoft_quantized;
mod norm;
mod packed;
mod pool;
mod quantize;
mod range;
mod recurrent;
mod reduce;
mod resize;
mod search;
mod select;
mod sequence;
mod signal;
mod slice;
mod sort;
mod svm;
mod training;
mod trees;
mod window;

pub use quantize::{dequantized_integers, result_element};

use super::{import::Importer, node::Node, proto, value::Value};
use crate::base::{Error, Result, invalid, nearest};

/// Adds the operators of a node and returns its results.
pub type Convert = for<'m> fn(&mut Importer<'m>, &Node<'m>) -> Result<Vec<Value>>;

/// Operators of a family, by name.
type Family = &'static [(&'static str, Convert)];

/// The operators of ONNX's own domain.
const FAMILIES: &[Family] = &[
    activation::OPERATORS,
    arithmetic::OPERATORS,
    attention::OPERATORS,
    bits::OPERATORS,
    cast::OPERATORS,
    compare::OPERATORS,
    control_flow::OPERATORS,
    conv::OPERATORS,
    create::OPERATORS,
    determinant::OPERATORS,
    einsum::OPERATORS,
    gather::OPERATORS,
    image::OPERATORS,
    layout::OPERATORS,
    linear::OPERATORS,
    loss::OPERATORS,
    math::OPERATORS,
    microsoft::IN_ONNX,
    matmul::OPERATORS,
    norm::OPERATORS,
    pool::OPERATORS,
    quantize::OPERATORS,
    recurrent::OPERATORS,
    reduce::OPERATORS,
    resize::OPERATORS,
    search::OPERATORS,
    select::OPERATORS,
    sequence::OPERATORS,
    signal::OPERATORS,
    slice::OPERATORS,
    sort::OPERATORS,
];

/// The operators of onnxruntime.
const MICROSOFT: &[Family] =
    &[microsoft::OPERATORS, microsoft_attention::OPERATORS, microsoft_quantized::OPERATORS, packed::OPERATORS];

/// The operators of scikit-learn and the like.
const MACHINE_LEARNING: &[Family] = &[machine_learning::OPERATORS];

/// The steps of optimizers.
const TRAINING: &[Family] = &[training::OPERATORS];

/// Operators that may still change.
const PREVIEW: &[Family] = &[attention::PREVIEW];

/// Returns the operators of a domain.
fn families(domain: &str) -> Option<&'static [Family]> {
    match domain {
        "" | "ai.onnx" => Some(FAMILIES),
        "com.microsoft" => Some(MICROSOFT),
        "ai.onnx.ml" => Some(MACHINE_LEARNING),
        "ai.onnx.preview" => Some(PREVIEW),
        "ai.onnx.preview.training" => Some(TRAINING),
        _ => None,
    }
}

/// Stands for the name of a node's result.
const RESULT: &str = "RESULT";
/// Stands for the names of a node's first two operands.
const PAIR: &str = "PAIR";

/// Operators that are refused, with the reason.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"],
        "its results are random; feed them as an input: --cut-inputs RESULT",
    ),
    (
        &["NonMaxSuppression"],
        "the size of its result depends on values; end the network at the boxes and scores: --cut-outputs PAIR",
    ),
    (
        &["RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"],
        "the Top dialect has no texts",
    ),
    (&["ImageDecoder"], "the Top dialect has no files; images are fed as tensors"),
    (
        &["CategoryMapper", "CastMap", "DictVectorizer"],
        "the Top dialect has neither texts nor dictionaries; feed the numbers that they stand for",
    ),
    (&["SequenceMap"], "loops over sequences are not supported"),
];

/// Newest version of ONNX's operator set that is known.
pub const NEWEST: i64 = 28;

/// Returns the converter of a node's operator.
///
/// # Errors
/// Returns an error if the operator is unknown or its version too new.
pub fn find(node: &proto::Node) -> Result<Convert> {
    let (domain, op) = (node.domain.as_str(), node.op_type.as_str());
    let Some(families) = families(domain) else {
        let advice = match domain {
            "com.microsoft.nchwc" => {
                "; they are laid out for one processor: let onnxruntime save the model with ORT_ENABLE_EXTENDED instead of ORT_ENABLE_ALL"
            }
            _ => "",
        };
        return Err(invalid(format!("operators of the domain {domain:?} are not supported{advice}")));
    };
    if node.version > NEWEST {
        return Err(invalid(format!("versions of ONNX's operators up to {NEWEST} are supported")));
    }
    let all = || families.iter().flat_map(|family| family.iter());
    all()
        .find(|(name, _)| *name == op)
        .map(|(_, convert)| *convert)
        .ok_or_else(|| unknown(op, node, all().map(|(name, _)| *name)))
}

/// Returns the names of the operators of a domain such as `"ai.onnx"` or `"com.microsoft"` that are converted, sorted.
pub fn names(domain: &str) -> Vec<&'static str> {
    let mut names: Vec<_> =
        families(domain).unwrap_or_default().iter().flat_map(|family| family.iter()).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names
}

fn unknown<'a>(op: &str, node: &proto::Node, known: impl Iterator<Item = &'a str>) -> Error {
    if let Some((_, reason)) = REFUSED.iter().find(|(ops, _)| ops.contains(&op)) {
        let result = node.output.first().map_or("", String::as_str);
        let operands = node.input.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(",");
        let (placeholder, names) = if reason.contains(PAIR) { (PAIR, operands.as_str()) } else { (RESULT, result) };
        return invalid(reason.replace(placeholder, names));
    }
    let hint = nearest(op, known).map(|n| format!("; the nearest is {n}")).unwrap_or_default();
    invalid(format!("the operator is not supported{hint}"))
}
