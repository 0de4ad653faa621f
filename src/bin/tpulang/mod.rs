//! The `tpulang` command. Each subcommand has a file of its own.

mod bench;
mod check;
mod compare;
mod completions;
#[cfg(feature = "mlir")]
mod convert;
mod definitions;
mod device;
mod feeds;
mod gradients;
mod image;
mod man;
mod model;
mod ops;
mod output;
mod profile;
mod progress;
pub mod python;
mod reference;
mod run;
mod schema;

use clap::{Parser, Subcommand};
use std::{
    ffi::{OsStr, OsString},
    io::{ErrorKind, Write},
    time::Instant,
};
use tpulang_base::{MAX_ERRORS, escaped_lines};

#[derive(Parser)]
#[command(version, max_term_width = 100, about = ABOUT, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const ABOUT: &str = "\
Build, check, convert and run neural networks for the TPU-MLIR tool chain.

A network is a JSON graph spec that calls TpuLang functions, or a Top dialect .mlir file with its
weights. `check` and `convert` take specs; `run` and `bench` take either.";

const AFTER_HELP: &str = "\
Exit status: 0 success; 1 compare found a difference; 2 error.

Get started:
  tpulang check model.json
  tpulang convert model.json -o build
  tpulang run model.json -i inputs.npz -o outputs.npz";

#[derive(Subcommand)]
enum Command {
    Check(check::Args),
    #[cfg(feature = "mlir")]
    Convert(convert::Args),
    Run(run::Args),
    Bench(bench::Args),
    Compare(compare::Args),
    Gradients(gradients::Args),
    Ops(ops::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The result of a subcommand: whether all comparisons passed, or an error.
type Outcome = Result<bool, tpulang::Error>;

/// Runs the command with these arguments, of which the first is its own name. Returns the exit status.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let begun = Instant::now();
    let args: Vec<_> = args.into_iter().collect();
    let outcome = match Cli::try_parse_from(&args) {
        Ok(cli) => match cli.command {
            #[cfg(feature = "mlir")]
            Command::Convert(args) => convert::main(args),
            Command::Check(args) => check::main(args),
            Command::Run(args) => run::main(args),
            Command::Bench(args) => bench::main(args, begun),
            Command::Compare(args) => compare::main(args),
            Command::Gradients(args) => gradients::main(args),
            Command::Ops(args) => ops::main(args),
            Command::Schema(args) => schema::main(args),
            Command::Completions(args) => completions::main(args),
            Command::Man(args) => man::main(args),
        },
        Err(usage) => match print_usage(&usage, &args) {
            Err(error) if !usage.use_stderr() => Err(error),
            _ => return u8::try_from(usage.exit_code()).unwrap_or(2),
        },
    };
    match outcome {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            report(&error);
            2
        }
    }
}

/// Prints help, the version, or an error about arguments. Arguments are quoted as they were given, so that unusual ones
/// are printed without the colours, escaped.
fn print_usage(usage: &clap::Error, args: &[OsString]) -> Result<(), tpulang::Error> {
    let is_plain =
        |argument: &OsStr| argument.to_str().is_some_and(|text| !text.contains('\n') && escaped_lines(text) == text);
    if args.iter().all(|argument| is_plain(argument)) {
        return written(usage.print());
    }
    written(write!(std::io::stderr(), "{}", escaped_lines(&usage.render().to_string())))
}

/// Prints errors to standard error. If that fails, the exit code still indicates an error.
fn report(error: &tpulang::Error) {
    let (each, mut to) = (error.each(), std::io::stderr().lock());
    for error in each {
        let _ = writeln!(to, "error: {error}");
    }
    if (2..=MAX_ERRORS).contains(&each.len()) {
        let _ = writeln!(to, "{} errors", each.len());
    }
}

/// Prints a graph's warnings to standard error.
fn warn(graph: &tpulang::Graph) {
    tell("warning", &graph.warnings());
}

/// Prints warnings or remarks to standard error.
fn tell(severity: &str, all: &tpulang::base::Warnings) {
    let mut to = std::io::stderr().lock();
    for one in all.iter() {
        let _ = writeln!(to, "{severity}: {one}");
    }
}

/// Prints lines to standard output, with other control characters escaped.
fn print(text: &str) -> Result<(), tpulang::Error> {
    let mut to = std::io::stdout().lock();
    written(to.write_all(escaped_lines(text).as_bytes()).and_then(|()| to.flush()))
}

/// Prints to standard output.
fn print_as_is(bytes: &[u8]) -> Result<(), tpulang::Error> {
    let mut to = std::io::stdout().lock();
    written(to.write_all(bytes).and_then(|()| to.flush()))
}

/// Ignores a closed pipe, whose reader wants no more output.
fn written(outcome: std::io::Result<()>) -> Result<(), tpulang::Error> {
    match outcome {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(tpulang::Error::io("standard output")(e)),
        _ => Ok(()),
    }
}
