//! Products and convolutions on emulated cuBLASLt and cuDNN, and float16.
use super::{
    cuda::{checked, emulated, emulated_libraries, passed_emulated, passed_emulated_with_libraries},
    cuda_networks::Net,
    snapshot,
};
use std::{env, fs, path::Path, process::Command};
use tpulang::{
    Array, Dtype, Graph, Result, Tensor,
    conformance::Case,
    exec::{Backend, Comparison, CpuBackend, CudaBackend, CudaOptions, Precision, RunOptions, Session, compare, run},
    mlir,
    ops::{Conv, Deconv, LayerNorm, MatMul},
};

/// Ops that the libraries compute, or that are composed of products.
const MADE_OF_PRODUCTS: [&str; 12] = [
    "A16MatMul",
    "Attention",
    "Conv",
    "Deconv",
    "DeformConv2D",
    "Einsum",
    "Fp8MatMul",
    "GRU",
    "LSTM",
    "MatMul",
    "Mlp",
    "RNN",
];

fn cases_of(op: &str) -> Vec<Case> {
    Case::read(format!("tests/ops/{op}.mlir")).unwrap_or_default()
}

#[test]
fn ops_made_of_products_compute_the_expected_values() {
    if passed_emulated_with_libraries() {
        return;
    }
    let cases: Vec<Case> = MADE_OF_PRODUCTS.iter().flat_map(|op| cases_of(op)).collect();
    let report = checked(&cases);
    assert!(report.failures.is_empty() && report.passed > 40, "{report}");
}

/// Sizes of several tiles in each layout, with rows and columns that are not aligned to four floats.
fn products_of_many_forms(backend: &CudaBackend) {
    let sizes = [(70, 40, 90), (1, 33, 130), (3, 65, 5), (128, 16, 64), (67, 1, 1)];
    for (i, (m, k, n)) in sizes.into_iter().enumerate() {
        for form in 0..16 {
            let [left, right, out, batched] = [1, 2, 4, 8].map(|bit| form & bit != 0);
            let turned = |is: bool, [a, b]: [usize; 2]| if is { [b, a] } else { [a, b] };
            let mut net = Net::new();
            let shape = |batches: &[usize], matrix: [usize; 2]| [batches, &matrix].concat();
            let input = net.input(&shape(&[2, 3], turned(left, [m, k])));
            let batches: &[usize] = if batched { [&[2, 3][..], &[1, 3], &[2, 1]][i % 3] } else { &[] };
            let other = net.input(&shape(batches, turned(right, [k, n])));
            let mut op = MatMul::new(input, other);
            (op.left_transpose, op.right_transpose, op.output_transpose) = (left, right, out);
            op.bias = (form % 3 > 0).then(|| net.weight(&[n]));
            (op.do_relu, op.relu_limit) = (form % 3 == 2, [0.0, 0.5][i % 2]);
            net.check(backend, &format!("{m} x {k} x {n}, form {form}"), op);
        }
    }
    // A vector on the right. The last axis of the result has the rows of the left matrices, and so has the bias.
    for (m, k, has_bias) in [(5, 6, true), (70, 33, true), (70, 33, false)] {
        let mut net = Net::new();
        let (matrices, vector) = (net.input(&[2, m, k]), net.input(&[k]));
        let bias = has_bias.then(|| net.weight(&[m]));
        net.check(backend, &format!("{m} x {k}, a vector"), MatMul { bias, ..MatMul::new(matrices, vector) });
    }
}

