//! Matrix products: `matmul`, `matmul_int`, `matmul_quant`, `matmulrq_int_op`, all lowered to `top.MatMul`.
use super::{
    cast::{RequantInt, requant_int},
    dtypes::{BYTES, FLOATS, INT32},
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, OneOrMany, Result, argument, misfit},
    ops,
    quant::RoundMode,
};

function! {
    set ProductForm {
        "Transpose the left matrix (its last two axes)." input_transpose: bool = false,
        "Transpose the right matrix (its last two axes)." right_transpose: bool = false,
        "Transpose the result (its last two axes)." output_transpose: bool = false,
        "Whether the result keeps all axes; otherwise the leading axes are folded into m." keep_dims: bool = true,
        "Applies max(0, .) to the result." do_relu: bool = false,
        "With do_relu, the upper bound of the result; unlimited if not positive." relu_limit: f64 = -1.0,
    }
}

function! {
    Matmul -> Tensor {
        "Left matrix (or stack of them); float32 or float16." input: Operand,
        "Right matrix, of the same dtype." right: Operand,
        ;
        "n elements, or a tensor broadcast to the result; float32 or float16." bias: Operand,
        "Must be the input's dtype (the default)." out_dtype: Dtype,
        ..form: ProductForm { input_transpose: bool, right_transpose: bool, output_transpose: bool, keep_dims: bool, do_relu: bool, relu_limit: f64 },
    }
    matmul: "Matrix product of floats over the last two axes: `[.., m, k] x [.., k, n] -> [.., m, n]`, plus bias. If `right` has 2 dimensions, as many trailing axes of `input` are joined as have its rows: 1 x 16 x 4 x 4 times 256 x 10 is 1 x 10.",
        example |g, x, i| {
            let y = x.matmul(Array::filled(Dtype::Float32, [8, 5], 0.5)?).do_relu(true).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 5]);
        },
        => |args, to| args.lower(to);
}

function! {
    MatmulInt -> Tensor {
        "Left matrix (or stack of them); int8 or uint8." input: Operand,
        "Right matrix; int8 or uint8." right: Operand,
        ;
        "n elements, int32." bias: Operand,
        "The left matrix's zero point; required unless set on the tensor." input_zp: OneOrMany<i64>,
        "The right matrix's zero point; required unless set on the tensor." right_zp: OneOrMany<i64>,
        "int32 or uint32." out_dtype: Dtype = Dtype::Int32,
        ..form: ProductForm { input_transpose: bool, right_transpose: bool, output_transpose: bool, keep_dims: bool, do_relu: bool, relu_limit: f64 },
    }
    matmul_int: "Matrix product of integers with exact accumulation: `sum of (in - input_zp) * (right - right_zp) + bias`.",
        example |g, x, i| {
            let y = i.matmul_int(Array::filled(Dtype::Int8, [8, 5], 2.0)?).input_zp(0).right_zp(0).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x5 int32");
        },
        => |args, to| args.lower(to);
}

function! {
    MatmulQuant -> Tensor {
        "Left matrix (or stack of them); int8 or uint8." input: Operand,
        "Right matrix; int8 or uint8." right: Operand,
        ;
        "n elements, int32." bias: Operand,
        "Transpose the right matrix (its last two axes)." right_transpose: bool = false,
        "Whether the result keeps all axes; otherwise the leading axes are folded into m." keep_dims: bool = true,
        "The left matrix's scale; required unless set on the tensor." input_scale: OneOrMany<f64>,
        "The right matrix's scale; required unless set on the tensor." right_scale: OneOrMany<f64>,
        "Required. The output's scale." output_scale: OneOrMany<f64>,
        "The left matrix's zero point." input_zp: OneOrMany<i64>,
        "The right matrix's zero point." right_zp: OneOrMany<i64>,
        "The output's zero point." output_zp: OneOrMany<i64>,
        "int8 or uint8." out_dtype: Dtype = Dtype::Int8,
    }
    matmul_quant: "Matrix product of quantized tensors: `saturate(round((sum of (in - input_zp) * (right - right_zp) + bias) * input_scale * right_scale / output_scale) + output_zp)`.",
        example |g, x, i| {
            let w = Array::filled(Dtype::Int8, [8, 5], 2.0)?;
            let y = i.matmul_quant(w).input_scale(0.5).right_scale(0.25).output_scale(1.0).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x5 int8 (scale 1.0)");
        },
        => |args, to| args.lower(to);
}

