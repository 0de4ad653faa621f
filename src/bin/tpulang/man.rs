//! Manual pages.
use super::{Cli, Outcome, diagnostics::Diagnostics, print_as_is};
use clap::CommandFactory;
use clap_mangen::Man;
use std::{
    io::Write,
    path::{Path, PathBuf},
};
use tpulang::{Error, Result};
use tpulang_base::{did_you_mean, escaped_path, files, invalid};

/// Print a manual page, or write those of all commands
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tpulang man | man -l -
  tpulang man run | man -l -
  tpulang man --out ~/.local/share/man/man1")]
pub struct Args {
    /// The command that the page is about. Default: tpulang itself
    command: Option<String>,
    /// Write tpulang.1, tpulang-run.1 and so on to this folder, which is created if missing
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let pages = pages()?;
    let Some(folder) = &args.out else {
        print_as_is(one(&pages, args.command.as_deref())?)?;
        return Ok(true);
    };
    files::create_folder(folder)?;
    for (name, page) in &pages {
        let path = folder.join(format!("{name}.1"));
        files::replace(&path, |file| file.write_all(page).map_err(Error::io(&path)))?;
        messages.report(&format!("{}\n", escaped_path(&path)))?;
    }
    Ok(true)
}

/// Returns the page of a command, or of tpulang.
fn one<'p>(pages: &'p [(String, Vec<u8>)], command: Option<&str>) -> Result<&'p [u8]> {
    let wanted = command.map_or("tpulang".to_owned(), |command| format!("tpulang-{command}"));
    let found = pages.iter().find(|(name, _)| *name == wanted).map(|(_, page)| page.as_slice());
    found.ok_or_else(|| {
        let commands = pages.iter().filter_map(|(name, _)| name.strip_prefix("tpulang-"));
        let command = command.unwrap_or_default();
        invalid(format!("there is no command {command:?}{}", did_you_mean(command, commands)))
    })
}

/// Returns the page of each command by its name: `tpulang`, `tpulang-run`.
fn pages() -> Result<Vec<(String, Vec<u8>)>> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
    let all = [&root].into_iter().chain(shown);
    all.map(|command| {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let mut page = Vec::new();
        Man::new(command.clone()).render(&mut page).map_err(Error::io(Path::new("the manual page")))?;
        Ok((name, page))
    })
    .collect()
}
