//! The `tpulang` command: one file a subcommand.

mod bench;
mod check;
mod compare;
#[cfg(feature = "mlir")]
mod convert;
mod device;
mod feeds;
mod image;
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
use tpulang::base::{MAX_ERRORS, escaped_lines};

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
        Err(usage) => match print_usage(&usage) {
            Err(error) if !usage.use_stderr() => Err(error),
            _ => return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2)),
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

/// Prints help, the version, or an error about arguments. Arguments are quoted as they were given, so that unusual ones
/// are printed without the colours, escaped.
fn print_usage(usage: &clap::Error) -> Result<(), tpulang::Error> {
    let is_plain = |argument: std::ffi::OsString| {
        argument.to_str().is_some_and(|text| !text.contains('\n') && escaped_lines(text) == text)
    };
    if std::env::args_os().all(is_plain) {
        return written(usage.print());
    }
    written(write!(std::io::stderr(), "{}", escaped_lines(&usage.render().to_string())))
}

/// Prints errors to standard error. If that fails, the exit code still reports them.
fn tell(error: &tpulang::Error) {
    let (each, mut to) = (error.each(), std::io::stderr().lock());
    for error in each {
        let _ = writeln!(to, "error: {error}");
    }
    if (2..=MAX_ERRORS).contains(&each.len()) {
        let _ = writeln!(to, "{} errors", each.len());
    }
}

/// Prints lines to standard output, with other control characters escaped.
fn print(text: &str) -> Result<(), tpulang::Error> {
    let mut to = std::io::stdout().lock();
    written(to.write_all(escaped_lines(text).as_bytes()).and_then(|()| to.flush()))
}

/// A reader that has gone away has seen enough: what counts then is the exit code.
fn written(outcome: std::io::Result<()>) -> Result<(), tpulang::Error> {
    match outcome {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(tpulang::Error::io("standard output")(e)),
        _ => Ok(()),
    }
}
