//! Tests each rule, and that no rule changes the results.
use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Session, Tensor, ops::InterpMode};
use proptest::prelude::*;

mod branches;
mod bytes;
mod constants;
mod corners;
mod in_blocks;
mod parts;
mod quantized;
mod sequences;
mod shared_kernels;
mod shuffles;

fn values(shape: &[usize], seed: usize) -> Array {
    let n = shape.iter().product::<usize>();
    let numbers = (0..n).map(|i| ((i * 37 + seed * 101) % 41) as f64 * 0.05 - 1.0);
    Array::from_f64s(Dtype::Float32, shape.to_vec(), numbers).unwrap()
}

/// Whole numbers from -2 to 2: sums and products of few of them are exact in any order.
fn small_integers(shape: &[usize], seed: usize) -> Array {
    let n = shape.iter().product::<usize>();
    Array::from_f64s(Dtype::Float32, shape.to_vec(), (0..n).map(|i| ((i * 37 + seed * 101) % 41 % 5) as f64 - 2.0))
        .unwrap()
}

/// A filter whose results are at most as large as its input: otherwise the rounding of large sums that cancel out would matter.
fn filter(shape: &[usize], seed: usize) -> Array {
    let depth: usize = shape[1..].iter().product();
    let numbers = values(shape, seed).to_f64().unwrap().into_iter().map(|v| v / depth as f64);
    Array::from_f64s(Dtype::Float32, shape.to_vec(), numbers).unwrap()
}

fn session(g: &Graph, unfused: bool) -> Session<CpuBackend> {
    Session::new(g, CpuBackend::new(), &RunOptions::default().unfused(unfused).threads(1)).unwrap()
}

/// Returns the steps' operators, after checking that the outputs equal those of the graph run operator by operator.
fn steps(g: &mut Graph, outputs: &[Tensor]) -> Vec<String> {
    steps_on(values, 1e-5, g, outputs)
}

/// Like [`steps`], on inputs of these numbers, and with this relative error at most.
fn steps_on(numbers: fn(&[usize], usize) -> Array, most: f64, g: &mut Graph, outputs: &[Tensor]) -> Vec<String> {
    g.set_outputs(outputs).unwrap();
    let feed = |t: &Tensor| (g.tensor(*t).unwrap().name.clone(), numbers(&g.tensor(*t).unwrap().shape, 3));
    let feeds: Vec<_> = g.inputs().iter().map(feed).collect();
    let fused = session(g, false);
    // The second run reuses the first one's memory.
    let first = fused.run(&feeds[..]).unwrap();
    let (got, want) = (fused.run(&feeds[..]).unwrap(), session(g, true).run(&feeds[..]).unwrap());
    assert_eq!(first, got);
    for (name, array) in &got {
        let (a, b) = (array.to_f32().unwrap(), want[name].to_f32().unwrap());
        let norm = |v: &mut dyn Iterator<Item = f32>| v.map(|v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
        let error = norm(&mut a.iter().zip(&b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied()).max(1e-3);
        assert!(array.shape() == want[name].shape() && error <= most, "{name}: {error:e}");
    }
    let plan = &fused.plan;
    plan.steps.iter().map(|s| s.node.text()).collect()
}

fn input(g: &mut Graph, name: &str, shape: &[usize]) -> Tensor {
    g.input(name, Dtype::Float32, shape).unwrap()
}

#[test]
fn constants_are_computed_beforehand() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 4]);
    let w = g.coefficient("w", values(&[3, 4], 1)).unwrap();
    let turned = g.permute(w, [1, 0]).call().unwrap();
    let doubled = g.mul(turned, 2.0).out_name("doubled").call().unwrap();
    let y = g.matmul(x, doubled).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["MatMul"]);
    // A wanted constant is returned, too.
    assert_eq!(steps(&mut g, &[y, doubled]), ["MatMul"]);
    // A fed coefficient is not a constant.
    let fed = [("x", values(&[2, 4], 2)), ("w", values(&[3, 4], 9))];
    let again = session(&g, false).run(&fed).unwrap();
    assert_eq!(again, session(&g, true).run(&fed).unwrap());
}

