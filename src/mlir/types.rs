//! Conversion of tensor types between the graph and MLIR.
use super::text::of_type;
use crate::{
    base::{Dtype, OneOrMany, Shape},
    quant::Quantization,
};
use melior::{
    Context,
    ir::{
        Type, TypeLike,
        r#type::{IntegerType, RankedTensorType},
    },
};
use mlir_sys::*;

/// Returns the ranked tensor type with this shape, dtype and quantization.
pub(super) fn tensor_type<'c>(
    context: &'c Context,
    shape: &[usize],
    dtype: Dtype,
    quantization: Option<&Quantization>,
) -> Type<'c> {
    let element = match quantization {
        Some(q) => quantized(context, dtype, q),
        None => element(context, dtype),
    };
    let shape: Vec<u64> = shape.iter().map(|&d| d as u64).collect();
    RankedTensorType::new(&shape, element, None).into()
}

fn element(context: &Context, dtype: Dtype) -> Type<'_> {
    let signless = |bits| IntegerType::new(context, bits).into();
    match dtype {
        Dtype::Float32 => Type::float32(context),
        Dtype::Float16 => Type::float16(context),
        Dtype::Bfloat16 => Type::bfloat16(context),
        Dtype::Float64 => Type::float64(context),
        Dtype::Fp8e4m3 => Type::float8_e4m3fn(context),
        Dtype::Fp8e5m2 => Type::float8_e5m2(context),
        Dtype::Int64 => signless(64),
        Dtype::Bool => signless(1),
        d if d.is_signed_int() => IntegerType::signed(context, 8 * d.size() as u32).into(),
        d => IntegerType::unsigned(context, 8 * d.size() as u32).into(),
    }
}

/// Returns `!quant.uniform`. Lists belong to axis 1 of every tensor, as in TpuLang.
fn quantized<'c>(context: &'c Context, dtype: Dtype, q: &Quantization) -> Type<'c> {
    let signed = dtype.is_signed_int();
    // Like in TpuLang, the storage type is signed or unsigned, although it is printed as i8 or u8 in either case.
    let storage = element(context, dtype).to_raw();
    let expressed = Type::float32(context).to_raw();
    let (low, high) = dtype.int_range().unwrap_or((i8::MIN.into(), i8::MAX.into()));
    let (mut scales, mut zero_points) = q.values();
    let flags = u32::from(signed);
    // SAFETY: the types belong to this context, and both lists have at least the given length.
    unsafe {
        Type::from_raw(match (scales.as_slice(), zero_points.as_slice()) {
            ([scale], [zero_point]) => {
                mlirUniformQuantizedTypeGet(flags, storage, expressed, *scale, *zero_point, low, high)
            }
            _ => mlirUniformQuantizedPerAxisTypeGet(
                flags,
                storage,
                expressed,
                scales.len() as isize,
                scales.as_mut_ptr(),
                zero_points.as_mut_ptr(),
                1,
                low,
                high,
            ),
        })
    }
}

/// The properties of a tensor that an MLIR type defines.
pub(super) struct ReadType {
    pub dtype: Dtype,
    /// `None` if the type is unranked.
    pub shape: Option<Shape>,
    pub quantization: Option<Quantization>,
}

/// Reads a tensor type.
///
/// # Errors
/// Returns an error if the type is not a tensor, has dynamic dimensions, or has unsupported elements.
pub(super) fn read_type(ty: Type) -> Result<ReadType, String> {
    let raw = ty.to_raw();
    // SAFETY: any type can be queried for its kind.
    let (ranked, unranked) = unsafe { (mlirTypeIsARankedTensor(raw), mlirTypeIsAUnrankedTensor(raw)) };
    let shape = if ranked {
        let dim = |i: usize| {
            // SAFETY: the type is a ranked tensor, and the index is below its rank.
            let d = unsafe { mlirShapedTypeGetDimSize(raw, i as isize) };
            usize::try_from(d)
                .map_err(|_| format!("the type {} has dynamic dimensions; every dimension must be static", of_type(ty)))
        };
        // SAFETY: the type is a ranked tensor.
        let rank = unsafe { mlirShapedTypeGetRank(raw) } as usize;
        Some((0..rank).map(dim).collect::<Result<Shape, _>>()?)
    } else if unranked {
        None
    } else {
        return Err(format!("the type {} is not a tensor", of_type(ty)));
    };
    // SAFETY: both kinds of tensor types are shaped.
    let element = unsafe { Type::from_raw(mlirShapedTypeGetElementType(raw)) };
    let (dtype, quantization) = read_element(element)?;
    Ok(ReadType { dtype, shape, quantization })
}

fn read_element(ty: Type) -> Result<(Dtype, Option<Quantization>), String> {
    let raw = ty.to_raw();
    // SAFETY: the kind of the type is tested before each call.
    if unsafe { mlirTypeIsACalibratedQuantizedType(raw) } {
        // Floats with the range that calibration found.
        // SAFETY: the kind of the type was tested.
        return read_element(unsafe { Type::from_raw(mlirQuantizedTypeGetExpressedType(raw)) });
    }
    // SAFETY: as above.
    let quantization = unsafe {
        if mlirTypeIsAUniformQuantizedType(raw) {
            Quantization::per_tensor(mlirUniformQuantizedTypeGetScale(raw), mlirUniformQuantizedTypeGetZeroPoint(raw))
        } else if mlirTypeIsAUniformQuantizedPerAxisType(raw) {
            let n = mlirUniformQuantizedPerAxisTypeGetNumDims(raw);
            let axis = mlirUniformQuantizedPerAxisTypeGetQuantizedDimension(raw);
            if n > 1 && axis != 1 {
                return Err(format!(
                    "{} has scales along axis {axis}; only those along axis 1 are supported",
                    of_type(ty)
                ));
            }
            Quantization {
                scale: Some(OneOrMany::Many((0..n).map(|i| mlirUniformQuantizedPerAxisTypeGetScale(raw, i)).collect())),
                zero_point: Some(OneOrMany::Many(
                    (0..n).map(|i| mlirUniformQuantizedPerAxisTypeGetZeroPoint(raw, i)).collect(),
                )),
            }
        } else {
            let text = of_type(ty);
            // tpuc-opt gives some indices a type without a sign.
            let known = Dtype::from_mlir_name(&text).or_else(|| Dtype::from_mlir_name(&format!("s{text}")));
            let known = known.ok_or_else(|| format!("elements of type {text} are not supported"))?;
            return Ok((known, None));
        }
    };
    // SAFETY: the type is a quantized one.
    let (bits, signed) = unsafe { (mlirQuantizedTypeGetStorageTypeIntegralWidth(raw), mlirQuantizedTypeIsSigned(raw)) };
    let dtype = match (bits, signed) {
        (8, true) => Dtype::Int8,
        (8, false) => Dtype::Uint8,
        (16, true) => Dtype::Int16,
        (16, false) => Dtype::Uint16,
        _ => return Err(format!("quantized elements of {bits} bits are not supported ({})", of_type(ty))),
    };
    Ok((dtype, Some(quantization)))
}
