//! Ordering of entries: `arg`, `sort`, `argsort`, `sort_by_key`, `topk`.
use super::{argument::StringEnum, dtypes::FLOATS, function, lowering::Lowering};
use crate::{
    NewResult, Operand, Tensor,
    base::{Cause, Dtype, Result, misfit, shape_text},
    ops::{self, ArgMode},
};

impl StringEnum for ArgMode {
    const NAME: &'static str = "method";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(ArgMode::ArgMax, "max"), (ArgMode::ArgMin, "min")]
    }
}

function! {
    Arg -> [Tensor; 2] as ["indices", "values"] {
        "Any dtype." input: Operand,
        ;
        "Whether to find the largest or the smallest entry." method: ArgMode = ArgMode::ArgMax,
        "Negative values count from the end." axis: i64 = 0i64,
        "Whether to keep the axis with size 1." keep_dims: bool = true,
    }
    arg: "Index and value of the largest or the smallest entry along `axis`. Ties go to the last entry. NaN ranks above every number. Indices are float32 if the input is, otherwise int32.",
        example |g, x, i| {
            let [indices, values] = x.arg().axis(1).keep_dims(false).call()?;
            assert_eq!(indices.shape()?, [1, 8, 8]);
            assert_eq!(values.dtype()?, Dtype::Float32);
        },
        => |args, to| args.lower(to);
}

function! {
    set Ordering {
        "Negative values count from the end." axis: i64 = -1i64,
        "Whether to sort in descending order." descending: bool = true,
    }
}

function! {
    Sort -> [Tensor; 2] as ["values", "indices"] {
        "Any dtype." input: Operand,
        ;
        ..ordering: Ordering { axis: i64, descending: bool },
    }
    sort: "The sorted entries along `axis`, and their indices (int32). Ties keep their order (stable). NaN ranks above every number.",
        example |g, x, i| {
            let [values, indices] = x.sort().descending(false).call()?;
            assert_eq!(values.shape()?, [1, 3, 8, 8]);
            assert_eq!(indices.dtype()?, Dtype::Int32);
        },
        => |args, to| args.lower(to);
}

function! {
    ArgSort -> Tensor {
        "Any dtype." input: Operand,
        ;
        ..ordering: Ordering { axis: i64, descending: bool },
    }
    argsort: "The indices (int32) that sort the entries along `axis`, like `sort`'s.",
        example |g, x, i| {
            let indices = x.argsort().axis(1).call()?;
            assert_eq!(indices.dtype()?, Dtype::Int32);
        },
        => |args, to| args.lower(to);
}

function! {
    SortByKey -> [Tensor; 2] as ["values", "keys"] {
        "Any dtype." input: Operand,
        "A vector of any dtype, with as many entries as the axis." key: Operand,
        ;
        ..ordering: Ordering { axis: i64, descending: bool },
    }
    sort_by_key: "The entries of `input` along `axis`, sorted by their keys, and the sorted keys. Ties keep their order (stable).",
        example |g, x, i| {
            let [values, keys] = x.sort_by_key(vec![2f32, 3.0, 1.0]).axis(1).call()?;
            assert_eq!(values.shape()?, [1, 3, 8, 8]);
            assert_eq!(keys.shape()?, [3]);
        },
        => |args, to| args.lower(to);
}

/// Returns a nonnegative axis of a tensor argument: the tool chain loses entries if it is negative.
fn axis(to: &Lowering, axis: i64, of: &Operand) -> Result<usize> {
    let rank = to.info(of)?.shape.len();
    let at = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    let at = usize::try_from(at).ok().filter(|a| *a < rank);
    at.ok_or_else(|| Cause::Axis { argument: "axis".into(), axis, rank }.into())
}

fn named(name: String, dtype: Option<Dtype>) -> NewResult {
    NewResult { name: Some(name), dtype, ..NewResult::default() }
}

/// Returns a `top.Sort` of a tensor along an axis.
fn order(to: &Lowering, input: &Operand, axis: usize, descending: bool) -> Result<ops::Sort<Tensor>> {
    Ok(ops::Sort { descending, ..ops::Sort::new(to.tensor(input)?, axis as i64) })
}

impl Arg {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        if self.axis.is_none() && to.info(&self.input)?.shape.len() > 1 {
            to.warn_of_default("axis", "0, usually the batch", "PyTorch and NumPy search all elements");
        }
        let axis = axis(to, self.axis(), &self.input)? as i64;
        let dtype = to.info(&self.input)?.dtype;
        let indices = if dtype == Dtype::Float32 { dtype } else { Dtype::Int32 };
        let names = to.out_names(2)?.into_iter().zip([Some(indices), None]);
        let op = ops::Arg::new(to.tensor(&self.input)?, axis, self.keep_dims(), self.method());
        to.insert(op, names.map(|(name, dtype)| named(name, dtype)).collect())
    }
}

impl Sort {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let axis = axis(to, self.ordering.axis(), &self.input)?;
        to.emit_many(order(to, &self.input, axis, self.ordering.descending())?, 2, None)
    }
}

impl ArgSort {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let axis = axis(to, self.ordering.axis(), &self.input)?;
        let op = order(to, &self.input, axis, self.ordering.descending())?;
        let none = NewResult { absent: true, ..NewResult::default() };
        let indices = to.out_names(1)?.into_iter().map(|name| named(name, None));
        let results = [none].into_iter().chain(indices).collect();
        to.insert(op, results)
    }
}

