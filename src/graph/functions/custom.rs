//! User-defined operators: `custom`.
use super::{
    argument::{Argument, Mismatch},
    function,
    kind::ArgumentKind,
    lowering::Lowering,
    operands::Operands,
    value::Value,
};
use crate::{
    Tensor,
    base::{Dtype, Ints, Result, argument, misfit},
    ops::{self, Attribute, Dict},
};
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

/// Parameters of a user-defined operator, by name.
///
/// ```
/// use tpulang::functions::Params;
/// let params = Params::from([("alpha", 0.5.into()), ("axes", vec![0i64, 2].into())]);
/// assert_eq!(params.0.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params(pub IndexMap<String, Attribute>);
impl<K: Into<String>, const N: usize> From<[(K, Attribute); N]> for Params {
    fn from(params: [(K, Attribute); N]) -> Self {
        Params(params.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }
}

impl Argument for Params {
    fn expected() -> String {
        "an object of integers, numbers, true or false, and lists of integers or of numbers".into()
    }
    fn type_name() -> String {
        "object".into()
    }
    fn schema() -> Json {
        let number = json!({ "type": "number" });
        let list = json!({ "type": "array", "items": number });
        json!({ "type": "object", "additionalProperties": { "anyOf": [number, { "type": "boolean" }, list] } })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::Params
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let wrong = |path, value: &Value| Mismatch {
            path,
            found: value.to_string(),
            expected: format!("expected {}", Self::expected()),
        };
        let Value::Map(entries) = value else {
            return Err(wrong(String::new(), &value));
        };
        let read = |(name, value): (String, Value)| match param(&value) {
            Some(attribute) => Ok((name, attribute)),
            None => Err(wrong(format!(".{name}"), &value)),
        };
        entries.into_iter().map(read).collect::<Result<_, _>>().map(Params)
    }
    fn to_value(&self) -> Value {
        let written = |a: &Attribute| match a {
            Attribute::Int(v) => (*v).into(),
            Attribute::Float(v) => (*v).into(),
            Attribute::Bool(v) => (*v).into(),
            Attribute::Ints(v) => v.clone().into(),
            Attribute::Floats(v) => v.clone().into(),
            other => other.to_string().into(),
        };
        Value::Map(self.0.iter().map(|(name, a)| (name.clone(), written(a))).collect())
    }
}

/// Converts a value to an attribute. The numbers of a list must be of one kind.
fn param(value: &Value) -> Option<Attribute> {
    Some(match value {
        Value::Int(v) => (*v).into(),
        Value::Float(v) => (*v).into(),
        Value::Bool(v) => (*v).into(),
        Value::List(all) => {
            let int = |v: &Value| if let Value::Int(v) = v { Some(*v) } else { None };
            let float = |v: &Value| if let Value::Float(v) = v { Some(*v) } else { None };
            let ints: Option<Vec<i64>> = all.iter().map(int).collect();
            match ints {
                Some(ints) => ints.into(),
                None => all.iter().map(float).collect::<Option<Vec<f64>>>()?.into(),
            }
        }
        _ => return None,
    })
}

function! {
    Custom -> Vec<Tensor> {
        "Any number of tensors, coefficients among them, of any dtype and shape." tensors_in: Operands,
        "The plug-in's name of the operator." op_name: String,
        "Dtype of each output." out_dtypes: Vec<Dtype>,
        ;
        "Parameters by name: integers, numbers, true or false (written as 1 or 0), or lists of integers or of numbers." params: Params,
        "Shape of each output. Default: the first tensor's." out_shapes: Vec<Ints>,
    }
    custom: "An operator computed by a plug-in of the tool chain. It can be checked and converted, but not run.",
        example |g, x, i| {
            let y = g.custom([x], "absadd", vec![Dtype::Float32]).params([("b", 1.2.into())]).call()?;
            assert_eq!(y[0].shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl Custom {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        if self.op_name.is_empty() {
            return Err(argument("op_name", "empty", "expected the operator's name"));
        }
        if self.out_dtypes.is_empty() {
            return Err(argument("out_dtypes", "empty", "expected at least one output"));
        }
        let inputs = self.tensors_in.0.iter().map(|t| to.tensor(t)).collect::<Result<Vec<_>>>()?;
        let shapes = match (&self.out_shapes, self.tensors_in.0.first()) {
            (Some(given), _) if given.len() != self.out_dtypes.len() => {
                let expected = format!("expected {}, as many as out_dtypes", self.out_dtypes.len());
                return Err(argument("out_shapes", format!("a list of {}", given.len()), expected));
            }
            (Some(given), _) => given.iter().map(Ints::to_shape).collect::<Result<_>>()?,
            (None, Some(first)) => vec![to.info(first)?.shape.clone(); self.out_dtypes.len()],
            (None, None) => {
                return Err(misfit("out_shapes", "is missing; there is no tensor to take the outputs' shape from"));
            }
        };
        let mut params = Vec::new();
        for (name, value) in self.params.iter().flat_map(|p| &p.0) {
            params.push(Dict::from([(name.clone(), written(name, value)?)]));
        }
        let types = self.out_dtypes.iter().copied().zip(shapes).collect();
        to.emit_typed(ops::Custom::new(inputs, self.op_name.clone(), params), types)
    }
}

/// Converts Booleans to integers, like TpuLang.
fn written(name: &str, value: &Attribute) -> Result<Attribute> {
    use Attribute::{Bool, Float, Floats, Int, Ints};
    match value {
        Bool(v) => Ok(Int((*v).into())),
        Int(_) | Float(_) | Ints(_) | Floats(_) => Ok(value.clone()),
        other => Err(argument(format!("params.{name}"), other, format!("expected {}", Params::expected()))),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::{bad_calls, first_line as first};
    use tpulang::{
        Array, Dtype, Graph,
        exec::{self, CpuBackend, RunOptions},
        mlir, spec,
    };

    #[test]
    fn types_are_given() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 3, 8]).unwrap();
        let y =
            g.custom([x], "a", vec![Dtype::Int8, Dtype::Float16]).out_shapes(vec![[2].into(), [4, 5].into()]).call();
        let types: Vec<_> = y.unwrap().iter().map(|t| g.tensor(*t).unwrap().type_text()).collect();
        assert_eq!(types, ["2 int8", "4x5 float16"]);
        let y = g.custom([x, x], "a", vec![Dtype::Uint32]).out_name("y").call().unwrap();
        assert_eq!(g.tensor(y[0]).unwrap().type_text(), "1x3x8 uint32");
    }

    /// Specs and modules preserve the parameters.
    #[test]
    fn it_is_written_and_read_but_not_run() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2]).unwrap();
        let params = [
            ("b", 1.25.into()),
            ("i", 3i64.into()),
            ("l", vec![1i64, 2].into()),
            ("f", vec![0.5f64, 2.0].into()),
            ("t", true.into()),
        ];
        let y = g.custom([x], "absadd", vec![Dtype::Float32]).params(params).out_name("y").call().unwrap();
        g.set_outputs(&y).unwrap();
        let text = mlir::emit(&g).unwrap().text;
        let written = "{name = \"absadd\", params = [{b = 1.250000e+00 : f32}, {i = 3 : i64}, {l = [1, 2]}, {f = [5.000000e-01 : f32, 2.000000e+00 : f32]}, {t = 1 : i64}]}";
        assert!(text.contains(written), "{text}");
        let again = spec::from_text(&spec::to_text(&g, None).unwrap(), "spec.json", None).unwrap();
        assert_eq!(mlir::emit(&again).unwrap().text, text);
        let read = mlir::read_text(&text).unwrap();
        assert_eq!(mlir::emit(&read).unwrap().text, text);
        let error = exec::run(&g, &[("x", Array::from([1f32, 2.0]))], &CpuBackend::new(), &RunOptions::default());
        assert!(first(error.unwrap_err()).contains("no kernel"));
    }

    #[test]
    fn mistakes_are_told() {
        bad_calls(
            "custom",
            &[
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": ["float"]}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "", "out_dtypes": ["float32"]}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": []}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": [], "op_name": "a", "out_dtypes": ["float32"]}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": ["float32"], "out_shapes": [[1], [2]]}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": ["float32"], "out_shapes": [[1, -2]]}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": ["float32"], "params": {"p": "word"}}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": ["float32"], "params": {"p": [1, 2.5, "x"]}}, "out": "y"}"#,
                r#"{"op": "custom", "args": {"tensors_in": ["x"], "op_name": "a", "out_dtypes": ["float32"], "params": 3}, "out": "y"}"#,
            ],
        );
    }
}
