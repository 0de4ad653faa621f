//! Type rules of custom operators.
use super::{Graph, Operator, Tensor};
use crate::{
    base::{Cause, Dtype, Result, Shape, pluralized, shape_text},
    ops::{Choice, Custom, Inferred, Op, Value},
};
use std::{collections::HashMap, sync::Arc};

type Rule = dyn Fn(&Custom<Value>) -> Result<Vec<(Dtype, Shape)>> + Send + Sync;

/// The type rules of custom operators, by name.
#[derive(Clone, Default)]
pub(super) struct CustomRules(HashMap<String, Arc<Rule>>);

impl CustomRules {
    /// Returns the result types of a custom operator, or `None` if it has no rule.
    pub fn infer(&self, op: &Op<Value>) -> Result<Option<Vec<Inferred>>> {
        let Op::Custom(op) = op else { return Ok(None) };
        let Some(rule) = self.0.get(&op.name) else { return Ok(None) };
        let inferred = |(dtype, shape)| Inferred { shape, dtype: Choice::Is(dtype) };
        Ok(Some(rule(op)?.into_iter().map(inferred).collect()))
    }
}

impl Graph {
    /// Registers the type rule of the custom operators of this name: a function from operands and parameters to dtype and
    /// shape of each result, or an error ([`Error::new`](crate::base::Error::new)) if the operands do not fit. Their types are then
    /// inferred, or checked if they are given as well. The rule is part of this graph and its clones, not of the files
    /// written from it.
    ///
    /// A kernel for the operator is registered with a backend, by `CpuBackend::with_custom` or `CudaBackend::with_custom`.
    ///
    /// # Errors
    /// Returns an error if operators of this name are in the graph already and their types contradict the rule. The rule is
    /// then not registered.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, ops::Custom};
    /// let mut g = Graph::new("g")?;
    /// g.register_custom("pairs", |op| {
    ///     let x = &op.inputs[0];
    ///     Ok(vec![(x.dtype, [x.shape, &[2]].concat())])
    /// })?;
    /// let x = g.input("x", Dtype::Float32, [4, 8])?;
    /// let y = g.op(Custom::new(vec![x], "pairs".into(), vec![])).call()?;
    /// assert_eq!(g.tensor(y[0])?.shape, [4, 8, 2]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn register_custom(
        &mut self,
        name: impl Into<String>,
        rule: impl Fn(&Custom<Value>) -> Result<Vec<(Dtype, Shape)>> + Send + Sync + 'static,
    ) -> Result<()> {
        let name = name.into();
        let mut existing = Vec::new();
        for block in self.open.iter().chain([self.body()]) {
            block.walk(&mut |operator| {
                if matches!(&operator.op, Op::Custom(op) if op.name == name) {
                    existing.push(operator);
                }
            });
        }
        existing.into_iter().try_for_each(|operator| self.check_custom(operator, &rule))?;
        self.custom_rules.0.insert(name, Arc::new(rule));
        Ok(())
    }

    fn check_custom(&self, operator: &Operator, rule: &Rule) -> Result<()> {
        let Op::Custom(op) = self.values(&operator.op, &[])? else { return Ok(()) };
        let wrong = |problem: String| Err(Cause::Operator { op: "Custom".into(), problem }.into());
        let (types, results) = (rule(&op)?, operator.results.iter().flatten().collect::<Vec<&Tensor>>());
        if types.len() != results.len() {
            let found = pluralized(results.len(), "result");
            return wrong(format!("the operator {:?} has {found}; its rule returns {}", op.name, types.len()));
        }
        for (tensor, (dtype, shape)) in results.into_iter().zip(types) {
            let info = self.tensor(*tensor)?;
            if info.dtype != dtype || info.shape != shape {
                let (found, expected) = (info.type_text(), format!("{} {dtype}", shape_text(&shape)));
                return wrong(format!("{:?} is {found}; the rule of {:?} returns {expected}", info.name, op.name));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Graph, base::Dtype, ops::Custom};

    #[test]
    fn types_that_are_given_must_agree_with_the_rule() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let op = || Custom::new(vec![x], "head".into(), vec![]);
        g.op(op()).out_dtypes([Dtype::Float32]).out_shapes([[7]]).out_name("old").call().unwrap();
        let rule = |n: usize| move |op: &Custom<crate::ops::Value>| Ok(vec![(op.inputs[0].dtype, vec![n])]);
        let error = g.register_custom("head", rule(3)).unwrap_err().to_string();
        assert_eq!(error, "top.Custom: \"old\" is 7 float32; the rule of \"head\" returns 3 float32");
        g.register_custom("head", rule(7)).unwrap();
        let y = g.op(op()).call().unwrap();
        assert_eq!(g.tensor(y[0]).unwrap().shape, [7]);
        let error = g.op(op()).out_dtypes([Dtype::Float32]).out_shapes([[8]]).call().unwrap_err().to_string();
        assert!(error.contains("written as 8; operands and attributes give 7"), "{error}");
        let error = g.custom([x], "head", vec![Dtype::Int8]).out_shapes(vec![[7].into()]).call().unwrap_err();
        assert!(error.to_string().contains("given as int8; operands and attributes give float32"), "{error}");
    }
}
