use super::{
    OpKernel, Operand,
    blocked::{self, InstructionSet, RowNorm, fill_each, replace_each_with_two},
    chunks::blocks,
    reduce::sum_of,
    task::{PostOp, Task},
    unary::{OfEach, compute},
    workspace::{Workspace, all_reals, numbers, of_threads, reals, result_reals},
};
use crate::{
    Layout,
    array::{reserve, zeros},
    base::Result,
    ops::{BatchNorm, GroupNorm, InstanceNorm, LRN, LayerNorm, Normalize, PixelNorm, RMSNorm, Scale},
};
use rayon::prelude::*;
use std::borrow::Cow;

/// Returns an optional operand with a number per channel; `default` if there is none.
fn of_channels<'a>(t: &Task<'a>, operand: &Option<Operand>, channels: usize, default: f32) -> Result<Cow<'a, [f32]>> {
    Ok(match t.optional_reals(operand)? {
        Some(values) => values,
        None => {
            let mut values = zeros(channels)?;
            values.fill(default);
            values.into()
        }
    })
}

pub(super) fn batch_norm(op: BatchNorm<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let (mean, variance) = (t.reals(&op.mean)?, t.reals(&op.variance)?);
        let (gamma, beta) = (t.optional_reals(&op.gamma)?, t.optional_reals(&op.beta)?);
        // Folded to one multiplication and addition per channel, in f64.
        let channels = op.input.ty.shape[1];
        let (mut scale, mut bias): (Vec<f32>, Vec<f32>) = Default::default();
        reserve(&mut scale, channels)?;
        reserve(&mut bias, channels)?;
        for c in 0..channels {
            let g = gamma.as_ref().map_or(1.0, |g| f64::from(g[c]));
            let b = beta.as_ref().map_or(0.0, |b| f64::from(b[c]));
            let factor = g / (f64::from(variance[c]) + op.epsilon).sqrt();
            scale.push(factor as f32);
            bias.push((b - f64::from(mean[c]) * factor) as f32);
        }
        per_channel(t, &op.input, PostOp::relu(op.do_relu, op.relu_limit), &scale, &bias)
    })
}

pub(super) fn scale(op: Scale<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let (scale, bias) = (t.reals(&op.scale)?, t.reals(&op.bias)?);
        per_channel(t, &op.input, PostOp::relu(op.do_relu, op.relu_limit), &scale, &bias)
    })
}

/// Computes `x * scale + bias`, with one scale and bias per channel.
fn per_channel(t: &mut Task, input: &Operand, finish: PostOp, scale: &[f32], bias: &[f32]) -> Result<()> {
    let shape = &input.ty.shape;
    let (channels, inner) = (shape[1], shape[2..].iter().product::<usize>());
    let source = t.source(input, shape)?;
    // Without spatial axes, a row has one element per channel.
    let row = if inner == 1 { channels } else { 1 };
    t.fill(0, row, finish, |first, out| {
        if inner == 1 {
            source.reals(first, out);
            for row in out.chunks_mut(channels.max(1)) {
                replace_each_with_two(row, scale, bias, |v, scale, bias| v * scale + bias);
            }
            return Ok(());
        }
        blocks(first, out.len(), inner, |block, part| {
            let (scale, bias) = (scale[block % channels], bias[block % channels]);
            compute(&source, first + part.start, &mut out[part], &OfEach(move |v| v * scale + bias));
        });
        Ok(())
    })
}

pub(super) fn layer_norm(op: LayerNorm<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let n: usize = shape[axis..].iter().product();
        normalized_rows(t, &op.input, n, true, op.eps, [&op.weight, &op.bias])
    })
}