impl SortByKey {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let axis = axis(to, self.ordering.axis(), &self.input)?;
        let (keys, entries) = (&to.info(&self.key)?.shape, to.info(&self.input)?.shape[axis]);
        if keys[..] != [entries] {
            let problem = format!("is {}; expected a vector of {entries}, the entries of the axis", shape_text(keys));
            return Err(misfit("key", problem));
        }
        let mut names = to.out_names(2)?;
        let keys = names.pop().unwrap_or_default();
        let sort = order(to, &self.key, 0, self.ordering.descending())?;
        let results = vec![named(keys, None), named(format!("{}_order", to.stem()), None)];
        let [keys, indices] = to.insert(sort, results)?[..] else { return Ok(Vec::new()) };
        let gather = ops::Gather { axis: axis as i64, ..ops::Gather::new(to.tensor(&self.input)?, indices) };
        let values = to.insert(gather, names.into_iter().map(|name| named(name, None)).collect())?;
        Ok([values, vec![keys]].concat())
    }
}

function! {
    TopK -> [Tensor; 2] as ["values", "indices"] {
        "float32, float16 or int32." input: Operand,
        "Negative values count from the end." axis: i64,
        "Number of entries, from 1 to the size of the axis." k: i64,
        ;
    }
    topk: "The `k` largest entries along `axis` in descending order, and their indices (int32). Ties go to the first entry.",
        example |g, x, i| {
            let [values, indices] = x.topk(-1, 3).call()?;
            assert_eq!(values.shape()?, [1, 3, 8, 3]);
            assert_eq!(indices.dtype()?, Dtype::Int32);
        },
        => |args, to| args.lower(to);
}

impl TopK {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, &[FLOATS, &[Dtype::Int32]].concat())?;
        let op = ops::TopK { K: self.k, ..ops::TopK::new(to.tensor(&self.input)?, self.axis) };
        to.rename_in_errors(&[("K", "k")]).emit_many(op, 2, None)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops,
    };

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [2, 3, 4]).unwrap();
        for (axis, k, expected) in [(0, 1, [1, 3, 4]), (1, 3, [2, 3, 4]), (2, 2, [2, 3, 2]), (-3, 2, [2, 3, 4])] {
            let [values, indices] = g.topk(x, axis, k).call().unwrap();
            let (values, indices) = (g.tensor(values).unwrap(), g.tensor(indices).unwrap());
            assert_eq!((&values.shape[..], values.dtype), (&expected[..], Dtype::Float16));
            assert_eq!((&indices.shape[..], indices.dtype), (&expected[..], Dtype::Int32));
        }
        let k = g.coefficient("k", crate::Array::from([2i32])).unwrap();
        assert_eq!(
            first(g.op(ops::TopK { kT: Some(k), ..ops::TopK::new(x, 1) }).call().unwrap_err()),
            "top.TopK (ops[4]): kT is 1 int32; a number of entries that is a tensor is not supported"
        );
    }

    #[test]
    fn orders() {
        let mut g = Graph::new("g").unwrap();
        let (x, i) = (g.input("x", Dtype::Float32, [2, 3, 4]).unwrap(), g.input("i", Dtype::Int8, [5]).unwrap());
        let text = |g: &Graph, t| g.tensor(t).unwrap().type_text();
        let [indices, values] = g.arg(x).axis(-1).keep_dims(false).call().unwrap();
        assert_eq!((text(&g, indices), text(&g, values)), ("2x3 float32".into(), "2x3 float32".into()));
        let [indices, values] = g.arg(i).method(ops::ArgMode::ArgMin).keep_dims(false).out_name("a").call().unwrap();
        assert_eq!((text(&g, indices), text(&g, values)), ("scalar int32".into(), "scalar int8".into()));
        assert_eq!(g.tensor(values).unwrap().name, "a_values");
        let [values, indices] = g.sort(i).call().unwrap();
        assert_eq!((text(&g, values), text(&g, indices)), ("5 int8".into(), "5 int32".into()));
        let indices = g.argsort(x).out_name("s").call().unwrap();
        assert_eq!((text(&g, indices), g.tensor(indices).unwrap().name.as_str()), ("2x3x4 int32".into(), "s"));
        let ops::Op::Sort(op) = &g.operators().last().unwrap().op else { panic!("a sort") };
        assert_eq!(op.axis, 2, "counted from the front");
        let [values, keys] = g.sort_by_key(x, vec![1i32, 3, 2]).axis(-2).call().unwrap();
        assert_eq!((text(&g, values), text(&g, keys)), ("2x3x4 float32".into(), "3 int32".into()));
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "sort",
            &[
                r#"{"op": "arg", "args": {"input": "x", "axis": 4}, "out": "y"}"#,
                r#"{"op": "arg", "args": {"input": "x", "method": "maximum"}, "out": "y"}"#,
                r#"{"op": "sort", "args": {"input": "x", "axis": -5}, "out": "y"}"#,
                r#"{"op": "argsort", "args": {"input": "x"}, "out": ["y", "z"]}"#,
                r#"{"op": "sort_by_key", "args": {"input": "x", "key": "v"}, "out": "y"}"#,
                r#"{"op": "sort_by_key", "args": {"input": "x", "key": "w", "axis": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": 3, "k": 9}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": 3, "k": 0}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": -5, "k": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "i", "axis": 3, "k": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "k": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": 3, "k": 1}, "out": ["y", "z", "w"]}"#,
            ],
        );
    }
}
