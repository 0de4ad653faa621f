//! The command `deploy`, with a stand-in for the tool chain: scripts that copy files, and fail where a module has an `Exp`.
use super::snapshot;
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tpulang::{
    Array, Graph,
    array::write_npz,
    exec::{CpuBackend, RunOptions, run},
    spec,
};

/// Finds the environment, or runs a program of `tools`.
const PYTHON: &str = r#"#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
if [ "$1" = -c ]; then
    printf 'noise\0TPUC_ROOT=%s\0PATH=%s\0HOME=%s\0' "$here/package" "$PATH" "$HOME"
    exit
fi
script=$1
shift
exec sh "${script%.py}.sh" "$@"
"#;

const TPUC_OPT: &str = r#"#!/bin/sh
for last in "$@"; do :; done
cp "$1" "$last"
"#;

const MODEL_DEPLOY: &str = r#"
while [ $# -gt 0 ]; do
    case $1 in
    --mlir) module=$2 ;;
    --model) model=$2 ;;
    --not_gen_bmodel) lower_only=1 ;;
    --broken) broken=1 ;;
    esac
    shift
done
echo "$module" >> "$HOME/deployed"
if [ -n "$broken" ]; then
    echo "a broken option"
    exit 1
fi
if grep -q 'top.Exp"' "$module"; then
    echo "no table for exp"
    [ -e "$HOME/obstruct" ] && touch trial
    exit 1
fi
touch "${module%.mlir}_chip_tpu.mlir"
[ -n "$lower_only" ] && exit
printf 'half a' > "$model"
[ -e "$HOME/slow" ] && echo $$ > "$HOME/group" && mv "$HOME/group" "$HOME/started" && sleep 100
printf ' bmodel' >> "$model"
"#;

/// The numbers of every stage are those that `HOME` has.
const MODEL_RUNNER: &str = r#"
while [ $# -gt 0 ]; do
    [ "$1" = --output ] && output=$2
    shift
done
cp "$HOME/$output" "$output"
"#;

const SPEC: &str = r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y"],
    "tensors": {"x": {"shape": [4]}},
    "ops": [
        {"op": "relu", "args": {"input": "x"}, "out": "h"},
        {"op": "sqrt", "args": {"input": "h"}, "out": "s"},
        {"op": "sin", "args": {"input": "s"}, "out": "y"}]}"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(network: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::write(folder.path("net.json"), network).unwrap();
        for (name, text) in [
            ("chain/bin/python", PYTHON),
            ("chain/package/bin/tpuc-opt", TPUC_OPT),
            ("chain/package/python/tools/model_deploy.sh", MODEL_DEPLOY),
            ("chain/package/python/tools/model_runner.sh", MODEL_RUNNER),
        ] {
            let path = folder.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        write_npz(folder.path("inputs.npz"), [("x", &Array::from([4f32, 9.0, 1.0, -1.0]))]).unwrap();
        folder
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
        command.args(words.split(' ')).current_dir(self.0.path()).env("HOME", self.0.path()).env("COLUMNS", "100");
        command.env("TPULANG_TOOLCHAIN", self.path("chain"));
        command
    }
    /// Runs a command, and returns what it prints, without times.
    fn shown(&self, words: &str) -> String {
        let out = self.command(words).output().unwrap();
        let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        let here = fs::canonicalize(self.0.path()).unwrap();
        let text =
            text.replace(&here.display().to_string(), "DIR").replace(&self.0.path().display().to_string(), "DIR");
        let words_of = |line: &str| -> String {
            let is_time = |word: &&str| word.parse::<f64>().is_ok_and(|_| word.contains('.')) && line.contains(" s ");
            line.split(' ')
                .map(|word| if is_time(&word) && word.len() == 3 { "0.0" } else { word })
                .collect::<Vec<_>>()
                .join(" ")
        };
        let text: Vec<String> = text.lines().map(words_of).collect();
        format!("$ tpulang {words}\n{}\n[exit {}]\n", text.join("\n"), out.status.code().unwrap())
    }
    /// Writes what the stand-in's stages compute: the network's tensors, with an error in those from one tensor on.
    fn set_numbers(&self, wrong: &[(&str, f32)]) {
        let graph: Graph = spec::Options::new().read(self.path("net.json")).unwrap();
        let feeds = [("x", Array::from([4f32, 9.0, 1.0, -1.0]))];
        let tensors =
            run(&graph, &feeds, &CpuBackend::new(), &RunOptions::default().all(true).unfused(true)).unwrap().tensors;
        for (file, factor) in [("top.npz", 0.0), ("tpu.npz", 1.0), ("chip.npz", 1.0)] {
            let arrays: Vec<(&str, Array)> = tensors
                .iter()
                .map(|(name, array)| {
                    let error = wrong.iter().find(|(wrong, _)| wrong == name).map_or(0.0, |(_, error)| error * factor);
                    let numbers: Vec<f32> = array.to_f32().unwrap().iter().map(|x| x + error).collect();
                    (name.as_str(), Array::from_vec(array.shape(), numbers).unwrap())
                })
                .collect();
            let arrays = arrays.iter().filter(|(name, _)| file != "chip.npz" || *name == "y");
            write_npz(self.path(file), arrays.map(|(n, a)| (*n, a))).unwrap();
        }
    }
}

