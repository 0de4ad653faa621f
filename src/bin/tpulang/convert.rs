use super::{
    Outcome,
    diagnostics::Diagnostics,
    model,
    output::Sources,
    progress::{Size, during},
    shell::shell_word,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use tpulang::{
    Error, Graph, Mode, Result, Tensor,
    base::{WarningKind, Warnings},
    graph::{LoopInfo, Operator},
    mlir,
    ops::Op,
    spec,
};
use tpulang_base::{escaped_path, pluralized};

/// Write a model as NAME_origin.mlir and a weights .npz, ready for tpuc-opt
#[derive(clap::Args)]
#[command(after_help = "\
NAME is the name in the spec, or that of the ONNX file. An existing model is replaced as a whole: if
convert fails or is killed, either the old model or the new one is complete.

tpuc-opt crashes on most loops, and pymlir runs none. So a loop whose number of iterations is known
is written as that many copies of its body, unless --unroll is never.

Prints the next commands, of tpu_mlir. --quantize may also be F32 or BF16, and --chip another one.

Example:
  tpulang convert model.json -o build")]
pub struct Args {
    #[command(flatten)]
    spec: model::Source,
    /// Folder for the two files, created if missing
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
    /// Whether to write loops as copies of their bodies: those of known trip count, or none
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    unroll: Unroll,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
#[value(rename_all = "lower")]
enum Unroll {
    Auto,
    Never,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    let graph = args.spec.read_for("convert", spec::Weights::Load)?;
    let sources = Sources::new(&args.spec.path, &graph, Vec::new());
    for file in [format!("{}_origin.mlir", graph.name()), mlir::weight_file_name(&graph)] {
        sources.check("the file to write", &args.output.join(file))?;
    }
    let unrolled = match args.unroll {
        Unroll::Auto => model::unrolled(&graph)
            .map_err(|e| Error::new(format!("{e}; with --unroll never, loops are written as they are")))?,
        Unroll::Never => None,
    };
    let converted = unrolled.as_ref().unwrap_or(&graph);
    messages.warn_of_model_and_weights(&graph)?;
    messages.warn(&graph, &control_flow(&graph, unrolled.as_ref())?)?;
    let written = during("writing the model", Size::Unknown, |_| mlir::write_pair(converted, &args.output))?;
    // Weights of a file have been read now.
    messages.warn(&graph, &graph.weight_warnings())?;
    messages.report(&format!(
        "{}\n{}\n{}, {}\n{}",
        escaped_path(&written.mlir),
        escaped_path(&written.weights),
        pluralized(written.operators, "operator"),
        pluralized(written.parameters, "parameter"),
        next_steps(&graph, &args.output),
    ))?;
    Ok(true)
}

/// Returns the commands of the tool chain (tpu_mlir 1.30) that make a model for a chip of what was written.
fn next_steps(graph: &Graph, folder: &Path) -> String {
    let name = graph.name();
    let mode = if graph.mode == Mode::Quantized { "INT8" } else { "F16" };
    let folder = if folder == Path::new(".") { String::new() } else { format!("  cd {}\n", shell_word(folder)) };
    let [origin, canonical, bmodel] =
        ["_origin.mlir", ".mlir", ".bmodel"].map(|ending| shell_word(format!("{name}{ending}")));
    format!(
        "next:\n{folder}  tpuc-opt {origin} --struct-optimize --shape-infer --canonicalize --extra-optimize -o {canonical}\n  \
         model_deploy --mlir {canonical} --quantize {mode} --chip bm1684x --model {bmodel}\n"
    )
}

/// Returns which loops are unrolled, and what the tool chain may not run.
fn control_flow(graph: &Graph, unrolled: Option<&Graph>) -> Result<Warnings> {
    let mut all = Vec::new();
    if unrolled.is_some() {
        let copies = |found: LoopInfo| Some(WarningKind::LoopUnrolled { copies: found.trip_count?, name: found.name });
        all.extend(graph.loops()?.into_iter().filter_map(copies));
    }
    let converted = unrolled.unwrap_or(graph);
    all.extend(converted.loops()?.into_iter().map(|left| WarningKind::LoopKept { name: left.name }));
    for result in nested_branches(converted) {
        all.push(WarningKind::NestedBranches { name: converted.tensor(result)?.name.clone() });
    }
    Ok(all.into_iter().collect())
}

/// Returns the first result of each `If` in a branch of another.
fn nested_branches(graph: &Graph) -> Vec<Tensor> {
    let is_branching = |o: &Operator| matches!(o.op, Op::If(_));
    let mut nested = BTreeSet::new();
    graph.body().walk(&mut |outer| {
        for branch in outer.blocks.iter().filter(|_| is_branching(outer)) {
            branch.walk(&mut |o| nested.extend(o.outputs().take(usize::from(is_branching(o)))));
        }
    });
    nested.into_iter().collect()
}
