//! Options of model_deploy that follow `--`.
use std::path;
use tpulang::{Error, Result};
use tpulang_base::{argument, invalid};

/// The options that deploy passes itself, with what sets each.
const OWN: [(&str, &str); 6] = [
    ("--mlir", "MODEL"),
    ("--model", "--output"),
    ("--chip", "--chip"),
    ("--quantize", "--quantize"),
    ("--calibration_table", "--calibration"),
    ("--quantize_table", "--quantize-table"),
];

/// The options that are followed by files, separated by commas.
const OF_FILES: [&str; 3] = ["--test_input", "--test_reference", "--fuse_preprocess_config"];

/// # Errors
/// Returns an error if deploy passes one of the options itself.
pub fn check(options: &[String]) -> Result<()> {
    let own = |option: &String| {
        let name = option.split('=').next().unwrap_or_default();
        // model_deploy takes options that are cut short, such as --chi.
        OWN.iter().find(|(theirs, _)| name.len() > "--".len() && theirs.starts_with(name))
    };
    match options.iter().find_map(own) {
        Some((name, ours)) if name == ours => {
            Err(invalid(format!("{name} goes before --; deploy passes it on to model_deploy")))
        }
        Some((name, ours)) => {
            Err(invalid(format!("{name} is set by {ours}, before --; deploy passes it on to model_deploy")))
        }
        None => Ok(()),
    }
}

/// Returns the options with absolute paths, since model_deploy runs in another folder.
pub fn with_absolute_paths(options: &[String]) -> Result<Vec<String>> {
    let absolute = |files: &str| -> Result<String> {
        let paths = files.split(',').map(|file| {
            let path = path::absolute(file).map_err(Error::io(file))?;
            path.into_os_string().into_string().map_err(|_| argument("OPTIONS", file, "expected a path of UTF-8 text"))
        });
        Ok(paths.collect::<Result<Vec<_>>>()?.join(","))
    };
    let mut is_file = false;
    let each = options.iter().map(|option| {
        let was_file = std::mem::replace(&mut is_file, OF_FILES.contains(&option.as_str()));
        match option.split_once('=') {
            _ if was_file => absolute(option),
            Some((name, files)) if OF_FILES.contains(&name) => Ok(format!("{name}={}", absolute(files)?)),
            _ => Ok(option.clone()),
        }
    });
    each.collect()
}
