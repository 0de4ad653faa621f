//! The one list of functions and the one list of shape rules.
use super::{args::*, shape::ShapeRule, *};
use crate::{
    Quantization,
    graph::{Arguments, Call, Graph, Result, Tensor, nearest},
};

/// A function: its name, its documentation, and how a call of it is read from JSON.
pub struct FunctionDef {
    /// `conv`.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// A call in Rust.
    pub example: &'static str,
    /// Names of the arguments in order, and whether they are required.
    pub arguments: &'static [(&'static str, bool)],
    /// JSON Schema of the arguments.
    pub schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
    pub(crate) parse: fn(&str) -> Result<Box<dyn ParsedCall>, ParseError>,
}

/// Why JSON arguments were not read.
pub(crate) struct ParseError {
    /// Within the arguments: `stride[1]`.
    pub path: String,
    /// Counted from 1, within the text.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
    pub problem: String,
}

/// A call read from JSON.
pub(crate) trait ParsedCall {
    fn call(
        self: Box<Self>,
        graph: &mut Graph,
        out: Option<Vec<String>>,
        out_quant: Vec<Option<Quantization>>,
    ) -> Result<Vec<Tensor>>;
}

struct Parsed<A>(A);
impl<A: Arguments> ParsedCall for Parsed<A> {
    fn call(
        self: Box<Self>,
        graph: &mut Graph,
        out: Option<Vec<String>>,
        out_quant: Vec<Option<Quantization>>,
    ) -> Result<Vec<Tensor>> {
        let before = graph.calls.len();
        Call { graph, args: self.0, out, out_quant }.call()?;
        Ok(graph.calls.get(before).map(|c| c.outputs.clone()).unwrap_or_default())
    }
}

fn parse<A: Arguments>(text: &str) -> Result<Box<dyn ParsedCall>, ParseError> {
    let mut json = serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, A>(&mut json) {
        Ok(args) => Ok(Box::new(Parsed(args))),
        Err(e) => {
            let path = e.path().to_string();
            let inner = e.into_inner();
            let (line, column) = (inner.line(), inner.column());
            let problem = crate::spec::plain_problem(&inner);
            Err(ParseError { path: if path == "." { String::new() } else { path }, line, column, problem })
        }
    }
}

const fn function<A: Arguments>(
    doc: &'static str,
    example: &'static str,
    arguments: &'static [(&'static str, bool)],
) -> FunctionDef {
    FunctionDef { name: A::NAME, doc, example, arguments, schema: A::json_schema, parse: parse::<A> }
}

macro_rules! functions {
    ($($Args:ident),* $(,)?) => { &[$(function::<$Args>($Args::DOC, $Args::EXAMPLE, $Args::ARGUMENTS)),*] };
}

/// Every function, by name.
pub(crate) static FUNCTIONS: &[FunctionDef] = functions![
    Add,
    AvgPool2d,
    BatchNorm,
    CastFn,
    Concat,
    CondSelect,
    ConvFn,
    ConvInt,
    ConvQuant,
    ConvV2,
    Div,
    EqFn,
    Eqs,
    Ge,
    Gelu,
    Ges,
    Gt,
    Gts,
    IndexSelect,
    LayerNorm,
    Le,
    LeakyRelu,
    Les,
    Lt,
    Lts,
    Matmul,
    MatmulInt,
    Max,
    MaxPool2d,
    Min,
    Mul,
    Ne,
    Nes,
    Permute,
    Reduce,
    Relu,
    RequantInt,
    Reshape,
    Sigmoid,
    Slice,
    Softmax,
    Split,
    Squeeze,
    Sub,
    Tanh,
    Unsqueeze,
];

/// Every op's shape rule, by the op's name.
pub(super) const SHAPE_RULES: &[(&str, ShapeRule)] = &[
    ("Add", arithmetic::broadcast_shape),
    ("AddConst", shape::same_shape),
    ("AvgPool", pool::pool_shape),
    ("BatchNorm", norm::per_channel_shape),
    ("Cast", shape::same_shape),
    ("Compare", arithmetic::broadcast_shape),
    ("CompareConst", shape::same_shape),
    ("Concat", layout::concat_shape),
    ("Conv", conv::conv_shape),
    ("Div", arithmetic::broadcast_shape),
    ("GELU", shape::same_shape),
    ("Gather", gather::gather_shape),
    ("LayerNorm", norm::layer_norm_shape),
    ("LeakyRelu", shape::same_shape),
    ("MatMul", matmul::matmul_shape),
    ("Max", arithmetic::broadcast_shape),
    ("MaxConst", shape::same_shape),
    ("MaxPool", pool::pool_shape),
    ("Min", arithmetic::broadcast_shape),
    ("MinConst", shape::same_shape),
    ("Mul", arithmetic::broadcast_shape),
    ("MulConst", shape::same_shape),
    ("Permute", layout::permute_shape),
    ("Reduce", reduce::reduce_shape),
    ("Relu", shape::same_shape),
    ("RequantInt", cast::requant_shape),
    ("Reshape", layout::reshape_shape),
    ("Scale", norm::per_channel_shape),
    ("Sigmoid", shape::same_shape),
    ("Slice", layout::slice_shape),
    ("Softmax", activation::softmax_shape),
    ("Split", layout::split_shape),
    ("Squeeze", layout::squeeze_shape),
    ("Sub", arithmetic::broadcast_shape),
    ("SubConst", shape::same_shape),
    ("Tanh", shape::same_shape),
    ("Unsqueeze", layout::unsqueeze_shape),
    ("Where", select::where_shape),
];

/// Every function, by name.
pub fn functions() -> impl Iterator<Item = &'static FunctionDef> {
    FUNCTIONS.iter()
}

/// The function of that name.
///
/// # Errors
/// There is none; the nearest is suggested.
pub fn function_def(name: &str) -> Result<&'static FunctionDef> {
    FUNCTIONS.iter().find(|f| f.name == name).ok_or_else(|| {
        let nearest = nearest(name, FUNCTIONS.iter().map(|f| f.name));
        crate::graph::Cause::UnknownName { kind: "function", name: name.chars().take(200).collect(), nearest }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::OPS;

    #[test]
    fn lists_are_complete_and_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.name));
        let ruled: Vec<_> = SHAPE_RULES.iter().map(|r| r.0).collect();
        let defined: Vec<_> = OPS.iter().map(|o| o.name).filter(|n| !["None", "Input", "Weight"].contains(n)).collect();
        assert_eq!(ruled, defined, "td and the shape rules name the same ops");
    }
}
