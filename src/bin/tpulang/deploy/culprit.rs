//! Finding the operator that makes the tool chain fail.
use super::{
    stage::{Arrays, Stage, Stages},
    target::Target,
    tool_chain::{Problem, ToolChain},
};
use std::{collections::HashSet, fs, path::Path};
use tpulang::{Dtype, Error, Graph, Result, Tensor, graph::Operator, spec};
use tpulang_base::files;

/// What makes a stage fail.
pub enum Culprit {
    /// The operator that computes a tensor: the stage fails once it is added to those before it.
    Operator {
        tensor: Tensor,
        /// Whether the stage also fails for the operator by itself; `None` if it cannot be tried, since it reads constants only.
        alone: Option<bool>,
    },
    /// No operator: the stage also fails for a network of a single Relu.
    AnyNetwork,
}

/// The result of the network of a single Relu.
const RELU: &str = "relu_of_input";

/// What a stage is tried on.
pub struct Trial<'a> {
    pub chain: &'a ToolChain,
    pub target: &'a Target,
    pub stage: Stage,
    /// Whether it fails when it runs, not when it is made.
    pub when_run: bool,
    /// What inputs and inner tensors are fed.
    pub arrays: &'a Arrays,
    /// A folder for its files.
    pub folder: &'a Path,
}

impl Trial<'_> {
    /// Finds the operator whose addition makes the stage fail, by halving: about as many trials as the number of operators has
    /// binary digits. If that is the first one, the cause may be an option, a table or the installation, so another network is tried.
    ///
    /// # Errors
    /// Returns an error if a part cannot be written.
    pub fn culprit(&self, graph: &Graph) -> Result<Option<Culprit>> {
        let count = graph.operators().len();
        // The first `passing` operators pass, and the first `failing` fail.
        let (mut passing, mut failing) = (0, count);
        while passing + 1 < failing {
            let middle = passing.midpoint(failing);
            match self.fails(&first(graph, middle)?)? {
                true => failing = middle,
                false => passing = middle,
            }
        }
        let Some(operator) = graph.operators().get(failing - 1) else { return Ok(None) };
        let Some(tensor) = operator.outputs().next() else { return Ok(None) };
        if failing == 1 && self.fails_for_relu(graph)? {
            return Ok(Some(Culprit::AnyNetwork));
        }
        let alone = match only(graph, operator)? {
            Some(part) if count > 1 => Some(self.fails(&part)?),
            Some(_) => Some(true),
            None => None,
        };
        Ok(Some(Culprit::Operator { tensor, alone }))
    }

    /// Returns whether the stage fails for a single Relu of the network's first input. Inputs other than floats are not tried.
    fn fails_for_relu(&self, graph: &Graph) -> Result<bool> {
        let Some(info) = graph.inputs().first().map(|t| graph.tensor(*t)).transpose()? else { return Ok(false) };
        if info.dtype != Dtype::Float32 || info.quantization.is_some() {
            return Ok(false);
        }
        let mut relu = Graph::new("relu")?;
        let x = relu.input(&info.name, info.dtype, info.shape.as_slice())?;
        let y = relu.relu(x).out_name(RELU).call()?;
        relu.set_outputs(&[y])?;
        let mut target = self.target.clone();
        if let Some(table) = &mut target.calibration
            && let Some(entry) = table.entries.get(&info.name).copied()
        {
            table.entries.insert(RELU.to_owned(), entry);
        }
        Trial { target: &target, ..*self }.fails(&relu)
    }

    /// Returns whether the stage fails for a part of the network.
    fn fails(&self, part: &Graph) -> Result<bool> {
        let folder = self.folder.join("trial");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(Error::io(&folder))?;
        }
        files::create_folder(&folder)?;
        let inputs = part.inputs().iter().filter_map(|t| {
            let name = &part.tensor(*t).ok()?.name;
            Some((name.clone(), self.arrays.get(name)?.clone()))
        });
        let stages = Stages::new(self.chain, self.target, folder, part, &inputs.collect())?;
        let made = Stage::ALL.into_iter().filter(|stage| *stage <= self.stage).try_for_each(|s| stages.make(s));
        let outcome = made.and_then(|()| if self.when_run { stages.run(self.stage).map(drop) } else { Ok(()) });
        match outcome {
            Ok(()) => Ok(false),
            Err(Problem::Failed(_)) => Ok(true),
            Err(Problem::Other(error)) => Err(error),
        }
    }
}

/// Returns the network of the first operators.
fn first(graph: &Graph, count: usize) -> Result<Graph> {
    let operators = &graph.operators()[..count];
    let used: HashSet<Tensor> = operators.iter().flat_map(Operator::uses).collect();
    let outputs = operators.iter().flat_map(Operator::outputs);
    let outputs: Vec<Tensor> = outputs.filter(|t| !used.contains(t) || graph.outputs().contains(t)).collect();
    let inputs: Vec<Tensor> = graph.inputs().iter().copied().filter(|t| used.contains(t)).collect();
    graph.part(&inputs, &outputs)
}

/// Returns the network of one operator; `None` if it reads constants only.
fn only(graph: &Graph, operator: &Operator) -> Result<Option<Graph>> {
    let mut inputs: Vec<Tensor> = Vec::new();
    for tensor in operator.uses() {
        let info = graph.tensor(tensor)?;
        if !info.is_coefficient() && !info.is_local && !inputs.contains(&tensor) {
            inputs.push(tensor);
        }
    }
    if inputs.is_empty() {
        return Ok(None);
    }
    graph.part(&inputs, &operator.outputs().collect::<Vec<_>>()).map(Some)
}

/// Writes an operator as a spec of its own.
pub fn write(graph: &Graph, tensor: Tensor, path: &Path) -> Result<()> {
    let operator = graph.operators().iter().find(|operator| operator.outputs().any(|t| t == tensor));
    let part = operator.map(|operator| only(graph, operator)).transpose()?.flatten();
    part.map_or(Ok(()), |part| spec::save(&part.named("operator")?, path))
}
