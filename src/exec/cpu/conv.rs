use super::{
    OpKernel, Operand,
    blocked::strip_size,
    chunks::blocks,
    computed_conv::ComputedConv,
    gemm::{Factor, Mat, factor_size, gemm_f32, gemm_int},
    grid::Grid,
    int8::{ByteFilter, is_byte},
    layout::permuted,
    task::{PostOp, Task},
    workspace::{Workspace, elements, ints, of_result, product, reals, result_elements, result_reals},
};
use crate::{
    ValueType,
    array::{ArrayMut, zeros},
    base::{Dtype, Result},
    ops::{self, Convolution, Window},
    quant::{Quantization, RoundMode},
    semantics::{self, AccumKind},
};
use rayon::prelude::*;

/// Minimum number of output channels per group for products of bytes.
const COLUMNS: usize = 8;

/// The operands of a convolution of any kind and any number of spatial axes.
pub(super) struct ConvOperation<'a> {
    pub input: &'a Operand,
    pub filter: &'a Operand,
    pub bias: Option<&'a Operand>,
    pub finish: PostOp,
    pub group: usize,
    /// Input and output channels of a group.
    pub ic: usize,
    pub oc: usize,
    pub grid: Grid,
}

impl<'a> ConvOperation<'a> {
    /// Creates the parts of a convolution from `input` to the result; its filter is oc x ic/group x kernel.
    pub fn new(
        [input, filter]: [&'a Operand; 2],
        bias: &'a Option<Operand>,
        finish: PostOp,
        group: i64,
        windows: &[Window],
        result: &ValueType,
    ) -> Self {
        let (x, w, group) = (&input.ty.shape, &filter.ty.shape, group as usize);
        let grid = Grid::new(windows, &x[2..], &result.shape[2..]);
        ConvOperation { input, filter, bias: bias.as_ref(), finish, group, ic: w[1], oc: w[0] / group, grid }
    }
    /// Number of weights per output channel.
    pub fn depth(&self) -> usize {
        self.ic * self.grid.taps()
    }
    /// The number format of the operands.
    pub fn factors(&self) -> AccumKind {
        semantics::accum_kind(&self.input.ty, &self.filter.ty)
    }
    /// Whether products would have one or few rows, and one or few columns.
    fn is_depthwise(&self) -> bool {
        self.ic == 1 && self.oc <= 4
    }
    /// Whether the products of bytes, less their zero points, have sums of at most 2^24.
    fn is_exact_in_floats(&self) -> bool {
        is_byte(self.input) && is_byte(self.filter) && self.depth() <= (1 << 24) / (255 * 255)
    }
    /// Returns the weights for the i-th group of images, one row per output channel.
    pub fn weights<'w, T>(&self, w: &'w [T], i: usize) -> Mat<'w, T> {
        let (group, size) = (i % self.group, self.oc * self.depth());
        Mat { data: &w[group * size..][..size], rows: self.oc, cols: self.depth(), transposed: false }
    }
    /// Computes real numbers with `fill`, adds the bias, and writes the result.
    pub fn write(&self, t: &mut Task, fill: impl FnOnce(&mut [f32]) -> Result<()>) -> Result<()> {
        let bias = self.bias.map(|b| t.reals(b)).transpose()?;
        let plane = t.result(0)?.shape[2..].iter().product();
        t.write(0, self.finish, |out| {
            fill(out)?;
            if let Some(bias) = bias {
                out.par_chunks_mut(plane).enumerate().for_each(|(i, run)| {
                    let b = bias[i % bias.len()];
                    run.iter_mut().for_each(|v| *v += b);
                });
            }
            Ok(())
        })
    }
    /// Returns the stored values of input and filter less their zero points.
    pub fn subtract_zero_point<T: Copy + Default + Send>(
        &self,
        t: &Task,
        of: fn(i64) -> T,
    ) -> Result<(Vec<T>, Vec<T>)> {
        let (plane, depth, taps) = (self.input.ty.shape[2..].iter().product::<usize>(), self.depth(), self.grid.taps());
        let x = subtract_zero_point(t, self.input, of, |i, _| i / plane % (self.group * self.ic))?;
        let of_weight = |i: usize, n: usize| if n == self.group * self.oc { i / depth } else { i / taps % self.ic };
        Ok((x, subtract_zero_point(t, self.filter, of, of_weight)?))
    }
    /// Writes exact sums plus the bias; a quantized result is scaled.
    pub fn write_sums<S: Copy + Into<i64> + Sync>(&self, t: &mut Task, sums: &[S]) -> Result<()> {
        let plane: usize = t.result(0)?.shape[2..].iter().product();
        let bias = self.bias.map(|b| t.ints(b)).transpose()?.unwrap_or_else(|| vec![0]);
        let of_channel = |i: usize| bias[i % bias.len()];
        if !t.result(0)?.dtype.is_quantizable() {
            return t.fill_ints(0, |first, ints| {
                blocks(first, ints.len(), plane, |channel, part| {
                    let (bias, sums) = (of_channel(channel), &sums[first + part.start..]);
                    ints[part].iter_mut().zip(sums).for_each(|(v, s)| *v = (*s).into().saturating_add(bias));
                });
                self.finish.ints(ints);
            });
        }
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
        let (sx, sw) = (scales(self.input)[0], scales(self.filter));
        t.fill(0, 1, self.finish, |first, reals| {
            blocks(first, reals.len(), plane, |channel, part| {
                let scale = sx * sw[(channel % (self.group * self.oc)) % sw.len()];
                let (bias, sums) = (of_channel(channel), &sums[first + part.start..]);
                let real = |s: S| (s.into().saturating_add(bias) as f64 * scale) as f32;
                reals[part].iter_mut().zip(sums).for_each(|(r, s)| *r = real(*s));
            });
            Ok(())
        })
    }
}

