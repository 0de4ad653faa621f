//! Operators as methods, for code that writes graphs by handles: gradients, and readers of other formats.
use crate::{
    Graph, Tensor,
    array::Array,
    base::{Dtype, Error, Result, Shape, argument, invalid, pluralized},
    ops::{
        Add, AddConst, Cast, Choice, Compare, CompareConst, CompareMode, Concat, Div, Exp, Expand, Log, MatMul, Mul,
        MulConst, Op, Pad, PadMode, Permute, Pow, Reciprocal, Reduce, ReduceMode, Reshape, Reverse, Sigmoid, Slice,
        Sqrt, Sub, SubConst, Tanh, Where,
    },
};

/// Axes and sizes as attributes hold them.
pub fn ints(values: &[usize]) -> Vec<i64> {
    values.iter().map(|&v| v as i64).collect()
}

fn no_axis(axis: usize, rank: usize) -> Error {
    argument("the axis", axis, format!("the tensor has {}", pluralized(rank, "dimension")))
}

/// Adds operators to a graph. Results are named by the graph.
pub trait Emit {
    fn graph(&self) -> &Graph;
    fn graph_mut(&mut self) -> &mut Graph;

    fn shape(&self, t: Tensor) -> Result<Shape> {
        Ok(self.graph().tensor(t)?.shape.clone())
    }
    /// Returns the size of an axis.
    fn size(&self, t: Tensor, axis: usize) -> Result<usize> {
        let shape = &self.graph().tensor(t)?.shape;
        shape.get(axis).copied().ok_or_else(|| no_axis(axis, shape.len()))
    }
    fn dtype(&self, t: Tensor) -> Result<Dtype> {
        Ok(self.graph().tensor(t)?.dtype)
    }
    fn rank(&self, t: Tensor) -> Result<usize> {
        Ok(self.graph().tensor(t)?.shape.len())
    }