/// Normalizes rows of `n` elements by mean and variance, or by the mean of squares only.
fn normalized_rows(
    t: &mut Task,
    input: &Operand,
    n: usize,
    has_mean: bool,
    eps: f64,
    [weight, bias]: [&Option<Operand>; 2],
) -> Result<()> {
    let (gamma, beta, isa) = (t.optional_reals(weight)?, t.optional_reals(bias)?, InstructionSet::best());
    t.fill_rows(0, input, n, PostOp::default(), |from, to| {
        isa.run(RowNorm { from, to, n, has_mean, eps: eps as f32, gamma: gamma.as_deref(), beta: beta.as_deref() });
    })
}

pub(super) fn group_norm(op: GroupNorm<Operand>) -> OpKernel {
    let groups = op.num_groups as usize;
    grouped(op.input, groups, op.eps, [op.weight, op.bias])
}

pub(super) fn instance_norm(op: InstanceNorm<Operand>) -> OpKernel {
    let groups = op.input.ty.plain_shape()[1];
    grouped(op.input, groups, op.eps, [op.weight, op.bias])
}

/// Normalizes each group of channels, together with all following axes, of images that are row-major or in blocks.
fn grouped(input: Operand, groups: usize, eps: f64, [weight, bias]: [Option<Operand>; 2]) -> OpKernel {
    let workspace = reals([&input]) + result_reals();
    OpKernel::with_workspace(workspace, move |t| {
        if input.ty.layout == Layout::Plain {
            return grouped_rows(t, &input, groups, eps, [&weight, &bias]);
        }
        let (shape, isa) = (input.ty.plain_shape(), InstructionSet::best());
        let (channels, area) = (shape[1], shape[2..].iter().product());
        let (weight, bias) = (of_channels(t, &weight, channels, 1.0)?, of_channels(t, &bias, channels, 0.0)?);
        let x = t.reals(&input)?;
        let norm = blocked::GroupNorm { isa, channels, groups, area, eps, weight: &weight, bias: &bias };
        t.write(0, PostOp::default(), |out| norm.run(&x, out))
    })
}

/// Normalizes groups of row-major images. The moments are computed in f64.
fn grouped_rows(
    t: &mut Task,
    input: &Operand,
    groups: usize,
    eps: f64,
    [weight, bias]: [&Option<Operand>; 2],
) -> Result<()> {
    let shape = &input.ty.shape;
    let (channels, inner) = (shape[1], shape[2..].iter().product::<usize>());
    let of_group = channels / groups;
    let (weight, bias) = (t.optional_reals(weight)?, t.optional_reals(bias)?);
    let x = t.reals(input)?;
    let moments: Vec<(f64, f64)> = x.par_chunks((of_group * inner).max(1)).map(mean_and_variance).collect();
    t.fill(0, 1, PostOp::default(), |first, out| {
        blocks(first, out.len(), inner, |block, part| {
            let (mean, variance) = moments[block / of_group];
            let channel = block % channels;
            let w = weight.as_ref().map_or(1.0, |w| f64::from(w[channel])) / (variance + eps).sqrt();
            let b = bias.as_ref().map_or(0.0, |b| f64::from(b[channel]));
            let x = &x[first + part.start..first + part.end];
            // The bias makes up for the rounding of the mean.
            let b = b + (f64::from(mean as f32) - mean) * w;
            let [mean, w, b] = [mean, w, b].map(|v| v as f32);
            fill_each(&mut out[part], x, move |x: f32| (x - mean) * w + b);
        });
        Ok(())
    })
}

/// Number of elements that one task adds up.
const PART: usize = 1 << 12;

/// Returns the mean and the variance. They do not depend on the number of threads.
fn mean_and_variance(values: &[f32]) -> (f64, f64) {
    let (parts, n) = (values.par_chunks(PART), values.len() as f64);
    let sums: Vec<f64> = parts.clone().map(|part| sum_of(part, f64::from)).collect();
    let mean = sums.iter().sum::<f64>() / n;
    let squares: Vec<f64> = parts.map(|part| sum_of(part, move |v| (f64::from(v) - mean).powi(2))).collect();
    (mean, squares.iter().sum::<f64>() / n)
}

