use super::{
    Kernel, Operand,
    gemm::{Factor, Mat, gemm_f32, gemm_int},
    matmul::is_narrow,
    task::{Finish, Task},
};
use crate::{
    array::zeros,
    base::{Dtype, Result},
    ops::{self, dilations},
    quant::Quantization,
};
use rayon::prelude::*;
use rten_gemm::GemmExecutor;

/// A convolution with any number of spatial axes, and its sizes.
struct Conv {
    op: ops::Conv<Operand>,
    batch: usize,
    group: usize,
    /// Input and output channels of a group.
    ic: usize,
    oc: usize,
    input: Vec<usize>,
    kernel: Vec<usize>,
    output: Vec<usize>,
    stride: Vec<i64>,
    dilation: Vec<i64>,
    pad: Vec<i64>,
}

impl Conv {
    fn new(op: ops::Conv<Operand>, output: &[usize]) -> Conv {
        let (x, w, group) = (&op.input.ty.shape, &op.filter.ty.shape, op.group as usize);
        Conv {
            batch: x[0],
            group,
            ic: w[1],
            oc: w[0] / group,
            input: x[2..].to_vec(),
            kernel: w[2..].to_vec(),
            output: output[2..].to_vec(),
            stride: op.strides.clone(),
            dilation: dilations(&op),
            pad: op.pads.clone(),
            op,
        }
    }
    fn pixels(&self) -> usize {
        self.output.iter().product()
    }
    /// Rows of the column matrix: weights of one output channel.
    fn depth(&self) -> usize {
        self.ic * self.kernel.iter().product::<usize>()
    }
    /// The input of a group already is its column matrix.
    fn is_pointwise(&self) -> bool {
        self.kernel.iter().all(|&k| k == 1) && self.stride.iter().all(|&s| s == 1) && self.pad.iter().all(|&p| p == 0)
    }
    /// The column matrix of one image's group: a row for each channel and kernel element, a column for each output
    /// pixel, `padding` where the kernel reaches outside.
    fn columns<T: Copy + Send + Sync>(&self, image: &[T], padding: T, columns: &mut [T]) {
        let (pixels, taps): (usize, usize) = (self.pixels(), self.kernel.iter().product());
        let plane: usize = self.input.iter().product();
        columns.par_chunks_mut(pixels).enumerate().for_each(|(row, out)| {
            self.row(&image[row / taps * plane..][..plane], row % taps, padding, out);
        });
    }
    /// One row of the column matrix: what one kernel element sees of a channel.
    fn row<T: Copy>(&self, plane: &[T], mut tap: usize, padding: T, out: &mut [T]) {
        let rank = self.output.len();
        let mut offset = vec![0i64; rank];
        for i in (0..rank).rev() {
            offset[i] = (tap % self.kernel[i]) as i64 * self.dilation[i] - self.pad[i];
            tap /= self.kernel[i];
        }
        let last = rank - 1;
        let width = self.output[last];
        // The output positions whose input lies inside, along the last axis.
        let (step, first) = (self.stride[last], offset[last]);
        let inside = |x: i64| (0..self.input[last] as i64).contains(&(x * step + first));
        let from = (0..width as i64).find(|&x| inside(x)).unwrap_or(width as i64);
        let to = (from..width as i64).find(|&x| !inside(x)).unwrap_or(width as i64);
        for (line, out) in out.chunks_mut(width).enumerate() {
            let (mut rest, mut start, mut size, mut outside) = (line, 0i64, self.input[last] as i64, false);
            for i in (0..last).rev() {
                let at = (rest % self.output[i]) as i64 * self.stride[i] + offset[i];
                rest /= self.output[i];
                outside |= !(0..self.input[i] as i64).contains(&at);
                start += at * size;
                size *= self.input[i] as i64;
            }
            if outside {
                out.fill(padding);
                continue;
            }
            let (from, to) = (from as usize, to as usize);
            out[..from].fill(padding);
            out[to..].fill(padding);
            let mut at = start + from as i64 * step + first;
            if step == 1 && to > from {
                out[from..to].copy_from_slice(&plane[at as usize..at as usize + to - from]);
            } else {
                for v in &mut out[from..to] {
                    *v = plane[at as usize];
                    at += step;
                }
            }
        }
    }
}

pub(super) fn conv(op: ops::Conv<Operand>) -> Kernel {
    Box::new(move |t| {
        let c = Conv::new(op.clone(), &t.result(0)?.shape);
        let (x, w) = (&op.input.ty, &op.filter.ty);
        match () {
            () if x.buffer_dtype() == Dtype::Float32 => float(t, &c),
            () if is_narrow(x.dtype) && is_narrow(w.dtype) => integer::<i32>(t, &c),
            () => integer::<i64>(t, &c),
        }
    })
}

