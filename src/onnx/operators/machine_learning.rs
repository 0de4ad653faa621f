//! The operators of `ai.onnx.ml`, to which scikit-learn and similar libraries are exported, except trees and support vector machines.
//! String labels become their positions.
use super::{Convert, gather::selected, svm, trees};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, known_ints, table},
    ops::{Abs, CompareMode, Floor, Gather, MatMul, ReduceMode, Sigmoid, Sign, Softmax, Sqrt},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("ArrayFeatureExtractor", array_feature_extractor),
    ("Binarizer", binarizer),
    ("FeatureVectorizer", feature_vectorizer),
    ("Imputer", imputer),
    ("LabelEncoder", label_encoder),
    ("LinearClassifier", linear_classifier),
    ("LinearRegressor", linear_regressor),
    ("Normalizer", normalizer),
    ("OneHotEncoder", one_hot_encoder),
    ("SVMClassifier", svm::classifier),
    ("SVMRegressor", svm::regressor),
    ("Scaler", scaler),
    ("TreeEnsemble", trees::ensemble),
    ("TreeEnsembleClassifier", trees::classifier),
    ("TreeEnsembleRegressor", trees::regressor),
    ("ZipMap", |_, n| Ok(vec![n.input(0)?.clone()])),
];

/// Returns numbers as a coefficient.
pub fn numbers(b: &mut Importer, shape: &[usize], all: impl IntoIterator<Item = f64>) -> Result<Tensor> {
    let count = table(shape)?;
    // No more are needed to see that there are too many.
    let all: Vec<f64> = all.into_iter().take(count.saturating_add(1)).collect();
    if count != all.len() {
        let found = if all.len() > count { "more".to_owned() } else { all.len().to_string() };
        return Err(invalid(format!("an attribute has {found} numbers; expected {count}, of the shape {shape:?}")));
    }
    b.coefficient(Array::from_f64s(Dtype::Float32, shape, all.into_iter())?)
}

/// Returns the operand as a matrix of samples and features, as floats.
pub fn samples(b: &mut Importer, x: &Value) -> Result<(Tensor, usize)> {
    let tensor = b.float_tensor(x)?;
    let shape = x.shape();
    let features = shape.last().copied().unwrap_or(1);
    let matrix = b.reshape(tensor, &[x.elements() / features.max(1), features])?;
    Ok((matrix, features))
}

/// The entries of the last axis at these positions.
fn array_feature_extractor<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, at) = (n.input(0)?, n.input(1)?);
    let mut shape = x.shape();
    let tensor = b.tensor(x)?;
    let last = shape.len().saturating_sub(1);
    let made = match at.is_constant() && !x.is_constant() {
        true => selected(b, tensor, last, &known_ints(at, "the positions")?)?,
        false => {
            let at_tensor = b.tensor(at)?;
            let at = b.reshape(at_tensor, &[at.elements()])?;
            b.op(Gather { axis: last as i64, ..Gather::new(tensor, at) })?
        }
    };
    if shape.len() < 2 {
        shape = vec![1, 1];
    }
    if let Some(size) = shape.last_mut() {
        *size = at.elements();
    }
    Ok(vec![b.shaped(made, &shape, x.dtype())?])
}

/// 1 above the threshold, otherwise 0.
fn binarizer<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.float_tensor(x)?;
    let made = b.compare_const(tensor, CompareMode::Greater, n.float_or("threshold", 0.0))?;
    Ok(vec![b.value_like(made, x)?])
}

fn feature_vectorizer<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let parts = n.all_inputs()?.into_iter().map(|x| Ok(samples(b, x)?.0)).collect::<Result<Vec<_>>>()?;
    let made = b.concat(parts, 1)?;
    Ok(vec![b.value(made, Dtype::Float32)?])
}

/// Replaces one number, or NaN, by another, which may be a feature's own.
fn imputer<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let is_float = x.dtype().is_float();
    let (values, replaced) = match is_float {
        true => (n.floats("imputed_value_floats"), n.float_or("replaced_value_float", 0.0)),
        false => {
            let values = n.ints("imputed_value_int64s").map(|all| all.into_iter().map(|v| v as f64).collect());
            (values, n.int_or("replaced_value_int64", 0) as f64)
        }
    };
    let values = values.ok_or_else(|| invalid("it has no imputed values"))?;
    let tensor = b.float_tensor(x)?;
    let is_missing = equals(b, tensor, replaced)?;
    let mut shape = vec![1; x.rank().max(1)];
    if let Some(last) = shape.last_mut() {
        *last = values.len();
    }
    let values = numbers(b, &shape, values)?;
    let values = b.expand_to(values, &crate::value::stored_shape(&x.shape()))?;
    let made = b.select(is_missing, values, tensor)?;
    let made = super::cast::truncated_to(b, made, x.dtype())?;
    Ok(vec![b.value_like(made, x)?])
}