pub(super) fn rms_norm(op: RMSNorm<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let n = op.input.ty.shape[op.input.ty.shape.len() - 1];
        normalized_rows(t, &op.input, n, false, op.eps, [&op.gamma, &None])
    })
}

/// The workspace of [`images`], with one or two 8-byte numbers for each position.
fn of_images(input: &Operand) -> Workspace {
    reals([input]) + result_reals() + numbers(input.ty.elements() / input.ty.shape[1].max(1), 16)
}

/// Applies `f` to each image of channels x positions.
fn images(t: &mut Task, input: &Operand, f: impl Fn(&[f32], &mut [f32]) -> Result<()> + Sync) -> Result<()> {
    let image = input.ty.shape[1..].iter().product::<usize>();
    let values = t.reals(input)?;
    t.fill(0, image, PostOp::default(), |first, out| {
        values[first..first + out.len()].chunks(image).zip(out.chunks_mut(image)).try_for_each(|(x, y)| f(x, y))
    })
}

/// Normalizes over the channels of images, row-major or in blocks. Like layer norms, computed in float32.
pub(super) fn pixel_norm(op: PixelNorm<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let (shape, isa) = (op.input.ty.plain_shape(), InstructionSet::best());
        let (channels, area) = (shape[1], shape[2..].iter().product());
        if area == 1 && op.input.ty.layout == Layout::Plain {
            return normalized_rows(t, &op.input, channels, true, op.eps, [&op.weight, &op.bias]);
        }
        let (weight, bias) = (of_channels(t, &op.weight, channels, 1.0)?, of_channels(t, &op.bias, channels, 0.0)?);
        let x = t.reals(&op.input)?;
        let norm = blocked::PixelNorm { isa, channels, area, eps: op.eps as f32, weight: &weight, bias: &bias };
        t.write(0, PostOp::default(), |out| match op.input.ty.layout {
            Layout::Plain => norm.row_major(&x, out),
            _ => norm.blocked(&x, out),
        })
    })
}

/// Without an epsilon, like in the tool chain: the result is NaN if all elements are 0.
pub(super) fn normalize(op: Normalize<Operand>) -> OpKernel {
    OpKernel::with_workspace(of_images(&op.input), move |t| {
        let inner = op.input.ty.shape[2..].iter().product::<usize>();
        let scale = t.reals(&op.scale)?;
        images(t, &op.input, |x, out| {
            let mut norm = zeros::<f64>(if op.across_spatial { 1 } else { inner })?;
            let n = norm.len();
            x.iter().enumerate().for_each(|(i, v)| norm[i % n] += f64::from(*v) * f64::from(*v));
            norm.iter_mut().for_each(|n| *n = n.sqrt());
            for (i, (v, o)) in x.iter().zip(out).enumerate() {
                *o = (f64::from(*v) / norm[i % n] * f64::from(scale[i / inner])) as f32;
            }
            Ok(())
        })
    })
}

pub(super) fn lrn(op: LRN<Operand>) -> OpKernel {
    // The sums of long windows, of a row that is three times as long, twice.
    let sums = of_threads(op.input.ty.shape[1].saturating_mul(3), 16);
    OpKernel::with_workspace(of_images(&op.input) + sums, move |t| {
        let (channels, inner) = (op.input.ty.shape[1], op.input.ty.shape[2..].iter().product::<usize>());
        // For an even size, the extra neighbor comes after.
        let (before, after) = ((op.size - 1) / 2, op.size / 2);
        let scaled = |x: f32, squares: f64| {
            let base = op.bias + op.alpha / op.size as f64 * squares;
            (f64::from(x) / base.powf(op.beta)) as f32
        };
        images(t, &op.input, |x, out| {
            if op.size.min(channels as i64) > LONG_WINDOW {
                let window = [before, after].map(|n| n.min(channels as i64) as usize);
                return sums_of_long_windows(x, [channels, inner], window, |i, squares| out[i] = scaled(x[i], squares));
            }
            let mut squares = zeros::<f64>(inner)?;
            for (c, out) in out.chunks_mut(inner).enumerate() {
                let last = (c as i64).saturating_add(after).min(channels as i64 - 1) as usize;
                squares.fill(0.0);
                for near in x.chunks(inner).take(last + 1).skip((c as i64 - before).max(0) as usize) {
                    squares.iter_mut().zip(near).for_each(|(s, v)| *s += f64::from(*v) * f64::from(*v));
                }
                for (p, o) in out.iter_mut().enumerate() {
                    *o = scaled(x[c * inner + p], squares[p]);
                }
            }
            Ok(())
        })
    })
}

