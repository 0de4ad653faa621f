//! Operators of networks at sizes of several thread blocks: the CUDA backend, on an emulated device, computes the same
//! values as the CPU, without any fallback to it.
use super::cuda::passed_emulated;
use indexmap::IndexMap;
use tpulang::{
    Array, Dtype, Graph, Tensor,
    conformance::{Case, check},
    exec::{Comparison, CpuBackend, CudaBackend, RunOptions, Session, compare, run},
    ops::{
        Attention, BatchNormBwd, BatchNormTrain, ChunkGatedDeltaRule, Conv, ConvBwd_Weight, Convbwd, Einsum,
        EinsumMode, FAttention, FAttentionLse, FlexAttention, GRU, GroupNormTrain, LSTM, LayerNorm, LayerNormBwd,
        LayerNormTrain, MaxPoolingIndicesBwd, MeanRstd, Mlp, Op, RMSNorm, RecurrentGatedDeltaRule, Rope, RopeMode,
        ScaleDotProductAttention, SelectiveScan, Softmax, SoftmaxBwd,
    },
};

/// A graph whose inputs are values from -1 to 1.
pub struct Net {
    pub graph: Graph,
    pub feeds: IndexMap<String, Array>,
    state: u64,
}

impl Net {
    pub fn new() -> Net {
        Net { graph: Graph::new("net").unwrap(), feeds: IndexMap::new(), state: 1 }
    }
    pub fn array(&mut self, shape: &[usize]) -> Array {
        let n = shape.iter().product();
        let mut next = || {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.state >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        Array::from_f64s(Dtype::Float32, shape, (0..n).map(|_| next())).unwrap()
    }
    pub fn fed(&mut self, values: Array) -> Tensor {
        let name = format!("x{}", self.feeds.len());
        let shape: Vec<i64> = values.shape().iter().map(|d| *d as i64).collect();
        let input = self.graph.input(&name, values.dtype(), shape).unwrap();
        self.feeds.insert(name, values);
        input
    }
    pub fn input(&mut self, shape: &[usize]) -> Tensor {
        let values = self.array(shape);
        self.fed(values)
    }
    pub fn weight(&mut self, shape: &[usize]) -> Tensor {
        let (values, name) = (self.array(shape), format!("w{}", self.state));
        self.graph.coefficient(&name, values).unwrap()
    }
    /// Compares both backends on one operator.
    pub fn check(mut self, backend: &CudaBackend, name: &str, op: impl Into<Op<Tensor>>) {
        let results = self.graph.op(op).call().unwrap();
        self.check_outputs(backend, name, &results);
    }
    /// Compares the GPU, which fuses operators, with the CPU, which does not, on the last operator.
    fn check_fused(mut self, backend: &CudaBackend, last: impl FnOnce(&mut Graph) -> tpulang::Result<Tensor>) {
        let output = last(&mut self.graph).unwrap();
        self.graph.set_outputs(&[output]).unwrap();
        let unfused = RunOptions::default().unfused(true);
        let expected = run(&self.graph, &self.feeds, &CpuBackend::new(), &unfused).unwrap().tensors;
        let session = Session::new(&self.graph, backend, &RunOptions::default().strict(true)).unwrap();
        let text = session.explain();
        assert!(text.contains(" + Max"), "not fused:\n{text}");
        let compared = compare(&expected, &session.run(&self.feeds).unwrap()).unwrap();
        let agrees = |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-6);
        assert!(compared.values().all(agrees), "{compared:?}:\n{text}");
    }
    /// Compares both backends on these tensors.
    pub fn check_outputs(mut self, backend: &CudaBackend, name: &str, outputs: &[Tensor]) {
        self.graph.set_outputs(outputs).unwrap();
        let case = Case::by_cpu(name, self.graph, self.feeds).unwrap();
        let report = check(backend, &[case], &RunOptions::default().strict(true));
        assert!(report.failures.is_empty() && report.passed == 1, "{name}: {report}");
    }
}

