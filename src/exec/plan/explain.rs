//! Plans as human-readable text.
use super::{Plan, Step, StepKernel, TensorIndex, rules};
use crate::{
    Backend, Kernel, KernelInfo, Layout, ValueType,
    array::byte_text,
    base::{pluralized, shape_text},
};
use std::collections::HashSet;

/// Returns the number of a source, which is added to `sources` if it is new.
fn numbered(source: String, sources: &mut Vec<String>) -> String {
    let known = sources.iter().position(|s| *s == source);
    let at = known.unwrap_or(sources.len());
    if known.is_none() {
        sources.push(source);
    }
    format!(" (source {})", at + 1)
}

impl<B: Backend> Plan<B> {
    /// One line per rule that applied, and one per step with its operators and results, followed by the description of its
    /// kernel if the backend has one. Generated sources are printed at the end.
    pub fn text(&self, backend: &str) -> String {
        let stages = self.steps.iter().flat_map(|s| &s.node.stages);
        let operators = stages.map(|s| s.origin.operator).collect::<HashSet<_>>().len();
        let mut text = format!(
            "{} in {}; peak memory for results and workspace: {}\n",
            pluralized(operators, "operator"),
            pluralized(self.steps.len(), "step"),
            byte_text(self.peak_bytes())
        );
        for (rule, times) in self.applied.iter().filter(|(_, times)| *times > 0) {
            text += &format!("- {}\n", rule.text(*times));
        }
        let mut sources: Vec<String> = Vec::new();
        text += &self.steps_text(backend, "", &mut sources);
        for (i, source) in sources.iter().enumerate() {
            text += &format!("\nsource {}:\n{source}", i + 1);
        }
        text
    }

    /// One line per step after `indent`, its kernels, and the steps of its blocks.
    fn steps_text(&self, backend: &str, indent: &str, sources: &mut Vec<String>) -> String {
        let rows: Vec<[String; 3]> = self.steps.iter().map(|s| self.row(s, backend)).collect();
        let width = |i: usize| rows.iter().map(|r| r[i].len()).max().unwrap_or(0).min(60);
        let (first, second) = (width(0), width(1));
        let mut text = String::new();
        for (i, ([what, name, rest], step)) in rows.iter().zip(&self.steps).enumerate() {
            text += format!("{indent}{i:>5}  {what:<first$}  {name:<second$}  {rest}").trim_end();
            text.push('\n');
            match &step.kernel {
                StepKernel::Kept(kernel) => {
                    for KernelInfo { text: part, source } in kernel.explain() {
                        let source = source.map_or(String::new(), |s| numbered(s, sources));
                        text += &format!("{indent}       - {part}{source}\n");
                    }
                }
                StepKernel::Control(control) => {
                    let names = step.node.last().map_or(&[][..], |stage| stage.op.def().blocks);
                    for (name, block) in names.iter().zip(&control.blocks) {
                        text += &format!("{indent}       {name}:\n");
                        text += &block.plan.steps_text(backend, &format!("{indent}    "), sources);
                    }
                }
                StepKernel::Streamed(_) => {}
            }
        }
        text
    }

    /// Whether a step converts between layouts of images.
    fn moves(&self, step: &Step<B>) -> bool {
        let is_image = |ty: &ValueType| matches!(ty.layout, Layout::Blocked { .. } | Layout::ChannelsLast);
        let has_image = |tensors: &[TensorIndex]| tensors.iter().any(|t| self.entry(*t).is_ok_and(|s| is_image(&s.ty)));
        has_image(&step.operands) != has_image(&step.outputs)
    }

    /// The operators, the names of the results, and their types with remarks.
    fn row(&self, step: &Step<B>, backend: &str) -> [String; 3] {
        let results = || step.outputs.iter().filter_map(|t| self.entry(*t).ok());
        let names: Vec<_> = results().map(|s| s.ty.name.as_str()).collect();
        let lies = |ty: &ValueType| match ty.layout {
            Layout::Plain => String::new(),
            Layout::Blocked { block, .. } if ty.shape.len() == 6 => format!(", nCdhw{block}c"),
            Layout::Blocked { block, .. } => format!(", nChw{block}c"),
            Layout::ChannelsLast if ty.shape.len() == 3 => ", NWC".into(),
            Layout::ChannelsLast if ty.shape.len() == 5 => ", NDHWC".into(),
            Layout::ChannelsLast => ", NHWC".into(),
            Layout::Bshd => ", BSHD".into(),
        };
        let ty = |ty: &ValueType| format!("{} {}{}", shape_text(&ty.plain_shape()), ty.dtype, lies(ty));
        let mut rest: Vec<_> = results().map(|s| ty(&s.ty)).collect();
        if rules::is_view(&step.node) && !self.moves(step) {
            rest.push("a view".into());
        }
        if step.kernel.is_on_cpu() && backend != "cpu" {
            rest.push("on the cpu".into());
        }
        if let StepKernel::Streamed(streamed) = &step.kernel {
            let what = if streamed.table.is_some() { "rows of the table read" } else { "weights reloaded" };
            rest.push(format!("{what} on every run"));
        }
        [step.node.text(), names.join(", "), rest.join(", ")]
    }
}
