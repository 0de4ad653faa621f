use super::{Outcome, diagnostics::Diagnostics, model};
use tpulang::{Graph, Result, spec};
use tpulang_base::pluralized;

/// Validate a spec without writing files
#[derive(clap::Args)]
#[command(after_help = "\
Makes every check that convert makes, except for the size of unrolled loops: shapes, dtypes,
quantization and weights. Prints the number of operators and parameters, and the types of the inputs
and outputs.

Examples:
  tpulang check model.json
  tpulang check model.json --no-weights")]
pub struct Args {
    #[command(flatten)]
    spec: model::Spec,
    /// Check the graph only, without opening the weights file
    #[arg(long)]
    no_weights: bool,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let weights = if args.no_weights { spec::Weights::Skip } else { spec::Weights::Load };
    let graph = args.spec.read_for("check", weights)?;
    if args.no_weights {
        graph.check_quantization()?;
    } else {
        check_all(&graph)?;
    }
    messages.warn(&graph.warnings())?;
    messages.report(&format!(
        "{}: {}, {}\n",
        graph.name(),
        pluralized(graph.operators().len(), "operator"),
        pluralized(graph.parameters(), "parameter")
    ))?;
    for (heading, tensors) in [("input", graph.inputs()), ("output", graph.outputs())] {
        for &t in tensors {
            let info = graph.tensor(t)?;
            messages.report(&format!("  {heading:6}  {}  {}\n", info.name, info.type_text()))?;
        }
    }
    Ok(true)
}

/// Checks that the graph can be converted and its weights can be read.
#[cfg(feature = "mlir")]
fn check_all(graph: &Graph) -> Result<()> {
    let emitted = tpulang::mlir::emit(graph)?;
    emitted.weights.iter().try_for_each(|(_, data)| data.pieces(|_| Ok(())))
}

#[cfg(not(feature = "mlir"))]
fn check_all(graph: &Graph) -> Result<()> {
    graph.check_quantization()
}
