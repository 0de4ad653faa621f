//! Completions of commands and options, for shells.
use super::{Cli, Outcome, print_as_is};
use clap::CommandFactory;

/// Print a script that completes commands and options in your shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tpulang completions bash > ~/.local/share/bash-completion/completions/tpulang
  tpulang completions zsh > ~/.zfunc/_tpulang       # with ~/.zfunc in the fpath
  tpulang completions fish > ~/.config/fish/completions/tpulang.fish")]
pub struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub fn main(args: Args) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tpulang", &mut script);
    print_as_is(&script)?;
    Ok(true)
}