function! {
    MatmulrqIntOp -> Tensor {
        "Left matrix (or stack of them); int8 or uint8." input: Operand,
        "Right matrix; int8 or uint8." right: Operand,
        ;
        "n elements, or a tensor broadcast to the result; int32." bias: Operand,
        "Must be false." input_transpose: bool = false,
        "Transpose the right matrix (its last two axes)." right_transpose: bool = false,
        "Must be false." output_transpose: bool = false,
        "Whether the result keeps all axes; otherwise the leading axes are folded into m." keep_dims: bool = true,
        "int8 or int16." out_dtype: Dtype = Dtype::Int8,
        "Required. The multiplier: one value or one per column; in modes 0 and 1 a Q31 fraction. Excess elements of a longer list are kept and ignored." multiplier: OneOrMany<i64>,
        "Required. Bits to shift to the left (negative: to the right): one value or one per column." shift: OneOrMany<i64>,
        "Required. The output's zero point." offset: OneOrMany<i64>,
        "0: TFLite with left shift, 1: TFLite, 2: multiplier and shift." requant_mode: i64 = 2i64,
        "Rounding mode of the shift." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        "The axis of lists: the last." rq_axis: i64 = -1i64,
        "Applies max(0, .) to the product; for int8, offset 0 and requant_mode 2 only." do_relu: bool = false,
        "With do_relu, the upper bound of the product; unlimited if not positive." relu_limit: f64 = -1.0,
    }
    matmulrq_int_op: "Matrix product of integers with a requantization that the compiler can fuse: `saturate(round((sum of in * right + bias) * multiplier * 2^shift) + offset)`.",
        example |g, x, i| {
            let w = Array::filled(Dtype::Int8, [8, 5], 2.0)?;
            let y = i.matmulrq_int_op(w).multiplier(3).shift(-4).offset(0).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x5 int8 (zero point 0)");
        },
        => |args, to| args.lower(to);
}

impl ProductForm {
    /// Emits the product. The tool chain ignores `left_transpose` and `output_transpose` in shape inference and in
    /// execution, so they are emitted as permutations.
    fn emit(
        &self,
        to: &mut Lowering,
        operands: [&Operand; 2],
        bias: &Option<Operand>,
        dtype: Dtype,
    ) -> Result<Vec<Tensor>> {
        let (mut left, right) = (to.tensor(operands[0])?, to.tensor(operands[1])?);
        if !self.keep_dims() && to.info(operands[1])?.shape.len() < 2 {
            return Err(argument("keep_dims", false, "the tool chain fails on it if the right operand is a vector"));
        }
        if self.input_transpose() {
            let order = swap_last(to.info(operands[0])?.shape.len(), "input_transpose")?;
            left = to.step("input", ops::Permute::new(left, order), None)?;
        }
        let product = ops::MatMul {
            bias: to.optional(bias)?,
            right_transpose: self.right_transpose(),
            keep_dims: self.keep_dims(),
            do_relu: self.do_relu(),
            relu_limit: self.relu_limit(),
            ..ops::MatMul::new(left, right)
        };
        if !self.output_transpose() {
            return to.emit_as(product, dtype);
        }
        let product = to.step("product", product, Some(dtype))?;
        let order = swap_last(to.info(&product.into())?.shape.len(), "output_transpose")?;
        to.emit(ops::Permute::new(product, order))
    }
}

/// Returns the order of axes that swaps the last two.
fn swap_last(rank: usize, name: &str) -> Result<Vec<i64>> {
    if rank < 2 {
        return Err(misfit(name, "is true; a vector cannot be transposed"));
    }
    let mut order: Vec<i64> = (0..rank as i64).collect();
    order.swap(rank - 2, rank - 1);
    Ok(order)
}

