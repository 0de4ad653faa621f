//! Attention in BSHD layout, whose heads may share keys and values.
use super::{
    OpKernel, Operand,
    blocked::{self, Heads, InstructionSet},
    gemm::{Mat, add_to_rows, gemm_f32, packed_strips},
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, bytes, numbers, result_elements},
};
use crate::{
    array::zeros,
    base::Result,
    heads::{self, GroupedQueryAttention, Mask},
    ops::{Attention, FAttention, FAttentionLse, FlexAttention},
};
use std::borrow::Cow;

fn workspace(flash: &GroupedQueryAttention) -> Workspace {
    let Ok(sizes) = flash.sizes() else { return Workspace::none() };
    let rows = flash.queries.ty.elements() / sizes.elements.max(1);
    // Each query's log-sum-exp, and a growing list of their places.
    let logs = if flash.has_logs { numbers(rows, 4 + 16) } else { Workspace::none() };
    all_reals() + bytes(blocked::Attention::workspace(sizes, rows)) + logs
}

fn flash(t: &mut Task, op: &GroupedQueryAttention) -> Result<()> {
    let (query, key, value) = (t.reals(op.queries)?, t.reals(op.keys)?, t.reals(op.values)?);
    let (sizes, [of_query, of_key, of_value]) = (op.sizes()?, op.places()?);
    let entries = match op.masked {
        Mask::Additive(mask) => t.reals(mask)?,
        _ => Cow::default(),
    };
    let read = |row: usize, added: &mut [f32]| {
        let (batch, place) = (row / (sizes.heads * sizes.queries), row % sizes.queries);
        match op.masked {
            Mask::Additive(_) => {
                let batch = if entries.len() > sizes.queries * sizes.keys { batch } else { 0 };
                added.copy_from_slice(&entries[(batch * sizes.queries + place) * sizes.keys..][..added.len()]);
            }
            Mask::Causal(value) => {
                for (place, added) in (place..).zip(added.chunks_mut(sizes.keys)) {
                    let seen = (place + sizes.keys + 1).saturating_sub(sizes.queries);
                    added.iter_mut().enumerate().for_each(|(i, v)| *v = if i < seen { 0.0 } else { value });
                }
            }
            Mask::None => added.fill(0.0),
        }
    };
    let attention = blocked::Attention {
        isa: InstructionSet::best(),
        sizes,
        query: Heads { data: &query, places: of_query },
        key: Heads { data: &key, places: of_key },
        value: Heads { data: &value, places: of_value },
        scale: op.scale as f32,
        mask: (!matches!(op.masked, Mask::None)).then_some(&read as _),
        is_causal: false,
    };
    let mut logs =
        if op.has_logs && t.result(1).is_ok() { zeros(query.len() / sizes.elements.max(1))? } else { Vec::new() };
    t.write(0, PostOp::default(), |out| attention.run(true, out, &mut logs))?;
    if logs.is_empty() {
        return Ok(());
    }
    t.write(1, PostOp::default(), |out| {
        out.copy_from_slice(&logs);
        Ok(())
    })
}

pub(super) fn f_attention(op: FAttention<Operand>) -> OpKernel {
    let workspace = workspace(&GroupedQueryAttention::from(&op));
    OpKernel::with_workspace(workspace, move |t| flash(t, &GroupedQueryAttention::from(&op)))
}

pub(super) fn f_attention_lse(op: FAttentionLse<Operand>) -> OpKernel {
    let workspace = workspace(&GroupedQueryAttention::from(&op));
    OpKernel::with_workspace(workspace, move |t| flash(t, &GroupedQueryAttention::from(&op)))
}

pub(super) fn flex_attention(op: FlexAttention<Operand>) -> OpKernel {
    let workspace = workspace(&GroupedQueryAttention::from(&op));
    OpKernel::with_workspace(workspace, move |t| {
        flash(t, &GroupedQueryAttention::from(&op))?;
        // The log-sum-exp is filled with zeros.
        if op.has_lse { Ok(()) } else { t.memory(1).map(|memory| memory.bytes().fill(0)) }
    })
}

