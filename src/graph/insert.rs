use super::{Block, Graph, Operator, RecordedCall, Tensor, TensorKind, functions::Target};
use crate::{
    base::{CallContext, Dtype, Error, Ints, Result, Shape, pluralized, shape_text},
    ops::{Arity, Choice, Inferred, Op, OpDef, Value, check_attributes, infer, operator_error},
};
use std::collections::{HashMap, HashSet};

/// A requested result of a new operator.
#[derive(Debug, Clone, Default)]
#[doc(hidden)]
pub struct NewResult {
    /// Generated if `None`.
    pub name: Option<String>,
    /// Required if the op's type rule leaves it open.
    pub dtype: Option<Dtype>,
    /// Required if the op has no type rule.
    pub shape: Option<Shape>,
    /// Whether the result is `none`.
    pub absent: bool,
}

/// Maximum number of results of an operator.
const MAX_RESULTS: usize = 1 << 16;

impl Graph {
    /// Builds an operator of any op of the Top dialect; [`NewOperator::call`] inserts it.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, ops};
    /// let mut g = Graph::new("g")?;
    /// let x = g.input("x", Dtype::Float32, [1, 3])?;
    /// let y = g.op(ops::Relu { relu_limit: 6.0, ..ops::Relu::new(x) }).out_name("y").call()?;
    /// assert_eq!(g.tensor(y[0])?.shape, [1, 3]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn op(&mut self, op: impl Into<Op<Tensor>>) -> NewOperator<&mut Graph> {
        NewOperator::new(self, op.into())
    }

    /// Inserts an operator: infers the types of its results and adds them. `words` maps the caller's argument names to
    /// operands, for errors.
    ///
    /// # Errors
    /// Returns an error if operands, attributes and results do not fit together. The graph is then unchanged.
    #[doc(hidden)]
    pub fn insert(
        &mut self,
        op: Op<Tensor>,
        results: &[NewResult],
        blocks: Vec<Block>,
        words: &[(&'static str, Tensor)],
    ) -> Result<Vec<Option<Tensor>>> {
        op.operands().try_for_each(|(_, t)| self.check_visible(*t))?;
        let types = self.result_types(&op, results, words)?;
        check_attributes(op.name(), &op.attributes())?;
        if blocks.len() != op.def().blocks.len() {
            let problem = format!("it has {}; expected {}", pluralized(blocks.len(), "block"), op.def().blocks.len());
            return Err(operator_error(op.def(), problem));
        }
        self.check_nesting(blocks.iter().map(Block::depth).max().unwrap_or(0))?;
        self.check_blocks(&op, &blocks, &types)?;
        self.atomic(|g| {
            let named = (0..types.len()).all(|i| results.get(i).is_some_and(|r| r.absent || r.name.is_some()));
            let stem = if named { String::new() } else { g.free_name(op.name()) };
            let mut handles = Vec::with_capacity(types.len());
            for (i, ty) in types.into_iter().enumerate() {
                let Some((shape, dtype)) = ty else {
                    handles.push(None);
                    continue;
                };
                let made = if i == 0 { stem.clone() } else { format!("{stem}_{i}") };
                let name = results.get(i).and_then(|r| r.name.clone()).unwrap_or(made);
                handles.push(Some(g.add_tensor(Some(&name), dtype, shape, TensorKind::Value)?));
            }
            if let [Some(result)] = handles.as_slice() {
                g.carry_to_result(&op, *result);
            }
            g.current().operators.push(Operator { op, results: handles.clone(), blocks, is_edited: false });
            Ok(handles)
        })
    }

    /// Returns shape and dtype of each result; `None` for absent ones.
    pub(super) fn result_types(
        &self,
        op: &Op<Tensor>,
        results: &[NewResult],
        words: &[(&'static str, Tensor)],
    ) -> Result<Vec<Option<(Shape, Dtype)>>> {
        let def = op.def();
        let values = self.values(op, words)?;
        let inferred = self.custom_rules.infer(&values).and_then(|known| match known {
            None => infer(&values),
            known => Ok(known),
        })?;
        let count = match (&inferred, def.results.last()) {
            (Some(all), _) => all.len(),
            (None, Some(last)) if last.arity == Arity::Variadic => results.len(),
            (None, _) => def.results.len(),
        };
        if count > MAX_RESULTS {
            return Err(operator_error(def, format!("it has {count} results; at most {MAX_RESULTS} are supported")));
        }
        if !results.is_empty() && results.len() != count {
            let is = if results.len() == 1 { "is" } else { "are" };
            let problem = format!("it has {}; {} {is} given", pluralized(count, "result"), results.len());
            return Err(operator_error(def, problem));
        }
        let default = NewResult::default();
        (0..count)
            .map(|i| {
                let given = results.get(i).unwrap_or(&default);
                result_type(def, i, inferred.as_ref().map(|all| &all[i]), given)
            })
            .collect()
    }

    /// Infers the result types by the op's type rule; `None` if it has none. Rules of custom operators are left out.
    #[doc(hidden)]
    pub fn inferred(&self, op: &Op<Tensor>, words: &[(&'static str, Tensor)]) -> Result<Option<Vec<Inferred>>> {
        infer(&self.values(op, words)?)
    }

    /// Returns the op with its operands converted for type rules.
    pub(super) fn values<'a>(&'a self, op: &'a Op<Tensor>, words: &[(&'static str, Tensor)]) -> Result<Op<Value<'a>>> {
        let mut names = op.operands().map(|(name, _)| name);
        let mut theirs: HashMap<Tensor, Vec<&'static str>> = HashMap::new();
        for (word, t) in words {
            let all = theirs.entry(*t).or_default();
            if !all.contains(word) {
                all.push(word);
            }
        }
        let mut used: HashSet<&str> = HashSet::new();
        op.try_map(&mut |t: &Tensor| {
            let info = self.tensor(*t)?;
            let own = names.next().unwrap_or("operand");
            // A tensor may be passed as two arguments, each with its own name.
            let theirs = theirs.get(t).map_or(&[][..], Vec::as_slice);
            let display_name = theirs.iter().find(|w| !used.contains(*w)).or(theirs.last()).copied().unwrap_or(own);
            used.insert(display_name);
            Ok(Value {
                display_name,
                shape: &info.shape,
                dtype: info.dtype,
                coefficient: info.is_coefficient(),
                data: info.data(),
            })
        })
    }
}

fn result_type(
    def: &OpDef,
    index: usize,
    inferred: Option<&Inferred>,
    given: &NewResult,
) -> Result<Option<(Shape, Dtype)>> {
    let name = def.results.get(index).or(def.results.last()).map_or("result", |r| r.name);
    let wrong = |problem: String| Err(operator_error(def, problem));
    if given.absent {
        let arity = def.results.get(index).map(|r| r.arity);
        return match arity {
            Some(Arity::OrNone) => Ok(None),
            _ => wrong(format!("the result {name} cannot be none")),
        };
    }
    let Some(inferred) = inferred else {
        return match (&given.shape, given.dtype) {
            (Some(shape), Some(dtype)) => Ok(Some((shape.clone(), dtype))),
            _ if def.name == "Custom" => wrong(
                "no type rule is registered for it (`Graph::register_custom`): dtype and shape of each result must be given"
                    .into(),
            ),
            _ => wrong(format!("tpulang has no type rule for this op: dtype and shape of the result {name} must be given")),
        };
    };
    if let Some(shape) = given.shape.as_ref().filter(|s| **s != inferred.shape) {
        let (shape, right) = (shape_text(shape), shape_text(&inferred.shape));
        return wrong(format!("its {name} is written as {shape}; operands and attributes give {right}"));
    }
    let dtype = match (&inferred.dtype, given.dtype) {
        (Choice::Is(dtype), None) => *dtype,
        (Choice::Is(dtype), Some(given)) if given == *dtype => given,
        (Choice::Is(dtype), Some(given)) => {
            return wrong(format!("its {name} is given as {given}; operands and attributes give {dtype}"));
        }
        (Choice::OneOf(allowed), Some(given)) if allowed.contains(&given) => given,
        (Choice::OneOf(allowed), given) => {
            let found = given.map_or("not given".to_owned(), |d| format!("given as {d}"));
            let allowed: Vec<_> = allowed.iter().map(|d| d.name()).collect();
            return wrong(format!("the dtype of its {name} is {found}; expected one of {}", allowed.join(", ")));
        }
    };
    Ok(Some((inferred.shape.clone(), dtype)))
}

/// A builder of an operator.
#[must_use = "nothing is added to the graph until `.call()`"]
pub struct NewOperator<T> {
    target: T,
    op: Op<Tensor>,
    results: Vec<NewResult>,
    blocks: Vec<Block>,
}

impl<T: Target> NewOperator<T> {
    pub(super) fn new(target: T, op: Op<Tensor>) -> Self {
        NewOperator { target, op, results: Vec::new(), blocks: Vec::new() }
    }
    fn each<V>(mut self, values: impl IntoIterator<Item = V>, set: impl Fn(&mut NewResult, V)) -> Self {
        for (i, value) in values.into_iter().enumerate() {
            if i == self.results.len() {
                self.results.push(NewResult::default());
            }
            set(&mut self.results[i], value);
        }
        self
    }
    /// Names the result, or the first of several.
    pub fn out_name(self, name: impl Into<String>) -> Self {
        self.out_names([name])
    }
    /// Names the results.
    pub fn out_names<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        self.each(names, |r, name| r.name = Some(name.into()))
    }
    /// Sets the dtypes of the results. Needed if the op's type rule leaves them open, or if it has none.
    pub fn out_dtypes(self, dtypes: impl IntoIterator<Item = Dtype>) -> Self {
        self.each(dtypes, |r, dtype| r.dtype = Some(dtype))
    }
    /// Sets the shapes of the results. Needed if the op has no type rule. `call` refuses negative dimensions.
    pub fn out_shapes<S: Into<Ints>>(self, shapes: impl IntoIterator<Item = S>) -> Self {
        // A negative dimension becomes 0, which no tensor has.
        let shape = |s: Ints| s.0.iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect();
        self.each(shapes, |r, s| r.shape = Some(shape(s.into())))
    }
    /// Sets which of the results are present. The op defines which may be `none`.
    pub fn out_present(self, present: impl IntoIterator<Item = bool>) -> Self {
        self.each(present, |r, present| r.absent = !present)
    }
    /// Adds a block, built by [`Graph::block`], for the operator to own.
    pub fn owns(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }
    #[doc(hidden)]
    pub fn results(mut self, results: Vec<NewResult>) -> Self {
        self.results = results;
        self
    }

    /// Checks operands and attributes, infers the types of the results, and inserts the operator. Returns the results that
    /// are present.
    ///
    /// # Errors
    /// Returns an error if operands and attributes do not fit together, if a name is taken, or if a type is neither
    /// inferred nor given. The graph is then unchanged.
    pub fn call(self) -> Result<Vec<T::Tensor>> {
        let NewOperator { mut target, op, results, blocks } = self;
        let made = target.edit(|graph| graph.insert_and_record(op, &results, blocks))?;
        Ok(made.into_iter().map(|t| target.output(t)).collect())
    }
}

