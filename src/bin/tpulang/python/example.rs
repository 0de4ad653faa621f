//! Examples in Python, from the calls of the examples in Rust.
use super::literal::{literal, quoted, shape};
use serde_json::Value;
use std::collections::HashMap;
use tpulang::{
    Array, Dtype, Graph, Result, Tensor,
    functions::{ArgumentDef, FunctionDef, Parameter, Returns, function_def},
    graph::{MadeBy, Recorded, RecordedCall, TensorInfo, TensorKind},
};

/// Columns of a line, as in most Python code.
pub const WIDTH: usize = 88;

/// Returns the example of a function as a doctest, for a graph `g` with the inputs `x` (float32) and `i` (int8) of 1x3x8x8.
///
/// # Errors
/// Returns an error if the example in Rust fails, which a test rules out.
pub fn example(f: &FunctionDef) -> Result<Vec<String>> {
    let graph = f.example_graph()?;
    let mut python = Python { function: f.name, graph: &graph, names: HashMap::new(), lines: Vec::new() };
    python.inputs_and_coefficients()?;
    for (call, _) in graph.body().calls() {
        if let MadeBy::Function(function) = &call.made_by {
            python.call(&**function, &call)?;
        }
    }
    Ok(python.lines)
}

struct Python<'g> {
    /// The function whose example it is; calls of others prepare its arguments.
    function: &'static str,
    graph: &'g Graph,
    /// What stands for each tensor in Python.
    names: HashMap<String, String>,
    lines: Vec<String>,
}

impl Python<'_> {
    fn inputs_and_coefficients(&mut self) -> Result<()> {
        for t in self.graph.inputs() {
            let TensorInfo { name, dtype, shape: dims, .. } = self.graph.tensor(*t)?;
            if name != "x" && name != "i" {
                let (quoted, dims, dtype) = (quoted(name), shape(dims), quoted(dtype.name()));
                self.lines.push(format!(">>> {name} = g.input({quoted}, shape={dims}, dtype={dtype})"));
            }
            self.names.insert(name.clone(), name.clone());
        }
        for (_, info) in self.graph.tensors() {
            if let TensorKind::Coefficient(Some(data)) = &info.kind {
                self.names.insert(info.name.clone(), numpy(data)?);
            }
        }
        Ok(())
    }

    fn call(&mut self, function: &dyn Recorded, call: &RecordedCall) -> Result<()> {
        let f = function_def(function.function())?;
        let arguments = self.arguments(f, function, call)?;
        let variable = if f.name == self.function { "y" } else { "v" };
        let variables: Vec<String> = match f.returns() {
            Returns::One => vec![variable.into()],
            Returns::Named(names) => names.iter().map(|name| (*name).to_owned()).collect(),
            Returns::List => (0..call.outputs.len()).map(|i| format!("{variable}[{i}]")).collect(),
        };
        let assigned = if f.returns() == Returns::List { variable.to_owned() } else { variables.join(", ") };
        self.write_call(&format!("{assigned} = tpulang.{}(", f.name), &arguments);
        if f.name == self.function {
            self.shapes(f.returns(), &variables, &call.outputs)?;
        }
        for (t, variable) in call.outputs.iter().zip(variables) {
            self.names.insert(self.graph.tensor(*t)?.name.clone(), variable);
        }
        Ok(())
    }

    /// The arguments of a call: the required ones by position, the others by name.
    fn arguments(&self, f: &FunctionDef, function: &dyn Recorded, call: &RecordedCall) -> Result<Vec<String>> {
        let Value::Object(given) = function.to_json(self.graph)? else { return Ok(Vec::new()) };
        let tensor = |name: &str| self.names.get(name).cloned().unwrap_or_default();
        let value = |a: &ArgumentDef| given.get(a.name).map(|value| literal(&a.kind, value, &tensor));
        let signature = f.signature();
        let mut arguments = Vec::new();
        for (i, parameter) in signature.positional.iter().enumerate() {
            let given = match parameter {
                Parameter::Argument(argument) => value(argument),
                Parameter::OutName => self.out_name(f, call)?,
                Parameter::OutNames | Parameter::MaskName => None,
            };
            match given {
                given if i < signature.required => arguments.push(given.unwrap_or("None".into())),
                Some(given) => arguments.push(format!("{}={given}", parameter.name())),
                None => {}
            }
        }
        let by_name = |a: &&ArgumentDef| Some(format!("{}={}", a.name, value(a)?));
        arguments.extend(signature.keyword_only.iter().filter_map(by_name));
        Ok(arguments)
    }

    /// The name of the output, if the example chooses one.
    fn out_name(&self, f: &FunctionDef, call: &RecordedCall) -> Result<Option<String>> {
        let [one] = call.outputs.as_slice() else { return Ok(None) };
        let name = &self.graph.tensor(*one)?.name;
        Ok((!name.starts_with(f.name)).then(|| quoted(name)))
    }

    /// Writes a call, over several lines if it is long.
    fn write_call(&mut self, begin: &str, arguments: &[String]) {
        let mut line = format!(">>> {begin}");
        let fits = begin.len() + arguments.iter().map(|a| a.len() + 2).sum::<usize>() + 4 <= WIDTH;
        for (i, argument) in arguments.iter().enumerate() {
            let end = if i + 1 == arguments.len() { ")" } else { "," };
            if !fits && (i == 0 || line.len() + argument.len() + 2 > WIDTH) {
                self.lines.push(std::mem::replace(&mut line, "...    ".into()));
            }
            let space = if line.ends_with('(') { "" } else { " " };
            line += &format!("{space}{argument}{end}");
        }
        self.lines.push(line);
    }

    /// Shows the shapes of the outputs.
    fn shapes(&mut self, returns: Returns, variables: &[String], outputs: &[Tensor]) -> Result<()> {
        let shapes = outputs.iter().map(|t| Ok(shape(&self.graph.tensor(*t)?.shape)));
        let shapes = shapes.collect::<Result<Vec<_>>>()?.join(", ");
        let each = || variables.iter().map(|v| format!("{v}.shape")).collect::<Vec<_>>().join(", ");
        let (asked, shown) = match returns {
            Returns::One => (each(), shapes),
            Returns::Named(_) => (each(), format!("({shapes})")),
            Returns::List => ("[t.shape for t in y]".to_owned(), format!("[{shapes}]")),
        };
        self.lines.extend([format!(">>> {asked}"), shown]);
        Ok(())
    }
}

