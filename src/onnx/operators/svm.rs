//! Support vector machines.
use super::machine_learning::{class_labels, label_of_largest, numbers, samples, transformed};
use crate::{
    Tensor,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, table},
    ops::{Abs, Clip, CompareMode, MatMul, Max, MaxConst, Pow, Tanh},
    value::Value,
};

/// Decides between each pair of classes. The class with the most votes wins; the scores are those of the pairs.
pub fn classifier<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, features) = samples(b, n.input(0)?)?;
    let labels = class_labels(n, "classlabels_ints")?;
    let pairs = Pairs::of(n, labels.len())?;
    let sums = weighted_kernels(b, n, x, features, (&pairs.weights, pairs.of.len()))?;
    let rho = numbers(b, &[1, pairs.of.len()], n.floats("rho").unwrap_or_default())?;
    let scores = b.add(sums, rho)?;

    // A positive score is a vote for the first class, otherwise it is one for the second.
    let votes = pairs.of.iter().flat_map(|(i, j)| (0..labels.len()).map(move |c| [c == *i, c == *j]));
    let votes = votes.map(|[first, second]| f64::from(u8::from(first)) - f64::from(u8::from(second)));
    let votes = numbers(b, &[pairs.of.len(), labels.len()], votes)?;
    let is_first = b.compare_const(scores, CompareMode::Greater, 0.0)?;
    let votes = b.op(MatMul::new(is_first, votes))?;
    // A class is the second one of as many pairs as there are classes before it.
    let offset = numbers(b, &[1, labels.len()], (0..labels.len()).map(|c| c as f64))?;
    let votes = b.add(votes, offset)?;
    let label = label_of_largest(b, votes, &labels)?;
    let scores = match n.floats("prob_a").filter(|all| !all.is_empty()) {
        Some(_) if labels.len() > 2 => {
            let problem = "the probabilities of more than two classes, which are found by iteration, are not supported";
            return Err(argument("the number of its classes", labels.len(), problem));
        }
        Some(slopes) => probabilities(b, scores, &slopes, &n.floats("prob_b").unwrap_or_default())?,
        None if labels.len() > 2 => scores,
        None => {
            let negative = b.neg(scores)?;
            b.concat(vec![negative, scores], 1)?
        }
    };
    let scores = transformed(b, n, scores)?;
    Ok(vec![label, b.value(scores, Dtype::Float32)?])
}

/// The pairs of classes, and what the kernels of the support vectors weigh in each.
struct Pairs {
    of: Vec<(usize, usize)>,
    /// [vectors, pairs]
    weights: Vec<f64>,
}

impl Pairs {
    fn of(n: &Node, classes: usize) -> Result<Pairs> {
        let counts = n.ints("vectors_per_class").unwrap_or_default();
        let counts: Vec<usize> = counts.iter().map(|&c| usize::try_from(c).unwrap_or(usize::MAX)).collect();
        let vectors = counts.iter().fold(0usize, |sum, &count| sum.saturating_add(count));
        if vectors == 0 {
            return Err(invalid("a linear model without support vectors is not supported"));
        }
        let coefficients = n.floats("coefficients").unwrap_or_default();
        let expected = table(&[classes.saturating_sub(1), vectors])?;
        if classes < 2 || counts.len() != classes || coefficients.len() != expected {
            let problem = format!("{classes} classes with {vectors} support vectors");
            return Err(argument("the number of its coefficients", coefficients.len(), format!("it has {problem}")));
        }
        // Votes are a table of pairs and classes.
        table(&[classes, classes, classes])?;
        let of: Vec<_> = (0..classes).flat_map(|i| (i + 1..classes).map(move |j| (i, j))).collect();
        let class_of: Vec<usize> =
            counts.iter().enumerate().flat_map(|(class, count)| std::iter::repeat_n(class, *count)).collect();
        table(&[vectors, of.len()])?;
        // A row of coefficients is for the support vectors of a class against one of the others, itself left out.
        let weight = |vector: usize, (i, j): (usize, usize)| match class_of[vector] {
            class if class == i => coefficients[(j - 1) * vectors + vector],
            class if class == j => coefficients[i * vectors + vector],
            _ => 0.0,
        };
        let weights = (0..vectors).flat_map(|v| of.iter().map(move |pair| (v, *pair))).map(|(v, pair)| weight(v, pair));
        Ok(Pairs { weights: weights.collect(), of })
    }
}

