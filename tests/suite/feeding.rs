//! What `run` is fed, what it returns, and what is converted on the way.
use super::cli::tpulang;
use std::{fs, path::Path, process::Command};
use tpulang::{
    Array, Dtype,
    array::{ArrayFormat, read_npz, write_npz},
};

const SPEC: &str = r#"{"version": 1, "name": "net", "weights": "w.safetensors", "inputs": ["x", "ids"], "outputs": ["y"],
    "tensors": {"table": {"shape": [5, 3], "coeff": true}, "shift": {"shape": [3], "dtype": "int32", "coeff": true},
                "x": {"shape": [4, 3]}, "ids": {"shape": [4], "dtype": "int32"}},
    "ops": [{"op": "index_select", "args": {"input": "table", "index": "ids", "axis": 0}, "out": "rows"},
            {"op": "cast", "args": {"tensor_i": "shift", "out_dtype": "float32"}, "out": "moved"},
            {"op": "add", "args": {"tensor_i0": "rows", "tensor_i1": "x"}, "out": "sum"},
            {"op": "add", "args": {"tensor_i0": "sum", "tensor_i1": "moved"}, "out": "y"}]}"#;

/// A folder with a network, whose weights are bfloat16 and int64.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::write(folder.path("net.json"), SPEC).unwrap();
        let table = Array::from_f64s(Dtype::Bfloat16, [5, 3], (0..15).map(f64::from)).unwrap();
        folder.weights(&table, &Array::from([100i64, 200, 300]));
        let x = Array::from_vec([4, 3], vec![0.5f64; 12]).unwrap();
        write_npz(folder.path("in.npz"), [("x", &x), ("ids", &Array::from([4i64, 0, 1, 2]))]).unwrap();
        folder
    }
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
    fn weights(&self, table: &Array, shift: &Array) {
        let arrays = [("table", table), ("shift", shift)];
        ArrayFormat::Safetensors.write(self.path("w.safetensors"), arrays).unwrap();
    }
    /// Runs the command in the folder; returns the exit status and what it prints, errors last.
    fn tpulang(&self, args: &str) -> (Option<i32>, String) {
        self.shell(&format!("\"$0\" {args}"))
    }
    fn shell(&self, script: &str) -> (Option<i32>, String) {
        let mut bash = Command::new("bash");
        bash.args(["-o", "pipefail", "-c", script, env!("CARGO_BIN_EXE_tpulang")]).current_dir(self.0.path());
        let out = bash.env("COLUMNS", "100").output().unwrap();
        (out.status.code(), [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat())
    }
    #[track_caller]
    fn results(&self, args: &str) -> indexmap::IndexMap<String, Array> {
        let (code, text) = self.tpulang(&format!("run net.json {args} -o out.npz"));
        assert_eq!(code, Some(0), "{args}: {text}");
        read_npz(self.path("out.npz")).unwrap()
    }
    #[track_caller]
    fn fails(&self, args: &str, message: &str) {
        let (code, text) = self.tpulang(args);
        assert!(code == Some(2) && text.contains(message), "{args}: {text}");
    }
}