/// Returns a NumPy expression for an array.
fn numpy(array: &Array) -> Result<String> {
    let (dims, dtype) = (shape(array.shape()), quoted(array.dtype().name()));
    let values = array.to_f64()?;
    let written = |v: f64| if array.dtype() == Dtype::Float64 { v.to_string() } else { (v as f32).to_string() };
    match values.as_slice() {
        [0.0, rest @ ..] if rest.iter().all(|v| *v == 0.0) => return Ok(format!("np.zeros({dims}, {dtype})")),
        [1.0, rest @ ..] if rest.iter().all(|v| *v == 1.0) => return Ok(format!("np.ones({dims}, {dtype})")),
        [first, rest @ ..] if rest.iter().all(|v| v == first) => {
            return Ok(format!("np.full({dims}, {}, {dtype})", written(*first)));
        }
        _ => {}
    }
    let flat = if values.iter().enumerate().all(|(i, v)| *v == i as f64) {
        format!("np.arange({}, dtype={dtype})", values.len())
    } else {
        let all: Vec<_> = values.iter().map(|v| written(*v)).collect();
        format!("np.array([{}], {dtype})", all.join(", "))
    };
    Ok(if array.shape().len() == 1 { flat } else { format!("{flat}.reshape{dims}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpulang::functions::functions;

    #[test]
    fn every_function_has_an_example() {
        for f in functions() {
            let lines = example(f).unwrap_or_else(|e| panic!("{}: {e}", f.name));
            assert!(lines.iter().any(|line| line.contains(&format!("= tpulang.{}(", f.name))), "{lines:?}");
            assert!(lines.iter().any(|line| line.contains(".shape")), "{lines:?}");
            assert!(lines.iter().all(|line| line.len() <= 120), "{lines:?}");
        }
    }
}
