use super::{Outcome, model, print, warn};
use std::path::PathBuf;
use tpulang::{base::counted, mlir, spec};

/// Convert a spec to NAME_origin.mlir and its weights .npz
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tpulang convert model.json -o build")]
pub struct Args {
    /// The graph spec (JSON); - for standard input
    spec: PathBuf,
    /// Folder for the two files; made if missing
    #[arg(short, long, default_value = ".")]
    output: PathBuf,
}

pub fn main(args: Args) -> Outcome {
    let graph = model::read_spec(&args.spec, spec::Weights::Load)?;
    let written = mlir::write_pair(&graph, &args.output)?;
    warn(&graph);
    let name = graph.name();
    print(&format!(
        "{}\n{}\n{}, {}\nnext: cd {} && tpuc-opt {name}_origin.mlir --struct-optimize --shape-infer --canonicalize --extra-optimize -o {name}.mlir\n",
        written.mlir.display(),
        written.weights.display(),
        counted(written.operators, "operator"),
        counted(written.parameters, "parameter"),
        args.output.display(),
    ))?;
    Ok(true)
}
