//! Checks for LLVM and MLIR and explains how to install or locate them, since the build scripts of mlir-sys and tblgen fail
//! without an explanation.
use std::{env, path::Path, process::Command};

/// The LLVM version that mlir-sys requires.
const VERSION: &str = "22.";
/// The environment variables that the build scripts of mlir-sys and tblgen read.
const VARIABLES: [&str; 2] = ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX"];
/// The installation folder of Debian's packages and apt.llvm.org.
const USUAL: &str = "/usr/lib/llvm-22";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for variable in VARIABLES {
        println!("cargo:rerun-if-env-changed={variable}");
        if let Err(problem) = check(variable) {
            eprintln!("error: the feature `mlir` of tpulang needs LLVM and MLIR 22: {problem}");
            eprintln!("{}", advice());
            std::process::exit(1);
        }
    }
}

/// Runs the `llvm-config` in the folder that `variable` names, or the one in the `PATH`.
fn check(variable: &str) -> Result<(), String> {
    let folder = env::var_os(variable).map(|prefix| Path::new(&prefix).join("bin")).unwrap_or_default();
    let config = folder.join("llvm-config");
    let output = Command::new(&config).arg("--version").output().map_err(|e| format!("{}: {e}", config.display()))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if version.starts_with(VERSION) { Ok(()) } else { Err(format!("{} is of version {version}", config.display())) }
}

fn advice() -> String {
    let install = if Path::new(USUAL).join("bin/llvm-config").exists() {
        format!("It is installed in {USUAL}; tell Cargo so in .cargo/config.toml of your project:")
    } else {
        "On Debian and Ubuntu, install llvm-22-dev libmlir-22-dev libclang1-22 libclang-common-22-dev libpolly-22-dev\n\
         zlib1g-dev libzstd-dev (https://apt.llvm.org has them for older releases), then tell Cargo where they are in\n\
         .cargo/config.toml of your project:"
            .to_owned()
    };
    let lines: String = VARIABLES.iter().map(|v| format!("\n    {v} = \"{USUAL}\"")).collect();
    format!(
        "{install}\n\n    [env]{lines}\n\nOr build without it, to run and check specs only: \
         tpulang = {{ .., default-features = false, features = [\"cuda\"] }}"
    )
}