/// Longer windows of [`lrn`] are not added up one by one.
const LONG_WINDOW: i64 = 64;

/// Calls `f` with the place of each number of a `channels` x `inner` matrix, and the sum of the squares of those from `before` channels before
/// to `after` channels after it.
///
/// A window is the end of one section and the beginning of the next, which are as long as the window. So each number is added twice, and
/// none is subtracted, which would leave the rounding errors of large ones.
fn sums_of_long_windows(
    x: &[f32],
    [channels, inner]: [usize; 2],
    [before, after]: [usize; 2],
    mut f: impl FnMut(usize, f64),
) -> Result<()> {
    let (width, padded) = (before + after + 1, before + channels + after);
    let [mut ends, mut beginnings] = [zeros::<f64>(padded)?, zeros::<f64>(padded)?];
    for p in 0..inner {
        for sums in [&mut ends, &mut beginnings] {
            sums.fill(0.0);
            let squares = x[p..].iter().step_by(inner).map(|v| f64::from(*v) * f64::from(*v));
            sums[before..].iter_mut().zip(squares).for_each(|(sum, square)| *sum = square);
        }
        let add_up = |sum: f64, v: &mut f64| {
            *v += sum;
            *v
        };
        for section in ends.chunks_mut(width) {
            section.iter_mut().rev().fold(0.0, add_up);
        }
        for section in beginnings.chunks_mut(width) {
            section.iter_mut().fold(0.0, add_up);
        }
        for c in 0..channels {
            let is_section = c.is_multiple_of(width);
            f(c * inner + p, ends[c] + if is_section { 0.0 } else { beginnings[c + width - 1] });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Tensor, ops::Scale, run};

    fn result(g: &mut Graph, y: Tensor, x: &Array) -> Vec<f32> {
        g.set_outputs(&[y]).unwrap();
        run(g, &[("x", x.clone())], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f32().unwrap()
    }

    /// Groups are larger and smaller than the parts that are added up.
    #[test]
    fn groups_are_normalized() {
        let shape = [2, 6, 40, 45];
        let values: Vec<f32> =
            (0..shape.iter().product()).map(|i: usize| (i * 37 % 1013) as f32 * 0.01 + 5.0).collect();
        for groups in [1, 2, 3, 6] {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, &shape[..]).unwrap();
            let (gamma, beta) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [0.5f32, 0.0, -0.5, 1.0, -1.0, 2.0]);
            let y = g.group_norm(x).gamma(gamma.to_vec()).beta(beta.to_vec()).num_groups(groups).call().unwrap();
            let got = result(&mut g, y, &Array::from_vec(shape.to_vec(), values.clone()).unwrap());
            let n = values.len() / (shape[0] * groups as usize);
            for (i, got) in got.iter().enumerate() {
                let group = values[i / n * n..][..n].iter().map(|v| f64::from(*v));
                // Each plane is checked by its first elements: the moments are computed anew for each.
                if i % (40 * 45) > 2 {
                    continue;
                }
                let mean = group.clone().sum::<f64>() / n as f64;
                let variance = group.map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64;
                let channel = i / (40 * 45) % 6;
                let expected = (f64::from(values[i]) - mean) / (variance + 1e-5).sqrt() * f64::from(gamma[channel])
                    + f64::from(beta[channel]);
                assert!((f64::from(*got) - expected).abs() <= 1e-5, "{groups} groups, {i}: {got}, not {expected}");
            }
        }
    }

    /// The mean is no float32.
    #[test]
    fn small_differences_of_large_numbers_are_normalized() {
        let values: Vec<f32> = (0..64).map(|i| 1e7 + (i % 4) as f32).collect();
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 1, 8, 8]).unwrap();
        let y = g.group_norm(x).num_groups(1).call().unwrap();
        let got = result(&mut g, y, &Array::from_vec([1, 1, 8, 8], values).unwrap());
        let deviation = (1.25f32 + 1e-5).sqrt();
        for (i, got) in got.iter().enumerate() {
            let expected = ((i % 4) as f32 - 1.5) / deviation;
            assert!((got - expected).abs() <= 1e-5, "{i}: {got}, not {expected}");
        }
    }

    #[test]
    fn batch_norm_scales_each_channel_of_any_shape() {
        for shape in [vec![5, 70], vec![3, 7, 1], vec![2, 3, 9], vec![2, 5, 4, 6], vec![400, 33]] {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, &shape).unwrap();
            let (channels, inner) = (shape[1], shape[2..].iter().product::<usize>());
            let numbers = |n: usize| (0..n).map(|i| (i * 37 % 41) as f64 - 20.0).collect::<Vec<_>>();
            let array =
                |shape: &[usize], v: Vec<f64>| Array::from_f64s(Dtype::Float32, shape.to_vec(), v.into_iter()).unwrap();
            let mean = numbers(channels);
            // The standard deviation of channel `c` is `c + 1`.
            let variance = (1..=channels).map(|c| (c * c) as f64).collect();
            let y = g.batch_norm(x, array(&[channels], mean.clone()), array(&[channels], variance)).epsilon(0.0);
            let y = y.call().unwrap();
            let values = numbers(shape.iter().product());
            for (i, got) in result(&mut g, y, &array(&shape, values.clone())).iter().enumerate() {
                let c = i / inner % channels;
                let expected = (values[i] - mean[c]) / (c + 1) as f64;
                assert!((f64::from(*got) - expected).abs() <= 1e-5, "{shape:?}: {i}: {got}, not {expected}");
            }
        }
    }

    #[test]
    fn a_scale_does_what_the_batch_norm_did_that_it_came_from() {
        let x = Array::from_vec([1, 2, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
        let mut g = Graph::new("g").unwrap();
        let t = g.input("x", Dtype::Float32, [1, 2, 2]).unwrap();
        let y = g.batch_norm(t, vec![1f32, 2.0], vec![4f32, 1.0]).gamma(vec![3f32, 1.0]).epsilon(0.0).call().unwrap();
        let expected = [0.0, 1.5, 1.0, 2.0];
        assert_eq!(result(&mut g, y, &x), expected);
        let scale = g.coefficient("s", Array::from([1.5f32, 1.0])).unwrap();
        let bias = g.coefficient("b", Array::from([-1.5f32, -2.0])).unwrap();
        let y = g.op(Scale::new(t, scale, bias)).out_name("y").call().unwrap()[0];
        assert_eq!(result(&mut g, y, &x), expected);
    }

    #[test]
    fn rows_are_normalized() {
        let x = Array::from_vec([2, 3], vec![1f32, 2.0, 3.0, 5.0, 5.0, 5.0]).unwrap();
        let mut g = Graph::new("g").unwrap();
        let t = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let y = g.layer_norm(t).axis(1).gamma(vec![1f32, 1.0, 2.0]).beta(vec![0f32, 0.5, 0.0]).call().unwrap();
        let (got, s) = (result(&mut g, y, &x), 1.5f32.sqrt());
        for (a, b) in got.iter().zip([-s, 0.5, 2.0 * s, 0.0, 0.5, 0.0]) {
            assert!((a - b).abs() < 1e-4, "{got:?}");
        }
    }
}