/// Multiplies an input by a weight matrix and adds the bias.
fn projected(t: &Task, input: &[f32], weight: &Operand, bias: &Option<Operand>) -> Result<Vec<f32>> {
    let (rows, columns) = (weight.ty.shape[0], weight.ty.shape[1]);
    let count = input.len() / rows;
    let mut out = zeros(count.saturating_mul(columns))?;
    let matrix = |data, rows, cols| Mat { data, rows, cols, transposed: false };
    let weight = t.reals(weight)?;
    gemm_f32(&mut out, matrix(input, count, rows), matrix(&weight, rows, columns))?;
    if let Some(bias) = bias {
        let bias = t.reals(bias)?;
        add_to_rows(&mut out, &bias);
    }
    Ok(out)
}

pub(super) fn attention(op: Attention<Operand>) -> OpKernel {
    // Projected queries, keys and values, the attention result, and the output.
    let rows = |o: &Operand| o.ty.elements() / o.ty.shape[2] * 2;
    let projected_rows = numbers((rows(&op.input) + rows(&op.keys)).saturating_mul(op.queries_weight.ty.shape[1]), 4);
    let sizes = heads::projected(&op).0;
    let heads = bytes(blocked::Attention::workspace(sizes, (rows(&op.input) / 2).saturating_mul(sizes.heads)));
    let weights = [&op.queries_weight, &op.keys_weight, &op.values_weight, &op.out_weight];
    let strips = weights.map(|w| packed_strips(1, [w.ty.shape[0], w.ty.shape[1]]));
    let packed = strips.into_iter().fold(heads, Workspace::max);
    OpKernel::with_workspace(all_reals() + projected_rows + result_elements(4) + packed, move |t| {
        let (q, k) = (&op.input.ty.shape, &op.keys.ty.shape);
        let query = projected(t, &t.reals(&op.input)?, &op.queries_weight, &op.queries_bias)?;
        let key = projected(t, &t.reals(&op.keys)?, &op.keys_weight, &op.keys_bias)?;
        let value = projected(t, &t.reals(&op.values)?, &op.values_weight, &op.values_bias)?;
        let (sizes, [of_query, of_key]) = heads::projected(&op);
        // The mask has one entry per batch, query and key.
        let entries = [q[0], q[1], k[1]];
        let mask = op.mask.as_ref().map(|m| t.source(m, &entries)).transpose()?;
        let read = mask.as_ref().map(|mask| {
            |row: usize, added: &mut [f32]| {
                let (batch, place) = (row / (sizes.heads * sizes.queries), row % sizes.queries);
                mask.reals((batch * sizes.queries + place) * sizes.keys, added);
            }
        });
        let attention = blocked::Attention {
            isa: InstructionSet::best(),
            sizes,
            query: Heads { data: &query, places: of_query },
            key: Heads { data: &key, places: of_key },
            value: Heads { data: &value, places: of_key },
            scale: op.scale as f32,
            mask: read.as_ref().map(|r| r as _),
            is_causal: false,
        };
        let mut attended = zeros::<f32>(query.len())?;
        attention.run(true, &mut attended, &mut [])?;
        let result = projected(t, &attended, &op.out_weight, &op.out_bias)?;
        t.write(0, PostOp::default(), |out| {
            out.copy_from_slice(&result);
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::{CpuBackend, Dtype, Graph, RunOptions, Session, ops::Attention};

    #[test]
    fn packed_keys_and_scores_are_counted() {
        let (keys, elements) = (4096, 64);
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, keys, elements]).unwrap();
        let weights = ["q", "k", "v", "o"].map(|name| g.input(name, Dtype::Float32, [elements, elements]).unwrap());
        let [q, k, v, o] = weights;
        let y = g.op(Attention::new(x, x, x, q, k, v, o, 1, 0.125)).call().unwrap();
        g.set_outputs(&y).unwrap();
        let peak = Session::new(&g, CpuBackend::new(), &RunOptions::default().threads(1)).unwrap().peak_bytes();
        // Queries, keys, values, what they attend to, and the result twice, of 1 MiB each.
        let rows = 6 << 20;
        let packed = (keys * 2 * elements * 4) as u64;
        assert!(peak > rows + packed, "{peak}");
    }
}
