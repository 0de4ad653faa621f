//! Spec to graph to spec, and graph to MLIR to graph, are the identity.
use super::assert_same;
use std::fs;
use tpulang::{Array, Dtype, Graph, Quantization, Scalar, exec, graph::Preprocess, mlir, ops, spec};

/// A graph with many different features.
fn graph() -> Graph {
    let mut g = Graph::new("everything").unwrap();
    g.mode = tpulang::Mode::Quantized;
    let x = g.input("x", Dtype::Float32, [1, 3, 8, 8]).unwrap();
    let i = g.input("i", Dtype::Int8, [1, 3, 8, 8]).unwrap();
    let w = g
        .coefficient("w", Array::from_f64s(Dtype::Float32, [4, 3, 3, 3], (0..108).map(|v| f64::from(v) / 7.0)).unwrap())
        .unwrap();
    let c = g.conv(x, w).bias(vec![0.1f32, 0.2, 0.3, 1e-7]).pad([1, 1, 1, 1]).out_name("c").call().unwrap();
    let m = g.mul(c, 0.1 + 0.2).call().unwrap();
    let parts = g.split(m).axis(1).num(2).out_names(["a", "b"]).call().unwrap();
    let cat = g.concat([parts[0], parts[1]]).axis(1).call().unwrap();
    let q = g.add(i, Scalar::new(3.0, Dtype::Int8)).scale([0.5, 0.25, 0.5]).zero_point([1, 0, -1]).call().unwrap();
    let r = g.scope("head", |g| g.relu(q).out_quant(Quantization::per_tensor(0.5, -1)).out_name("r").call()).unwrap();
    let t = g.matmul(c, Array::filled(Dtype::Float32, [8, 2], 0.5).unwrap()).output_transpose(true).call().unwrap();
    g.set_outputs(&[cat, r, t]).unwrap();
    g
}

#[test]
fn spec_and_back() {
    let g = graph();
    let text = spec::to_text(&g, None).unwrap();
    let again = spec::from_text(&text, "again", None).unwrap();
    assert_same(&spec::to_text(&again, None).unwrap(), &text);
    assert_same(&mlir::emit(&again).unwrap().text, &mlir::emit(&g).unwrap().text);
}

#[test]
fn spec_with_its_weights_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.json");
    let g = graph();
    spec::save(&g, &path).unwrap();
    let again = spec::read(&path, spec::Weights::Load).unwrap();
    assert_same(&mlir::emit(&again).unwrap().text, &mlir::emit(&g).unwrap().text);
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let (a, b) = (mlir::write_pair(&g, a).unwrap(), mlir::write_pair(&again, b).unwrap());
    assert_eq!(fs::read(a.weights).unwrap(), fs::read(b.weights).unwrap());
}

/// model_deploy lowers no constants of integers.
#[test]
fn constants_among_integers_are_floats_in_modules() {
    let dir = tempfile::tempdir().unwrap();
    let text = r#"{"version": 1, "name": "net", "inputs": ["i"], "outputs": ["all", "chosen", "large"],
        "tensors": {
            "i": {"shape": [1, 3], "dtype": "int32"},
            "first": {"shape": [1, 1], "dtype": "int32", "coeff": true, "data": [7]},
            "most": {"shape": [1, 3], "dtype": "int32", "coeff": true, "data": [1, 2, 3]},
            "exact": {"shape": [1, 3], "dtype": "int32", "coeff": true, "data": [1, 2, 16777217]}},
        "ops": [
            {"op": "concat", "args": {"inputs": ["first", "i", "first"], "axis": 1}, "out": "all"},
            {"op": "top.Compare", "args": {"lhs": "i", "rhs": "most", "mode": "Less"}, "out": "less", "out_dtype": "int32"},
            {"op": "top.Where", "args": {"cond": "less", "tbrn": "i", "fbrn": "most"}, "out": "chosen", "out_dtype": "int32"},
            {"op": "top.Max", "args": {"inputs": ["i", "exact"]}, "out": "large", "out_dtype": "int32"}]}"#;
    let g = spec::from_text(text, "net", None).unwrap();
    let written = mlir::write_pair(&g, dir.path()).unwrap();
    let module = fs::read_to_string(&written.mlir).unwrap();
    for expected in ["loc(\"first_floats\")", "loc(\"most_floats\")", "loc(\"exact\")"] {
        assert!(module.contains(expected), "{module}");
    }
    assert_eq!(module.matches("_floats\"").count(), 2, "{module}");
    let again = mlir::read(&written.mlir, None).unwrap();
    assert_same(&mlir::emit(&again).unwrap().text, module.split_once('\n').unwrap().1);
    assert_eq!(again.warnings().iter().count(), 0, "{}", again.warnings());
    let feeds = [("i", Array::from_vec([1, 3], vec![2i32, 1, 16_777_219]).unwrap())];
    for graph in [&g, &again] {
        let results = exec::run(graph, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap().tensors;
        assert_eq!(results["all"].to_f64().unwrap(), [7.0, 2.0, 1.0, 16_777_219.0, 7.0]);
        assert_eq!(results["chosen"].to_f64().unwrap(), [1.0, 1.0, 3.0]);
        assert_eq!(results["large"].to_f64().unwrap(), [2.0, 2.0, 16_777_219.0]);
    }
}

