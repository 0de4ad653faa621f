use super::{Outcome, diagnostics::Diagnostics, print, shell::shell_word};
use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};
use tpulang::Error;
use tpulang_base::{argument, escaped_path, files};

/// Write a commented spec to start from
#[derive(clap::Args)]
#[command(after_help = "\
The spec is a small network that runs. An existing file is never replaced.

Example:
  tpulang init net
  tpulang check net.json
  tpulang check net.json --param size=64")]
pub struct Args {
    /// The file to write, to which .json is added if it has no extension; - writes to standard output
    #[arg(value_name = "FILE", default_value = "model")]
    file: PathBuf,
}

/// The spec, in which the name is replaced.
const SPEC: &str = include_str!("init.json");

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    if args.file == Path::new("-") {
        print(SPEC)?;
        return Ok(true);
    }
    let path = match args.file.extension() {
        Some(_) => args.file,
        None => args.file.with_extension("json"),
    };
    let name = name(&path)?;
    files::create_folder_of(&path)?;
    let mut file = fs::File::create_new(&path).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => {
            Error::format(&path, "it exists already, and init overwrites no file; choose another: tpulang init NAME")
        }
        _ => Error::io(&path)(e),
    })?;
    let text = SPEC.replace("\"name\": \"model\"", &format!("\"name\": {name:?}"));
    file.write_all(text.as_bytes()).map_err(|e| {
        // A part of a spec would be in the way of the next init.
        let _ = fs::remove_file(&path);
        Error::io(&path)(e)
    })?;
    messages.report(&format!("{}\nnext: tpulang check {}\n", escaped_path(&path), shell_word(&path)))?;
    Ok(true)
}

/// Returns the model's name: the file's, without extension.
fn name(path: &Path) -> Result<String, Error> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match !stem.is_empty() && stem.chars().all(is_plain) && !stem.starts_with('.') {
        true => Ok(stem),
        false => {
            let expected = "the model is named after the file; expected letters, digits, _, - and .";
            Err(argument("FILE", path.display(), expected))
        }
    }
}
