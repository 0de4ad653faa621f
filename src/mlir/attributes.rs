//! Conversion of attributes between the graph and MLIR.
use super::text::{of_string, string};
use crate::ops::{Attribute as Value, AttributeKind, Dict};
use melior::{
    Context,
    ir::{
        Attribute, AttributeLike, Identifier, Type,
        attribute::{ArrayAttribute, BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute},
        r#type::IntegerType,
    },
};
use mlir_sys::{
    MlirAttribute, mlirArrayAttrGetElement, mlirArrayAttrGetNumElements, mlirAttributeGetType, mlirAttributeIsAArray,
    mlirAttributeIsABool, mlirAttributeIsADictionary, mlirAttributeIsAFloat, mlirAttributeIsAInteger,
    mlirBoolAttrGetValue, mlirDictionaryAttrGet, mlirDictionaryAttrGetElement, mlirDictionaryAttrGetNumElements,
    mlirFloatAttrGetValueDouble, mlirIdentifierStr, mlirIntegerAttrGetValueInt, mlirIntegerAttrGetValueSInt,
    mlirIntegerAttrGetValueUInt, mlirIntegerTypeGetWidth, mlirIntegerTypeIsSigned, mlirIntegerTypeIsUnsigned,
    mlirNamedAttributeGet, mlirTypeIsAF32, mlirTypeIsAF64, mlirTypeIsAInteger,
};

/// Converts an attribute of an op. The kind distinguishes 32-bit from 64-bit integers.
pub(super) fn to_mlir<'c>(context: &'c Context, kind: AttributeKind, value: &Value) -> Attribute<'c> {
    written(context, [int_type(context, kind), Type::float64(context)], value)
}

fn written<'c>(context: &'c Context, types: [Type<'c>; 2], value: &Value) -> Attribute<'c> {
    let int = |v: i64| -> Attribute<'c> { IntegerAttribute::new(types[0], v).into() };
    let float = |v: f64| -> Attribute<'c> { FloatAttribute::new(context, types[1], v).into() };
    let list = |all: Vec<Attribute<'c>>| -> Attribute<'c> { ArrayAttribute::new(context, &all).into() };
    match value {
        Value::Int(v) => int(*v),
        Value::Float(v) => float(*v),
        Value::Bool(v) => BoolAttribute::new(context, *v).into(),
        Value::Str(v) => StringAttribute::new(context, v).into(),
        Value::Ints(v) => list(v.iter().map(|x| int(*x)).collect()),
        Value::Floats(v) => list(v.iter().map(|x| float(*x)).collect()),
        Value::List(v) => list(v.iter().map(|x| written(context, types, x)).collect()),
        Value::Dict(v) => dictionary(context, v),
    }
}

fn int_type(context: &Context, kind: AttributeKind) -> Type<'_> {
    match kind {
        AttributeKind::Si32 => IntegerType::signed(context, 32),
        AttributeKind::Ui32 => IntegerType::unsigned(context, 32),
        AttributeKind::I32 | AttributeKind::I32s => IntegerType::new(context, 32),
        _ => IntegerType::new(context, 64),
    }
    .into()
}

fn dictionary<'c>(context: &'c Context, entries: &Dict) -> Attribute<'c> {
    let named: Vec<_> = entries
        .iter()
        .map(|(key, value)| {
            let types = [int_type(context, AttributeKind::Int), Type::float32(context)];
            let (key, value) = (Identifier::new(context, key), written(context, types, value));
            // SAFETY: both belong to this context.
            unsafe { mlirNamedAttributeGet(key.to_raw(), value.to_raw()) }
        })
        .collect();
    // SAFETY: the attributes belong to this context, and their number is correct.
    unsafe { Attribute::from_raw(mlirDictionaryAttrGet(context.to_raw(), named.len() as isize, named.as_ptr())) }
}

/// Returns the value of an attribute, or `None` if the op table has no such kind.
pub(super) fn from_mlir(attribute: Attribute) -> Option<Value> {
    value(attribute, false)
}