impl Matmul {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS)?;
        to.same_dtype(("right", &self.right), ("input", &self.input))?;
        to.optional_dtype("bias", &self.bias, FLOATS)?;
        one_of("out_dtype", self.out_dtype.unwrap_or(dtype), &[dtype])?;
        self.form.emit(to, [&self.input, &self.right], &self.bias, dtype)
    }
}

impl MatmulInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, BYTES)?;
        to.dtype("right", &self.right, BYTES)?;
        to.optional_dtype("bias", &self.bias, &[Dtype::Int32])?;
        not_a_list("input_zp", &self.input_zp)?;
        not_a_list("right_zp", &self.right_zp)?;
        let dtype = one_of("out_dtype", self.out_dtype(), INT32)?;
        to.needs_zero_point("input", &self.input, self.input_zp.is_some())?;
        to.needs_zero_point("right", &self.right, self.right_zp.is_some())?;
        to.quantize(&self.input, None, self.input_zp.clone())?;
        to.quantize(&self.right, None, self.right_zp.clone())?;
        to.check_scales(&self.input, None)?;
        to.check_scales(&self.right, None)?;
        self.form.emit(to, [&self.input, &self.right], &self.bias, dtype)
    }
}

/// Checks that an argument is a single value for the whole tensor.
fn not_a_list<T: Clone>(name: &str, value: &Option<OneOrMany<T>>) -> Result<()> {
    if value.as_ref().is_some_and(OneOrMany::is_many) {
        return Err(argument(name, "a list", "the tool chain accepts one value per tensor here"));
    }
    Ok(())
}

impl MatmulQuant {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, BYTES)?;
        to.dtype("right", &self.right, BYTES)?;
        to.optional_dtype("bias", &self.bias, &[Dtype::Int32])?;
        for (name, zp) in [("input_zp", &self.input_zp), ("right_zp", &self.right_zp), ("output_zp", &self.output_zp)] {
            not_a_list(name, zp)?;
        }
        let (input, right, output) = (&self.input_scale, &self.right_scale, &self.output_scale);
        for (name, scale) in [("input_scale", input), ("right_scale", right), ("output_scale", output)] {
            not_a_list(name, scale)?;
        }
        let dtype = one_of("out_dtype", self.out_dtype(), BYTES)?;
        to.needs_scale("input", &self.input, input.is_some())?;
        to.needs_scale("right", &self.right, right.is_some())?;
        let scale = output.clone().ok_or_else(|| misfit("output_scale", "is missing"))?;
        to.quantize(&self.input, input.clone(), self.input_zp.clone())?;
        to.quantize(&self.right, right.clone(), self.right_zp.clone())?;
        to.check_scales(&self.input, None)?;
        to.check_scales(&self.right, None)?;
        let form = ProductForm {
            right_transpose: Some(self.right_transpose()),
            keep_dims: Some(self.keep_dims()),
            ..ProductForm::new()
        };
        let outputs = form.emit(to, [&self.input, &self.right], &self.bias, dtype)?;
        to.quantize_tensor(outputs[0], Some(scale), self.output_zp.clone())?;
        Ok(outputs)
    }
}