/// Replaces each key by its value.
fn label_encoder<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let column = |floats: &str, ints: &str, tensor: &str, b: &mut Importer<'m>| -> Result<Option<(Vec<f64>, Dtype)>> {
        if let Some(all) = n.floats(floats) {
            return Ok(Some((all, Dtype::Float32)));
        }
        if let Some(all) = n.ints(ints) {
            return Ok(Some((exact(ints, all.into_iter().map(|v| v as f64))?, Dtype::Int64)));
        }
        match n.attribute(tensor).and_then(|a| a.t.as_ref()) {
            Some(tensor) => {
                let array = b.array(tensor)?;
                let (all, dtype) = (array.to_f64()?, array.dtype());
                Ok(Some((if dtype.is_float() { all } else { exact(ints, all)? }, dtype)))
            }
            None => Ok(None),
        }
    };
    let keys = column("keys_floats", "keys_int64s", "keys_tensor", b)?;
    let values = column("values_floats", "values_int64s", "values_tensor", b)?;
    let (Some((keys, _)), Some((values, dtype))) = (keys, values) else {
        return Err(invalid("the Top dialect has no texts; its keys and values must be numbers"));
    };
    let default = match n.attribute("default_tensor").and_then(|a| a.t.as_ref()) {
        Some(tensor) => b.array(tensor)?.to_f64()?.first().copied().unwrap_or(0.0),
        _ if dtype.is_float() => n.float_or("default_float", 0.0),
        _ => n.int_or("default_int64", -1) as f64,
    };
    table(&[crate::node::pieces(keys.len())?, x.elements()])?;
    let tensor = b.float_tensor(x)?;
    let mut made = b.filled(default, Dtype::Float32, &crate::value::stored_shape(&x.shape()))?;
    for (key, value) in keys.into_iter().zip(values).rev() {
        let is_key = equals(b, tensor, key)?;
        let value = b.filled(value, Dtype::Float32, &crate::value::stored_shape(&x.shape()))?;
        made = b.select(is_key, value, made)?;
    }
    let made = super::cast::truncated_to(b, made, dtype)?;
    Ok(vec![b.shaped(made, &x.shape(), dtype)?])
}

/// Returns the labels of the classes; for texts, their positions.
///
/// # Errors
/// Returns an error if a label is not exact in float32.
pub fn class_labels(n: &Node, ints: &str) -> Result<Vec<f64>> {
    match (n.ints(ints).filter(|all| !all.is_empty()), n.attribute("classlabels_strings")) {
        (Some(all), _) => exact(ints, all.into_iter().map(|v| v as f64)),
        (None, Some(texts)) => Ok((0..texts.strings.len()).map(|i| i as f64).collect()),
        (None, None) => Ok(Vec::new()),
    }
}

/// Returns integers that float32 holds exactly.
///
/// # Errors
/// Returns an error for one that it does not.
fn exact(name: &str, all: impl IntoIterator<Item = f64>) -> Result<Vec<f64>> {
    let check = |v: f64| match v.abs() <= f64::from(1 << 24) {
        true => Ok(v),
        false => Err(argument(name, v, "it is computed as float32, where integers are exact up to 2^24")),
    };
    all.into_iter().map(check).collect()
}

/// Returns the results of a classifier: the label of the largest score of each sample, and the transformed scores.
pub fn classified(b: &mut Importer, n: &Node, scores: Tensor, labels: &[f64]) -> Result<Vec<Value>> {
    let label = label_of_largest(b, scores, labels)?;
    let scores = transformed(b, n, scores)?;
    Ok(vec![label, b.value(scores, Dtype::Float32)?])
}

/// Returns the label of the largest score of each sample.
pub fn label_of_largest(b: &mut Importer, scores: Tensor, labels: &[f64]) -> Result<Value> {
    let largest = super::sort::one_at_largest(b, scores, 1)?;
    let labels = numbers(b, &[1, labels.len()], labels.iter().copied())?;
    let labels = b.mul(largest, labels)?;
    let label = b.sum(labels, &[1])?;
    let samples = b.shape(scores)?[0];
    let label = b.reshape(label, &[samples])?;
    let label = super::cast::truncated_to(b, label, Dtype::Int64)?;
    b.value(label, Dtype::Int64)
}

/// 1 where a tensor is this number, which may be NaN, otherwise 0.
fn equals(b: &mut Importer, x: Tensor, number: f64) -> Result<Tensor> {
    match number.is_nan() {
        true => b.compare(x, CompareMode::NotEqual, x),
        false => b.compare_const(x, CompareMode::Equal, number),
    }
}

/// `X W^T + b`
fn linear(b: &mut Importer, n: &Node, outputs: usize) -> Result<Tensor> {
    let (x, features) = samples(b, n.input(0)?)?;
    let weights = n.floats("coefficients").ok_or_else(|| invalid("it has no coefficients"))?;
    let weights = numbers(b, &[outputs, features], weights)?;
    let weights = b.transposed(weights)?;
    let mut made = b.op(MatMul::new(x, weights))?;
    if let Some(bias) = n.floats("intercepts").filter(|all| !all.is_empty()) {
        let bias = numbers(b, &[1, outputs], bias)?;
        made = b.add(made, bias)?;
    }
    Ok(made)
}