#[test]
fn a_convolution_takes_in_the_scale_of_its_channels() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 5, 5]);
    let c = g.conv(x, values(&[4, 3, 3, 3], 1)).bias(values(&[4], 2)).call().unwrap();
    let (mean, variance) = (values(&[4], 4), Array::from([0.5f32, 1.0, 2.0, 0.1]));
    let y = g.batch_norm(c, mean, variance).gamma(values(&[4], 5)).beta(values(&[4], 6)).call().unwrap();
    let steps = steps(&mut g, &[y]);
    assert!(steps.len() <= 2 && steps[0] == "Conv", "{steps:?}");
}

/// A layer scale, as in ConvNeXt.
#[test]
fn a_convolution_takes_in_a_constant_factor_of_each_channel() {
    let steps_of = |factor: &[usize], with_bias: bool| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 4, 4]);
        let mut c = g.conv(x, values(&[4, 3, 3, 3], 1)).pad([1, 1, 1, 1]);
        if with_bias {
            c = c.bias(values(&[4], 2));
        }
        let c = c.call().unwrap();
        let y = g.mul(values(factor, 4), c).call().unwrap();
        let y = g.relu(y).call().unwrap();
        steps(&mut g, &[y])
    };
    let folded = steps_of(&[4, 1, 1], true);
    assert!(folded.iter().all(|s| !s.contains("Mul")), "{folded:?}");
    assert_eq!(steps_of(&[1, 4, 1, 1], false), folded);
    // The last axis has as many elements as there are channels.
    for other in [&[4][..], &[4, 1], &[1, 4, 4], &[2, 4, 1, 1], &[1, 1, 1]] {
        let steps = steps_of(other, true);
        assert!(steps.iter().any(|s| s.contains("Mul")), "{other:?}: {steps:?}");
    }
}

/// The batch norm of a linear layer, whose leading axes are folded for it.
#[test]
fn a_product_takes_in_the_scale_of_its_columns() {
    let steps_of = |transposed: bool, with_bias: bool, shape: &[usize], viewed: &[i64]| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", shape);
        let weights = values(if transposed { &[6, 4] } else { &[4, 6] }, 1);
        let mut product = g.matmul(x, weights);
        if transposed {
            product = product.right_transpose(true);
        }
        if with_bias {
            product = product.bias(values(&[6], 2));
        }
        let product = product.call().unwrap();
        let viewed = g.reshape(product, viewed).call().unwrap();
        let (mean, variance) = (values(&[6], 4), Array::from([0.5f32, 1.0, 2.0, 0.1, 1.5, 0.2]));
        let y = g.batch_norm(viewed, mean, variance).gamma(values(&[6], 5)).beta(values(&[6], 6)).call().unwrap();
        let y = g.relu(y).call().unwrap();
        steps(&mut g, &[y])
    };
    for (transposed, with_bias) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(steps_of(transposed, with_bias, &[2, 3, 4], &[6, 6]), ["MatMul", "Reshape + Relu"]);
        assert_eq!(steps_of(transposed, with_bias, &[3, 4], &[3, 6]), ["MatMul", "Reshape + Relu"]);
        // Other axes than the columns have as many elements.
        for (shape, viewed) in [(&[6, 4][..], &[1, 6, 6][..]), (&[2, 6, 4], &[2, 6, 6]), (&[6, 4], &[2, 6, 3])] {
            let steps = steps_of(transposed, with_bias, shape, viewed);
            assert!(steps.iter().any(|s| s.contains("Mul")), "{shape:?} {viewed:?}: {steps:?}");
        }
    }
}

/// An infinite weight times an input of 0 would be NaN.
#[test]
fn a_factor_too_large_for_the_weights_is_not_folded() {
    let array =
        |shape: &[usize], value: f32| Array::from_vec(shape.to_vec(), vec![value; shape.iter().product()]).unwrap();
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 1, 2, 2]);
    let c = g.conv(x, array(&[1, 1, 1, 1], 1e10)).call().unwrap();
    let y = g.mul(c, array(&[1, 1, 1], 1e30)).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let results = session(&g, false).run(&[("x".to_string(), array(&[1, 1, 2, 2], 0.0))][..]).unwrap();
    assert_eq!(results[0].to_f32().unwrap(), [0.0; 4]);
}

