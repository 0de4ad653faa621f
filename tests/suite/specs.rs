//! Specs beyond single calls: ops called directly, functions of a spec, and their errors.
use super::assert_same;
use tpulang::{Array, Graph, Result, exec, graph::MAX_NESTED_BLOCKS, mlir, spec};

fn read(text: &str) -> Result<Graph> {
    spec::from_text(text, "spec.json", None)
}

/// Returns a spec with these functions and ops on `x` (float32 1x4) and the coefficient `w` (4x4).
fn with(functions: &str, ops: &str) -> String {
    format!(
        r#"{{"version": 1, "name": "net", "tensors": {{"x": {{"shape": [1, 4]}}, "w": {{"shape": [4, 4], "coeff": true, "data": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}}}},
"inputs": ["x"], "functions": {{{functions}}},
"ops": [
{ops}
], "outputs": ["y"]}}"#
    )
}

const LAYER: &str = r#""layer": {"inputs": ["a"], "ops": [{"op": "matmul", "args": {"input": "a", "right": "w"}, "out": "h"}, {"op": "relu", "args": {"input": "h"}, "out": "out"}], "outputs": ["out"]}"#;

/// Tests the example of docs/spec.md.
#[test]
fn functions_are_made_again_by_each_call() {
    let document = std::fs::read_to_string("docs/spec.md").unwrap();
    let (_, rest) = document.split_once("## Functions of a spec").unwrap();
    let (_, rest) = rest.split_once("```json\n").unwrap();
    let g = read(rest.split_once("```").unwrap().0).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<_> = g.tensors().map(|(_, t)| t.name.as_str()).collect();
    assert_eq!(names, ["a", "w", "layer0/h", "layer0/scaled", "layer0", "layer1/h", "layer1/scaled", "layer1"]);
    let x = tpulang::Array::from_vec([2, 4], vec![-1f32, 2.0, -3.0, 4.0, 5.0, -6.0, 7.0, -8.0]).unwrap();
    let session = exec::Session::new(&g, exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap();
    assert_eq!(session.run(&[("a", x)]).unwrap()["layer1"].to_f32().unwrap(), [0.0, 1.0, 0.0, 2.0, 2.5, 0.0, 3.5, 0.0]);
    // The written spec has the calls inlined, and is the same network.
    let text = spec::to_text(&g, None).unwrap();
    assert_same(&mlir::emit(&read(&text).unwrap()).unwrap().text, &mlir::emit(&g).unwrap().text);
}

#[test]
fn mistakes_in_functions_are_told() {
    let call = r#"{"op": "layer", "args": {"a": "x"}, "out": "y"}"#;
    assert!(read(&with(LAYER, call)).is_ok());
    let recursive = LAYER.replace("\"relu\", \"args\": {\"input\"", "\"layer\", \"args\": {\"a\"");
    let foreign = LAYER.replace("\"input\": \"h\"", "\"input\": \"x\"");
    let twice = LAYER.replace("[\"a\"]", "[\"a\", \"a\"]");
    let filled = LAYER.replace("[\"a\"]", "[\"a\"], \"params\": {\"k\": \"right\"}");
    let filled = filled.replace("\"right\": \"w\"", "\"right\": \"w\", \"${k}\": \"w\"");
    for (functions, call, expected) in [
        (LAYER, r#"{"op": "layer", "args": {}, "out": "y"}"#, "a is missing in the call of layer"),
        (
            LAYER,
            r#"{"op": "layer", "args": {"a": "x", "b": "x"}, "out": "y"}"#,
            "there is no argument \"b\"; its inputs are a",
        ),
        (LAYER, r#"{"op": "layer", "args": {"a": "q"}, "out": "y"}"#, "unknown tensor \"q\""),
        (LAYER, r#"{"op": "layer", "args": {"a": "x"}, "out": ["y", "z"]}"#, "out is 2 names; layer has 1 output"),
        (recursive.as_str(), call, "layer calls itself"),
        (foreign.as_str(), call, "unknown tensor \"x\""),
        (twice.as_str(), call, "the input \"a\" occurs twice"),
        (&filled, call, "the key \"right\" occurs twice"),
        (&LAYER.replace("[\"out\"]", "[\"out\", \"out\"]"), call, "\"out\" occurs twice"),
        (&LAYER.replace("\"layer\"", "\"relu\""), call, "\"relu\" is the name of a built-in function or op"),
    ] {
        let error = read(&with(functions, call)).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// Returns `levels` functions, each of which calls the previous one twice.
fn doubling(levels: usize) -> String {
    let body = |op: &str| {
        format!(
            r#"[{{"op": "{op}", "args": {{"x": "x"}}, "out": "h"}}, {{"op": "{op}", "args": {{"x": "h"}}, "out": "y"}}]"#
        )
    };
    let function = |i: usize| {
        let ops = match i {
            0 => r#"[{"op": "relu", "args": {"input": "x"}, "out": "y"}]"#.to_owned(),
            _ => body(&format!("f{}", i - 1)),
        };
        format!(r#""f{i}": {{"inputs": ["x"], "ops": {ops}, "outputs": ["y"]}}"#)
    };
    (0..levels).map(function).collect::<Vec<_>>().join(", ")
}

#[test]
fn expansions_are_counted_first() {
    let call = |level: usize| format!(r#"{{"op": "f{level}", "args": {{"x": "x"}}, "out": "y"}}"#);
    assert_eq!(read(&with(&doubling(11), &call(10))).unwrap().operators().len(), 1024);
    for (levels, expected) in [
        (27, "f26 expands to 201326590 calls; a spec may have 1000000 in all"),
        (32, "f31 expands to 6442450942 calls"),
        (33, "is called at depth 33; functions may call functions up to 32 deep"),
    ] {
        let error = read(&with(&doubling(levels), &call(levels - 1))).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // More than 2^64 operators.
    let wide = (0..32).map(|i| {
        let op = if i == 0 { "relu".into() } else { format!("f{}", i - 1) };
        let ops = vec![format!(r#"{{"op": "{op}", "args": {{"x": "x"}}}}"#); 16].join(", ");
        format!(r#""f{i}": {{"inputs": ["x"], "ops": [{ops}], "outputs": ["y"]}}"#)
    });
    let error = read(&with(&wide.collect::<Vec<_>>().join(", "), &call(31))).unwrap_err().to_string();
    assert!(error.contains("f31 expands to too many calls"), "{error}");
}

/// Returns an `If` nested `depth` deep in branches of `If`s.
fn nested_ifs(depth: usize) -> String {
    let begin = |i: usize| {
        format!(
            r#"{{"op": "top.If", "args": {{"cond": "x"}}, "out": "i{i}", "out_dtype": "float32", "out_shape": [1],
"else": {{"ops": [{{"op": "relu", "args": {{"input": "x"}}, "out": "e{i}"}}], "outputs": ["e{i}"]}}, "then": {{"ops": ["#
        )
    };
    let end = |i: usize| format!(r#"], "outputs": ["i{}"]}}}}"#, i - 1);
    let (begins, ends) = ((1..=depth).rev().map(begin), (1..=depth).map(end));
    let relu = r#"{"op": "relu", "args": {"input": "x"}, "out": "i0"}"#.to_owned();
    begins.chain([relu]).chain(ends).collect()
}

#[test]
fn nested_blocks_are_bounded() {
    let spec = |depth: usize| {
        let ops = nested_ifs(depth);
        format!(
            r#"{{"version": 1, "name": "net", "tensors": {{"x": {{"shape": [1]}}}}, "inputs": ["x"], "ops": [{ops}], "outputs": ["i{depth}"]}}"#
        )
    };
    let deepest = read(&spec(MAX_NESTED_BLOCKS)).unwrap();
    let (text, module) = (spec::to_text(&deepest, None).unwrap(), mlir::emit(&deepest).unwrap().text);
    assert_same(&spec::to_text(&read(&text).unwrap(), None).unwrap(), &text);
    assert_same(&mlir::emit(&mlir::read_text(&module).unwrap()).unwrap().text, &module);
    for depth in [MAX_NESTED_BLOCKS + 1, 4000, 20_000] {
        let error = read(&spec(depth)).unwrap_err().to_string();
        assert!(error.contains("the block is nested 33 deep; the maximum is 32") && error.len() < 400, "{error}");
    }
}

#[test]
fn ops_stand_by_themselves() {
    let g = read(&with(
        "",
        r#"{"op": "top.Relu", "args": {"input": "x", "relu_limit": 6}, "out": "r"},
{"op": "top.Custom", "args": {"inputs": ["r", "w"], "name": "mine", "params": []}, "out": "d", "out_dtype": "float32", "out_shape": [1, 4, 2]},
{"op": "top.Conv", "args": {"input": "d", "filter": "w", "kernel_shape": [], "strides": [], "pads": []}, "out": "y"}"#,
    ));
    let error = g.unwrap_err().to_string();
    assert!(error.contains("top.Conv \"y\" (ops[2]): input has 3 dimensions, filter 2"), "{error}");
    let relu = r#"{"op": "top.Relu", "args": {"input": "x"}, "out": "y", "out_dtype": "int32"}"#;
    let error = read(&with("", relu)).unwrap_err().to_string();
    assert!(error.contains("its output is given as int32; operands and attributes give float32"), "{error}");
    let cond = r#"{"op": "reduce", "args": {"input": "x", "axes": [1]}, "out": "c"}, {"op": "top.If", "args": {"cond": "c"}, "then": {"ops": [{"op": "relu", "args": {"input": "x"}, "out": "t"}], "outputs": ["t"]},
        "else": {"ops": [{"op": "tanh", "args": {"input": "x"}, "out": "e"}], "outputs": ["e"]}, "out": "y", "out_dtype": "float32", "out_shape": [1, 4]}"#;
    let g = read(&with("", cond)).unwrap_or_else(|e| panic!("{e}"));
    let text = spec::to_text(&g, None).unwrap();
    let again = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_same(&spec::to_text(&again, None).unwrap(), &text);
    let module = mlir::emit(&g).unwrap().text;
    assert!(module.contains("\"top.If\"") && module.contains("\"top.Yield\""), "{module}");
    assert_same(&mlir::emit(&mlir::read_text(&module).unwrap()).unwrap().text, &module);
    // Branches must yield the types of the results.
    let error = read(&with("", &cond.replace("float32", "int32"))).unwrap_err().to_string();
    assert!(error.contains("its then_branch yields \"t\" (1x4 float32) for a result of 1x4 int32"), "{error}");
    let yields = module.lines().find(|line| line.contains("top.Yield")).unwrap();
    let error = mlir::read_text(&module.replacen(yields, "\"top.Yield\"() : () -> ()", 1)).unwrap_err().to_string();
    assert!(error.contains("its then_branch yields 0 values; expected 1, for 1 result"), "{error}");
    // An error in a branch is not followed by an error about the values that the branch yields.
    let error = read(&with("", &cond.replace(r#""op": "tanh""#, r#""op": "tan_h""#))).unwrap_err();
    assert_eq!(error.each().len(), 1, "{error}");
}

#[test]
fn what_editors_write_is_taken() {
    let text = with("", r#"{"op": "relu", "args": {"input": "x"}, "out": "y"}"#);
    assert!(read(&format!("\u{feff}{text}")).is_ok());
    assert!(read(&text.replacen('{', r#"{"$schema": "tpulang.schema.json", "#, 1)).is_ok());
}

/// A string argument is not treated as the tensor of the same name, even if that tensor has an error.
#[test]
fn words_are_no_tensors() {
    let ops = r#"{"op": "relu", "args": {"input": "q"}, "out": "half_up"},
{"op": "gelu", "args": {"input": "x", "round_mode": "half_up", "scale": 1}, "out": "y"}"#;
    let error = read(&with("", ops)).unwrap_err();
    assert_eq!(error.each().len(), 2, "{error}");
}

/// The loop of docs/spec.md survives being written as a spec and as a module, and runs.
#[test]
fn loops_are_written_read_and_run() {
    let document = std::fs::read_to_string("docs/spec.md").unwrap();
    let text = document.split("```json\n").filter_map(|part| part.split("```").next());
    let text = text.into_iter().find(|text| text.contains("top.Loop")).unwrap();
    let g = read(text).unwrap_or_else(|e| panic!("{e}"));
    let written = spec::to_text(&g, None).unwrap();
    let again = read(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_same(&spec::to_text(&again, None).unwrap(), &written);
    let module = mlir::emit(&g).unwrap().text;
    assert!(module.contains("loc(\"v\")"), "{module}");
    let from_mlir = mlir::read_text(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    assert_eq!(from_mlir.inputs().len(), 1, "arguments of blocks are not inputs");
    let names = from_mlir.operators()[0].blocks[0].arguments().iter().map(|t| &from_mlir.tensor(*t).unwrap().name);
    assert_eq!(names.collect::<Vec<_>>(), ["i", "go", "v"]);
    let feeds = [("x", Array::from_vec([1, 4], vec![1f32, -2.0, 0.0, 3.0]).unwrap())];
    let got = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap().tensors;
    assert_eq!(got["y"].to_f32().unwrap(), [8.0, -16.0, 0.0, 24.0]);
    assert_eq!(got["all"].to_f32().unwrap()[4..8], [4.0, -8.0, 0.0, 12.0]);
    // Mistakes in the declarations of a body are reported with their places.
    for (from, to, problem) in [
        (
            r#""v": {"shape": [1, 4]}"#,
            r#""v": {"shape": [4, 1]}"#,
            "argument \"v\" is 4x1 float32; the initial value \"x\" is 1x4",
        ),
        (
            r#""go": {"shape": [1]}"#,
            r#""go": {"shape": [1]}, "more": {"shape": [1]}"#,
            "its body takes 4 arguments; expected 3: the iteration number, the condition and 1 carried value",
        ),
        (r#""go": {"shape": [1]}"#, r#""go": {"shape": [1], "coeff": true}"#, "coeff"),
        (r#""go": {"shape": [1]}"#, r#""x": {"shape": [1]}"#, "the name \"x\" is used already"),
        (r#"["go", "next", "next"]"#, r#"["next", "next", "next"]"#, "the condition that its body yields is \"next\""),
    ] {
        assert!(text.contains(from), "{from}");
        let error = read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(problem) && error.contains("spec.json:"), "{error}");
    }
}

/// Neither the time nor the stack depends on the product of parameters and their uses.
#[test]
fn parameters_may_be_many() {
    let many = |of: &dyn Fn(usize) -> String| (0..20000).map(of).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"{{"version": 1, "name": "net", "params": {{{}}}, "tensors": {{"x": {{"shape": [1, 4]}}, "c": {{"shape": [20000], "coeff": true, "data": [{}]}}}},
"inputs": ["x"], "ops": [{{"op": "relu", "args": {{"input": "x"}}, "out": "y"}}], "outputs": ["y"]}}"#,
        many(&|i| format!("\"p{i}\": {i}")),
        many(&|_| "\"${p0}\"".to_owned()),
    );
    assert_eq!(read(&text).unwrap().operators().len(), 1);
}