impl Graph {
    fn insert_and_record(&mut self, op: Op<Tensor>, results: &[NewResult], blocks: Vec<Block>) -> Result<Vec<Tensor>> {
        let context = CallContext {
            function: format!("top.{}", op.name()),
            out: results.first().and_then(|r| r.name.clone()),
            index: self.calls_made(),
            operands: self.operand_rows(op.operands().map(|(name, t)| (name, *t))),
        };
        let made = self.insert(op, results, blocks, &[]).map_err(|e: Error| e.in_call(context))?;
        let outputs: Vec<Tensor> = made.into_iter().flatten().collect();
        self.record(RecordedCall {
            made_by: super::MadeBy::Op,
            outputs: outputs.clone(),
            out_quant: Vec::new(),
            operators: 1,
            line: None,
        });
        Ok(outputs)
    }
    /// Returns argument name, tensor name and type of operands, for errors.
    pub(crate) fn operand_rows(&self, operands: impl Iterator<Item = (&'static str, Tensor)>) -> Vec<[String; 3]> {
        let row = |(name, t): (&str, Tensor)| {
            let info = self.tensor(t).ok()?;
            Some([name.to_owned(), info.name.clone(), info.type_text()])
        };
        operands.filter_map(row).take(8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, MAX_NESTED_BLOCKS};
    use crate::{Array, Dtype, Graph, Result, Tensor, ops};

    fn graph() -> (Graph, Tensor) {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 3, 4, 4]).unwrap();
        (g, x)
    }

