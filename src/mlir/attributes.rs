//! Attributes between the graph and MLIR.
use crate::graph::{Attribute as Value, AttributeKind, Preprocess};
use melior::{
    Context,
    ir::{
        Attribute, AttributeLike, Type, TypeLike,
        attribute::{ArrayAttribute, BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute},
        r#type::IntegerType,
    },
};
use mlir_sys::{mlirArrayAttrGetElement, mlirArrayAttrGetNumElements, mlirAttributeIsAArray};

/// An attribute of an op; the kind tells a 32-bit integer from a 64-bit one.
pub(super) fn to_mlir<'c>(context: &'c Context, kind: AttributeKind, value: &Value) -> Attribute<'c> {
    let int = |v: i64| -> Attribute<'c> { IntegerAttribute::new(IntegerType::new(context, 64).into(), v).into() };
    let float = |v: f64| -> Attribute<'c> { FloatAttribute::new(context, Type::float64(context), v).into() };
    match value {
        Value::Int(v) if kind == AttributeKind::Si32 => {
            IntegerAttribute::new(IntegerType::signed(context, 32).into(), *v).into()
        }
        Value::Int(v) => int(*v),
        Value::Float(v) => float(*v),
        Value::Bool(v) => BoolAttribute::new(context, *v).into(),
        Value::Str(v) => StringAttribute::new(context, v).into(),
        Value::Ints(v) => ArrayAttribute::new(context, &v.iter().map(|x| int(*x)).collect::<Vec<_>>()).into(),
        Value::Floats(v) => ArrayAttribute::new(context, &v.iter().map(|x| float(*x)).collect::<Vec<_>>()).into(),
    }
}

/// The value of an attribute, if it is of a kind that the op table knows.
pub(super) fn from_mlir(attribute: Attribute) -> Option<Value> {
    if let Some(items) = array(attribute) {
        let values = items.into_iter().map(from_mlir).collect::<Option<Vec<_>>>()?;
        let ints =
            values.iter().map(|v| if let Value::Int(v) = v { Some(*v) } else { None }).collect::<Option<Vec<_>>>();
        let floats =
            || values.iter().map(|v| if let Value::Float(v) = v { Some(*v) } else { None }).collect::<Option<Vec<_>>>();
        return ints.map(Value::Ints).or_else(|| floats().map(Value::Floats));
    }
    // A bool is an integer of one bit, so it is tried first.
    if let Ok(v) = BoolAttribute::try_from(attribute) {
        return Some(Value::Bool(v.value()));
    }
    if let Ok(v) = IntegerAttribute::try_from(attribute) {
        return integer(v);
    }
    if let Ok(v) = FloatAttribute::try_from(attribute) {
        return attribute.r#type().is_f64().then(|| Value::Float(v.value()));
    }
    StringAttribute::try_from(attribute).ok().map(|v| Value::Str(v.value().to_owned()))
}

/// Integers of up to 64 bits, by their text: the C API asserts that signedness is as asked for.
fn integer(attribute: IntegerAttribute) -> Option<Value> {
    let text = attribute.to_string();
    text.split(" : ").next()?.trim().parse().ok().map(Value::Int)
}

/// The elements of an array attribute. melior's own conversion refuses every array (0.27.1 tests the wrong kind).
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

/// The attributes of `top.Input` for an image of that shape, as TPU-MLIR's importer sets them.
pub(crate) fn preprocess_attributes(p: &Preprocess, shape: &[usize]) -> Vec<(&'static str, Value)> {
    let nhwc = p.channel_format == "nhwc";
    let channels = if nhwc { shape.last() } else { shape.get(1) };
    let mut all: Vec<(&'static str, Value)> = vec![("do_preprocess", true.into())];
    // The importer sets the others on images only.
    if shape.len() == 3 || (shape.len() == 4 && channels.is_some_and(|&c| c <= 4)) {
        let spatial = if nhwc { &shape[shape.len() - 3..shape.len() - 1] } else { &shape[shape.len() - 2..] };
        let resize = p.resize_dims.map_or_else(|| spatial.iter().map(|&d| d as i64).collect(), Vec::from);
        all.extend([
            ("resize_dims", Value::Ints(resize)),
            ("keep_aspect_ratio", p.keep_aspect_ratio.into()),
            ("keep_ratio_mode", p.keep_ratio_mode.as_str().into()),
            ("pad_value", p.pad_value.into()),
            ("pad_type", p.pad_type.as_str().into()),
            ("mean", p.mean.clone().into()),
            ("scale", p.scale.clone().into()),
            ("pixel_format", p.pixel_format.as_str().into()),
            ("channel_format", p.channel_format.as_str().into()),
        ]);
    }
    all
}
