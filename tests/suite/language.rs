//! What specs offer beyond a list of calls: parameters, repetitions, comments, and coefficients that are not declared.
use super::assert_same;
use std::path::Path;
use tpulang::{Array, Dtype, Graph, Result, array::ArrayFormat, exec, mlir, spec};

fn options() -> spec::Options {
    spec::Options::new()
}

fn read(text: &str) -> Graph {
    options().read_text(text, "spec.json", None).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn error(text: &str) -> String {
    options().read_text(text, "spec.json", None).unwrap_err().to_string()
}

/// Returns a spec of calls on `x` (1x4), with other keys before them.
fn with(keys: &str, ops: &str, outputs: &str) -> String {
    format!(
        r#"{{"version": 1, "name": "net", "tensors": {{"x": {{"shape": [1, 4]}}}}, "inputs": ["x"], {keys}
"ops": [{ops}], "outputs": {outputs}}}"#
    )
}

fn names(graph: &Graph) -> Vec<&str> {
    graph.tensors().map(|(_, t)| t.name.as_str()).collect()
}

fn run(graph: &Graph, feeds: &[(&str, Array)]) -> indexmap::IndexMap<String, Array> {
    let session = exec::Session::new(graph, exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap();
    session.run(feeds).unwrap()
}

const SCALED: &str = r#"{
  "version": 1, "name": "net_${N}", "params": {"N": 2, "half": "${N/2}", "factor": 0.5, "out": "y", "keep": false},
  "tensors": {"x": {"shape": ["${N}", "${half+1}", 4]}},
  "inputs": ["x"],
  "ops": [
    {"op": "reduce", "args": {"input": "x", "axes": ["${1}"], "keep_dims": "${keep}"}, "out": "r"},
    {"op": "mul", "args": {"tensor_i0": "r", "tensor_i1": "${factor}"}, "out": "${out}"},
  ],
  "outputs": ["${out}"],
}"#;

#[test]
fn parameters_are_computed_and_replaced() {
    let g = read(SCALED);
    assert_eq!((g.name(), g.tensor(g.find("x").unwrap()).unwrap().shape.as_slice()), ("net_2", &[2, 2, 4][..]));
    let options = options().param("N", 6).param("factor", 2).param("out", "z").param("keep", true);
    let g = options.read_text(SCALED, "spec.json", None).unwrap();
    assert_eq!(g.tensor(g.find("z").unwrap()).unwrap().shape, [6, 1, 4]);
    let results = run(&g, &[("x", Array::filled(Dtype::Float32, [6, 4, 4], 1.0).unwrap())]);
    assert_eq!(results["z"].to_f32().unwrap(), [8.0; 24], "the factor is a float, as its default is");
}

