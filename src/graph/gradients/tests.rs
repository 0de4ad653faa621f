use tpulang::{
    Array, Derivative, Dtype, Graph, Quantization, Result, Tensor,
    exec::{self, CpuBackend, RunOptions},
    ops,
};

fn run(g: &mut Graph, outputs: &[Tensor], feeds: &[(&str, Array)]) -> Vec<Vec<f32>> {
    g.set_outputs(outputs).unwrap();
    let results = exec::run(g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    results.tensors.values().map(|array| array.to_f32().unwrap()).collect()
}

fn scalar(g: &mut Graph, name: &str) -> Tensor {
    g.input(name, Dtype::Float32, [1]).unwrap()
}

#[test]
fn parts_of_several_readers_are_summed_and_broadcasting_is_undone() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
    let b = g.coefficient("b", Array::from([1f32, 2.0, 3.0])).unwrap();
    let y = g.mul(x, b).call().unwrap();
    let z = g.add(y, x).call().unwrap();
    let made = g.gradients(&[z, y], &[x, b, z]).unwrap();
    let names: Vec<_> = made.iter().map(|t| g.tensor(*t).unwrap().name.clone()).collect();
    assert_eq!(names, ["x_grad", "b_grad", "mul_0_grad"].map(|n| n.replace("mul_0", &g.tensor(z).unwrap().name)));
    let x = Array::from_vec([2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let got = run(&mut g, &made, &[("x", x)]);
    assert_eq!(got[0], [3.0, 5.0, 7.0, 3.0, 5.0, 7.0]);
    assert_eq!(got[1], [10.0, 14.0, 18.0]);
    assert_eq!(got[2], [1.0; 6]);
}

#[test]
fn gradients_are_differentiated_again() {
    let mut g = Graph::new("g").unwrap();
    let x = scalar(&mut g, "x");
    let y = g.op(ops::Pow::new(x, 4.0)).call().unwrap();
    let first = g.gradients(&y, &[x]).unwrap();
    let second = g.gradients(&first, &[x]).unwrap();
    assert_eq!(run(&mut g, &second, &[("x", Array::from([2f32]))]), [[48.0]]);
}

#[test]
fn branches_and_loops_are_differentiated() {
    let mut g = Graph::new("g").unwrap();
    let (x, c) = (scalar(&mut g, "x"), scalar(&mut g, "c"));
    let y = g
        .cond(c, |g| Ok(vec![g.mul(x, x).call()?, x]), |g| Ok(vec![g.mul(x, 3.0).call()?, g.mul(x, 5.0).call()?]))
        .unwrap();
    let (last, stacked) = g
        .scan(3, &[y[0]], |g, _, v| {
            let next = g.mul(v[0], x).call()?;
            Ok((vec![next], vec![next]))
        })
        .unwrap();
    // x^5 + (x^3 + x^4 + x^5) + x, or 3 x^4 + 3 (x^2 + x^3 + x^4) + 5 x.
    let made = g.scope("outer", |g| g.gradients(&[last[0], stacked[0], y[1]], &[x])).unwrap();
    let at = |c: f32| [("x", Array::from([2f32])), ("c", Array::from([c]))];
    assert_eq!(run(&mut g, &made, &at(1.0)), [[80.0 + 12.0 + 32.0 + 80.0 + 1.0]]);
    assert_eq!(run(&mut g, &made, &at(0.0)), [[96.0 + 12.0 + 36.0 + 96.0 + 5.0]]);
}

/// tpuc-opt takes operators with blocks for the same if their operands are.
#[test]
fn a_branch_and_its_gradients_have_conditions_of_their_own() {
    let mut g = Graph::new("g").unwrap();
    let (x, c) = (scalar(&mut g, "x"), scalar(&mut g, "c"));
    let y = g.cond(c, |g| Ok(vec![g.mul(x, x).call()?]), |_| Ok(vec![x])).unwrap();
    let first = g.gradients(&y, &[x]).unwrap();
    g.gradients(&[first[0], y[0]], &[x]).unwrap();
    let conditions: Vec<Tensor> = g.operators().iter().filter(|o| o.op.name() == "If").map(|o| o.uses()[0]).collect();
    let different: std::collections::HashSet<&Tensor> = conditions.iter().collect();
    assert!(conditions.len() > 2 && different.len() == conditions.len(), "{conditions:?}");
}

#[test]
fn integers_stop_a_gradient_unless_it_passes_straight_through() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let stored = g.cast(x).out_dtype(Dtype::Int8).call().unwrap();
    g.quantize(stored, &Quantization::per_tensor(0.5, 1)).unwrap();
    let doubled =
        g.add(stored, stored).scale([0.5, 0.5, 0.5]).zero_point([1, 1, 1]).out_dtype(Dtype::Int8).call().unwrap();
    let back = g.cast(doubled).out_dtype(Dtype::Float32).call().unwrap();
    let y = g.mul(back, x).call().unwrap();
    let stopped = g.gradients(&[y], &[x]).unwrap();
    let through = g.gradients_with(&[y], &[x], |_, _, _| Ok(Derivative::StraightThrough)).unwrap();
    let outputs = [stopped, through].concat();
    let got = run(&mut g, &outputs, &[("x", Array::from([1f32, -2.0]))]);
    assert_eq!(got, [[2.0, -4.0], [2.0 + 2.0, -4.0 - 4.0]]);
}

#[test]
fn a_rule_replaces_and_stops_gradients() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let y = g.floor(x).call().unwrap();
    let z = g.relu(x).call().unwrap();
    let made = g.gradients_with(&[y, z], &[x], |g, operator, gradients| {
        Ok(match operator.op.name() {
            "Floor" => Derivative::Operands(vec![Some(g.mul(gradients[0].unwrap(), 10.0).call()?)]),
            _ => Derivative::Stop,
        })
    });
    assert_eq!(run(&mut g, &made.unwrap(), &[("x", Array::from([1f32, 2.0]))]), [[10.0, 10.0]]);
    // A tensor that was there before keeps its name.
    let other = g.input("other", Dtype::Float32, [2]).unwrap();
    let h = g.exp(other).out_name("h").call().unwrap();
    let made = g.gradients_with(&[y], &[x], |_, _, _| Ok(Derivative::Operands(vec![Some(h)]))).unwrap();
    assert!(made != [h] && g.find("h").unwrap() == h);
    let wrong = g.gradients_with(&[y], &[x], |g, _, _| Ok(Derivative::Operands(vec![Some(g.find("wide")?)])));
    assert!(wrong.is_err());
    let wide = g.input("wide", Dtype::Float32, [3]).unwrap();
    let wrong = g.gradients_with(&[y], &[x], |_, _, _| Ok(Derivative::Operands(vec![Some(wide)]))).unwrap_err();
    assert!(
        wrong.to_string().contains("has one of 3 for the operand \"x\" of Floor \"floor_0\"; expected 2"),
        "{wrong}"
    );
    let wrong = g.gradients_with(&[y], &[x], |_, _, _| Ok(Derivative::Operands(vec![]))).unwrap_err();
    assert!(wrong.to_string().contains("returns 0; Floor \"floor_0\" has 1 operand"), "{wrong}");
}

