use super::{
    OpKernel, Operand,
    conv::ConvOperation,
    gemm::{Factor, Mat, factor_size, gemm_f32, gemm_int},
    grid::Grid,
    task::{PostOp, Task},
    workspace::{Workspace, elements, ints, of_result, product, reals, result_elements, result_reals},
};
use crate::{
    ValueType,
    array::zeros,
    base::{Dtype, Result},
    ops::{self, Convolution},
    semantics::AccumKind,
};
use rayon::prelude::*;

/// The reordered weights, the column matrix of one image and group, and integer sums.
fn workspace(op: &ops::Deconv<Operand>) -> Workspace {
    let (input, filter, size) = (&op.input, &op.filter, factor_size(&op.input, &op.filter));
    let (taps, pixels) = (product(&filter.ty.shape[2..]), product(&input.ty.shape[2..]));
    let group = op.group.max(1) as usize;
    let columns = move |result: &ValueType| taps.saturating_mul(result.shape[1] / group).saturating_mul(pixels);
    if input.ty.buffer_dtype() == Dtype::Float32 {
        return reals([filter]) + elements([filter], 4) + reals(&op.bias) + of_result(columns, 4) + result_reals();
    }
    // Each operand as integers and as floats, the input also packed. The columns are sums, in integers and in floats.
    let operands = elements([input], size + 8) + elements([filter], 2 * size + 4);
    result_elements(8) + (operands + of_result(columns, 12)).max(ints(&op.bias))
}

pub(super) fn deconv(op: ops::Deconv<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace(&op), move |t| {
        let (x, result, group) = (&op.input.ty.shape, &t.result(0)?.shape, op.group as usize);
        let windows = Convolution::from(&op).windows(x)?;
        let c = ConvOperation {
            input: &op.input,
            filter: &op.filter,
            bias: op.bias.as_ref(),
            finish: PostOp::relu(op.do_relu, op.relu_limit),
            group,
            ic: x[1] / group,
            oc: result[1] / group,
            grid: Grid::new(&windows, &result[2..], &x[2..]),
        };
        let reordered = op.dynweight_reorderd;
        match c.factors() {
            AccumKind::Real => float(t, &c, reordered),
            AccumKind::Narrow => integer::<i32>(t, &c, reordered),
            AccumKind::Wide => integer::<i64>(t, &c, reordered),
        }
    })
}

/// Returns the weights with the input channels first, group x ic x (oc * taps): the factors of each input element.
fn by_input<T: Copy + Default>(c: &ConvOperation, w: &[T]) -> Result<Vec<T>> {
    let (mut turned, taps) = (zeros(w.len())?, c.grid.taps());
    for (from, run) in w.chunks(taps).enumerate() {
        let (row, i) = (from / c.ic, from % c.ic);
        let (group, o) = (row / c.oc, row % c.oc);
        turned[((group * c.ic + i) * c.oc + o) * taps..][..taps].copy_from_slice(run);
    }
    Ok(turned)
}

/// The weights of a group, one row per output channel and kernel element.
fn weights<'w, T>(c: &ConvOperation, w: &'w [T], i: usize) -> Mat<'w, T> {
    let (group, rows) = (i % c.group, c.oc * c.grid.taps());
    Mat { data: &w[group * c.ic * rows..][..c.ic * rows], rows, cols: c.ic, transposed: true }
}

/// Adds the columns, one row per channel and kernel element, to the channels (col2im).
fn spread<T: Copy + Send + Sync>(c: &ConvOperation, columns: &[T], out: &mut [T], add: impl Fn(T, T) -> T + Sync) {
    let (taps, pixels) = (c.grid.taps(), c.grid.pixels());
    out.par_chunks_mut(c.grid.area()).enumerate().for_each(|(o, plane)| {
        for tap in 0..taps {
            c.grid.scatter(&columns[(o * taps + tap) * pixels..][..pixels], tap, plane, &add);
        }
    });
}

/// The image of a group as a matrix, one row per channel.
fn image<'x, T>(c: &ConvOperation, x: &'x [T], i: usize) -> Mat<'x, T> {
    let size = c.ic * c.grid.pixels();
    Mat { data: &x[i * size..(i + 1) * size], rows: c.ic, cols: c.grid.pixels(), transposed: false }
}

fn float(t: &mut Task, c: &ConvOperation, reordered: bool) -> Result<()> {
    let (x, w) = (t.reals(c.input)?, t.reals(c.filter)?);
    let w = if reordered { by_input(c, &w)?.into() } else { w };
    c.write(t, |out| {
        let mut columns = zeros((c.oc * c.grid.taps()).saturating_mul(c.grid.pixels()))?;
        for (i, out) in out.chunks_mut(c.oc * c.grid.area()).enumerate() {
            gemm_f32(&mut columns, weights(c, &w, i), image(c, &x, i))?;
            out.fill(0.0);
            spread(c, &columns, out, |a, b| a + b);
        }
        Ok(())
    })
}

