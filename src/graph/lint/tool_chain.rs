//! Operators for which tpu_mlir 1.30.2 computes other values than the definition: docs/differences.md has the evidence.
//! Forms that can be written otherwise are; these cannot.
use crate::{
    Graph, Operator, TensorInfo,
    base::WarningKind,
    ops::{self, Op},
    quant::Quantization,
};

/// `quantizations` are those of all tensors, by index.
pub fn check(graph: &Graph, quantizations: &[Option<Quantization>], found: &mut Vec<WarningKind>) {
    let known = Known { graph, quantizations };
    graph.body().walk(&mut |operator| {
        let result = operator.outputs().next().and_then(|t| graph.tensor(t).ok());
        if let Some((problem, result)) = known.problem(operator).zip(result) {
            found.push(WarningKind::ToolChainDiffers { tensor: result.name.clone(), problem: problem.to_owned() });
        }
    });
}

const SCATTER: &str = "bm1684x replaces numbers instead of adding, multiplying or comparing them; a product with a one-hot matrix adds them";

struct Known<'g> {
    graph: &'g Graph,
    quantizations: &'g [Option<Quantization>],
}

impl Known<'_> {
    /// Returns what the tool chain does with an operator, unless it computes what the definition says.
    fn problem(&self, operator: &Operator) -> Option<&'static str> {
        match &operator.op {
            Op::MulConst(op) if op.const_val.abs() >= 1e10 => {
                Some("tpu_mlir's executor multiplies by 10000 instead of a number of 1e10 or more")
            }
            Op::MatMul(op) => self.matmul(op),
            Op::Max(_) | Op::Min(_) => self.has_several_scales(operator).then_some(
                "bm1684x compares the stored values of quantized tensors, whose scales differ; requantize one of them",
            ),
            Op::Concat(_) => (self.has_zero_point(operator) && self.has_several_scales(operator)).then_some(
                "bm1684x adds the zero points of concatenated tensors twice; give them the result's scale and zero point",
            ),
            Op::Conv(op) => self.conv(op),
            Op::Deconv(op) => (self.has_zero_points(operator) && op.kernel_shape.len() == 2)
                .then_some("bm1684x mishandles the zero points of a transposed convolution; use a weight_zp of 0"),
            Op::AvgPool(op) if op.pads.iter().any(|n| *n != 0) && self.has_zero_point(operator) => {
                Some(match op.count_include_pad {
                    true => "bm1684x pads with the integer 0 instead of the zero point; use a zero point of 0",
                    false => "tpu_mlir's executor counts the padding, and bm1684x does not; with a zero point of 0 they agree",
                })
            }
            Op::AdaptiveAvgPool(op) => self.adaptive_pool(op),
            Op::RequantFp(op) => {
                (op.scale.len() > 1).then_some("the compiler for bm1684x aborts on requantization by several scales")
            }
            Op::ScatterElements(op) if op.reduction != 0 => Some(SCATTER),
            Op::ScatterND(op) if op.reduction != 0 => Some(SCATTER),
            Op::Copy(_) => Some("tpu_mlir's executor repeats the first elements of each row; leave out the copy"),
            Op::Mod(_) | Op::Remainder(_) | Op::Pow3(_) => self
                .has_several_shapes(operator)
                .then_some("tpu_mlir's executor does not broadcast; expand the smaller operand"),
            _ => None,
        }
    }

    fn matmul(&self, op: &ops::MatMul<crate::Tensor>) -> Option<&'static str> {
        let (left, right) = (self.info(op.input)?, self.info(op.right)?);
        let (rank, right_rank) = (left.shape.len(), right.shape.len());
        let is_batched = |shape: &[usize]| shape.iter().rev().skip(2).product::<usize>() > 1;
        if right_rank > 2 && right_rank < rank && is_batched(&right.shape) {
            return Some(
                "tpu_mlir's executor gives wrong results for a right operand with fewer batch axes; give it as many as the left",
            );
        }
        (rank >= 5 && left.shape[rank - 3] == 1 && is_batched(&left.shape)).then_some(
            "tpu_mlir's executor gives wrong results for products of 5 axes whose last batch axis is 1; reshape them to 3 axes",
        )
    }

    fn conv(&self, op: &ops::Conv<crate::Tensor>) -> Option<&'static str> {
        let input = self.info(op.input)?;
        let (pads, kernel) = (&op.pads, &op.kernel_shape);
        let is_as_deep = kernel.len() == 3 && input.shape.get(2).is_some_and(|d| *d as i64 == kernel[0]);
        (is_as_deep && pads.len() == 6 && (pads[0], pads[3]) != (0, 0)).then_some(
            "tpuc-opt drops the padding of the first axis, since the kernel is as deep as the input; pad before it",
        )
    }

    fn adaptive_pool(&self, op: &ops::AdaptiveAvgPool<crate::Tensor>) -> Option<&'static str> {
        let input = self.info(op.input)?;
        let mut sizes = input.shape.iter().rev().zip(op.output_size.iter().rev());
        let divides = sizes.all(|(size, out)| *out > 0 && *size as i64 % out == 0);
        (!divides).then_some("tpuc-opt rewrites it as AvgPool, with other windows, since the sizes do not divide")
    }

    fn info(&self, tensor: crate::Tensor) -> Option<&TensorInfo> {
        self.graph.tensor(tensor).ok()
    }
    /// Returns the quantizations of the operands that have one.
    fn of_operands<'a>(&'a self, operator: &'a Operator) -> impl Iterator<Item = &'a Quantization> {
        operator.op.operands().filter_map(|(_, t)| self.quantizations.get(t.index())?.as_ref())
    }
    fn has_several_scales(&self, operator: &Operator) -> bool {
        let mut all = self.of_operands(operator);
        all.next().is_some_and(|first| all.any(|other| other != first))
    }
    fn has_zero_point(&self, operator: &Operator) -> bool {
        self.of_operands(operator).any(has_zero_point)
    }
    fn has_zero_points(&self, operator: &Operator) -> bool {
        self.of_operands(operator).filter(|q| has_zero_point(q)).count() > 1
    }
    fn has_several_shapes(&self, operator: &Operator) -> bool {
        let mut shapes = operator.op.operands().filter_map(|(_, t)| Some(&self.info(*t)?.shape));
        shapes.next().is_some_and(|first| shapes.any(|other| other != first))
    }
}

