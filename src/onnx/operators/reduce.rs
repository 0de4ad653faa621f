//! Reductions over axes, and running sums.
use super::Convert;
use crate::{
    Tensor,
    base::{Result, argument},
    emit::{Emit, ints},
    import::Importer,
    node::{Node, known_int, resolved_axis},
    ops::{Clip, CumSum, Reduce, ReduceMode, Reverse, Sqrt},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("CumProd", cum_prod),
    ("CumSum", cum_sum),
    ("ReduceL1", |b, n| plain(b, n, ReduceMode::ReduceL1)),
    ("ReduceL2", |b, n| plain(b, n, ReduceMode::ReduceL2)),
    ("ReduceLogSum", |b, n| {
        reduce(b, n, |b, x, axes| {
            let sum = b.sum(x, axes)?;
            b.log(sum)
        })
    }),
    ("ReduceLogSumExp", |b, n| reduce(b, n, log_sum_exp)),
    ("ReduceMax", |b, n| plain(b, n, ReduceMode::ReduceMax)),
    ("ReduceMean", |b, n| plain(b, n, ReduceMode::ReduceMean)),
    ("ReduceMin", |b, n| plain(b, n, ReduceMode::ReduceMin)),
    ("ReduceProd", |b, n| plain(b, n, ReduceMode::ReduceProd)),
    ("ReduceSum", |b, n| plain(b, n, ReduceMode::ReduceSum)),
    ("ReduceSumSquare", |b, n| {
        reduce(b, n, |b, x, axes| {
            let squared = b.square(x)?;
            b.sum(squared, axes)
        })
    }),
];

/// The axes that a node reduces, sorted. Without axes it reduces all, or with `noop_with_empty_axes` none.
fn axes(n: &Node, rank: usize) -> Result<Vec<usize>> {
    let given = n.ints_of("axes", 1)?.unwrap_or_default();
    if given.is_empty() {
        return Ok(if n.flag("noop_with_empty_axes") { Vec::new() } else { (0..rank).collect() });
    }
    let mut axes = given.iter().map(|&a| resolved_axis("axes", a, rank)).collect::<Result<Vec<_>>>()?;
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}

fn plain<'m>(b: &mut Importer<'m>, n: &Node<'m>, mode: ReduceMode) -> Result<Vec<Value>> {
    reduce(b, n, |b, x, axes| {
        // A tensor has at least one axis.
        let keepdims = n.int_or("keepdims", 1) != 0 || axes.len() == b.rank(x)?;
        b.op(Reduce::new(x, ints(axes), keepdims, mode))
    })
}

/// Reduces a value by a function that keeps the axes, then removes them if the node does.
fn reduce<'m>(
    b: &mut Importer<'m>,
    n: &Node<'m>,
    f: impl Fn(&mut Importer<'m>, Tensor, &[usize]) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let axes = axes(n, shape.len())?;
    if axes.is_empty()
        && !shape.is_empty()
        && matches!(n.proto.op_type.as_str(), "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd")
    {
        return Ok(vec![x.clone()]);
    }
    let is_single = shape.is_empty();
    let tensor = b.tensor(x)?;
    // Means of integers, and norms with a root, are rounded at the end only.
    let tensor = if exact_in_integers(n) { tensor } else { b.real(tensor)? };
    let reduced = if axes.is_empty() && !is_single {
        // Each element is reduced by itself.
        let mut longer = shape.clone();
        longer.push(1);
        let each = b.reshape(tensor, &longer)?;
        f(b, each, &[shape.len()])?
    } else {
        f(b, tensor, if is_single { &[0] } else { &axes })?
    };
    let reduced = super::cast::truncated_to(b, reduced, x.dtype())?;
    let keep = n.int_or("keepdims", 1) != 0;
    let left = shape.iter().enumerate().filter_map(|(axis, &d)| match axes.contains(&axis) {
        true => keep.then_some(1),
        false => Some(d),
    });
    let left: Vec<usize> = left.collect();
    Ok(vec![b.shaped(reduced, &left, x.dtype())?])
}

fn exact_in_integers(n: &Node) -> bool {
    matches!(
        n.proto.op_type.as_str(),
        "ReduceL1" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceSum" | "ReduceSumSquare"
    )
}

/// `max + log(sum(exp(x - max)))`, which does not overflow. An infinite maximum counts as the nearest number: infinity less itself is
/// NaN.
fn log_sum_exp(b: &mut Importer, x: Tensor, axes: &[usize]) -> Result<Tensor> {
    let most = b.reduce(x, axes, ReduceMode::ReduceMax)?;
    let most = b.op(Clip::new(most, f32::MAX.into(), f32::MIN.into()))?;
    let less = b.sub(x, most)?;
    let exp = b.exp(less)?;
    let sum = b.sum(exp, axes)?;
    let log = b.log(sum)?;
    b.add(log, most)
}

fn cum_sum<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axis = resolved_axis("axis", known_int(n.input(1)?, "axis")?, x.rank())?;
    accumulated(b, n, axis, 0.0, |b, x| b.op(CumSum::new(x, axis as i64)))
}

/// Longest axis whose products are written out, entry by entry.
const LONGEST: usize = 1024;

fn cum_prod<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axis = resolved_axis("axis", known_int(n.input(1)?, "axis")?, x.rank())?;
    let size = x.shape()[axis];
    if size > LONGEST {
        return Err(argument(
            "the size of the axis",
            size,
            format!("the products are written out entry by entry, for at most {LONGEST} entries"),
        ));
    }
    accumulated(b, n, axis, 1.0, |b, x| {
        let mut products: Vec<Tensor> = Vec::with_capacity(size);
        for at in 0..size {
            let entry = b.slice(x, axis, at, 1)?;
            let product = products.last().map_or(Ok(entry), |&before| b.mul(before, entry))?;
            products.push(product);
        }
        b.concat(products, axis)
    })
}

/// Accumulates the first operand along an axis with `accumulate`, in the direction that the node's attributes ask for. If they exclude
/// each entry from its own result, the first result is `neutral`.
fn accumulated<'m>(
    b: &mut Importer<'m>,
    n: &Node<'m>,
    axis: usize,
    neutral: f64,
    accumulate: impl FnOnce(&mut Importer<'m>, Tensor) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let reversed = n.flag("reverse");
    let mut tensor = b.tensor(x)?;
    if reversed {
        tensor = b.op(Reverse::new(tensor, axis as i64))?;
    }
    if n.flag("exclusive") {
        tensor = moved_by_one(b, tensor, axis, neutral)?;
    }
    let mut made = accumulate(b, tensor)?;
    if reversed {
        made = b.op(Reverse::new(made, axis as i64))?;
    }
    Ok(vec![b.value_like(made, x)?])
}

/// Moves the entries of an axis by one; the first one becomes `fill`, and the last one is lost.
fn moved_by_one(b: &mut Importer, x: Tensor, axis: usize, fill: f64) -> Result<Tensor> {
    let (dtype, mut shape) = (b.dtype(x)?, b.shape(x)?);
    let size = std::mem::replace(&mut shape[axis], 1);
    let first = b.filled(fill, dtype, &shape)?;
    if size == 1 {
        return Ok(first);
    }
    let rest = b.slice(x, axis, 0, size - 1)?;
    b.concat(vec![first, rest], axis)
}

/// `sqrt(sum(x^2))` over axes.
pub fn norm(b: &mut Importer, x: Tensor, axes: &[usize]) -> Result<Tensor> {
    let squared = b.square(x)?;
    let sum = b.sum(squared, axes)?;
    b.op(Sqrt::new(sum))
}
