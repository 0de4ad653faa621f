//! Writes `src/ops/generated`.
use std::{collections::BTreeMap, fs, io, path::Path, process::ExitCode};

fn main() -> ExitCode {
    match tpulang_td::generated().and_then(write) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the files that have changed, so that Cargo compiles nothing again without need, and then removes those of
/// families that are gone.
fn write(files: BTreeMap<String, String>) -> Result<(), String> {
    let folder = Path::new(tpulang_td::ROOT).join("src/ops/generated");
    let update = || -> io::Result<()> {
        fs::create_dir_all(&folder)?;
        for (name, text) in &files {
            let path = folder.join(name);
            if fs::read_to_string(&path).ok().as_ref() != Some(text) {
                fs::write(path, text)?;
            }
        }
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| files.contains_key(name)) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    };
    update().map_err(|e| format!("{}: {e}", folder.display()))
}
