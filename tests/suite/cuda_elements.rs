//! Data movement, elementwise chains and reductions: the CUDA backend, on an emulated device, computes the same values as the
//! CPU, and the same with 32-bit as with 64-bit indices.
use super::{
    cuda::{emulated, passed_emulated},
    cuda_networks::Net,
};
use indexmap::IndexMap;
use std::{path::Path, process::Command};
use tpulang::{
    Array, Dtype, Tensor,
    array::{read_npz, write_npz},
    exec::{Comparison, CpuBackend, CudaBackend, RunOptions, compare, run},
    mlir,
    ops::ReduceMode,
};

/// Permutations through tiles, four elements at a time, and one at a time, for all element sizes.
#[test]
fn permutations() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    let all: [(&[usize], &[i64]); 9] = [
        (&[40, 70], &[1, 0]),
        (&[3, 33, 65], &[0, 2, 1]),
        (&[3, 33, 65], &[2, 1, 0]),
        (&[2, 8, 9, 10], &[0, 2, 3, 1]),
        (&[2, 9, 10, 16], &[0, 3, 1, 2]),
        (&[4, 6, 12, 8], &[0, 2, 1, 3]),
        (&[32, 32, 5], &[1, 0, 2]),
        (&[7, 5], &[1, 0]),
        (&[1, 200, 1, 3], &[3, 0, 1, 2]),
    ];
    for (shape, order) in all {
        let mut net = Net::new();
        let x = net.input(shape);
        let small = net.graph.add(x, 1.0).call().unwrap();
        let results: Vec<Tensor> = [Dtype::Float32, Dtype::Int32, Dtype::Uint8, Dtype::Int64, Dtype::Bool]
            .into_iter()
            .filter_map(|dtype| {
                let x = net.graph.cast(small).out_dtype(dtype).call().ok()?;
                net.graph.permute(x, order.to_vec()).call().ok()
            })
            .collect();
        assert!(results.len() > 2);
        net.check_outputs(&cuda, &format!("{shape:?} by {order:?}"), &results);
    }
}

/// Operands that are broadcast, sliced and concatenated, at aligned and unaligned offsets.
#[test]
fn broadcasts_slices_and_concatenations() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    for width in [1, 3, 4, 12, 130] {
        let mut net = Net::new();
        let x = net.input(&[3, 5, width]);
        let others =
            [vec![width], vec![5, 1], vec![3, 1, width], vec![3, 5, 1], vec![1]].map(|shape| net.input(&shape));
        let mut results: Vec<Tensor> = others.iter().map(|y| net.graph.add(x, *y).call().unwrap()).collect();
        // A chain of operators, each with its own layout.
        let mut last = x;
        for y in others {
            last = net.graph.mul(last, y).call().unwrap();
            last = net.graph.sigmoid(last).call().unwrap();
        }
        results.push(last);
        for start in [1, 4] {
            let cut = net.graph.slice(x, [start], [width as i64]).axes([2]).call();
            results.extend(cut.ok().filter(|_| start < width as i64));
        }
        results.push(net.graph.concat([x, last, x]).axis(2).call().unwrap());
        results.push(net.graph.concat([x, last]).axis(1).call().unwrap());
        net.check_outputs(&cuda, &format!("rows of {width}"), &results);
    }
}

/// Reductions over the last, the first and middle axes, by one block and by several.
#[test]
fn reductions() {
    if passed_emulated() {
        return;
    }
    let cuda = CudaBackend::new(0).unwrap();
    let all: [(&[usize], &[i64]); 7] = [
        (&[300, 40], &[0]),
        (&[300, 40], &[1]),
        (&[3, 200, 33], &[1]),
        (&[3, 20, 10, 17], &[1, 2]),
        (&[3, 20, 10, 17], &[0, 2]),
        (&[1, 700, 64], &[0, 1]),
        (&[5, 7, 3], &[0]),
    ];
    for (shape, axes) in all {
        let mut net = Net::new();
        let mut values = net.array(shape).to_f64().unwrap();
        // NaN as the first element, and as another.
        (values[0], values[shape.iter().product::<usize>() / 2 + 1]) = (f64::NAN, f64::NAN);
        let (plain, with_nan) =
            (net.input(shape), Array::from_f64s(Dtype::Float32, shape, values.into_iter()).unwrap());
        let with_nan = net.fed(with_nan);
        use ReduceMode::{ReduceL1, ReduceL2, ReduceMax, ReduceMean, ReduceMin, ReduceProd, ReduceSum};
        let modes = [ReduceMean, ReduceSum, ReduceMax, ReduceMin, ReduceL1, ReduceL2, ReduceProd];
        let mut results = Vec::new();
        for x in [plain, with_nan] {
            results
                .extend(modes.iter().map(|mode| net.graph.reduce(x).method(*mode).axes(axes.to_vec()).call().unwrap()));
        }
        net.check_outputs(&cuda, &format!("{shape:?} over {axes:?}"), &results);
    }
}