/// Applies the transform of scores that the node names.
pub fn transformed(b: &mut Importer, n: &Node, scores: Tensor) -> Result<Tensor> {
    match n.text("post_transform").unwrap_or("NONE") {
        "NONE" => Ok(scores),
        "LOGISTIC" => b.op(Sigmoid::new(scores)),
        "SOFTMAX" => b.op(Softmax::new(scores, 1)),
        other => Err(argument("post_transform", other, "expected NONE, LOGISTIC or SOFTMAX")),
    }
}

fn linear_regressor<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let targets = usize::try_from(n.int_or("targets", 1)).unwrap_or(0);
    let made = linear(b, n, targets)?;
    let made = transformed(b, n, made)?;
    Ok(vec![b.value(made, Dtype::Float32)?])
}

fn linear_classifier<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let labels = class_labels(n, "classlabels_ints")?;
    let features = n.input(0)?.shape().last().copied().unwrap_or(1).max(1);
    let classes = n.floats("coefficients").map_or(0, |all| all.len()) / features;
    if classes == 1 && labels.len() == 2 {
        return binary_classifier(b, n, &labels);
    }
    if classes != labels.len() || classes < 2 {
        let problem =
            format!("it has {classes} rows of coefficients and {} classes; one for each is supported", labels.len());
        return Err(invalid(problem));
    }
    let scores = linear(b, n, classes)?;
    classified(b, n, scores, &labels)
}

/// One score decides between two classes: it is above 0 for the second. As in onnxruntime, that of the first is 1 less the other, and
/// no transform but LOGISTIC is applied.
fn binary_classifier(b: &mut Importer, n: &Node, labels: &[f64]) -> Result<Vec<Value>> {
    let score = linear(b, n, 1)?;
    let negative = b.neg(score)?;
    let margins = b.concat(vec![negative, score], 1)?;
    let label = label_of_largest(b, margins, labels)?;
    let transforms = [("NONE", false), ("LOGISTIC", true), ("SOFTMAX", false), ("SOFTMAX_ZERO", false)];
    let scores = if n.word("post_transform", "NONE", &transforms)? {
        b.op(Sigmoid::new(margins))?
    } else {
        let other = b.const_sub(1.0, score)?;
        b.concat(vec![other, score], 1)?
    };
    Ok(vec![label, b.value(scores, Dtype::Float32)?])
}

/// Divides each sample by its norm, if that is not 0.
fn normalizer<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let mode = n.word(
        "norm",
        "MAX",
        &[("MAX", ReduceMode::ReduceMax), ("L1", ReduceMode::ReduceL1), ("L2", ReduceMode::ReduceSum)],
    )?;
    let (matrix, _) = samples(b, x)?;
    let norm = if mode == ReduceMode::ReduceSum {
        let squared = b.square(matrix)?;
        let sum = b.sum(squared, &[1])?;
        b.op(Sqrt::new(sum))?
    } else {
        b.reduce(matrix, &[1], mode)?
    };
    let is_zero = b.compare_const(norm, CompareMode::Equal, 0.0)?;
    let norm = b.add(norm, is_zero)?;
    let made = b.div(matrix, norm)?;
    Ok(vec![b.shaped(made, &x.shape(), Dtype::Float32)?])
}

/// 1 at the category of each number, otherwise 0. Floats are truncated.
fn one_hot_encoder<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let Some(categories) = n.ints("cats_int64s").filter(|all| !all.is_empty()) else {
        return Err(invalid("the Top dialect has no texts; its categories must be numbers"));
    };
    let mut shape = x.shape();
    shape.push(1);
    let mut tensor = b.float_tensor(x)?;
    if x.dtype().is_float() {
        tensor = truncated(b, tensor)?;
    }
    let column = b.reshape(tensor, &shape)?;
    let mut along = vec![1; shape.len()];
    along[shape.len() - 1] = categories.len();
    let categories = numbers(b, &along, exact("cats_int64s", categories.into_iter().map(|v| v as f64))?)?;
    let made = b.compare(column, CompareMode::Equal, categories)?;
    Ok(vec![b.value(made, Dtype::Float32)?])
}

/// Rounds towards 0. NaN stays NaN, while a cast to integers would make it 0.
fn truncated(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let (sign, size) = (b.op(Sign::new(x))?, b.op(Abs::new(x))?);
    let whole = b.op(Floor::new(size))?;
    b.mul(sign, whole)
}

/// `(x - offset) * scale`
fn scaler<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let (mut made, features) = samples(b, x)?;
    let along = |all: &[f64]| if all.len() == 1 { [1, 1] } else { [1, features] };
    if let Some(offset) = n.floats("offset").filter(|all| !all.is_empty()) {
        let offset = numbers(b, &along(&offset), offset)?;
        made = b.sub(made, offset)?;
    }
    if let Some(scale) = n.floats("scale").filter(|all| !all.is_empty()) {
        let scale = numbers(b, &along(&scale), scale)?;
        made = b.mul(made, scale)?;
    }
    Ok(vec![b.shaped(made, &x.shape(), Dtype::Float32)?])
}