#[test]
fn stages_are_run_and_compared() {
    let folder = Folder::new(SPEC);
    folder.set_numbers(&[("s", 0.01), ("y", 0.01)]);
    let mut all = folder.shown("deploy net.json -i inputs.npz -o out/net.bmodel");
    assert_eq!(fs::read_to_string(folder.path("out/net.bmodel")).unwrap(), "half a bmodel");
    let report = fs::read_to_string(folder.path("out/net.stages/report.txt")).unwrap();
    assert!(report.contains("Tpu, compared with Top\n"), "{report}");
    all += &folder.shown("deploy net.json -i inputs.npz -o out/net.bmodel --tolerance 0.9999,0.9999 --no-simulator");
    all += &folder.shown("bisect net.json -i inputs.npz --stage tpu --tolerance 0.9999,0.999");
    all += &folder.shown("bisect net.json -i inputs.npz --stage top");
    snapshot("deploy", &all);
}

/// pymlir computes the softmax of some networks wrongly, in Top and Tpu modules alike. The bmodel is right.
#[test]
fn a_wrong_executor_is_told_from_a_wrong_bmodel() {
    let folder = Folder::new(SPEC);
    let write = |all: [[f32; 4]; 3]| {
        for (file, numbers) in ["top.npz", "tpu.npz", "chip.npz"].into_iter().zip(all) {
            write_npz(folder.path(file), [("y", &Array::from(numbers))]).unwrap();
        }
    };
    let (right, wrong) = ([0.909, 0.141, 0.841, 0.0], [0.5, -1.0, 0.0, 0.0]);
    let words = "deploy net.json -i inputs.npz -o net.bmodel";
    let mut all = String::new();
    for numbers in [[wrong, wrong, right], [right, wrong, right], [wrong, wrong, wrong], [wrong, right, wrong]] {
        write(numbers);
        all += &folder.shown(words);
    }
    all += &folder.shown(&format!("{words} --no-simulator"));
    snapshot("wrong_executor", &all);
}