#[test]
fn mlir_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let g = graph();
    let written = mlir::write_pair(&g, dir.path()).unwrap();
    let again = mlir::read(&written.mlir, None).unwrap();
    let text = fs::read_to_string(&written.mlir).unwrap();
    // The first line identifies the weights.
    assert_same(&mlir::emit(&again).unwrap().text, text.split_once('\n').unwrap().1);
    let feeds = [
        (
            "x".to_owned(),
            Array::from_f64s(Dtype::Float32, [1, 3, 8, 8], (0..192).map(|v| f64::from(v % 11) - 5.0)).unwrap(),
        ),
        ("i".to_owned(), Array::from_f64s(Dtype::Int8, [1, 3, 8, 8], (0..192).map(|v| f64::from(v - 96))).unwrap()),
    ];
    let run = |g: &Graph| {
        exec::run(g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default().all(true)).unwrap().tensors
    };
    assert_eq!(run(&g), run(&again));
}

/// `tpuc-opt --import-calibration-table` writes ranges into the types.
#[test]
fn calibrated_modules_are_networks_of_floats() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
    let y = g.relu(x).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    // The argument of the function has no range.
    let (argument, rest) = text.split_once("tensor<2x3xf32>").unwrap();
    let calibrated = rest.replace("tensor<2x3xf32>", "tensor<2x3x!quant.calibrated<f32<-1.5:2.500000e+00>>>");
    let calibrated =
        calibrated.replacen(": (tensor<2x3x!quant.calibrated<f32<-1.5:2.500000e+00>>>)", ": (tensor<2x3xf32>)", 1);
    let again = mlir::read_text(&format!("{argument}tensor<2x3xf32>{calibrated}")).unwrap();
    assert_same(&mlir::emit(&again).unwrap().text, &text);
}

/// As tpuc-opt writes some.
#[test]
fn a_reshape_without_a_shape_has_that_of_its_result() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 6]).unwrap();
    let y = g.reshape(x, [3, 4]).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let without = text.replace("shape = [3, 4]", "");
    assert_ne!(without, text);
    let again = mlir::read_text(&without.replace(", }", "}")).unwrap_or_else(|e| panic!("{e}\n{without}"));
    assert_same(&mlir::emit(&again).unwrap().text, &text);
    // The number of elements is still checked.
    let wrong = without.replace(", }", "}").replace("tensor<3x4xf32>", "tensor<3x5xf32>");
    assert!(mlir::read_text(&wrong).unwrap_err().to_string().contains("[3, 5]"));
}

/// A dimension that is kept may be one that the input had before tpuc-opt rewrote it.
#[test]
fn a_reshape_that_keeps_a_dimension_has_that_of_its_result() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [8, 1]).unwrap();
    let y = g.reshape(x, [1, 8]).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let outdated = text.replace("shape = [1, 8]", "shape = [0, -1]");
    assert_ne!(outdated, text);
    assert_same(&mlir::emit(&mlir::read_text(&outdated).unwrap()).unwrap().text, &text);
}

