//! The `tpulang` command: one file a subcommand.

mod check;
mod compare;
mod convert;
mod model;
mod ops;
mod run;
mod schema;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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
    Convert(convert::Args),
    Check(check::Args),
    Run(run::Args),
    Compare(compare::Args),
    Ops(ops::Args),
    Schema(schema::Args),
}

/// What a subcommand gives: whether it found everything good, or why it could not tell.
type Outcome = Result<bool, tpulang::Error>;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Convert(args) => convert::main(args),
        Command::Check(args) => check::main(args),
        Command::Run(args) => run::main(args),
        Command::Compare(args) => compare::main(args),
        Command::Ops(args) => ops::main(args),
        Command::Schema(args) => schema::main(args),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let each = error.each();
            for error in each {
                eprintln!("error: {error}");
            }
            if each.len() > 1 {
                eprintln!("{} errors", each.len());
            }
            ExitCode::from(2)
        }
    }
}

/// Prints to standard output; a reader that has gone away ends the command quietly.
fn print(text: &str) {
    use std::io::Write;
    if std::io::stdout().lock().write_all(text.as_bytes()).is_err() {
        std::process::exit(0);
    }
}
