//! The canonical form of a network, which the tool chain quantizes.
//!
//! `tpuc-opt --canonicalize` computes constant factors and summands within the layer before, so that neighbors in the network are one
//! layer on the chip, with one result that is quantized. The rules are those of TPU-MLIR 1.30 (`lib/Dialect/Top/Canonicalize`) that
//! change which numbers are quantized; the Relu is fused in [`super::layer`].
use crate::{
    array::Array,
    base::Result,
    graph::{Graph, Rewriter, Tensor},
    ops::{Add, AddConst, Conv, MatMul, Mul, MulConst, Op, Scale, SiLU},
};
use rayon::prelude::*;

/// Returns the op that computes the tensor from operands further up, or in a simpler form.
type Rule = fn(&mut Rewriter, Tensor) -> Result<Option<Op<Tensor>>>;

/// Each one removes an op, or makes one that no earlier rule takes.
const RULES: &[Rule] = &[
    matmul_with_bias,
    matmul_with_factors,
    product_with_number,
    sum_with_number,
    scale_of_product,
    scale_of_sum,
    scale_of_batch_norm,
    scaled_conv,
    scaled_twice,
    conv_of_conv,
    silu,
];

/// Returns a graph whose operators are the layers of the canonical module. A tensor keeps its name, unless it is no longer computed.
///
/// # Errors
/// Returns an error if weights cannot be read.
pub fn canonical(graph: &Graph) -> Result<Graph> {
    let mut graph = graph.clone();
    let mut rewriter = Rewriter::new(&mut graph);
    for result in rewriter.results() {
        while let Some(op) = rewritten(&mut rewriter, result)? {
            rewriter.replace(result, op)?;
        }
    }
    graph.remove_dead();
    Ok(graph)
}

fn rewritten(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    if r.is_float(t) {
        for rule in RULES {
            if let Some(op) = rule(r, t)? {
                return Ok(Some(op));
            }
        }
    }
    Ok(None)
}

/// Whether a tensor has one number for each column of a product, along its last axis.
fn is_row(r: &Rewriter, numbers: Tensor, product: Tensor) -> bool {
    let columns = r.shape(product).last().copied();
    Some(r.elements(numbers)) == columns && r.shape(numbers).last().copied() == columns
}

/// `x w + b` with a number for each column.
fn matmul_with_bias(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((add, (x, summand))) = sum(r, t) else { return Ok(None) };
    let Some(mut product) = matmul(r, x).filter(|_| !add.do_relu && r.shape(x) == r.shape(t)) else { return Ok(None) };
    if product.bias.is_some() || !is_row(r, summand, t) {
        return Ok(None);
    }
    product.bias = Some(summand);
    Ok(Some(product.into()))
}

/// `(x w + b) s` with a number for each column.
fn matmul_with_factors(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((mul, (x, factors))) = product(r, t) else { return Ok(None) };
    let Some(mut product) = matmul(r, x).filter(|_| !mul.do_relu && r.shape(x) == r.shape(t)) else { return Ok(None) };
    if !is_row(r, factors, t) || product.right_transpose {
        return Ok(None);
    }
    let (Some(weights), Some(s)) = (floats(r, product.right), floats(r, factors)) else { return Ok(None) };
    let scaled = weights.chunks(s.len().max(1)).flat_map(|row| row.iter().zip(&s).map(|(w, s)| w * s)).collect();
    let shape = r.shape(product.right).to_vec();
    product.right = coefficient(r, t, "right", &shape, scaled)?;
    if let Some(bias) = product.bias {
        let Some(bias) = floats(r, bias) else { return Ok(None) };
        let scaled: Vec<f32> = bias.iter().zip(&s).map(|(b, s)| b * s).collect();
        product.bias = Some(coefficient(r, t, "bias", &[s.len()], scaled)?);
    }
    Ok(Some(product.into()))
}

fn product_with_number(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((mul, (x, factor))) = product(r, t) else { return Ok(None) };
    let Some(number) = number(r, factor).filter(|_| r.shape(x) == r.shape(t)) else { return Ok(None) };
    let mut op = MulConst::new(x, number);
    (op.do_relu, op.relu_limit) = (mul.do_relu, mul.relu_limit);
    Ok(Some(op.into()))
}

