//! Bad files of every kind, each with a snapshot of its message.
use super::{cli::tpulang, snapshot};
use std::{fmt::Write, fs, path::Path};
use tpulang::{Array, Dtype, array::write_npz};

/// A spec whose parts can be replaced.
fn spec(tensors: &str, inputs: &str, ops: &str, outputs: &str) -> String {
    format!(
        "{{\n  \"version\": 1, \"name\": \"net\", \"weights\": \"w.npz\",\n  \"tensors\": {{{tensors}}},\n  \"inputs\": {inputs},\n  \"ops\": [\n    {ops}\n  ],\n  \"outputs\": {outputs}\n}}\n"
    )
}

const X: &str = r#""x": {"shape": [1, 3, 8, 8]}"#;

/// One operator on `x` (float32, 1x3x8x8), `i` (int8) and the coefficients `w` (float32, 4x3x3x3), `v` (float32, 3).
fn op(call: &str) -> String {
    let tensors = format!(
        r#"{X}, "i": {{"dtype": "int8", "shape": [1, 3, 8, 8]}}, "w": {{"shape": [4, 3, 3, 3], "coeff": true}}, "v": {{"shape": [3], "coeff": true}}"#
    );
    spec(&tensors, r#"["x", "i"]"#, call, r#"["y"]"#)
}

fn relu(tensors: &str) -> String {
    spec(tensors, r#"["x"]"#, r#"{"op": "relu", "args": {"input": "x"}, "out": "y"}"#, r#"["y"]"#)
}

fn weights(dir: &Path) {
    let w = Array::filled(Dtype::Float32, [4, 3, 3, 3], 1.0).unwrap();
    let v = Array::filled(Dtype::Float32, [3], 1.0).unwrap();
    let ints = Array::filled(Dtype::Int32, [3], 1.0).unwrap();
    write_npz(dir.join("w.npz"), [("w", &w), ("v", &v), ("ints", &ints)]).unwrap();
}

/// Runs the command on each file, and compares all messages with one snapshot.
fn messages(name: &str, command: &[&str], ending: &str, files: Vec<(&str, Vec<u8>)>) {
    let dir = tempfile::tempdir().unwrap();
    weights(dir.path());
    let mut all = String::new();
    for (what, bytes) in files {
        let path = dir.path().join(format!("bad.{ending}"));
        fs::write(&path, bytes).unwrap();
        let path = path.display().to_string();
        let args: Vec<&str> = command.iter().map(|a| if *a == "FILE" { path.as_str() } else { a }).collect();
        let out = tpulang(&args);
        let text = String::from_utf8_lossy(&out.stderr).replace(&format!("{}/", dir.path().display()), "");
        assert!(!text.contains("panicked"), "{what}: {text}");
        assert_eq!(out.status.code(), Some(2), "{what}: {text}{}", String::from_utf8_lossy(&out.stdout));
        let _ = writeln!(all, "# {what}\n{text}");
    }
    snapshot(name, &all);
}

#[test]
fn specs_that_are_not_json() {
    let good = relu(X);
    messages(
        "bad_json",
        &["check", "FILE"],
        "json",
        vec![
            ("empty", vec![]),
            ("truncated", good.as_bytes()[..120].to_vec()),
            ("not JSON", b"name: net\n".to_vec()),
            ("not UTF-8", [&good.as_bytes()[..60], b"\xff\xfe"].concat()),
            ("nested deep", [b"[".repeat(100_000), b"]".repeat(100_000)].concat()),
            (
                "nested deep within",
                good.replace("[1, 3, 8, 8]", &format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000))).into_bytes(),
            ),
            ("two trailing commas", good.replace("[\"x\"],", "[\"x\",,],").into_bytes()),
            ("a comma alone", good.replace("[\"x\"],", "[,],").into_bytes()),
            ("something after the end", format!("{good} 1").into_bytes()),
            ("a list", b"[1, 2]".to_vec()),
            ("a comment that is not closed", good.replace("\"inputs\"", "/* inputs\n\"inputs\"").into_bytes()),
            ("a comment of another language", good.replace("\"inputs\"", "# inputs\n\"inputs\"").into_bytes()),
            ("a mistake after comments", good.replace("\"inputs\"", "/* é */ /* \"ops\": [ */ \"input\"").into_bytes()),
            ("a module", b"module @net attributes {} {}".to_vec()),
            ("a module after comments", b"// weights: 0\n\nmodule @net attributes {} {}".to_vec()),
            ("comments only", b"// nothing\n".to_vec()),
            ("an escape that is none", good.replace("net", r"n\et").into_bytes()),
        ],
    );
}