#[test]
fn what_follows_is_done_at_once_but_for_what_others_need() {
    let mut g = Graph::new("g").unwrap();
    let (x, z) = (input(&mut g, "x", &[2, 8]), input(&mut g, "z", &[8]));
    let a = g.matmul(x, values(&[8, 8], 1)).call().unwrap();
    let b = g.add(z, a).call().unwrap();
    let c = g.sub(z, b).call().unwrap();
    let d = g.gelu(c).call().unwrap();
    assert_eq!(steps(&mut g, &[d]), ["MatMul + Add + Sub + GELU"]);
    assert_eq!(steps(&mut g, &[b, d]), ["MatMul + Add", "Sub + GELU"], "b is wanted");
    let e = g.mul(d, c).call().unwrap();
    assert_eq!(steps(&mut g, &[e]), ["MatMul + Add + Sub", "GELU + Mul"], "c has two readers");
    let f = g.add(e, e).call().unwrap();
    assert_eq!(steps(&mut g, &[f]), ["MatMul + Add + Sub", "GELU + Mul", "Add"], "e is both operands");
    let (row, whole) = (input(&mut g, "row", &[3, 1, 8]), input(&mut g, "whole", &[3, 5, 8]));
    let small = g.add(z, row).call().unwrap();
    let wider = g.mul(small, whole).call().unwrap();
    assert_eq!(steps(&mut g, &[wider]), ["Add", "Mul"], "the result is larger than what comes before");
}

/// The shape of an operand that broadcasts to `shape`: axes whose bit is set have one entry, and as many as `absent` leading
/// axes of one entry are left out.
fn broadcast_from(shape: &[usize], ones: u8, absent: usize) -> Vec<usize> {
    let all: Vec<usize> = shape.iter().enumerate().map(|(i, d)| if ones >> i & 1 == 1 { 1 } else { *d }).collect();
    let droppable = all.iter().take_while(|d| **d == 1).count().min(absent);
    all[droppable..].to_vec()
}

/// An operand that broadcasts to `shape`, or has that shape: an input, a constant, or the result of a convolution, which
/// may be blocked.
fn operand(g: &mut Graph, shape: &[usize], kind: usize, seed: usize) -> Tensor {
    match kind {
        0 => g.coefficient(&format!("c{seed}"), small_integers(shape, seed)).unwrap(),
        1 if shape.len() == 4 => {
            let x = input(g, &format!("i{seed}"), &[shape[0], 8, shape[2], shape[3]]);
            g.conv(x, small_integers(&[shape[1], 8, 1, 1], seed)).call().unwrap()
        }
        _ => input(g, &format!("i{seed}"), shape),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Integers keep the results exact: if large numbers cancelled out, rounding errors would look like mistakes.
    #[test]
    fn broadcasting_is_the_same_by_plan(
        channels in prop::sample::select(vec![1usize, 3, 16, 17, 32]), size in (1usize..4, 1usize..5), batch in 1usize..3,
        producer in 0usize..4,
        followers in prop::collection::vec((0usize..7, 0u8..16, 0usize..4, 0usize..3, any::<bool>()), 1..5),
    ) {
        let mut g = Graph::new("g").unwrap();
        let full = [batch, channels, size.0, size.1];
        // The first result may itself have axes of one entry, which a follower then broadcasts.
        let own = broadcast_from(&full, followers[0].1.rotate_left(1) & 0b1111, 0);
        let mut t = match producer {
            0 => {
                let x = input(&mut g, "x", &[own[0], 2, own[2], own[3]]);
                g.conv(x, small_integers(&[own[1], 2, 1, 1], 1)).bias(small_integers(&[own[1]], 2)).call().unwrap()
            }
            1 => operand(&mut g, &own, 1, 90),
            2 => {
                let x = input(&mut g, "x", &[own[0], own[1], own[2], 4]);
                g.matmul(x, small_integers(&[4, own[3]], 1)).call().unwrap()
            }
            _ => {
                let x = input(&mut g, "x", &own);
                g.relu(x).call().unwrap()
            }
        };
        let mut seen = vec![t];
        for (i, (kind, ones, absent, source, is_left)) in followers.into_iter().enumerate() {
            let shape = broadcast_from(&full, ones, absent);
            let other = operand(&mut g, &shape, source, i);
            let [a, b] = if is_left { [other, t] } else { [t, other] };
            t = match kind {
                0 => g.add(a, b).call(),
                1 => g.sub(a, b).call(),
                2 | 3 => g.mul(a, b).call(),
                4 => g.max(a, b).call(),
                5 => g.min(a, b).call(),
                _ => g.add(a, b).call().and_then(|s| g.relu(s).call()),
            }.unwrap();
            seen.push(t);
        }
        // No number exceeds 16 * 32^4 = 2^24.
        let last = g.relu(t).call().unwrap();
        let outputs = [last, seen[seen.len() / 2]];
        steps_on(small_integers, 0.0, &mut g, &outputs);
    }
}

/// One channel is broadcast to all channels, not only within a block.
#[test]
fn one_channel_beside_blocks_is_broadcast() {
    for (channels, of_operand) in [(2, 1), (16, 1), (32, 1), (1, 16), (1, 1), (16, 16)] {
        for rows in [1, 6] {
            let mut g = Graph::new("g").unwrap();
            let (x, z) = (input(&mut g, "x", &[2, 8, 6, 6]), input(&mut g, "z", &[2, of_operand, rows, 6]));
            let a = g.conv(x, values(&[channels, 8, 1, 1], 1)).call().unwrap();
            let b = g.conv(x, values(&[of_operand, 8, 1, 1], 2)).call().unwrap();
            let y = g.mul(a, z).call().unwrap();
            let y = g.add(y, b).call().unwrap();
            steps(&mut g, &[y]);
        }
    }
}

/// An image that is not convolved again is converted before it is enlarged, in less time.
#[test]
fn enlarged_results_are_row_major() {
    let plan = |sizes: [i64; 2], convolved: bool| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[1, 8, 6, 6]);
        let a = g.conv(x, values(&[16, 8, 1, 1], 1)).call().unwrap();
        let scale = sizes[1] as f64 / sizes[0] as f64;
        let b = g.interpolate(a, scale, scale).method(InterpMode::Linear).call().unwrap();
        let c = g.sigmoid(b).call().unwrap();
        let y = if convolved { g.conv(c, values(&[16, 16, 1, 1], 2)).call().unwrap() } else { c };
        steps(&mut g, &[y])
    };
    assert_eq!(plan([1, 2], false), ["Reshape", "Conv", "Reshape", "Interp + Sigmoid"]);
    assert_eq!(plan([1, 2], true), ["Reshape", "Conv", "Interp + Sigmoid", "Conv", "Reshape"]);
    assert_eq!(plan([2, 1], false), ["Reshape", "Conv", "Interp + Sigmoid", "Reshape"]);
}

