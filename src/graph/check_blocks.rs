//! The values that pass in and out of blocks, checked against the operators that own the blocks.
use super::{Block, Graph, Tensor};
use crate::{
    base::{Dtype, Result, Shape, pluralized, shape_text},
    ops::{Loop, Op, OpDef, op_def, operator_error},
};

/// Type of a result; `None` for an absent one.
pub(super) type ResultType = Option<(Shape, Dtype)>;

/// How a yielded value becomes a result.
#[derive(Clone, Copy)]
enum Yielded {
    AsIs,
    /// The values of all iterations of a loop, stacked along a new first axis.
    Stacked,
}

impl Graph {
    /// Checks that conditions are single numbers, that the arguments of the blocks of `op` have the types of the values that
    /// are passed to them, and that the blocks yield values of the number and types of its results.
    pub(super) fn check_blocks(&self, op: &Op<Tensor>, blocks: &[Block], results: &[ResultType]) -> Result<()> {
        let def = op.def();
        match op {
            Op::If(op) => def.blocks.iter().zip(blocks).try_for_each(|(name, block)| {
                self.check_number(def, "cond", op.cond)?;
                check_arguments(def, name, block, 0, "it has no arguments")?;
                check_count(def, name, block, results.len(), &pluralized(results.len(), "result"))?;
                self.check_values(def, name, &block.results, results, Yielded::AsIs)
            }),
            Op::Loop(op) => def.blocks.iter().zip(blocks).try_for_each(|(name, block)| {
                self.check_loop_arguments(op, name, block)?;
                if results.len() < op.v_initial.len() {
                    let (found, carried) = (pluralized(results.len(), "result"), op.v_initial.len());
                    return Err(operator_error(
                        def,
                        format!("it has {found}; expected at least {carried}, as many as it carries"),
                    ));
                }
                let carried = op.v_initial.len();
                let expected = format!("a condition and {}", pluralized(results.len(), "result"));
                check_count(def, name, block, 1 + results.len(), &expected)?;
                self.check_number(def, "the condition that its body yields", block.results[0])?;
                let (last, stacked) = block.results[1..].split_at(carried);
                let ty = |t: &Tensor| self.tensor(*t).map(|info| Some((info.shape.clone(), info.dtype)));
                let initial = op.v_initial.iter().map(ty).collect::<Result<Vec<ResultType>>>()?;
                self.check_values(def, name, last, &initial, Yielded::AsIs)?;
                self.check_values(def, name, last, &results[..carried], Yielded::AsIs)?;
                self.check_values(def, name, stacked, &results[carried..], Yielded::Stacked)
            }),
            _ => Ok(()),
        }
    }

    fn check_loop_arguments(&self, op: &Loop<Tensor>, name: &str, block: &Block) -> Result<()> {
        let def = op_def("Loop")?;
        op.M.iter().try_for_each(|t| self.check_number(def, "M", *t))?;
        op.cond.iter().try_for_each(|t| self.check_number(def, "cond", *t))?;
        let carried = pluralized(op.v_initial.len(), "carried value");
        let expected = format!("the iteration number, the condition and {carried}");
        check_arguments(def, name, block, 2 + op.v_initial.len(), &expected)?;
        for (what, argument) in ["the iteration number", "the condition"].into_iter().zip(&block.arguments) {
            self.check_number(def, &format!("its {name}'s argument for {what}"), *argument)?;
        }
        for (initial, argument) in op.v_initial.iter().zip(&block.arguments[2..]) {
            let (initial, argument) = (self.tensor(*initial)?, self.tensor(*argument)?);
            if (initial.dtype, &initial.shape) != (argument.dtype, &argument.shape) {
                let (found, given) = (argument.type_text(), initial.type_text());
                let problem = format!(
                    "its {name}'s argument {:?} is {found}; the initial value {:?} is {given}",
                    argument.name, initial.name
                );
                return Err(operator_error(def, problem));
            }
        }
        Ok(())
    }

    /// Checks that a tensor has one element.
    fn check_number(&self, def: &OpDef, what: &str, tensor: Tensor) -> Result<()> {
        let info = self.tensor(tensor)?;
        if info.elements() == 1 {
            return Ok(());
        }
        Err(operator_error(def, format!("{what} is {:?} ({}); expected a single number", info.name, info.type_text())))
    }

    /// Checks the blocks of every operator, since an edit may have changed types within them.
    pub(super) fn check_all_blocks(&self) -> Result<()> {
        let mut owners = Vec::new();
        self.body().walk(&mut |o| owners.extend((!o.blocks.is_empty()).then_some(o)));
        owners.into_iter().try_for_each(|o| {
            let ty = |t: Tensor| self.tensor(t).map(|info| (info.shape.clone(), info.dtype));
            let types = o.results.iter().map(|t| t.map(ty).transpose()).collect::<Result<Vec<_>>>()?;
            self.check_blocks(&o.op, &o.blocks, &types)
        })
    }