/// Weights and inputs of dtypes that no tensor has are converted, with a remark.
#[test]
fn dtypes_are_converted_where_the_values_fit() {
    let folder = Folder::new();
    let (code, text) = folder.tpulang("run net.json -i in.npz -o out.npz");
    assert_eq!(code, Some(0), "{text}");
    for line in [
        "remark[converted]: \"table\" is stored as bfloat16, and is converted to float32\n",
        "remark[converted]: \"shift\" is stored as int64, and is converted to int32\n",
        "remark[converted]: \"x\" is stored as float64, and is converted to float32\n",
        "remark[converted]: \"ids\" is stored as int64, and is converted to int32\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let y = read_npz(folder.path("out.npz")).unwrap()["y"].to_f64().unwrap();
    assert_eq!(y, [112.5, 213.5, 314.5, 100.5, 201.5, 302.5, 103.5, 204.5, 305.5, 106.5, 207.5, 308.5]);
    // The weights of the pair have the dtypes of the module.
    let (code, text) = folder.tpulang("convert net.json -o build");
    assert!(code == Some(0) && text.contains("remark[converted]: \"shift\" is stored as int64"), "{text}");
    let (code, text) = folder.shell("\"$0\" run build/net_origin.mlir -i in.npz -o - | \"$0\" compare out.npz -");
    assert_eq!(code, Some(0), "{text}");

    write_npz(folder.path("far.npz"), [("ids", &Array::from([0i64, 1, 1 << 40, 2]))]).unwrap();
    folder.fails(
        "run net.json --random 0 -i far.npz -o out.npz",
        "far.npz: the array \"ids\": element 2 is 1099511627776, which does not fit int32 (-2147483648 to 2147483647)",
    );
    folder.weights(&Array::filled(Dtype::Float64, [5, 3], 1e39).unwrap(), &Array::from([0i64, 1, -1]));
    for command in ["check net.json", "run net.json -i in.npz -o out.npz", "convert net.json -o build"] {
        folder.fails(command, "w.safetensors: the array \"table\": element [0, 0] is 1");
    }
    // A model that was written before stays.
    assert!(folder.path("build/net_origin.mlir").exists());
}

/// The same seed gives the same inputs; indices are in range.
#[test]
fn inputs_are_drawn() {
    let folder = Folder::new();
    let first = folder.results("--random 3 --fetch x,ids,y");
    assert_eq!(folder.results("--random 3 --fetch x,ids,y"), first);
    assert_ne!(folder.results("--random 4 --fetch x"), folder.results("--random 3 --fetch x"));
    assert!(first["ids"].to_f64().unwrap().iter().all(|i| (0.0..5.0).contains(i)));
    // What is given otherwise is not drawn.
    let given = folder.results("--random 3 -i in.npz --fetch ids,x");
    assert_eq!(given["ids"].to_f64().unwrap(), [4.0, 0.0, 1.0, 2.0]);
    let (code, text) = folder.tpulang("bench net.json --random 3 --repeat 1");
    assert_eq!(code, Some(0), "{text}");
}

/// A number, an .npy, an array of an .npz; inner tensors cut the graph.
#[test]
fn tensors_are_set() {
    let folder = Folder::new();
    let y = folder.results("--set x=0 --set ids=2")["y"].to_f64().unwrap();
    assert_eq!(y, [[106.0, 207.0, 308.0]; 4].concat());
    ArrayFormat::Npy.write(folder.path("ids.npy"), [("", &Array::from([0i32, 0, 0, 1]))]).unwrap();
    let y = folder.results("--set x=in.npz -i ids=ids.npy")["y"].to_f64().unwrap();
    assert_eq!(y[9..], [103.5, 204.5, 305.5]);
    // Neither input is needed.
    let (code, text) = folder.tpulang("run net.json --set sum=-1.5 -o out.npz");
    assert!(
        code == Some(0) && text.contains("remark[fed-inner]: \"sum\" is fed instead of the result of top.Add\n"),
        "{text}"
    );
    assert_eq!(read_npz(folder.path("out.npz")).unwrap()["y"].to_f64().unwrap()[..3], [98.5, 198.5, 298.5]);
    let (_, plan) = folder.tpulang("run net.json --set sum=0 --explain");
    assert!(plan.starts_with("1 operator in 1 step") && !plan.contains("Gather"), "{plan}");
    // --all has what was computed.
    let all = folder.results("--set sum=0 --all");
    assert!(all.contains_key("y") && !all.contains_key("rows"), "{:?}", all.keys());
}

/// What --set feeds takes precedence over images, too.
#[test]
fn images_are_replaced() {
    let folder = Folder::new();
    let spec = r#"{"version": 1, "name": "net", "inputs": ["image"], "outputs": ["y"],
        "tensors": {"image": {"shape": [1, 3, 8, 8], "preprocess": {"pixel_format": "rgb"}}},
        "ops": [{"op": "abs", "args": {"input": "image"}, "out": "y"}]}"#;
    fs::write(folder.path("net.json"), spec).unwrap();
    for name in ["rgb.png", "full.jpg"] {
        fs::copy(format!("tests/images/{name}"), folder.path(name)).unwrap();
    }
    write_npz(folder.path("raw.npz"), [("image", &Array::filled(Dtype::Uint8, [12, 20, 3], 7.0).unwrap())]).unwrap();
    let half = folder.results("--set image=0.5");
    for args in [
        "-i image=rgb.png --set image=0.5",
        "-i image=rgb.png -i image=full.jpg --set image=0.5",
        "-i raw.npz --preprocess --set image=0.5",
    ] {
        assert_eq!(folder.results(args), half, "{args}");
    }
    let photo = folder.results("-i image=full.jpg");
    assert_ne!(photo, half);
    for args in ["-i image=rgb.png --set image=full.jpg", "--set image=0.5 --set image=full.jpg"] {
        assert_eq!(folder.results(args), photo, "{args}");
    }
}