fn has_zero_point(quantization: &Quantization) -> bool {
    quantization.values().1.iter().any(|zero_point| *zero_point != 0)
}

#[cfg(test)]
mod tests {
    use super::super::testing::warnings;
    use crate::{Array, Dtype, Graph, Mode, Result, Tensor, ops, quant::Quantization};

    /// Returns what the tool chain does with the outputs that `build` returns.
    fn problems(build: impl FnOnce(&mut Graph, Tensor) -> Result<Vec<Tensor>>) -> Vec<String> {
        let all = warnings(build);
        all.iter().filter_map(|w| w.strip_prefix("tool-chain-differs: ")).map(str::to_owned).collect()
    }

    #[test]
    fn floats() {
        let found = problems(|g, x| {
            let left = g.reshape(x, [2, 2, 1, 6, 6]).call()?;
            let right = g.reshape(x, [4, 6, 6]).call()?;
            let volume = g.reshape(x, [1, 1, 4, 6, 6]).call()?;
            let filter = Array::filled(Dtype::Float32, [1, 1, 4, 1, 1], 1.0)?;
            let pool = |g: &mut Graph, size: [i64; 2]| -> Result<Tensor> {
                Ok(g.op(ops::AdaptiveAvgPool::new(x, size.to_vec())).call()?[0])
            };
            Ok(vec![
                g.mul(x, 1e10).out_name("large").call()?,
                g.mul(x, 1e9).call()?,
                g.matmul(left, left).out_name("five").call()?,
                g.matmul(x, right).out_name("fewer").call()?,
                g.matmul(x, x).call()?,
                g.conv3d(volume, filter.clone()).pad([1, 0, 0, 0, 0, 0]).out_name("deep").call()?,
                g.conv3d(volume, filter).pad([0, 1, 0, 0, 0, 0]).call()?,
                g.copy(x).out_name("copied").call()?,
                pool(g, [4, 3])?,
                pool(g, [2, 3])?,
            ])
        });
        let names: Vec<&str> = found.iter().filter_map(|text| text.split(':').next()).collect();
        // Warnings of a kind after the third are only counted.
        assert_eq!(names, ["\"large\"", "\"five\"", "\"fewer\""], "{found:?}");
        assert!(found[2].ends_with("and 3 more warnings like it"), "{found:?}");
    }

    #[test]
    fn quantized_tensors() {
        let found = problems(|g, _| {
            g.mode = Mode::Quantized;
            let i = g.input("i", Dtype::Int8, [1, 2, 4, 4])?;
            let j = g.input("j", Dtype::Int8, [1, 2, 4, 4])?;
            let y = g.max(i, j).scale([0.5, 0.25, 0.5]).out_name("y").call()?;
            let z = g.concat([i, j]).axis(1).scales(vec![0.5, 0.25, 0.5]).zero_points(vec![0, 0, 0]).call()?;
            Ok(vec![y, z])
        });
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("\"y\": bm1684x compares the stored values"), "{found:?}");
    }

    #[test]
    fn scattered_sums() {
        for (reduction, expected) in [(0, 0), (1, 1)] {
            let found = problems(|g, x| {
                let at = g.input("at", Dtype::Int32, [1, 3, 1, 1])?;
                let updates = g.input("updates", Dtype::Float32, [1, 3, 1, 1])?;
                let op = ops::ScatterElements { reduction, ..ops::ScatterElements::new(x, at, updates, 1) };
                Ok(vec![g.op(op).call()?[0]])
            });
            assert_eq!(found.len(), expected, "{found:?}");
        }
    }

    #[test]
    fn padding_of_averaged_integers() {
        let found = |zero_point: i64, pad: i64, count_include_pad: bool| {
            let found = problems(|g, _| {
                g.mode = Mode::Quantized;
                let i = g.input("i", Dtype::Uint8, [1, 1, 3, 3])?;
                g.quantize(i, &Quantization::per_tensor(0.1, zero_point))?;
                let pool = ops::AvgPool::new(i, vec![3, 3], vec![1, 1], vec![pad; 4]);
                Ok(vec![g.op(ops::AvgPool { count_include_pad, ..pool }).call()?[0]])
            });
            found.join(", ")
        };
        assert!(found(100, 1, true).contains("bm1684x pads with the integer 0"));
        assert!(found(100, 1, false).contains("executor counts the padding"));
        assert_eq!([found(0, 1, true), found(100, 0, false)], ["", ""]);
    }
}