fn sum_with_number(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((add, (x, summand))) = sum(r, t) else { return Ok(None) };
    let Some(number) = number(r, summand).filter(|_| r.shape(x) == r.shape(t)) else { return Ok(None) };
    let mut op = AddConst::new(x, number);
    (op.do_relu, op.relu_limit) = (add.do_relu, add.relu_limit);
    Ok(Some(op.into()))
}

/// `x s` with a number for each channel.
fn scale_of_product(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((mul, (x, factors))) = product(r, t) else { return Ok(None) };
    if r.rank(x) != 4 || !has_channels_of(r, factors, x) {
        return Ok(None);
    }
    let Some(s) = floats(r, factors) else { return Ok(None) };
    let zeros = vec![0.0; s.len()];
    scale(r, t, x, (s, zeros), (mul.do_relu, mul.relu_limit))
}

/// `x + b` with a number for each channel.
fn scale_of_sum(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((add, (x, summand))) = sum(r, t) else { return Ok(None) };
    let is_same_rank = r.rank(x) == r.rank(summand) && r.rank(x) >= 2;
    if !is_same_rank || r.shape(x) == r.shape(summand) || !has_channels_of(r, summand, x) {
        return Ok(None);
    }
    let Some(b) = floats(r, summand) else { return Ok(None) };
    let ones = vec![1.0; b.len()];
    scale(r, t, x, (ones, b), (add.do_relu, add.relu_limit))
}

fn scale_of_batch_norm(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some(Op::BatchNorm(norm)) = r.op(t) else { return Ok(None) };
    let norm = norm.clone();
    let (Some(mean), Some(variance)) = (floats(r, norm.mean), floats(r, norm.variance)) else { return Ok(None) };
    let Some(gamma) = norm.gamma.map_or_else(|| Some(vec![1.0; mean.len()]), |t| floats(r, t)) else { return Ok(None) };
    let Some(beta) = norm.beta.map_or_else(|| Some(vec![0.0; mean.len()]), |t| floats(r, t)) else { return Ok(None) };
    let factor = |(variance, gamma): (&f32, &f32)| {
        (1.0 / (f64::from(*variance) + norm.epsilon).sqrt() * f64::from(*gamma)) as f32
    };
    let s: Vec<f32> = variance.iter().zip(&gamma).map(factor).collect();
    let b = mean.iter().zip(&s).zip(&beta).map(|((mean, s), beta)| -mean * s + beta).collect();
    scale(r, t, norm.input, (s, b), (norm.do_relu, norm.relu_limit))
}

/// `(w * x + b) s + c`.
fn scaled_conv(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((op, s, c)) = factors(r, t) else { return Ok(None) };
    let Some(mut conv) = conv(r, op.input) else { return Ok(None) };
    let Some(weights) = floats(r, conv.filter) else { return Ok(None) };
    let Some(bias) = conv.bias.map_or_else(|| Some(vec![0.0; s.len()]), |t| floats(r, t)) else { return Ok(None) };
    let per_channel = (weights.len() / s.len().max(1)).max(1);
    let scaled = weights.chunks(per_channel).zip(&s).flat_map(|(row, s)| row.iter().map(move |w| w * s)).collect();
    let shifted = bias.iter().zip(&s).zip(&c).map(|((b, s), c)| b * s + c).collect();
    let shape = r.shape(conv.filter).to_vec();
    conv.filter = coefficient(r, t, "filter", &shape, scaled)?;
    conv.bias = Some(coefficient(r, t, "bias", &[s.len()], shifted)?);
    (conv.do_relu, conv.relu_limit) = (op.do_relu, op.relu_limit);
    Ok(Some(conv.into()))
}

/// `(x s + b) t + c`.
fn scaled_twice(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((op, s, b)) = factors(r, t) else { return Ok(None) };
    let Some((before, s0, b0)) = factors(r, op.input).filter(|(before, ..)| !before.do_relu) else { return Ok(None) };
    if !r.is_read_once(op.input) {
        return Ok(None);
    }
    let factors = s0.iter().zip(&s).map(|(s0, s)| s0 * s).collect();
    let summands = b0.iter().zip(s.iter().zip(&b)).map(|(b0, (s, b))| b0 * s + b).collect();
    scale(r, t, before.input, (factors, summands), (op.do_relu, op.relu_limit))
}

