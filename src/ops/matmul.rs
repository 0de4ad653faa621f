//! Matrix product: `matmul`, `matmul_int`, both lowered to `top.MatMul`.
use super::{
    dtypes::{BYTES, FLOATS},
    function,
    shape::{Inference, broadcast},
};
use crate::graph::{Cause, Dtype, Lowering, OneOrMany, Operand, Result, Shape, Tensor, argument, invalid};

function! {
    "Matrix product of floats over the last two axes: `[.., m, k] x [.., k, n] -> [.., m, n]`, plus bias.";
    example "let y = g.matmul(x, Array::filled(Dtype::Float32, [8, 5], 0.5)?).do_relu(true).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 5]);";
    matmul => Matmul -> Tensor {
        "Left matrix (or stack of them); float32 or float16." input: Operand,
        "Right matrix, of the same dtype." right: Operand,
        ;
        "n elements, or a tensor broadcast to the result; float32 or float16." bias: Operand,
        "Swaps the last two axes of the left matrix first." input_transpose: bool = false,
        "Swaps the last two axes of the right matrix first." right_transpose: bool = false,
        "Swaps the last two axes of the result." output_transpose: bool = false,
        "Whether the result keeps all axes; otherwise the leading ones are folded into m." keep_dims: bool = true,
        "Applies max(0, .) to the result." do_relu: bool = false,
        "With do_relu, the cap; none where it is not positive." relu_limit: f64 = -1.0,
        "By default, and at most, the input's." out_dtype: Dtype,
    }
}

function! {
    "Matrix product of integers with exact accumulation: `sum of (in - input_zp) * (right - right_zp) + bias`.";
    example "let y = g.matmul_int(i, Array::filled(Dtype::Int8, [8, 5], 2.0)?).input_zp(0).right_zp(0).call()?;\nassert_eq!(g.tensor(y)?.type_text(), \"1x3x8x5 int32\");";
    matmul_int => MatmulInt -> Tensor {
        "Left matrix (or stack of them); int8 or uint8." input: Operand,
        "Right matrix; int8 or uint8." right: Operand,
        ;
        "n elements, int32." bias: Operand,
        "Swaps the last two axes of the left matrix first." input_transpose: bool = false,
        "Swaps the last two axes of the right matrix first." right_transpose: bool = false,
        "Swaps the last two axes of the result." output_transpose: bool = false,
        "Whether the result keeps all axes; otherwise the leading ones are folded into m." keep_dims: bool = true,
        "The left matrix's zero point; needed unless it is set on the tensor." input_zp: OneOrMany<i64>,
        "The right matrix's zero point; needed unless it is set on the tensor." right_zp: OneOrMany<i64>,
        "Applies max(0, .) to the result." do_relu: bool = false,
        "With do_relu, the cap; none where it is not positive." relu_limit: f64 = -1.0,
        "int32 or uint32." out_dtype: Dtype = Dtype::Int32,
    }
}

macro_rules! common {
    ($self:ident) => {
        Common {
            operands: [&$self.input, &$self.right],
            bias: $self.bias.as_ref(),
            input_transpose: $self.input_transpose(),
            right_transpose: $self.right_transpose(),
            output_transpose: $self.output_transpose(),
            keep_dims: $self.keep_dims(),
            do_relu: $self.do_relu(),
            relu_limit: $self.relu_limit(),
        }
    };
}

/// What both have in common.
struct Common<'a> {
    operands: [&'a Operand; 2],
    bias: Option<&'a Operand>,
    input_transpose: bool,
    right_transpose: bool,
    output_transpose: bool,
    keep_dims: bool,
    do_relu: bool,
    relu_limit: f64,
}

impl Common<'_> {
    /// The tool chain keeps `left_transpose` and `output_transpose` but heeds them neither in shape inference nor in
    /// execution, so that here they become permutations.
    fn emit(&self, to: &mut Lowering, dtype: Dtype) -> Result<Vec<Tensor>> {
        let [mut left, right] = self.operands.map(Clone::clone);
        if self.input_transpose {
            let (dtype, order) = (to.info(&left)?.dtype, swap_last(to.info(&left)?.shape.len(), "input_transpose")?);
            left = to.emit_step("input", "Permute", &[Some(&left)], [("order", order.into())], dtype)?;
        }
        let operands = [Some(&left), Some(&right), self.bias];
        let attributes = [
            ("right_transpose", self.right_transpose.into()),
            ("keep_dims", self.keep_dims.into()),
            ("do_relu", self.do_relu.into()),
            ("relu_limit", self.relu_limit.into()),
        ];
        if !self.output_transpose {
            return to.emit("MatMul", &operands, attributes, dtype);
        }
        let product = to.emit_step("product", "MatMul", &operands, attributes, dtype)?;
        let order = swap_last(to.info(&product)?.shape.len(), "output_transpose")?;
        to.emit("Permute", &[Some(&product)], [("order", order.into())], dtype)
    }
}

