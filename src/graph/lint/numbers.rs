//! Attributes that do not fit the tensors that they are combined with.
use crate::{
    Graph, Operator,
    base::{Dtype, WarningKind},
    ops::{Attribute, Op},
};

/// The largest finite float16.
const MAX_F16: f64 = 65504.0;

pub fn check(graph: &Graph, found: &mut Vec<WarningKind>) {
    graph.body().walk(&mut |operator| found.extend(infinite_number(graph, operator)));
}

/// Finds a finite number that is infinite in the floats of an operator.
fn infinite_number(graph: &Graph, operator: &Operator) -> Option<WarningKind> {
    let result = graph.tensor(operator.outputs().next()?).ok()?;
    let limit = match result.dtype {
        Dtype::Float16 => MAX_F16,
        dtype if dtype.is_float() => f64::from(f32::MAX),
        _ => return None,
    };
    let is_infinite = |v: &f64| v.is_finite() && v.abs() > limit;
    let is_bound = |name: &str| match &operator.op {
        _ if name == "relu_limit" => true,
        Op::Clip(_) => ["min", "max"].contains(&name),
        Op::MinConst(_) | Op::MaxConst(_) => name == "const_val",
        _ => false,
    };
    // A bound that no number reaches bounds nothing, as was meant.
    let attributes = operator.op.attributes();
    attributes.iter().filter(|(name, _)| !is_bound(name)).find_map(|(name, attribute)| match attribute {
        Attribute::Float(value) if is_infinite(value) => Some(WarningKind::InfiniteScalar {
            tensor: result.name.clone(),
            argument: (*name).to_owned(),
            value: *value,
            dtype: result.dtype,
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::warnings;
    use crate::Dtype;

    #[test]
    fn numbers_that_become_infinite() {
        let found = warnings(|g, x| {
            let h = g.input("h", Dtype::Float16, [2])?;
            let a = g.add(x, 1e39).out_name("a").call()?;
            let b = g.add(x, f64::INFINITY).call()?;
            let bounded = g.min(x, 1e39).call()?;
            Ok(vec![a, b, bounded, g.add(h, 70000.0).out_name("c").call()?, g.add(x, 70000.0).call()?])
        });
        assert_eq!(
            found,
            [
                "infinite-scalar: \"a\": const_val is 1e39, which is infinite as float32",
                "infinite-scalar: \"c\": const_val is 7e4, which is infinite as float16",
            ]
        );
    }
}