/// A convolution of 1x1 and another one, both without padding.
fn conv_of_conv(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some(Op::Conv(op)) = r.op(t) else { return Ok(None) };
    let mut op = (**op).clone();
    let Some(before) = conv(r, op.input) else { return Ok(None) };
    let fits = |conv: &Conv<Tensor>| {
        conv.kernel_shape.len() == 2 && conv.group == 1 && !conv.do_relu && conv.pads.iter().all(|pad| *pad == 0)
    };
    if !fits(&op) || !fits(&before) || before.kernel_shape != [1, 1] || before.strides != [1, 1] {
        return Ok(None);
    }
    let (Some(outer), Some(inner)) = (floats(r, op.filter), floats(r, before.filter)) else { return Ok(None) };
    let (&[e, d, h, w], &[_, c, ..]) = (r.shape(op.filter), r.shape(before.filter)) else { return Ok(None) };
    let is_empty = outer.is_empty() || inner.is_empty();
    // The tool chain keeps pairs whose product has far more weights.
    if is_empty || (e * c * h * w) as f32 / (e * d * h * w + c * d) as f32 > 20.0 {
        return Ok(None);
    }
    let merged = product_of_filters((&outer, [e, d, h * w]), (&inner, c));
    let bias = op.bias.map_or_else(|| Some(vec![0.0; e]), |t| floats(r, t));
    let bias_before = before.bias.map_or_else(|| Some(vec![0.0; d]), |t| floats(r, t));
    let (Some(mut bias), Some(bias_before)) = (bias, bias_before) else { return Ok(None) };
    for (b, weights) in bias.iter_mut().zip(outer.chunks(d * h * w)) {
        let products = weights.chunks(h * w).zip(&bias_before).flat_map(|(taps, b)| taps.iter().map(move |w| b * w));
        *b += products.fold(0f32, |sum, product| sum + product);
    }
    op.filter = coefficient(r, t, "filter", &[e, c, h, w], merged)?;
    if op.bias.is_some() || before.bias.is_some() {
        op.bias = Some(coefficient(r, t, "bias", &[e], bias)?);
    }
    op.input = before.input;
    Ok(Some(op.into()))
}

/// `x * sigmoid(x)`.
fn silu(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some(Op::Mul(op)) = r.op(t) else { return Ok(None) };
    if op.do_relu {
        return Ok(None);
    }
    let is_sigmoid = |x: Tensor, s: Tensor| {
        matches!(r.op(s), Some(Op::Sigmoid(op)) if op.input == x && op.scale == 1.0 && op.bias == 0.0 && !op.log)
            && r.is_read_once(s)
    };
    let pair = r.factors(t).into_iter().flatten().find(|(x, s)| is_sigmoid(*x, *s));
    Ok(pair.map(|(x, _)| SiLU::new(x).into()))
}

/// Returns the filter of `outer`, `[e, d, taps]`, applied to the results of `inner`, `[d, c]`, as `[e, c, taps]`.
fn product_of_filters((outer, [e, d, taps]): (&[f32], [usize; 3]), (inner, c): (&[f32], usize)) -> Vec<f32> {
    let mut merged = vec![0f32; e * c * taps];
    merged.par_chunks_mut((c * taps).max(1)).zip(outer.par_chunks((d * taps).max(1))).for_each(|(merged, outer)| {
        let mut sums = vec![0f32; c];
        for tap in 0..taps {
            sums.fill(0.0);
            for (row, weights) in inner.chunks(c).zip(outer.chunks(taps)) {
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += weights[tap] * x);
            }
            merged.chunks_mut(taps).zip(&sums).for_each(|(place, sum)| place[tap] = *sum);
        }
    });
    merged
}

/// Returns a sum of a result and a coefficient, and both.
fn sum(r: &Rewriter, t: Tensor) -> Option<(Add<Tensor>, (Tensor, Tensor))> {
    let Some(Op::Add(op)) = r.op(t) else { return None };
    let is_plain = op.coeff.as_ref().is_none_or(|c| c.iter().all(|c| *c == 1.0));
    let pair = result_and_coefficient(r, r.summands(t)?)?;
    is_plain.then(|| ((**op).clone(), pair))
}

/// Returns a product of a result and a coefficient, and both.
fn product(r: &Rewriter, t: Tensor) -> Option<(Mul<Tensor>, (Tensor, Tensor))> {
    let Some(Op::Mul(op)) = r.op(t) else { return None };
    Some(((**op).clone(), result_and_coefficient(r, r.factors(t)?)?))
}

fn result_and_coefficient(r: &Rewriter, pairs: [(Tensor, Tensor); 2]) -> Option<(Tensor, Tensor)> {
    pairs.into_iter().find(|(a, b)| r.is_coefficient(*b) && !r.is_coefficient(*a))
}