fn convolutions_of_many_forms(backend: &CudaBackend) {
    // Channels, kernel, stride, dilation, pads, groups.
    let all = [
        (6, &[3, 3][..], 1, 1, &[1, 1, 1, 1][..], 1),
        (6, &[3, 3], 2, 1, &[0, 1, 1, 0], 1),
        (8, &[1, 1], 1, 1, &[0, 0, 0, 0], 4),
        (6, &[5, 2], 2, 2, &[2, 1, 2, 1], 2),
        (4, &[3], 1, 1, &[1, 1], 1),
        (4, &[2, 3, 2], 1, 1, &[1, 1, 0, 1, 1, 0], 2),
        (8, &[3, 3], 1, 1, &[1, 1, 1, 1], 8),
    ];
    for (i, (channels, kernel, stride, dilation, pads, groups)) in all.into_iter().enumerate() {
        for transposed in [false, true] {
            let mut net = Net::new();
            let size = [17, 12, 7];
            let input = net.input(&[&[2, channels][..], &size[..kernel.len()]].concat());
            let taps: Vec<usize> = kernel.iter().map(|k| *k as usize).collect();
            let in_groups = groups as usize;
            let matrix = if transposed { [3, channels] } else { [3 * in_groups, channels / in_groups] };
            let filter = net.weight(&[&matrix[..], &taps].concat());
            let bias = (i % 3 > 0).then(|| net.weight(&[3 * in_groups]));
            let (kernel, pads) = (kernel.to_vec(), pads.to_vec());
            let (steps, dilations) = (vec![stride; kernel.len()], Some(vec![dilation; kernel.len()]));
            let name = format!("{channels} channels, kernel {kernel:?}, pads {pads:?}, transposed: {transposed}");
            let do_relu = i % 3 == 2;
            if transposed {
                let op = Deconv::new(input, filter, kernel, pads, steps);
                net.check(backend, &name, Deconv { bias, dilations, do_relu, group: groups, ..op });
            } else {
                let op = Conv::new(input, filter, kernel, steps, pads);
                net.check(backend, &name, Conv { bias, dilations, do_relu, group: groups, ..op });
            }
        }
    }
}

#[test]
fn products_and_convolutions_by_built_in_kernels() {
    if !passed_emulated() {
        let backend = CudaBackend::new(0).unwrap();
        products_of_many_forms(&backend);
        convolutions_of_many_forms(&backend);
    }
}

#[test]
fn products_and_convolutions_by_libraries() {
    if !passed_emulated_with_libraries() {
        let backend = CudaBackend::new(0).unwrap();
        products_of_many_forms(&backend);
        convolutions_of_many_forms(&backend);
        assert_eq!(backend.missing_libraries(), [""; 0]);
    }
}

