//! Bits of integers, by arithmetic: the Top dialect has no operators for them.
use super::{Convert, arithmetic::broadcast_value};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid, misfit},
    emit::Emit,
    import::{Importer, broadcast},
    node::Node,
    ops::{Clip, CompareMode, Max, Pow2, Remainder},
    tensors::Element,
    value::{Value, stored_shape},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("BitCast", bit_cast),
    ("BitShift", bit_shift),
    ("BitwiseAnd", |b, n| bitwise(b, n, |b, x, y| b.mul(x, y))),
    ("BitwiseNot", bitwise_not),
    ("BitwiseOr", |b, n| bitwise(b, n, |b, x, y| b.op(Max::new(vec![x, y])))),
    ("BitwiseXor", |b, n| bitwise(b, n, |b, x, y| b.compare(x, CompareMode::NotEqual, y))),
];

/// Operands of a shift, in the shape of the result.
struct Shift {
    value: Tensor,
    /// The number of places, a float.
    places: Tensor,
    /// The same, at least 1 and less than the number of bits.
    bounded: Tensor,
    dtype: Dtype,
    bits: f64,
}

/// Multiplies or divides by a power of two.
fn bit_shift<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, count) = (n.input(0)?, n.input(1)?);
    let left = n.word("direction", "", &[("LEFT", true), ("RIGHT", false)])?;
    let shape = stored_shape(&broadcast(&[x.shape(), count.shape()])?);
    let (value, places) = (b.tensor(x)?, b.float_tensor(count)?);
    let (value, places) = (b.expand_to(value, &shape)?, b.expand_to(places, &shape)?);
    let dtype = b.dtype(value)?;
    let bits = dtype.size() as f64 * 8.0;
    let bounded = b.op(Clip::new(places, bits - 1.0, 1.0))?;
    let shift = Shift { value, places, bounded, dtype, bits };
    let shifted = if x.dtype().is_signed_int() { signed(b, &shift, left)? } else { unsigned(b, &shift, left)? };
    let is_moved = b.compare_const(places, CompareMode::NotEqual, 0.0)?;
    let made = b.select(is_moved, shifted, value)?;
    Ok(vec![broadcast_value(b, made, &[x, count], x.dtype())?])
}

/// Shifts unsigned integers. Bits that are shifted out are lost.
fn unsigned(b: &mut Importer, shift: &Shift, left: bool) -> Result<Tensor> {
    let &Shift { value, places, bounded, dtype, bits } = shift;
    let factor = power(b, bounded, dtype)?;
    let shifted = if left {
        let kept = b.const_sub(bits, bounded)?;
        let modulus = power(b, kept, dtype)?;
        let low = b.op(Remainder::new(vec![value, modulus]))?;
        b.mul(low, factor)?
    } else {
        divided(b, value, factor)?.1
    };
    let is_within = b.compare_const(places, CompareMode::Less, bits)?;
    let shape = b.shape(value)?;
    let zeros = b.filled(0.0, dtype, &shape)?;
    b.select(is_within, shifted, zeros)
}

/// Shifts signed integers. What is shifted by a negative number, or by all bits, consists of copies of its sign, or of zeros.
fn signed(b: &mut Importer, shift: &Shift, left: bool) -> Result<Tensor> {
    let &Shift { value, places, bounded, dtype, bits } = shift;
    let is_negative = b.compare_const(value, CompareMode::Less, 0.0)?;
    let is_negative = b.as_dtype(is_negative, dtype)?;
    let is_outside = {
        let (below, above) = (
            b.compare_const(places, CompareMode::Less, 0.0)?,
            b.compare_const(places, CompareMode::GreaterOrEqual, if left { bits } else { bits - 1.0 })?,
        );
        b.op(Max::new(vec![below, above]))?
    };
    let (shifted, rest) = if left {
        // The bits below the one that becomes the sign, and that one.
        let kept = b.const_sub(bits - 1.0, bounded)?;
        let (modulus, factor) = (power(b, kept, dtype)?, power(b, bounded, dtype)?);
        let (low, high) = divided(b, value, modulus)?;
        let two = b.coefficient(Array::filled(dtype, [1], 2.0)?)?;
        let sign = b.op(Remainder::new(vec![high, two]))?;
        let (low, sign) = (b.mul(low, factor)?, b.mul_const(sign, -(bits - 1.0).exp2())?);
        (b.add(low, sign)?, b.mul_const(is_negative, 0.0)?)
    } else {
        let divisor = power(b, bounded, dtype)?;
        (divided(b, value, divisor)?.1, b.neg(is_negative)?)
    };
    b.select(is_outside, rest, shifted)
}