/// The tool chain takes no integers in INT8, and rounds them in F16.
#[test]
fn layers_of_integers_are_floats() {
    let folder = Folder::new(
        r#"{"version": 1, "name": "net", "inputs": ["ids", "x"], "outputs": ["y"],
        "tensors": {"ids": {"shape": [1, 5], "dtype": "int32"}, "x": {"shape": [4]}},
        "ops": [
            {"op": "slice", "args": {"input": "ids", "starts": 1, "ends": 5, "axes": 1}, "out": "rest"},
            {"op": "squeeze", "args": {"tensor_i": "rest", "axis": [0]}, "out": "row"},
            {"op": "top.AddConst", "args": {"input": "row", "const_val": 1}, "out": "next", "out_dtype": "int32"},
            {"op": "top.CompareConst", "args": {"input": "next", "mode": "Equal", "const_val": 3, "inversed": false}, "out": "is_three"},
            {"op": "top.Where", "args": {"cond": "is_three", "tbrn": "x", "fbrn": "x"}, "out": "chosen"},
            {"op": "relu", "args": {"input": "chosen"}, "out": "y"}]}"#,
    );
    for stage in ["top.npz", "tpu.npz"] {
        write_npz(folder.path(stage), [("y", &Array::from([0f32; 4]))]).unwrap();
    }
    fs::write(folder.path("own.table"), "chosen BF16").unwrap();
    fs::write(folder.path("own.calibration"), "chosen 1 0 1").unwrap();
    let table = folder.path("net.stages/quantize.table");
    for (options, expected) in [
        ("", Some("rest F16\nrow F32\nnext F32\nis_three F32\n")),
        (" --quantize BF16", Some("rest F16\nrow F32\nnext F32\nis_three F32\n")),
        (" --quantize-table own.table", Some("chosen BF16\nrest F16\nrow F32\nnext F32\nis_three F32\n")),
        (
            " --quantize INT8 --calibration own.calibration",
            Some("rest F16\nrow F32\nnext F32\nis_three F32\nchosen F16\n"),
        ),
        (" --quantize F32", Some("rest F16\n")),
        (" --quantize F32 --chip bm1684", None),
    ] {
        folder.command(&format!("deploy net.json -o net.bmodel{options}")).output().unwrap();
        assert_eq!(fs::read_to_string(&table).ok().as_deref(), expected, "{options}");
    }
}

/// The tool chain has no scale for infinite numbers.
#[test]
fn layers_with_infinite_numbers_are_floats() {
    let folder = Folder::new(
        r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y"],
        "tensors": {"x": {"shape": [4]}, "mask": {"shape": [4], "coeff": true, "data": [0, "-inf", 0, 0]}},
        "ops": [
            {"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": 0.5}, "out": "scores"},
            {"op": "add", "args": {"tensor_i0": "scores", "tensor_i1": "mask"}, "out": "masked"},
            {"op": "softmax", "args": {"input": "masked", "axis": 0}, "out": "weights"},
            {"op": "relu", "args": {"input": "weights"}, "out": "y"}]}"#,
    );
    for stage in ["top.npz", "tpu.npz", "chip.npz"] {
        write_npz(folder.path(stage), [("y", &Array::from([0.0719f32, 0.0, 0.0160, 0.0059]))]).unwrap();
    }
    fs::write(folder.path("own.table"), "masked BF16").unwrap();
    fs::write(folder.path("net.table"), "x 9 -1 9\nscores 5 -1 5\nmasked 5 -1 5\nweights 1 0 1\ny 1 0 1").unwrap();
    let table = folder.path("net.stages/quantize.table");
    for (options, expected, named) in [
        ("F16", None, None),
        ("INT8 --calibration net.table", Some("masked F16\nweights F16\n"), Some("\"masked\", \"weights\"")),
        (
            "INT8 --calibration net.table --chip bm1684",
            Some("masked F32\nweights F32\n"),
            Some("\"masked\", \"weights\""),
        ),
        (
            "INT8 --calibration net.table --quantize-table own.table",
            Some("masked BF16\nweights F16\n"),
            Some(": \"weights\""),
        ),
    ] {
        let shown = folder.shown(&format!("deploy net.json -i inputs.npz -o net.bmodel --quantize {options}"));
        assert_eq!(fs::read_to_string(&table).ok().as_deref(), expected, "{options}");
        let remark = shown.lines().find(|line| line.starts_with("layers with infinite numbers"));
        assert_eq!(remark.is_some(), named.is_some(), "{shown}");
        assert!(named.is_none_or(|names| remark.unwrap().ends_with(names)), "{shown}");
    }
}