/// Returns the relative L2 errors of a session's results, compared with the CPU's.
fn distances(graph: &Graph, feeds: &[(&str, Array)], backend: CudaBackend, precision: Precision) -> Vec<f64> {
    let want = run(graph, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
    let session = Session::new(graph, backend, &RunOptions::default().precision(precision).strict(true)).unwrap();
    // The second run is captured, the third replays it.
    let runs: Vec<_> = (0..3).map(|_| session.run(feeds).unwrap()).collect();
    let of = |c: &Comparison| if let Comparison::Values { relative_l2, .. } = c { *relative_l2 } else { f64::INFINITY };
    runs.iter().flat_map(|got| compare(&want, got).unwrap().values().map(of).collect::<Vec<_>>()).collect()
}

/// Values that need more bits than TF32 or float16 provides.
fn numbers(shape: &[usize], seed: usize) -> Array {
    let n = shape.iter().product::<usize>();
    let values = (0..n).map(|i| ((i * 7919 + seed * 104_729) % 10_007) as f64 / 10_007.0 - 0.5);
    Array::from_f64s(Dtype::Float32, shape, values).unwrap()
}

/// A convolution with every epilogue, a product with a bias, and a batch of products.
fn network(dtype: Dtype) -> (Graph, [(&'static str, Array); 1]) {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", dtype, [2, 4, 10, 12]).unwrap();
    let mut weight =
        |name: &str, shape: &[usize]| g.coefficient(name, numbers(shape, name.len()).to_dtype(dtype).unwrap()).unwrap();
    let (filter, bias) = (weight("f", &[8, 4, 3, 3]), weight("fb", &[8]));
    let (matrix, row) = (weight("mmm", &[120, 64]), weight("mmbb", &[64]));
    let a = g.conv(x, filter).bias(bias).pad(1).call().unwrap();
    let b = g.relu(a).call().unwrap();
    let c = g.reshape(b, [2, 8, 120]).call().unwrap();
    let d = g.matmul(c, matrix).bias(row).out_name("d").call().unwrap();
    let e = g.matmul(d, d).right_transpose(true).out_name("e").call().unwrap();
    g.set_outputs(&[d, e]).unwrap();
    (g, [("x", numbers(&[2, 4, 10, 12], 9))])
}

#[test]
fn tf32_is_used_only_if_requested() {
    if passed_emulated_with_libraries() {
        return;
    }
    let (graph, feeds) = network(Dtype::Float32);
    let of = |tf32| {
        let backend = CudaBackend::with(0, &CudaOptions::default().tf32(tf32)).unwrap();
        distances(&graph, &feeds, backend, Precision::F32)
    };
    let [exact, cut] = [of(false), of(true)];
    assert!(exact.iter().all(|e| *e < 1e-6), "{exact:?}");
    assert!(cut.iter().all(|e| (1e-5..2e-3).contains(e)), "{cut:?}");
}

fn check_float16() {
    let (graph, feeds) = network(Dtype::Float16);
    let of = |precision| distances(&graph, &feeds, CudaBackend::new(0).unwrap(), precision);
    let [wide, half] = [of(Precision::F32), of(Precision::F16)];
    assert!(wide.iter().all(|e| *e < 1e-6), "{wide:?}");
    assert!(half.iter().all(|e| (1e-5..2e-3).contains(e)), "{half:?}");
}

#[test]
fn float16_storage_with_built_in_kernels() {
    if !passed_emulated() {
        check_float16();
    }
}

#[test]
fn float16_storage_with_libraries() {
    if !passed_emulated_with_libraries() {
        check_float16();
    }
}

/// Accumulators beyond the range of float16, scaled down before they are stored.
#[test]
fn float16_accumulators_are_not_rounded_before_the_epilogue() {
    if passed_emulated_with_libraries() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float16, [16, 64]).unwrap();
    let matrix = g.coefficient("m", Array::filled(Dtype::Float16, [64, 32], 100.0).unwrap()).unwrap();
    let bias = g.coefficient("b", Array::filled(Dtype::Float16, [32], 8.0).unwrap()).unwrap();
    let sums = g.matmul(x, matrix).bias(bias).call().unwrap();
    let small = g.mul(sums, 0.001).out_name("small").call().unwrap();
    g.set_outputs(&[small]).unwrap();
    let feeds = [("x", Array::filled(Dtype::Float16, [16, 64], 100.0).unwrap())];
    let errors = distances(&g, &feeds, CudaBackend::new(0).unwrap(), Precision::F16);
    assert!(errors.iter().all(|e| *e < 1e-3), "{errors:?}");
}

/// Numbers beyond the range of float16 are moved, and then scaled down before they are stored.
#[test]
fn float16_is_not_stored_before_fused_operators() {
    if passed_emulated() {
        return;
    }
    type Moved = fn(&mut Graph, Tensor) -> Result<Tensor>;
    let all: [(&str, Moved); 5] = [
        ("permuted", |g, x| g.permute(x, [1, 0]).call()),
        ("reshaped", |g, x| g.reshape(x, [3, 2]).call()),
        ("concatenated", |g, x| g.concat([x, x]).axis(0).call()),
        ("sliced", |g, x| g.slice(x, [1], [3]).axes([1]).call()),
        ("gathered", |g, x| {
            let rows = g.coefficient("rows", Array::from([1i32, 0, 1]))?;
            g.index_select(x, rows).axis(0).call()
        }),
    ];
    for (name, of) in all {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let moved = of(&mut g, x).unwrap();
        let small = g.mul(moved, 0.001).call().unwrap();
        let half = g.cast(small).out_dtype(Dtype::Float16).call().unwrap();
        g.set_outputs(&[half]).unwrap();
        let feeds = [("x", Array::filled(Dtype::Float32, [2, 3], 1e5).unwrap())];
        let errors = distances(&g, &feeds, CudaBackend::new(0).unwrap(), Precision::F16);
        assert!(errors.iter().all(|e| *e < 1e-3), "{name}: {errors:?}");
    }
}

#[test]
fn weights_of_float32_keep_their_range() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float16, [2, 4]).unwrap();
    let weight = g.coefficient("w", Array::filled(Dtype::Float32, [4], 1e5).unwrap()).unwrap();
    // With this epsilon, the normalized numbers are small.
    let op = LayerNorm { weight: Some(weight), ..LayerNorm::new(x, vec![4], -1, 1e6) };
    let y = g.op(op).call().unwrap();
    g.set_outputs(&y).unwrap();
    let feeds = [("x", Array::from_vec([2, 4], vec![-1f32, 1.0, 2.0, -2.0, 3.0, 5.0, 7.0, 9.0]).unwrap())];
    let errors = distances(&g, &feeds, CudaBackend::new(0).unwrap(), Precision::F16);
    assert!(errors.iter().all(|e| *e < 1e-3), "{errors:?}");
}

