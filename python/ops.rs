//! `Graph.op`: operators of the Top dialect, for which there need be no function.
use crate::{
    arrays::dtype_of,
    errors::{OrRaise, invalid_type},
    functions::{add_call, names_of},
    graph::Graph,
    quantization,
    tensor::{Tensor, shape_of},
    values::Converter,
};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList, PyTuple},
};
use tpulang::{
    Dtype,
    base::{Ints, Shape},
    functions::{ArgumentDef, ArgumentKind, ByName, Named, Value},
    ops::{OpDef, op_def},
};

#[pymethods]
impl Graph {
    /// Adds an operator of the Top dialect, which has more ops than there are functions. The command
    /// `tpulang ops top.Depth2Space` prints the operands and attributes of one.
    ///
    /// Args:
    ///     name: The op: "Depth2Space".
    ///     args: Operands and attributes by name. An array given as an operand becomes a coefficient.
    ///     out_name: The name of the result, or a list of names; an empty one leaves a result out that may be absent.
    ///     out_dtype: The dtype of the result, or a list, where the op does not determine it.
    ///     out_shape: The shape of the result, or a list, where the op does not determine it.
    ///     out_quant: The quantization of the first result: a scale, or a tuple of scale and zero point.
    ///
    /// Returns:
    ///     The result; a tuple if the op has several.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x = g.input("x", (1, 12, 4, 4))
    /// >>> attributes = {"block_h": 2, "block_w": 2, "is_CRD": True, "is_inversed": False}
    /// >>> g.op("Depth2Space", {"input": x, **attributes}, out_name="y").shape
    /// (1, 3, 8, 8)
    #[pyo3(signature = (name, args, *, out_name=None, out_dtype=None, out_shape=None, out_quant=None))]
    #[expect(clippy::too_many_arguments, reason = "all but two are optional and named")]
    fn op<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: &Bound<'py, PyDict>,
        out_name: Option<&Bound<'py, PyAny>>,
        out_dtype: Option<&Bound<'py, PyAny>>,
        out_shape: Option<&Bound<'py, PyAny>>,
        out_quant: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let def = op_def(name.strip_prefix("top.").unwrap_or(name)).or_raise(py)?;
        let function = format!("top.{}", def.name);
        let converter = Converter::new(&function, self.shared());
        let value = |(name, object): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
            let name: String = name.extract()?;
            let value = argument(def, &name).map(|argument| converter.argument(&argument, &object));
            // An unknown name is reported with those that the op has.
            Ok((name, value.unwrap_or(Ok(Value::Null))?))
        };
        let args = args.iter().map(value).collect::<PyResult<_>>()?;
        let out = out_name.map(|names| names_of(&function, "out_name", names)).transpose()?;
        let quantization = out_quant.map(quantization::read_output).transpose()?.flatten();
        let named = Named { out, out_quant: quantization.into_iter().map(Some).collect() };
        let call =
            ByName { args, named, dtypes: dtypes_of(out_dtype)?, shapes: shapes_of(out_shape)?, ..ByName::default() };
        let tensors = add_call(py, self.shared(), &function, call, converter.remarks.into_inner())?;
        let mut tensors = self.tensors_of(tensors);
        match (def.results.len(), tensors.pop()) {
            (1, Some(one)) => one.into_bound_py_any(py),
            (_, last) => {
                let all = tensors.into_iter().chain(last).map(|tensor| Bound::new(py, tensor));
                Ok(PyTuple::new(py, all.collect::<PyResult<Vec<Bound<'_, Tensor>>>>()?)?.into_any())
            }
        }
    }
}

/// Describes an operand or an attribute of an op.
fn argument(def: &OpDef, name: &str) -> Option<ArgumentDef> {
    let operand = def.operands.iter().find(|operand| operand.name == name);
    let operand = operand.map(|operand| (operand.name, ArgumentKind::Tensor, "a tensor".to_owned()));
    let attribute = || def.attributes.iter().find(|attribute| attribute.name == name);
    let found = operand.or_else(|| attribute().map(|a| (a.name, ArgumentKind::Params, a.kind.to_string())));
    found.map(|(name, kind, type_name)| ArgumentDef {
        name,
        doc: "",
        kind,
        type_name,
        required: false,
        default: None,
        schema: serde_json::Value::Null,
    })
}

fn dtypes_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Option<Dtype>>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    match given.cast::<PyList>() {
        Ok(list) => list.iter().map(|one| if one.is_none() { Ok(None) } else { dtype_of(&one).map(Some) }).collect(),
        Err(_) => Ok(vec![Some(dtype_of(given)?)]),
    }
}

/// Reads one shape, or a list with a shape or None for each result.
fn shapes_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Option<Shape>>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let shape = |given: &Bound<'_, PyAny>| Ints(shape_of(given)?).to_shape().or_raise(given.py());
    if given.extract::<Vec<i64>>().is_ok() {
        return Ok(vec![Some(shape(given)?)]);
    }
    let list = given.cast::<PyList>().map_err(|_| {
        invalid_type(given.py(), format!("out_shape is {given}; expected a shape, or a list of one per result"))
    })?;
    list.iter().map(|one| if one.is_none() { Ok(None) } else { shape(&one).map(Some) }).collect()
}