/// Operators that are fused into a product with a bias or into a rotation read operands that are broadcast along any axes of
/// the result, although the kernel iterates over other axes.
#[test]
fn operands_of_fused_operators_are_broadcast_to_the_result() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for other in [&[3, 1, 1, 1][..], &[1, 4, 1, 1], &[1, 1, 5, 1], &[8], &[3, 1, 5, 8]] {
        let mut net = Net::new();
        let (x, w, bias, other) = (net.input(&[3, 4, 5, 8]), net.weight(&[8, 8]), net.weight(&[8]), net.input(other));
        let y = net.graph.matmul(x, w).bias(bias).call().unwrap();
        net.check_fused(&cuda, |g| g.max(y, other).call());
    }
    for other in [&[8, 1][..], &[1, 60]] {
        let mut net = Net::new();
        let (x, w, bias, other) = (net.input(&[4, 15, 7]), net.weight(&[7, 8]), net.weight(&[8]), net.input(other));
        let y = net.graph.matmul(x, w).bias(bias).output_transpose(true).keep_dims(false).call().unwrap();
        net.check_fused(&cuda, |g| g.max(y, other).call());
    }
    for (rope_mode, other) in [RopeMode::InterleavedPairs, RopeMode::ContiguousHalves]
        .into_iter()
        .flat_map(|m| [[1, 4, 1, 1], [1, 1, 5, 8]].map(|o| (m, o)))
    {
        let mut net = Net::new();
        let (x, sines, cosines) = (net.input(&[3, 4, 5, 8]), net.input(&[5, 8]), net.input(&[5, 8]));
        let (y, other) = (net.graph.rope(x, sines, cosines).rope_mode(rope_mode).call().unwrap(), net.input(&other));
        net.check_fused(&cuda, |g| g.max(y, other).call());
    }
}

#[test]
fn depthwise_convolutions_of_planes() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for kernel in [3, 5, 7] {
        for (stride, pads, [height, width], each) in [
            (1, [1, 1, 1, 1], [9, 11], 1),
            (1, [0, 2, 3, 0], [8, 40], 2),
            (2, [2, 1, 0, 2], [13, 9], 1),
            (2, [3, 3, 3, 3], [7, 7], 4),
            (3, [1, 0, 1, 0], [12, 10], 1),
        ] {
            let mut net = Net::new();
            let x = net.input(&[2, 5, height, width]);
            let (filter, bias) = (net.weight(&[5 * each, 1, kernel, kernel]), Some(net.weight(&[5 * each])));
            let sizes = (vec![kernel as i64; 2], vec![stride; 2], pads.to_vec());
            let op = Conv::new(x, filter, sizes.0, sizes.1, sizes.2);
            let name = format!("{kernel} x {kernel}, stride {stride}, pads {pads:?}");
            net.check(&cuda, &name, Conv { bias, group: 5, do_relu: each == 2, ..op });
        }
    }
}

/// Rows that are kept in registers, and rows that are read several times.
#[test]
fn rows_of_many_lengths() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for (rows, length) in [(3, 1), (2, 7), (4, 64), (2, 1000), (2, 1026), (1, 8192), (1, 8196), (8200, 20), (8200, 66)]
    {
        let name = format!("{rows} x {length}");
        for log in [false, true] {
            let mut net = Net::new();
            let x = net.input(&[rows, length]);
            net.check(&cuda, &name, Softmax { log, beta: 3.0, ..Softmax::new(x, -1) });
        }
        let mut net = Net::new();
        let (x, weight, bias) = (net.input(&[rows, length]), net.weight(&[length]), net.weight(&[length]));
        net.check(
            &cuda,
            &name,
            LayerNorm { weight: Some(weight), bias: Some(bias), ..LayerNorm::new(x, vec![length as i64], -1, 1e-3) },
        );
        let mut net = Net::new();
        let x = net.input(&[rows, length]);
        net.check(&cuda, &name, RMSNorm::new(x, 1e-5));
    }
}

