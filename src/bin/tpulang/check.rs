use super::{
    Outcome,
    diagnostics::Diagnostics,
    model,
    progress::{Size, during},
};
use std::path::{Path, PathBuf};
use tpulang::{Error, Graph, Result, spec};
use tpulang_base::pluralized;

/// Validate specs and ONNX models without writing files
#[derive(clap::Args)]
#[command(after_help = "\
Makes every check that convert makes, except for the size of unrolled loops: shapes, dtypes,
quantization and weights. Prints the number of operators and parameters, and the types of the inputs
and outputs.

Examples:
  tpulang check model.json
  tpulang check model.json --no-weights
  tpulang check models/*.json --deny warnings
  tpulang check model.onnx --param batch=1")]
pub struct Args {
    /// Graph specs (.json, or - for standard input) and ONNX models
    #[arg(required = true, value_name = "MODEL")]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    options: model::SourceOptions,
    /// Check the graph only, without opening the weights files if all coefficients are declared
    #[arg(long)]
    no_weights: bool,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let mut errors = Vec::new();
    for path in &args.specs {
        match check(&args, path, messages) {
            Ok(()) => {}
            Err(error) => errors.extend(error.into_each()),
        }
    }
    Error::collect(errors)?;
    Ok(true)
}

/// Checks one model, and prints what it declares.
fn check(args: &Args, path: &Path, messages: &Diagnostics) -> Result<()> {
    let weights = if args.no_weights { spec::Weights::Skip } else { spec::Weights::Load };
    let graph = during("reading the model", Size::Unknown, |_| args.options.read_for("check", path, weights))?;
    if args.no_weights {
        graph.check_quantization()?;
    } else {
        during("reading the weights", Size::Unknown, |_| check_all(&graph))?;
    }
    messages.warn_of_model(&graph)?;
    let operators = pluralized(graph.operators().len(), "operator");
    messages.report(&format!("{}: {operators}, {}\n", graph.name(), pluralized(graph.parameters(), "parameter")))?;
    for (heading, tensors) in [("input", graph.inputs()), ("output", graph.outputs())] {
        for &t in tensors {
            let info = graph.tensor(t)?;
            messages.report(&format!("  {heading:6}  {}  {}\n", info.name, info.type_text()))?;
        }
    }
    Ok(())
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