#[test]
fn an_op_without_a_gradient_is_refused_with_the_path_to_it() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 2, 4, 4]).unwrap();
    let rois = g.input("rois", Dtype::Float32, [1, 5]).unwrap();
    let scaled = g.mul(x, 2.0).out_name("scaled").call().unwrap();
    // Without a number of samples.
    let pooled = ops::RoiAlign::new(scaled, rois, false, ops::RoiAlignMode::Avg, 2, 2, 0, 1.0);
    let pooled = g.op(pooled).out_name("pooled").call().unwrap()[0];
    let loss = g.exp(pooled).out_name("loss").call().unwrap();
    let before = (g.tensors().count(), g.operators().len());
    let error = g.gradients(&[loss], &[x]).unwrap_err().to_string();
    assert!(error.contains("RoiAlign \"pooled\"") && error.contains("\"loss\" <- \"pooled\""), "{error}");
    assert_eq!((g.tensors().count(), g.operators().len()), before);
    // Nothing depends on the regions' features.
    assert!(g.gradients(&[scaled], &[x]).is_ok());
    let integers = g.cast(x).out_dtype(Dtype::Int32).call().unwrap();
    let error = g.gradients(&[integers], &[x]).unwrap_err().to_string();
    assert!(error.contains("only floats have a gradient"), "{error}");
    assert!(g.gradients(&[], &[x]).is_err());
}