#[test]
fn specs_of_the_wrong_form() {
    let good = relu(X);
    let files = [
        ("no name", good.replace(" \"name\": \"net\",", "")),
        ("another version", good.replace("\"version\": 1", "\"version\": 2")),
        ("an unknown key", good.replace("\"inputs\"", "\"input\"")),
        ("two unknown keys", good.replace("\"inputs\"", "\"input\"").replace("\"outputs\"", "\"outptus\"")),
        ("a key twice", good.replace("\"inputs\":", "\"ops\": [], \"inputs\":")),
        ("a name that is no file name", good.replace("net", "../net")),
        ("a mode that is none", good.replace("\"version\": 1,", "\"version\": 1, \"mode\": \"int8\",")),
        ("no shape", relu(r#""x": {"dtype": "float32"}"#)),
        ("an unknown dtype", relu(r#""x": {"dtype": "flaot32", "shape": [1]}"#)),
        ("a shape that is no list", relu(r#""x": {"shape": "1x3"}"#)),
        ("a negative dimension", relu(r#""x": {"shape": [1, -3]}"#)),
        ("a dimension of 0", relu(r#""x": {"shape": [1, 0]}"#)),
        ("a fractional dimension", relu(r#""x": {"shape": [1, 2.5]}"#)),
        ("a huge shape", relu(r#""x": {"shape": [4294967296, 4294967296, 4294967296]}"#)),
        ("many dimensions", relu(&format!(r#""x": {{"shape": [{}1]}}"#, "1, ".repeat(40)))),
        ("a scale on floats", relu(r#""x": {"shape": [1], "scale": 0.5}"#)),
        ("a scale of 0", relu(r#""x": {"shape": [1], "dtype": "int8", "scale": 0.0}"#)),
        ("a zero point out of range", relu(r#""x": {"shape": [1], "dtype": "int8", "zero_point": 200}"#)),
        ("scales that fit no axis", relu(r#""x": {"shape": [1, 4], "dtype": "int8", "scale": [0.5, 0.25, 1.0]}"#)),
        ("data on an input", relu(r#""x": {"shape": [1], "data": [1]}"#)),
        ("too few data", relu(&format!(r#"{X}, "c": {{"shape": [2, 2], "coeff": true, "data": [[1, 2], [3]]}}"#))),
        (
            "data out of range",
            relu(&format!(r#"{X}, "c": {{"shape": [2], "dtype": "int8", "coeff": true, "data": [1, 300]}}"#)),
        ),
        (
            "fractions as integers",
            relu(&format!(r#"{X}, "c": {{"shape": [1], "dtype": "int32", "coeff": true, "data": [1.5]}}"#)),
        ),
        ("ragged data", relu(&format!(r#"{X}, "c": {{"shape": [2, 2], "coeff": true, "data": [[1, 2, 3], [4]]}}"#))),
        (
            "data of another shape",
            relu(&format!(r#"{X}, "c": {{"shape": [2, 3], "coeff": true, "data": [[1, 2], [3, 4], [5, 6]]}}"#)),
        ),
        ("data at several depths", relu(&format!(r#"{X}, "c": {{"shape": [3], "coeff": true, "data": [1, [2, 3]]}}"#))),
        (
            "an input of a dtype that functions do not take",
            relu(r#""x": {"shape": [1], "dtype": "float64"}"#).replace("relu", "copy"),
        ),
        ("text as data", relu(&format!(r#"{X}, "c": {{"shape": [1], "coeff": true, "data": ["1"]}}"#))),
        ("a pixel format that is none", relu(r#""x": {"shape": [1, 3, 8, 8], "preprocess": {"pixel_format": "rbg"}}"#)),
        ("an unknown key in preprocess", relu(r#""x": {"shape": [1, 3, 8, 8], "preprocess": {"means": [0]}}"#)),
        ("an input that is not declared", relu(r#""z": {"shape": [1]}"#)),
        ("an input that is not listed", good.replace("[\"x\"],", "[],")),
        ("a coefficient as input", relu(r#""x": {"shape": [1], "coeff": true, "data": [1]}"#)),
        ("an output that is not computed", good.replace("[\"y\"]\n", "[\"x\"]\n")),
        ("an unknown output", good.replace("[\"y\"]\n", "[\"z\"]\n")),
        ("no outputs", good.replace("[\"y\"]\n", "[]\n")),
        ("an output twice", good.replace("[\"y\"]\n", "[\"y\", \"y\"]\n")),
        ("an empty name", relu(r#""x": {"shape": [1]}, "": {"shape": [1], "coeff": true, "data": [1]}"#)),
        (
            "a name with a line break",
            relu(r#""x": {"shape": [1]}, "a\nb": {"shape": [1], "coeff": true, "data": [1]}"#),
        ),
        ("a weights file that is missing", good.replace("w.npz", "missing.npz")),
        ("a weights file of another kind", good.replace("w.npz", "w.h5")),
        ("a weights file that is a folder", good.replace("w.npz", "..")),
        ("a coefficient that the weights lack", relu(&format!(r#"{X}, "ww": {{"shape": [3], "coeff": true}}"#))),
        ("a coefficient of another shape", relu(&format!(r#"{X}, "w": {{"shape": [3], "coeff": true}}"#))),
        ("a transposed coefficient", relu(&format!(r#"{X}, "w": {{"shape": [3, 3, 3, 4], "coeff": true}}"#))),
        ("a coefficient of another dtype", relu(&format!(r#"{X}, "ints": {{"shape": [3], "coeff": true}}"#))),
    ];
    messages("bad_specs", &["check", "FILE"], "json", files.map(|(n, t)| (n, t.into_bytes())).into());
}

/// A spec with parameters, a function and weights, and the mistakes that they make possible.
#[test]
fn parameters_repetitions_and_weights_that_are_wrong() {
    let good = r#"{
  "version": 1, "name": "net", "weights": "w.npz",
  "params": {"N": 4, "half": "${N/2}", "name": "w"},
  "tensors": {
    "x": {"shape": ["${N}", 3, 8, 8]},
    "c.${i}": {"repeat": 2, "shape": [1]}
  },
  "inputs": ["x", {"repeat": 2, "each": "c.${i}"}],
  "functions": {
    "f": {"params": {"w": null, "pad": 0}, "inputs": ["a"], "ops": [
      {"op": "conv", "args": {"input": "a", "weight": "${w}", "pad": "${pad}"}, "out": "y"}
    ], "outputs": ["y"]}
  },
  "ops": [
    {"op": "f", "args": {"a": "x", "w": "${name}"}, "out": "h0"},
    {"op": "relu", "repeat": "${half}", "args": {"input": "h${i}"}, "out": "h${i+1}"}
  ],
  "outputs": ["h${half}"]
}
"#;
    let files = [
        ("an unknown parameter", good.replace("\"${N}\"", "\"${M}\"")),
        ("a fraction as a dimension", good.replace("\"${N}\"", "\"${N/3}\"")),
        ("a string as a dimension", good.replace("\"${N}\"", "\"${name}\"")),
        ("a negative dimension", good.replace("\"${N}\"", "\"${N-5}\"")),
        ("an operator too many", good.replace("\"${N}\"", "\"${2*}\"")),
        ("arithmetic on a string", good.replace("\"${N}\"", "\"${name*2}\"")),
        ("a division by zero", good.replace("\"${N}\"", "\"${N/(half-2)}\"")),
        ("an overflow", good.replace("\"${N}\"", "\"${N**99}\"")),
        ("a brace that is not closed", good.replace("\"${N}\"", "\"${N\"")),
        ("a number as a name", good.replace("\"out\": \"h0\"", "\"out\": \"${N}\"")),
        ("an expression as a function", good.replace("\"op\": \"f\"", "\"op\": \"${name}\"")),
        ("a parameter without a value", good.replace("\"N\": 4", "\"N\": null")),
        ("a parameter that is a list", good.replace("\"N\": 4", "\"N\": [4]")),
        ("a parameter with a strange name", good.replace("\"N\": 4", "\"N.x\": 4, \"N\": 4")),
        (
            "a parameter before its time",
            good.replace("\"N\": 4, \"half\": \"${N/2}\"", "\"half\": \"${N/2}\", \"N\": 4"),
        ),
        ("the counter outside of a repetition", good.replace("\"out\": \"h0\"", "\"out\": \"h${i}\"")),
        ("a repetition that is no number", good.replace("\"repeat\": \"${half}\"", "\"repeat\": \"twice\"")),
        ("two counters", good.replace("\"repeat\": \"${half}\"", "\"repeat\": {\"i\": 2, \"j\": 2}")),
        ("repetitions of one name", good.replace("\"out\": \"h${i+1}\"", "\"out\": \"h1\"")),
        ("declarations of one name", good.replace("\"c.${i}\": {", "\"c\": {")),
        ("an error in every repetition", good.replace("\"input\": \"h${i}\"", "\"input\": \"g${i}\"")),
        ("each without repeat", good.replace("{\"repeat\": 2, \"each\"", "{\"each\"")),
        ("a parameter that is not passed", good.replace(", \"w\": \"${name}\"", "")),
        ("a parameter of another kind", good.replace("\"w\": \"${name}\"", "\"w\": \"w\", \"pad\": \"1\"")),
        ("a parameter that the function lacks", good.replace("\"w\": \"${name}\"", "\"w\": \"w\", \"pads\": \"x\"")),
        ("an input that is a parameter, too", good.replace("\"pad\": 0", "\"a\": 0")),
        ("a name that the weights lack", good.replace("\"name\": \"w\"", "\"name\": \"ww\"")),
        ("a weight of another shape", good.replace("\"name\": \"w\"", "\"name\": \"v\"")),
        ("the same file twice", good.replace("\"w.npz\"", "[\"w.npz\", \"w.npz\"]")),
        ("weights that are a number", good.replace("\"w.npz\"", "1")),
        ("weights that are lost", good.replace("\"w.npz\"", "{\"a.\": \"w.npz\", \"b.\": \"lost.npz\"}")),
    ];
    messages("bad_language", &["check", "FILE"], "json", files.map(|(n, t)| (n, t.into_bytes())).into());
    let good = good.as_bytes().to_vec();
    let arguments: [(&str, &[&str]); 5] = [
        ("no such parameter", &["--param", "M=1"]),
        ("a fraction", &["--param", "N=1.5"]),
        ("a word", &["--param", "N=four"]),
        ("no value", &["--param", "N"]),
        ("a derived parameter", &["--param", "half=1.5"]),
    ];
    let mut all = String::new();
    let dir = tempfile::tempdir().unwrap();
    weights(dir.path());
    let path = dir.path().join("bad.json").display().to_string();
    fs::write(&path, good).unwrap();
    for (what, arguments) in arguments {
        let out = tpulang(&[&["check", path.as_str()], arguments].concat());
        assert_eq!(out.status.code(), Some(2), "{what}");
        let _ = writeln!(all, "# {what}\n{}", String::from_utf8_lossy(&out.stderr));
    }
    snapshot("bad_params", &all.replace(&format!("{}/", dir.path().display()), ""));
}

/// Mistakes that are possible in any call; each family tests its own.
#[test]
fn calls_that_are_wrong() {
    let files = [
        ("an unknown function", r#"{"op": "reluu", "args": {"input": "x"}, "out": "y"}"#),
        ("no op", r#"{"args": {"input": "x"}, "out": "y"}"#),
        ("an unknown key", r#"{"op": "relu", "args": {"input": "x"}, "output": "y"}"#),
        ("a key like no other", r#"{"op": "relu", "in": ["x"], "out": "y"}"#),
        (
            "an unknown argument",
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "strides": [1, 1]}, "out": "y"}"#,
        ),
        ("missing arguments", r#"{"op": "conv", "args": {}, "out": "y"}"#),
        ("out_name among the arguments", r#"{"op": "relu", "args": {"input": "x", "out_name": "y"}}"#),
        ("an unknown tensor", r#"{"op": "relu", "args": {"input": "xx"}, "out": "y"}"#),
        ("a number for a tensor", r#"{"op": "relu", "args": {"input": 3}, "out": "y"}"#),
        (
            "a cycle",
            "{\"op\": \"relu\", \"args\": {\"input\": \"b\"}, \"out\": \"a\"},\n    {\"op\": \"relu\", \"args\": {\"input\": \"a\"}, \"out\": \"b\"},\n    {\"op\": \"add\", \"args\": {\"tensor_i0\": \"a\", \"tensor_i1\": \"b\"}, \"out\": \"y\"}",
        ),
        ("its own output", r#"{"op": "relu", "args": {"input": "y"}, "out": "y"}"#),
        (
            "a name twice",
            "{\"op\": \"relu\", \"args\": {\"input\": \"x\"}, \"out\": \"y\"},\n    {\"op\": \"relu\", \"args\": {\"input\": \"x\"}, \"out\": \"y\"}",
        ),
        (
            "three independent mistakes",
            "{\"op\": \"relu\", \"args\": {\"input\": \"q\"}, \"out\": \"a\"},\n    {\"op\": \"softmax\", \"args\": {\"input\": \"x\", \"axis\": 9}, \"out\": \"b\"},\n    {\"op\": \"add\", \"args\": {\"tensor_i0\": \"a\", \"tensor_i1\": \"b\"}, \"out\": \"c\"},\n    {\"op\": \"gelu\", \"args\": {\"imput\": \"x\"}, \"out\": \"y\"}",
        ),
        (
            "a quantization that contradicts",
            "{\"op\": \"tanh\", \"args\": {\"input\": \"i\", \"scale\": [0.5, 0.5]}, \"out\": \"a\"},\n    {\"op\": \"gelu\", \"args\": {\"input\": \"i\", \"scale\": [0.25, 0.5]}, \"out\": \"y\"}",
        ),
        ("too many names", r#"{"op": "relu", "args": {"input": "x"}, "out": ["y", "z"]}"#),
        (
            "propagation that contradicts",
            "{\"op\": \"relu\", \"args\": {\"input\": \"i\"}, \"out\": \"a\", \"out_quant\": {\"scale\": 0.5}},\n    {\"op\": \"relu\", \"args\": {\"input\": \"a\"}, \"out\": \"y\", \"out_quant\": {\"scale\": 0.25}}",
        ),
    ];
    messages("bad_calls", &["check", "FILE"], "json", files.map(|(n, t)| (n, op(t).into_bytes())).into());
}

#[test]
fn archives_that_are_damaged() {
    let dir = tempfile::tempdir().unwrap();
    weights(dir.path());
    let good = fs::read(dir.path().join("w.npz")).unwrap();
    let find = |text: &[u8]| good.windows(text.len()).position(|w| w == text).unwrap();
    let with = |text: &[u8], other: &[u8]| {
        let mut bytes = good.clone();
        bytes[find(text)..][..other.len()].copy_from_slice(other);
        bytes
    };
    let files = vec![
        ("empty", vec![]),
        ("truncated", good[..good.len() / 2].to_vec()),
        ("not a zip", b"PK\x03\x04 nothing".to_vec()),
        ("no magic in an entry", with(b"\x93NUMPY", b"\x93NUMPZ")),
        ("another npy version", with(b"\x93NUMPY\x01", b"\x93NUMPY\x09")),
        ("a header that is too long", with(b"\x93NUMPY\x01\x00\x76", b"\x93NUMPY\x01\x00\xff\xff")),
        ("complex numbers", with(b"'<f4'", b"'<c8'")),
        ("a shape that does not fit", with(b"(4, 3, 3, 3)", b"(9, 9, 9, 9)")),
        ("a shape that overflows", with(b"(4, 3, 3, 3), }     ", b"(99999999999, 9999),}")),
        ("an object", with(b"'<f4'", b"'|O8'")),
    ];
    messages("bad_npz", &["compare", "FILE", "FILE"], "npz", files);
}

#[test]
fn safetensors_that_are_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let file =
        |header: &str, data: usize| [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; data]].concat();
    let files = [
        ("empty", vec![]),
        ("a header beyond the file", 1_000_000u64.to_le_bytes().to_vec()),
        ("a header that is not JSON", file("nonsense", 0)),
        ("data beyond the file", file(r#"{"w":{"dtype":"F32","shape":[100],"data_offsets":[0,400]}}"#, 4)),
        ("a shape that does not fit", file(r#"{"w":{"dtype":"F32","shape":[100],"data_offsets":[0,4]}}"#, 4)),
        ("no such tensor", file(r#"{"ww":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, 4)),
        ("another dtype", file(r#"{"w":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}"#, 4)),
    ];
    let mut all = String::new();
    for (what, bytes) in files {
        fs::write(dir.path().join("w.safetensors"), bytes).unwrap();
        let spec = dir.path().join("s.json");
        fs::write(
            &spec,
            relu(&format!(r#"{X}, "w": {{"shape": [1], "coeff": true}}"#)).replace("w.npz", "w.safetensors"),
        )
        .unwrap();
        let out = tpulang(&["check", spec.to_str().unwrap()]);
        let text = String::from_utf8_lossy(&out.stderr).replace(&format!("{}/", dir.path().display()), "");
        assert_eq!(out.status.code(), Some(2), "{what}: {text}");
        let _ = writeln!(all, "# {what}\n{text}");
    }
    snapshot("bad_safetensors", &all);
}

#[test]
fn modules_that_are_wrong() {
    let good = fs::read_to_string("tests/cases/Max/Max_0/peer_origin.mlir").unwrap();
    let module = |body: &str| {
        format!("module @m attributes {{module.state = \"TOP_F32\", module.weight_file = \"w.npz\"}} {{\n  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x3xf32> {{\n    %0 = \"top.None\"() : () -> none\n    %1 = \"top.Input\"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc(\"x\")\n    {body}\n    return %2 : tensor<1x3xf32>\n  }}\n}}\n").into_bytes()
    };
    let relu = |attributes: &str, ty: &str| {
        module(&format!("%2 = \"top.Relu\"(%1) {{{attributes}}} : (tensor<1x3xf32>) -> {ty} loc(\"y\")"))
    };
    let files = vec![
        ("empty", vec![]),
        ("truncated", good.as_bytes()[..good.len() / 2].to_vec()),
        ("not UTF-8", vec![0xff, 0xfe, 0x00]),
        ("not MLIR", b"hello, world".to_vec()),
        ("nested deep", "(".repeat(200_000).into_bytes()),
        ("no main", b"module @m {}".to_vec()),
        ("a name that is no file name", b"module @\"a/b\" {}".to_vec()),
        ("an op of another dialect", module("%2 = \"tosa.abs\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>")),
        ("an op that is unknown", module("%2 = \"top.Rellu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>")),
        ("an attribute that is unknown", relu("relu_limt = 1.0 : f64", "tensor<1x3xf32>")),
        ("an attribute of another kind", relu("relu_limit = \"a\"", "tensor<1x3xf32>")),
        ("an attribute of no kind", relu("relu_limit = dense<1> : tensor<2xi32>", "tensor<1x3xf32>")),
        (
            "a result of another shape",
            module(
                "%3 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x4xf32>\n    %2 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "a dynamic shape",
            module(
                "%3 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<?x3xf32>\n    %2 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "elements that are unknown",
            module(
                "%3 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xi7>\n    %2 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "too few operands",
            module(
                "%2 = \"top.Conv\"(%1) {kernel_shape = [], strides = [], pads = []} : (tensor<1x3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        ("none for a tensor", module("%2 = \"top.Relu\"(%0) : (none) -> tensor<1x3xf32>")),
        ("a value that is not defined", module("%2 = \"top.Relu\"(%9) : (tensor<1x3xf32>) -> tensor<1x3xf32>")),
        (
            "a weight that the file lacks",
            module(
                "%3 = \"top.Weight\"() : () -> tensor<3xf32> loc(\"q\")\n    %2 = \"top.Add\"(%1, %3) : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "a weight without name",
            module(
                "%3 = \"top.Weight\"() : () -> tensor<3xf32>\n    %2 = \"top.Add\"(%1, %3) : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "a weight that is compressed",
            module(
                "%3 = \"top.Weight\"() {do_compress = true} : () -> tensor<3xf32> loc(\"v\")\n    %2 = \"top.Add\"(%1, %3) : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "a weight's attribute that is unknown",
            module(
                "%3 = \"top.Weight\"() {do_compres = true} : () -> tensor<3xf32> loc(\"v\")\n    %2 = \"top.Add\"(%1, %3) : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "an input in a chip's format",
            module(
                "%3 = \"top.Input\"(%arg0) {customization_format = \"YUV420_PLANAR\"} : (tensor<1x3xf32>) -> tensor<1x3xf32> loc(\"z\")\n    %2 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        (
            "a name twice",
            module(
                "%3 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc(\"x\")\n    %2 = \"top.Relu\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>",
            ),
        ),
        ("an attribute that is missing", module("%2 = \"top.Softmax\"(%1) : (tensor<1x3xf32>) -> tensor<1x3xf32>")),
    ];
    messages("bad_mlir", &["run", "FILE", "-i", "examples/patterns/inputs.npz", "-o", "/dev/null"], "mlir", files);
}

#[test]
fn feeds_that_do_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    let mut all = String::new();
    let f = |dtype, shape: &[usize]| Array::filled(dtype, shape, 1.0).unwrap();
    for (what, arrays) in [
        ("missing", vec![]),
        ("another name", vec![("imag", f(Dtype::Float32, &[3, 1, 8, 8]))]),
        ("another shape", vec![("image", f(Dtype::Float32, &[1, 8, 8]))]),
        ("another dtype", vec![("image", f(Dtype::Int32, &[3, 1, 8, 8]))]),
    ] {
        let path = dir.path().join("in.npz");
        write_npz(&path, arrays.iter().map(|(n, a)| (*n, a))).unwrap();
        let out = tpulang(&["run", "examples/patterns/patterns.json", "-i", path.to_str().unwrap(), "-o", "none.npz"]);
        assert_eq!(out.status.code(), Some(2));
        let _ = writeln!(all, "# {what}\n{}", String::from_utf8_lossy(&out.stderr));
    }
    // Out-of-range indices are detected only when the graph runs.
    let spec = dir.path().join("s.json");
    fs::write(&spec, r#"{"version": 1, "name": "n", "tensors": {"x": {"shape": [4]}, "k": {"dtype": "int32", "shape": [2]}}, "inputs": ["x", "k"],
        "ops": [{"op": "index_select", "args": {"input": "x", "index": "k"}, "out": "y"}], "outputs": ["y"]}"#).unwrap();
    let path = dir.path().join("k.npz");
    write_npz(&path, [("x", &f(Dtype::Float32, &[4])), ("k", &Array::from([1i32, 7]))]).unwrap();
    let out = tpulang(&["run", spec.to_str().unwrap(), "-i", path.to_str().unwrap(), "-o", "none.npz"]);
    let _ = writeln!(all, "# an index out of range\n{}", String::from_utf8_lossy(&out.stderr));
    snapshot("bad_feeds", &all);
}
