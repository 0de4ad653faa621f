//! Regardless of a file's contents, the command exits soon, uses little memory, and reports a readable error. Each case runs
//! in its own process with limits, because it tries to kill the process.
use super::{SplitMix, exercise, grammar, limits::limited, snapshot};
use std::{
    fmt::Write,
    fs,
    path::Path,
    process::{Command, Output},
};
use tpulang::mlir;

fn read(name: &str, text: &[u8]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(name), text).unwrap();
    let mut command =
        limited(20, Path::new(env!("CARGO_BIN_EXE_tpulang")), &["run", name, "-i", "none.npz", "-o", "none.npz"]);
    command.current_dir(dir.path()).output().unwrap()
}

/// A module whose function body, before the return of `%2`, is `body`.
fn with_body(body: &str) -> String {
    format!(
        "module @n attributes {{module.state = \"TOP_F32\"}} {{\nfunc.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> \
         {{\n%1 = \"top.Input\"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc(\"x\")\n{body}\nreturn %2 : \
         tensor<4xf32>\n}}\n}}\n"
    )
}

fn relu(attributes: &str) -> String {
    with_body(&format!("%2 = \"top.Relu\"(%1) {attributes} : (tensor<4xf32>) -> tensor<4xf32> loc(\"y\")"))
}

/// Aliases of locations, each defined by others.
fn aliases(count: usize, of: impl Fn(usize) -> String) -> String {
    let first = "#l0 = loc(\"a\")\n".to_owned();
    (1..count).fold(first, |text, i| text + &format!("#l{i} = loc({})\n", of(i - 1)))
        + &relu("{}").replace("loc(\"y\")", &format!("loc(#l{})", count - 1))
}

#[test]
fn modules_that_broke_the_reader() {
    let state = |value: &str| format!("module attributes {{module.state = {value}}} {{}}");
    let weights = |name: &str| {
        let weight = "%w = \"top.Weight\"() : () -> tensor<4xf32> loc(\"w\")";
        let text = with_body(&format!("{weight}\n%2 = \"top.Relu\"(%w) : (tensor<4xf32>) -> tensor<4xf32>"));
        text.replace("{module.state", &format!("{{module.weight_file = {name}, module.state"))
    };
    let cases = [
        ("an empty string", state("\"\"")),
        ("a string that is not UTF-8", state("\"\\FF\"")),
        ("dense over complex numbers", state("dense<(1.,2.)> : tensor<2x9223372036854775807xf32>")),
        ("a float of 50,000 digits", state(&format!("1.{}", "5".repeat(50_000)))),
        ("an integer of 100,000 digits", state(&"7".repeat(100_000))),
        ("8,000 minuses", state(&format!("affine_map<(d0) -> ({}d0)>", "-".repeat(8_000)))),
        ("function types in function types", state(&format!("{}i64", "() -> (".repeat(20_000)))),
        ("20,000 lists in lists", state(&"[".repeat(20_000))),
        (
            "20,000 aliases of aliases",
            (1..20_000).fold("#a0 = [1]\n".into(), |t: String, i| t + &format!("#a{i} = [#a{}]\n", i - 1)),
        ),
        ("locations 20,000 deep", aliases(20_000, |i| format!("fused[#l{i}]"))),
        ("locations that double 30 times", aliases(30, |i| format!("fused[#l{i}, #l{i}]"))),
        (
            "100 locations, each of 100, in four levels",
            aliases(5, |i| format!("fused[{}]", vec![format!("#l{i}"); 100].join(", "))),
        ),
        ("properties with a mistake", relu("<{relu_limt = 1.0 : f64}>")),
        ("an attribute of another kind", relu("{relu_limit = [1]}")),
        ("a block that Relu has not", relu("({\n\"top.Yield\"() : () -> ()\n}) {}")),
        (
            "1,000 dimensions",
            with_body(&format!("%2 = \"top.Relu\"(%1) : (tensor<{}f32>) -> none", "1x".repeat(1_000))),
        ),
        ("weights elsewhere", weights("\"../w.npz\"")),
        ("weights at a place", weights("\"/dev/zero\"")),
        ("weights without a name", weights("\"\"")),
        ("a result of a number that no operator has", relu("{}").replace("(%1)", "(%1#2147483647)")),
        ("such a result, with a blank", relu("{}").replace("(%1)", "(%1 #2147483647)")),
        ("resources", format!("{}{{-# dialect_resources: {{}} #-}}", relu("{}"))),
        (
            "a split into 2^40",
            with_body(
                "%2 = \"top.Split\"(%1) {axis = 0 : si32, num = 1099511627776 : i64} : (tensor<4xf32>) -> tensor<4xf32>",
            ),
        ),
        (
            "a scale that float32 has not",
            relu("{}")
                .replace("-> tensor<4xf32> loc(\"y\")", "-> tensor<4x!quant.uniform<i8:f32, 1.0e300>> loc(\"y\")"),
        ),
    ];
    let mut all = String::new();
    for (what, text) in cases {
        let out = read("bad.mlir", text.as_bytes());
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{what}: {said}");
        assert!(said.len() < 2000 && !said.contains("panicked"), "{what}: {said}");
        let _ = writeln!(all, "# {what}\n{}\n", said.trim_end());
    }
    snapshot("hostile_mlir", &all);
}