/// Returns the probabilities of two classes, [samples, 2], from Platt's `a = 1 / (1 + exp(slope * score + offset))`.
///
/// onnxruntime finds the probabilities of any number of classes by iteration ("Probability estimates for multi-class classification
/// by pairwise coupling", Wu, Lin and Weng, 2004, method 2), and stops within 0.005 of the solution. Two classes need no more than two
/// iterations, which become a formula: the probability p of the first class starts at 1/2, and its error is p - a.
fn probabilities(b: &mut Importer, scores: Tensor, slopes: &[f64], offsets: &[f64]) -> Result<Tensor> {
    let ([slope], [offset]) = (slopes, offsets) else {
        let found = format!("{} and {} numbers", slopes.len(), offsets.len());
        return Err(argument("prob_a and prob_b", found, "expected one each"));
    };
    let scaled = b.mul_const(scores, -slope)?;
    let argument = b.add_const(scaled, -offset)?;
    let first = b.sigmoid(argument)?;
    let first = b.op(Clip::new(first, 1.0 - 1e-7, 1e-7))?;
    let second = b.const_sub(1.0, first)?;
    let shape = b.shape(first)?;
    let mut p = b.filled(0.5, Dtype::Float32, &shape)?;
    for _ in 0..2 {
        let q = b.const_sub(1.0, p)?;
        let error = b.sub(p, first)?;
        let size = b.op(Abs::new(error))?;
        let larger = b.op(Max::new(vec![p, q]))?;
        let distance = b.mul(size, larger)?;
        let is_far = b.compare_const(distance, CompareMode::GreaterOrEqual, 0.005 / 2.0)?;
        // Each probability in turn, given the other.
        let q = moved(b, q, error, second)?;
        let next = b.const_sub(1.0, q)?;
        let error = b.sub(first, next)?;
        let next = moved(b, next, error, first)?;
        p = b.select(is_far, next, p)?;
    }
    let q = b.const_sub(1.0, p)?;
    b.concat(vec![p, q], 1)
}

/// `other / (1 - error * other / solution^2)`: the probability of a class after that of the `other` one is moved.
fn moved(b: &mut Importer, other: Tensor, error: Tensor, solution: Tensor) -> Result<Tensor> {
    let square = b.square(solution)?;
    let slope = b.mul(error, other)?;
    let step = b.div(slope, square)?;
    let divisor = b.const_sub(1.0, step)?;
    b.div(other, divisor)
}

/// The kernel of each sample and each support vector, times coefficients, and an offset.
pub fn regressor<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, features) = samples(b, n.input(0)?)?;
    let coefficients = n.floats("coefficients").ok_or_else(|| invalid("it has no coefficients"))?;
    if n.int_or("n_supports", 0) == 0 {
        return Err(invalid("a linear model without support vectors is not supported"));
    }
    let sum = weighted_kernels(b, n, x, features, (&coefficients, 1))?;
    let rho = n.floats("rho").and_then(|all| all.first().copied()).unwrap_or(0.0);
    let made = b.add_const(sum, rho)?;
    if n.int_or("one_class", 0) != 0 {
        // 1 inside, -1 outside.
        let inside = b.compare_const(made, CompareMode::Greater, 0.0)?;
        let doubled = b.mul_const(inside, 2.0)?;
        let sign = b.add_const(doubled, -1.0)?;
        return Ok(vec![b.value(sign, Dtype::Float32)?]);
    }
    let made = transformed(b, n, made)?;
    Ok(vec![b.value(made, Dtype::Float32)?])
}