/// tpuc-opt leaves `tile` out if it is all ones, gives a slice of a slice the ends of one of them, and makes a scalar of a reduction.
#[test]
fn outdated_attributes_follow_the_result() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [8, 2]).unwrap();
    let tiled = g.op(ops::Tile { tile: Some(vec![2, 1]), ..ops::Tile::new(x) }).out_name("tiled").call().unwrap()[0];
    let slice = ops::Slice::new(tiled, vec![9, 0], vec![2, 1], vec![14, 2]);
    let sliced = g.op(slice).out_name("sliced").call().unwrap()[0];
    let sum = g.reduce(sliced).axes([0, 1]).keep_dims(false).out_name("sum").call().unwrap();
    g.set_outputs(&[sum]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let mut outdated = text.clone();
    for (ours, theirs) in [
        ("{tile = [2, 1]} ", ""),
        ("ends = [14, 2]", "ends = [16, -1]"),
        ("-> tensor<1xf32>", "-> tensor<f32>"),
        ("return %4 : tensor<1xf32>", "return %4 : tensor<f32>"),
    ] {
        assert!(outdated.contains(ours), "{ours}\n{text}");
        outdated = outdated.replace(ours, theirs);
    }
    let again = mlir::read_text(&outdated).unwrap_or_else(|e| panic!("{e}\n{outdated}"));
    let types = |g: &Graph| g.tensors().map(|(_, info)| (info.name.clone(), info.shape.clone())).collect::<Vec<_>>();
    assert_eq!(types(&again), types(&g));
}

/// A scalar stays one, unless the rule of the op gives the result an axis.
#[test]
fn scalars_are_read_as_they_were_written() {
    let none: [i64; 0] = [];
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, none).unwrap();
    let c = g.input("c", Dtype::Float32, [1]).unwrap();
    let w = g.coefficient("w", Array::filled(Dtype::Float32, none, 2.0).unwrap()).unwrap();
    let y = g.op(ops::Unsqueeze::new(x, vec![0])).out_name("y").call().unwrap()[0];
    let sum = g.op(ops::Add::new(vec![x, w])).out_name("sum").call().unwrap()[0];
    let no_arguments: [(String, Dtype, [i64; 0]); 0] = [];
    let [then, other] =
        [(); 2].map(|()| g.block(no_arguments.clone(), |g, _| g.op(ops::Relu::new(sum)).call()).unwrap());
    let chosen = g.op(ops::If::new(c)).owns(then).owns(other).out_name("chosen");
    let chosen = chosen.out_dtypes([Dtype::Float32]).out_shapes([none]).call().unwrap()[0];
    g.set_outputs(&[y, sum, chosen]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let dir = tempfile::tempdir().unwrap();
    let again = mlir::read(mlir::write_pair(&g, dir.path()).unwrap().mlir, None).unwrap();
    assert_same(&mlir::emit(&again).unwrap().text, &text);
    for (name, shape) in [("x", &[][..]), ("w", &[]), ("y", &[1]), ("sum", &[]), ("chosen", &[])] {
        assert_eq!(again.tensor(again.find(name).unwrap()).unwrap().shape, shape, "{name}");
    }
    // What is computed from a scalar of tpuc-opt, also in a branch, has its axis.
    let theirs = "module @g attributes {module.state = \"TOP_F32\"} {\n\
        func.func @main(%arg0: tensor<2x3xf32>) -> tensor<f32> {\n\
        %0 = \"top.Input\"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(\"x\")\n\
        %1 = \"top.Reduce\"(%0) {axes = [0, 1], keepdims = false, mode = \"ReduceSum\"} : (tensor<2x3xf32>) -> tensor<f32> loc(\"sum\")\n\
        %2 = \"top.If\"(%1) ({\n%3 = \"top.Relu\"(%1) : (tensor<f32>) -> tensor<f32> loc(\"then\")\n\
        \"top.Yield\"(%3) : (tensor<f32>) -> ()\n}, {\n\
        %3 = \"top.Abs\"(%1) : (tensor<f32>) -> tensor<f32> loc(\"other\")\n\
        \"top.Yield\"(%3) : (tensor<f32>) -> ()\n}) : (tensor<f32>) -> tensor<f32> loc(\"chosen\")\n\
        return %2 : tensor<f32>\n}\n}\n";
    let read = mlir::read_text(theirs).unwrap_or_else(|e| panic!("{e}\n{theirs}"));
    for name in ["sum", "then", "other", "chosen"] {
        assert_eq!(read.tensor(read.find(name).unwrap()).unwrap().shape, [1], "{name}");
    }
}

/// tpuc-opt gives the indices of some operators a type without a sign.
#[test]
fn integers_without_a_sign_have_one() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int32, [2]).unwrap();
    let y = g.reshape(x, [1, 2]).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let signless = text.replace("tensor<1x2xsi32>", "tensor<1x2xi32>");
    assert_ne!(signless, text);
    assert_same(&mlir::emit(&mlir::read_text(&signless).unwrap()).unwrap().text, &text);
}

