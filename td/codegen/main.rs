//! Writes `src/ops/generated`.
use std::{fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    match tpulang_td::generated().and_then(write) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Replaces the folder's files, so that a removed family leaves nothing behind.
fn write(files: std::collections::BTreeMap<String, String>) -> Result<(), String> {
    let folder = Path::new(tpulang_td::ROOT).join("src/ops/generated");
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir(&folder).map_err(failed)?;
    files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text)).map_err(failed)
}
