//! Operators that rules are made of.
use super::backward::Backward;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, Shape, invalid, misfit},
    ops::{
        Add, AddConst, Cast, Compare, CompareConst, CompareMode, Concat, Div, Exp, Expand, Log, MatMul, Mul, MulConst,
        Op, Pad, PadMode, Permute, Pow, Reciprocal, Reduce, ReduceMode, Reshape, Reverse, Sigmoid, Slice, Split, Sqrt,
        Sub, SubConst, Tanh, Where,
    },
};

/// Maximum number of steps of a sequence that is written out.
const MOST_STEPS: usize = 4096;

/// Axes and sizes as attributes hold them.
pub(super) fn ints(values: &[usize]) -> Vec<i64> {
    values.iter().map(|&v| v as i64).collect()
}

impl Backward<'_, '_> {
    pub fn shape(&self, t: Tensor) -> Result<Shape> {
        Ok(self.graph.tensor(t)?.shape.clone())
    }
    pub fn dtype(&self, t: Tensor) -> Result<Dtype> {
        Ok(self.graph.tensor(t)?.dtype)
    }
    pub fn rank(&self, t: Tensor) -> Result<usize> {
        Ok(self.graph.tensor(t)?.shape.len())
    }
    /// Whether an operator or the caller of a session provides the tensor.
    pub fn is_computed(&self, t: Tensor) -> Result<bool> {
        Ok(self.graph.tensor(t)?.kind == crate::TensorKind::Value)
    }

    /// Returns the numbers of a coefficient, such as a list of axes.
    pub fn known(&self, t: Tensor) -> Result<Vec<i64>> {
        let info = self.graph.tensor(t)?;
        let data = info.data().filter(|_| !self.graph.is_variable(t));
        let data = data.ok_or_else(|| misfit(format!("{:?}", info.name), "is not a coefficient with data"))?;
        Ok(data.to_f64()?.into_iter().map(|v| v as i64).collect())
    }