#[test]
fn what_nothing_depends_on_has_zeros_and_a_warning() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let (other, y) = (g.input("other", Dtype::Float32, [2, 2]).unwrap(), g.relu(x).call().unwrap());
    let made = g.gradients(&[y], &[other, x, x]).unwrap();
    let warnings: String = g.warnings().iter().map(ToString::to_string).collect();
    assert!(warnings.contains("the gradient of \"other\" is zero"), "{warnings}");
    let feeds = [("x", Array::from([1f32, -1.0])), ("other", Array::filled(Dtype::Float32, [2, 2], 1.0).unwrap())];
    assert_eq!(run(&mut g, &made, &feeds), [vec![0.0; 4], vec![1.0, 0.0], vec![1.0, 0.0]]);
}

/// Long axes are gathered instead of multiplied with a matrix, and long sequences are refused.
#[test]
fn long_axes_take_no_matrix() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 1, 6000]).unwrap();
    let padded = g.op(ops::Pad::new(x, ops::PadMode::Reflect, vec![0, 0, 2, 0, 0, 1])).call().unwrap()[0];
    let pool = ops::AvgPool::new(padded, vec![3], vec![1], vec![1, 1]);
    let y = g.op(pool).call().unwrap();
    let made = g.gradients(&y, &[x]).unwrap();
    assert!(g.parameters() < 100_000, "{}", g.parameters());
    let x = Array::filled(Dtype::Float32, [1, 1, 6000], 1.0).unwrap();
    let got = run(&mut g, &made, &[("x", x)]).remove(0);
    // Of 6003 padded elements the first and the last are in two windows, one of them with a mean over two.
    let sum: f32 = got.iter().sum();
    assert!((sum - 6003.0).abs() < 0.05 && (got[3000] - 1.0).abs() < 1e-5, "{sum} {}", got[3000]);

    let x = g.input("sequence", Dtype::Float32, [5000, 1, 1]).unwrap();
    let weights = |g: &mut Graph, name: &str| g.coefficient(name, Array::filled(Dtype::Float32, [1, 3, 1], 0.5)?);
    let (w, r) = (weights(&mut g, "w").unwrap(), weights(&mut g, "r").unwrap());
    let y = g.op(ops::GRU { hidden_size: 1, ..ops::GRU::new(x, w, r, false, 1) });
    let y = y.call().unwrap();
    let error = g.gradients(&y[..1], &[x]).unwrap_err().to_string();
    assert!(error.contains("it has 5000 steps; at most 4096"), "{error}");
}

/// The operators of written-out ops that no gradient needs are removed.
#[test]
fn nothing_unused_is_left() -> Result<()> {
    let mut g = Graph::new("g")?;
    let x = g.input("x", Dtype::Float32, [2, 4])?;
    let y = g.layer_norm(x).axis(1).call()?;
    let made = g.gradients(&[y], &[x])?;
    g.set_outputs(&[made[0], y])?;
    let before = g.operators().len();
    assert_eq!(g.remove_dead(), 0, "of {before}");
    Ok(())
}

