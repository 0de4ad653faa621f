use super::{Outcome, model, print};
use std::path::PathBuf;
use tpulang::{base::counted, mlir, spec};

/// Check a spec: everything that convert does, but writing
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tpulang check model.json")]
pub struct Args {
    /// The graph spec (JSON); - for standard input
    spec: PathBuf,
    /// Do not open the weights file: check the graph alone
    #[arg(long)]
    no_weights: bool,
}

pub fn main(args: Args) -> Outcome {
    let weights = if args.no_weights { spec::Weights::Skip } else { spec::Weights::Load };
    let graph = model::read_spec(&args.spec, weights)?;
    if args.no_weights {
        graph.check_quantization()?;
    } else {
        for (_, data) in mlir::emit(&graph)?.weights {
            // Whether they can be read.
            data.pieces(|_| Ok(()))?;
        }
    }
    print(&format!(
        "{}: {}, {}\n",
        graph.name(),
        counted(graph.operators().len(), "operator"),
        counted(graph.parameters(), "parameter")
    ))?;
    for (heading, tensors) in [("input", graph.inputs()), ("output", graph.outputs())] {
        for &t in tensors {
            let info = graph.tensor(t)?;
            print(&format!("  {heading:6}  {}  {}\n", info.name, info.type_text()))?;
        }
    }
    Ok(true)
}
