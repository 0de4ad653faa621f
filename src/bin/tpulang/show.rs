use super::{Outcome, diagnostics::Diagnostics, feeds::check_stdin, model, output::Sources, print, written};
use std::{
    io::Write,
    path::{Path, PathBuf},
};
use tpulang::{
    Error, Result,
    base::WarningKind,
    show::{Network, Profile, differences},
};
use tpulang_base::{escaped_path, files, pluralized};

/// Show a network as a table, a page or a drawing, or what differs between two
#[derive(clap::Args)]
#[command(after_help = "\
Prints a table of the operators, grouped by scope: the line of the spec, the type of the first
result, parameters, FLOPs and bytes. Totals and the memory of values over time follow. With --html,
--svg or --dot, it writes these files instead. With two models, it prints what differs between them,
by name; the exit status is then 1.

Examples:
  tpulang show model.json
  tpulang show build/net_origin.mlir --depth 1
  tpulang show model.json --html model.html
  tpulang run model.json -i inputs.npz -o outputs.npz --profile=json > profile.json
  tpulang show model.json --profile profile.json --html model.html
  tpulang show model.json --dot - | dot -Tpdf > model.pdf
  tpulang show old.json new.json")]
pub struct Args {
    #[command(flatten)]
    model: model::Model,
    /// Print what differs between MODEL and this one
    #[arg(conflicts_with_all = ["depth", "html", "svg", "dot", "profile"])]
    other: Option<PathBuf>,
    /// Unfold N levels of scopes; 0 shows one row or box for each scope. Default: all levels. A page unfolds as many as
    /// are easily read at first
    #[arg(long, value_name = "N", conflicts_with = "html", value_parser = super::device::count, allow_negative_numbers = true)]
    depth: Option<usize>,
    /// Show the times of a profile that `run --profile=json` printed
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write a page for a browser: one file that needs no network, with search, attributes and statistics of weights
    #[arg(long, value_name = "FILE", help_heading = WRITTEN)]
    html: Option<PathBuf>,
    /// Write a drawing as SVG
    #[arg(long, value_name = "FILE", help_heading = WRITTEN)]
    svg: Option<PathBuf>,
    /// Write a drawing in the DOT language of Graphviz
    #[arg(long, value_name = "FILE", help_heading = WRITTEN)]
    dot: Option<PathBuf>,
}

/// The heading of options that name files to write.
const WRITTEN: &str = "Files to write, or - for standard output";

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    check_stdin([args.model.path.as_path()].into_iter().chain(args.other.as_deref()))?;
    let graph = args.model.read()?;
    messages.warn_of_model_and_weights(&graph)?;
    if let Some(other) = &args.other {
        let other = args.model.read_other(other)?;
        messages.warn_of_model_and_weights(&other)?;
        let found = differences(&graph, &other)?;
        print(&found.to_string())?;
        return Ok(found.is_empty());
    }
    let outputs = [("--html", &args.html), ("--svg", &args.svg), ("--dot", &args.dot)];
    let outputs: Vec<(&str, &Path)> = outputs.iter().filter_map(|(o, path)| Some((*o, path.as_deref()?))).collect();
    check_distinct(&outputs)?;
    let read = Sources::new(&args.model.path, &graph, args.profile.iter().map(PathBuf::as_path).collect());
    outputs.iter().try_for_each(|(option, path)| read.check(option, path))?;
    let mut network = Network::new(&graph);
    if let Some(path) = &args.profile {
        let unknown = network.set_profile(&Profile::read(path)?)?;
        if unknown > 0 {
            let steps = pluralized(unknown, "step");
            let reason = format!("{steps} of {} compute no tensor of the model", escaped_path(path));
            messages.warn(&graph, &WarningKind::NoEffect { option: "a part of --profile".into(), reason }.into())?;
        }
    }
    if args.html.is_some() {
        network.read_statistics()?;
        // Weights of a file have been read now.
        messages.warn(&graph, &graph.weight_warnings())?;
    }
    for (option, path) in &outputs {
        let text = match *option {
            "--html" => network.html(Some(&args.model.path.display().to_string())),
            "--svg" => network.svg(args.depth),
            _ => network.dot(args.depth),
        };
        write(path, &text)?;
    }
    match outputs.is_empty() {
        true => print(&network.table(args.depth))?,
        false => report(&outputs, messages)?,
    }
    Ok(true)
}

/// Prints the files that have been written: to standard error if standard output has another one.
fn report(outputs: &[(&str, &Path)], messages: &Diagnostics) -> Result<()> {
    let (to_stdout, files): (Vec<&Path>, Vec<&Path>) =
        outputs.iter().map(|(_, path)| *path).partition(|path| *path == Path::new("-"));
    let text: String = files.into_iter().map(|path| format!("{}\n", escaped_path(path))).collect();
    if to_stdout.is_empty() {
        return messages.report(&text);
    }
    messages.report_aside(&text);
    Ok(())
}

/// # Errors
/// Returns an error if two files are the same.
fn check_distinct(outputs: &[(&str, &Path)]) -> Result<()> {
    for (i, (option, path)) in outputs.iter().enumerate() {
        if let Some((other, _)) = outputs[..i].iter().find(|(_, earlier)| files::is_same_file(earlier, path)) {
            return Err(tpulang_base::argument(*option, path.display(), format!("{other} has the same file")));
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        let mut to = std::io::stdout().lock();
        return written(to.write_all(text.as_bytes()).and_then(|()| to.flush()));
    }
    files::create_folder_of(path)?;
    files::replace(path, |file| file.write_all(text.as_bytes()).map_err(Error::io(path)))
}