#[test]
fn attention_of_many_sizes() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    // Heads, queries, keys, width, width of values; then the shape of the mask.
    let all: [([usize; 5], &[usize], bool); 11] = [
        ([1, 66, 129, 32, 32], &[66, 129], false),
        ([1, 20, 70, 68, 64], &[], true),
        ([1, 70, 70, 132, 128], &[], false),
        ([2, 70, 70, 24, 24], &[], true),
        ([1, 100, 130, 64, 64], &[100, 130], false),
        ([2, 20, 65, 8, 136], &[2, 1, 1, 65], false),
        ([3, 1, 1000, 16, 16], &[2, 3, 1, 1000], false),
        ([1, 1, 515, 40, 200], &[], false),
        ([2, 33, 300, 17, 5], &[1], true),
        ([2, 5, 3, 4, 4], &[2, 1, 5, 3], true),
        ([1, 600, 1, 4, 4], &[], false),
    ];
    for ([heads, queries, keys, elements, values], mask, causal) in all {
        let mut net = Net::new();
        let query = net.input(&[2, heads, queries, elements]);
        let key = net.input(&[2, heads, keys, elements]);
        let value = net.input(&[2, heads, keys, values]);
        let mut op = ScaleDotProductAttention::new(query, key, value);
        op.mask = (!mask.is_empty()).then(|| net.input(mask));
        (op.is_causal, op.scale) = (causal, if causal { 0.0 } else { 0.7 });
        net.check(&cuda, &format!("{heads} x {queries} x {keys} x {elements} x {values}, causal: {causal}"), op);
    }
    // Masked keys fill whole tiles, and all tiles of a thread block.
    for queries in [1, 20] {
        let mut net = Net::new();
        let query = net.input(&[1, 1, queries, 8]);
        let [key, value] = [(); 2].map(|()| net.input(&[1, 1, 1100, 8]));
        let hidden = (0..1100).map(|k| if (300..310).contains(&k) { 0.0 } else { f64::NEG_INFINITY });
        let mask = net.fed(Array::from_f64s(Dtype::Float32, [1100], hidden).unwrap());
        net.check(
            &cuda,
            "hidden",
            ScaleDotProductAttention { mask: Some(mask), ..ScaleDotProductAttention::new(query, key, value) },
        );
    }
    // A mask that is broadcast along some of the axes before the heads.
    let mut net = Net::new();
    let [query, key, value] = [(); 3].map(|()| net.input(&[2, 3, 1, 9, 4]));
    let mut op = ScaleDotProductAttention::new(query, key, value);
    op.mask = Some(net.input(&[3, 1, 9, 9]));
    net.check(&cuda, "five axes", op);
}

#[test]
fn grouped_query_attention() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    let all = [(2, 6, 2, 40, 70, 16), (1, 8, 1, 1, 700, 32), (2, 4, 4, 70, 66, 8)];
    for (batch, heads, shared, queries, keys, elements) in all {
        for (masked, mask_size) in [(false, 0), (true, 0), (true, 128)] {
            let operands = |net: &mut Net, values: usize| {
                let key = net.input(&[batch, keys, shared, elements]);
                let mask = masked.then(|| net.input(&[batch, 1, queries, keys]));
                (net.input(&[batch, queries, heads, elements]), key, net.input(&[batch, keys, shared, values]), mask)
            };
            let name = format!("{batch} x {heads} x {shared} x {queries} x {keys}, {masked}, {mask_size}");
            let sizes = [batch, elements, heads, shared, queries, keys].map(|n| n as i64);
            let [b, d, q_head, kv_head, mq, mk] = sizes;
            let mut net = Net::new();
            let (queries, keys, values, mask) = operands(&mut net, elements);
            let op = FAttention::new(queries, keys, values, b, d, kv_head, mk, mq, q_head, 0.3);
            net.check(&cuda, &name, FAttention { mask, mask_size, ..op });
            let mut net = Net::new();
            let (queries, keys, values, mask) = operands(&mut net, elements);
            let op = FAttentionLse::new(queries, keys, values, b, d, kv_head, mk, mq, q_head, 0.3);
            net.check(&cuda, &name, FAttentionLse { mask, mask_size, ..op });
            let mut net = Net::new();
            let (queries, keys, values, mask) = operands(&mut net, 130);
            let op = FlexAttention::new(queries, keys, values, b, kv_head, mk, mq, q_head, d, 0.3, 130);
            net.check(&cuda, &name, FlexAttention { mask, mask_size, has_lse: true, ..op });
        }
    }
}