/// Zeros times infinity in the padding of a block of channels would be NaN in all channels of the next convolution.
#[test]
fn infinite_constants_do_not_touch_the_padding_of_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 8, 2, 2]);
    let a = g.conv(x, Array::filled(Dtype::Float32, [3, 8, 1, 1], 1.0).unwrap()).call().unwrap();
    let b = g.mul(a, f64::INFINITY).call().unwrap();
    let y = g.conv(b, Array::filled(Dtype::Float32, [1, 3, 1, 1], 1.0).unwrap()).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let ones = Array::filled(Dtype::Float32, [1, 8, 2, 2], 1.0).unwrap();
    let y = session(&g, false).run(&[("x", ones)]).unwrap()[0].to_f32().unwrap();
    assert_eq!(y, [f32::INFINITY; 4]);
}

/// Each of many producers is a candidate for fusion with the one operator that reads them all.
#[test]
fn many_producers_of_one_operator_are_planned_in_linear_time() {
    let plan = |n: usize| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[1, 2]);
        let parts: Vec<Tensor> = (0..n).map(|_| g.relu(x).call().unwrap()).collect();
        let y = g.concat(parts).axis(1).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let begun = std::time::Instant::now();
        assert_eq!(session(&g, false).plan.steps.len(), n + 1);
        begun.elapsed().as_secs_f64()
    };
    let shortest = |n: usize| (0..3).map(|_| plan(n)).fold(f64::INFINITY, f64::min);
    let (some, many) = (shortest(500), shortest(5000));
    assert!(many < 40.0 * some, "10 times as many take {many} s instead of {some} s");
}

#[test]
fn views_of_views_are_one() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 4]);
    let a = g.reshape(x, [6, 4]).call().unwrap();
    let b = g.unsqueeze(a).axes([0]).call().unwrap();
    let y = g.reshape(b, [4, 6]).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Reshape"]);
    assert_eq!(steps(&mut g, &[y, a]), ["Reshape", "Reshape"], "what is wanted is there");
}

