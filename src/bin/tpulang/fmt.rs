use super::{
    Outcome,
    content::{self, Content},
    diagnostics::Diagnostics,
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};
use tpulang::{Error, Result, spec};
use tpulang_base::{escaped_path, files, invalid};

/// Lay out specs canonically
#[derive(clap::Args)]
#[command(after_help = "\
Writes one call a line, and lists and objects on one line if they fit in 120 columns. Comments are
kept. Prints the names of the files that it changes; a file is replaced as a whole.

Exit status: 0 if all went well; 1 if --check found a file to change; 2 on an error.

Examples:
  tpulang fmt model.json
  tpulang fmt --check examples/*.json
  tpulang fmt - < model.json")]
pub struct Args {
    /// Specs (.json); - formats standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Change no file, and print the names of those that would change
    #[arg(long)]
    check: bool,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let (mut is_clean, mut errors) = (true, Vec::new());
    for path in &args.files {
        match one(path, args.check, messages) {
            Ok(changed) => is_clean &= !changed,
            Err(error) => errors.extend(error.into_each()),
        }
    }
    Error::collect(errors)?;
    Ok(is_clean || !args.check)
}

/// # Errors
/// Returns an error if a file is known to be no spec.
fn check_content(path: &Path) -> Result<()> {
    let what = match content::of(path) {
        Ok(Content::Onnx) => "an ONNX model",
        Ok(Content::Module) => "an MLIR module",
        Ok(Content::Other(other)) => other.what,
        Ok(Content::Text) | Err(_) => return Ok(()),
    };
    Err(invalid(format!("{} is {what}; fmt takes specs (.json)", escaped_path(path))))
}

/// Formats a file. Returns whether its layout was another one.
fn one(path: &Path, check: bool, messages: &Diagnostics) -> Result<bool> {
    let is_stream = path == Path::new("-");
    if !is_stream {
        check_content(path)?;
    }
    let (name, bytes) = match is_stream {
        true => ("standard input".into(), files::read_stream(io::stdin(), path, files::MAX_SPEC)?),
        false => (path.display().to_string(), files::read(path, files::MAX_SPEC)?),
    };
    let text = String::from_utf8(bytes).map_err(|_| Error::format(&name, "it is not UTF-8 text"))?;
    let formatted = spec::format(&text, &name)?;
    let changed = formatted != text;
    match (is_stream, check) {
        // `report` would escape characters of comments and strings.
        (true, false) => super::written(io::stdout().write_all(formatted.as_bytes()))?,
        (true, true) if changed => messages.report("standard input\n")?,
        (false, _) if changed => {
            if !check {
                files::replace(path, |file| file.write_all(formatted.as_bytes()).map_err(Error::io(path)))?;
            }
            messages.report(&format!("{}\n", escaped_path(path)))?;
        }
        _ => {}
    }
    Ok(changed)
}