    /// Adds an operator with one result.
    pub fn op(&mut self, op: impl Into<Op<Tensor>>) -> Result<Tensor> {
        self.graph.op(op).call()?.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Like [`Backward::op`], for an op whose operands leave the dtype of the result open.
    pub fn op_as(&mut self, op: impl Into<Op<Tensor>>, dtype: Dtype) -> Result<Tensor> {
        let made = self.graph.op(op).out_dtypes([dtype]).call()?;
        made.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Adds a coefficient.
    pub fn coefficient(&mut self, data: Array) -> Result<Tensor> {
        let name = self.graph.free_name("constant");
        self.graph.coefficient(&name, data)
    }
    /// Returns a tensor with all elements equal.
    pub fn filled(&mut self, value: f64, dtype: Dtype, shape: &[usize]) -> Result<Tensor> {
        let one = self.coefficient(Array::filled(dtype, vec![1; shape.len()], value)?)?;
        self.expand_to(one, shape)
    }
    pub fn zeros_like(&mut self, t: Tensor) -> Result<Tensor> {
        let (dtype, shape) = (self.dtype(t)?, self.shape(t)?);
        self.filled(0.0, dtype, &shape)
    }

    /// Returns the numbers that a tensor stands for: itself if it is a float, otherwise its values as float32.
    pub fn real(&mut self, t: Tensor) -> Result<Tensor> {
        if self.dtype(t)?.is_float() { Ok(t) } else { self.as_dtype(t, Dtype::Float32) }
    }
    pub fn as_dtype(&mut self, t: Tensor, dtype: Dtype) -> Result<Tensor> {
        if self.dtype(t)? == dtype {
            return Ok(t);
        }
        self.op_as(Cast::new(t), dtype)
    }

    pub fn add(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Add::new(vec![a, b]))
    }
    pub fn sub(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Sub::new(vec![a, b]))
    }
    pub fn mul(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Mul::new(vec![a, b]))
    }
    pub fn div(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Div::new(vec![a, b]))
    }
    pub fn add_const(&mut self, x: Tensor, c: f64) -> Result<Tensor> {
        self.op(AddConst::new(x, c))
    }
    /// `c - x`
    pub fn const_sub(&mut self, c: f64, x: Tensor) -> Result<Tensor> {
        self.op(SubConst { is_reverse: true, ..SubConst::new(x, c) })
    }
    pub fn mul_const(&mut self, x: Tensor, c: f64) -> Result<Tensor> {
        if c == 1.0 { Ok(x) } else { self.op(MulConst::new(x, c)) }
    }
    pub fn neg(&mut self, x: Tensor) -> Result<Tensor> {
        self.mul_const(x, -1.0)
    }
    pub fn square(&mut self, x: Tensor) -> Result<Tensor> {
        self.mul(x, x)
    }
    pub fn pow(&mut self, x: Tensor, exponent: f64) -> Result<Tensor> {
        self.op(Pow::new(x, exponent))
    }
    /// `1 / sqrt(x)`, exactly: `top.Rsqrt` adds 1e-5 to `x`.
    pub fn rsqrt(&mut self, x: Tensor) -> Result<Tensor> {
        let root = self.op(Sqrt::new(x))?;
        self.op(Reciprocal::new(root))
    }
    pub fn exp(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Exp::new(x))
    }
    pub fn log(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Log::new(x))
    }
    pub fn sigmoid(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Sigmoid::new(x))
    }
    pub fn tanh(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Tanh::new(x))
    }

    /// 1 where the comparison holds, otherwise 0.
    pub fn compare(&mut self, a: Tensor, mode: CompareMode, b: Tensor) -> Result<Tensor> {
        self.op(Compare::new(a, b, mode))
    }
    pub fn compare_const(&mut self, x: Tensor, mode: CompareMode, c: f64) -> Result<Tensor> {
        self.op(CompareConst::new(x, mode, c, false))
    }
    /// `a` where `condition` is not 0, otherwise `b`.
    pub fn select(&mut self, condition: Tensor, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Where { tbrn: Some(a), fbrn: Some(b), ..Where::new(condition) })
    }
    /// `a` where `condition` is not 0, otherwise `c`.
    pub fn select_or(&mut self, condition: Tensor, a: Tensor, c: f64) -> Result<Tensor> {
        self.op(Where { tbrn: Some(a), y_is_const: true, y_const_val: c, ..Where::new(condition) })
    }
    /// `dy` where the comparison holds, otherwise 0.
    pub fn where_const(&mut self, x: Tensor, mode: CompareMode, c: f64, dy: Tensor) -> Result<Tensor> {
        let holds = self.compare_const(x, mode, c)?;
        self.select_or(holds, dy, 0.0)
    }

    /// Reduces over the axes, whose size becomes 1.
    pub fn reduce(&mut self, x: Tensor, axes: &[usize], mode: ReduceMode) -> Result<Tensor> {
        if axes.is_empty() {
            return Ok(x);
        }
        self.op(Reduce::new(x, ints(axes), true, mode))
    }
    /// Sums over the axes, whose size becomes 1.
    pub fn sum(&mut self, x: Tensor, axes: &[usize]) -> Result<Tensor> {
        self.reduce(x, axes, ReduceMode::ReduceSum)
    }
    /// The mean over the axes, whose size becomes 1.
    pub fn mean(&mut self, x: Tensor, axes: &[usize]) -> Result<Tensor> {
        self.reduce(x, axes, ReduceMode::ReduceMean)
    }
    /// Sums over the axes along which a tensor of `shape` was broadcast to the shape of `x`.
    pub fn sum_to(&mut self, x: Tensor, shape: &[usize]) -> Result<Tensor> {
        // Axes of size 1 may be missing in front of `x`.
        let mut from = self.shape(x)?;
        from.splice(..0, vec![1; shape.len().saturating_sub(from.len())]);
        let x = self.reshape(x, &from)?;
        if from == shape {
            return Ok(x);
        }
        let added = from.len() - shape.len();
        let is_broadcast = |axis: usize| axis < added || (shape[axis - added] == 1 && from[axis] != 1);
        let axes: Vec<usize> = (0..from.len()).filter(|&axis| from[axis] != 1 && is_broadcast(axis)).collect();
        let summed = self.sum(x, &axes)?;
        self.reshape(summed, shape)
    }

    pub fn reshape(&mut self, x: Tensor, shape: &[usize]) -> Result<Tensor> {
        if self.shape(x)? == shape {
            return Ok(x);
        }
        self.op(Reshape { shape: Some(ints(shape)), ..Reshape::new(x) })
    }
    pub fn expand_to(&mut self, x: Tensor, shape: &[usize]) -> Result<Tensor> {
        if self.shape(x)? == shape {
            return Ok(x);
        }
        self.op(Expand { shape: ints(shape), ..Expand::new(x) })
    }
    /// Gives a vector the rank of a tensor, along one of its axes.
    pub fn along(&mut self, vector: Tensor, axis: usize, rank: usize) -> Result<Tensor> {
        let mut shape = vec![1; rank];
        shape[axis] = self.shape(vector)?.iter().product();
        self.reshape(vector, &shape)
    }
    pub fn permute(&mut self, x: Tensor, order: &[usize]) -> Result<Tensor> {
        if order.iter().copied().eq(0..order.len()) {
            return Ok(x);
        }
        self.op(Permute::new(x, ints(order)))
    }
    /// Swaps two axes.
    pub fn swap_axes(&mut self, x: Tensor, a: usize, b: usize) -> Result<Tensor> {
        let mut order: Vec<usize> = (0..self.rank(x)?).collect();
        order.swap(a, b);
        self.permute(x, &order)
    }
    /// Swaps the last two axes.
    pub fn transposed(&mut self, x: Tensor) -> Result<Tensor> {
        let rank = self.rank(x)?;
        self.swap_axes(x, rank - 2, rank - 1)
    }
    pub fn matmul(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(MatMul::new(a, b))
    }
    /// `count` entries of an axis from `start`, `step` apart.
    pub fn strided(&mut self, x: Tensor, axis: usize, start: usize, count: usize, step: usize) -> Result<Tensor> {
        let size = self.shape(x)?[axis];
        if (start, count, step) == (0, size, 1) {
            return Ok(x);
        }
        let (start, end, step) = (start as i64, (start + (count - 1) * step + 1) as i64, step as i64);
        self.op(Slice { axes: vec![axis as i64], ..Slice::new(x, vec![start], vec![step], vec![end]) })
    }
    pub fn slice(&mut self, x: Tensor, axis: usize, start: usize, count: usize) -> Result<Tensor> {
        self.strided(x, axis, start, count, 1)
    }
    /// Returns each entry of an axis, whose size becomes 1.
    ///
    /// # Errors
    /// Returns an error if there are more than [`MOST_STEPS`], since each step of a sequence makes dozens of operators.
    pub fn entries(&mut self, x: Tensor, axis: usize) -> Result<Vec<Tensor>> {
        let count = self.shape(x)?[axis];
        match count {
            1 => Ok(vec![x]),
            2..=MOST_STEPS => self.graph.op(Split::new(x, axis as i64, count as i64)).call(),
            _ => Err(invalid(format!(
                "its gradient is written out step by step, and it has {count} steps; at most {MOST_STEPS} are supported"
            ))),
        }
    }
    /// Adds zeros before and after each axis.
    pub fn pad(&mut self, x: Tensor, counts: &[(usize, usize)]) -> Result<Tensor> {
        if counts.iter().all(|c| *c == (0, 0)) {
            return Ok(x);
        }
        let before = counts.iter().map(|c| c.0 as i64);
        let paddings = before.chain(counts.iter().map(|c| c.1 as i64)).collect();
        self.op(Pad::new(x, PadMode::Constant, paddings))
    }
    /// Adds zeros before and after one axis.
    pub fn pad_axis(&mut self, x: Tensor, axis: usize, before: usize, after: usize) -> Result<Tensor> {
        let mut counts = vec![(0, 0); self.rank(x)?];
        counts[axis] = (before, after);
        self.pad(x, &counts)
    }
    /// The reverse of [`Backward::strided`]: puts the entries of an axis `step` apart, from `start`, among zeros.
    pub fn spread(&mut self, x: Tensor, axis: usize, start: usize, step: usize, size: usize) -> Result<Tensor> {
        let mut shape = self.shape(x)?;
        let count = shape[axis];
        let used = (count - 1) * step + 1;
        let mut x = x;
        if step > 1 && count > 1 {
            shape.insert(axis + 1, 1);
            x = self.reshape(x, &shape)?;
            x = self.pad_axis(x, axis + 1, 0, step - 1)?;
            shape.remove(axis + 1);
            shape[axis] = count * step;
            x = self.reshape(x, &shape)?;
            x = self.slice(x, axis, 0, used)?;
        }
        self.pad_axis(x, axis, start, size - start - used)
    }
    pub fn concat(&mut self, parts: Vec<Tensor>, axis: usize) -> Result<Tensor> {
        match parts.as_slice() {
            [one] => Ok(*one),
            _ => self.op(Concat { axis: axis as i64, ..Concat::new(parts) }),
        }
    }
    pub fn reverse(&mut self, x: Tensor, axis: usize) -> Result<Tensor> {
        self.op(Reverse::new(x, axis as i64))
    }
}
