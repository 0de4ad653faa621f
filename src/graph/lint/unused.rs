//! Tensors that nothing reads.
use crate::{Graph, Operator, Tensor, base::WarningKind};
use std::collections::HashSet;

pub fn check(graph: &Graph, found: &mut Vec<WarningKind>) {
    let read = tensors_read(graph);
    let name = |t: Tensor| graph.tensor(t).map(|info| info.name.clone()).unwrap_or_default();
    let unread = |t: &Tensor| !read.contains(t);
    found.extend(graph.inputs().iter().filter(|t| unread(t)).map(|t| WarningKind::UnusedInput { tensor: name(*t) }));
    // The coefficients of a call are made by its function.
    let repacked: HashSet<Tensor> = read.iter().filter_map(|t| graph.tensor(*t).ok()?.repacked_from).collect();
    let is_unread = |t: &Tensor| unread(t) && !repacked.contains(t);
    let declared = graph.tensors().filter(|(t, info)| info.is_coefficient() && !info.of_call && is_unread(t));
    found.extend(declared.map(|(_, info)| WarningKind::UnusedWeight { tensor: info.name.clone() }));
    graph.body().walk(&mut |operator: &Operator| {
        // Nothing has to read all results of an operator.
        if let Some(first) = operator.outputs().next()
            && operator.outputs().all(|t| unread(&t))
        {
            let op = format!("top.{}", operator.op.name());
            found.push(WarningKind::UnreadResult { tensor: name(first), op });
        }
    });
}

/// Returns every tensor that an operator, a block or the caller reads, and the variables.
fn tensors_read(graph: &Graph) -> HashSet<Tensor> {
    let mut read: HashSet<Tensor> = graph.outputs().iter().copied().collect();
    read.extend(graph.updates.iter().flat_map(|(variable, next)| [*variable, *next]));
    graph.body().walk(&mut |operator| {
        read.extend(operator.op.operands().map(|(_, t)| *t));
        operator.blocks.iter().for_each(|block| read.extend(&block.results));
    });
    read
}

#[cfg(test)]
mod tests {
    use super::super::testing::warnings;
    use crate::{Array, Dtype};

    #[test]
    fn what_nothing_reads_is_named() {
        let found = warnings(|g, x| {
            g.input("mask", Dtype::Float32, [1])?;
            g.coefficient("bias", Array::from([1f32]))?;
            let h = g.relu(x).out_name("h").call()?;
            g.sigmoid(h).out_name("s").call()?;
            // The indices of topk are not read, which is usual.
            Ok(vec![g.topk(x, -1, 2).call()?[0]])
        });
        assert_eq!(
            found,
            [
                "unused-input: no operator reads the input \"mask\", and it is not an output",
                "unused-weight: no operator reads the coefficient \"bias\"",
                "unread-result: nothing reads \"s\", a result of top.Sigmoid, and it is not an output",
            ]
        );
    }

    #[test]
    fn blocks_and_variables_read_tensors() {
        let found = warnings(|g, x| {
            let sum = g.coefficient("sum", Array::from([0f32]))?;
            let next = g.add(sum, 1.0).call()?;
            g.assign(sum, next)?;
            let flag = g.input("flag", Dtype::Float32, [1])?;
            g.cond(flag, |g| Ok(vec![g.relu(x).call()?]), |_| Ok(vec![x]))
        });
        assert_eq!(found, [""; 0]);
    }
}