/// Returns the product with a constant matrix that computes a tensor, if nothing else reads it.
fn matmul(r: &Rewriter, t: Tensor) -> Option<MatMul<Tensor>> {
    let Some(Op::MatMul(op)) = r.op(t) else { return None };
    let is_plain = r.is_coefficient(op.right) && r.rank(op.right) == 2 && !op.do_relu && !op.output_transpose;
    (is_plain && r.is_read_once(t)).then(|| (**op).clone())
}

/// Returns the convolution without a Relu that computes a tensor, if nothing else reads it.
fn conv(r: &Rewriter, t: Tensor) -> Option<Conv<Tensor>> {
    let Some(Op::Conv(op)) = r.op(t) else { return None };
    (!op.do_relu && r.is_read_once(t)).then(|| (**op).clone())
}

/// Returns a Scale with its factors and summands.
fn factors(r: &Rewriter, t: Tensor) -> Option<(Scale<Tensor>, Vec<f32>, Vec<f32>)> {
    let Some(Op::Scale(op)) = r.op(t) else { return None };
    Some(((**op).clone(), floats(r, op.scale)?, floats(r, op.bias)?))
}

/// Whether a coefficient has one number for each channel of a tensor that it is broadcast to.
fn has_channels_of(r: &Rewriter, coefficient: Tensor, t: Tensor) -> bool {
    let (shape, channels) = (r.shape(coefficient), r.shape(t).get(1).copied());
    let axis = (shape.len() + 1).checked_sub(r.rank(t));
    axis.and_then(|axis| shape.get(axis).copied()) == channels && Some(r.elements(coefficient)) == channels
}

/// Returns the only number of a coefficient.
fn number(r: &Rewriter, coefficient: Tensor) -> Option<f64> {
    (r.elements(coefficient) == 1).then(|| floats(r, coefficient))?.map(|all| all[0].into())
}

fn floats(r: &Rewriter, coefficient: Tensor) -> Option<Vec<f32>> {
    Some(r.data(coefficient)?.into_iter().map(|x| x as f32).collect())
}

/// Adds a coefficient of the operator that computes `t`.
fn coefficient(r: &mut Rewriter, t: Tensor, role: &str, shape: &[usize], numbers: Vec<f32>) -> Result<Tensor> {
    let name = format!("{}_{role}", r.name(t));
    r.coefficient(&name, Array::from_vec(shape, numbers)?)
}

