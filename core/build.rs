//! Turns `td/top.td` into `$OUT_DIR/ops.rs`: the static table of op definitions, and for every op a typed struct.
#[path = "codegen/definition.rs"]
mod definition;
#[path = "codegen/generate.rs"]
mod generate;

use std::{env, error::Error, fs, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-changed=td");
    println!("cargo:rerun-if-changed=codegen");
    println!("cargo:rerun-if-env-changed=TABLEGEN_220_PREFIX");
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let prefix =
        env::var("TABLEGEN_220_PREFIX").map_err(|_| "TABLEGEN_220_PREFIX is not set; .cargo/config.toml sets it")?;
    let config = Path::new(&prefix).join("bin/llvm-config");
    let include = Command::new(&config)
        .arg("--includedir")
        .output()
        .map_err(|e| format!("{}: {e}; `make setup` installs LLVM and MLIR 22", config.display()))?;
    let include = String::from_utf8(include.stdout)?;
    let dialect = definition::read(Path::new("td"), include.trim())?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("ops.rs"), generate::rust(&dialect))?;
    Ok(())
}
