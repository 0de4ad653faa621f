//! The `tpulang` command: one file a subcommand.

mod bench;
mod check;
mod compare;
#[cfg(feature = "mlir")]
mod convert;
mod device;
mod feeds;
mod model;
mod ops;
mod profile;
mod reference;
mod run;
mod schema;

use clap::{Parser, Subcommand};
use std::{
    io::{ErrorKind, Write},
    process::ExitCode,
    time::Instant,
};
use tpulang::base::MAX_ERRORS;

/// Builds, checks, converts and runs networks for the TPU-MLIR tool chain.
///
/// A network is a JSON graph spec that calls TpuLang's functions (`tpulang ops` lists them), or a Top dialect .mlir
/// with its weights.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[cfg(feature = "mlir")]
    Convert(convert::Args),
    Check(check::Args),
    Run(run::Args),
    Bench(bench::Args),
    Compare(compare::Args),
    Ops(ops::Args),
    Schema(schema::Args),
}

/// What a subcommand gives: whether it found everything good, or why it could not tell.
type Outcome = Result<bool, tpulang::Error>;

fn main() -> ExitCode {
    let begun = Instant::now();
    let outcome = match Cli::try_parse() {
        Ok(cli) => match cli.command {
            #[cfg(feature = "mlir")]
            Command::Convert(args) => convert::main(args),
            Command::Check(args) => check::main(args),
            Command::Run(args) => run::main(args),
            Command::Bench(args) => bench::main(args, begun),
            Command::Compare(args) => compare::main(args),
            Command::Ops(args) => ops::main(args),
            Command::Schema(args) => schema::main(args),
        },
        // Help and the version come this way too.
        Err(told) => match written(told.print()) {
            Err(error) if !told.use_stderr() => Err(error),
            _ => return ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2)),
        },
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            tell(&error);
            ExitCode::from(2)
        }
    }
}

/// Errors go to standard error; where that cannot be written the exit code still tells.
fn tell(error: &tpulang::Error) {
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
    let mut to = std::io::stderr().lock();
    for warning in graph.warnings().iter() {
        let _ = writeln!(to, "warning: {warning}");
    }
}

/// Prints to standard output.
fn print(text: &str) -> Result<(), tpulang::Error> {
    let mut to = std::io::stdout().lock();
    written(to.write_all(text.as_bytes()).and_then(|()| to.flush()))
}

/// A reader that has gone away has seen enough: what counts then is the exit code.
fn written(outcome: std::io::Result<()>) -> Result<(), tpulang::Error> {
    match outcome {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(tpulang::Error::io("standard output")(e)),
        _ => Ok(()),
    }
}
