//! Ranges of axes: `slice`, `extract`, `roll`.
use super::{dtypes::MOVED, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Cause, Ints, OneOrMany, Result, argument, invalid, pluralized},
    ops,
};

function! {
    Slice -> Tensor {
        "Any dtype." input: Operand,
        "First positions; negative values count from the end." starts: OneOrMany<i64>,
        "Exclusive ends; negative values count from the end, larger ones are clamped to it." ends: OneOrMany<i64>,
        ;
        "Steps, not 0; negative steps go backwards." steps: OneOrMany<i64>,
        "Axes to slice; defaults to the first `len(starts)`." axes: OneOrMany<i64>,
    }
    slice: "A strided range along some axes, from `starts` to `ends` (exclusive).",
        example |g, x, i| {
            let y = x.slice([1, 0], [8, 4]).steps([2, 1]).axes([2, 3]).call()?;
            assert_eq!(y.shape()?, [1, 3, 4, 4]);
        },
        => |args, to| args.lower(to);
}

function! {
    Extract -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        ;
        "First position on each axis; negative values count from the end; defaults to 0." start: Ints,
        "Exclusive end for each axis; negative values count from the end, and -1 means the end itself. Defaults to the whole axis." end: Ints,
        "Step on each axis, not 0; defaults to 1." stride: Ints,
    }
    extract: "A strided range along every axis, from `start` to `end` (exclusive).",
        example |g, x, i| {
            let y = x.extract().start([0, 0, 2, 0]).stride([1, 1, 2, 1]).call()?;
            assert_eq!(y.shape()?, [1, 3, 3, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Roll -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        "Number of positions to shift, one per axis in `dims`; negative values shift to the front." shifts: OneOrMany<i64>,
        ;
        "Axes to roll; negative values count from the end. If omitted, the flattened tensor is rolled by one shift." dims: OneOrMany<i64>,
    }
    roll: "Shifts entries along axes, cyclically: `y[(i + shift) % n] = x[i]`.",
        example |g, x, i| {
            let y = x.roll([1, -2]).dims([2, 3]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl Slice {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let (starts, ends) = (self.starts.to_vec(), self.ends.to_vec());
        let steps = self.steps.as_ref().map_or_else(|| vec![1; starts.len()], OneOrMany::to_vec);
        let axes = self.axes.as_ref().map(OneOrMany::to_vec);
        let n = starts.len();
        if ends.len() != n || steps.len() != n || axes.as_ref().is_some_and(|a| a.len() != n) {
            let axes = axes
                .map_or(String::new(), |a| format!(" and {} {}", a.len(), if a.len() == 1 { "axis" } else { "axes" }));
            let (ends, steps) = (pluralized(ends.len(), "end"), pluralized(steps.len(), "step"));
            return Err(invalid(format!("{}, {ends}, {steps}{axes}; expected equally many", pluralized(n, "start"))));
        }
        let rank = to.info(&self.input)?.shape.len() as i64;
        if n == 0 {
            return Err(argument("starts", "[]", "expected a start for some of the axes"));
        }
        // Without `axes`, the tool chain expects one entry per axis.
        let first = || if (n as i64) < rank { (0..n as i64).collect() } else { Vec::new() };
        let axes = axes.unwrap_or_else(first);
        // If every axis is named, the tool chain ignores the names, so entries must be in the order of the axes.
        let mut order: Vec<usize> = (0..n).collect();
        if axes.len() as i64 == rank {
            order.sort_by_key(|&i| if axes[i] < 0 { axes[i].saturating_add(rank) } else { axes[i] });
        }
        let sorted = |v: &[i64]| order.iter().filter_map(|&i| v.get(i).copied()).collect();
        let op = ops::Slice::new(to.tensor(&self.input)?, sorted(&starts), sorted(&steps), sorted(&ends));
        to.rename_in_errors(&[("offset", "starts")]).emit(ops::Slice { axes: sorted(&axes), ..op })
    }
}

impl Extract {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let shape = to.info(&self.input)?.shape.clone();
        let rank = shape.len();
        let list = |name: &str, given: &Option<Ints>, otherwise: Vec<i64>| match given {
            Some(Ints(v)) if v.len() == rank => Ok(v.clone()),
            Some(Ints(v)) if !v.is_empty() => {
                Err(argument(name, format!("{v:?}"), format!("expected {rank} numbers, one per axis")))
            }
            _ => Ok(otherwise),
        };
        let start = list("start", &self.start, vec![0; rank])?;
        let end = list("end", &self.end, shape.iter().map(|&d| d as i64).collect())?;
        let stride = list("stride", &self.stride, vec![1; rank])?;
        let op = ops::Slice::new(to.tensor(&self.input)?, start, stride, end);
        to.rename_in_errors(&[("offset", "start"), ("ends", "end"), ("steps", "stride")]).emit(op)
    }
}

impl Roll {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let (input, shape) = (to.tensor(&self.input)?, to.info(&self.input)?.shape.clone());
        let shifts = self.shifts.to_vec();
        let Some(dims) = &self.dims else {
            let [shift] = shifts[..] else {
                return Err(argument("shifts", format!("a list of {}", shifts.len()), "without dims expected one"));
            };
            return flat(to, input, &shape, shift);
        };
        let dims = dims.to_vec();
        if dims.len() != shifts.len() {
            return Err(invalid(format!(
                "{} for {}; expected equally many",
                pluralized(shifts.len(), "shift"),
                pluralized(dims.len(), "dim")
            )));
        }
        let axis = |&given: &i64| {
            let at = if given < 0 { given.saturating_add(shape.len() as i64) } else { given };
            let at = usize::try_from(at).ok().filter(|a| *a < shape.len());
            at.ok_or_else(|| Cause::Axis { argument: "dims".into(), axis: given, rank: shape.len() }.into())
        };
        let axes: Vec<usize> = dims.iter().map(axis).collect::<Result<_>>()?;
        // A full rotation needs no operator.
        let turns = axes.into_iter().zip(shifts).map(|(a, s)| (a, s.rem_euclid(shape[a] as i64)));
        let turns: Vec<_> = turns.filter(|(_, shift)| *shift != 0).collect();
        let Some(((axis, shift), earlier)) = turns.split_last() else {
            return to.emit(same(input, &shape));
        };
        let mut rolled = input;
        for (i, (axis, shift)) in earlier.iter().enumerate() {
            let parts = halves(to, rolled, &shape, *axis, *shift, &format!("{i}_"))?;
            rolled = to.step(&format!("{i}_concat"), joined(parts, *axis), None)?;
        }
        let parts = halves(to, rolled, &shape, *axis, *shift, &format!("{}_", earlier.len()))?;
        to.emit(joined(parts, *axis))
    }
}

fn same(input: Tensor, shape: &[usize]) -> ops::Reshape<Tensor> {
    ops::Reshape { shape: Some(shape.iter().map(|&d| d as i64).collect()), ..ops::Reshape::new(input) }
}

fn joined(parts: Vec<Tensor>, axis: usize) -> ops::Concat<Tensor> {
    ops::Concat { axis: axis as i64, ..ops::Concat::new(parts) }
}

/// Returns the last `shift` entries of an axis, and those before them.
fn halves(to: &mut Lowering, t: Tensor, shape: &[usize], axis: usize, shift: i64, name: &str) -> Result<Vec<Tensor>> {
    let whole: Vec<i64> = shape.iter().map(|&d| d as i64).collect();
    let zeros = vec![0; shape.len()];
    let with = |list: &[i64]| {
        let mut list = list.to_vec();
        list[axis] = whole[axis] - shift;
        list
    };
    let mut part = |i: usize, from: Vec<i64>, to_end: Vec<i64>| {
        let op = ops::Slice::new(t, from, vec![1; shape.len()], to_end);
        to.step(&format!("{name}slice{i}"), ops::Slice { axes: (0..shape.len() as i64).collect(), ..op }, None)
    };
    Ok(vec![part(0, with(&zeros), whole.clone())?, part(1, zeros.clone(), with(&whole))?])
}

/// Flattens the tensor, rotates its elements by `shift`, and restores its shape.
fn flat(to: &mut Lowering, input: Tensor, shape: &[usize], shift: i64) -> Result<Vec<Tensor>> {
    let count: usize = shape.iter().product();
    let shift = shift.rem_euclid(count as i64);
    if shift == 0 {
        return to.emit(same(input, shape));
    }
    let row = to.step("flatten", ops::Flatten::new(input), None)?;
    let parts = halves(to, row, &[count], 0, shift, "")?;
    let row = to.step("concat", joined(parts, 0), None)?;
    to.emit(same(row, shape))
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops::Op,
    };

    #[test]
    fn slices_count_as_numpy_does() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [10]).unwrap();
        // start, end, step -> entries, with axes given
        for (start, end, step, count) in
            [(0, 10, 1, 10), (1, i64::MAX, 3, 3), (-3, -1, 1, 2), (8, 2, -2, 3), (9, i64::MIN, -1, 10), (-100, 4, 1, 4)]
        {
            let y = g.slice(x, start, end).steps(step).axes(0).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [count], "{start}..{end} by {step}");
        }
        let m = g.input("m", Dtype::Float32, [4, 7]).unwrap();
        let y = g.slice(m, [0, -3], [i64::MAX, 5]).steps([3, 2]).axes([1, 0]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [2, 3]);
        let crate::ops::Op::Slice(op) = &g.operators().last().unwrap().op else { panic!("a slice") };
        assert_eq!(op.axes, [0, 1], "in the axes' order");
        let y = g.slice(x, 2, -1).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [8]);
        assert_eq!(
            first(g.slice(x, 5, 5).axes(0).call().unwrap_err()),
            "slice (ops[8]): the slice of axis 0 from 5 to 5 by 1 is empty; the axis has 10 entries"
        );
        assert_eq!(
            first(g.slice(x, 5, 6).steps(0).call().unwrap_err()),
            "slice (ops[8]): steps is 0; a step is at least 1, or at most -1 to go backwards"
        );
        assert_eq!(
            first(g.slice(x, [5, 6], 6).call().unwrap_err()),
            "slice (ops[8]): 2 starts, 1 end, 2 steps; expected equally many"
        );
    }

    #[test]
    fn parts_are_extracted() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int16, [4, 10]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.extract(x).call().unwrap();
        assert_eq!(shape(&g, y), [4, 10]);
        let y = g.extract(x).start([-3, 2]).end([-1, i64::MAX]).stride([1, 3]).call().unwrap();
        assert_eq!(shape(&g, y), [3, 3], "an end of -1 is the whole axis");
        let Op::Slice(op) = &g.operators().last().unwrap().op else { panic!("a slice") };
        assert_eq!((&op.offset[..], &op.ends[..]), (&[-3, 2][..], &[-1, i64::MAX][..]), "as TpuLang writes them");
    }

    #[test]
    fn rolls() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [4, 1, 6]).unwrap();
        for (shifts, dims, ops) in [
            (vec![1, -8], Some(vec![0, -1]), vec!["Slice", "Slice", "Concat", "Slice", "Slice", "Concat"]),
            (vec![4, 3], Some(vec![0, 2]), vec!["Slice", "Slice", "Concat"]),
            (vec![0, 5], Some(vec![0, 1]), vec!["Reshape"]),
            (vec![7], None, vec!["Flatten", "Slice", "Slice", "Concat", "Reshape"]),
            (vec![-24], None, vec!["Reshape"]),
        ] {
            let before = g.operators().len();
            let mut call = g.roll(x, shifts.clone());
            if let Some(dims) = dims {
                call = call.dims(dims);
            }
            let y = call.call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [4, 1, 6]);
            let made: Vec<_> = g.operators()[before..].iter().map(|o| o.op.name()).collect();
            assert_eq!(made, ops, "{shifts:?}");
        }
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "slice",
            &[
                r#"{"op": "slice", "args": {"input": "x", "starts": [], "ends": []}, "out": "y"}"#,
                r#"{"op": "extract", "args": {"input": "x", "start": [0, 0]}, "out": "y"}"#,
                r#"{"op": "extract", "args": {"input": "x", "start": [0, 0, 8, 0]}, "out": "y"}"#,
                r#"{"op": "extract", "args": {"input": "x", "stride": [1, 1, 0, 1]}, "out": "y"}"#,
                r#"{"op": "roll", "args": {"input": "x", "shifts": [1, 2]}, "out": "y"}"#,
                r#"{"op": "roll", "args": {"input": "x", "shifts": 1, "dims": [1, 2]}, "out": "y"}"#,
                r#"{"op": "roll", "args": {"input": "x", "shifts": 1, "dims": 4}, "out": "y"}"#,
            ],
        );
    }
}