/// Boxes of hundreds of pixels hide the scores in the cosine of the whole, and that of indices says nothing about them.
#[test]
fn outputs_are_judged_by_their_parts_and_indices_by_equality() {
    let folder = Folder::new(
        r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y", "best"],
        "tensors": {"x": {"shape": [4]}},
        "ops": [
            {"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": 100}, "out": "boxes"},
            {"op": "sigmoid", "args": {"input": "x"}, "out": "scores"},
            {"op": "concat", "args": {"inputs": ["boxes", "scores"], "axis": 0}, "out": "y"},
            {"op": "top.Arg", "args": {"input": "x", "axis": 0, "keepdims": true, "mode": "ArgMax"}, "out": ["best", null],
             "out_dtype": ["int32", null]}]}"#,
    );
    fs::write(folder.path("net.table"), "x 9 -1 9\nboxes 900 -100 900\nscores 1 0 1\ny 900 -100 900").unwrap();
    let write = |scores: [f32; 4], best: i32| {
        for (file, all) in
            [("top.npz", [0.9820138f32, 0.9998766, 0.7310586, 0.26894143]), ("tpu.npz", scores), ("chip.npz", scores)]
        {
            let best = if file == "top.npz" { 1 } else { best };
            let y = Array::from([&[400f32, 900.0, 100.0, -100.0][..], &all].concat().as_slice());
            // The bmodel has names of its own.
            let [first, second] = if file == "chip.npz" { ["y_f32", "a_number"] } else { ["y", "best"] };
            write_npz(folder.path(file), [(first, &y), (second, &Array::from([best]))]).unwrap();
        }
    };
    let words = "deploy net.json -i inputs.npz -o net.bmodel --quantize INT8 --calibration net.table";
    for (scores, best, expected) in [
        ([0.98, 1.0, 0.73, 0.27], 1, "net.stages/report.txt: all tensors\n[exit 0]"),
        (
            [0.27, 0.0, 0.0, 0.98],
            1,
            "output \"y\" of the Tpu stage differs from Top by more than the tolerance 0.9,0.8, in the numbers that come from \
             \"scores\", one of 2 tensors that share a threshold there; as outputs of their own, they would each have one",
        ),
        (
            [0.98, 1.0, 0.73, 0.27],
            2,
            "output \"best\" of the Tpu stage differs from Top in 1 of 1 integers; 0 may differ",
        ),
    ] {
        write(scores, best);
        let shown = folder.shown(words);
        assert!(shown.contains(expected), "{shown}");
        assert!(!shown.contains("not compared"), "{shown}");
    }
}

/// A chip returns the outputs under names of its own, and the name of an output may begin like that of another.
#[test]
fn outputs_are_found_by_their_names_or_not_compared() {
    let folder = Folder::new(
        r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y", "y_2"],
        "tensors": {"x": {"shape": [4]}},
        "ops": [
            {"op": "softmax", "args": {"input": "x", "axis": 0}, "out": "y"},
            {"op": "relu", "args": {"input": "x"}, "out": "y_2"}]}"#,
    );
    let x = [4f32, 9.0, 1.0, -1.0];
    let sum: f32 = x.iter().map(|x| x.exp()).sum();
    let (y, other) = (Array::from(x.map(|x| x.exp() / sum)), Array::from(x.map(|x| x.max(0.0))));
    let stages = ["top.npz", "tpu.npz", "chip.npz"];
    let words = "deploy net.json -i inputs.npz -o net.bmodel";
    let write = |stage: &str, all: &[(&str, &Array)]| write_npz(folder.path(stage), all.iter().copied()).unwrap();
    stages.iter().for_each(|stage| write(stage, &[("y_softmax", &y), ("y_2_relu_f32", &other)]));
    let shown = folder.shown(words);
    assert!(shown.ends_with("report.txt: all tensors\n[exit 0]\n"), "{shown}");
    for (stage, expected) in [("top.npz", "[exit 0]\n"), ("chip.npz", "[exit 1]\n")] {
        write(stage, &[("y_softmax", &y)]);
        let shown = folder.shown(words);
        assert!(shown.contains("not compared, because the ") && shown.contains(": \"y_2\"\n"), "{shown}");
        assert!(shown.ends_with(expected), "{shown}");
    }
}