/// Returns the kernels of each sample and all support vectors, times weights, [vectors, columns].
fn weighted_kernels(
    b: &mut Importer,
    n: &Node,
    x: Tensor,
    features: usize,
    (weights, columns): (&[f64], usize),
) -> Result<Tensor> {
    let count = weights.len() / columns.max(1);
    let vectors = n.floats("support_vectors").ok_or_else(|| invalid("it has no support vectors"))?;
    let elements = table(&[count, features])?;
    if vectors.len() != elements {
        let expected = format!("{count} support vectors with {features} features have {elements}");
        return Err(argument("the number of elements of its support vectors", vectors.len(), expected));
    }
    let product = |b: &mut Importer| {
        let table = numbers(b, &[count, features], vectors.iter().copied())?;
        b.op(MatMul { right_transpose: true, ..MatMul::new(x, table) })
    };
    let parameters = n.floats("kernel_params").unwrap_or_default();
    let [gamma, offset, degree] = [0, 1, 2].map(|i| parameters.get(i).copied().unwrap_or(0.0));
    let affine = |b: &mut Importer| {
        let product = product(b)?;
        let scaled = b.mul_const(product, gamma)?;
        b.add_const(scaled, offset)
    };
    let kernel = match n.text("kernel_type").unwrap_or("LINEAR") {
        "LINEAR" => {
            // The sums over many vectors, which nearly cancel out, are computed here, with more digits.
            table(&[features, columns])?;
            let mut folded = vec![0.0; features * columns];
            for (vector, weights) in vectors.chunks(features.max(1)).zip(weights.chunks(columns)) {
                for (folded, v) in folded.chunks_mut(columns).zip(vector) {
                    folded.iter_mut().zip(weights).for_each(|(f, w)| *f += v * w);
                }
            }
            let folded = numbers(b, &[features, columns], folded)?;
            return b.op(MatMul::new(x, folded));
        }
        "POLY" => {
            let base = affine(b)?;
            b.op(Pow::new(base, degree))?
        }
        "SIGMOID" => {
            let argument = affine(b)?;
            b.op(Tanh::new(argument))?
        }
        "RBF" => {
            let distance = squared_distances(b, x, features, &vectors)?;
            let scaled = b.mul_const(distance, -gamma)?;
            b.exp(scaled)?
        }
        other => return Err(argument("kernel_type", format!("{other:?}"), "expected LINEAR, POLY, RBF or SIGMOID")),
    };
    let weights = numbers(b, &[count, columns], weights.iter().copied())?;
    b.op(MatMul::new(kernel, weights))
}

/// Returns the squared distance of each sample from each vector: `|x|^2 + |v|^2 - 2 x v`.
fn squared_distances(b: &mut Importer, x: Tensor, features: usize, vectors: &[f64]) -> Result<Tensor> {
    // These terms are large and cancel out where the origin is far away, so it is moved to the mean of the vectors.
    let count = vectors.len() / features.max(1);
    let mean: Vec<f64> =
        (0..features).map(|f| vectors.iter().skip(f).step_by(features).sum::<f64>() / count as f64).collect();
    let moved: Vec<f64> = vectors.iter().zip(mean.iter().cycle()).map(|(v, m)| v - m).collect();
    let mean = numbers(b, &[1, features], mean)?;
    let x = b.sub(x, mean)?;
    let own = b.square(x)?;
    let own = b.sum(own, &[1])?;
    let squares = moved.chunks(features.max(1)).map(|v| v.iter().map(|v| v * v).sum::<f64>());
    let theirs = numbers(b, &[1, count], squares)?;
    let squares = b.add(own, theirs)?;
    let table = numbers(b, &[count, features], moved)?;
    let product = b.op(MatMul { right_transpose: true, ..MatMul::new(x, table) })?;
    let doubled = b.mul_const(product, 2.0)?;
    let distance = b.sub(squares, doubled)?;
    b.op(MaxConst::new(distance, 0.0))
}