/// The graph is that of the calls written out.
#[test]
fn repetitions_are_calls() {
    let repeated = r#"{"op": "relu", "args": {"input": "x"}, "out": "h0"},
        {"op": "tanh", "repeat": 3, "args": {"input": "h${i}"}, "out": "h${i+1}"},
        {"op": "abs", "repeat": {"from": ["x", "h3"]}, "args": {"input": "${from}"}, "out": "${from}.abs"},
        {"op": "concat", "args": {"inputs": [{"repeat": {"n": 2}, "each": ["h${n}", "h${n+2}"]}, "x"], "axis": 1}, "out": "all"},
        {"op": "relu", "repeat": 0, "args": {"input": "nothing"}, "out": "never"}"#;
    let written = r#"{"op": "relu", "args": {"input": "x"}, "out": "h0"},
        {"op": "tanh", "args": {"input": "h0"}, "out": "h1"}, {"op": "tanh", "args": {"input": "h1"}, "out": "h2"},
        {"op": "tanh", "args": {"input": "h2"}, "out": "h3"},
        {"op": "abs", "args": {"input": "x"}, "out": "x.abs"}, {"op": "abs", "args": {"input": "h3"}, "out": "h3.abs"},
        {"op": "concat", "args": {"inputs": ["h0", "h2", "h1", "h3", "x"], "axis": 1}, "out": "all"}"#;
    let outputs = r#"["all", {"repeat": {"from": ["h3", "x"]}, "each": "${from}.abs"}]"#;
    let (a, b) = (read(&with("", repeated, outputs)), read(&with("", written, r#"["all", "h3.abs", "x.abs"]"#)));
    assert_same(&mlir::emit(&a).unwrap().text, &mlir::emit(&b).unwrap().text);
    assert_same(&spec::to_text(&a, None).unwrap(), &spec::to_text(&b, None).unwrap());
}

#[test]
fn functions_take_parameters() {
    let functions = r#""params": {"k": 10}, "functions": {
        "scale": {"params": {"by": null, "plus": "${k}"}, "inputs": ["a"], "ops": [
            {"op": "mul", "args": {"tensor_i0": "a", "tensor_i1": "${by}"}, "out": "m"},
            {"op": "add", "args": {"tensor_i0": "m", "tensor_i1": "${plus}"}, "out": "y"}
        ], "outputs": ["y"]},
        "twice": {"params": {"n": 2, "k": 1}, "inputs": ["h0"], "ops": [
            {"op": "scale", "repeat": "${n}", "args": {"a": "h${i}", "by": "${i+k}"}, "out": "h${i+1}"}
        ], "outputs": ["h${n}"]}},"#;
    let g = read(&with(functions, r#"{"op": "twice", "args": {"h0": "x", "n": 3, "k": 2}, "out": "y"}"#, r#"["y"]"#));
    assert_eq!(names(&g), ["x", "y/h1/m", "y/h1", "y/h2/m", "y/h2", "y/h3/m", "y"]);
    let results = run(&g, &[("x", Array::from_vec([1, 4], vec![0f32, 1.0, 2.0, 3.0]).unwrap())]);
    // ((x * 2 + 10) * 3 + 10) * 4 + 10
    assert_eq!(results["y"].to_f32().unwrap(), [170.0, 194.0, 218.0, 242.0]);
}

/// Names with `${` are written so that they are read again.
#[test]
fn names_may_contain_the_signs_of_expressions() {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("$${x}", Dtype::Float32, [1, 2]).unwrap();
    let w = g.coefficient("${w}.$", Array::from_vec([1, 2], vec![1f32, 2.0]).unwrap()).unwrap();
    let y = g.add(x, w).out_name("$y${").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = spec::to_text(&g, None).unwrap();
    let again = read(&text);
    assert_eq!(names(&again), names(&g));
    assert_same(&spec::to_text(&again, None).unwrap(), &text);
}

fn save(folder: &Path, file: &str, arrays: &[(&str, Array)]) {
    let path = folder.join(file);
    ArrayFormat::from_path(&path).unwrap().write(&path, arrays.iter().map(|(name, array)| (*name, array))).unwrap();
}

fn filled(dtype: Dtype, shape: &[usize], value: f64) -> Array {
    Array::filled(dtype, shape, value).unwrap()
}

#[test]
fn coefficients_need_no_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let array = |shape: &[usize]| filled(Dtype::Float32, shape, 2.0);
    save(
        folder.path(),
        "w.npz",
        &[("m", array(&[4, 4])), ("b", array(&[4])), ("unused", array(&[1])), ("s", array(&[]))],
    );
    let read = |text: &str| options().read_text(text, "spec.json", Some(folder.path()));
    let weights = r#""weights": "w.npz", "functions": {"f": {"inputs": ["a"], "ops": [
        {"op": "matmul", "args": {"input": "a", "right": "m", "bias": "b"}, "out": "y"}], "outputs": ["y"]}},"#;
    let ops = r#"{"op": "f", "args": {"a": "x"}, "out": "h"}, {"op": "mul", "args": {"tensor_i0": "h", "tensor_i1": "s"}, "out": "y"}"#;
    let g = read(&with(weights, ops, r#"["y"]"#)).unwrap_or_else(|e| panic!("{e}"));
    // In the order of their first use, and outside of the function's scope.
    assert_eq!(names(&g), ["x", "m", "b", "h", "s", "y"]);
    assert_eq!(g.tensor(g.find("s").unwrap()).unwrap().shape, [1]);
    assert_eq!(run(&g, &[("x", array(&[1, 4]))])["y"].to_f32().unwrap(), [36.0; 4]);
    // What is written declares them.
    let text = spec::to_text(&g, Some("w.npz")).unwrap();
    assert_same(&mlir::emit(&read(&text).unwrap()).unwrap().text, &mlir::emit(&g).unwrap().text);
    // A tensor that is computed, or declared, goes before an array of its name.
    let ops =
        r#"{"op": "relu", "args": {"input": "x"}, "out": "m"}, {"op": "relu", "args": {"input": "m"}, "out": "y"}"#;
    assert_eq!(names(&read(&with(weights, ops, r#"["y"]"#)).unwrap()), ["x", "m", "y"]);
    // A similar name is suggested.
    let ops = r#"{"op": "relu", "args": {"input": "unusd"}, "out": "y"}"#;
    let error = read(&with(weights, ops, r#"["y"]"#)).unwrap_err().to_string();
    assert!(error.starts_with("relu \"y\" (ops[0]): unknown tensor \"unusd\"; did you mean \"unused\"?"), "{error}");
}

/// A declaration may add what an array lacks.
#[test]
fn declarations_leave_shapes_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    save(folder.path(), "w.npz", &[("q", filled(Dtype::Int8, &[4, 4], 3.0)), ("h", filled(Dtype::Float16, &[4], 1.0))]);
    let text = r#"{"version": 1, "name": "net", "mode": "quantized", "weights": "w.npz",
        "tensors": {"x": {"shape": [1, 4], "dtype": "int8", "scale": 0.5}, "q": {"coeff": true, "scale": 0.25}},
        "inputs": ["x"], "outputs": ["y"],
        "ops": [{"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": "q", "scale": [0.5, 0.25, 1.0]}, "out": "y"}]}"#;
    let g = options().read_text(text, "spec.json", Some(folder.path())).unwrap_or_else(|e| panic!("{e}"));
    let q = g.tensor(g.find("q").unwrap()).unwrap();
    assert_eq!((q.dtype, q.shape.as_slice(), q.quantization.is_some()), (Dtype::Int8, &[4, 4][..], true));
    let error = error(&text.replace("\"weights\": \"w.npz\", ", ""));
    assert!(error.starts_with("the key \"shape\" is missing"), "{error}");
}

#[test]
fn weights_come_from_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let one = |name, value| [(name, filled(Dtype::Float32, &[1, 4], value))];
    save(folder.path(), "1.npz", &one("a", 1.0));
    save(folder.path(), "2.safetensors", &one("b", 2.0));
    save(folder.path(), "3.npz", &one("a", 3.0));
    let read = |weights: &str, names: [&str; 2]| -> Result<Vec<f32>> {
        let ops = format!(
            r#"{{"op": "add", "args": {{"tensor_i0": "x", "tensor_i1": "{}"}}, "out": "s"}}, {{"op": "add", "args": {{"tensor_i0": "s", "tensor_i1": "{}"}}, "out": "y"}}"#,
            names[0], names[1]
        );
        let text = with(&format!("\"weights\": {weights}, "), &ops, r#"["y"]"#);
        let g = options().read_text(&text, "spec.json", Some(folder.path()))?;
        run(&g, &[("x", filled(Dtype::Float32, &[1, 4], 0.0))])["y"].to_f32()
    };
    assert_eq!(read(r#"["1.npz", "2.safetensors"]"#, ["a", "b"]).unwrap(), [3.0; 4]);
    assert_eq!(read(r#"{"p.": "1.npz", "": ["2.safetensors", "3.npz"]}"#, ["p.a", "a"]).unwrap(), [4.0; 4]);
    assert_eq!(read(r#"{"p.": "1.npz"}"#, ["p.a", "p.a"]).unwrap(), [2.0; 4]);
    let error = read(r#"["1.npz", "2.safetensors", "3.npz"]"#, ["a", "b"]).unwrap_err().to_string();
    assert!(error.starts_with("the array \"a\" is also in ") && error.contains("1.npz; a prefix tells"), "{error}");
    let error = read(r#"{"p.": "1.npz"}"#, ["p.a", "a"]).unwrap_err().to_string();
    assert!(error.contains("unknown tensor \"a\""), "{error}");
}

/// Without weights, files are opened only for shapes that are not declared.
#[test]
fn without_weights_only_shapes_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let ops = r#"{"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": "w"}, "out": "y"}"#;
    let undeclared = with(r#""weights": "w.npz","#, ops, r#"["y"]"#);
    let declared = undeclared.replace("\"x\": {", "\"w\": {\"shape\": [1, 4], \"coeff\": true}, \"x\": {");
    let skip = options().weights(spec::Weights::Skip);
    for (name, text) in [("declared.json", &declared), ("undeclared.json", &undeclared)] {
        std::fs::write(at(name), text).unwrap();
    }
    assert!(skip.read(at("declared.json")).is_ok());
    let error = skip.read(at("undeclared.json")).unwrap_err().to_string();
    assert!(error.contains("\"w\" is not declared in \"tensors\", so the file gives its shape"), "{error}");
    save(folder.path(), "w.npz", &[("w", filled(Dtype::Float32, &[1, 4], 1.0))]);
    let g = skip.read(at("undeclared.json")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(g.tensor(g.find("w").unwrap()).unwrap().shape, [1, 4]);
    assert!(mlir::emit(&g).is_err(), "it has no data");
    let error = self::error(&undeclared);
    assert!(
        error.contains("unknown tensor \"w\"; it is not declared in \"tensors\", and the spec's weights"),
        "{error}"
    );
}

/// Returns `levels` functions, each of which repeats the previous one as often as its parameter says.
fn growing(levels: usize) -> String {
    let function = |level: usize| {
        let op = match level {
            0 => r#"{"op": "relu", "repeat": "${n}", "args": {"input": "nothing"}, "out": "y${i}"}"#.to_owned(),
            _ => format!(
                r#"{{"op": "f{}", "repeat": "${{n}}", "args": {{"x": "x", "n": "${{n}}"}}, "out": "y${{i}}"}}"#,
                level - 1
            ),
        };
        format!(r#""f{level}": {{"params": {{"n": 0}}, "inputs": ["x"], "ops": [{op}], "outputs": ["y0"]}}"#)
    };
    format!("\"functions\": {{{}}},", (0..levels).map(function).collect::<Vec<_>>().join(", "))
}

#[test]
fn there_are_no_bombs() {
    let call = |level: usize, n: usize| format!(r#"{{"op": "f{level}", "args": {{"x": "x", "n": {n}}}, "out": "y"}}"#);
    for (levels, n) in [(2, 2000), (20, 10), (1, 2_000_000)] {
        let error = error(&with(&growing(levels), &call(levels - 1, n), r#"["y"]"#));
        assert!(error.len() < 100_000, "{}", error.len());
    }
    let relu =
        |repeat: &str| format!(r#"{{"op": "relu", "repeat": {repeat}, "args": {{"input": "x"}}, "out": "y${{i}}"}}"#);
    for repeat in ["1000001", "18446744073709551615", "\"${10**18}\""] {
        let error = error(&with("", &relu(repeat), r#"["y0"]"#));
        assert!(error.contains("repetitions are too many: a spec may have 1000000 calls and repetitions"), "{error}");
    }
    let outputs = format!("[{}]", vec![r#"{"repeat": 100000, "each": "x"}"#; 20].join(", "));
    let error = self::error(&with("", r#"{"op": "relu", "args": {"input": "x"}, "out": "y"}"#, &outputs));
    assert!(error.contains("100000 repetitions are too many"), "{error}");
    // Strings that contain each other would double with each parameter.
    let params: Vec<_> = (1..60).map(|i| format!(r#""p{i}": "${{p{}}}${{p{}}}""#, i - 1, i - 1)).collect();
    let params = format!(r#""params": {{"p0": "xxxxxxxx", {}}},"#, params.join(", "));
    let error = self::error(&with(&params, "", "[]"));
    assert!(error.starts_with("the parameter p7 has 1024 bytes; at most 1000 are read"), "{error}");
}

/// A few characters of expressions stand for many, of which only the first are made.
#[test]
fn what_parameters_stand_for_is_bounded() {
    let long = |bytes: usize| format!("\"{}\"", "a".repeat(bytes));
    let params = format!(r#""params": {{"N": {}}},"#, long(1000));
    let many = |count: usize| "${N}".repeat(count);
    for (args, most) in [
        (format!(r#"{{"input": "x", "{}": 1}}"#, many(2)), 1000),
        (format!(r#"{{"input": "{}"}}"#, many(20_000)), 80_002 + (16 << 20)),
    ] {
        let call = format!(r#"{{"op": "relu", "args": {args}, "out": "y"}}"#);
        let error = error(&with(&params, &call, "[\"y\"]"));
        assert!(error.contains(&format!("with its expressions replaced, it exceeds {most} bytes")), "{error}");
        assert!(error.len() < 1000, "{}", error.len());
    }
    let repeated = |bytes: usize| {
        let call = r#"{"op": "relu", "repeat": {"i": [TEXT]}, "args": {"input": "z"}, "out": "y"}"#;
        error(&with("", &call.replace("TEXT", &long(bytes)), "[\"y\"]"))
    };
    let error = repeated(1001);
    assert!(error.starts_with("a value of i has 1001 bytes; at most 1000 are read"), "{error}");
    let error = repeated(1000);
    assert!(error.contains("{i=aaa") && !error.contains(&"a".repeat(61)), "{error}");
}