/// The order of axes that swaps the last two.
fn swap_last(rank: usize, name: &str) -> Result<Vec<i64>> {
    if rank < 2 {
        return Err(argument(name, true, "a vector cannot be transposed"));
    }
    let mut order: Vec<i64> = (0..rank as i64).collect();
    order.swap(rank - 2, rank - 1);
    Ok(order)
}

impl Matmul {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS)?;
        to.same_dtype(("right", &self.right), ("input", &self.input))?;
        if let Some(bias) = &self.bias {
            to.dtype("bias", bias, FLOATS)?;
        }
        if let Some(found) = self.out_dtype.filter(|d| *d != dtype) {
            return Err(Cause::Dtype { argument: "out_dtype".into(), found, allowed: vec![dtype] }.into());
        }
        common!(self).emit(to, dtype)
    }
}

impl MatmulInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, BYTES)?;
        to.dtype("right", &self.right, BYTES)?;
        if let Some(bias) = &self.bias {
            to.dtype("bias", bias, &[Dtype::Int32])?;
        }
        for (name, zp) in [("input_zp", &self.input_zp), ("right_zp", &self.right_zp)] {
            if zp.as_ref().is_some_and(OneOrMany::is_many) {
                return Err(argument(name, "a list", "the tool chain takes one value for the tensor here"));
            }
        }
        let dtype = self.out_dtype();
        if ![Dtype::Int32, Dtype::Uint32].contains(&dtype) {
            return Err(Cause::Dtype {
                argument: "out_dtype".into(),
                found: dtype,
                allowed: vec![Dtype::Int32, Dtype::Uint32],
            }
            .into());
        }
        to.needs_quantization("input", &self.input, self.input_zp.is_some(), "zp")?;
        to.needs_quantization("right", &self.right, self.right_zp.is_some(), "zp")?;
        to.quantize(&self.input, None, self.input_zp.clone())?;
        to.quantize(&self.right, None, self.right_zp.clone())?;
        common!(self).emit(to, dtype)
    }
}

/// The sizes of a product, as shape rule and kernel see them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Product {
    /// Leading axes of the operands (before broadcasting) and of the result.
    pub left_batch: Shape,
    pub right_batch: Shape,
    pub batch: Shape,
    pub m: usize,
    pub k: usize,
    pub n: usize,
    /// The right operand is a vector: the result has no n axis.
    pub vector: bool,
}

impl Product {
    /// # Errors
    /// The inner sizes differ, or the leading axes cannot be broadcast.
    pub fn new(left: &[usize], right: &[usize], left_transpose: bool, right_transpose: bool) -> Result<Product> {
        let vector = right.len() == 1;
        if left.is_empty() || right.is_empty() {
            return Err(invalid("a scalar has no matrix product; expected at least 1 dimension"));
        }
        if vector && right_transpose {
            return Err(argument("right_transpose", true, "a vector cannot be transposed"));
        }
        let as_matrix = |s: &[usize], row: bool| {
            if s.len() > 1 {
                s.to_vec()
            } else if row {
                vec![1, s[0]]
            } else {
                vec![s[0], 1]
            }
        };
        let (mut l, r) = (as_matrix(left, true), as_matrix(right, false));
        if right.len() == 2 && !left_transpose {
            fold_trailing(&mut l, if right_transpose { right[1] } else { right[0] });
        }
        let split = |s: &[usize], swap: bool| {
            let (batch, last) = s.split_at(s.len() - 2);
            if swap { (batch.to_vec(), last[1], last[0]) } else { (batch.to_vec(), last[0], last[1]) }
        };
        let (left_batch, m, k) = split(&l, left_transpose);
        let (right_batch, right_k, n) = split(&r, right_transpose);
        if k != right_k {
            return Err(invalid(format!(
                "the left matrix has {k} columns and the right matrix {right_k} rows; they must be equal"
            )));
        }
        let batch = broadcast(&left_batch, &right_batch)?;
        Ok(Product { left_batch, right_batch, batch, m, k, n, vector })
    }
}

