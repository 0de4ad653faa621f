//! The exact sums of products of all layers, in one graph of integers.
use crate::{
    array::Array,
    base::{Dtype, Error, Result, invalid},
    exec::{CpuBackend, RunOptions, Session},
    graph::{Graph, Tensor},
    ops::{Conv, Deconv, MatMul},
};
use std::sync::OnceLock;

/// Convolutions and matrix products of integers.
pub struct Products {
    graph: Graph,
    results: Vec<Tensor>,
    session: OnceLock<Session<CpuBackend>>,
}

/// A dtype and a shape.
type Type<'a> = (Dtype, &'a [usize]);

impl Products {
    pub fn new() -> Result<Products> {
        Ok(Products { graph: Graph::new("integers")?, results: Vec::new(), session: OnceLock::new() })
    }

    /// The name of a tensor of the layer that is added next.
    fn name(&self, role: &str) -> String {
        format!("{role}{}", self.results.len())
    }
    fn input(&mut self, role: &str, (dtype, shape): Type) -> Result<Tensor> {
        let name = self.name(role);
        self.graph.input(&name, dtype, shape)
    }
    /// Ends the addition of a layer, and returns its number.
    fn added(&mut self, result: Tensor) -> usize {
        self.results.push(result);
        self.results.len() - 1
    }

    /// Adds a convolution over up to three spatial axes, and returns its number.
    pub fn conv(&mut self, op: &Conv<Tensor>, input: Type, weights: Array, bias: Vec<i32>) -> Result<usize> {
        let x = self.input("x", input)?;
        let name = self.name("y");
        // The calls have different types, with the same methods.
        macro_rules! convolved {
            ($function:ident, $op:expr, $x:expr, $weights:expr) => {{
                let call = self.graph.$function($x, $weights).input_zp(0).weight_zp(0).group($op.group);
                let call = call.stride(sized(&$op.strides)?).pad(sized(&$op.pads)?);
                let call = call.dilation(sized_or(&$op.dilations, 1)?);
                match bias.is_empty() {
                    true => call,
                    false => call.bias(Array::from_vec([bias.len()], bias)?),
                }
            }};
        }
        let result = match op.kernel_shape.len() {
            1 => {
                let x = self.graph.unsqueeze(x).axes([3]).call()?;
                let weights = weights.reshaped([weights.shape(), &[1]].concat())?;
                let y = convolved!(conv_int, with_columns(op), x, weights).call()?;
                self.graph.squeeze(y, [3]).out_name(name).call()?
            }
            3 => convolved!(conv3d_int, op, x, weights).out_name(name).call()?,
            _ => convolved!(conv_int, op, x, weights).out_name(name).call()?,
        };
        Ok(self.added(result))
    }

    /// Adds a transposed convolution, and returns its number.
    pub fn deconv(&mut self, op: &Deconv<Tensor>, input: Type, weights: Array, bias: Vec<i32>) -> Result<usize> {
        let x = self.input("x", input)?;
        let name = self.name("y");
        let call = self.graph.deconv_int(x, weights).input_zp(0).weight_zp(0).out_name(name);
        let call = call.stride(sized(&op.strides)?).pad(sized(&op.pads)?).dilation(sized_or(&op.dilations, 1)?);
        let call = call.output_padding(sized_or(&op.output_padding, 0)?);
        let call = match bias.is_empty() {
            true => call,
            false => call.bias(Array::from_vec([bias.len()], bias)?),
        };
        let result = call.call()?;
        Ok(self.added(result))
    }

    /// Adds a matrix product, whose right operand may be constant, and returns its number.
    pub fn matmul(
        &mut self,
        op: &MatMul<Tensor>,
        left: Type,
        (right_dtype, right_shape): (Option<Dtype>, &[usize]),
        weights: Option<Array>,
        bias: Vec<i32>,
    ) -> Result<usize> {
        let x = self.input("x", left)?;
        let name = self.name("y");
        let right = match (weights, right_dtype) {
            (Some(weights), _) => self.graph.coefficient(&self.name("w"), weights)?,
            (None, Some(dtype)) => self.input("r", (dtype, right_shape))?,
            (None, None) => return Err(invalid("a product has no right operand")),
        };
        let call = self.graph.matmul_int(x, right).input_zp(0).right_zp(0).out_name(name);
        let call = call.right_transpose(op.right_transpose).keep_dims(op.keep_dims);
        let call = match bias.is_empty() {
            true => call,
            false => call.bias(Array::from_vec([bias.len()], bias)?),
        };
        let result = call.call()?;
        Ok(self.added(result))
    }

    /// Returns the sums of a layer as int32.
    pub fn run(&self, index: usize, left: &Array, right: Option<&Array>) -> Result<Array> {
        let session = match self.session.get() {
            Some(session) => session,
            None => {
                let session = self.session()?;
                self.session.get_or_init(|| session)
            }
        };
        let name = format!("y{index}");
        let mut feeds = vec![(format!("x{index}"), left.clone())];
        feeds.extend(right.map(|right| (format!("r{index}"), right.clone())));
        let mut results = session.fetch_from(&feeds[..], &[&name])?;
        results.shift_remove(&name).ok_or_else(|| invalid(format!("the run lacks {name}")))
    }

    fn session(&self) -> Result<Session<CpuBackend>> {
        let mut graph = self.graph.clone();
        graph.set_outputs(&self.results)?;
        let first = self.results.first().map(|t| graph.tensor(*t).map(|info| info.name.clone())).transpose()?;
        let first = first.ok_or_else(|| Error::new("there are no products"))?;
        // Each product gets a plan of its own when it first runs.
        let options = RunOptions::default().fetched([first]).kept_plans(self.results.len());
        Session::new(&graph, CpuBackend::new(), &options)
    }
}

/// Returns a convolution over one axis as one over images with a single column.
fn with_columns(op: &Conv<Tensor>) -> Conv<Tensor> {
    let mut op = op.clone();
    op.strides.push(1);
    op.dilations.iter_mut().for_each(|dilations| dilations.push(1));
    op.pads = op.pads.iter().flat_map(|pad| [*pad, 0]).collect();
    op
}

/// Returns a list as an array of the size that a function takes.
fn sized<const N: usize>(list: &[i64]) -> Result<[i64; N]> {
    list.try_into().map_err(Error::new)
}

fn sized_or<const N: usize>(list: &Option<Vec<i64>>, default: i64) -> Result<[i64; N]> {
    list.as_deref().map_or(Ok([default; N]), sized)
}