/// tpuc-opt gives the filter of a convolution along one axis another axis of size 1, and all lists numbers for it.
#[test]
fn widened_convolutions_have_one_axis() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4, 9]).unwrap();
    let numbers = |shape: &[usize]| Array::from_f64s(Dtype::Float32, shape, (0..24).map(|v| f64::from(v % 5))).unwrap();
    let w = g.coefficient("w", numbers(&[4, 2, 3])).unwrap();
    let v = g.coefficient("v", numbers(&[2, 4, 3])).unwrap();
    let op = ops::Conv { group: 2, dilations: Some(vec![2]), ..ops::Conv::new(x, w, vec![3], vec![2], vec![1, 3]) };
    let a = g.op(op).out_name("a").call().unwrap()[0];
    let op = ops::Deconv { dilations: Some(vec![1]), ..ops::Deconv::new(a, v, vec![3], vec![0, 1], vec![2]) };
    let b = g.op(op).out_name("b").call().unwrap()[0];
    g.set_outputs(&[b]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let written = mlir::write_pair(&g, dir.path()).unwrap();
    let text = fs::read_to_string(&written.mlir).unwrap();
    let mut widened = text.clone();
    for (narrow, wide) in [
        ("tensor<4x2x3xf32>", "tensor<4x2x3x1xf32>"),
        ("tensor<2x4x3xf32>", "tensor<2x4x3x1xf32>"),
        ("kernel_shape = [3]", "kernel_shape = [3, 1]"),
        ("strides = [2]", "strides = [2, 1]"),
        ("dilations = [2]", "dilations = [2, 1]"),
        ("dilations = [1]", "dilations = [1, 1]"),
        ("pads = [1, 3]", "pads = [1, 0, 3, 0]"),
        ("pads = [0, 1]", "pads = [0, 0, 1, 0]"),
    ] {
        assert!(widened.contains(narrow), "{narrow}\n{text}");
        widened = widened.replace(narrow, wide);
    }
    fs::write(&written.mlir, &widened).unwrap();
    let again = mlir::read(&written.mlir, None).unwrap_or_else(|e| panic!("{e}\n{widened}"));
    assert_same(&mlir::emit(&again).unwrap().text, text.split_once('\n').unwrap().1);
    let feeds = [("x".to_owned(), Array::from_f64s(Dtype::Float32, [1, 4, 9], (0..36).map(f64::from)).unwrap())];
    let run = |g: &Graph| exec::run(g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap().tensors;
    assert_eq!(run(&g), run(&again));
    // What would change the result is not ignored.
    fs::write(&written.mlir, widened.replace("pads = [1, 0, 3, 0]", "pads = [1, 1, 3, 1]")).unwrap();
    let error = mlir::read(&written.mlir, None).unwrap_err().to_string();
    assert!(error.contains("filter has 4 dimensions"), "{error}");
}

/// tpuc-opt removes operators that change nothing, those of coefficients, and equal ones.
#[test]
fn inputs_and_coefficients_may_be_returned() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let w = g.coefficient("w", vec![3f32, 4.0]).unwrap();
    let y = g.add(x, w).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let written = mlir::write_pair(&g, dir.path()).unwrap();
    let text = fs::read_to_string(&written.mlir).unwrap();
    let types = ["tensor<2xf32>"; 4].join(", ");
    let text = text.replace("return %3 : tensor<2xf32>", &format!("return %3, %1, %2, %3 : {types}"));
    let text = text.replace("-> tensor<2xf32> {", &format!("-> ({types}) {{"));
    fs::write(&written.mlir, &text).unwrap();
    let again = mlir::read(&written.mlir, None).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let feeds = [("x".to_owned(), Array::from_vec([2], vec![1f32, 2.0]).unwrap())];
    let run = exec::run(&again, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap().tensors;
    let numbers: Vec<_> = run.iter().map(|(name, array)| (name.as_str(), array.to_f64().unwrap())).collect();
    let expected =
        [("y", [4.0, 6.0]), ("x_output_1", [1.0, 2.0]), ("w_output_2", [3.0, 4.0]), ("y_output_3", [4.0, 6.0])];
    assert_eq!(numbers, expected.map(|(name, numbers)| (name, numbers.to_vec())));
}

/// An LSTM whose first result is absent.
fn lstm(names: [&str; 3]) -> Graph {
    let mut g = Graph::new("lstm").unwrap();
    let x = g.input("x", Dtype::Float32, [5, 1, 3]).unwrap();
    let mut weight =
        |name: &str, shape| g.coefficient(name, Array::filled(Dtype::Float32, shape, 0.1).unwrap()).unwrap();
    let (w, r) = (weight("w", [1, 8, 3]), weight("r", [1, 8, 2]));
    let op = ops::LSTM::new(x, w, r, false, 2);
    let states = g.op(op).out_present([false, true, true]).out_names(names).call().unwrap();
    g.set_outputs(&states).unwrap();
    g
}

/// If the first result is absent, the names of the others keep their positions, as in tpu_mlir.
#[test]
fn names_beside_an_absent_result() {
    let g = lstm(["", "hidden", "cell"]);
    let text = mlir::emit(&g).unwrap().text;
    assert!(text.contains("loc(\"hidden_absent\")"), "{text}");
    let dir = tempfile::tempdir().unwrap();
    let again = mlir::read(mlir::write_pair(&g, dir.path()).unwrap().mlir, None).unwrap();
    assert_same(&mlir::emit(&again).unwrap().text, &text);
}

/// An absent result is not called like another tensor.
#[test]
fn absent_results_have_names_of_their_own() {
    let g = lstm(["", "h", "h_absent"]);
    let again = mlir::read_text(&mlir::emit(&g).unwrap().text).unwrap();
    let names = again.outputs().iter().map(|t| again.tensor(*t).unwrap().name.as_str());
    assert!(names.eq(["h", "h_absent"]));
}

/// Attributes of images that say nothing, or contradict each other, are not dropped.
#[test]
fn preprocessing_that_is_wrong_is_an_error() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 3, 8, 8]).unwrap();
    let chosen = Preprocess { mean: vec![1.0, 2.0, 3.0], resize_dims: Some([10, 12]), ..Preprocess::default() };
    g.preprocess(x, chosen.clone()).unwrap();
    let y = g.relu(x).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let again = mlir::read_text(&text).unwrap();
    assert_eq!(again.tensor(again.inputs()[0]).unwrap().preprocess, Some(chosen));
    // model_deploy reads it.
    assert!(text.contains("yuv_type = \"\""), "{text}");
    for (right, wrong, problem) in [
        ("pixel_format = \"bgr\", ", "", "it has channel_format, but no pixel_format; expected both, or neither"),
        ("[10, 12]", "[10, 12, 3]", "resize_dims has 3 numbers; expected height and width"),
        ("yuv_type = \"\"", "yuv_type = \"YUV_NV12\"", "images in such formats are not supported"),
        ("\"letterbox\"", "\"zz\"", "keep_ratio_mode is \"zz\"; expected letterbox or short_side_scale"),
    ] {
        assert!(text.contains(right), "{right}\n{text}");
        let error = mlir::read_text(&text.replace(right, wrong)).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

/// Those that model_transform and tpuc-opt leave, although they mean nothing.
#[test]
fn attributes_without_meaning_are_ignored() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 3, 8, 8]).unwrap();
    let image = Preprocess { mean: vec![0.0; 3], scale: vec![1.0; 3], ..Preprocess::default() };
    g.preprocess(x, image).unwrap();
    let y = g.matmul(x, Array::filled(Dtype::Float32, [8, 2], 0.5).unwrap()).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let gray = text.replace("1x3x8x", "1x1x8x");
    let read = mlir::read_text(&gray).unwrap();
    assert_eq!(read.tensor(read.inputs()[0]).unwrap().preprocess, None);
    let scaled = gray.replace("scale = [1.000000e+00", "scale = [2.000000e+00");
    assert!(scaled != gray);
    let error = mlir::read_text(&scaled).unwrap_err().to_string();
    assert!(error.contains("pixel_format is bgr, of 3 channels"), "{error}");
    let ordered = text.replace("hdim_is_batch = false", "hdim_is_batch = false, order = [0, 2, 1]");
    assert!(ordered != text);
    mlir::read_text(&ordered).unwrap();
}