/// As the tool chain has it, trailing axes whose sizes multiply to `k` are one.
fn fold_trailing(left: &mut Shape, k: usize) {
    let mut size = 1;
    for i in (0..left.len()).rev() {
        size *= left[i];
        if size == k {
            left.truncate(i);
            left.push(k);
            break;
        }
        if size > k {
            break;
        }
    }
    if left.len() == 1 {
        left.insert(0, 1);
    }
}

/// `[.., m, n]`; leading axes folded without `keep_dims`.
pub(super) fn matmul_shape(of: &Inference) -> Result<Vec<Shape>> {
    let a = of.attributes;
    let p = Product::new(of.shape(0)?, of.shape(1)?, a.bool("left_transpose"), a.bool("right_transpose"))?;
    let mut shape = p.batch.clone();
    let left_vector = of.shape(0)?.len() == 1;
    if !(left_vector && p.vector) {
        shape.push(p.m);
    }
    if !p.vector {
        shape.push(p.n);
    }
    if a.bool("output_transpose") && shape.len() > 1 {
        let last = shape.len() - 1;
        shape.swap(last - 1, last);
    }
    if !a.bool("keep_dims") && shape.len() > 1 {
        let last = shape.pop().unwrap_or(1);
        shape = vec![shape.iter().product(), last];
    }
    if let Some(Some(bias)) = of.operands.get(2) {
        let fits = bias.elements() == p.n || broadcast(&bias.shape, &shape).is_ok_and(|s| s == shape);
        if !fits {
            return Err(invalid(format!(
                "bias is {}; expected {} elements, or a shape that broadcasts to {shape:?}",
                bias.type_text(),
                p.n
            )));
        }
    }
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Array, Dtype, Graph};

    #[test]
    fn shapes() {
        // left, right, transpose of left, right, output, keep_dims -> output
        type Case = (&'static [usize], &'static [usize], [bool; 3], bool, &'static [usize]);
        let table: [Case; 10] = [
            (&[2, 3, 4], &[12, 7], [false; 3], true, &[2, 7]),
            (&[5], &[5, 6], [false; 3], true, &[1, 6]),
            (&[5], &[5], [false; 3], true, &[]),
            (&[5, 6], &[6, 7], [false; 3], true, &[5, 7]),
            (&[4, 5, 6], &[6, 7], [false; 3], true, &[4, 5, 7]),
            (&[3, 4, 5, 6], &[3, 4, 6, 7], [false; 3], true, &[3, 4, 5, 7]),
            (&[3, 4, 5, 6], &[3, 4, 7, 6], [false, true, false], true, &[3, 4, 5, 7]),
            (&[2, 6, 5], &[6, 7], [true, false, true], true, &[2, 7, 5]),
            (&[2, 3, 5, 6], &[6, 7], [false; 3], false, &[30, 7]),
            (&[4, 5, 6], &[6], [false; 3], true, &[4, 5]),
        ];
        for (left, right, [l, r, o], keep, expected) in table {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, left).unwrap();
            let w = Array::filled(Dtype::Float32, right, 1.0).unwrap();
            let y = g
                .matmul(x, w)
                .input_transpose(l)
                .right_transpose(r)
                .output_transpose(o)
                .keep_dims(keep)
                .call()
                .unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, expected, "{left:?} x {right:?}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 8, 5]).unwrap();
        let w = |s: &[usize]| Array::filled(Dtype::Float32, s, 1.0).unwrap();
        assert_eq!(
            first(g.matmul(x, w(&[4, 5])).call().unwrap_err()),
            "matmul (ops[0]): the left matrix has 5 columns and the right matrix 4 rows; they must be equal"
        );
        assert_eq!(
            first(g.matmul(x, w(&[3, 5, 4])).call().unwrap_err()),
            "matmul (ops[0]): shapes 2 and 3 cannot be broadcast together: 2 and 3 differ and neither is 1"
        );
        assert_eq!(
            first(g.matmul(x, w(&[5, 4])).bias(vec![0f32; 3]).call().unwrap_err()),
            "matmul (ops[0]): bias is 3 float32; expected 4 elements, or a shape that broadcasts to [2, 8, 4]"
        );
    }
}