/// Comments may contain brackets, names may be empty or in any script, and properties are attributes.
#[test]
fn modules_that_look_odd_are_read() {
    let comments = "// a < b, <\n".repeat(200);
    let texts = [
        format!("{comments}{}", relu("{}")),
        relu("<{relu_limit = 1.0 : f64}>"),
        relu("{}").replace("module.state = ", "module.other = \"\", module.state = "),
        relu("{}").replace("\"x\"", "\"\\E5\\90\\8D\""),
    ];
    for text in texts {
        let g = mlir::read_text(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(g.operators().len(), 1);
    }
    let weight = r#""top.Weight"() {allow_split = [1], do_compress = false, path = "a", placeholder = "Auto", store_mode = "1N"}"#;
    let add = r#""top.Add"(%1, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"#;
    let text = with_body(&format!("%w = {weight} : () -> tensor<4xf32> loc(\"w\")\n%2 = {add} loc(\"y\")"));
    let g = mlir::read_text(&text.replace("(%arg0) :", "(%arg0) {shape_tensor = [4]} :")).unwrap();
    assert_eq!(g.tensor(g.lookup("w").unwrap()).unwrap().shape, [4]);
    let g = mlir::read_text(&relu("<{relu_limit = 1.0 : f64}>")).unwrap();
    assert!(mlir::emit(&g).unwrap().text.contains("relu_limit = 1.000000e+00 : f64"));
}

/// Generates a module from a seed, which reproduces a failure.
fn generated(seed: u64) -> Option<String> {
    let mut numbers = SplitMix(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let bytes: Vec<u8> = (0..256).flat_map(|_| numbers.next().to_le_bytes()).collect();
    grammar::module(&mut arbitrary::Unstructured::new(&bytes)).ok()
}

/// Runs each function on large tensors with decreasing memory: the outcome is a result or an error with the numbers.
#[test]
fn runs_in_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    // 1 x 16 x 512 x 512: 16 MiB as float32, 4 MiB as int8.
    let shape = [1, 16, 512, 512];
    for (dtype, name) in [(tpulang::Dtype::Float32, "x.npz"), (tpulang::Dtype::Int8, "q.npz")] {
        let x = tpulang::Array::filled(dtype, shape, 1.0).unwrap();
        tpulang::array::write_npz(dir.path().join(name), [("x", &x)]).unwrap();
    }
    let calls = [
        ("float32", r#"{"op": "relu", "args": {"input": "x"}, "out": "y"}"#),
        ("float32", r#"{"op": "cast", "args": {"tensor_i": "x", "out_dtype": "int32"}, "out": "y"}"#),
        ("float32", r#"{"op": "reduce", "args": {"input": "x", "axes": [1]}, "out": "y"}"#),
        ("float32", r#"{"op": "softmax", "args": {"input": "x", "axis": 1}, "out": "y"}"#),
        ("float32", r#"{"op": "permute", "args": {"input": "x", "order": [0, 2, 3, 1]}, "out": "y"}"#),
        (
            "float32",
            r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": [3, 3], "stride": [1, 1], "pad": [1, 1, 1, 1]}, "out": "y"}"#,
        ),
        ("int8", r#"{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "x"}, "out": "y"}"#),
        (
            "int8",
            r#"{"op": "conv_int", "args": {"input": "x", "weight": "w", "input_zp": 0, "weight_zp": 0}, "out": "y"}"#,
        ),
    ];
    tpulang::array::write_npz(
        dir.path().join("w.npz"),
        [("w", &tpulang::Array::filled(tpulang::Dtype::Int8, [16, 16, 1, 1], 1.0).unwrap())],
    )
    .unwrap();
    for (dtype, call) in calls {
        let spec = format!(
            r#"{{"version": 1, "name": "n", "weights": "w.npz", "tensors": {{"x": {{"shape": [1, 16, 512, 512], "dtype": "{dtype}"}},
            "w": {{"shape": [16, 16, 1, 1], "dtype": "int8", "coeff": true}}}}, "inputs": ["x"], "ops": [{call}], "outputs": ["y"]}}"#
        );
        fs::write(dir.path().join("s.json"), spec).unwrap();
        let feeds = if dtype == "int8" { "q.npz" } else { "x.npz" };
        let (mut codes, mut last) = (Vec::new(), String::new());
        for kilobytes in (100..=1060).step_by(120).map(|megabytes| megabytes * 1000) {
            let script = format!("ulimit -v {kilobytes}; exec \"$0\" run s.json -i {feeds} -o y.npz");
            let mut command = Command::new("sh");
            let out =
                command.args(["-c", &script, env!("CARGO_BIN_EXE_tpulang")]).current_dir(dir.path()).output().unwrap();
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(matches!(out.status.code(), Some(0 | 2)), "{call} in {kilobytes} kB: {:?} {said}", out.status);
            codes.push(out.status.code());
            last = said.into_owned();
        }
        assert_eq!(codes.last(), Some(&Some(0)), "{call}: {codes:?} {last}");
    }
}

const FROM: &str = "TPULANG_MODULES_FROM";
const MODULES: u64 = 2_000;

/// Set `TPULANG_MODULES=1000000` for a million modules.
#[test]
fn modules_from_a_grammar() {
    let all = std::env::var("TPULANG_MODULES").map_or(2 * MODULES, |n| n.parse().expect("a number"));
    let this = std::env::current_exe().unwrap();
    for from in (0..all).step_by(MODULES as usize) {
        let worker = ["hostile::worker", "--exact", "--ignored", "--nocapture"];
        let out = limited(20, &this, &worker).env(FROM, from.to_string()).output().unwrap();
        let said = String::from_utf8_lossy(&out.stdout);
        let last = said.lines().rev().find_map(|l| l.strip_prefix("module ")).and_then(|n| n.parse().ok());
        let text = last.and_then(generated).unwrap_or_default();
        assert!(out.status.success(), "{last:?}:\n{text}\n{}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(last, Some(from + MODULES - 1), "the worker has run");
    }
}

#[test]
#[ignore = "a process of modules_from_a_grammar"]
fn worker() {
    let from: u64 = std::env::var(FROM).unwrap().parse().unwrap();
    let mut read = 0;
    for seed in from..from + MODULES {
        println!("module {seed}");
        let Some(text) = generated(seed) else { continue };
        match mlir::read_text(&text) {
            Ok(g) => {
                read += 1;
                exercise::all(&g);
            }
            Err(e) => println!("said {}", e.to_string().lines().next().unwrap_or_default()),
        }
    }
    assert!(read > MODULES / 50, "only {read} were read");
}
