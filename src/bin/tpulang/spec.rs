use super::{Outcome, diagnostics::Diagnostics, model, output::Sources};
use std::path::PathBuf;
use tpulang_base::{escaped_path, files, pluralized};

/// Write a model as a graph spec
#[derive(clap::Args)]
#[command(after_help = "\
An ONNX model becomes a spec that can be read and edited: one call for each operator, with the names
of the model, and of its modules where the exporter recorded them. Its weights are written next to
it, in an .npz.

Examples:
  tpulang spec model.onnx -o model.json
  tpulang spec model.onnx --param batch=1 -o model.json
  tpulang spec model.mlir -o model.json")]
pub struct Args {
    #[command(flatten)]
    model: model::Model,
    /// The spec to write, with its weights next to it in an .npz
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let path = args.model.path.clone();
    let graph = args.model.read_with_scopes()?;
    Sources::new(&path, &graph, Vec::new()).check_spec("--output", &args.output)?;
    messages.warn_of_model_and_weights(&graph)?;
    files::create_folder_of(&args.output)?;
    tpulang::spec::save(&graph, &args.output)?;
    // Weights of a file have been read now.
    messages.warn(&graph, &graph.weight_warnings())?;
    let operators = pluralized(graph.operators().len(), "operator");
    messages.report(&format!("{}: {operators}\n", escaped_path(&args.output)))?;
    Ok(true)
}