#[test]
fn float16_buffers_are_fed_without_conversion() {
    if passed_emulated() {
        return;
    }
    let (graph, [(name, x)]) = network(Dtype::Float16);
    let options = RunOptions::default().precision(Precision::F16);
    let session = Session::new(&graph, CudaBackend::new(0).unwrap(), &options).unwrap();
    let single = session.backend().upload(&x).unwrap();
    let refused = session.run_on(vec![(name, single)]).unwrap_err().to_string();
    assert!(refused.contains("2x4x10x12 float32") && refused.contains("float16"), "{refused}");
    let half = session.backend().upload(&x.to_dtype(Dtype::Float16).unwrap()).unwrap();
    let results = session.run_on(vec![(name, half)]).unwrap();
    assert_eq!(results["d"].dtype(), Dtype::Float16);
    let got = session.backend().download(&results["d"]).unwrap().to_f32().unwrap();
    assert_eq!(got, session.run(&[(name, x)]).unwrap()["d"].to_f32().unwrap());
}

/// A case with its floats declared as float16, or `None` if the op does not accept them.
fn as_half(text: &str, name: &str) -> Option<Case> {
    let case = Case::read_text(&text.replace("xf32>", "xf16>"), name).ok()?.pop()?;
    // The inputs need bits that float16 lacks.
    let half = |a: &Array| if a.dtype() == Dtype::Float32 { a.to_dtype(Dtype::Float16).ok() } else { Some(a.clone()) };
    let feeds = case.feeds.iter().map(|(name, a)| Some((name.clone(), half(a)?))).collect::<Option<_>>()?;
    Case::by_cpu(case.name, case.graph, feeds).ok()
}

/// Returns the tensors that differ by more than float16's rounding.
fn differences(backend: &CudaBackend, case: &Case) -> Result<Vec<String>> {
    let options = RunOptions::default().precision(Precision::F16);
    let got = run(&case.graph, &case.feeds, backend, &options)?.tensors;
    let want = case.expected.iter().filter(|(name, _)| got.contains_key(*name));
    let want = want.map(|(name, array)| (name.clone(), array.clone())).collect();
    let is_far = |c: &Comparison| !matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 4e-3);
    let far = compare(&want, &got)?.into_iter().filter(|(_, c)| is_far(c));
    Ok(far.map(|(name, c)| format!("{}: {name}: {c:?}", case.name)).collect())
}

#[test]
fn every_op_computes_in_float16() {
    if passed_emulated() {
        return;
    }
    let (backend, mut compared, mut wrong) = (CudaBackend::new(0).unwrap(), 0, Vec::new());
    for file in fs::read_dir("tests/ops").unwrap().flatten() {
        let (name, text) = (file.file_name(), fs::read_to_string(file.path()).unwrap());
        for (i, part) in text.split("// -----").enumerate().filter(|(_, part)| part.contains("xf32>")) {
            let Some(case) = as_half(part, &format!("{}#{i}", name.display())) else { continue };
            compared += 1;
            wrong.extend(differences(&backend, &case).unwrap_or_else(|e| vec![format!("{}: {e}", case.name)]));
        }
    }
    assert!(wrong.is_empty() && compared > 300, "{compared} compared\n{}", wrong.join("\n"));
}

