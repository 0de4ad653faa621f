//! The `tpulang` command, which the library contains: see `mod.rs`.
use std::{env, process::ExitCode};

fn main() -> ExitCode {
    ExitCode::from(tpulang::command::main(env::args_os()))
}
