//! Changing a graph that is built already.
use super::{Block, Graph, NewResult, Operator, Tensor, TensorKind};
use crate::{
    base::{Result, argument},
    ops::Attribute,
};
use std::collections::{HashMap, HashSet};

impl Graph {
    /// Everything that uses `old` uses `new` instead, as do the outputs.
    ///
    /// # Errors
    /// The two are not of one type, or `new` is computed after something that would use it.
    pub fn replace_all_uses(&mut self, old: Tensor, new: Tensor) -> Result<()> {
        let (from, to) = (self.tensor(old)?, self.tensor(new)?);
        if (&from.shape, from.dtype) != (&to.shape, to.dtype) {
            let expected = format!("{:?}, which it replaces, is {}", from.name, from.type_text());
            return Err(argument("the new tensor", format!("{:?}, {}", to.name, to.type_text()), expected));
        }
        let (mut made, mut used, mut at) = (None, None, 0usize);
        self.body().walk(&mut |o| {
            if o.outputs().any(|t| t == new) {
                made = Some(at);
            }
            if used.is_none() && o.op.operands().any(|(_, t)| *t == old) {
                used = Some(at);
            }
            at += 1;
        });
        if let (Some(made), Some(used)) = (made, used)
            && made >= used
        {
            let expected = format!("it is computed after the first use of {:?}", from.name);
            return Err(argument("the new tensor", format!("{:?}", to.name), expected));
        }
        if self.outputs().contains(&old) && (to.kind != TensorKind::Value || self.outputs().contains(&new)) {
            let expected =
                format!("{:?} is an output: what replaces it must be computed, and no output yet", from.name);
            return Err(argument("the new tensor", format!("{:?}", to.name), expected));
        }
        let swap = |t: &Tensor| if *t == old { new } else { *t };
        self.body.walk_blocks_mut(&mut |block| {
            let uses = |o: &Operator| o.op.operands().any(|(_, t)| *t == old);
            let users: HashSet<usize> = (0..block.operators.len()).filter(|i| uses(&block.operators[*i])).collect();
            if !users.is_empty() {
                block.dissolve(|i| users.contains(&i));
            }
            for i in users {
                block.operators[i].op = block.operators[i].op.map(swap);
            }
            block.results.iter_mut().for_each(|t| *t = swap(t));
        });
        Ok(())
    }

    /// Removes the operators that no output needs, and the coefficients that then nothing uses. Inputs stay. Gives the
    /// number of operators removed.
    pub fn remove_dead(&mut self) -> usize {
        let mut live: HashSet<Tensor> = self.outputs().iter().copied().collect();
        for operator in self.operators().iter().rev() {
            if operator.outputs().any(|t| live.contains(&t)) {
                live.extend(operator.uses());
            }
        }
        let is_dead = |o: &Operator| !o.outputs().any(|t| live.contains(&t));
        let dead: Vec<bool> = self.operators().iter().map(is_dead).collect();
        self.body.dissolve(|i| dead[i]);
        self.remove(&dead);
        let unused: Vec<Tensor> =
            self.tensors().filter(|(t, info)| info.is_coefficient() && !live.contains(t)).map(|(t, _)| t).collect();
        unused.into_iter().for_each(|t| self.forget(t));
        dead.into_iter().filter(|d| *d).count()
    }

    /// Removes the operators that are dead, whose calls are their own.
    fn remove(&mut self, dead: &[bool]) {
        let mut first = 0;
        self.body.calls.retain(|c| {
            let at = first;
            first += c.operators;
            c.operators != 1 || !dead[at]
        });
        let mut made: Vec<Tensor> = Vec::new();
        let mut places = dead.iter();
        self.body.operators.retain(|operator| {
            let stays = places.next() != Some(&true);
            if !stays {
                made.extend(operator.outputs());
                for block in &operator.blocks {
                    made.extend(&block.arguments);
                    block.walk(&mut |o| made.extend(o.outputs()));
                }
            }
            stays
        });
        made.into_iter().for_each(|t| self.forget(t));
    }

    /// Sets an attribute of the operator that computes `result` (`None`: to its default), and infers the types of
    /// everything after it again.
    ///
    /// # Errors
    /// Nothing computes it, there is no such attribute, or what follows does not fit; the graph is then as it was.
    pub fn set_attribute(&mut self, result: Tensor, name: &str, value: Option<Attribute>) -> Result<()> {
        self.tensor(result)?;
        let before = self.snapshot();
        let done = self.try_set_attribute(result, name, value);
        if done.is_err() {
            *self = before;
        }
        done
    }

    fn try_set_attribute(&mut self, result: Tensor, name: &str, value: Option<Attribute>) -> Result<()> {
        let mut done = None;
        self.body.walk_blocks_mut(&mut |block: &mut Block| {
            let at = block.operators.iter().position(|o| o.outputs().any(|t| t == result));
            if let Some(i) = at {
                let op = block.operators[i].op.with_attribute(name, value.clone());
                done = Some(op.map(|op| {
                    block.dissolve(|j| j == i);
                    block.operators[i].op = op;
                }));
            }
        });
        let info = self.tensor(result)?;
        done.ok_or_else(|| {
            argument("the tensor", format!("{:?}", info.name), "expected one that an operator computes")
        })??;
        self.infer_again()
    }

    /// Every operator's rule gives the types of its results anew.
    fn infer_again(&mut self) -> Result<()> {
        let mut operators = Vec::new();
        self.body.walk(&mut |o| operators.push((o.op.clone(), o.results.clone())));
        for (op, results) in operators {
            let known = |t: &Option<Tensor>| -> Result<NewResult> {
                let Some(t) = t else {
                    return Ok(NewResult { absent: true, ..NewResult::default() });
                };
                let info = self.tensor(*t)?;
                Ok(NewResult { dtype: Some(info.dtype), shape: Some(info.shape.clone()), ..NewResult::default() })
            };
            let given = results.iter().map(known).collect::<Result<Vec<_>>>()?;
            // Where there is a rule it decides on shape and dtype; what it leaves open stays as it was.
            let open = |r: &NewResult| NewResult { shape: None, ..r.clone() };
            let types = self
                .result_types(&op, &given.iter().map(open).collect::<Vec<_>>(), &[])
                .or_else(|e| self.result_types(&op, &given, &[]).map_err(|_| e))?;
            let changed: HashMap<Tensor, _> =
                results.iter().zip(types).filter_map(|(t, ty)| Some(((*t)?, ty?))).collect();
            for (tensor, (shape, dtype)) in changed {
                self.change(tensor, |t| (t.shape, t.dtype) = (shape, dtype));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tpulang::{Array, Dtype, Graph, mlir, ops::Attribute, spec};

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
        // An edited call is one of the op itself, and still a spec.
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
}