/// A file that records inputs and results is fed without the results; nothing is silently left out of the computation.
#[test]
fn recorded_results_are_computed_again() {
    let folder = Folder::new();
    let expected = folder.results("-i in.npz");
    let mut case = read_npz(folder.path("in.npz")).unwrap();
    for name in ["y", "sum"] {
        case.insert(name.into(), Array::filled(Dtype::Float32, [4, 3], 7.0).unwrap());
    }
    write_npz(folder.path("case.npz"), &case).unwrap();
    assert_eq!(folder.results("-i case.npz"), expected);
    assert_eq!(folder.results("-i case.npz --all").len(), 4);
    let (code, text) = folder.tpulang("run net.json -i case.npz -o out.npz");
    assert_eq!(code, Some(0), "{text}");
    for name in ["y", "sum"] {
        let warning = format!(
            "warning[unfed-result]: case.npz also has \"{name}\", which is not fed but computed; --set {name}=case.npz would feed it\n"
        );
        assert!(text.contains(&warning), "{text}");
    }
    // Named, the inner tensor is fed beside all inputs.
    let y = folder.results("-i case.npz --set sum=case.npz")["y"].to_f64().unwrap();
    assert_eq!(y[..3], [107.0, 207.0, 307.0]);
    // Inputs are missing: the inner tensor is fed, the output is not.
    case.retain(|name, _| name == "y" || name == "sum");
    write_npz(folder.path("results.npz"), &case).unwrap();
    let y = folder.results("-i results.npz")["y"].to_f64().unwrap();
    assert_eq!(y[..3], [107.0, 207.0, 307.0]);
    let (code, text) = folder.tpulang("bench net.json -i case.npz --repeat 1");
    assert!(code == Some(0) && text.contains("warning[unfed-result]"), "{text}");
    for args in ["--set y=1", "--set y=1 --all", "--random 0 --set y=1"] {
        folder.fails(
            &format!("run net.json {args} -o none.npz"),
            "the array fed to \"y\": it leaves nothing to compute; feed the inputs instead",
        );
    }
    assert!(!folder.path("none.npz").exists());
}

/// The arrays of a data set that are no inputs, such as labels, do no harm beside all inputs.
#[test]
fn arrays_of_no_tensor_are_left_out() {
    let folder = Folder::new();
    let mut case = read_npz(folder.path("in.npz")).unwrap();
    case.insert("label".into(), Array::from([3i32]));
    write_npz(folder.path("labelled.npz"), &case).unwrap();
    assert_eq!(folder.results("-i labelled.npz"), folder.results("-i in.npz"));
    let (code, text) = folder.tpulang("run net.json -i labelled.npz -o out.npz");
    let warning = "warning[unused-array]: the model does not use the array \"label\" of labelled.npz\n";
    assert!(code == Some(0) && text.contains(warning), "{text}");
    // The named file takes the place of the other one's array.
    let name = case.keys().next().unwrap();
    folder.results(&format!("-i in.npz -i {name}=labelled.npz"));
}

#[test]
fn only_what_is_fetched_is_computed() {
    let folder = Folder::new();
    let found = folder.results("--set ids=1 --fetch rows");
    assert_eq!(found.keys().collect::<Vec<_>>(), ["rows"]);
    assert_eq!(found["rows"].to_f64().unwrap(), [[3.0, 4.0, 5.0]; 4].concat());
    let (code, text) = folder.tpulang("run net.json --set ids=1 --fetch rows -o rows.npy");
    assert!(code == Some(0) && text.contains("rows.npy: 1 tensor"), "{text}");
    assert_eq!(folder.results("--set x=0 --set rows=rows.npy")["y"].to_f64().unwrap()[..3], [103.0, 204.0, 305.0]);
}