/// A network of kernels whose indices may have 32 or 64 bits: chains with every access pattern, and products and convolutions
/// with epilogues; and of gathers and reductions, which read the results of chains.
fn indexed_network() -> Net {
    let mut net = Net::new();
    let (x, channel, row) = (net.input(&[2, 6, 9, 12]), net.input(&[6, 1, 1]), net.input(&[12]));
    let (tall, odd, other) = (net.input(&[40, 70]), net.input(&[5, 7]), net.input(&[2, 1, 9, 1]));
    let bytes = net.fed(Array::from_vec([1, 2, 8, 8], (0..128).map(|i| (i * 37 % 251) as i8).collect()).unwrap());
    let rows = net.fed(Array::from_vec([7], vec![8, 0, -1, 3, 3, 5, 2]).unwrap());
    let (filter, deep, up) = (net.weight(&[8, 6, 3, 3]), net.weight(&[6, 1, 3, 3]), net.weight(&[4, 6, 2, 2]));
    let (bias, matrix, column) = (net.weight(&[8]), net.weight(&[12, 10]), net.weight(&[10]));
    let taps = Array::from_vec([3, 2, 3, 3], (0..54).map(|i| (i * 5 % 17) as i8 - 8).collect()).unwrap();
    let g = &mut net.graph;
    let chain = g.sigmoid(x).call().unwrap();
    let chain = g.mul(chain, channel).call().unwrap();
    let chain = g.add(chain, row).call().unwrap();
    let turned = g.permute(tall, [1, 0]).call().unwrap();
    let small = g.permute(odd, [1, 0]).call().unwrap();
    let inner = g.permute(chain, [0, 2, 1, 3]).call().unwrap();
    let part = g.slice(chain, [1], [8]).axes([3]).call().unwrap();
    let joined = g.concat([part, x]).axis(3).call().unwrap();
    let chosen = g.index_select(chain, rows).axis(2).call().unwrap();
    let sums = g.reduce(chain).axes([1, 3]).call().unwrap();
    let columns = g.reduce(tall).axes(0).call().unwrap();
    let convolved = g.conv(chain, filter).bias(bias).pad(1).call().unwrap();
    let convolved = g.max(convolved, other).call().unwrap();
    let planes = g.conv(x, deep).group(6).pad([1, 0, 2, 1]).call().unwrap();
    let depthwise = g.conv(x, deep).group(6).dilation(2).pad(2).call().unwrap();
    let deconvolved = g.deconv(x, up).stride([2, 2]).call().unwrap();
    let quantized = g.conv_quant(bytes, taps).input_scale(0.1).weight_scale(vec![0.2, 0.1, 0.3]).output_scale(0.5);
    let quantized = quantized.call().unwrap();
    let product = g.matmul(chain, matrix).bias(column).call().unwrap();
    let product = g.max(product, other).call().unwrap();
    let copies = [turned, small, inner, joined, chosen, sums, columns];
    g.set_outputs(&[&copies[..], &[convolved, planes, depthwise, deconvolved, quantized, product]].concat()).unwrap();
    net
}

/// Runs the command on the emulated GPU with 32-bit or 64-bit indices, and returns what it prints.
fn run_indexed(has_64_bits: bool, arguments: &[&Path]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["run", "-d", "cuda", "--strict"])
        .args(arguments)
        .env("LD_LIBRARY_PATH", emulated())
        .env("TPULANG_CACHE", emulated().parent().unwrap().join("kernels"))
        .env("TPULANG_SOURCES", emulated().parent().unwrap().join("sources"))
        .env("TPULANG_64_BIT_INDICES", if has_64_bits { "1" } else { "0" })
        .output()
        .unwrap();
    let [stdout, stderr] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(out.status.success(), "{stderr}");
    stdout
}

#[test]
fn indices_of_32_and_64_bits_give_identical_results() {
    let (folder, net) = (tempfile::tempdir().unwrap(), indexed_network());
    let model = mlir::write_pair(&net.graph, folder.path()).unwrap().mlir;
    let inputs = folder.path().join("inputs.npz");
    write_npz(&inputs, net.feeds.iter().map(|(name, array)| (name.as_str(), array))).unwrap();
    let [narrow, wide] = [false, true].map(|has_64_bits| {
        let plan = run_indexed(has_64_bits, &[&model, Path::new("--explain")]);
        let (this, other) = if has_64_bits { ("i64", "int") } else { ("int", "i64") };
        for kernel in ["convolution", "depthwise", "transposed_convolution", "matmul"] {
            assert!(plan.contains(&format!("{kernel}<float, {this}>")), "no {kernel}<float, {this}>:\n{plan}");
        }
        assert!(plan.contains(&format!("depthwise_plane<float, {this}, 3, 1>")), "{plan}");
        assert!(plan.contains(&format!("typedef {this} Index;")) && plan.contains("tile[32][32 + 1]"), "{plan}");
        assert!(!plan.contains(&format!("typedef {other} Index;")) && !plan.contains(&format!(", {other}>")), "{plan}");
        let results = folder.path().join(format!("{this}.npz"));
        run_indexed(has_64_bits, &[&model, Path::new("-i"), &inputs, Path::new("-o"), &results]);
        read_npz(&results).unwrap()
    });
    assert_eq!(narrow.len(), 13);
    let stored = |results: &IndexMap<String, Array>| {
        let each =
            results.iter().map(|(name, a)| (name.clone(), a.dtype(), a.shape().to_vec(), a.bytes().unwrap().to_vec()));
        each.collect::<Vec<_>>()
    };
    let expected = run(&net.graph, &net.feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
    let is_close = |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
    let compared = compare(&expected, &narrow).unwrap();
    assert!(compared.values().all(is_close), "{compared:?}");
    assert!(stored(&narrow) == stored(&wide), "32-bit and 64-bit indices give different results");
}