/// Attention as written by networks is fused into one operator, which reads and writes heads in place.
#[test]
fn attention_is_fused() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for (shared, mask) in [(4, None), (4, Some([2, 1, 37, 21])), (2, Some([2, 8, 1, 21])), (1, None)] {
        let group = 8 / shared;
        let mut net = Net::new();
        let x = net.input(&[2, 37, 8, 16]);
        let (k, v) = (net.input(&[2, 21, shared, 16]), net.input(&[2, 21, shared, 16]));
        let mask = mask.map(|shape| net.input(&shape));
        let g = &mut net.graph;
        let mut q = g.permute(x, [0, 2, 1, 3]).call().unwrap();
        q = g.reshape(q, [2, shared as i64, group as i64 * 37, 16]).call().unwrap();
        let k = g.permute(k, [0, 2, 3, 1]).call().unwrap();
        let v = g.permute(v, [0, 2, 1, 3]).call().unwrap();
        let scores = g.matmul(q, k).call().unwrap();
        let mut scores = g.mul(scores, 0.25).call().unwrap();
        if let Some(mask) = mask {
            scores = g.reshape(scores, [2, 8, 37, 21]).call().unwrap();
            scores = g.add(scores, mask).call().unwrap();
        }
        let weights = g.softmax(scores, -1).call().unwrap();
        let weights = g.reshape(weights, [2, shared as i64, group as i64 * 37, 21]).call().unwrap();
        let y = g.matmul(weights, v).call().unwrap();
        let y = g.reshape(y, [2, 8, 37, 16]).call().unwrap();
        let y = g.permute(y, [0, 2, 1, 3]).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let options = RunOptions::default().strict(true);
        let fused = Session::new(&net.graph, &cuda, &options).unwrap();
        assert!(fused.explain().contains("ScaleDotProductAttention"), "{}", fused.explain());
        let expected = Session::new(&net.graph, CpuBackend::new(), &options).unwrap().run(&net.feeds).unwrap();
        let compared = compare(&expected, &fused.run(&net.feeds).unwrap()).unwrap();
        let Comparison::Values { relative_l2, .. } = compared["y"] else { panic!("{:?}", compared["y"]) };
        assert!(relative_l2 < 1e-5, "{relative_l2:e}");
    }
}

#[test]
fn attention_with_projections() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for mask in [None, Some([1, 40, 70]), Some([2, 1, 70])] {
        let mut net = Net::new();
        let (x, k, v) = (net.input(&[2, 40, 24]), net.input(&[2, 70, 20]), net.input(&[2, 70, 28]));
        let [q_weight, k_weight, v_weight] = [24, 20, 28].map(|n| net.weight(&[n, 36]));
        let out_weight = net.weight(&[36, 30]);
        let op = Attention::new(x, k, v, q_weight, k_weight, v_weight, out_weight, 3, 0.3);
        let (queries_bias, out_bias) = (Some(net.weight(&[36])), Some(net.weight(&[30])));
        let mask = mask.map(|shape| net.input(&shape));
        net.check(&cuda, "Attention", Attention { queries_bias, out_bias, mask, ..op });
    }
}

#[test]
fn rotary_embeddings() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for rope_mode in [RopeMode::InterleavedPairs, RopeMode::ContiguousHalves] {
        for angles in [[2, 5, 7, 12], [1, 1, 7, 12], [2, 1, 7, 1], [1, 5, 1, 12]] {
            let mut net = Net::new();
            let (x, sines, cosines) = (net.input(&[2, 5, 7, 12]), net.input(&angles), net.input(&angles));
            net.check(&cuda, "Rope", Rope { rope_mode, ..Rope::new(x, sines, cosines) });
        }
    }
}

#[test]
fn recurrent_layers() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for (length, batch, directions, elements, hidden) in [(7, 3, 2, 5, 70), (20, 1, 1, 33, 3)] {
        let operands = |net: &mut Net, gates: usize| {
            let rows = gates * hidden;
            let weights = [net.weight(&[directions, rows, elements]), net.weight(&[directions, rows, hidden])];
            let bias = net.weight(&[directions, 2 * rows]);
            (net.input(&[length, batch, elements]), weights, bias, net.input(&[directions, batch, hidden]))
        };
        let mut net = Net::new();
        let (x, [w, r], bias, h) = operands(&mut net, 4);
        let (c, cont) = (net.input(&[directions, batch, hidden]), net.input(&[length, batch]));
        let op = LSTM::new(x, w, r, directions == 2, hidden as i64);
        let (bias, initial_h, initial_c, cont) = (Some(bias), Some(h), Some(c), Some(cont));
        net.check(&cuda, "LSTM", LSTM { bias, initial_h, initial_c, cont, ..op });
        for linear_before_reset in [false, true] {
            let mut net = Net::new();
            let (x, [w, r], bias, h) = operands(&mut net, 3);
            let op = GRU::new(x, w, r, directions == 2, hidden as i64);
            net.check(&cuda, "GRU", GRU { bias: Some(bias), initial_h: Some(h), linear_before_reset, ..op });
        }
    }
}

