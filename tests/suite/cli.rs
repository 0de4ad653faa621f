//! The output and exit codes of the command.
use super::snapshot;
use serde_json::Value;
use std::{
    io::Cursor,
    process::{Command, Output},
};
use tpulang::{
    Array,
    array::{NpzFile, write_npz},
};

pub fn tpulang(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tpulang")).args(args).env("COLUMNS", "100").output().unwrap()
}

pub fn shown(args: &[&str]) -> String {
    let out = tpulang(args);
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let code = out.status.code().map_or("killed".into(), |c| c.to_string());
    format!("$ tpulang {}\n{}{}[exit {code}]\n", args.join(" "), text(&out.stdout), text(&out.stderr))
}

#[test]
fn help() {
    let mut all = shown(&["--help"]);
    for command in [
        "init",
        "fmt",
        "convert",
        "check",
        "run",
        "bench",
        "compare",
        "show",
        "ops",
        "explain",
        "schema",
        "completions",
        "man",
    ] {
        all += &format!("\n{}", shown(&[command, "--help"]));
    }
    snapshot("help", &all);
}

#[test]
fn functions_are_listed_and_shown() {
    let calls: [&[&str]; 9] = [
        &["ops"],
        &["ops", "conv_quant"],
        &["ops", "requant_int"],
        &["ops", "top.Softmax"],
        &["ops", "--search", "transpose"],
        &["ops", "--search", "frobnicate"],
        &["ops", "convv"],
        &["ops", "MaxPool"],
        &["ops", "torch.cat"],
    ];
    snapshot("ops", &calls.map(shown).join("\n"));
}

/// Runs the examples of the help texts on a real network.
#[test]
fn a_network_goes_all_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let spec = "examples/patterns/patterns.json";
    let (out, all) = (at("out.npz"), at("all.npz"));
    let steps: [&[&str]; 7] = [
        &["check", spec],
        &["check", spec, "--no-weights"],
        &["convert", spec, "-o", &at("")],
        &["run", spec, "-i", "examples/patterns/inputs.npz", "-o", &out],
        &["run", &at("patterns_origin.mlir"), "-i", "examples/patterns/inputs.npz", "-o", &all, "--all", "-j", "1"],
        &["compare", "examples/patterns/expected.npz", &out],
        &["compare", &out, &all, "--model", spec, "--tolerance", "0.9,0.9"],
    ];
    let text: Vec<_> = steps.iter().map(|s| shown(s)).collect();
    let text = text.join("\n").replace(&dir.path().display().to_string(), "DIR");
    // The last digits depend on the processor's instructions.
    snapshot(
        "patterns",
        &text
            .lines()
            .map(|l| if l.starts_with("probability   ") { "probability ..." } else { l })
            .collect::<Vec<_>>()
            .join("\n"),
    );
}