#[test]
fn results_go_through_pipes() {
    let folder = Folder::new();
    let (code, text) =
        folder.shell("\"$0\" run net.json -i in.npz --fetch rows -o - | \"$0\" run net.json -i - --set x=0 -o out.npz");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("standard output: 1 tensor\n"), "{text}");
    assert_eq!(read_npz(folder.path("out.npz")).unwrap()["y"].to_f64().unwrap()[..3], [112.0, 213.0, 314.0]);
    for command in [
        "run - -i - -o out.npz <net.json",
        "run net.json -i - -i - -o out.npz <in.npz",
        "bench - -i - <net.json",
        "bisect - -i - --with in.npz <net.json",
        "deploy - -i - -o net.bmodel <net.json",
        "compare - - <in.npz",
        "compare - in.npz --model - <in.npz",
        "show - - <net.json",
    ] {
        let (code, text) = folder.shell(&format!("\"$0\" {command}"));
        let message = "only one file can be read from standard input (-)";
        assert!(code == Some(2) && text.contains(message), "{command}: {text}");
    }
    let (code, text) = folder.shell("echo nonsense | \"$0\" run net.json -i - -o out.npz");
    assert!(code == Some(2) && text.contains("standard input: not an npz (zip) archive"), "{text}");
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new();
    write_npz(folder.path("two.npz"), [("a", &Array::from([0f32])), ("b", &Array::from([0f32]))]).unwrap();
    for (args, message) in [
        (
            "--random 0 --set ids=0.5",
            "--set is ids=0.5; \"ids\" is int32; expected an integer from -2147483648 to 2147483647",
        ),
        ("--random 0 --set x=1e40", "--set is x=1e40; \"x\" is float32; the number is too large"),
        ("--random 0 --set x", "--set is x; expected NAME=VALUE: a tensor, and a number or a file"),
        ("--random 0 --set image=1", "--set image=1: the model has no tensor \"image\"; inputs: x, ids"),
        ("--random 0 --set sums=1", "--set sums=1: the model has no tensor \"sums\"; did you mean \"sum\"?"),
        (
            "--random 0 --set x=one",
            "--set is x=one; expected a number, an image, or an .npy, .npz or .safetensors file",
        ),
        ("--random 0 --set x=none.npy", "none.npy: No such file"),
        ("--random 0 --set x=two.npz", "--set x=two.npz: two.npz has 2 arrays, none of which is \"x\": a, b"),
        ("--random 0 --fetch z", "unknown tensor \"z\""),
        ("--set x=0", "the input \"ids\" (4 int32) is not fed"),
        ("-i ids.npy", "--inputs is ids.npy; specify the input as NAME=ids.npy; inputs: x, ids"),
        ("--random 0 -i two.npz", "unknown input \"a\""),
        ("--random 0 -i x=in.npz -i x=in.npz", "--inputs is x=in.npz; \"x\" is already fed by an earlier argument"),
    ] {
        folder.fails(&format!("run net.json {args} -o out.npz"), message);
    }
    assert!(!folder.path("out.npz").exists());
    let (code, text) = folder.tpulang("run net.json --random 0 --fetch x --all -o out.npz");
    assert!(code == Some(2) && text.contains("cannot be used with"), "{text}");
}

/// A tensor within a branch has no value outside of it.
#[test]
fn tensors_of_branches_are_neither_fed_nor_fetched() {
    let folder = Folder::new();
    let spec = r#"{"version":1,"name":"net","tensors":{"x":{"shape":[2]},"c":{"shape":[1]}},"inputs":["x","c"],"ops":[
        {"op":"top.If","args":{"cond":"c"},"then":{"ops":[{"op":"abs","args":{"input":"x"},"out":"inner"}],"outputs":["inner"]},
         "else":{"ops":[],"outputs":["x"]},"out":["y"],"out_dtype":["float32"],"out_shape":[[2]]}],"outputs":["y"]}"#;
    fs::write(folder.path("net.json"), spec).unwrap();
    let message =
        "the tensor \"inner\": it is within a branch or loop; only tensors outside of them can be fed or fetched";
    folder.fails("run net.json --random 0 --fetch inner -o out.npz", message);
    folder.fails("run net.json --random 0 --set inner=1 -o out.npz", message);
    folder.results("--random 0");
}

