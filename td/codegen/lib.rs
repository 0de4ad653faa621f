//! Generates `src/ops/generated` from the op definitions in `td/`, with LLVM's TableGen. The generated files are checked in,
//! so that only those who change a definition need TableGen; the tests fail if they are out of date.
#![forbid(unsafe_code)]

pub mod definition;
pub mod generate;

use std::{collections::BTreeMap, env, path::Path, process::Command};

/// The repository's root.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns the folder of LLVM's own `.td` files, according to the `llvm-config` of `$TABLEGEN_220_PREFIX`.
///
/// # Errors
/// Returns an error if the variable is not set or `llvm-config` cannot be run.
pub fn include_folder() -> Result<String, String> {
    let prefix =
        env::var("TABLEGEN_220_PREFIX").map_err(|_| "TABLEGEN_220_PREFIX is not set; .cargo/config.toml sets it")?;
    let config = Path::new(&prefix).join("bin/llvm-config");
    let output = Command::new(&config).arg("--includedir").output();
    let output = output.map_err(|e| format!("{}: {e}; `make setup` installs LLVM and MLIR 22", config.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Reads `td/top.td` and returns the generated files by name.
///
/// # Errors
/// Returns an error if a definition is wrong, with its file and line.
pub fn generated() -> Result<BTreeMap<String, String>, String> {
    let dialect = definition::read(&Path::new(ROOT).join("td"), &include_folder()?)?;
    generate::files(&dialect)
}