fn float(t: &mut Task, c: &Conv) -> Result<()> {
    let (x, w) = (t.reals(&c.op.input)?, t.reals(&c.op.filter)?);
    let bias = c.op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
    let pixels = c.pixels();
    t.write(0, Finish::relu(c.op.do_relu, c.op.relu_limit), |out| {
        if c.ic == 1 && c.oc <= 4 {
            depthwise(c, &x, &w, out)?;
        } else {
            products(c, &x, &w, out)?;
        }
        if let Some(bias) = bias {
            out.par_chunks_mut(pixels).enumerate().for_each(|(i, run)| {
                let b = bias[i % bias.len()];
                run.iter_mut().for_each(|v| *v += b);
            });
        }
        Ok(())
    })
}

/// A matrix product an image and group.
fn products(c: &Conv, x: &[f32], w: &[f32], out: &mut [f32]) -> Result<()> {
    let (pixels, depth, plane) = (c.pixels(), c.depth(), c.input.iter().product::<usize>());
    let executor = GemmExecutor::new();
    let mut columns = if c.is_pointwise() { Vec::new() } else { zeros(depth.saturating_mul(pixels))? };
    for (i, out) in out.chunks_mut(c.oc * pixels).enumerate() {
        let group = i % c.group;
        let image = &x[i * c.ic * plane..(i + 1) * c.ic * plane];
        if !c.is_pointwise() {
            c.columns(image, 0.0, &mut columns);
        }
        let b = if c.is_pointwise() { image } else { &columns };
        let w = &w[group * c.oc * depth..(group + 1) * c.oc * depth];
        let w = Mat { data: w, rows: c.oc, cols: depth, transposed: false };
        gemm_f32(&executor, out, w, Mat { data: b, rows: depth, cols: pixels, transposed: false })?;
    }
    Ok(())
}

/// One input channel a group: a product would have a single row or few, so kernel elements are added one by one.
fn depthwise(c: &Conv, x: &[f32], w: &[f32], out: &mut [f32]) -> Result<()> {
    let (pixels, taps, plane) = (c.pixels(), c.depth(), c.input.iter().product::<usize>());
    out.par_chunks_mut(pixels).enumerate().try_for_each_init(Vec::new, |row, (i, out)| {
        if row.is_empty() {
            *row = zeros(pixels)?;
        }
        let (group, channel) = (i / c.oc % (c.group * c.batch), i % (c.group * c.oc));
        for tap in 0..taps {
            c.row(&x[group * plane..(group + 1) * plane], tap, 0.0, row);
            let w = w[channel * taps + tap];
            out.iter_mut().zip(row.iter()).for_each(|(o, v)| *o += w * v);
        }
        Ok(())
    })
}

/// Exact sums of `(x - zx) * (w - zw)`; a quantized result is then scaled.
fn integer<T: Factor>(t: &mut Task, c: &Conv) -> Result<()> {
    let (pixels, depth, plane) = (c.pixels(), c.depth(), c.input.iter().product::<usize>());
    let taps: usize = c.kernel.iter().product();
    let x = centred::<T>(t, &c.op.input, |i, _| i / plane % (c.group * c.ic))?;
    let w = centred::<T>(t, &c.op.filter, |i, n| if n == c.group * c.oc { i / depth } else { i / taps % c.ic })?;
    let mut out = zeros::<i64>(t.result(0)?.elements())?;
    let mut columns = zeros(depth.saturating_mul(pixels))?;
    for (i, out) in out.chunks_mut(c.oc * pixels).enumerate() {
        let group = i % c.group;
        c.columns(&x[i * c.ic * plane..(i + 1) * c.ic * plane], T::default(), &mut columns);
        let data = &w[group * c.oc * depth..(group + 1) * c.oc * depth];
        let w = Mat { data, rows: c.oc, cols: depth, transposed: false };
        gemm_int(out, w, Mat { data: &columns, rows: depth, cols: pixels, transposed: false })?;
    }
    drop((x, w, columns));
    if let Some(bias) = &c.op.bias {
        let bias = t.ints(bias)?;
        let add =
            |(i, run): (usize, &mut [i64])| run.iter_mut().for_each(|v| *v = v.saturating_add(bias[i % bias.len()]));
        out.chunks_mut(pixels).enumerate().for_each(add);
    }
    if !t.result(0)?.dtype.is_quantizable() {
        return t.write_ints(0, &out);
    }
    let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
    let (sx, sw) = (scales(&c.op.input)[0], scales(&c.op.filter));
    let scale = |i: usize| sx * sw[(i / pixels % (c.group * c.oc)) % sw.len()];
    t.fill(0, 1, Finish::relu(c.op.do_relu, c.op.relu_limit), |first, reals| {
        let of = |i: usize| (out[first + i] as f64 * scale(first + i)) as f32;
        reals.iter_mut().enumerate().for_each(|(i, r)| *r = of(i));
        Ok(())
    })
}

