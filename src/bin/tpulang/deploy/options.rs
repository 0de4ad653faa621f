//! Options of model_deploy that follow `--`.
use std::path;
use tpulang::{Error, Result};
use tpulang_base::{argument, invalid};

/// The options that deploy passes itself, with what sets each.
const OWN: [(&str, &str); 7] = [
    ("--mlir", "MODEL"),
    ("--model", "--output"),
    ("--chip", "--chip"),
    ("--processor", "--chip"),
    ("--quantize", "--quantize"),
    ("--calibration_table", "--calibration"),
    ("--quantize_table", "--quantize-table"),
];

/// The options that are followed by files, separated by commas, or by a folder.
const OF_FILES: [&str; 7] = [
    "--test_input",
    "--test_reference",
    "--fuse_preprocess_config",
    "--layer_group_config",
    "--lghash_dir",
    "--use_io_alone_config",
    "--save_io_alone_config",
];

/// Whether an option is another one, or that cut short, which model_deploy takes (`--chi`).
fn means(option: &str, other: &str) -> bool {
    option.len() > "--".len() && other.starts_with(option)
}

/// # Errors
/// Returns an error if deploy passes one of the options itself.
pub fn check(options: &[String]) -> Result<()> {
    let own = |option: &String| {
        let name = option.split('=').next().unwrap_or_default();
        OWN.iter().find(|(theirs, _)| means(name, theirs))
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
        let is_of_files = |option: &str| OF_FILES.iter().any(|other| means(option, other));
        let was_file = std::mem::replace(&mut is_file, is_of_files(option));
        match option.split_once('=') {
            _ if was_file => absolute(option),
            Some((name, files)) if is_of_files(name) => Ok(format!("{name}={}", absolute(files)?)),
            _ => Ok(option.clone()),
        }
    });
    each.collect()
}