/// If memory does not suffice for all weights, some are reloaded on every run, and the results are the same.
#[test]
fn weights_beyond_the_memory_are_not_kept() {
    let mut g = Graph::new("g").unwrap();
    let mut t = input(&mut g, "x", &[3, 1 << 10]);
    let square = values(&[1 << 10, 1 << 10], 1);
    for i in 0..6 {
        let weight = g.coefficient(&format!("w{i}"), square.clone()).unwrap();
        t = g.matmul(t, weight).call().unwrap();
        t = g.mul(t, 1e-2).call().unwrap();
    }
    g.set_outputs(&[t]).unwrap();
    let options = RunOptions { threads: 1, ..Default::default() };
    let within = |available: fn(&CpuBackend) -> u64| {
        Session::within(&g, (CpuBackend::new(), CpuBackend::new()), &options, available).unwrap()
    };
    let feeds = [("x", values(&[3, 1 << 10], 2))];
    let (all, some, none) = (within(|_| u64::MAX), within(|_| 84 << 20), within(|_| 0));
    let budget = |bytes| {
        let options = RunOptions { weight_budget: Some(bytes), ..options.clone() };
        Session::new(&g, CpuBackend::new(), &options).unwrap()
    };
    // There are 24 MiB of weights. The budget reserves 64 MiB, 12 MiB for a matrix in three forms, and memory for two
    // rows of results.
    for (session, streamed) in [(&all, 0), (&some, 5), (&none, 6), (&budget(8 << 20), 4), (&budget(0), 6)] {
        let text = session.explain();
        assert_eq!(text.matches("weights reloaded on every run").count(), streamed, "{text}");
        assert_eq!(session.run(&feeds).unwrap(), all.run(&feeds).unwrap());
    }
    assert!(some.peak_bytes() > 8 << 20 && all.peak_bytes() < 1 << 20, "those that are read anew are counted");
}

/// Builds attention with this number of queries and keys in the form that networks use.
fn attention(g: &mut Graph, [queries, keys]: [usize; 2], mask: Option<&[usize]>) -> Tensor {
    let heads = |g: &mut Graph, name: &str, rows: usize, order: [i64; 4]| {
        let x = input(g, name, &[2, rows, 3, 20]);
        g.permute(x, order).call().unwrap()
    };
    let q = heads(g, "q", queries, [0, 2, 1, 3]);
    let k = heads(g, "k", keys, [0, 2, 3, 1]);
    let v = heads(g, "v", keys, [0, 2, 1, 3]);
    let scores = g.matmul(q, k).call().unwrap();
    let mut scores = g.mul(scores, 0.3).call().unwrap();
    if let Some(shape) = mask {
        let mask = input(g, "mask", shape);
        scores = g.add(mask, scores).call().unwrap();
    }
    let weights = g.softmax(scores, -1).call().unwrap();
    let y = g.matmul(weights, v).call().unwrap();
    g.permute(y, [0, 2, 1, 3]).call().unwrap()
}

#[test]
fn attention_is_one_and_moves_no_heads() {
    let views = |n: usize| vec!["Reshape"; n];
    for mask in [None, Some(&[2, 1, 1, 17][..]), Some(&[1, 3, 40, 17]), Some(&[2, 3, 40, 17])] {
        let mut g = Graph::new("g").unwrap();
        let y = attention(&mut g, [40, 17], mask);
        assert_eq!(steps(&mut g, &[y]), [views(3), vec!["ScaleDotProductAttention"], views(1)].concat());
    }
    // Wanted intermediate tensors prevent the fusion.
    let mut g = Graph::new("g").unwrap();
    let y = attention(&mut g, [5, 100], None);
    let weights = g.operators().iter().find(|o| o.op.name() == "Softmax").unwrap().outputs().next().unwrap();
    let steps = steps(&mut g, &[y, weights]);
    assert!(steps.contains(&"Softmax".into()) && steps.contains(&"Permute".into()), "{steps:?}");
}

#[test]
fn attention_of_heads_that_stand_outside() {
    let mut g = Graph::new("g").unwrap();
    let [q, k, v] = ["q", "k", "v"].map(|name| input(&mut g, name, &[3, 33, 8]));
    let scores = g.matmul(q, k).right_transpose(true).call().unwrap();
    let weights = g.softmax(scores, 2).call().unwrap();
    let y = g.matmul(weights, v).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["ScaleDotProductAttention"]);
    // No kernel supports keys that are broadcast to all batches.
    let mut g = Graph::new("g").unwrap();
    let q = input(&mut g, "q", &[3, 2, 33, 8]);
    let [k, v] = ["k", "v"].map(|name| input(&mut g, name, &[1, 2, 33, 8]));
    let scores = g.matmul(q, k).right_transpose(true).call().unwrap();
    let weights = g.softmax(scores, 3).call().unwrap();
    let y = g.matmul(weights, v).call().unwrap();
    assert_eq!(steps(&mut g, &[y]).len(), 3);
}