/// PyTorch's gradients where squares or logarithms leave the range of float32.
#[test]
fn gradients_at_the_ends_of_the_range() {
    let mut g = Graph::new("g").unwrap();
    let (a, b) = (scalar(&mut g, "a"), scalar(&mut g, "b"));
    let quotient = g.div(a, b).call().unwrap();
    let power = g.op(ops::Pow2::new(a, 0.0)).call().unwrap();
    let mut made = g.gradients(&[quotient], &[a, b]).unwrap();
    made.extend(g.gradients(&power, &[a]).unwrap());
    let found = run(&mut g, &made, &[("a", Array::from([3e-20f32])), ("b", Array::from([1e-20f32]))]);
    assert!((found[0][0] / 1e20 - 1.0).abs() < 1e-6 && (found[1][0] / -3e20 - 1.0).abs() < 1e-6, "{found:?}");
    assert_eq!(found[2], [0.0]);
}

/// With as many input channels as output channels, a list of scales fits both axes of a filter.
#[test]
fn the_scales_of_a_square_filter_belong_to_output_channels() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 2, 1, 1]).unwrap();
    let stored = g.cast(x).out_dtype(Dtype::Int8).out_quant(Quantization::per_tensor(1.0, 0)).call().unwrap();
    let w = Array::from_f64s(Dtype::Int8, [2, 2, 1, 1], [1.0, 2.0, 3.0, 4.0].into_iter()).unwrap();
    let y = g.conv_quant(stored, w).weight_scale(vec![1.0, 10.0]).output_scale(1.0).call().unwrap();
    let y = g.cast(y).out_dtype(Dtype::Float32).call().unwrap();
    let made = g.gradients_with(&[y], &[x], |_, _, _| Ok(Derivative::StraightThrough)).unwrap();
    let ones = Array::filled(Dtype::Float32, [1, 2, 1, 1], 1.0).unwrap();
    assert_eq!(run(&mut g, &made, &[("x", ones)]), [[31.0, 42.0]]);
}

#[test]
fn gradients_of_tensors_of_closed_blocks_are_refused() {
    let mut g = Graph::new("g").unwrap();
    let (x, c) = (scalar(&mut g, "x"), scalar(&mut g, "c"));
    let mut inner = None;
    let then = |g: &mut Graph| {
        inner = Some(g.mul(x, x).call()?);
        Ok(vec![g.relu(x).call()?])
    };
    g.cond(c, then, |_| Ok(vec![x])).unwrap();
    let error = g.gradients(&[inner.unwrap()], &[x]).unwrap_err().to_string();
    assert!(error.contains("belongs to a block"), "{error}");
}

#[test]
fn long_windows_are_refused_instead_of_filling_memory() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 1, 60000]).unwrap();
    let y = g.op(ops::AvgPool::new(x, vec![30000], vec![1], vec![0, 0])).call().unwrap();
    let error = g.gradients(&y, &[x]).unwrap_err().to_string();
    assert!(error.contains("more than 67108864 weights"), "{error}");
}

/// The windows at the end that are padding add nothing to the gradient of the first element.
#[test]
fn windows_of_a_max_pool_may_be_padding() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 1, 3, 3]).unwrap();
    let padded = |kernel: i64, pads: [i64; 4]| ops::MaxPool::new(x, vec![kernel; 2], vec![kernel; 2], pads.to_vec());
    let mut made = Vec::new();
    for pool in [padded(1, [0, 0, 2, 2]), padded(1, [1, 0, 0, 0]), padded(2, [2, 2, 1, 1])] {
        let y = g.op(pool).call().unwrap();
        made.extend(g.gradients(&y, &[x]).unwrap());
    }
    let values = Array::from_vec([1, 1, 3, 3], (1..10).map(|v| v as f32).collect()).unwrap();
    let found = run(&mut g, &made, &[("x", values)]);
    assert_eq!(found[..2], [[1.0; 9], [1.0; 9]]);
    assert_eq!(found[2], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
}