/// With -v, each task has a line with its time; with -q, a command that succeeds says nothing.
#[test]
fn commands_say_more_or_less() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let (spec, inputs) = ("examples/patterns/patterns.json", "examples/patterns/inputs.npz");
    let run = |option: &str| {
        let out = tpulang(&["run", spec, "-i", inputs, "-o", &at("out.npz"), option]);
        assert!(out.status.success());
        [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [report, times] = run("-v");
    assert!(report.contains("out.npz: "), "{report}");
    let tasks: Vec<&str> = times.lines().filter_map(|line| Some(line.split_once(" s  ")?.1)).collect();
    assert_eq!(tasks, ["reading the model", "preparing", "running", "writing the results"], "{times}");
    assert_eq!(run("-q"), ["", ""]);
    // Requested JSON is printed anyway.
    json(&["run", spec, "-i", inputs, "-o", &at("out.npz"), "-q", "--profile=json"]);
    json(&["bench", spec, "-i", inputs, "--repeat", "2", "-q", "--json"]);
    json(&["compare", &at("out.npz"), &at("out.npz"), "-q", "--json"]);
}

/// Warnings are printed once, like errors, and do not fail a command.
#[test]
fn probable_mistakes_are_warned_of() {
    let spec = r#"{"version": 1, "name": "g", "weights": "w.npz", "inputs": ["x", "i"], "outputs": ["y", "z"],
        "tensors": {"w": {"shape": [3], "coeff": true}, "x": {"shape": [3]}, "i": {"shape": [3], "dtype": "int8"}},
        "ops": [{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "w"}, "out": "y"},
                {"op": "dequant_int_to_fp", "args": {"tensor_i": "i", "scale": 0.5, "offset": 0}, "out": "z"}]}"#;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let expected = [
        "warning[quantized-in-f32]: dequant_int_to_fp \"z\" (ops[1]): its tensors are quantized, but the model's mode is f32; expected the mode \"quantized\"",
        "warning[not-finite-weight]: the coefficient \"w\" has 1 NaN and 1 infinite element, first at index 1",
    ];
    std::fs::write(at("g.json"), spec).unwrap();
    write_npz(at("w.npz"), [("w", &Array::from([1f32, f32::NAN, f32::INFINITY]))]).unwrap();
    write_npz(at("x.npz"), [("x", &Array::from([0f32; 3])), ("i", &Array::from([0i8; 3]))]).unwrap();
    for args in [
        &["check", &at("g.json")][..],
        &["convert", &at("g.json"), "-o", &at("")],
        &["run", &at("g.json"), "-i", &at("x.npz"), "-o", &at("y.npz")],
    ] {
        let out = tpulang(args);
        let text = String::from_utf8_lossy(&out.stderr);
        let warnings: Vec<&str> = text.lines().filter(|line| line.starts_with("warning[")).collect();
        let results = warnings.iter().filter(|line| line.contains("not-finite-result")).count();
        assert_eq!(warnings[..warnings.len() - results], expected, "{args:?}");
        assert_eq!(results, usize::from(args[0] == "run"), "{text}");
        assert!(out.status.success(), "{args:?}");
    }
}

fn json(args: &[&str]) -> Value {
    let out = tpulang(args);
    let text = String::from_utf8_lossy(&out.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {text}{}", String::from_utf8_lossy(&out.stderr)))
}

/// Runs the examples of `bench`'s help, and checks relations between the figures.
#[test]
fn a_network_is_measured() {
    let (spec, inputs) = ("examples/patterns/patterns.json", "examples/patterns/inputs.npz");
    let figures = json(&["bench", spec, "-i", inputs, "-j", "1", "--repeat", "100", "--json"]);
    let of = |name: &str| figures[name].as_f64().unwrap_or_else(|| panic!("{name}: {figures}"));
    assert!(0.0 < of("min_ms") && of("min_ms") <= of("median_ms") && of("median_ms") <= of("p95_ms"), "{figures}");
    assert!(of("min_ms") < of("first_ms"), "{figures}");
    assert!(
        !cfg!(target_os = "linux") || 1e6 < of("private_bytes") && of("private_bytes") < of("peak_bytes"),
        "{figures}"
    );
    assert_eq!(figures["runs"], 100);
    // Human-readable output, without inputs.
    let text = shown(&["bench", spec, "--repeat", "2"]);
    assert!(text.contains("ops, 2 runs\nminimum ") && text.ends_with("[exit 0]\n"), "{text}");
    for (args, expected) in [
        (&["--repeat", "0"][..], "expected an integer from 1 to 1000000"),
        (&["-i", "examples/patterns/weights.npz"], "the input \"image\" (3x1x8x8 float32) is not fed"),
        (&["--preprocess"], "--inputs"),
        (&["--set", "image=0", "--random", "1.5"], "expected an integer of at least 0"),
    ] {
        let text = shown(&[&["bench", spec], args].concat());
        assert!(text.contains(expected) && text.ends_with("[exit 2]\n"), "{text}");
    }
}

/// Random integers are valid indices of any table.
#[test]
fn indices_are_drawn_too() {
    let spec = r#"{"version": 1, "name": "g", "inputs": ["ids", "bytes"], "outputs": ["y", "z"],
        "tensors": {"table": {"shape": [1, 4], "coeff": true, "data": [1, 2, 3, 4]},
                    "ids": {"shape": [3], "dtype": "int32"}, "bytes": {"shape": [64], "dtype": "int8"}},
        "ops": [{"op": "index_select", "args": {"input": "table", "index": "ids"}, "out": "y"},
                {"op": "abs", "args": {"input": "bytes"}, "out": "z"}]}"#;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.json");
    std::fs::write(&path, spec).unwrap();
    let text = shown(&["bench", &path.display().to_string(), "--repeat", "1"]);
    assert!(text.ends_with("[exit 0]\n"), "{text}");
}

