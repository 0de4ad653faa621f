//! Editing a graph that is already built.
use super::{Block, Graph, NewResult, Operator, Tensor, TensorKind};
use crate::{
    base::{Result, argument},
    ops::{Attribute, Op, check_attributes},
};
use std::collections::HashSet;

impl Graph {
    /// Replaces every use of `old` by `new`, in operands and outputs.
    ///
    /// # Errors
    /// Returns an error if their types differ, if `new` belongs to a block, or if it is computed after a use of `old`.
    pub fn replace_all_uses(&mut self, old: Tensor, new: Tensor) -> Result<()> {
        self.check_visible(new)?;
        let (from, to) = (self.tensor(old)?, self.tensor(new)?);
        if (&from.shape, from.dtype) != (&to.shape, to.dtype) {
            let expected = format!("{:?}, which it replaces, is {}", from.name, from.type_text());
            return Err(argument("the new tensor", format!("{:?}, {}", to.name, to.type_text()), expected));
        }
        let (mut producer, mut first_use, mut at) = (None, None, 0usize);
        self.body().walk(&mut |o| {
            if o.outputs().any(|t| t == new) {
                producer = Some(at);
            }
            if first_use.is_none() && o.uses().contains(&old) {
                first_use = Some(at);
            }
            at += 1;
        });
        if let (Some(producer), Some(first_use)) = (producer, first_use)
            && producer >= first_use
        {
            let expected = format!("it is computed after the first use of {:?}", from.name);
            return Err(argument("the new tensor", format!("{:?}", to.name), expected));
        }
        if self.outputs().contains(&old) && (to.kind != TensorKind::Value || self.outputs().contains(&new)) {
            let expected =
                format!("{:?} is an output; its replacement must be computed, and not be an output yet", from.name);
            return Err(argument("the new tensor", format!("{:?}", to.name), expected));
        }
        let swap = |t: &Tensor| if *t == old { new } else { *t };
        self.body.walk_blocks_mut(&mut |block| {
            for operator in &mut block.operators {
                if operator.op.operands().any(|(_, t)| *t == old) {
                    operator.op = operator.op.map(swap);
                    operator.is_edited = true;
                }
            }
            block.results.iter_mut().for_each(|t| *t = swap(t));
        });
        self.updates.iter_mut().for_each(|(_, next)| *next = swap(next));
        Ok(())
    }

    /// Removes the operators that no output depends on, also in blocks, and the coefficients that are then unused. Keeps the
    /// inputs. Returns the number of operators removed. Does nothing while a block is being built, as its results are not known yet.
    pub fn remove_dead(&mut self) -> usize {
        if !self.open.is_empty() {
            return 0;
        }
        let mut live: HashSet<Tensor> = self.outputs().iter().copied().collect();
        live.extend(self.updates.iter().flat_map(|(variable, next)| [*variable, *next]));
        self.body.mark_live(&mut live);
        let mut removed = Vec::new();
        let mut count = 0;
        self.body.walk_blocks_mut(&mut |block| {
            let is_dead = |o: &Operator| !o.outputs().any(|t| live.contains(&t));
            let dead: Vec<bool> = block.operators.iter().map(is_dead).collect();
            block.ungroup_calls(|i| dead[i]);
            removed.extend(block.remove(&dead));
            count += dead.into_iter().filter(|d| *d).count();
        });
        removed.into_iter().for_each(|t| self.forget(t));
        let unused: Vec<Tensor> =
            self.tensors().filter(|(t, info)| info.is_coefficient() && !live.contains(t)).map(|(t, _)| t).collect();
        unused.into_iter().for_each(|t| self.forget(t));
        count
    }

    /// Replaces the operator that computes `result`, and nothing else, by another one. Its operands must be visible where the
    /// operator is.
    ///
    /// # Errors
    /// Returns an error if the new operator has another type. The graph is then unchanged.
    #[doc(hidden)]
    pub fn replace_operator(&mut self, result: Tensor, op: Op<Tensor>) -> Result<()> {
        let info = self.tensor(result)?;
        let expected = NewResult { dtype: Some(info.dtype), shape: Some(info.shape.clone()), ..NewResult::default() };
        self.result_types(&op, &[expected], &[])?;
        check_attributes(op.name(), &op.attributes())?;
        let missing = argument("the tensor", format!("{:?}", info.name), "expected one that an operator computes");
        let operator = self.body.producer_mut(result).filter(|o| o.results.len() == 1 && o.blocks.is_empty());
        let operator = operator.ok_or(missing)?;
        (operator.op, operator.is_edited) = (op, true);
        Ok(())
    }