    #[test]
    fn types_are_inferred_and_checked() {
        let (mut g, x) = graph();
        let y = g.op(ops::Relu::new(x)).call().unwrap()[0];
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x4x4 float32");
        assert_eq!(
            g.op(ops::Relu::new(x)).out_dtypes([Dtype::Int32]).call().unwrap_err().to_string(),
            "top.Relu (ops[1]): its output is given as int32; operands and attributes give float32\n   input  x  1x3x4x4 float32"
        );
        let w = g.coefficient("w", Array::from_vec([2, 3, 1, 1], vec![1i8; 6]).unwrap()).unwrap();
        let i = g.input("i", Dtype::Int8, [1, 3, 4, 4]).unwrap();
        let conv = || ops::Conv::new(i, w, vec![1, 1], vec![1, 1], vec![0; 4]);
        let error = g.op(conv()).call().unwrap_err().to_string();
        assert!(error.contains("the dtype of its output is not given; expected one of int32, "), "{error}");
        let y = g.op(conv()).out_dtypes([Dtype::Int32]).call().unwrap()[0];
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x2x4x4 int32");
    }

    #[test]
    fn an_op_without_a_rule_takes_the_types_that_are_given() {
        let (mut g, x) = graph();
        let op = || ops::Mmap2Rgbmap::new(x);
        let error = g.op(op()).call().unwrap_err().to_string();
        assert!(
            error.contains("tpulang has no type rule for this op: dtype and shape of the result output must be given"),
            "{error}"
        );
        let y = g.op(op()).out_dtypes([Dtype::Float32]).out_shapes([[1, 12, 2, 2]]).call().unwrap()[0];
        assert_eq!(g.tensor(y).unwrap().shape, [1, 12, 2, 2]);
    }