/// 9 of 10 are enough for a tolerance of 0.9, although 1 - 0.9 is less than 0.1.
#[test]
fn the_fraction_of_integers_that_may_differ_is_decimal() {
    let folder = Folder::new(
        r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["best"],
        "tensors": {"x": {"shape": [2, 10]}},
        "ops": [{"op": "top.Arg", "args": {"input": "x", "axis": 0, "keepdims": false, "mode": "ArgMax"},
            "out": ["best", null], "out_dtype": ["int32", null]}]}"#,
    );
    let x = Array::from_vec([2, 10], (0..20).map(|i| i as f32).collect()).unwrap();
    write_npz(folder.path("inputs.npz"), [("x", &x)]).unwrap();
    for (differ, expected) in [(1, "report.txt: all tensors\n[exit 0]"), (2, " in 2 of 10 integers; 1 may differ; ")] {
        let best = Array::from((0..10).map(|i| i32::from(i >= differ)).collect::<Vec<_>>().as_slice());
        for stage in ["top.npz", "tpu.npz", "chip.npz"] {
            write_npz(folder.path(stage), [("best", &best)]).unwrap();
        }
        let shown = folder.shown("deploy net.json -i inputs.npz -o net.bmodel --tolerance 0.9,0.8");
        assert!(shown.contains(expected), "{shown}");
    }
}

/// Tables are checked before the tool chain runs, as `run --calibration` checks them.
#[test]
fn wrong_tables_are_refused_at_once() {
    let folder = Folder::new(SPEC);
    for (table, message) in [
        ("ss F16\n", "line 1: the network has no tensor \"ss\"; did you mean \"s\"?"),
        ("# by hand\nx F16\n", "line 2: \"x\" is an input; expected the result of a layer"),
        ("s F17\n", "line 1: the tool chain has no mode \"F17\"; expected INT8, F16, BF16 or F32"),
        ("h F32\ns\n", "line 2: expected a layer and its mode; found \"s\""),
        ("s F16\ns F32\n", "line 2: \"s\" has a different mode on an earlier line"),
    ] {
        fs::write(folder.path("q.table"), table).unwrap();
        let text = folder.shown("deploy net.json --quantize-table q.table -o net.bmodel");
        assert!(text.ends_with(&format!("error: q.table: {message}\n[exit 2]\n")), "{text}");
    }
    fs::write(folder.path("c.table"), "x 9 -9 9\nh 9 0 9\n").unwrap();
    let deploy = "deploy net.json --quantize int8 --calibration c.table -i inputs.npz -o net.bmodel";
    let message =
        "[missing-threshold]: c.table has no threshold for 2 tensors such as \"s\"; the tool chain may refuse it\n";
    let text = folder.shown(&format!("{deploy} --deny missing-threshold"));
    assert!(text.contains(&format!("error{message}")) && text.ends_with("[exit 2]\n"), "{text}");
    assert!(!folder.path("net.stages").exists());
    folder.set_numbers(&[]);
    let text = folder.shown(deploy);
    assert!(text.contains(&format!("warning{message}")) && text.ends_with("[exit 0]\n"), "{text}");
}

