//! If files cannot be written, the old ones are kept.
use super::cli::tpulang;
use std::{fs, path::Path};
use tpulang::{Array, array::write_npz, exec, mlir, spec};

const SPEC: &str = "examples/patterns/patterns.json";

fn pair(dir: &Path) -> (Vec<u8>, Vec<u8>) {
    (
        fs::read(dir.join("patterns_origin.mlir")).unwrap(),
        fs::read(dir.join("patterns_TOP_F32_all_weight.npz")).unwrap(),
    )
}

#[test]
fn a_folder_in_the_way_is_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("patterns_origin.mlir")).unwrap();
    let out = tpulang(&["convert", SPEC, "-o", dir.path().to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("it is a folder, not a file") && out.status.code() == Some(2), "{text}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left over");
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let out = tpulang(&["convert", SPEC, "-o", file.join("below").to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(2));
}

/// /dev/full acts like a full disk; a limit on file sizes fails midway.
#[test]
fn a_full_disk_leaves_the_old_pair() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert!(tpulang(&["convert", SPEC, "-o", path]).status.success());
    let old = pair(dir.path());
    let command = format!("ulimit -f 1; trap '' XFSZ; exec {} convert {SPEC} -o {path}", env!("CARGO_BIN_EXE_tpulang"));
    let out = std::process::Command::new("bash").args(["-c", &command]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("File too large"), "{text}");
    assert_eq!(pair(dir.path()), old);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left over");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_leaves_the_old_pair() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert!(tpulang(&["convert", SPEC, "-o", path]).status.success());
    let old = pair(dir.path());
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser can write there anyway.
    if fs::write(dir.path().join("probe"), "").is_err() {
        let out = tpulang(&["convert", SPEC, "-o", path]);
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains("ermission denied"));
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(pair(dir.path()), old);
}

/// If other files were allowed, a named pipe would block, /dev/zero would never end, and a device would be replaced by a
/// file.
#[test]
fn only_files_are_read_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let (inputs, out) = ("examples/patterns/inputs.npz", at("out.npz"));
    for name in ["pipe", "pipe.mlir", "pipe.npz"] {
        assert!(std::process::Command::new("mkfifo").arg(at(name)).status().unwrap().success());
    }
    for (args, problem) in [
        (vec!["check", &at("pipe")], "it is a named pipe, not a file"),
        (vec!["check", "/dev/zero"], "it is a device, not a file"),
        (vec!["check", "."], "it is a folder, not a file"),
        (vec!["run", &at("pipe.mlir"), "-i", inputs, "-o", &out], "it is a named pipe, not a file"),
        (vec!["run", SPEC, "-i", &at("pipe.npz"), "-o", &out], "it is a named pipe, not a file"),
        (vec!["run", SPEC, "-i", "/dev/zero", "-o", &out], "arrays are read from .npz"),
        (vec!["run", SPEC, "-i", inputs, "-o", "/dev/null"], "results are written to .npz, .safetensors or"),
        (vec!["run", SPEC, "-i", inputs, "-o", &at("pipe.npz")], "it is a named pipe, not a file"),
        (vec!["compare", "/dev/zero", inputs], "arrays are read from .npz"),
    ] {
        let out = tpulang(&args);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(text.contains(problem) && out.status.code() == Some(2), "{args:?}: {text}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "nothing is left over");
}

#[test]
fn a_spec_or_module_that_is_too_long_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["long.json", "long.mlir"] {
        let path = dir.path().join(name);
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let out = tpulang(&["run", path.to_str().unwrap(), "-i", "x.npz", "-o", "y.npz"]);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(text.contains("it has 1099511627776 bytes; at most 268435456 are read"), "{text}");
    }
}

#[test]
fn a_spec_does_not_overwrite_its_weights() {
    let dir = tempfile::tempdir().unwrap();
    let graph = spec::read(SPEC, spec::Weights::Load).unwrap();
    for name in ["weights.npz", "spec", "spec.txt"] {
        let error = spec::save(&graph, dir.path().join(name)).unwrap_err().to_string();
        assert!(error.contains("a spec's name ends in .json"), "{error}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    spec::save(&graph, dir.path().join("spec.json")).unwrap();
    // The weights are read from the file that is being replaced.
    let graph = spec::read(dir.path().join("spec.json"), spec::Weights::Load).unwrap();
    let before = fs::read(dir.path().join("spec.npz")).unwrap();
    spec::save(&graph, dir.path().join("spec.json")).unwrap();
    assert_eq!(fs::read(dir.path().join("spec.npz")).unwrap(), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left over");
}

/// A spec is the user's own and may refer to weights anywhere; a module refers to a file next to it.
#[test]
fn where_weights_may_lie() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    write_npz(dir.path().join("w.npz"), [("w", &Array::from([1f32]))]).unwrap();
    let outside = dir.path().join("w.npz").display().to_string();
    for weights in ["../w.npz", &outside] {
        let text = format!(
            r#"{{"version": 1, "name": "n", "weights": {weights:?}, "tensors": {{"x": {{"shape": [1]}}, "w": {{"shape": [1], "coeff": true}}}},
            "inputs": ["x"], "ops": [{{"op": "add", "args": {{"tensor_i0": "x", "tensor_i1": "w"}}, "out": "y"}}], "outputs": ["y"]}}"#
        );
        let graph = spec::from_text(&text, "s.json", Some(&folder)).unwrap();
        let written = mlir::write_pair(&graph, &folder).unwrap();
        let text = fs::read_to_string(&written.mlir).unwrap();
        fs::write(&written.mlir, text.replace("n_TOP_F32_all_weight.npz", weights)).unwrap();
        let error = mlir::read(&written.mlir, None).unwrap_err().to_string();
        assert!(error.contains(&format!("its weights are {weights:?}, not a file beside it")), "{error}");
        mlir::read(&written.mlir, Some(Path::new(&outside))).unwrap();
    }
}

/// Weights that are truncated after opening are an error; with a mapping they would kill the process.
#[test]
fn weights_that_become_shorter() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.json");
    spec::save(&spec::read(SPEC, spec::Weights::Load).unwrap(), &path).unwrap();
    let graph = spec::read(&path, spec::Weights::Load).unwrap();
    fs::File::options().write(true).open(path.with_extension("npz")).unwrap().set_len(100).unwrap();
    let out = dir.path().join("out");
    let feeds = tpulang::array::read_npz("examples/patterns/inputs.npz").unwrap();
    let run = exec::run(&graph, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default());
    for error in [mlir::write_pair(&graph, &out).unwrap_err(), run.unwrap_err()] {
        assert!(error.to_string().contains("the file is damaged or was changed"), "{error}");
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0, "nothing is left over");
}

/// Names are checked before data: an array that is not needed is not unpacked.
#[test]
fn feeds_of_unknown_names_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.npz");
    write_npz(&path, [("imges", &Array::from(vec![1f32; 1000]))]).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() - 1000;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let out = tpulang(&["run", SPEC, "-i", path.to_str().unwrap(), "-o", dir.path().join("o.npz").to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("unknown input \"imges\"") && !text.contains("checksum"), "{text}");
}
