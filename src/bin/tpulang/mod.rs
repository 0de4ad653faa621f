//! The `tpulang` command. Each subcommand has a file of its own.

mod bench;
mod bisect;
mod calibrate;
mod check;
mod compare;
mod completions;
mod content;
#[cfg(feature = "mlir")]
mod convert;
mod definitions;
#[cfg(feature = "mlir")]
mod deploy;
mod device;
mod diagnostics;
mod emulation;
mod feeds;
mod fmt;
mod gradients;
mod image;
mod init;
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
mod shell;
mod show;
mod side_by_side;
mod spec;
mod split;
mod tables;
mod usage;

use clap::{Parser, Subcommand};
use diagnostics::Diagnostics;
use std::{
    ffi::OsString,
    io::{ErrorKind, Write},
    time::Instant,
};
use tpulang_base::escaped_lines;

#[derive(Parser)]
#[command(version, max_term_width = 100, about = ABOUT, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    messages: diagnostics::Options,
}

const ABOUT: &str = "\
Build, check, convert and run neural networks for the TPU-MLIR tool chain.

A network is a JSON graph spec that calls TpuLang functions, an ONNX model, or a Top dialect .mlir
file with its weights. `fmt` takes specs only; `check`, `convert` and `gradients` take specs and
ONNX models; all other commands take any of them.";

const AFTER_HELP: &str = "\
Exit status: 0 on success. 1 if a check failed: compare, show or bisect found a difference;
calibrate --compare found a tensor in one table only; calibrate --search did not reach --expect;
deploy found an output outside the tolerance; fmt --check found a file to format; ops --search
found nothing. 2 on an error.

Get started:
  tpulang init model
  tpulang check model.json
  tpulang convert model.json -o build
  tpulang run model.json -i inputs.npz -o outputs.npz";

#[derive(Subcommand)]
enum Command {
    Init(init::Args),
    Fmt(fmt::Args),
    Check(check::Args),
    #[cfg(feature = "mlir")]
    Convert(convert::Args),
    /// Needs MLIR, which this build lacks
    #[cfg(not(feature = "mlir"))]
    Convert {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _args: Vec<OsString>,
    },
    Run(run::Args),
    Bench(bench::Args),
    Compare(compare::Args),
    #[cfg(feature = "mlir")]
    Deploy(deploy::Args),
    Bisect(bisect::Args),
    Split(split::Args),
    Calibrate(calibrate::Args),
    Gradients(gradients::Args),
    Ops(ops::Args),
    Explain(diagnostics::Explain),
    Schema(schema::Args),
    Show(show::Args),
    Spec(spec::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The result of a subcommand: whether all comparisons passed, or an error.
type Outcome = Result<bool, tpulang::Error>;

/// Runs the command with these arguments, of which the first is its own name. Returns the exit status.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let begun = Instant::now();
    let args: Vec<_> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(usage) => return usage::print(usage, &args),
    };
    let messages = Diagnostics::new(&cli.messages);
    match run(cli.command, &messages, begun) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            messages.error(&error);
            2
        }
    }
}

fn run(command: Command, messages: &Diagnostics, begun: Instant) -> Outcome {
    match command {
        #[cfg(feature = "mlir")]
        Command::Convert(args) => convert::main(args, messages),
        #[cfg(not(feature = "mlir"))]
        Command::Convert { .. } => Err(tpulang::Error::new(
            "this tpulang was built without MLIR, which `convert` needs; use an archive for x86-64, or the Python package",
        )),
        #[cfg(feature = "mlir")]
        Command::Deploy(args) => deploy::main(args, messages),
        Command::Init(args) => init::main(args, messages),
        Command::Fmt(args) => fmt::main(args, messages),
        Command::Check(args) => check::main(args, messages),
        Command::Run(args) => run::main(args, messages),
        Command::Bench(args) => bench::main(args, messages, begun),
        Command::Bisect(args) => bisect::main(args, messages),
        Command::Split(args) => split::main(args, messages),
        Command::Calibrate(args) => calibrate::main(args, messages),
        Command::Compare(args) => compare::main(args, messages),
        Command::Gradients(args) => gradients::main(args, messages),
        Command::Ops(args) => ops::main(args, messages),
        Command::Explain(args) => diagnostics::explain(args),
        Command::Schema(args) => schema::main(args),
        Command::Spec(args) => spec::main(args, messages),
        Command::Show(args) => show::main(args, messages),
        Command::Completions(args) => completions::main(args),
        Command::Man(args) => man::main(args, messages),
    }
}

/// Returns an argument of a command, which requires the argument `other` if it is one of `A`.
fn requiring<A: clap::Args>(argument: clap::Arg, other: &'static str) -> clap::Arg {
    let all = A::augment_args(clap::Command::new(""));
    let is_one = all.get_arguments().any(|one| one.get_id() == argument.get_id());
    if is_one { argument.requires(other) } else { argument }
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
