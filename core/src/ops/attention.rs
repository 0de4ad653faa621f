//! Types of attention, and of position embeddings.
use super::{
    Rope, ScaleDotProductAttention,
    types::{Types, Value, broadcast, of_dtype, same},
};
use crate::base::{misfit, shape_text};

/// .. x queries x elements of a value.
pub(super) fn scaled_dot_product(op: &ScaleDotProductAttention<Value>) -> Types {
    let wrong =
        |t: &Value, expected: String| Err(misfit(t.called, format!("is {}; expected {expected}", shape_text(t.shape))));
    let [outer @ .., queries, elements] = op.query.shape else {
        return wrong(&op.query, ".. x queries x elements".into());
    };
    let keys = match op.key.shape {
        [theirs @ .., keys, e] if (theirs, e) == (outer, elements) => keys,
        _ => {
            let expected = [outer, &[0, *elements]].concat();
            return wrong(&op.key, format!("{} with the keys for 0", shape_text(&expected)));
        }
    };
    let values = match op.value.shape {
        [theirs @ .., n, values] if (theirs, n) == (outer, keys) => values,
        _ => {
            let expected = [outer, &[*keys, 0]].concat();
            return wrong(&op.value, format!("{} with the elements for 0", shape_text(&expected)));
        }
    };
    let scores = [outer, &[*queries, *keys]].concat();
    if let Some(mask) = &op.mask
        && broadcast(&scores, mask.shape)? != scores
    {
        return wrong(mask, format!("what is broadcast to {}", shape_text(&scores)));
    }
    of_dtype([outer, &[*queries, *values]].concat(), &op.query)
}

/// The input's type. Sines and cosines are broadcast to it.
pub(super) fn rope(op: &Rope<Value>) -> Types {
    let input = &op.input1;
    if input.shape.last().is_none_or(|d| d % 2 != 0) {
        let problem = format!("is {}; its last axis is made of pairs, and must be even", shape_text(input.shape));
        return Err(misfit(input.called, problem));
    }
    for weight in [&op.input2, &op.input3] {
        if broadcast(input.shape, weight.shape)? != input.shape {
            let (weights, of) = (shape_text(weight.shape), shape_text(input.shape));
            return Err(misfit(weight.called, format!("is {weights}; it is broadcast to the input's {of}, not wider")));
        }
        if !input.dtype.is_float() && weight.dtype.is_float() {
            let problem =
                format!("is {} and {} {}; integers are turned by integers", weight.dtype, input.called, input.dtype);
            return Err(misfit(weight.called, problem));
        }
    }
    same(input)
}