fn integer<T: Factor>(t: &mut Task, c: &ConvOperation, reordered: bool) -> Result<()> {
    let (x, w) = c.subtract_zero_point(t, T::of)?;
    let w = if reordered { by_input(c, &w)? } else { w };
    let mut out = zeros::<i64>(t.result(0)?.elements())?;
    let mut columns = zeros((c.oc * c.grid.taps()).saturating_mul(c.grid.pixels()))?;
    for (i, out) in out.chunks_mut(c.oc * c.grid.area()).enumerate() {
        gemm_int(&mut columns, weights(c, &w, i), image(c, &x, i))?;
        spread(c, &columns, out, i64::saturating_add);
    }
    drop((x, w, columns));
    c.write_sums(t, &out)
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, run};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Checks `<y, deconv(x)> = <conv(y), x>` for all x and y, with ones and unit vectors; this is the definition.
        #[test]
        fn it_is_the_transpose_of_the_convolution(
            group in 1usize..4, icg in 1usize..3, ocg in 1usize..4, hw in (2usize..5, 2usize..5), k in (1usize..4, 1usize..4),
            stride in (1i64..4, 1i64..4), dilation in (1i64..3, 1i64..3), pad in prop::array::uniform4(0i64..2), int: bool,
        ) {
            let (ic, oc) = (group * icg, group * ocg);
            let (stride, dilation, groups) = ([stride.0, stride.1], [dilation.0, dilation.1], group as i64);
            let dtype = if int { Dtype::Int8 } else { Dtype::Float32 };
            let values = |n: usize, m: usize| (0..n).map(|i| ((i * m) % 13) as f64 - 6.0).collect::<Vec<_>>();
            let array = |s: [usize; 4], v: Vec<f64>| Array::from_f64s(dtype, s, v.into_iter()).unwrap();
            let (xs, w) = ([1, ic, hw.0, hw.1], values(oc * icg * k.0 * k.1, 5));
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", dtype, xs).unwrap();
            let call = |g: &mut Graph| -> crate::base::Result<crate::Tensor> {
                let dw = array([ocg, ic, k.0, k.1], w.clone());
                if int {
                    g.deconv_int(x, dw).stride(stride).dilation(dilation).pad(pad).group(groups).input_zp(1).weight_zp(-2).out_name("y").call()
                } else {
                    g.deconv(x, dw).stride(stride).dilation(dilation).pad(pad).group(groups).out_name("y").call()
                }
            };
            let Ok(y) = call(&mut g) else { return Ok(()) };
            g.set_outputs(&[y]).unwrap();
            let xv = values(xs.iter().product(), 7);
            let got = run(&g, &[("x", array(xs, xv.clone()))], &CpuBackend::new(), &RunOptions::default()).unwrap();
            let shape = got.tensors["y"].shape().to_vec();
            // The adjoint convolution from y to x. Its filter has the channels of a group swapped, and no zero points,
            // which are subtracted here.
            let (zx, zw) = if int { (1.0, -2.0) } else { (0.0, 0.0) };
            let taps = k.0 * k.1;
            let mut swapped = vec![0f32; w.len()];
            for (from, v) in w.iter().enumerate() {
                let (rest, tap) = (from / taps, from % taps);
                let (row, i) = (rest / icg, rest % icg);
                swapped[((row / ocg * icg + i) * ocg + row % ocg) * taps + tap] = (v - zw) as f32;
            }
            let n: usize = shape.iter().product();
            let mut g = Graph::new("h").unwrap();
            let e = g.input("e", Dtype::Float32, [n, shape[1], shape[2], shape[3]]).unwrap();
            let cw = Array::from_vec([ic, ocg, k.0, k.1], swapped).unwrap();
            let z = g.conv(e, cw).stride(stride).dilation(dilation).pad(pad).group(groups).out_name("z").call().unwrap();
            g.set_outputs(&[z]).unwrap();
            let mut unit = vec![0f32; n * n];
            (0..n).for_each(|i| unit[i * n + i] = 1.0);
            let unit = Array::from_vec([n, shape[1], shape[2], shape[3]], unit).unwrap();
            let z = run(&g, &[("e", unit)], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors["z"].to_f64().unwrap();
            let dot = |z: &[f64]| z.iter().zip(&xv).map(|(a, b)| a * (b - zx)).sum::<f64>();
            let expected: Vec<f64> = z.chunks(xv.len()).map(dot).collect();
            prop_assert_eq!(got.tensors["y"].to_f64().unwrap(), expected);
        }
    }
}