/// Returns an operand's stored values less its zero point; `channel` selects one of `n` zero points.
fn subtract_zero_point<T: Copy + Default + Send>(
    t: &Task,
    operand: &Operand,
    of: fn(i64) -> T,
    channel: impl Fn(usize, usize) -> usize + Sync,
) -> Result<Vec<T>> {
    let (_, zero_points) = operand.ty.quantization.as_ref().map_or((vec![1.0], vec![0]), Quantization::values);
    let n = zero_points.len();
    let zero = |i: usize| if n == 1 { zero_points[0] } else { zero_points[channel(i, n) % n] };
    t.ints_as(operand, |i, v| of(v.saturating_sub(zero(i))))
}

/// Returns the number of elements of the column matrix of one image and group, given the result.
pub(super) fn columns(filter: &Operand) -> impl Fn(&ValueType) -> usize + Send + Sync + use<> {
    let depth = product(&filter.ty.shape[1..]);
    move |result| depth.saturating_mul(product(&result.shape[2..]))
}

/// A packed strip of that matrix.
pub(super) fn packed_columns(filter: &Operand) -> Workspace {
    let depth = product(&filter.ty.shape[1..]);
    of_result(move |result| strip_size([depth, product(&result.shape[2..])]), 4)
}

/// Filter and bias as numbers, the column matrix, and integer sums.
fn workspace(op: &ops::Conv<Operand>) -> Workspace {
    let (input, filter, columns) = (&op.input, &op.filter, columns(&op.filter));
    if input.ty.buffer_dtype() == Dtype::Float32 {
        let all = |values: &[i64], n: i64| values.iter().all(|v| *v == n);
        let is_pointwise = all(&op.kernel_shape, 1) && all(&op.strides, 1) && all(&op.pads, 0);
        let columns = if is_pointwise { Workspace::none() } else { of_result(columns, 4) };
        return reals([filter]) + reals(&op.bias) + columns + packed_columns(filter) + result_reals();
    }
    // Each operand as integers and as floats; the columns also packed.
    let size = factor_size(input, filter);
    let operands = elements([input], size) + elements([filter], size + 4) + of_result(columns, size + 8);
    result_elements(8) + (operands + result_elements(4)).max(ints(&op.bias))
}

