//! What `compare` says about files of several kinds.
use super::{cli::tpulang, snapshot};
use serde_json::Value;
use std::{fs, path::PathBuf};
use tpulang::{
    Array, Dtype,
    array::{ArrayFormat, write_npz},
};

const SPEC: &str = r#"{"version": 1, "name": "net", "mode": "quantized", "inputs": ["x"], "outputs": ["out"],
    "tensors": {"x": {"shape": [1, 4], "dtype": "int8", "scale": 0.5, "zero_point": 1}},
    "ops": [{"op": "relu", "args": {"input": "x"}, "out": "h"}, {"op": "reshape", "args": {"tensor": "h", "new_shape": [4]}, "out": "out"}]}"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn npz(&self, name: &str, arrays: &[(&str, Array)]) {
        write_npz(self.path(name), arrays.iter().map(|(n, a)| (*n, a))).unwrap();
    }
    /// Runs `compare` in the folder; returns what it prints.
    fn compare(&self, args: &[&str]) -> String {
        let paths: Vec<String> = args
            .iter()
            .map(|arg| if self.path(arg).exists() { self.path(arg).display().to_string() } else { (*arg).to_owned() })
            .collect();
        let out = tpulang(&[&["compare"], &paths.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
        let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        let text = text.replace(&self.0.path().display().to_string(), "DIR");
        format!("$ tpulang compare {}\n{text}[exit {}]\n", args.join(" "), out.status.code().unwrap())
    }
}

/// Files as PyTorch, onnxruntime and pymlir write them.
fn folder() -> Folder {
    let folder = Folder(tempfile::tempdir().unwrap());
    fs::write(folder.path("net.json"), SPEC).unwrap();
    let (four, other) = (Array::from([1f32, 2.0, 3.0, 4.0]), Array::from([1f32, 2.0, 3.5, 4.0]));
    let nan = Array::from([1f32, f32::NAN, f32::NAN, 4.0]);
    folder.npz("a.npz", &[("x", four.clone()), ("h", four.clone()), ("out", four.clone())]);
    folder.npz("b.npz", &[("out", other.clone()), ("h", other.clone()), ("x", four.clone()), ("more", four.clone())]);
    folder.npz("nan.npz", &[("x", nan), ("h", four.clone()), ("out", other.clone())]);
    // The tool chain's suffixes, and other axes of size 1.
    let wide = four.reshaped([1, 4, 1]).unwrap();
    folder.npz("pymlir.npz", &[("x", wide.clone()), ("h_r_Relu", wide.clone()), ("out_Relu_f32", wide)]);
    let double = Array::from([1f64, 2.0, 3.0, 4.0]);
    folder.npz("onnx.npz", &[("/net/x", double.clone()), ("/net/h", double.clone()), ("/net/out:0", double)]);
    let dump = folder.path("dump");
    fs::create_dir(&dump).unwrap();
    for name in ["x", "h", "out"] {
        ArrayFormat::Npy.write(dump.join(format!("{name}.npy")), [("", &four)]).unwrap();
    }
    let half = Array::from_f64s(Dtype::Bfloat16, [4], [1.0, 2.0, 3.0, 4.0].into_iter()).unwrap();
    ArrayFormat::Safetensors.write(folder.path("torch.safetensors"), [("model.h", &half), ("model.x", &half)]).unwrap();
    fs::copy("tests/torch/linear.pth", folder.path("linear.pth")).unwrap();
    let weight = Array::from_vec([2, 3], vec![0f32, 1.0, 2.0, 3.0, 4.0, 6.0]).unwrap();
    folder.npz("linear.npz", &[("head.weight", weight), ("head.bias", Array::from([0.5f32, -0.5]))]);
    let stored = |values: [f64; 4]| Array::from_f64s(Dtype::Int8, [1, 4], values.into_iter()).unwrap();
    folder.npz("int8.npz", &[("x", stored([3.0, 5.0, 7.0, 9.0])), ("h", stored([3.0, 5.0, 7.0, 9.0]))]);
    folder.npz("int8b.npz", &[("x", stored([3.0, 5.0, 7.0, 9.0])), ("h", stored([3.0, 5.0, 7.0, 8.0]))]);
    folder
}

#[test]
fn files_are_compared() {
    let folder = folder();
    let calls: [&[&str]; 17] = [
        &["a.npz", "b.npz"],
        &["a.npz", "b.npz", "--model", "net.json"],
        &["a.npz", "b.npz", "--common", "--worst", "1"],
        &["a.npz", "nan.npz"],
        &["a.npz", "pymlir.npz"],
        &["a.npz", "dump"],
        &["a.npz", "onnx.npz", "--rename", "out=/net/out:0", "--rename", "*=/net/*"],
        &["torch.safetensors", "a.npz", "--rename", "model.*=*", "--common"],
        &["linear.pth", "linear.npz", "--rename", "*=head.*"],
        &["a.npz", "b.npz", "--common", "--histogram"],
        &["a.npz", "b.npz", "--common", "--histogram=x"],
        &["a.npz", "int8.npz", "--common"],
        &["a.npz", "int8.npz", "--common", "--model", "net.json"],
        &["int8.npz", "int8b.npz", "--model", "net.json"],
        &["int8.npz", "int8b.npz", "--model", "net.json", "--quantized", "real"],
        &["a.npz", "onnx.npz", "--common"],
        &["a.npz", "b.npz", "--histogram=outt"],
    ];
    let mut all = calls.map(|args| folder.compare(args)).join("\n");
    for args in [
        &["a.npz", "b.npz", "--quantized", "real"][..],
        &["a.npz", "b.npz", "--rename", "a*b*=c"],
        &["a.npz", "b.npz", "--rename", "typo*=out"],
        &["a.npz", "onnx.npz", "--rename", "*=/typo/*"],
        &["-", "-"],
        &["a.npz", "net.json"],
    ] {
        all += &format!("\n{}", folder.compare(args));
    }
    snapshot("compare", &all);
}

#[test]
fn the_report_is_json_too() {
    let folder = folder();
    let text = folder.compare(&["a.npz", "b.npz", "--json", "--model", "net.json", "--histogram"]);
    let (_, json) = text.split_once('\n').unwrap();
    let report: Value = serde_json::from_str(json.strip_suffix("[exit 1]\n").unwrap()).unwrap();
    assert_eq!((&report["compared"], &report["passed"]), (&4.into(), &1.into()));
    assert_eq!(report["first_divergence"], "h");
    let of = |name: &str| report["tensors"].as_array().unwrap().iter().find(|t| t["first"] == name).unwrap();
    assert_eq!(
        (&of("h")["max_abs"], &of("h")["max_at"], &of("h")["nan"]),
        (&0.5.into(), &vec![2].into(), &vec![0, 0].into())
    );
    assert_eq!(of("x")["passes"], true);
    assert_eq!(report["tensors"][3]["problem"], "missing in the first");
    assert_eq!((&report["histogram"]["tensor"], &report["histogram"]["equal"]), (&"h".into(), &3.into()));
    assert_eq!(report["histogram"]["decades"][0]["decade"], -1);
    let text = folder.compare(&["a.npz", "nan.npz", "--json"]);
    assert!(text.contains("\"max_abs\": null"), "{text}");
}