    /// Adds an operator with one result. If operands that are integers leave its dtype open, it is that of the first.
    fn op(&mut self, op: impl Into<Op<Tensor>>) -> Result<Tensor> {
        let op = op.into();
        if let Some(dtype) = open_dtype(self.graph(), &op)? {
            return self.op_as(op, dtype);
        }
        self.graph_mut().op(op).call()?.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Like [`Emit::op`], for an op whose operands leave the dtype of the result open.
    fn op_as(&mut self, op: impl Into<Op<Tensor>>, dtype: Dtype) -> Result<Tensor> {
        let made = self.graph_mut().op(op).out_dtypes([dtype]).call()?;
        made.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Adds a coefficient.
    fn coefficient(&mut self, data: Array) -> Result<Tensor> {
        let name = self.graph().free_name("constant");
        self.graph_mut().coefficient(&name, data)
    }
    /// Returns a tensor with all elements equal.
    fn filled(&mut self, value: f64, dtype: Dtype, shape: &[usize]) -> Result<Tensor> {
        let one = self.coefficient(Array::filled(dtype, vec![1; shape.len()], value)?)?;
        self.expand_to(one, shape)
    }
    /// Returns the numbers that a tensor stands for: itself if it is a float, otherwise its values as float32.
    fn real(&mut self, t: Tensor) -> Result<Tensor> {
        if self.dtype(t)?.is_float() { Ok(t) } else { self.as_dtype(t, Dtype::Float32) }
    }
    fn as_dtype(&mut self, t: Tensor, dtype: Dtype) -> Result<Tensor> {
        if self.dtype(t)? == dtype {
            return Ok(t);
        }
        // The tool chain does not look at the dtype of the result.
        self.op_as(Cast { to: dtype.cast_name().to_owned(), ..Cast::new(t) }, dtype)
    }

    fn add(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Add::new(vec![a, b]))
    }
    fn sub(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Sub::new(vec![a, b]))
    }
    fn mul(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Mul::new(vec![a, b]))
    }
    fn div(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Div::new(vec![a, b]))
    }
    fn add_const(&mut self, x: Tensor, c: f64) -> Result<Tensor> {
        self.op(AddConst::new(x, c))
    }
    /// `c - x`
    fn const_sub(&mut self, c: f64, x: Tensor) -> Result<Tensor> {
        self.op(SubConst { is_reverse: true, ..SubConst::new(x, c) })
    }
    fn mul_const(&mut self, x: Tensor, c: f64) -> Result<Tensor> {
        if c == 1.0 { Ok(x) } else { self.op(MulConst::new(x, c)) }
    }
    fn neg(&mut self, x: Tensor) -> Result<Tensor> {
        self.mul_const(x, -1.0)
    }
    fn square(&mut self, x: Tensor) -> Result<Tensor> {
        self.mul(x, x)
    }
    fn pow(&mut self, x: Tensor, exponent: f64) -> Result<Tensor> {
        self.op(Pow::new(x, exponent))
    }
    /// `1 / sqrt(x)`, exactly: `top.Rsqrt` adds 1e-5 to `x`.
    fn rsqrt(&mut self, x: Tensor) -> Result<Tensor> {
        let root = self.op(Sqrt::new(x))?;
        self.op(Reciprocal::new(root))
    }
    fn exp(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Exp::new(x))
    }
    fn log(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Log::new(x))
    }
    fn sigmoid(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Sigmoid::new(x))
    }
    fn tanh(&mut self, x: Tensor) -> Result<Tensor> {
        self.op(Tanh::new(x))
    }

    /// 1 where the comparison holds, otherwise 0.
    fn compare(&mut self, a: Tensor, mode: CompareMode, b: Tensor) -> Result<Tensor> {
        self.op(Compare::new(a, b, mode))
    }
    fn compare_const(&mut self, x: Tensor, mode: CompareMode, c: f64) -> Result<Tensor> {
        self.op(CompareConst::new(x, mode, c, false))
    }
    /// `a` where `condition` is not 0, otherwise `b`.
    fn select(&mut self, condition: Tensor, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(Where { tbrn: Some(a), fbrn: Some(b), ..Where::new(condition) })
    }
    /// `a` where `condition` is not 0, otherwise `c`.
    fn select_or(&mut self, condition: Tensor, a: Tensor, c: f64) -> Result<Tensor> {
        self.op(Where { tbrn: Some(a), y_is_const: true, y_const_val: c, ..Where::new(condition) })
    }
    /// `dy` where the comparison holds, otherwise 0.
    fn where_const(&mut self, x: Tensor, mode: CompareMode, c: f64, dy: Tensor) -> Result<Tensor> {
        let holds = self.compare_const(x, mode, c)?;
        self.select_or(holds, dy, 0.0)
    }

    /// Reduces over the axes, whose size becomes 1.
    fn reduce(&mut self, x: Tensor, axes: &[usize], mode: ReduceMode) -> Result<Tensor> {
        if axes.is_empty() {
            return Ok(x);
        }
        self.op(Reduce::new(x, ints(axes), true, mode))
    }
    /// Sums over the axes, whose size becomes 1.
    fn sum(&mut self, x: Tensor, axes: &[usize]) -> Result<Tensor> {
        self.reduce(x, axes, ReduceMode::ReduceSum)
    }
    /// The mean over the axes, whose size becomes 1.
    fn mean(&mut self, x: Tensor, axes: &[usize]) -> Result<Tensor> {
        self.reduce(x, axes, ReduceMode::ReduceMean)
    }
    /// Sums over the axes along which a tensor of `shape` was broadcast to the shape of `x`.
    fn sum_to(&mut self, x: Tensor, shape: &[usize]) -> Result<Tensor> {
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

    fn reshape(&mut self, x: Tensor, shape: &[usize]) -> Result<Tensor> {
        if self.shape(x)? == shape {
            return Ok(x);
        }
        self.op(Reshape { shape: Some(ints(shape)), ..Reshape::new(x) })
    }
    fn expand_to(&mut self, x: Tensor, shape: &[usize]) -> Result<Tensor> {
        if self.shape(x)? == shape {
            return Ok(x);
        }
        self.op(Expand { shape: ints(shape), ..Expand::new(x) })
    }
    /// Gives a vector the rank of a tensor, along one of its axes.
    fn along(&mut self, vector: Tensor, axis: usize, rank: usize) -> Result<Tensor> {
        if axis >= rank {
            return Err(argument("the number of dimensions", rank, format!("expected at least {}", axis + 1)));
        }
        let mut shape = vec![1; rank];
        shape[axis] = self.shape(vector)?.iter().product();
        self.reshape(vector, &shape)
    }
    fn permute(&mut self, x: Tensor, order: &[usize]) -> Result<Tensor> {
        if order.iter().copied().eq(0..order.len()) {
            return Ok(x);
        }
        self.op(Permute::new(x, ints(order)))
    }
    /// Swaps two axes.
    fn swap_axes(&mut self, x: Tensor, a: usize, b: usize) -> Result<Tensor> {
        let mut order: Vec<usize> = (0..self.rank(x)?).collect();
        order.swap(a, b);
        self.permute(x, &order)
    }
    /// Swaps the last two axes.
    fn transposed(&mut self, x: Tensor) -> Result<Tensor> {
        match self.rank(x)? {
            rank @ 2.. => self.swap_axes(x, rank - 2, rank - 1),
            rank => Err(argument("the number of dimensions of a matrix", rank, "expected at least 2")),
        }
    }
    fn matmul(&mut self, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.op(MatMul::new(a, b))
    }
    /// `count` entries of an axis from `start`, `step` apart.
    fn strided(&mut self, x: Tensor, axis: usize, start: usize, count: usize, step: usize) -> Result<Tensor> {
        let size = self.size(x, axis)?;
        if (start, count, step) == (0, size, 1) {
            return Ok(x);
        }
        if count == 0 {
            return Err(argument("the number of entries", count, "a range must have at least one"));
        }
        let (start, end, step) = (start as i64, (start + (count - 1) * step + 1) as i64, step as i64);
        self.op(Slice { axes: vec![axis as i64], ..Slice::new(x, vec![start], vec![step], vec![end]) })
    }
    fn slice(&mut self, x: Tensor, axis: usize, start: usize, count: usize) -> Result<Tensor> {
        self.strided(x, axis, start, count, 1)
    }
    /// Adds zeros before and after each axis.
    fn pad(&mut self, x: Tensor, counts: &[(usize, usize)]) -> Result<Tensor> {
        if counts.iter().all(|c| *c == (0, 0)) {
            return Ok(x);
        }
        let before = counts.iter().map(|c| c.0 as i64);
        let paddings = before.chain(counts.iter().map(|c| c.1 as i64)).collect();
        self.op(Pad::new(x, PadMode::Constant, paddings))
    }
    /// Adds zeros before and after one axis.
    fn pad_axis(&mut self, x: Tensor, axis: usize, before: usize, after: usize) -> Result<Tensor> {
        let mut counts = vec![(0, 0); self.rank(x)?];
        let rank = counts.len();
        *counts.get_mut(axis).ok_or_else(|| no_axis(axis, rank))? = (before, after);
        self.pad(x, &counts)
    }
    /// The reverse of [`Emit::strided`]: puts the entries of an axis `step` apart, from `start`, among zeros.
    fn spread(&mut self, x: Tensor, axis: usize, start: usize, step: usize, size: usize) -> Result<Tensor> {
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
    fn concat(&mut self, parts: Vec<Tensor>, axis: usize) -> Result<Tensor> {
        match parts.as_slice() {
            [one] => Ok(*one),
            _ => self.op(Concat { axis: axis as i64, ..Concat::new(parts) }),
        }
    }
    fn reverse(&mut self, x: Tensor, axis: usize) -> Result<Tensor> {
        self.op(Reverse::new(x, axis as i64))
    }
}

/// The dtype of the first operand, if it is an integer and the type rule leaves that of the result open.
fn open_dtype(graph: &Graph, op: &Op<Tensor>) -> Result<Option<Dtype>> {
    let Some((_, first)) = op.operands().next() else { return Ok(None) };
    let dtype = graph.tensor(*first)?.dtype;
    if dtype.is_float() {
        return Ok(None);
    }
    let inferred = graph.inferred(op, &[])?;
    let is_open = |choice: &Choice| matches!(choice, Choice::OneOf(allowed) if allowed.contains(&dtype));
    Ok(inferred.and_then(|all| all.first().is_some_and(|r| is_open(&r.dtype)).then_some(dtype)))
}