pub(super) fn conv(mut op: ops::Conv<Operand>, round: RoundMode) -> OpKernel {
    // With few columns a product would mostly multiply padding.
    let oc = op.filter.ty.shape[0] / (op.group as usize).max(1);
    let packed = if oc < COLUMNS { None } else { ByteFilter::new(&op).ok().flatten() };
    let computed = ComputedConv::new(&op);
    let workspace = match (&packed, &computed) {
        (Some(packed), _) => elements([&op.input], 1) + result_elements(12) + ints(&op.bias) + packed.workspace(),
        (None, Some(computed)) => {
            let operands = reals([&op.input, &op.filter]) + reals(&op.bias);
            operands + computed.workspace(&op.filter) + result_reals()
        }
        (None, None) => workspace(&op),
    };
    let laid_out = packed.as_ref().map(|_| op.filter.without_values());
    op.filter = laid_out.clone().unwrap_or(op.filter);
    let kernel = OpKernel::with_workspace(workspace, move |t| {
        let windows = Convolution::from(&op).windows(&op.input.ty.shape)?;
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(round);
        let c = ConvOperation::new([&op.input, &op.filter], &op.bias, finish, op.group, &windows, t.result(0)?);
        match (&packed, &computed) {
            (Some(packed), _) => bytes(t, &c, packed),
            (None, Some(computed)) => computed.run(t, &c),
            (None, None) if c.is_depthwise() && c.is_exact_in_floats() => depthwise_integer(t, &c),
            (None, None) => match c.factors() {
                AccumKind::Real => float(t, &c),
                AccumKind::Narrow => integer::<i32>(t, &c),
                AccumKind::Wide => integer::<i64>(t, &c),
            },
        }
    });
    kernel.without(&laid_out)
}

/// Moves the channels of the images last, and those of the sums back.
fn bytes(t: &mut Task, c: &ConvOperation, filter: &ByteFilter) -> Result<()> {
    let (shape, pixels, channels) = (&c.input.ty.shape, c.grid.pixels(), c.group * c.oc);
    let images = permuted(t.array(c.input)?.bytes()?, &[shape[0], shape[1], c.grid.area()], &[0, 2, 1])?;
    let mut sums = ArrayMut::zeros(Dtype::Int32, &[shape[0] * pixels * channels])?;
    filter.run(&images, &filter.sums(), &mut sums)?;
    let sums = permuted(sums.elements::<i32>()?, &[shape[0], pixels, channels], &[0, 2, 1])?;
    c.write_sums(t, &sums)
}

fn float(t: &mut Task, c: &ConvOperation) -> Result<()> {
    let (x, w) = (t.reals(c.input)?, t.reals(c.filter)?);
    c.write(t, |out| if c.is_depthwise() { depthwise(c, &x, &w, out) } else { products(c, &x, &w, out) })
}

/// Computes one matrix product per image and group.
fn products(c: &ConvOperation, x: &[f32], w: &[f32], out: &mut [f32]) -> Result<()> {
    let (pixels, depth, area) = (c.grid.pixels(), c.depth(), c.grid.area());
    let pointwise = c.grid.is_pointwise();
    let mut columns = if pointwise { Vec::new() } else { zeros(depth.saturating_mul(pixels))? };
    for (i, out) in out.chunks_mut(c.oc * pixels).enumerate() {
        let image = &x[i * c.ic * area..(i + 1) * c.ic * area];
        if !pointwise {
            c.grid.columns(image, 0.0, &mut columns);
        }
        let b = if pointwise { image } else { &columns };
        gemm_f32(out, c.weights(w, i), Mat { data: b, rows: depth, cols: pixels, transposed: false })?;
    }
    Ok(())
}

/// Handles one input channel per group: products would have one or few rows, so kernel elements are added one by one.
fn depthwise(c: &ConvOperation, x: &[f32], w: &[f32], out: &mut [f32]) -> Result<()> {
    let (pixels, taps, area) = (c.grid.pixels(), c.depth(), c.grid.area());
    out.par_chunks_mut(pixels).enumerate().try_for_each_init(Vec::new, |row, (i, out)| {
        if row.is_empty() {
            *row = zeros(pixels)?;
        }
        let (image, channel) = (i / c.oc, i % (c.group * c.oc));
        out.fill(0.0);
        for tap in 0..taps {
            c.grid.gather(&x[image * area..(image + 1) * area], tap, 0.0, row);
            let w = w[channel * taps + tap];
            out.iter_mut().zip(row.iter()).for_each(|(o, v)| *o += w * v);
        }
        Ok(())
    })
}

fn depthwise_integer(t: &mut Task, c: &ConvOperation) -> Result<()> {
    let (x, w) = c.subtract_zero_point(t, |v| v as f32)?;
    let mut sums = zeros::<f32>(t.result(0)?.elements())?;
    depthwise(c, &x, &w, &mut sums)?;
    drop((x, w));
    let mut whole = zeros::<i32>(sums.len())?;
    whole.iter_mut().zip(sums).for_each(|(w, s)| *w = s as i32);
    c.write_sums(t, &whole)
}

