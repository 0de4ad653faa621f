//! ONNX files: what is read of them, what is refused, and that damaged ones end in errors. The files are made by
//! scripts/onnx-fixtures.py.
use super::{cli::tpulang, limits::limited, snapshot};
use std::{fs, io::Cursor, path::Path};
use tpulang::{
    Array, Dtype, Graph, Mode, Result, Tensor,
    array::{ArrayFormat, NpzFile, read_npz, write_npz},
    exec::{CpuBackend, RunOptions, run},
    onnx::{self, Options},
    spec,
};

fn file(name: &str) -> String {
    format!("tests/onnx/{name}")
}

/// What the command prints, with its exit status.
fn printed(args: &[&str]) -> String {
    let out = tpulang(args);
    let [text, errors] = [&out.stdout, &out.stderr].map(|t| String::from_utf8_lossy(t).into_owned());
    format!("$ tpulang {}\n{text}{errors}exit status {:?}\n\n", args.join(" "), out.status.code().unwrap())
}

#[test]
fn commands_take_onnx_files() {
    let [classifier, unsupported] = [&file("classifier.onnx"), &file("unsupported.onnx")];
    let commands: [&[&str]; 15] = [
        &["check", classifier],
        &["check", classifier, "--param", "batch=2"],
        &["check", classifier, "--shape", "image=2x3x8x8"],
        &["check", classifier, "--shape", "image=2x4x8x8"],
        &["check", classifier, "--shape", "image=2x3x8x8", "--param", "batch=3"],
        &["check", classifier, "--shape", "picture=2x3x8x8"],
        &["check", classifier, "--param", "bath=2"],
        &["check", classifier, "--param", "batch=two"],
        &["check", unsupported],
        &["check", unsupported, "--cut-inputs", "noise", "--cut-outputs", "y"],
        &["check", unsupported, "--cut-inputs", "noise", "--cut-outputs", "y", "--shape", "noise=2x3"],
        &["check", classifier, "--cut-outputs", "/pool/Pool_output"],
        &["check", "examples/patterns/patterns.json", "--cut-outputs", "y"],
        &["show", classifier, "--param", "batch=2"],
        &["show", classifier, "--weights", "w.npz"],
    ];
    snapshot("onnx_commands", &commands.map(printed).concat());
}