#[test]
fn what_makes_the_tool_chain_fail_is_found() {
    let folder = Folder::new(&SPEC.replace("\"sqrt\"", "\"exp\""));
    folder.set_numbers(&[]);
    fs::write(folder.path("net.bmodel"), "before").unwrap();
    let mut all = folder.shown("deploy net.json -i inputs.npz -o net.bmodel");
    assert_eq!(fs::read_to_string(folder.path("net.bmodel")).unwrap(), "before");
    let operator = spec::Options::new().read(folder.path("net.stages/operator.json")).unwrap();
    assert_eq!(operator.operators().len(), 1);
    // The calls of a module have no index.
    folder.command("convert net.json -o build").output().unwrap();
    let text = folder.shown("deploy build/net_origin.mlir -i inputs.npz -o module.bmodel");
    assert!(text.contains("error: top.Exp \"s\": lowering failed: "), "{text}");
    fs::write(folder.path("c.table"), "other 1 -1 1\n").unwrap();
    for words in [
        "deploy net.json --quantize int8 -o net.bmodel",
        "deploy net.json --quantize int8 --calibration c.table -o net.bmodel",
        "deploy net.json -o net.json",
        "deploy net.json --stages chain -o net.bmodel",
    ] {
        all += &folder.shown(words);
    }
    // Whatever the network is.
    all += &folder.shown("deploy net.json -i inputs.npz -o net.bmodel -- --broken");
    let used = fs::File::open(folder.path("net.stages/report.txt")).unwrap();
    used.lock().unwrap();
    all += &folder.shown("deploy net.json -i inputs.npz -o net.bmodel");
    drop(used);
    fs::create_dir(folder.path("keep")).unwrap();
    fs::rename(folder.path("inputs.npz"), folder.path("keep/inputs.npz")).unwrap();
    all += &folder.shown("deploy net.json -i keep/inputs.npz --stages keep -o net.bmodel");
    assert!(folder.path("keep/inputs.npz").exists());
    let out = folder.command("deploy net.json -o net.bmodel").env("TPULANG_TOOLCHAIN", "nowhere").output().unwrap();
    all += &String::from_utf8_lossy(&out.stderr);
    snapshot("deploy_failures", &all);
}