/// The results go to standard output alone.
#[test]
fn a_measured_network_is_part_of_a_pipe() {
    let (spec, inputs) = ("examples/patterns/patterns.json", "examples/patterns/inputs.npz");
    for form in [&[][..], &["--json"]] {
        let out = tpulang(&[&["bench", spec, "-i", inputs, "--repeat", "1", "-o", "-"], form].concat());
        let report = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.success() && report.contains("min"), "{report}");
        assert!(!String::from_utf8_lossy(&out.stdout).contains(report.trim()), "{report}");
        let results = NpzFile::from_reader(Cursor::new(out.stdout), "the results").unwrap().arrays().unwrap();
        assert_eq!(results.keys().collect::<Vec<_>>(), ["probability"]);
    }
}

#[test]
fn a_run_is_profiled() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.npz").display().to_string();
    let run = ["run", "examples/patterns/patterns.json", "-i", "examples/patterns/inputs.npz", "-o", &out];
    let profile = json(&[&run[..], &["--profile=json"]].concat());
    let rows = |of: &str| profile[of].as_array().unwrap().clone();
    let sum = |of: &str, what: &str| rows(of).iter().map(|r| r[what].as_f64().unwrap()).sum::<f64>();
    for of in ["steps", "kinds"] {
        assert!(
            (sum(of, "share") - 1.0).abs() < 1e-9 && (sum(of, "ms") - profile["ms"].as_f64().unwrap()).abs() < 1e-9
        );
        assert_eq!(sum(of, "operations"), sum("steps", "operations"), "{profile}");
    }
    let [total, longest, speedup] =
        ["ms", "critical_path_ms", "parallel_speedup"].map(|field| profile[field].as_f64().unwrap());
    assert!(longest > 0.0 && longest <= total && (total / longest / speedup - 1.0).abs() < 1e-9, "{profile}");
    let conv = rows("steps").into_iter().find(|s| s["op"].as_str().unwrap().starts_with("Conv")).unwrap();
    let rate = conv["operations"].as_f64().unwrap() / conv["ms"].as_f64().unwrap() / 1e6;
    assert!(rate > 0.0 && (rate / conv["gflops"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{conv}");
    // The figures depend on the machine; rows and headings do not.
    let text = shown(&[&run[..], &["--profile"]].concat());
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let heads: Vec<_> = text.lines().filter(|l| l.contains("GFLOP/s")).map(words).collect();
    assert_eq!(heads.len(), 2, "{text}");
    assert_eq!(heads[0], ["name", "op", "output", "ms", "share", "GFLOP/s", "GB/s"]);
    assert!(text.lines().any(|line| line.starts_with("critical path ")), "{text}");
    for step in rows("steps") {
        let start = words(&[&step["name"], &step["op"]].map(|v| v.as_str().unwrap()).join(" "));
        assert!(text.lines().any(|l| words(l).starts_with(&start)), "{start:?}: {text}");
    }
}

/// `make docs` updates the documents.
#[test]
fn generated_documents_are_true() {
    let documents: [(&str, &[&str]); 4] = [
        ("docs/functions.md", &["ops", "--markdown", "functions"]),
        ("docs/ops.md", &["ops", "--markdown", "ops"]),
        ("docs/tpulang.md", &["ops", "--markdown", "tpulang"]),
        ("docs/schema.json", &["schema"]),
    ];
    for (file, args) in documents {
        let stale = std::fs::read(file).unwrap() != tpulang(args).stdout;
        assert!(!stale, "{file} is stale: make docs");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_tpulang")).arg("schema").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// Writing to /dev/full always fails.
#[test]
fn what_cannot_be_printed_is_an_error() {
    use std::{fs::File, process::Stdio};
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let (spec, folder, out) = ("examples/patterns/patterns.json", at(""), at("out.npz"));
    let (inputs, expected) = ("examples/patterns/inputs.npz", "examples/patterns/expected.npz");
    let commands: [&[&str]; 16] = [
        &["check", spec],
        &["convert", spec, "-o", &folder],
        &["run", spec, "-i", inputs, "-o", &out],
        &["run", spec, "-i", inputs, "-o", &out, "--profile=json"],
        &["bench", spec, "-i", inputs, "--repeat", "1"],
        &["bench", spec, "-i", inputs, "--repeat", "1", "--json"],
        &["compare", expected, expected],
        &["compare", expected, inputs],
        &["ops"],
        &["ops", "--markdown", "functions"],
        &["ops", "--markdown", "ops"],
        &["schema"],
        &["completions", "bash"],
        &["man", "run"],
        &["--help"],
        &["--version"],
    ];
    for args in commands {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
        let out = command.args(args).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {text}");
        assert_eq!(text, "error: standard output: No space left on device (os error 28)\n", "{args:?}");
        // The error cannot be printed either.
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
        assert_eq!(command.args(args).stdout(full()).stderr(full()).status().unwrap().code(), Some(2), "{args:?}");
    }
    // What is said aside is lost.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
    let status = command.args(["ops", "--search", "frobnicate"]).stdout(Stdio::null()).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_closed_pipe_does_not_hide_the_verdict() {
    use std::process::Stdio;
    let args = ["compare", "examples/patterns/expected.npz", "examples/patterns/inputs.npz"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_tpulang")).args(args).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// Specs are read from standard input, and from the pipe of `<(command)`.
#[test]
fn specs_come_through_pipes() {
    let dir = tempfile::tempdir().unwrap();
    let shell = |script: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-c", script, env!("CARGO_BIN_EXE_tpulang")]).arg(dir.path());
        let out = bash.current_dir("examples/patterns").output().unwrap();
        (out.status.code(), [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat())
    };
    let (code, checked) = shell("\"$0\" check patterns.json");
    assert_eq!(code, Some(0), "{checked}");
    for script in ["cat patterns.json | \"$0\" check -", "\"$0\" check <(cat patterns.json)"] {
        assert_eq!(shell(script), (code, checked.clone()), "{script}");
    }
    let (code, said) = shell("\"$0\" convert - -o \"$1\" <patterns.json");
    assert!(code == Some(0) && dir.path().join("patterns_origin.mlir").exists(), "{said}");
    for (script, expected) in [
        ("echo '[' | \"$0\" check -", "--> standard input:2:1"),
        ("printf '\\n{\\xff' | \"$0\" check -", "error: not UTF-8 text: byte 0xff\n  --> standard input:2:2"),
        (
            "head -c 300M /dev/zero | \"$0\" check -",
            "error: standard input: it has more than 268435456 bytes; at most 268435456 are read",
        ),
        ("mkfifo \"$1/pipe\"; \"$0\" check \"$1/pipe\"", "/pipe: it is a named pipe, not a file"),
    ] {
        let (code, said) = shell(script);
        assert!(code == Some(2) && said.contains(expected), "{script}: {said}");
    }
}

/// Writes each file format of results, to a folder that does not exist yet.
#[test]
fn results_are_written_in_the_format_of_the_extension() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let run = |out: &str, more: &[&str]| {
        let model = ["run", "examples/patterns/patterns.json", "-i", "examples/patterns/inputs.npz", "-o", out];
        shown(&[&model[..], more].concat())
    };
    let expected = &tpulang::array::read_npz("examples/patterns/expected.npz").unwrap()["probability"];
    let files = ["new/folder/a.npz", "new/b.npy", "c.safetensors"].map(at);
    for file in &files {
        let text = run(file, &[]);
        assert!(text.ends_with("1 tensor\n[exit 0]\n"), "{text}");
    }
    let npy: ndarray::ArrayD<f32> = ndarray_npy::read_npy(&files[1]).unwrap();
    let mut stored = tpulang::array::WeightFile::open(&files[2]).unwrap();
    for found in [
        tpulang::array::read_npz(&files[0]).unwrap().shift_remove("probability").unwrap(),
        tpulang::Array::from(npy),
        stored.read("probability").unwrap(),
    ] {
        assert_eq!(found.shape(), expected.shape());
        let (found, expected) = (found.to_f32().unwrap(), expected.to_f32().unwrap());
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}");
    }
    for (file, more, message) in [
        ("x.txt", &[][..], "results are written to .npz, .safetensors or (a single array) .npy files"),
        ("x", &[], "results are written to .npz, .safetensors or (a single array) .npy files"),
        ("x.npy", &["--all"], "an .npy file holds one array, and there are"),
    ] {
        let text = run(&at(file), more);
        assert!(text.contains(message) && text.ends_with("[exit 2]\n"), "{text}");
        assert!(!dir.path().join(file).exists());
    }
}

#[test]
fn files_that_are_read_are_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    for name in ["patterns.json", "weights.npz", "inputs.npz"] {
        std::fs::copy(format!("examples/patterns/{name}"), at(name)).unwrap();
    }
    std::os::unix::fs::symlink(at("weights.npz"), at("link.npz")).unwrap();
    let (spec, inputs) = (at("patterns.json"), at("inputs.npz"));
    let before = ["patterns.json", "weights.npz", "inputs.npz"].map(|n| std::fs::read(at(n)).unwrap());
    for (file, role) in [
        ("weights.npz", "the model's weights file"),
        ("link.npz", "the model's weights file"),
        ("inputs.npz", "an input file"),
    ] {
        for command in [&["run"][..], &["bench", "--repeat", "1"]] {
            let text = shown(&[command, &[&spec, "-i", &inputs, "-o", &at(file)]].concat());
            let message = format!("error: --output {} would overwrite {role}\n", at(file));
            assert!(text.contains(&message) && text.ends_with("[exit 2]\n"), "{text}");
        }
    }
    for (command, read) in [
        (&["bisect", &spec, "-i", &inputs, "--with", &inputs, "-o", &at("")][..], "inputs.npz"),
        (&["spec", &spec, "-o", &spec], "patterns.json"),
        (&["spec", &spec, "-o", &at("weights.json")], "weights.npz"),
        (&["gradients", &spec, "-o", &spec], "patterns.json"),
    ] {
        let text = shown(command);
        let message = format!("error: --output {} would overwrite ", at(read));
        assert!(text.contains(&message) && text.ends_with("[exit 2]\n"), "{text}");
    }
    let own = std::fs::read_to_string(&spec).unwrap().replace("weights.npz", "patterns_TOP_F32_all_weight.npz");
    std::fs::rename(at("weights.npz"), at("patterns_TOP_F32_all_weight.npz")).unwrap();
    std::fs::write(at("own.json"), own).unwrap();
    let text = shown(&["convert", &at("own.json"), "-o", &at("")]);
    assert!(text.contains(" would overwrite the model's weights file\n"), "{text}");
    std::fs::rename(at("patterns_TOP_F32_all_weight.npz"), at("weights.npz")).unwrap();
    assert_eq!(before, ["patterns.json", "weights.npz", "inputs.npz"].map(|n| std::fs::read(at(n)).unwrap()));
}

/// A limit on the size of files fails like a full disk.
#[test]
fn a_full_disk_is_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    let limited = |args: &[&str]| {
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
        let mut bash = Command::new("bash");
        let out = bash.args(["-c", script, env!("CARGO_BIN_EXE_tpulang")]).args(args).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let folder = dir.path().display().to_string();
    let (spec, inputs) = ("examples/patterns/patterns.json", "examples/patterns/inputs.npz");
    for name in ["all.npz", "all.safetensors"] {
        let out = format!("{folder}/{name}");
        let (code, text) = limited(&["run", spec, "-i", inputs, "-o", &out, "--all"]);
        assert_eq!((code, text), (Some(2), format!("error: {out}: File too large (os error 27)\n")));
    }
    let (code, text) = limited(&["convert", spec, "-o", &folder]);
    let weights = format!("{folder}/patterns_TOP_F32_all_weight.npz");
    assert_eq!((code, text), (Some(2), format!("error: {weights}: File too large (os error 27)\n")));
    let begun = format!("{folder}/net.json");
    let (code, text) = limited(&["init", &begun]);
    assert_eq!((code, text), (Some(2), format!("error: {begun}: File too large (os error 27)\n")));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn modules_are_recognized_where_a_spec_is_expected() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let spec = "examples/patterns/patterns.json";
    assert!(tpulang(&["convert", spec, "-o", &at("")]).status.success());
    let module = at("patterns_origin.mlir");
    for command in ["check", "convert"] {
        let expected = format!(
            "$ tpulang {command} {module}\nerror: {module} is an MLIR module; {command} takes a JSON spec or an ONNX model. To run it: tpulang run {module}\n[exit 2]\n"
        );
        assert_eq!(shown(&[command, &module]), expected);
    }
    for (name, copy, message) in [
        ("module.json", &module, "is an MLIR module; check takes a JSON spec"),
        ("weights.json", &"examples/patterns/weights.npz".into(), "this is an archive of arrays (.npz)"),
    ] {
        std::fs::copy(copy, at(name)).unwrap();
        let text = shown(&["check", &at(name)]);
        assert!(text.contains(message) && text.ends_with("[exit 2]\n"), "{text}");
    }
}

/// Loops of known trip count are unrolled unless the user says otherwise; the messages name the loops.
#[test]
fn convert_unrolls_loops() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let spec = |rounds: &str| {
        let body = r#"{"inputs":{"i":{"shape":[1]},"go":{"shape":[1]},"v":{"shape":[2]}},"ops":[{"op":"top.If","args":{"cond":"c"},
            "then":{"ops":[{"op":"top.If","args":{"cond":"c"},"then":{"ops":[],"outputs":["v"]},"else":{"ops":[],"outputs":["x"]},
            "out":["inner"],"out_dtype":["float32"],"out_shape":[[2]]}],"outputs":["inner"]},
            "else":{"ops":[],"outputs":["x"]},"out":["outer"],"out_dtype":["float32"],"out_shape":[[2]]}],"outputs":["go","outer"]}"#;
        format!(
            r#"{{"version":1,"name":"net","tensors":{{"x":{{"shape":[2]}},"c":{{"shape":[1]}},"n":{{"shape":[1],{rounds}}}}},
            "inputs":["x","c"],"ops":[{{"op":"top.Loop","args":{{"M":"n","v_initial":["x"]}},"body":{body},
            "out":["y"],"out_dtype":["float32"],"out_shape":[[2]]}}],"outputs":["y"]}}"#
        )
    };
    let constant = spec(r#""coeff":true,"data":[2]"#);
    let unknown = spec(r#""dtype":"float32""#).replace(r#""inputs":["x","c"]"#, r#""inputs":["x","c","n"]"#);
    let large = spec(r#""coeff":true,"data":[1000000]"#);
    let mut all = String::new();
    for (text, options) in [(constant, ""), (large.clone(), "auto"), (large, "never"), (unknown, "auto")] {
        std::fs::write(at("net.json"), text).unwrap();
        let options = if options.is_empty() { vec![] } else { vec!["--unroll", options] };
        all += &shown(&[&["convert", &at("net.json"), "-o", &at("")], &*options].concat());
    }
    snapshot("convert_unroll", &all.replace(&at(""), "FOLDER/"));
}