/// Floats in a dictionary may be float32, as in `top.Custom`.
fn value(attribute: Attribute, in_dictionary: bool) -> Option<Value> {
    if let Some(items) = array(attribute) {
        return from_list(items.into_iter().map(|v| value(v, in_dictionary)).collect::<Option<Vec<_>>>()?);
    }
    if let Some(entries) = entries(attribute) {
        return entries.into_iter().map(|(k, v)| Some((k, value(v, true)?))).collect::<Option<Dict>>().map(Value::Dict);
    }
    let raw = attribute.to_raw();
    // SAFETY: the kind of the attribute is tested before each call. A bool is also an integer, so it is tested first.
    unsafe {
        if mlirAttributeIsABool(raw) {
            Some(Value::Bool(mlirBoolAttrGetValue(raw)))
        } else if mlirAttributeIsAInteger(raw) {
            integer(raw).map(Value::Int)
        } else if mlirAttributeIsAFloat(raw) {
            let ty = mlirAttributeGetType(raw);
            let is_known = mlirTypeIsAF64(ty) || (in_dictionary && mlirTypeIsAF32(ty));
            is_known.then(|| Value::Float(mlirFloatAttrGetValueDouble(raw)))
        } else {
            of_string(attribute).map(Value::Str)
        }
    }
}

/// Converts a list, to a list of integers or floats if all elements are.
fn from_list(values: Vec<Value>) -> Option<Value> {
    let ints = values.iter().map(|v| if let Value::Int(v) = v { Some(*v) } else { None }).collect();
    let floats = values.iter().map(|v| if let Value::Float(v) = v { Some(*v) } else { None }).collect();
    Some(match (ints, floats) {
        (Some(ints), _) => Value::Ints(ints),
        (_, Some(floats)) => Value::Floats(floats),
        _ => Value::List(values),
    })
}

/// Returns the entries of a dictionary attribute, or `None` if it is of another kind.
fn entries(attribute: Attribute) -> Option<Vec<(String, Attribute)>> {
    let raw = attribute.to_raw();
    // SAFETY: the kind is tested before the entries are taken, and the indices are in range.
    unsafe {
        mlirAttributeIsADictionary(raw).then(|| {
            (0..mlirDictionaryAttrGetNumElements(raw))
                .map(|i| {
                    let named = mlirDictionaryAttrGetElement(raw, i);
                    (string(mlirIdentifierStr(named.name)), Attribute::from_raw(named.attribute))
                })
                .collect()
        })
    }
}

/// Returns an integer, or `None` if it does not fit an i64. The C API asserts that the getter matches the signedness, and
/// that the width is at most 64.
///
/// # Safety
/// The attribute must be an integer.
unsafe fn integer(raw: MlirAttribute) -> Option<i64> {
    // SAFETY: guaranteed by the caller; kind and width of the type are tested first.
    unsafe {
        let ty = mlirAttributeGetType(raw);
        if !mlirTypeIsAInteger(ty) || mlirIntegerTypeGetWidth(ty) > 64 {
            None
        } else if mlirIntegerTypeIsSigned(ty) {
            Some(mlirIntegerAttrGetValueSInt(raw))
        } else if mlirIntegerTypeIsUnsigned(ty) {
            i64::try_from(mlirIntegerAttrGetValueUInt(raw)).ok()
        } else {
            Some(mlirIntegerAttrGetValueInt(raw))
        }
    }
}

/// Returns the elements of an array attribute. melior's own conversion refuses every array (0.27.1 tests the wrong kind).
fn array(attribute: Attribute) -> Option<Vec<Attribute>> {
    let raw = attribute.to_raw();
    // SAFETY: the kind is tested before the elements are taken, and the indices are in range.
    unsafe {
        mlirAttributeIsAArray(raw).then(|| {
            (0..mlirArrayAttrGetNumElements(raw))
                .map(|i| Attribute::from_raw(mlirArrayAttrGetElement(raw, i)))
                .collect()
        })
    }
}
