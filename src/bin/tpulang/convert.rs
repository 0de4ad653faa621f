use super::{Outcome, model, output::Sources, print, warn};
use std::path::PathBuf;
use tpulang::{mlir, spec};
use tpulang_base::{escaped_path, pluralized};

/// Write a spec as NAME_origin.mlir and a weights .npz, ready for tpuc-opt
#[derive(clap::Args)]
#[command(after_help = "\
NAME is the name in the spec. An existing model is replaced as a whole: if convert fails or is
killed, either the old model or the new one is complete.

Example:
  tpulang convert model.json -o build")]
pub struct Args {
    /// A graph spec (.json, or - for standard input)
    spec: PathBuf,
    /// Folder for the two files, created if missing
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
}

pub fn main(args: Args) -> Outcome {
    let graph = model::read_spec_for("convert", &args.spec, spec::Weights::Load)?;
    let sources = Sources::new(&args.spec, &graph, Vec::new());
    for file in [format!("{}_origin.mlir", graph.name()), mlir::weight_file_name(&graph)] {
        sources.check("the file to write", &args.output.join(file))?;
    }
    let written = mlir::write_pair(&graph, &args.output)?;
    warn(&graph);
    let name = graph.name();
    print(&format!(
        "{}\n{}\n{}, {}\nnext: cd {} && tpuc-opt {name}_origin.mlir --struct-optimize --shape-infer --canonicalize --extra-optimize -o {name}.mlir\n",
        escaped_path(&written.mlir),
        escaped_path(&written.weights),
        pluralized(written.operators, "operator"),
        pluralized(written.parameters, "parameter"),
        escaped_path(&args.output),
    ))?;
    Ok(true)
}