#[test]
fn scans() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for (batch, steps, shared, heads, n, normalized) in
        [(2, 1, 2, 4, 40, true), (2, 5, 2, 4, 40, true), (1, 9, 3, 3, 8, false)]
    {
        let mut net = Net::new();
        let [query, key] = [(); 2].map(|()| net.input(&[batch, steps, shared, n]));
        let value = net.input(&[batch, steps, heads, n]);
        let [g, beta] = [(); 2].map(|()| net.input(&[batch, steps, heads]));
        let state = net.input(&[batch, heads, n, n]);
        let sizes = [n, shared, heads].map(|n| n as i64);
        let [d, of_keys, of_values] = sizes;
        if steps == 1 {
            let op = RecurrentGatedDeltaRule::new(
                query, key, value, g, beta, state, d, of_keys, of_values, 0.25, normalized,
            );
            net.check(&cuda, "one step", op);
            continue;
        }
        let [a, b, c, e] = [(); 4].map(|()| net.input(&[4, 4]));
        let op = ChunkGatedDeltaRule::new(
            query, key, value, g, beta, state, a, b, c, e, 4, d, of_keys, of_values, 0.25, normalized,
        );
        net.check(&cuda, "many steps", op);
    }
    let mut net = Net::new();
    let c = net.input(&[9, 6, 1, 50]);
    let [a, b] = [(); 2].map(|()| net.input(&[1, 6, 9, 50]));
    let (u, d) = (net.input(&[9, 6, 50]), net.input(&[6]));
    net.check(&cuda, "scan", SelectiveScan { Ds: Some(d), ..SelectiveScan::new(c, a, b, u) });
}

#[test]
fn einsums() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    let sizes = [3, 5, 7, 70, 66, 4, 2];
    for mode in [
        "ab,ab->a",
        "abcd,cde->abe",
        "abcd,bed->abce",
        "abc,abdc,abc->abcd",
        "abcd,acde,abc->abce",
        "abcde,abfge->abcdfg",
    ] {
        let mut net = Net::new();
        let shape = |axes: &str| axes.bytes().map(|a| sizes[usize::from(a - b'a')]).collect::<Vec<_>>();
        let operands = mode.split("->").next().unwrap().split(',').map(|axes| net.input(&shape(axes))).collect();
        net.check(&cuda, mode, Einsum::new(operands, EinsumMode::from_name(mode).unwrap()));
    }
}

#[test]
fn feed_forward() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for transposed in [false, true] {
        let mut net = Net::new();
        let x = net.input(&[2, 9, 24]);
        let across = if transposed { [70, 24] } else { [24, 70] };
        let [gate, up] = [(); 2].map(|()| net.weight(&across));
        let down = net.weight(&[across[1], across[0]]);
        let (bias_gate, bias_down) = (Some(net.weight(&[70])), Some(net.weight(&[24])));
        let op = Mlp { bias_gate, bias_down, ..Mlp::new(x, gate, up, down) };
        let [right_transpose_gate, right_transpose_up, right_transpose_down] = [transposed; 3];
        net.check(&cuda, "Mlp", Mlp { right_transpose_gate, right_transpose_up, right_transpose_down, ..op });
    }
}

#[test]
fn mixture_of_experts() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for (transposed, has_biases) in [(false, true), (true, false), (true, true)] {
        let mut net = Net::new();
        let x = net.input(&[2, 5, 24]);
        let across = if transposed { [4, 70, 24] } else { [4, 24, 70] };
        let [gate, up] = [(); 2].map(|()| net.weight(&across));
        let down = net.weight(&[4, across[2], across[1]]);
        let ids = net.fed(Array::from_vec([10, 3], (0..30).map(|i| i * 7 % 4).collect::<Vec<i32>>()).unwrap());
        let mut op = Mlp { expert_id: Some(ids), is_expert: true, ..Mlp::new(x, gate, up, down) };
        (op.num_expert, op.num_expert_per_tok) = (4, 3);
        if has_biases {
            (op.bias_gate, op.bias_down) = (Some(net.weight(&[4, 70])), Some(net.weight(&[4, 24])));
        }
        let [right_transpose_gate, right_transpose_up, right_transpose_down] = [transposed; 3];
        net.check(&cuda, "experts", Mlp { right_transpose_gate, right_transpose_up, right_transpose_down, ..op });
    }
}