fn results(graph: &Graph, feeds: &[(&str, Array)]) -> indexmap::IndexMap<String, Array> {
    run(graph, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors
}

/// A model runs from a file, from a pipe, and as the MLIR that is written of it.
#[test]
fn a_model_runs_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let image = Array::from_f64s(Dtype::Float32, [2, 3, 8, 8], (0..384).map(|i| f64::from(i % 7) - 3.0)).unwrap();
    write_npz(at("in.npz"), [("image", &image)]).unwrap();
    let run = |model: &str, out: &str, more: &[&str]| {
        let status = tpulang(&[&["run", model, "-i", &at("in.npz"), "-o", &at(out)], more].concat());
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    };
    // Sizes that the file leaves open are those of the arrays, unless they are set.
    run(&file("classifier.onnx"), "file.npz", &[]);
    run(&file("classifier.onnx"), "set.npz", &["--param", "batch=2"]);
    let script = "\"$0\" run - -i \"$1\" -o \"$2\" < \"$3\"";
    let piped = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_tpulang"), &at("in.npz"), &at("pipe.npz"), &file("classifier.onnx")])
        .status();
    assert!(piped.unwrap().success());
    let mut outputs = vec!["file.npz", "set.npz", "pipe.npz"];
    if cfg!(feature = "mlir") {
        let out = tpulang(&["convert", &file("classifier.onnx"), "--param", "batch=2", "-o", &at("")]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        run(&at("classifier_origin.mlir"), "mlir.npz", &[]);
        outputs.push("mlir.npz");
    }
    let all = outputs.iter().map(|out| read_npz(at(out)).unwrap()["scores"].to_f32().unwrap());
    let all: Vec<_> = all.collect();
    assert!(all[0].iter().any(|v| *v != 0.0) && all.iter().all(|one| *one == all[0]));
}

/// An array that does not fit leaves the sizes open, and a size that is set is not that of the array.
#[test]
fn arrays_set_the_sizes_that_are_open() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    for (name, shape) in [("three.npy", [3, 3, 8, 8]), ("wide.npy", [3, 3, 8, 9])] {
        let array = Array::filled(Dtype::Float32, shape, 1.0).unwrap();
        ArrayFormat::Npy.write(at(name), [("", &array)]).unwrap();
    }
    let run = |input: &str, more: &[&str]| {
        let input = format!("image={}", at(input));
        let out = tpulang(&[&["run", &file("classifier.onnx"), "-i", &input, "-o", &at("out.npz")], more].concat());
        let shape = out.status.success().then(|| read_npz(at("out.npz")).unwrap()["scores"].shape().to_vec());
        shape.ok_or_else(|| String::from_utf8_lossy(&out.stderr).into_owned())
    };
    assert_eq!(run("three.npy", &[]).unwrap()[0], 3);
    let out = tpulang(&["run", &file("classifier.onnx"), "-i", &at("three.npy"), "-o", &at("unnamed.npz")]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    // The array of --set is the one that is fed.
    assert_eq!(run("wide.npy", &["--set", &format!("image={}", at("three.npy"))]).unwrap()[0], 3);
    let fixed = run("three.npy", &["--param", "batch=2"]).unwrap_err();
    assert!(fixed.contains("2x3x8x8") && fixed.contains("3x3x8x8"), "{fixed}");
    let unfitting = run("wide.npy", &[]).unwrap_err();
    assert!(
        unfitting.contains("the array for it is 3x3x8x9, which does not fit; set batch (--param batch=1)"),
        "{unfitting}"
    );

    let bytes = fs::read(file("classifier.onnx")).unwrap();
    let options = Options::new().feed_shape("image", [4, 3, 8, 8]).feed_shape("other", [1]);
    let graph = onnx::read_stream(Cursor::new(bytes), "m", &options).unwrap();
    assert_eq!(graph.tensor(graph.inputs()[0]).unwrap().shape, [4, 3, 8, 8]);
    let read = |options: Options| onnx::read(file("classifier.onnx"), &options);
    let shape = |options| {
        let graph = read(options).unwrap();
        graph.tensor(graph.inputs()[0]).unwrap().shape.to_vec()
    };
    assert_eq!(shape(Options::new().feed_shapes([[5, 3, 8, 8]])), [5, 3, 8, 8]);
    // A name takes precedence.
    assert_eq!(shape(Options::new().feed_shapes([[5, 3, 8, 8]]).feed_shape("image", [2, 3, 8, 8])), [2, 3, 8, 8]);
    let two = read(Options::new().feed_shapes([[5, 3, 8, 8]; 2])).unwrap_err().to_string();
    assert!(two.contains("; 2 arrays without a name cannot be matched with the inputs; set batch"), "{two}");
    // Samples of a batch.
    assert_eq!(shape(Options::new().dimension("batch", 6).feed_shapes([[1, 3, 8, 8]])), [6, 3, 8, 8]);
    let other = read(Options::new().feed_shape("imges", [4, 3, 8, 8])).unwrap_err().to_string();
    assert!(other.contains("; no array is given for it, only for \"imges\"; set batch"), "{other}");
}

#[test]
fn functions_are_written_out() {
    let graph = onnx::read(file("functions.onnx"), &Options::new()).unwrap();
    let x = Array::from([-2f32, 3.0]);
    assert_eq!(results(&graph, &[("x", x)])["y"].to_f32().unwrap(), [-2.0, 6.0]);
    let ops: Vec<_> = graph.operators().iter().map(|o| o.op.name()).collect();
    assert_eq!(ops, ["LeakyRelu", "Add"]);
}

#[test]
fn loops_and_branches_run() {
    let graph = onnx::read(file("loop.onnx"), &Options::new()).unwrap();
    for (x, y) in [(3f32, 192.0), (-3.0, 192.0), (500.0, 1000.0)] {
        assert_eq!(results(&graph, &[("x", Array::from([x]))])["y"].to_f32().unwrap(), [y], "{x}");
    }
}

/// The operators that each pattern becomes, and its results beside PyTorch's.
#[test]
fn patterns_become_one_operator() {
    let known = read_npz(file("patterns.npz")).unwrap();
    let whole = onnx::read(file("patterns.onnx"), &Options::new()).unwrap();
    let names = |graph: &Graph, of: &[Tensor]| -> Vec<String> {
        of.iter().map(|t| graph.tensor(*t).unwrap().name.clone()).collect()
    };
    let mut table = String::new();
    for name in names(&whole, whole.outputs()) {
        let graph = onnx::read(file("patterns.onnx"), &Options::new().outputs([&name])).unwrap();
        let ops: Vec<_> = graph.operators().iter().map(|o| o.op.name()).collect();
        table += &format!("{name}: {}\n", ops.join(", "));
        let feeds: Vec<_> = names(&graph, graph.inputs()).into_iter().map(|n| (n.clone(), known[&n].clone())).collect();
        let feeds: Vec<_> = feeds.iter().map(|(name, array)| (name.as_str(), array.clone())).collect();
        let (found, expected) = (results(&graph, &feeds)[&name].to_f64().unwrap(), known[&name].to_f64().unwrap());
        let error = found.iter().zip(&expected).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
        assert!(error < 2e-6 && found.len() == expected.len(), "{name}: {error}");
    }
    snapshot("onnx_patterns", &table);
}

/// The operators of scikit-learn, beside onnxruntime.
#[test]
fn models_of_machine_learning_run() {
    let known = read_npz(file("machine_learning.npz")).unwrap();
    let graph = onnx::read(file("machine_learning.onnx"), &Options::new()).unwrap();
    let found = results(&graph, &["x", "k"].map(|name| (name, known[name].clone())));
    assert_eq!(found.len(), known.len() - 2);
    for (name, found) in found {
        let (found, expected) = (found.to_f64().unwrap(), known[&name].to_f64().unwrap());
        let error = found.iter().zip(&expected).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
        assert!(error < 1e-6 && found.len() == expected.len(), "{name}: {found:?} instead of {expected:?}");
    }
}

/// Operators of com.microsoft and products of integers with onnxruntime's results. A quantized result may be rounded the other way.
#[test]
fn operators_of_onnxruntime_have_its_results() {
    let known = read_npz(file("microsoft.npz")).unwrap();
    let models: Vec<&str> = known.keys().filter_map(|name| name.strip_suffix("/model")).collect();
    assert!(models.len() > 20);
    for name in models {
        let of = |kind: &str| {
            let prefix = format!("{name}/{kind}/");
            known.iter().filter_map(move |(key, array)| Some((key.strip_prefix(&prefix)?.to_owned(), array.clone())))
        };
        let model = known[&format!("{name}/model")].bytes().unwrap().to_vec();
        let graph = read(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        let feeds: Vec<(String, Array)> = of("input").collect();
        let feeds: Vec<(&str, Array)> = feeds.iter().map(|(name, array)| (name.as_str(), array.clone())).collect();
        let found = results(&graph, &feeds);
        for (output, expected) in of("output") {
            let tolerance = if expected.dtype().size() == 1 { 1.0 } else { 2e-6 };
            let (found, expected) = (found[&output].to_f64().unwrap(), expected.to_f64().unwrap());
            let error = found.iter().zip(&expected).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
            assert_eq!(found.len(), expected.len(), "{name}, {output}");
            assert!(error <= tolerance, "{name}, {output}: an error of {error}");
        }
    }
}

/// A spec has the names of modules, as far as the exporter recorded them; a network that runs has ONNX's names.
#[test]
fn results_are_named_by_module() {
    let names = |scopes: bool| -> Vec<String> {
        let graph = onnx::read(file("scopes.onnx"), &Options::new().scopes(scopes)).unwrap();
        let results = graph.operators().iter().flat_map(|o| o.outputs());
        results.map(|t| graph.tensor(t).unwrap().name.clone()).collect()
    };
    assert_eq!(names(true), ["encoder/layers/0/relu", "neg", "y"]);
    assert_eq!(names(false), ["relu", "neg", "y"]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scopes.json").display().to_string();
    assert!(tpulang(&["spec", &file("scopes.onnx"), "-o", &path]).status.success());
    assert!(fs::read_to_string(path).unwrap().contains(r#""out":"encoder/layers/0/relu""#));
}

/// The tool chain casts no constants.
#[test]
fn constant_masks_have_the_dtype_of_computed_ones() {
    let graph = onnx::read(file("mask.onnx"), &Options::new()).unwrap();
    let reads_constant =
        |o: &tpulang::graph::Operator| o.uses().iter().any(|t| graph.tensor(*t).unwrap().is_coefficient());
    let ops: Vec<&str> = graph.operators().iter().filter(|o| reads_constant(o)).map(|o| o.op.name()).collect();
    assert_eq!(ops, ["Min", "Where"]);
    let scores: Vec<f32> = (1..10u8).map(f32::from).collect();
    let mask = Array::from_vec([1, 3], vec![0, 1, 1]).unwrap();
    let feeds = [("mask", mask), ("scores", Array::from_vec([1, 3, 3], scores).unwrap())];
    let expected = [-9.0, -9.0, -9.0, -9.0, 5.0, -9.0, -9.0, 8.0, 9.0];
    assert_eq!(results(&graph, &feeds)["y"].to_f64().unwrap(), expected);
}

/// A network with QuantizeLinear and DequantizeLinear, or of operators on integers, becomes one of quantized tensors, with
/// onnxruntime's results.
#[test]
fn quantized_networks_are_quantized() {
    for (name, input) in [
        ("quantized", "image"),
        ("quantized_operators", "ids"),
        ("quantized_gates", "image"),
        ("quantized_moves", "image"),
    ] {
        let graph = onnx::read(file(&format!("{name}.onnx")), &Options::new()).unwrap();
        assert_eq!(graph.mode, Mode::Quantized, "{name}: {}", graph.warnings());
        let known = read_npz(file(&format!("{name}.npz"))).unwrap();
        let found = results(&graph, &[(input, known[input].clone())])["logits"].to_f64().unwrap();
        let expected = known["logits"].to_f64().unwrap();
        let error = found.iter().zip(&expected).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
        assert!(error < 1e-6, "{name}: {found:?} instead of {expected:?}");
        snapshot(&format!("onnx_{name}"), &spec::to_text(&graph, None).unwrap());
    }
}

/// Products of operands that are quantized while the network runs are exact sums of integers.
#[test]
fn dynamically_quantized_products_are_those_of_integers() {
    for name in ["quantized_dynamic_int8", "quantized_dynamic_uint8"] {
        let graph = onnx::read(file(&format!("{name}.onnx")), &Options::new()).unwrap();
        assert_eq!(graph.warnings().to_string(), "", "{name}");
        let products = graph.operators().iter().filter(|o| o.op.name() == "MatMul");
        let dtypes = products.flat_map(|o| o.outputs()).map(|t| graph.tensor(t).unwrap().dtype);
        assert_eq!(dtypes.collect::<Vec<_>>(), [Dtype::Int32; 2], "{name}");
        let known = read_npz(file(&format!("{name}.npz"))).unwrap();
        let found = results(&graph, &[("x", known["x"].clone())])["y"].to_f64().unwrap();
        let expected = known["y"].to_f64().unwrap();
        let error = found.iter().zip(&expected).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
        assert!(error < 1e-5, "{name}: {found:?} instead of {expected:?}");
    }
}

/// A network that cannot be quantized is one of floats, and says why.
#[test]
fn quantized_networks_that_stay_in_floats_are_remarked_on() {
    let mut all = String::new();
    for (name, model) in nodes().into_iter().filter(|(name, _)| name.contains("quantizelinear")) {
        let graph = read(&model).unwrap();
        assert_eq!(graph.mode, Mode::F32);
        all += &format!("{name}\n{}\n", graph.warnings());
    }
    let options = Options::new().outputs(["relu_QuantizeLinear_Output"]);
    let graph = onnx::read(file("quantized.onnx"), &options).unwrap_or_else(|e| panic!("{e}"));
    all += &format!("quantized.onnx up to its first convolution\n{}\n", graph.warnings());
    snapshot("onnx_quantized_in_floats", &all);
}

/// Weights of another file stay there until they are used. A file elsewhere is read only if that is allowed.
#[test]
fn external_data_are_read() {
    let graph = onnx::read(file("external.onnx"), &Options::new()).unwrap();
    let weight = graph.tensor(graph.find("w").unwrap()).unwrap().data().unwrap();
    assert!(weight.source_path().is_some_and(|path| path.ends_with("external.onnx.data")));

    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let model = fs::read(file("external.onnx")).unwrap();
    let at = model.windows(18).position(|w| w == b"external.onnx.data").unwrap();
    let read = |location: &[u8; 18], options: Options| {
        let mut model = model.clone();
        model[at..at + 18].copy_from_slice(location);
        fs::write(inner.join("m.onnx"), model).unwrap();
        onnx::read(inner.join("m.onnx"), &options)
    };
    let data = fs::read(file("external.onnx.data")).unwrap();
    fs::write(dir.path().join("outer_weights.d"), &data).unwrap();
    let error = read(b"../outer_weights.d", Options::new()).unwrap_err().to_string();
    assert!(error.contains("outside of the model's folder"), "{error}");
    read(b"../outer_weights.d", Options::new().data_anywhere(true)).unwrap();
    std::os::unix::fs::symlink(dir.path().join("outer_weights.d"), inner.join("a_link_to_it.data")).unwrap();
    let error = read(b"a_link_to_it.data\0", Options::new()).unwrap_err().to_string();
    assert!(error.contains("NUL") || error.contains("nul"), "{error}");
    std::os::unix::fs::symlink(dir.path().join("outer_weights.d"), inner.join("a_link_to_it.dat_")).unwrap();
    let error = read(b"./a_link_to_it.dat", Options::new()).unwrap_err().to_string();
    assert!(error.contains("No such file"), "{error}");
    fs::rename(inner.join("a_link_to_it.dat_"), inner.join("a_link_to_it.dat")).unwrap();
    let error = read(b"./a_link_to_it.dat", Options::new()).unwrap_err().to_string();
    assert!(error.contains("a link out of the model's folder"), "{error}");
    // The file is shorter than the model says.
    fs::remove_file(inner.join("a_link_to_it.dat")).unwrap();
    fs::write(inner.join("a_link_to_it.dat"), &data[..100]).unwrap();
    let error = read(b"./a_link_to_it.dat", Options::new()).unwrap_err().to_string();
    assert!(error.contains("has 2048 bytes from byte 0, and the file 100"), "{error}");
}

/// One node test of each operator, by name.
fn nodes() -> Vec<(String, Vec<u8>)> {
    let mut file = NpzFile::open("tests/onnx/nodes.npz").unwrap();
    let arrays = file.arrays().unwrap();
    arrays.into_iter().map(|(name, array)| (name, array.bytes().unwrap().to_vec())).collect()
}

fn read(model: &[u8]) -> Result<Graph> {
    onnx::read_stream(Cursor::new(model), "model", &Options::new())
}

#[test]
fn a_node_of_each_operator_is_read() {
    let nodes = nodes();
    assert!(nodes.len() > 160);
    for (name, model) in nodes {
        let graph = read(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!graph.outputs().is_empty(), "{name}");
    }
}

/// A file is the same as a stream, although large tensors of a file are left there.
#[test]
fn files_and_streams_are_read_alike() {
    let dir = tempfile::tempdir().unwrap();
    for (name, model) in nodes().into_iter().step_by(7) {
        let path = dir.path().join("m.onnx");
        fs::write(&path, &model).unwrap();
        let (a, b) = (onnx::read(&path, &Options::new()).unwrap(), read(&model).unwrap());
        let types = |g: &Graph| g.tensors().map(|(_, info)| (info.name.clone(), info.type_text())).collect::<Vec<_>>();
        assert_eq!(types(&a), types(&b), "{name}");
    }
}

/// Truncated files, and files with other bytes: errors, or other networks.
#[test]
fn damaged_files_end() {
    let mut state = 1u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.onnx");
    let networks = ["machine_learning.onnx", "quantized.onnx", "quantized_dynamic_uint8.onnx", "patterns.onnx"]
        .map(|name| fs::read(file(name)).unwrap());
    let nodes = nodes().into_iter().map(|(_, model)| (model, 12));
    for (model, rounds) in networks.into_iter().map(|model| (model, 60)).chain(nodes) {
        for round in 0..rounds {
            let mut damaged = model.clone();
            for _ in 0..=round % 4 {
                let at = random(damaged.len());
                match random(3) {
                    0 => damaged.truncate(at.max(2)),
                    1 => damaged[at] = random(256) as u8,
                    _ => damaged[at] = damaged[at].wrapping_add(1),
                }
            }
            let _ = read(&damaged);
            fs::write(&path, &damaged).unwrap();
            let _ = onnx::read(&path, &Options::new());
        }
    }
}

fn varint(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
    bytes
}

/// A field that holds a message, a text or a list.
fn message(field: u8, content: &[u8]) -> Vec<u8> {
    [&[field << 3 | 2][..], &varint(content.len() as u64), content].concat()
}

/// A model of a graph, with operators of opset 20.
fn model(graph: &[u8]) -> Vec<u8> {
    [&[0x08, 9][..], &message(8, &[0x10, 20]), &message(7, graph)].concat()
}

/// A node that contradicts itself or its operands is refused with the reason.
#[test]
fn mistakes_of_nodes_are_named() {
    let list = |numbers: &[i64]| numbers.iter().flat_map(|&n| varint(n as u64)).collect::<Vec<u8>>();
    let attribute = |name: &str, value: &[u8], ty: u8| {
        let content = [message(1, name.as_bytes()), value.to_vec(), vec![0xa0, 1, ty]].concat();
        message(5, &content)
    };
    let float_axis = attribute("axis", &[&[0x15u8][..], &1.5f32.to_le_bytes()].concat(), 1);
    let no_axis = attribute("axis", &message(8, &list(&[1])), 7);
    let five = attribute("output_shape", &message(8, &list(&[5])), 7);
    let strides = attribute("strides", &[0x18, 2], 2);
    // The operator, the shape of x, a known list as the second operand, which is x without one, and the attribute.
    type Case<'c> = (&'c str, &'c [i64], Option<&'c [i64]>, &'c [u8], &'c str);
    let cases: [Case; 8] = [
        ("Gather", &[3, 2], Some(&[-5]), &[], "an index is -5; axis 0 has 3 entries"),
        ("Gather", &[1, 2], Some(&[0, 1]), &[], "an index is 1; axis 0 has 1 entry"),
        ("Reshape", &[2, 3], Some(&[-1, -1]), &[], "shape is [-1, -1]; sizes are positive, or once -1"),
        ("Expand", &[2, 3], Some(&[4, 3]), &[], "the shapes 2x3 and 4x3 cannot be broadcast together: 2 and 4 differ"),
        ("Concat", &[2, 3], None, &float_axis, "axis is a float; expected an integer"),
        ("Concat", &[2, 3], None, &no_axis, "axis is a list of integers; expected an integer"),
        ("ConvTranspose", &[1, 1, 2, 2], None, &five, "output_shape is [5]; expected 2 numbers, one for each"),
        ("Conv", &[1, 1, 2, 2], None, &strides, "strides is an integer; expected a list of integers"),
    ];
    for (op, shape, known, attribute, expected) in cases {
        let dims: Vec<u8> = shape.iter().flat_map(|&d| message(1, &[0x08, d as u8])).collect();
        let ty = message(2, &message(1, &[&[0x08, 1][..], &message(2, &dims)].concat()));
        let input = message(11, &[message(1, b"x"), ty].concat());
        let known_list = known.map(|numbers| {
            let dims_and_type = vec![0x08, numbers.len() as u8, 0x10, 7];
            message(5, &[dims_and_type, message(7, &list(numbers)), message(8, b"c")].concat())
        });
        let second = if known.is_some() { b"c" } else { b"x" };
        let parts = [message(1, b"x"), message(1, second), message(2, b"y"), message(4, op.as_bytes())];
        let node = message(1, &[parts.concat(), attribute.to_vec()].concat());
        let output = message(12, &message(1, b"y"));
        let graph = [message(2, b"g"), node, known_list.unwrap_or_default(), input, output].concat();
        let error = read(&model(&graph)).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{op}: {error}");
    }
}

/// Models that claim much in few bytes.
#[test]
fn claimed_sizes_are_not_allocated() {
    let dir = tempfile::tempdir().unwrap();
    // A graph in a node in a graph, and so on.
    let nested = (0..2000).fold(Vec::new(), |inner: Vec<u8>, _| message(1, &message(5, &message(6, &inner))));
    // Ten million empty nodes.
    let empty = [0x0a, 0].repeat(10_000_000);
    // An array of 2^60 elements without data.
    let dims = [&[0x08][..], &varint(1 << 60), &[0x10, 1, 0x42, 1, b'w']].concat();
    let weight = message(5, &dims);
    for (i, graph) in [nested, empty, weight].into_iter().enumerate() {
        let path = dir.path().join(format!("{i}.onnx"));
        fs::write(&path, model(&graph)).unwrap();
        let mut out = limited(20, Path::new(env!("CARGO_BIN_EXE_tpulang")), &["check", &path.display().to_string()]);
        let out = out.output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{i}: {}", String::from_utf8_lossy(&out.stderr));
    }
}

/// The page lists the operators that are converted. To update it, copy what this test expects.
#[test]
fn the_page_lists_the_operators() {
    let page = fs::read_to_string("docs/onnx.md").unwrap();
    for domain in ["ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft"] {
        let marker = format!("<!-- {domain} -->");
        let listed = page.split(&marker).nth(1).unwrap().split("\n\n").nth(1).unwrap_or("").trim();
        let expected = onnx::names(domain).iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        assert_eq!(listed.replace('\n', " "), expected);
    }
}