/// Powers of two; one that the dtype cannot hold becomes its largest number.
fn power(b: &mut Importer, exponent: Tensor, dtype: Dtype) -> Result<Tensor> {
    let power = b.op(Pow2::new(exponent, 2.0))?;
    super::cast::truncated_to(b, power, dtype)
}

/// The remainder of a division, which is not negative, and the quotient.
fn divided(b: &mut Importer, value: Tensor, by: Tensor) -> Result<(Tensor, Tensor)> {
    let low = b.op(Remainder::new(vec![value, by]))?;
    let rest = b.sub(value, low)?;
    Ok((low, b.div(rest, by)?))
}

/// `-1 - x`, or for unsigned integers the largest one less x.
fn bitwise_not<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let (low, high) = x.dtype().int_range().ok_or_else(|| invalid("it takes integers"))?;
    let tensor = b.tensor(x)?;
    let all = if low < 0 { -1.0 } else { high as f64 };
    let made = b.const_sub(all, tensor)?;
    Ok(vec![b.value_like(made, x)?])
}

/// Combines each bit of two operands. The last bit of a signed integer counts negatively.
fn bitwise<'m>(
    b: &mut Importer<'m>,
    n: &Node<'m>,
    combine: impl Fn(&mut Importer<'m>, Tensor, Tensor) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let (x, y) = (n.input(0)?, n.input(1)?);
    let [mut left, mut right] = [b.tensor(x)?, b.tensor(y)?];
    let dtype = b.dtype(left)?;
    if dtype.is_float() || b.dtype(right)? != dtype {
        return Err(argument("the dtype of its operands", dtype, "expected integers"));
    }
    let bits = dtype.size() as u32 * 8;
    let two = b.coefficient(Array::filled(dtype, [1], 2.0)?)?;
    let mut sum = None;
    for bit in 0..bits {
        let (p, q) = (low_bit(b, &mut left, two)?, low_bit(b, &mut right, two)?);
        let both = combine(b, p, q)?;
        let is_sign = dtype.is_signed_int() && bit + 1 == bits;
        let weight = 2f64.powi(bit as i32);
        let weighted = b.mul_const(both, if is_sign { -weight } else { weight })?;
        sum = Some(match sum {
            Some(sum) => b.add(sum, weighted)?,
            None => weighted,
        });
    }
    let made = sum.ok_or_else(|| invalid("it has no bits"))?;
    Ok(vec![broadcast_value(b, made, &[x, y], x.dtype())?])
}

/// Takes the lowest bit of a tensor, and leaves the others, one place lower.
fn low_bit(b: &mut Importer, value: &mut Tensor, two: Tensor) -> Result<Tensor> {
    let low;
    (low, *value) = divided(b, *value, two)?;
    Ok(low)
}

/// The bytes of a constant as another dtype, or integers of one size as each other.
fn bit_cast<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let to = Element::of(n.int_or("to", 0) as i32).map_err(|e| misfit("to:", e))?.dtype();
    if let Some(known) = x.as_constant() {
        return Ok(vec![Value::constant(Array::from_le_bytes(to, known.shape(), known.bytes()?)?)]);
    }
    if x.dtype().int_range().is_none() || to.int_range().is_none() {
        return Err(argument(
            "to",
            to,
            format!("the bits of {} that is computed while the network runs cannot be taken for it", x.dtype()),
        ));
    };
    if x.dtype().size() > 2 && x.dtype() != to {
        return Err(argument(
            "to",
            to,
            format!("integers of 8 or 16 bits are converted; the operand is {}", x.dtype()),
        ));
    }
    Ok(vec![super::cast::converted(b, x, to)?])
}