/// A mask is broadcast to the scores in the shape in which it is added to them.
#[test]
fn a_mask_on_a_view_of_the_scores() {
    let [batch, heads, queries, keys] = [2, 3, 4, 5];
    for mask in [vec![batch, 1, 1, keys], vec![batch, 1, queries, keys], vec![heads, queries, 1], vec![1, keys]] {
        let mut g = Graph::new("g").unwrap();
        let q = input(&mut g, "q", &[batch * heads, queries, 8]);
        let [k, v] = ["k", "v"].map(|name| input(&mut g, name, &[batch * heads, keys, 8]));
        let scores = g.matmul(q, k).right_transpose(true).call().unwrap();
        let apart = [batch, heads, queries, keys].map(|d| d as i64);
        let scores = g.reshape(scores, apart).call().unwrap();
        let mask = input(&mut g, "mask", &mask);
        let scores = g.add(scores, mask).call().unwrap();
        let scores = g.reshape(scores, [(batch * heads) as i64, queries as i64, keys as i64]).call().unwrap();
        let weights = g.softmax(scores, -1).call().unwrap();
        let y = g.matmul(weights, v).call().unwrap();
        steps(&mut g, &[y]);
    }
}

/// Query heads that share keys and values are merged to rows of one head for the products.
#[test]
fn heads_may_share_keys_and_values() {
    let [batch, shared, group, queries, keys] = [2, 3, 4, 20, 11];
    for mask in [None, Some([queries, keys].to_vec()), Some(vec![batch, shared * group, 1, keys])] {
        let mut g = Graph::new("g").unwrap();
        let q = input(&mut g, "q", &[batch, queries, shared * group, 16]);
        let q = g.permute(q, [0, 2, 1, 3]).call().unwrap();
        let q = g.reshape(q, [batch, shared, group * queries, 16].map(|d| d as i64)).call().unwrap();
        let [k, v] = ["k", "v"].map(|name| input(&mut g, name, &[batch, shared, keys, 16]));
        let scores = g.matmul(q, k).right_transpose(true).call().unwrap();
        let mut scores = g.mul(scores, 0.25).call().unwrap();
        let apart = [batch, shared * group, queries].map(|d| d as i64);
        if let Some(shape) = mask {
            scores = g.reshape(scores, [&apart[..], &[keys as i64]].concat()).call().unwrap();
            let mask = input(&mut g, "mask", &shape);
            scores = g.add(scores, mask).call().unwrap();
        }
        let weights = g.softmax(scores, -1).call().unwrap();
        let weights = g.reshape(weights, [batch, shared, group * queries, keys].map(|d| d as i64)).call().unwrap();
        let y = g.matmul(weights, v).call().unwrap();
        let y = g.reshape(y, [&apart[..], &[16]].concat()).call().unwrap();
        let y = g.permute(y, [0, 2, 1, 3]).call().unwrap();
        assert_eq!(steps(&mut g, &[y]), ["Reshape", "ScaleDotProductAttention", "Reshape"]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn attention_is_that_of_its_parts(queries in 1usize..70, keys in 1usize..70, masked: bool) {
        let mut g = Graph::new("g").unwrap();
        let y = attention(&mut g, [queries, keys], masked.then_some(&[1, 1, queries, keys]));
        prop_assert_eq!(steps(&mut g, &[y]).len(), 5);
    }
}

#[test]
fn the_steps_of_blocks_are_explained() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2]);
    let c = input(&mut g, "c", &[1]);
    let double = |g: &mut Graph| {
        let y = g.mul(x, 2.0).out_name("doubled").call()?;
        Ok(vec![g.relu(y).out_name("positive").call()?])
    };
    let y = g.cond(c, double, |g| Ok(vec![g.tanh(x).out_name("tanh").call()?])).unwrap();
    let z = g.relu(y[0]).out_name("z").call().unwrap();
    g.set_outputs(&[z]).unwrap();
    let text = session(&g, false).explain();
    let expected = "
    0  If    If_3  2 float32
       then_branch:
        0  MulConst + Relu  positive  2 float32
       else_branch:
        0  Tanh  tanh  2 float32
    1  Relu  z     2 float32
";
    assert!(text.ends_with(expected), "{text}");
}