/// Computes exact sums of `(x - zx) * (w - zw)`.
fn integer<T: Factor>(t: &mut Task, c: &ConvOperation) -> Result<()> {
    let (pixels, depth, area) = (c.grid.pixels(), c.depth(), c.grid.area());
    let (x, w) = c.subtract_zero_point(t, T::of)?;
    let mut out = zeros::<i64>(t.result(0)?.elements())?;
    let mut columns = zeros(depth.saturating_mul(pixels))?;
    for (i, out) in out.chunks_mut(c.oc * pixels).enumerate() {
        c.grid.columns(&x[i * c.ic * area..(i + 1) * c.ic * area], T::default(), &mut columns);
        let columns = Mat { data: &columns, rows: depth, cols: pixels, transposed: false };
        gemm_int(out, c.weights(&w, i), columns)?;
    }
    drop((x, w, columns));
    c.write_sums(t, &out)
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::Conv, run};
    use proptest::prelude::*;

    /// The definition in f64, with one zero point per operand.
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

    /// Winograd, groups, half blocks, sequences and volumes.
    #[test]
    fn computed_weights_give_the_numbers_of_constant_ones() {
        let shapes: [(&[usize], &[usize], i64); 6] = [
            (&[1, 20, 12, 12], &[40, 20, 3, 3], 1),
            (&[2, 48, 10, 10], &[48, 16, 3, 3], 3),
            (&[1, 24, 9, 9], &[24, 8, 5, 5], 3),
            (&[1, 32, 11, 11], &[32, 1, 3, 3], 32),
            (&[1, 24, 100], &[16, 24, 5], 1),
            (&[1, 8, 5, 9, 9], &[16, 8, 3, 3, 3], 1),
        ];
        for (xs, ws, group) in shapes {
            let values = |shape: &[usize], m: usize| {
                let n = shape.iter().product::<usize>();
                Array::from_f64s(Dtype::Float32, shape, (0..n).map(|i| ((i * m) % 23) as f64 / 11.0 - 1.0)).unwrap()
            };
            let (x, w) = (values(xs, 7), values(ws, 5));
            let result = |is_computed: bool| {
                let mut g = Graph::new("g").unwrap();
                let input = g.input("x", Dtype::Float32, xs).unwrap();
                let filter = match is_computed {
                    true => g.input("w", Dtype::Float32, ws).unwrap(),
                    false => g.coefficient("w", w.clone()).unwrap(),
                };
                let kernel: Vec<i64> = ws[2..].iter().map(|k| *k as i64).collect();
                let (ones, pads) = (vec![1; kernel.len()], vec![1; 2 * kernel.len()]);
                let y =
                    g.op(Conv { group, ..Conv::new(input, filter, kernel, ones, pads) }).out_name("y").call().unwrap();
                g.set_outputs(&y).unwrap();
                let feeds = [("x", x.clone()), ("w", w.clone())];
                let feeds = &feeds[..1 + usize::from(is_computed)];
                run(&g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors["y"].to_f64().unwrap()
            };
            let (got, want) = (result(true), result(false));
            let most = want.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-5 * most), "{xs:?} by {ws:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn convolutions_are_the_definition(
            n in 1usize..3, group in 1usize..4, icg in 1usize..4, ocg in 1usize..12, hw in (3usize..9, 3usize..9), k in (1usize..4, 1usize..4),
            stride in (1i64..4, 1i64..4), dilation in (1i64..3, 1i64..3), pad in prop::array::uniform4(0i64..3), int: bool,
            is_computed: bool,
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
            let computed = is_computed.then(|| g.input("w", dtype, ws).unwrap());
            let w = match computed {
                Some(w) => w,
                None => g.coefficient("w", w.clone()).unwrap(),
            };
            let y = if int {
                g.conv_int(x, w).stride(stride).dilation(dilation).pad(pad).group(group as i64).input_zp(2).weight_zp(-3).out_name("y").call()
            } else {
                g.conv(x, w).stride(stride).dilation(dilation).pad(pad).group(group as i64).out_name("y").call()
            }.unwrap();
            g.set_outputs(&[y]).unwrap();
            let feeds = [("x", array(xs, &xv)), ("w", array(ws, &wv))];
            let feeds = &feeds[..1 + usize::from(is_computed)];
            let got = run(&g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap();
            let shift = |v: &[f64], z: f64| v.iter().map(|x| x - z).collect::<Vec<_>>();
            let (xv, wv) = if int { (shift(&xv, 2.0), shift(&wv, -3.0)) } else { (xv, wv) };
            prop_assert_eq!(got.tensors["y"].to_f64().unwrap(), reference(&xv, xs, &wv, ws, stride, dilation, pad, group));
        }
    }
}