    fn check_values(
        &self,
        def: &OpDef,
        block: &str,
        values: &[Tensor],
        results: &[ResultType],
        how: Yielded,
    ) -> Result<()> {
        for (value, result) in values.iter().zip(results) {
            let (info, Some((shape, dtype))) = (self.tensor(*value)?, result) else {
                continue;
            };
            let element = match how {
                Yielded::AsIs => Some(shape.as_slice()),
                Yielded::Stacked => shape.get(1..),
            };
            if element != Some(&info.shape) || *dtype != info.dtype {
                let stacked =
                    if matches!(how, Yielded::Stacked) { ", which stacks the values of all iterations" } else { "" };
                return Err(operator_error(
                    def,
                    format!(
                        "its {block} yields {:?} ({}) for a result of {} {dtype}{stacked}",
                        info.name,
                        info.type_text(),
                        shape_text(shape)
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn check_arguments(def: &OpDef, name: &str, block: &Block, expected: usize, text: &str) -> Result<()> {
    let found = block.arguments.len();
    if found == expected {
        return Ok(());
    }
    let found = pluralized(found, "argument");
    Err(operator_error(def, format!("its {name} takes {found}; expected {expected}: {text}")))
}

fn check_count(def: &OpDef, name: &str, block: &Block, expected: usize, text: &str) -> Result<()> {
    let found = block.results.len();
    if found == expected {
        return Ok(());
    }
    Err(operator_error(
        def,
        format!("its {name} yields {}; expected {expected}, for {text}", pluralized(found, "value")),
    ))
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, Result, Tensor, ops, ops::Attribute};

    /// Builds a graph with an `If` whose then-branch yields `values` copies of its input, 1x4 float32.
    fn conditional(shape: [i64; 2], dtype: Dtype, values: usize) -> Result<(Graph, Tensor)> {
        let mut g = Graph::new("g")?;
        let (x, cond) = (g.input("x", Dtype::Float32, [1, 4])?, g.input("cond", Dtype::Float32, [1])?);
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let mut permuted = None;
        let then = g.block(none.clone(), |g, _| {
            let y = g.permute(x, [0, 1]).call()?;
            permuted = Some(y);
            Ok(vec![y; values])
        })?;
        let other = g.block(none, |g, _| Ok(vec![g.tanh(x).call()?]))?;
        let y = g.op(ops::If::new(cond)).owns(then).owns(other).out_dtypes([dtype]).out_shapes([shape]).call()?;
        g.set_outputs(&y)?;
        Ok((g, permuted.unwrap()))
    }

    #[test]
    fn branches_yield_what_the_results_are() {
        conditional([1, 4], Dtype::Float32, 1).unwrap();
        for (shape, dtype, values, expected) in [
            ([9, 9], Dtype::Float32, 1, r#"(1x4 float32) for a result of 9x9 float32"#),
            ([1, 4], Dtype::Int32, 1, "(1x4 float32) for a result of 1x4 int32"),
            ([1, 4], Dtype::Float32, 2, "its then_branch yields 2 values; expected 1, for 1 result"),
        ] {
            let error = conditional(shape, dtype, values).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_edit_within_a_branch_is_checked() {
        let (mut g, permuted) = conditional([1, 4], Dtype::Float32, 1).unwrap();
        g.check_complete().unwrap();
        g.set_attribute(permuted, "order", Some(Attribute::Ints(vec![1, 0]))).unwrap();
        let error = g.check_complete().unwrap_err().to_string();
        assert!(error.contains("(4x1 float32) for a result of 1x4 float32"), "{error}");
    }

    #[test]
    fn a_loop_yields_carried_and_stacked_values() {
        let build = |last: [i64; 2], stacked: [i64; 3]| -> Result<Vec<Tensor>> {
            let mut g = Graph::new("g")?;
            let x = g.input("x", Dtype::Float32, [1, 4])?;
            let arguments = [
                ("round".to_owned(), Dtype::Int32, vec![1i64]),
                ("again".to_owned(), Dtype::Float32, vec![1i64]),
                ("carried".to_owned(), Dtype::Float32, vec![1i64, 4]),
            ];
            let body = g.block(arguments, |g, given| {
                let next = g.relu(given[2]).call()?;
                Ok(vec![given[1], next, next])
            })?;
            let rounds = g.input("rounds", Dtype::Int32, [1])?;
            let shapes = [last.to_vec(), stacked.to_vec()];
            let op = ops::Loop { M: Some(rounds), ..ops::Loop::new(vec![x]) };
            g.op(op).owns(body).out_dtypes([Dtype::Float32; 2]).out_shapes(shapes).call()
        };
        build([1, 4], [7, 1, 4]).unwrap();
        let error = build([4, 1], [7, 1, 4]).unwrap_err().to_string();
        assert!(error.contains("its body yields") && error.contains("for a result of 4x1 float32"), "{error}");
        let error = build([1, 4], [7, 4, 1]).unwrap_err().to_string();
        assert!(error.contains("7x4x1 float32, which stacks the values of all iterations"), "{error}");
    }
}