    #[test]
    fn operators_own_blocks() {
        let (mut g, x) = graph();
        let cond = g.input("cond", Dtype::Float32, [1]).unwrap();
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let then = g.block(none.clone(), |g, _| Ok(vec![g.relu(x).call()?])).unwrap();
        let other = g.block(none, |g, _| Ok(vec![g.tanh(x).call()?])).unwrap();
        let shape = [1, 3, 4, 4];
        let y = g
            .op(ops::If::new(cond))
            .owns(then)
            .owns(other)
            .out_dtypes([Dtype::Float32])
            .out_shapes([shape])
            .call()
            .unwrap();
        g.set_outputs(&y).unwrap();
        let mut seen = Vec::new();
        g.body().walk(&mut |o| seen.push(o.op.name()));
        assert_eq!(seen, ["If", "Relu", "Tanh"]);
        assert_eq!(g.operators().len(), 1);
        let error = g.op(ops::If::new(cond)).out_dtypes([Dtype::Float32]).out_shapes([shape]).call().unwrap_err();
        assert!(error.to_string().contains("it has 0 blocks; expected 2"), "{error}");
    }

    /// Builds a block of `If`s nested to `depth`.
    fn nested(g: &mut Graph, cond: Tensor, x: Tensor, depth: usize) -> Result<Block> {
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        g.block(none.clone(), |g, _| {
            if depth == 1 {
                return Ok(vec![g.relu(x).call()?]);
            }
            let then = nested(g, cond, x, depth - 1)?;
            let other = g.block(none, |g, _| Ok(vec![g.tanh(x).call()?]))?;
            g.op(ops::If::new(cond))
                .owns(then)
                .owns(other)
                .out_dtypes([Dtype::Float32])
                .out_shapes([[1, 3, 4, 4]])
                .call()
        })
    }

    #[test]
    fn nesting_is_bounded() {
        let (mut g, x) = graph();
        let cond = g.input("cond", Dtype::Float32, [1]).unwrap();
        let error = nested(&mut g, cond, x, MAX_NESTED_BLOCKS + 1).unwrap_err().to_string();
        assert!(error.starts_with("the block is nested 33 deep; the maximum is 32"), "{error}");
        // Blocks that are built first and owned later count too.
        let deepest = nested(&mut g, cond, x, MAX_NESTED_BLOCKS).unwrap();
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let error = g.block(none.clone(), |g, _| {
            let other = g.block(none, |g, _| Ok(vec![g.tanh(x).call()?]))?;
            g.op(ops::If::new(cond))
                .owns(deepest)
                .owns(other)
                .out_dtypes([Dtype::Float32])
                .out_shapes([[1, 3, 4, 4]])
                .call()
        });
        assert!(error.unwrap_err().to_string().contains("is nested 33 deep"));
    }
}