/// The script of each shell is written, and so is the manual page of each command.
#[test]
fn completions_and_manual_pages_are_produced() {
    for (shell, start) in [
        ("bash", "_tpulang() {"),
        ("zsh", "#compdef tpulang"),
        ("fish", "# Print an optspec"),
        ("elvish", "\nuse builtin"),
        ("powershell", "\nusing namespace"),
    ] {
        let out = tpulang(&["completions", shell]);
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success() && text.starts_with(start) && text.contains("fetch"), "{shell}: {text:.300}");
    }
    let folder = Folder::new();
    let (code, text) =
        folder.shell("\"$0\" completions bash > tpulang.bash && bash -n tpulang.bash && \"$0\" man --out man/man1");
    assert_eq!(code, Some(0), "{text}");
    let help = String::from_utf8(tpulang(&["--help"]).stdout).unwrap();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands: Vec<_> =
        commands.lines().take_while(|l| !l.is_empty()).filter_map(|l| l.split_whitespace().next()).collect();
    assert!(commands.len() > 8, "{commands:?}");
    for command in commands.iter().filter(|name| **name != "help") {
        let page = fs::read_to_string(folder.path(&format!("man/man1/tpulang-{command}.1"))).unwrap();
        assert!(page.contains(&format!(".TH tpulang-{command} 1")), "{command}: {page}");
        assert_eq!(tpulang(&["man", command]).stdout, page.as_bytes());
    }
    let page = fs::read_to_string(folder.path("man/man1/tpulang.1")).unwrap();
    assert!(page.contains("tpulang\\-run"), "{page}");
    folder.fails("man rum", "there is no command \"rum\"; did you mean \"run\"?");
}

/// The lines of a help text that show commands, without the comments behind them.
fn examples(command: &str) -> Vec<String> {
    let help = String::from_utf8(tpulang(&[command, "--help"]).stdout).unwrap();
    let lines = help.lines().filter(|line| line.starts_with("  tpulang ") && line.contains(command));
    lines.map(|line| line.split("  #").next().unwrap().trim().to_owned()).collect()
}

/// Runs every example of these help texts, in order, in a folder with the files that they name.
#[test]
fn examples_of_help_texts_run() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let spec = |name: &str, input: &str, output: &str| {
        format!(
            r#"{{"version": 1, "name": "{name}", "tensors": {{"{input}": {{"shape": [1, 3, 8, 8], "preprocess": {{"pixel_format": "rgb"}}}}}},
            "inputs": ["{input}"], "ops": [{{"op": "abs", "args": {{"input": "{input}"}}, "out": "hidden"}},
            {{"op": "mul", "args": {{"tensor_i0": "hidden", "tensor_i1": 2}}, "out": "{output}"}}], "outputs": ["{output}"]}}"#
        )
    };
    for (file, text) in [
        ("model.json", spec("net", "image", "y")),
        ("a.json", spec("a", "image", "middle")),
        ("b.json", spec("b", "middle", "y")),
    ] {
        fs::write(at(file), text).unwrap();
    }
    fs::copy("tests/images/full.jpg", at("cat.jpg")).unwrap();
    let image = Array::filled(Dtype::Float32, [1, 3, 8, 8], 0.25).unwrap();
    let y = Array::filled(Dtype::Float32, [1, 3, 8, 8], 0.5).unwrap();
    write_npz(at("inputs.npz"), [("image", &image)]).unwrap();
    write_npz(at("reference.npz"), [("y", &y)]).unwrap();
    write_npz(at("torch.npz"), [("model.y", &y)]).unwrap();
    write_npz(at("float.npz"), [("y", &y)]).unwrap();
    write_npz(at("quantized.npz"), [("y", &y)]).unwrap();
    fs::write(at("model.table"), "image 1 -1 1\nhidden 1 0 1\ny 2 0 2\n").unwrap();
    let mut ran = 0;
    for (command, commands) in ["convert", "run", "bench", "compare", "completions", "man"].map(|c| (c, examples(c))) {
        assert!(!commands.is_empty(), "{command} has no examples");
        for example in commands {
            let script = format!(
                "set -e; tpulang() {{ \"$0\" \"$@\"; }}; man() {{ cat >/dev/null; }}; HOME=$PWD; \
                 mkdir -p .local/share/bash-completion/completions .zfunc .config/fish/completions; {example}"
            );
            let mut bash = Command::new("bash");
            bash.args(["-o", "pipefail", "-c", &script, env!("CARGO_BIN_EXE_tpulang")]).current_dir(dir.path());
            let out = bash.output().unwrap();
            // compare's verdict is not an error.
            let passes =
                [Some(0), Some(1)].contains(&out.status.code()) && (command == "compare" || out.status.success());
            assert!(passes, "{example}: {}", String::from_utf8_lossy(&out.stderr));
            ran += 1;
        }
        if command == "convert" {
            assert!(Path::new(&at("build/net_origin.mlir")).exists());
        }
    }
    assert!(ran >= 20, "{ran}");
}
