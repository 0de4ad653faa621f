//! Merges padding with the convolution after it.
use super::{
    network::Operation,
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
};
use crate::{
    base::Result,
    ops::{AutoPad, Conv, Op, Pad, PadMode},
};

/// Merges the convolution at `at` with a padding of its spatial axes with zeros, as TensorFlow's exporter and PyTorch's `F.pad` write it.
///
/// # Errors
/// Returns an error if there is no such tensor, or if the filter cannot be read.
pub(super) fn merge(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some(last @ Operation { op: Op::Conv(conv), .. }) = graph.only_operation(at) else { return Ok(false) };
    let Some(before) = graph.single_use_producer(conv.input) else { return Ok(false) };
    let Some(Operation { op: Op::Pad(pad), .. }) = graph.only_operation(before) else { return Ok(false) };
    // In a quantized tensor, the padding of a convolution is the zero point.
    let is_float = graph.entry(pad.input)?.ty.is_plain_float() && graph.entry(conv.input)?.ty.is_plain_float();
    let has_own_pads = matches!(conv.auto_pad, None | Some(AutoPad::NOTSET));
    let Some(pads) = pads(pad, &conv.pads).filter(|_| is_float && has_own_pads) else { return Ok(false) };
    // Infinite weights would make NaN of the zeros, which a convolution leaves out.
    let Some(filter) = graph.constant(conv.filter) else { return Ok(false) };
    if !filter.to_f32()?.iter().all(|w| w.is_finite()) {
        return Ok(false);
    }
    let op = Conv { input: pad.input, pads, ..(**conv).clone() };
    let stage = Operation { op: op.into(), ..last.clone() };
    graph.remove(before);
    graph.replace(at, Node { stages: vec![stage] });
    Ok(true)
}

/// Returns the pads of a convolution together with those of a padding. Returns `None` if that writes other numbers than 0 or changes
/// other axes than the spatial ones.
fn pads<V>(pad: &Pad<V>, of_conv: &[i64]) -> Option<Vec<i64>> {
    let [before, after] = [&pad.paddings[..pad.paddings.len() / 2], &pad.paddings[pad.paddings.len() / 2..]];
    let is_zeros = pad.mode == PadMode::Constant && pad.val == 0.0 && pad.paddingsT.is_none();
    let others = before.iter().take(2).chain(after.iter().take(2));
    if !is_zeros || pad.paddings.iter().any(|n| *n < 0) || others.sum::<i64>() != 0 {
        return None;
    }
    let spatial = before.get(2..)?.iter().chain(after.get(2..)?);
    let both: Vec<i64> = spatial.zip(of_conv).map(|(a, b)| a.checked_add(*b)).collect::<Option<_>>()?;
    (both.len() == of_conv.len() && both.len() + 4 == pad.paddings.len()).then_some(both)
}