#[test]
fn every_recorded_spec_survives() {
    for file in
        ["tests/cases/Max/Max_0/spec.json", "tests/cases/Gts/Gts_0/spec.json", "examples/patterns/patterns.json"]
    {
        let g = spec::read(file, spec::Weights::Load).unwrap();
        let again = spec::from_text(&spec::to_text(&g, None).unwrap(), "again", None).unwrap();
        assert!(mlir::emit(&again).unwrap().text == mlir::emit(&g).unwrap().text, "{file}: the module changed");
    }
}

#[test]
fn what_json_has_no_number_for_survives() {
    let lowest = f64::NEG_INFINITY;
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let a = g.add(x, f64::INFINITY).call().unwrap();
    let b = g.mul(a, vec![f32::NAN, f32::INFINITY]).call().unwrap();
    let c = g.clamp(b, lowest, 1.0).call().unwrap();
    let y = g.op(tpulang::ops::Clip::new(c, 1.0, lowest)).call().unwrap();
    g.set_outputs(&y).unwrap();
    let text = spec::to_text(&g, None).unwrap();
    assert_eq!(text.matches("-inf").count(), 2, "{text}");
    let again = spec::from_text(&text, "again", None).unwrap();
    assert_same(&spec::to_text(&again, None).unwrap(), &text);
    assert_same(&mlir::emit(&again).unwrap().text, &mlir::emit(&g).unwrap().text);
}

