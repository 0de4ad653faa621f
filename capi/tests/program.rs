//! Programs in C and Python use the library.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the library, next to the tests.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().find(|folder| folder.join("libtpulang_capi.so").exists());
    folder.expect("the library has been built").to_owned()
}

/// Compiles a program, runs it and returns what it prints.
fn compiled(source: &Path) -> String {
    let (folder, out) = (library_folder(), tempfile::tempdir().unwrap());
    let program = out.path().join("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(here()).arg(source).arg("-L").arg(&folder);
    compiler.args(["-ltpulang_capi", "-lpthread", "-o"]).arg(&program);
    compiler.arg(format!("-Wl,-rpath,{}", folder.display()));
    let compiled = compiler.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(program).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn the_example_runs() {
    let printed = compiled(&here().join("examples/run.c"));
    assert_eq!(printed, "y: 2 dimensions, dtype 0\n1 3 1 5\nunknown tensor \"z\"\n");
}

/// What is wrong is an error with a message, and nothing else happens.
#[test]
fn wrong_calls_are_errors() {
    let printed = compiled(&here().join("tests/errors.c"));
    let expected = fs::read_to_string(here().join("tests/errors.txt")).unwrap_or_default();
    assert_eq!(printed, expected);
}

/// Tensors of NumPy and PyTorch are read, and theirs are written, without copies. Needs Python with both: `make bench`
/// installs them. `TPULANG_PYTHON` names another one.
#[test]
fn numpy_and_pytorch_exchange_tensors() {
    let installed = here().parent().unwrap().join("target/bench-peer/bin/python");
    let python = std::env::var_os("TPULANG_PYTHON").map_or(installed, PathBuf::from);
    let has = |module: &str| {
        Command::new(&python).args(["-c", &format!("import {module}")]).output().is_ok_and(|run| run.status.success())
    };
    if !has("numpy") {
        eprintln!("{} has no NumPy; not tested", python.display());
        return;
    }
    let library = library_folder().join("libtpulang_capi.so");
    let mut script = Command::new(&python);
    script.arg(here().join("tests/exchange.py")).arg(library).arg(if has("torch") { "torch" } else { "numpy" });
    let run = script.output().unwrap();
    assert!(run.status.success(), "{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(String::from_utf8_lossy(&run.stdout).ends_with("all the same\n"));
}