/// An operand's stored values less its zero point; `channel` says which of `n` zero points an element has.
fn centred<T: Factor>(t: &Task, operand: &Operand, channel: impl Fn(usize, usize) -> usize + Sync) -> Result<Vec<T>> {
    let (_, zero_points) = operand.ty.quantization.as_ref().map_or((vec![1.0], vec![0]), Quantization::values);
    let n = zero_points.len();
    let zero = |i: usize| if n == 1 { zero_points[0] } else { zero_points[channel(i, n) % n] };
    t.ints_as(operand, |i, v| T::of(v.saturating_sub(zero(i))))
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions, run},
    };
    use proptest::prelude::*;

    /// The definition, in f64, for one zero point an operand.
    #[expect(clippy::too_many_arguments)]
    fn reference(
        x: &[f64],
        xs: [usize; 4],
        w: &[f64],
        ws: [usize; 4],
        stride: [i64; 2],
        dilation: [i64; 2],
        pad: [i64; 4],
        group: usize,
    ) -> Vec<f64> {
        let [n, _, h, wd] = xs.map(|v| v as i64);
        let [oc, icg, kh, kw] = ws.map(|v| v as i64);
        let out = |i: i64, p: [i64; 2], k: i64, s: i64, d: i64| (i + p[0] + p[1] - d * (k - 1) - 1) / s + 1;
        let (oh, ow) = (
            out(h, [pad[0], pad[2]], kh, stride[0], dilation[0]),
            out(wd, [pad[1], pad[3]], kw, stride[1], dilation[1]),
        );
        let mut y = Vec::new();
        for b in 0..n {
            for o in 0..oc {
                for r in 0..oh {
                    for c in 0..ow {
                        let first = o / (oc / group as i64) * icg;
                        let mut sum = 0.0;
                        for i in 0..icg {
                            for a in 0..kh {
                                for e in 0..kw {
                                    let (row, col) = (
                                        r * stride[0] + a * dilation[0] - pad[0],
                                        c * stride[1] + e * dilation[1] - pad[1],
                                    );
                                    if (0..h).contains(&row) && (0..wd).contains(&col) {
                                        sum += x[(((b * xs[1] as i64 + first + i) * h + row) * wd + col) as usize]
                                            * w[(((o * icg + i) * kh + a) * kw + e) as usize];
                                    }
                                }
                            }
                        }
                        y.push(sum);
                    }
                }
            }
        }
        y
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn convolutions_are_the_definition(
            n in 1usize..3, group in 1usize..4, icg in 1usize..4, ocg in 1usize..6, hw in (3usize..9, 3usize..9), k in (1usize..4, 1usize..4),
            stride in (1i64..4, 1i64..4), dilation in (1i64..3, 1i64..3), pad in prop::array::uniform4(0i64..3), int: bool,
        ) {
            let (xs, ws) = ([n, group * icg, hw.0, hw.1], [group * ocg, icg, k.0, k.1]);
            let (stride, dilation) = ([stride.0, stride.1], [dilation.0, dilation.1]);
            let fits = hw.0 as i64 + pad[0] + pad[2] > dilation[0] * (k.0 as i64 - 1) && hw.1 as i64 + pad[1] + pad[3] > dilation[1] * (k.1 as i64 - 1);
            prop_assume!(fits);
            let dtype = if int { Dtype::Int8 } else { Dtype::Float32 };
            let values = |n: usize, m: usize| (0..n).map(|i| ((i * m) % 23) as f64 - 11.0).collect::<Vec<_>>();
            let (xv, wv) = (values(xs.iter().product(), 7), values(ws.iter().product(), 5));
            let array = |s: [usize; 4], v: &[f64]| Array::from_f64s(dtype, s, v.iter().copied()).unwrap();
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", dtype, xs).unwrap();
            let w = array(ws, &wv);
            let y = if int {
                g.conv_int(x, w).stride(stride).dilation(dilation).pad(pad).group(group as i64).input_zp(2).weight_zp(-3).out_name("y").call()
            } else {
                g.conv(x, w).stride(stride).dilation(dilation).pad(pad).group(group as i64).out_name("y").call()
            }.unwrap();
            g.set_outputs(&[y]).unwrap();
            let got = run(&g, &[("x", array(xs, &xv))], &CpuBackend::new(), &RunOptions::default()).unwrap();
            let shift = |v: &[f64], z: f64| v.iter().map(|x| x - z).collect::<Vec<_>>();
            let (xv, wv) = if int { (shift(&xv, 2.0), shift(&wv, -3.0)) } else { (xv, wv) };
            prop_assert_eq!(got.tensors["y"].to_f64().unwrap(), reference(&xv, xs, &wv, ws, stride, dilation, pad, group));
        }
    }
}