    /// Removes the operators of the current block from index `first` on that `kept` tensors do not depend on, and their coefficients
    /// made by the same call.
    pub(super) fn remove_unused_since(&mut self, first: usize, kept: &[Tensor]) {
        let mut live: HashSet<Tensor> = kept.iter().copied().collect();
        live.extend(self.updates.iter().map(|(_, next)| *next));
        let mut dead = Vec::new();
        for operator in self.current().operators[first..].iter().rev() {
            let is_live = operator.outputs().any(|t| live.contains(&t));
            dead.push(!is_live);
            if is_live {
                live.extend(operator.uses());
            }
        }
        let dead: Vec<bool> = std::iter::repeat_n(false, first).chain(dead.into_iter().rev()).collect();
        self.current().ungroup_calls(|i| dead[i]);
        let removed = self.current().remove(&dead);
        removed.into_iter().for_each(|t| self.forget(t));
    }

    /// Sets an attribute of the operator that computes `result` (`None` resets it to its default), and infers the types
    /// of the operators that depend on it again.
    ///
    /// # Errors
    /// Returns an error if no operator computes `result`, if there is no such attribute, or if the new types do not fit
    /// a later operator. The graph is then unchanged.
    pub fn set_attribute(&mut self, result: Tensor, name: &str, value: Option<Attribute>) -> Result<()> {
        let info = self.tensor(result)?;
        let missing = argument("the tensor", format!("{:?}", info.name), "expected one that an operator computes");
        let operator = self.body.producer_mut(result).ok_or(missing)?;
        let op = operator.op.with_attribute(name, value)?;
        let before = (std::mem::replace(&mut operator.op, op), std::mem::replace(&mut operator.is_edited, true));
        let operator = operator.clone();
        let done = self.atomic(|g| g.infer_from(result, &operator));
        if done.is_err()
            && let Some(operator) = self.body.producer_mut(result)
        {
            (operator.op, operator.is_edited) = before;
        }
        done
    }

    /// Infers the types of `edited`, which computes `result`, and of every operator whose operands thereby change.
    fn infer_from(&mut self, result: Tensor, edited: &Operator) -> Result<()> {
        let mut changed = HashSet::new();
        self.infer_again(edited, &mut changed)?;
        if changed.is_empty() {
            return Ok(());
        }
        let first = self.body.position_of(result).unwrap_or_default();
        for i in first..self.operators().len() {
            if !self.operators()[i].uses_any(&changed) {
                continue;
            }
            let user = self.operators()[i].clone();
            self.infer_users(&user, &mut changed)?;
        }
        Ok(())
    }

    fn infer_users(&mut self, user: &Operator, changed: &mut HashSet<Tensor>) -> Result<()> {
        if user.op.operands().any(|(_, t)| changed.contains(t)) {
            self.infer_again(user, changed)?;
        }
        user.blocks.iter().flat_map(Block::operators).try_for_each(|o| self.infer_users(o, changed))
    }