/// A failing lowering runs again for its log, but those of the search do not.
#[test]
fn a_search_that_fails_does_not_hide_what_failed() {
    let folder = Folder::new(&SPEC.replace("\"sqrt\"", "\"exp\""));
    folder.set_numbers(&[]);
    let text = folder.shown("deploy net.json -i inputs.npz -o net.bmodel");
    assert!(text.contains("exp \"s\" (ops[1]): lowering failed"), "{text}");
    assert_eq!(fs::read_to_string(folder.path("deployed")).unwrap().lines().count(), 2 + 3);
    // A file is where the search wants a folder.
    fs::write(folder.path("obstruct"), "").unwrap();
    let text = folder.shown("deploy net.json -i inputs.npz -o net.bmodel");
    for part in ["error: lowering failed", "| no table for exp", "the search for the operator that causes it failed: "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn chips_have_floats_and_files_of_their_own() {
    let folder = Folder::new(SPEC);
    folder.set_numbers(&[]);
    for (chip, modes, wrong) in [("bm1684", "F32", "F16"), ("cv181x", "BF16, F16", "F32")] {
        let text = folder.shown(&format!("deploy net.json --chip {chip} --quantize {wrong} -o net.bmodel"));
        let message = format!("--quantize is {wrong}; {chip} has no such floats; expected {modes} or INT8\n");
        assert!(text.contains(&message) && text.ends_with("[exit 2]\n"), "{text}");
    }
    for (chip, file) in [("bm1684", "net.bmodel"), ("cv181x", "net.cvimodel")] {
        let text = folder.shown(&format!("deploy net.json --chip {chip} -i inputs.npz -o {file}"));
        assert!(text.ends_with("[exit 0]\n"), "{text}");
        assert!(folder.path(file).exists() && folder.path("net.stages").join(file).exists(), "{text}");
    }
}

/// The tool chain gets neither inner tensors nor coefficients.
#[test]
fn only_inputs_are_fed_to_the_tool_chain() {
    let folder = Folder::new(SPEC);
    folder.set_numbers(&[]);
    for (words, in_what) in [
        ("deploy net.json --set h=1 -o net.bmodel", "with the tool chain"),
        ("deploy net.json -i inputs.npz --set h=1 -o net.bmodel", "with the tool chain"),
        ("bisect net.json -i inputs.npz --set h=1 --stage top", "with the tool chain"),
        ("bisect net.json -i inputs.npz --set h=1 --with inputs.npz", "in bisect"),
    ] {
        let text = folder.shown(words);
        let message =
            format!("error: the tensor that is fed is \"h\"; it is not an input; {in_what}, only inputs can be fed\n");
        assert!(text.contains(&message) && text.ends_with("[exit 2]\n"), "{text}");
    }
    // A file of another network.
    write_npz(folder.path("other.npz"), [("image", &Array::from([4f32]))]).unwrap();
    let text = folder.shown("deploy net.json -i other.npz -o net.bmodel");
    assert!(text.contains("error: unknown input \"image\"; there is only \"x\"\n[exit 2]\n"), "{text}");
    assert!(!folder.path("net.stages").exists());
}

#[test]
fn options_that_deploy_passes_itself_are_refused() {
    let folder = Folder::new(SPEC);
    for (option, message) in [
        ("--chip bm1688", "--chip goes before --"),
        ("--chip=bm1688", "--chip goes before --"),
        ("--chi bm1688", "--chip goes before --"),
        ("--quantize F32", "--quantize goes before --"),
        ("--mlir other.mlir", "--mlir is set by MODEL, before --"),
        ("--model other.bmodel", "--model is set by --output, before --"),
        ("--calibration_table c.table", "--calibration_table is set by --calibration, before --"),
        ("--num_core 2 --quantize_table=q.table", "--quantize_table is set by --quantize-table, before --"),
    ] {
        let text = folder.shown(&format!("deploy net.json -o net.bmodel -- {option}"));
        let message = format!("error: {message}; deploy passes it on to model_deploy\n[exit 2]\n");
        assert!(text.ends_with(&message) && !folder.path("net.stages").exists(), "{text}");
    }
}

#[test]
fn a_folder_that_is_emptied_has_nothing_that_is_needed() {
    let folder = Folder::new(SPEC);
    folder.set_numbers(&[]);
    let text = folder.shown("deploy net.json -i inputs.npz -o net.bmodel --stages out/fs");
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    fs::write(folder.path("out/fs/old.bmodel"), "old").unwrap();
    fs::create_dir(folder.path("out/sub")).unwrap();
    std::os::unix::fs::symlink("out/fs", folder.path("link")).unwrap();
    for output in ["out/fs/old.bmodel", "out/sub/../fs/old.bmodel", "out/new/../fs/old.bmodel", "link/old.bmodel"] {
        let text = folder.shown(&format!("deploy net.json -i inputs.npz -o {output} --stages out/fs"));
        assert!(text.contains("--stages is out/fs; it is emptied, and the bmodel would be in it"), "{text}");
    }
    assert_eq!(fs::read_to_string(folder.path("out/fs/old.bmodel")).unwrap(), "old");
    // The same with what bisect reads.
    let text = folder.shown("bisect net.json -i inputs.npz --stage top -o cul");
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    fs::copy(folder.path("inputs.npz"), folder.path("cul/stages/mine.npz")).unwrap();
    fs::write(folder.path("cul/stages/c.table"), "x 9 -9 9\n").unwrap();
    for words in [
        "bisect net.json -i cul/stages/mine.npz --stage top -o cul",
        "bisect net.json -i inputs.npz --stage tpu --quantize int8 --calibration cul/stages/c.table -o cul",
    ] {
        let text = folder.shown(words);
        assert!(text.contains("--output is cul/stages; it has an input file, which would be removed"), "{text}");
    }
    assert!(folder.path("cul/stages/mine.npz").exists() && folder.path("cul/stages/c.table").exists());
}

#[test]
fn every_bmodel_has_a_folder_of_its_own() {
    let folder = Folder::new(SPEC);
    folder.set_numbers(&[]);
    for (output, stages) in [
        ("net.bmodel", "net.stages"),
        ("net.int8", "net.int8.stages"),
        ("net.f16.bmodel", "net.f16.stages"),
        ("plain", "plain.stages"),
    ] {
        let text = folder.shown(&format!("deploy net.json -i inputs.npz -o {output}"));
        assert!(text.contains(&format!("\n{stages}/report.txt: all tensors\n")), "{text}");
        let report = fs::read_to_string(folder.path(stages).join("report.txt")).unwrap();
        assert!(
            report.starts_with("Report of tpulang deploy. ") && report.contains("Tpu, compared with Top\n"),
            "{report}"
        );
        assert!(!report.contains("not complete"), "{report}");
    }
    // A deployment was killed when it began its report.
    for begun in ["", "Report of"] {
        fs::create_dir(folder.path("begun")).unwrap();
        fs::write(folder.path("begun/report.txt"), begun).unwrap();
        let text = folder.shown("deploy net.json -i inputs.npz -o net.bmodel --stages begun");
        assert!(text.ends_with("[exit 0]\n"), "{text}");
        fs::rename(folder.path("begun"), folder.path(&format!("done{}", begun.len()))).unwrap();
    }
    fs::create_dir(folder.path("begun")).unwrap();
    fs::write(folder.path("begun/report.txt"), "").unwrap();
    fs::write(folder.path("begun/notes"), "").unwrap();
    let text = folder.shown("deploy net.json -i inputs.npz -o net.bmodel --stages begun");
    assert!(text.contains("--stages is begun; it has files, but no report.txt of deploy"), "{text}");
}

/// The programs of the tool chain would take the names of its files for options.
#[test]
fn a_name_may_begin_with_a_hyphen() {
    let folder = Folder::new(&SPEC.replace("\"net\"", "\"-one\""));
    folder.set_numbers(&[]);
    let text = folder.shown("deploy net.json -i inputs.npz -o net.bmodel");
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    assert!(folder.path("net.stages/net-one_origin.mlir").exists());
}

/// Starts a deployment, and waits until the tool chain has written half of a bmodel, after which it sleeps. Returns the process, and
/// the group of the tool chain's program.
fn half_deployed(folder: &Folder) -> (Child, String) {
    folder.set_numbers(&[]);
    fs::write(folder.path("net.bmodel"), "before").unwrap();
    fs::write(folder.path("slow"), "").unwrap();
    let mut deploying = folder
        .command("deploy net.json -i inputs.npz -o net.bmodel")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !folder.path("started").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60) && deploying.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(fs::read_to_string(folder.path("net.stages/net.bmodel")).unwrap(), "half a");
    (deploying, fs::read_to_string(folder.path("started")).unwrap().trim().to_owned())
}

fn signal(name: &str, process: &str) -> bool {
    Command::new("kill").args(["-s", name, "--", process]).stderr(Stdio::null()).status().unwrap().success()
}

/// The bmodel that was there remains if deploy is killed while the tool chain writes the new one.
#[test]
fn a_killed_deployment_leaves_no_half_of_a_file() {
    let folder = Folder::new(SPEC);
    let (mut deploying, group) = half_deployed(&folder);
    deploying.kill().unwrap();
    deploying.wait().unwrap();
    signal("TERM", &format!("-{group}"));
    assert_eq!(fs::read_to_string(folder.path("net.bmodel")).unwrap(), "before");
    // The next deployment begins anew.
    fs::remove_file(folder.path("slow")).unwrap();
    assert!(folder.command("deploy net.json -i inputs.npz -o net.bmodel").output().unwrap().status.success());
    assert_eq!(fs::read_to_string(folder.path("net.bmodel")).unwrap(), "half a bmodel");
    assert!(!Path::new("net.bmodel").exists());
}

/// Whether a process of the group runs. Zombies do not count.
fn runs(group: &str) -> bool {
    let stat = |folder: fs::DirEntry| fs::read_to_string(folder.path().join("stat")).ok();
    fs::read_dir("/proc").unwrap().filter_map(|folder| stat(folder.unwrap())).any(|stat| {
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields.first() != Some(&"Z") && fields.get(2) == Some(&group)
    })
}

/// Whether this process, and so those that it starts, ignores a signal.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

#[test]
fn a_signal_that_ends_deploy_ends_the_tool_chain() {
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let folder = Folder::new(SPEC);
        let (mut deploying, group) = half_deployed(&folder);
        assert!(runs(&group));
        // The test may run where a signal is ignored, as under nohup.
        if is_ignored(number) {
            deploying.kill().unwrap();
            deploying.wait().unwrap();
            signal("TERM", &format!("-{group}"));
            continue;
        }
        assert!(signal(name, &deploying.id().to_string()));
        assert_eq!(deploying.wait().unwrap().signal(), Some(number));
        let begun = Instant::now();
        while runs(&group) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{name}");
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(fs::read_to_string(folder.path("net.bmodel")).unwrap(), "before");
    }
}