/// A graph read from MLIR consists of op calls only. It is equal after being written as a spec and read again.
#[test]
fn every_module_is_a_spec() {
    for case in super::cases::cases() {
        for name in ["peer.mlir", "peer_origin.mlir"] {
            let path = case.join(name);
            let g = mlir::read_text(&fs::read_to_string(&path).unwrap()).unwrap();
            let text = spec::to_text(&g, Some("weights.npz")).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let again = spec::from_text(&text, "again", None).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let again = spec::to_text(&again, Some("weights.npz")).unwrap();
            assert!(again == text, "{}: the spec changed", path.display());
        }
    }
}

/// A coefficient created from a number belongs to its call, until an edit replaces the call by its ops.
#[test]
fn coefficients_of_calls_outlive_them() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4]).unwrap();
    let y = g.div(1.5, x).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g.set_attribute(y, "do_relu", Some(true.into())).unwrap();
    let text = spec::to_text(&g, None).unwrap();
    let again = spec::from_text(&text, "g.json", None).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_same(&mlir::emit(&again).unwrap().text, &mlir::emit(&g).unwrap().text);
}

/// What is set on the result of a function after the call is not lost.
#[test]
fn quantization_that_is_set_after_a_call_survives() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4]).unwrap();
    let y = g.cast(x).out_dtype(Dtype::Int8).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g.quantize(y, &Quantization::per_tensor(0.25, 3)).unwrap();
    let text = spec::to_text(&g, None).unwrap();
    let again = spec::from_text(&text, "g.json", None).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_same(&mlir::emit(&again).unwrap().text, &mlir::emit(&g).unwrap().text);
    assert_same(&spec::to_text(&again, None).unwrap(), &text);
}

/// A module may give a weight the name of an input.
#[test]
fn a_weight_with_the_name_of_an_input_is_another_tensor() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let w = g.coefficient("w", Array::from([10f32, 20.0])).unwrap();
    let y = g.add(x, w).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text.replace("loc(\"w\")", "loc(\"x\")");
    let again = mlir::read_text(&text).unwrap();
    assert_eq!((again.inputs().len(), again.tensors().filter(|(_, info)| info.is_coefficient()).count()), (1, 1));
}

/// Inputs have the order of the function's arguments, whatever order they are read in, and only `return` ends a function.
#[test]
fn inputs_are_those_of_the_function() {
    let mut g = Graph::new("g").unwrap();
    let a = g.input("a", Dtype::Float32, [2]).unwrap();
    let b = g.input("b", Dtype::Float32, [3]).unwrap();
    let both = g.concat([a, b]).axis(0).out_name("both").call().unwrap();
    g.set_outputs(&[both]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.contains("top.Input")).unwrap();
    lines.swap(first, first + 1);
    let swapped = mlir::read_text(&lines.join("\n")).unwrap();
    let names: Vec<_> = swapped.inputs().iter().map(|t| swapped.tensor(*t).unwrap().name.clone()).collect();
    assert_eq!(names, ["a", "b"]);
    let twice = text
        .replace("(%arg1)", "(%arg0)")
        .replace("(tensor<3xf32>) -> tensor<3xf32>", "(tensor<2xf32>) -> tensor<3xf32>");
    assert!(mlir::read_text(&twice).unwrap_err().to_string().contains("a second top.Input of the argument 0"));
    let last = lines.iter().rposition(|line| line.contains("return")).unwrap();
    let ended = lines[last].replace("return", "\"top.Yield\"(").replace(" :", ") : (").replacen("( ", "(", 1);
    let text = [&lines[..last], &[&format!("{ended}) -> ()"), lines[last]], &lines[last + 1..]].concat().join("\n");
    assert!(mlir::read_text(&text).is_err(), "{text}");
}