impl MatmulrqIntOp {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        for (name, given) in
            [("input_transpose", self.input_transpose()), ("output_transpose", self.output_transpose())]
        {
            if given {
                return Err(argument(name, true, "it is not supported here; permute the tensor instead"));
            }
        }
        let dtype = one_of("out_dtype", self.out_dtype(), &[Dtype::Int8, Dtype::Int16])?;
        let rank = to.info(&self.input)?.shape.len() as i64;
        if ![-1, rank - 1].contains(&self.rq_axis()) {
            return Err(argument("rq_axis", self.rq_axis(), format!("expected the last axis, -1 or {}", rank - 1)));
        }
        let offset = needed("offset", &self.offset)?;
        if self.do_relu() {
            let only = |name: &str, found: String, expected| {
                Err(argument(name, found, format!("do_relu takes {expected} only")))
            };
            if dtype != Dtype::Int8 {
                return only("out_dtype", dtype.to_string(), "int8");
            }
            if offset != OneOrMany::One(0) {
                let found = if offset.is_many() { "a list".into() } else { format!("{}", offset.to_vec()[0]) };
                return only("offset", found, "0");
            }
            if self.requant_mode() != 2 {
                return only("requant_mode", self.requant_mode().to_string(), "2 (multiplier and shift)");
            }
        }
        let form = ProductForm {
            right_transpose: Some(self.right_transpose()),
            keep_dims: Some(self.keep_dims()),
            do_relu: Some(self.do_relu()),
            relu_limit: Some(self.relu_limit()),
            ..ProductForm::new()
        };
        let product = MatmulInt {
            bias: self.bias.clone(),
            input_zp: Some(0.into()),
            right_zp: Some(0.into()),
            form,
            ..MatmulInt::new(self.input.clone(), self.right.clone())
        };
        let product = to.call(matmul_int::FUNCTION, product, Some("matmul"))?[0];
        let (multiplier, shift) = (needed("multiplier", &self.multiplier)?, needed("shift", &self.shift)?);
        let requantized = RequantInt {
            out_dtype: Some(dtype),
            round_mode: Some(self.round_mode()),
            // The axis is that of the product, which may have another rank than the input.
            rq_axis: Some(if to.info(&Operand::Tensor(product))?.shape.len() as i64 == rank {
                self.rq_axis()
            } else {
                -1
            }),
            fuse_rq_to_matmul: Some(true),
            ..RequantInt::new(product, multiplier, shift, offset, self.requant_mode())
        };
        to.call(requant_int::FUNCTION, requantized, None)
    }
}

fn needed<T: Clone>(name: &str, value: &Option<T>) -> Result<T> {
    value.clone().ok_or_else(|| misfit(name, "is missing"))
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

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
            "matmul (ops[0]): the left matrix has 5 columns and the right matrix 4 rows; they must be equal; set right_transpose if its rows and columns are exchanged, as in the weight of PyTorch's Linear"
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

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "matmul",
            &[
                r#"{"op": "matmul", "args": {"input": "v", "right": "v", "keep_dims": false}, "out": "y"}"#,
                r#"{"op": "matmul", "args": {"input": "x", "right": "w"}, "out": "y"}"#,
                r#"{"op": "matmul_int", "args": {"input": "i", "right": "k", "input_zp": [0, 1, 2]}, "out": "y"}"#,
                r#"{"op": "matmul", "args": {"input": "x", "right": "v", "right_transpose": true}, "out": "y"}"#,
                r#"{"op": "matmul_quant", "args": {"input": "i", "right": "k", "input_scale": 1, "right_scale": 1}, "out": "y"}"#,
                r#"{"op": "matmul_quant", "args": {"input": "i", "right": "k", "input_scale": 1, "output_scale": 1}, "out": "y"}"#,
                r#"{"op": "matmul_quant", "args": {"input": "i", "right": "k", "input_scale": 1, "right_scale": [1, 2], "output_scale": 1}, "out": "y"}"#,
                r#"{"op": "matmul_quant", "args": {"input": "i", "right": "k", "bias": "v", "input_scale": 1, "right_scale": 1, "output_scale": 1}, "out": "y"}"#,
                r#"{"op": "matmulrq_int_op", "args": {"input": "i", "right": "k", "multiplier": 1, "shift": 0}, "out": "y"}"#,
                r#"{"op": "matmulrq_int_op", "args": {"input": "i", "right": "k", "multiplier": 1, "shift": 0, "offset": 0, "input_transpose": true}, "out": "y"}"#,
                r#"{"op": "matmulrq_int_op", "args": {"input": "i", "right": "k", "multiplier": 1, "shift": 0, "offset": 0, "rq_axis": 1}, "out": "y"}"#,
                r#"{"op": "matmulrq_int_op", "args": {"input": "i", "right": "k", "multiplier": 1, "shift": 0, "offset": 0, "out_dtype": "int16", "do_relu": true}, "out": "y"}"#,
                r#"{"op": "matmulrq_int_op", "args": {"input": "i", "right": "k", "multiplier": 1, "shift": 0, "offset": 128, "do_relu": true}, "out": "y"}"#,
                r#"{"op": "matmulrq_int_op", "args": {"input": "i", "right": "k", "multiplier": 1, "shift": 0, "offset": 0, "requant_mode": 1, "do_relu": true}, "out": "y"}"#,
            ],
        );
    }
}