/// Returns the output of `--explain` with these libraries.
fn said(libraries: &[&Path], choice: Option<&str>, device: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let written = mlir::write_pair(&network(Dtype::Float32).0, folder.path()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
    command.args(["run", "--explain", "-d", device]).args(more).arg(&written.mlir);
    command.env("LD_LIBRARY_PATH", env::join_paths(libraries).unwrap());
    command.env("TPULANG_CACHE", emulated().parent().unwrap().join("kernels")).env_remove("TPULANG_LIBRARIES");
    let out = command.envs(choice.map(|c| ("TPULANG_LIBRARIES", c))).output().unwrap();
    let [steps, problems] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
    // The sources of kernels are omitted, because they are long.
    let folder = libraries.last().map_or_else(String::new, |l| l.display().to_string());
    format!("{}\n{}", steps.split("\n\nsource 1:").next().unwrap_or_default(), problems.replace(&folder, "FOLDER"))
}

#[test]
fn plans_and_errors_name_the_libraries() {
    let (none, all): ([&Path; 1], [&Path; 2]) = ([emulated()], [emulated(), emulated_libraries()]);
    let without_parts = tempfile::tempdir().unwrap();
    fs::copy(emulated_libraries().join("libcudnn.so"), without_parts.path().join("libcudnn.so")).unwrap();
    let broken: [&Path; 2] = [emulated(), without_parts.path()];
    let mut text = String::new();
    for (what, libraries, choice, device, more) in [
        ("all libraries", &all[..], None, "cuda", &[][..]),
        ("no libraries installed", &none, None, "cuda", &[]),
        ("no libraries selected", &all, Some("none"), "cuda", &[]),
        ("one library selected", &all, Some("cudnn"), "cuda", &[]),
        ("a missing library selected", &none, Some("cublaslt"), "cuda", &[]),
        ("cuDNN without its parts", &broken, None, "cuda", &[]),
        ("an unknown library selected", &all, Some("cufft"), "cuda", &[]),
        ("float16 for a float32 network", &all, None, "cuda", &["--precision", "f16"]),
        ("an unknown precision", &all, None, "cuda", &["--precision", "f8"]),
        ("float16 on the CPU", &all, None, "cpu", &["--precision", "f16"]),
        ("TF32 on the CPU", &all, None, "cpu", &["--tf32"]),
    ] {
        text += &format!("# {what}\n{}\n", said(libraries, choice, device, more));
    }
    snapshot("cuda_libraries", &text);
}

/// The libraries' Relu turns NaN into 0; ours keeps it.
#[test]
fn nan_propagates_through_fused_relu() {
    if passed_emulated_with_libraries() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4, 4, 4]).unwrap();
    let filter = g.coefficient("f", numbers(&[4, 4, 1, 1], 1)).unwrap();
    let (matrix, row) =
        (g.coefficient("m", numbers(&[4, 8], 2)).unwrap(), g.coefficient("row", numbers(&[8], 3)).unwrap());
    let a = g.conv(x, filter).call().unwrap();
    let a = g.relu(a).out_name("a").call().unwrap();
    let b = g.matmul(x, matrix).bias(row).call().unwrap();
    let b = g.relu(b).out_name("b").call().unwrap();
    g.set_outputs(&[a, b]).unwrap();
    let mut values = vec![1f32; 64];
    values[5] = f32::NAN;
    let feeds = [("x", Array::from_vec([1, 4, 4, 4], values).unwrap())];
    let options = RunOptions::default();
    let [got, want] = [
        run(&g, &feeds, &CudaBackend::new(0).unwrap(), &options).unwrap(),
        run(&g, &feeds, &CpuBackend::new(), &options).unwrap(),
    ]
    .map(|r| ["a", "b"].map(|n| r.tensors[n].to_f32().unwrap().iter().map(|v| v.is_nan()).collect::<Vec<_>>()));
    assert!(got == want && want[0].contains(&true), "{got:?}");
}