/// Returns a Scale of `x`, which computes `t`.
fn scale(
    r: &mut Rewriter,
    t: Tensor,
    x: Tensor,
    (factors, summands): (Vec<f32>, Vec<f32>),
    (do_relu, relu_limit): (bool, f64),
) -> Result<Option<Op<Tensor>>> {
    if factors.len() != summands.len() || r.shape(x) != r.shape(t) {
        return Ok(None);
    }
    let channels = [factors.len()];
    let factors = coefficient(r, t, "scale", &channels, factors)?;
    let summands = coefficient(r, t, "bias", &channels, summands)?;
    let mut op = Scale::new(x, factors, summands);
    (op.do_relu, op.relu_limit) = (do_relu, relu_limit);
    Ok(Some(op.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpulang::{
        Dtype,
        exec::{CpuBackend, RunOptions, Session},
    };

    fn random(shape: &[usize], seed: usize) -> Array {
        let numbers = (0..shape.iter().product()).map(|i: usize| ((i * 37 + seed * 11) % 23) as f32 / 11.0 - 1.0);
        Array::from_vec(shape, numbers.collect::<Vec<_>>()).unwrap()
    }

    /// Returns the names of the canonical operators, and compares their numbers with those of the network.
    fn layers(graph: &Graph) -> Vec<String> {
        let canonical = canonical(graph).unwrap();
        let shape = graph.tensor(graph.inputs()[0]).unwrap().shape.to_vec();
        let results = [graph, &canonical].map(|g| {
            let session = Session::new(g, CpuBackend::new(), &RunOptions::default()).unwrap();
            session.run(&[("x", random(&shape, 5))]).unwrap()["y"].to_f32().unwrap()
        });
        for (found, expected) in results[1].iter().zip(&results[0]) {
            assert!((found - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{found} is not {expected}");
        }
        let operators = canonical.operators().iter();
        operators
            .map(|o| format!("{} {}", o.op.name(), canonical.result_names(o).collect::<Vec<_>>().join(" ")))
            .collect()
    }

    fn graph(shape: &[usize]) -> (Graph, Tensor) {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, shape).unwrap();
        (g, x)
    }

    #[test]
    fn batch_norms_and_products_become_part_of_convolutions() {
        let (mut g, x) = graph(&[1, 4, 6, 6]);
        let a = g.conv(x, random(&[3, 4, 1, 1], 1)).out_name("a").call().unwrap();
        let b = g.batch_norm(a, random(&[3], 1), vec![2f32, 0.5, 1.0]).gamma(random(&[3], 3)).beta(random(&[3], 4));
        let b = b.out_name("b").call().unwrap();
        let filter = random(&[5, 3, 3, 3], 2);
        let c = g.conv(b, filter).bias(random(&[5], 3)).stride(2).out_name("c").call().unwrap();
        let d = g.mul(c, random(&[1, 5, 1, 1], 4)).out_name("d").call().unwrap();
        let y = g.add(d, random(&[1, 5, 1, 1], 5)).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(layers(&g), ["Conv y"]);
        // Results that are read elsewhere, too, must be computed.
        g.set_outputs(&[y, b]).unwrap();
        assert_eq!(layers(&g), ["Conv b", "Conv y"]);
    }

    #[test]
    fn padded_convolutions_and_those_with_far_more_weights_stay_apart() {
        for (pad, channels, expected) in
            [(1, 3, &["Conv a", "Conv y"][..]), (0, 2, &["Conv a", "Conv y"]), (0, 3, &["Conv y"])]
        {
            let (mut g, x) = graph(&[1, 48, 4, 4]);
            let a =
                g.conv(x, random(&[channels, 48, 1, 1], 1)).bias(random(&[channels], 2)).out_name("a").call().unwrap();
            let y = g.conv(a, random(&[40, channels, 3, 3], 3)).pad(pad).out_name("y").call().unwrap();
            g.set_outputs(&[y]).unwrap();
            assert_eq!(layers(&g), expected);
        }
    }

    #[test]
    fn rows_and_numbers_become_part_of_products() {
        let (mut g, x) = graph(&[2, 3, 4]);
        let a = g.matmul(x, random(&[4, 5], 1)).call().unwrap();
        let b = g.add(random(&[5], 2), a).call().unwrap();
        let c = g.mul(b, random(&[1, 1, 5], 3)).out_name("c").call().unwrap();
        let d = g.mul(c, Array::from([0.5f32])).out_name("d").call().unwrap();
        let y = g.add(d, random(&[3, 1], 4)).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(layers(&g), ["MatMul c", "MulConst d", "Add y"]);
    }

    #[test]
    fn rows_that_change_the_shape_and_factors_of_rows_stay_apart() {
        let (mut g, x) = graph(&[4, 4]);
        let a = g.matmul(x, random(&[4, 4], 1)).out_name("a").call().unwrap();
        let b = g.mul(a, random(&[4, 1], 2)).out_name("b").call().unwrap();
        let c = g.matmul(b, random(&[4, 1], 3)).out_name("c").call().unwrap();
        let d = g.add(c, random(&[5], 4)).out_name("d").call().unwrap();
        let e = g.matmul(d, random(&[5, 3], 5)).out_name("e").call().unwrap();
        let y = g.add(e, random(&[1, 1, 3], 6)).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(layers(&g), ["MatMul a", "Mul b", "MatMul c", "Add d", "MatMul e", "Add y"]);
    }

    #[test]
    fn a_number_times_its_sigmoid_is_one_function() {
        let (mut g, x) = graph(&[2, 3]);
        let gate = g.sigmoid(x).call().unwrap();
        let a = g.mul(gate, x).out_name("a").call().unwrap();
        let other = g.sigmoid(x).out_name("s").call().unwrap();
        let y = g.mul(a, other).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(layers(&g), ["SiLU a", "Sigmoid s", "Mul y"]);
    }

    #[test]
    fn factors_of_one_tensor_are_multiplied() {
        let (mut g, x) = graph(&[2, 3, 4, 4]);
        let a = g.mul(x, random(&[1, 3, 1, 1], 1)).call().unwrap();
        let b = g.add(a, random(&[1, 3, 1, 1], 2)).call().unwrap();
        let y = g.mul(b, random(&[1, 3, 1, 1], 3)).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(layers(&g), ["Scale y"]);
    }
}