    /// Infers the result types of an operator, and adds the results whose types change to `changed`.
    fn infer_again(&mut self, operator: &Operator, changed: &mut HashSet<Tensor>) -> Result<()> {
        let known = |t: &Option<Tensor>| -> Result<NewResult> {
            let Some(t) = t else {
                return Ok(NewResult { absent: true, ..NewResult::default() });
            };
            let info = self.tensor(*t)?;
            Ok(NewResult { dtype: Some(info.dtype), shape: Some(info.shape.clone()), ..NewResult::default() })
        };
        let Operator { op, results, .. } = operator;
        let given = results.iter().map(known).collect::<Result<Vec<_>>>()?;
        // A type rule determines shape and dtype; what it leaves open keeps its value.
        let open = |r: &NewResult| NewResult { shape: None, ..r.clone() };
        let types = self
            .result_types(op, &given.iter().map(open).collect::<Vec<_>>(), &[])
            .or_else(|e| self.result_types(op, &given, &[]).map_err(|_| e))?;
        for (tensor, ty) in results.iter().zip(types) {
            let (Some(tensor), Some((shape, dtype))) = (*tensor, ty) else {
                continue;
            };
            let info = self.tensor(tensor)?;
            if (&info.shape, info.dtype) != (&shape, dtype) {
                changed.insert(tensor);
                self.change(tensor, |t| (t.shape, t.dtype) = (shape, dtype));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tpulang::{
        Array, Dtype, Graph, mlir,
        ops::{self, Attribute},
        spec,
    };

    #[test]
    fn a_graph_is_edited() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 6]).unwrap();
        let a = g.add(x, Array::from([1f32; 6])).out_name("a").call().unwrap();
        let b = g.relu(a).out_name("b").call().unwrap();
        let c = g.softmax(b, -1).out_name("c").call().unwrap();
        g.set_outputs(&[c]).unwrap();
        g.replace_all_uses(a, x).unwrap();
        assert_eq!(g.remove_dead(), 1);
        assert!(g.tensor(a).is_err() && g.find("a").is_err(), "its handle and name are gone");
        assert_eq!(g.parameters(), 0);
        g.set_attribute(b, "relu_limit", Some(Attribute::Float(6.0))).unwrap();
        let text = mlir::emit(&g).unwrap().text;
        assert!(text.contains(r#""top.Relu"(%1) {relu_limit = 6.000000e+00 : f64}"#), "{text}");
        // An edited call becomes a call of the op, and can still be written as a spec.
        let text = spec::to_text(&g, None).unwrap();
        assert!(text.contains(r#""op":"top.Relu","args":{"input":"x","relu_limit":6.0},"out":"b""#), "{text}");
        assert_eq!(
            mlir::emit(&spec::from_text(&text, "again", None).unwrap()).unwrap().text,
            mlir::emit(&g).unwrap().text
        );
        for (error, expected) in [
            (g.replace_all_uses(x, c).unwrap_err(), "it is computed after the first use of \"x\""),
            (g.set_attribute(b, "relu_limits", None).unwrap_err(), "did you mean \"relu_limit\"?"),
            (g.set_attribute(c, "axis", Some(Attribute::Int(2))).unwrap_err(), "axis is 2"),
        ] {
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn types_follow_an_edit() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let y = g.permute(x, [1, 0]).call().unwrap();
        let z = g.relu(y).call().unwrap();
        g.set_attribute(y, "order", Some(Attribute::Ints(vec![0, 1]))).unwrap();
        assert_eq!(g.tensor(z).unwrap().shape, [2, 3]);
    }

    #[test]
    fn types_in_blocks_follow_an_edit() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let cond = g.input("cond", Dtype::Float32, [1]).unwrap();
        let y = g.permute(x, [1, 0]).call().unwrap();
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let mut inner = None;
        let then = g
            .block(none.clone(), |g, _| {
                let r = g.relu(y).call()?;
                inner = Some(r);
                Ok(vec![g.reduce(r).axes([0, 1]).call()?])
            })
            .unwrap();
        let other = g.block(none, |g, _| Ok(vec![g.reduce(x).axes([0, 1]).call()?])).unwrap();
        let new = g.op(ops::If::new(cond)).owns(then).owns(other);
        new.out_dtypes([Dtype::Float32]).out_shapes([[1, 1]]).call().unwrap();
        g.set_attribute(y, "order", Some(Attribute::Ints(vec![0, 1]))).unwrap();
        assert_eq!(g.tensor(inner.unwrap()).unwrap().shape, [2, 3]);
        g.set_attribute(inner.unwrap(), "relu_limit", Some(Attribute::Float(6.0))).unwrap();
        let text = spec::to_text(&g, None).unwrap();
        assert!(text.contains(r#""op":"top.Relu","args":{"input":"permute_0","relu_limit":6.0}"#), "{text}");
    }

    /// This test would take hours if each edit inferred the whole graph.
    #[test]
    fn edits_cost_what_they_change() {
        let mut g = Graph::new("g").unwrap();
        let mut t = g.input("x", Dtype::Float32, [1]).unwrap();
        let mut all = Vec::new();
        for _ in 0..30_000 {
            t = g.relu(t).call().unwrap();
            all.push(t);
        }
        for t in all {
            g.set_attribute(t, "relu_limit", Some(Attribute::Float(6.0))).unwrap();
        }
    }
}
