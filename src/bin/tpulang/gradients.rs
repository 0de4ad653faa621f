use super::{Outcome, diagnostics::Diagnostics, model, output::Sources};
use std::path::PathBuf;
use tpulang::{Derivative, Graph, Result, Tensor, spec};
use tpulang_base::{escaped_path, files, invalid, pluralized};

/// Write a spec that also computes gradients
#[derive(clap::Args)]
#[command(after_help = "\
The new spec has the outputs of the old one, then the gradients: NAME_grad for each tensor NAME.

Example:
  tpulang gradients model.json --of loss --with-respect-to w,b -o training.json")]
pub struct Args {
    #[command(flatten)]
    spec: model::Source,
    /// Tensors to differentiate, the sum of all their elements; by default, the outputs that are floats
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    of: Vec<String>,
    /// Tensors whose gradients are wanted; by default, the inputs and coefficients that are floats
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    with_respect_to: Vec<String>,
    /// Let gradients pass through rounding and integers (quantization-aware training)
    #[arg(long)]
    straight_through: bool,
    /// The spec to write, with its weights next to it in an .npz
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let mut graph = args.spec.read_for("gradients", spec::Weights::Load)?;
    Sources::new(&args.spec.path, &graph, Vec::new()).check_spec("--output", &args.output)?;
    let of = chosen(&graph, &args.of, graph.outputs().to_vec(), "--of", "the network has no output that is a float")?;
    let inputs = graph.inputs().iter().copied();
    let known = graph.tensors().filter(|(_, info)| info.is_coefficient()).map(|(t, _)| t);
    let all: Vec<Tensor> = inputs.chain(known).collect();
    let none = "the network has no inputs or coefficients that are floats";
    let tensors = chosen(&graph, &args.with_respect_to, all, "--with-respect-to", none)?;
    let gradients = match args.straight_through {
        true => graph.gradients_with(&of, &tensors, |_, _, _| Ok(Derivative::StraightThrough))?,
        false => graph.gradients(&of, &tensors)?,
    };
    graph.set_outputs(&[graph.outputs(), &gradients].concat())?;
    messages.warn_of_model_and_weights(&graph)?;
    files::create_folder_of(&args.output)?;
    spec::save(&graph, &args.output)?;
    // Weights of a file have been read now.
    messages.warn(&graph, &graph.weight_warnings())?;
    messages.report(&format!("{}\n{}\n", escaped_path(&args.output), pluralized(gradients.len(), "gradient")))?;
    Ok(true)
}

/// Returns the named tensors, or by default those of `all` that are floats.
fn chosen(graph: &Graph, names: &[String], all: Vec<Tensor>, option: &str, none: &str) -> Result<Vec<Tensor>> {
    if !names.is_empty() {
        return names.iter().map(|name| graph.find(name)).collect();
    }
    let is_float = |t: &Tensor| graph.tensor(*t).is_ok_and(|info| info.dtype.is_float());
    let floats: Vec<Tensor> = all.into_iter().filter(is_float).collect();
    match floats.is_empty() {
        true => Err(invalid(format!("{option}: {none}"))),
        false => Ok(floats),
    }
}