#[test]
fn statistics_and_their_gradients() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    let shape = [3, 6, 9, 13];
    let channels = |net: &mut Net| net.input(&[6]);
    let mut net = Net::new();
    let (x, mean, var) = (net.input(&shape), channels(&mut net), channels(&mut net));
    let (gamma, beta) = (Some(channels(&mut net)), Some(channels(&mut net)));
    let op = BatchNormTrain { gamma, beta, do_relu: true, ..BatchNormTrain::new(x, mean, var) };
    net.check(&cuda, "BatchNormTrain", op);
    for is_saved in [false, true] {
        let mut net = Net::new();
        let (grad, x) = (net.input(&shape), net.input(&shape));
        let [weight_opt, saved_mean, saved_invstd] = [(); 3].map(|()| is_saved.then(|| channels(&mut net)));
        let op = BatchNormBwd { weight_opt, saved_mean, saved_invstd, ..BatchNormBwd::new(grad, x) };
        net.check(&cuda, "BatchNormBwd", op);
    }
    let mut net = Net::new();
    let x = net.input(&shape);
    let [mean, var, weight, bias] = [(); 4].map(|()| channels(&mut net));
    net.check(&cuda, "MeanRstd", MeanRstd::new(x, mean, var, weight, bias, 1e-3, 0.2));
    let mut net = Net::new();
    let (x, weight, bias) = (net.input(&shape), Some(channels(&mut net)), Some(channels(&mut net)));
    net.check(&cuda, "GroupNormTrain", GroupNormTrain { weight, bias, ..GroupNormTrain::new(x, 1e-3, 3) });
    let mut net = Net::new();
    let (x, weight, bias) = (net.input(&shape), Some(net.input(&[9, 13])), Some(net.input(&[9, 13])));
    let op = LayerNormTrain { weight, bias, ..LayerNormTrain::new(x, vec![9, 13], 2, 1e-3) };
    net.check(&cuda, "LayerNormTrain", op);
    let mut net = Net::new();
    let (grad, x) = (net.input(&shape), net.input(&shape));
    let (mean, rstd) = (net.input(&[3, 6, 1, 1]), net.input(&[3, 6, 1, 1]));
    let (weight, bias) = (Some(net.input(&[9, 13])), Some(net.input(&[9, 13])));
    let op = LayerNormBwd { weight, bias, ..LayerNormBwd::new(grad, x, mean, rstd, vec![9, 13]) };
    net.check(&cuda, "LayerNormBwd", op);
    for dim in [1, -1] {
        let mut net = Net::new();
        let (grad, y) = (net.input(&[3, 70, 5]), net.input(&[3, 70, 5]));
        net.check(&cuda, "SoftmaxBwd", SoftmaxBwd::new(grad, y, dim));
    }
}

#[test]
fn gradients_of_convolutions_and_pools() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    let (image, filter, grads) = ([2, 4, 9, 11], [6, 2, 3, 2], [2, 6, 5, 11]);
    let list = |shape: [usize; 4]| shape.map(|d| d as i64).to_vec();
    let (padding, stride, dilations) = (vec![1, 1, 1, 1], vec![2, 1], vec![1, 2]);
    let mut net = Net::new();
    let (grad, x, kernel) = (net.input(&grads), net.input(&image), net.input(&filter));
    let (of_image, of_filter, of_grad) = (list(image), list(filter), list(grads));
    net.check(
        &cuda,
        "Convbwd",
        Convbwd::new(
            grad,
            x,
            kernel,
            dilations.clone(),
            true,
            true,
            of_grad.clone(),
            true,
            2,
            of_image.clone(),
            vec![0, 0],
            of_filter,
            padding.clone(),
            stride.clone(),
        ),
    );
    let mut net = Net::new();
    let (x, grad, turned) = (net.input(&image), net.input(&grads), net.input(&[6, 2, 5, 11]));
    let op = ConvBwd_Weight::new(x, grad, turned, dilations, false, of_grad, 2, of_image, vec![3, 2], padding, stride);
    net.check(&cuda, "ConvBwd_Weight", op);
    let mut net = Net::new();
    let grad = net.input(&[2, 3, 8, 8]);
    let places = Array::from_f64s(Dtype::Int32, [2, 3, 8, 8], (0..384).map(|i| f64::from(i * 7 % 100))).unwrap();
    let places = net.fed(places);
    let lists = [vec![1; 4], vec![2, 3, 10, 10], vec![3, 3], vec![0; 4], vec![1, 1]];
    let [dilations, input_shape, kernel_shape, pads, strides] = lists;
    let op = MaxPoolingIndicesBwd::new(grad, places, dilations, input_shape, kernel_shape, pads, strides);
    net.check(&cuda, "MaxPoolingIndicesBwd", op);
}
