use super::{Outcome, model, print, warn};
use std::path::PathBuf;
use tpulang::{Graph, Result, base::counted, spec};

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
        check_all(&graph)?;
    }
    warn(&graph);
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

/// Whether it can be converted, and its weights read.
#[cfg(feature = "mlir")]
fn check_all(graph: &Graph) -> Result<()> {
    let emitted = tpulang::mlir::emit(graph)?;
    emitted.weights.iter().try_for_each(|(_, data)| data.pieces(|_| Ok(())))
}

#[cfg(not(feature = "mlir"))]
fn check_all(graph: &Graph) -> Result<()> {
    graph.check_quantization()
}
