use super::{
    Outcome,
    diagnostics::Diagnostics,
    model::{self, tensor_names},
    output::Sources,
    run::FILES,
    shell::shell_word,
};
use std::{collections::HashMap, path::PathBuf};
use tpulang::{
    Error, Graph, Result, Tensor,
    graph::{Operator, TensorInfo},
    spec,
};
use tpulang_base::{argument, escaped_path, files, misfit};

/// Split a network into parts that, run in sequence, give the same results
#[derive(clap::Args)]
#[command(after_help = "\
Each --at is a boundary: the part before it computes these tensors and what they need. Tensors that
a later part needs are outputs of the part that computes them. Prints the commands that run the
parts.

Examples:
  tpulang split model.json --at hidden -o parts
  tpulang split model.onnx --at stage1 --at stage2_left,stage2_right -o parts")]
pub struct Args {
    #[command(flatten)]
    model: model::Model,
    /// Cut after these tensors. Separate names by commas; repeat the option for more parts
    #[arg(long, required = true, value_name = "TENSORS")]
    at: Vec<String>,
    /// The folder for the parts, specs with their weights. It is created if missing
    #[arg(short, long, value_name = "FOLDER", help_heading = FILES)]
    output: PathBuf,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let graph = args.model.read()?;
    messages.warn_of_model_and_weights(&graph)?;
    let boundaries =
        args.at.iter().map(|names| tensor_names(&graph, names).into_iter().map(|name| graph.find(name)).collect());
    let boundaries = boundaries.collect::<Result<Vec<Vec<Tensor>>>>()?;
    let parts = graph.split_at(&boundaries).map_err(|e| misfit("--at:", e))?;
    if parts.len() <= boundaries.len() {
        return Err(no_part(&args.at, &boundaries, &parts));
    }
    let path = |part: &Graph| args.output.join(format!("{}.json", part.name()));
    let sources = Sources::new(&args.model.path, &graph, Vec::new());
    parts.iter().try_for_each(|part| sources.check_spec("--output", &path(part)))?;
    files::create_folder(&args.output)?;
    let mut text = String::new();
    for part in &parts {
        let path = path(part);
        spec::save(part, &path)?;
        text += &format!("{}: {}\n", escaped_path(&path), of_part(part));
    }
    // Weights of a file have been read now.
    messages.warn(&graph, &graph.weight_warnings())?;
    text += "\nrun them on a file INPUTS:\n";
    // Each input is named, since a part may not have all inputs that a file has.
    let inputs = infos(&graph, graph.inputs()).map(|info| (info.name.clone(), PathBuf::from("INPUTS")));
    let mut files: HashMap<String, PathBuf> = inputs.collect();
    for part in &parts {
        let [spec, results] = ["json", "results.npz"].map(|e| args.output.join(format!("{}.{e}", part.name())));
        let names = infos(part, part.inputs()).map(|info| info.name.as_str());
        let set = |name: &str| Some(shell_word(format!("{name}={}", files.get(name)?.display())));
        let set: String = names.filter_map(set).map(|word| format!(" --set {word}")).collect();
        text += &format!("  tpulang run {}{set} -o {}\n", shell_word(&spec), shell_word(&results));
        files.extend(infos(part, part.outputs()).map(|info| (info.name.clone(), results.clone())));
    }
    messages.report(&text)?;
    Ok(true)
}

/// Creates the error that one of the boundaries adds no part.
fn no_part(at: &[String], boundaries: &[Vec<Tensor>], parts: &[Graph]) -> Error {
    let mut part_of: HashMap<Tensor, usize> = HashMap::new();
    for (i, part) in parts.iter().enumerate() {
        part_of.extend(part.operators().iter().flat_map(Operator::outputs).map(|t| (t, i)));
    }
    let last = |boundary: &[Tensor]| boundary.iter().filter_map(|t| part_of.get(t)).max();
    match (1..at.len()).find(|i| last(&boundaries[*i]) <= last(&boundaries[i - 1])) {
        Some(i) => {
            let problem = format!("what it names is computed before {:?}; list boundaries in order", at[i - 1]);
            argument("--at", &at[i], format!("it adds no part: {problem}"))
        }
        None => argument("--at", at.join(" "), "one side of it has no operators; cut at inner tensors"),
    }
}

fn infos<'g>(graph: &'g Graph, tensors: &'g [Tensor]) -> impl Iterator<Item = &'g TensorInfo> {
    tensors.iter().filter_map(|t| graph.tensor(*t).ok())
}

/// Describes a part: `x, h -> y, 12 operators`.
fn of_part(part: &Graph) -> String {
    let names = |tensors| infos(part, tensors).map(|info| info.name.as_str()).collect::<Vec<_>>().join(", ");
    let count = tpulang_base::pluralized(part.operators().len(), "operator");
    format!("{} -> {}, {count}", names(part.inputs()), names(part.outputs()))
}
