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

    /// Adds a convolution, and returns its number.
    pub fn conv(&mut self, op: &Conv<Tensor>, input: Type, weights: Array, bias: Vec<i32>) -> Result<usize> {
        let index = self.results.len();
        let x = self.graph.input(&format!("x{index}"), input.0, input.1)?;
        let two = |list: &[i64]| -> Result<[i64; 2]> { list.try_into().map_err(Error::new) };
        let pads: [i64; 4] = op.pads.as_slice().try_into().map_err(Error::new)?;
        let (strides, dilations) = (two(&op.strides)?, op.dilations.as_deref().map_or(Ok([1, 1]), two)?);
        let call = self.graph.conv_int(x, weights).input_zp(0).weight_zp(0).group(op.group);
        let call = call.stride(strides).pad(pads).dilation(dilations);
        let call = match bias.is_empty() {
            true => call,
            false => call.bias(Array::from_vec([bias.len()], bias)?),
        };
        let result = call.out_name(format!("y{index}")).call()?;
        self.results.push(result);
        Ok(index)
    }

    /// Adds a transposed convolution, and returns its number.
    pub fn deconv(&mut self, op: &Deconv<Tensor>, input: Type, weights: Array, bias: Vec<i32>) -> Result<usize> {
        let index = self.results.len();
        let x = self.graph.input(&format!("x{index}"), input.0, input.1)?;
        let two = |list: &[i64]| -> Result<[i64; 2]> { list.try_into().map_err(Error::new) };
        let pads: [i64; 4] = op.pads.as_slice().try_into().map_err(Error::new)?;
        let dilations = op.dilations.as_deref().map_or(Ok([1, 1]), two)?;
        let padding = op.output_padding.as_deref().map_or(Ok([0, 0]), two)?;
        let call = self.graph.deconv_int(x, weights).input_zp(0).weight_zp(0).stride(two(&op.strides)?);
        let call = call.pad(pads).dilation(dilations).output_padding(padding);
        let call = match bias.is_empty() {
            true => call,
            false => call.bias(Array::from_vec([bias.len()], bias)?),
        };
        let result = call.out_name(format!("y{index}")).call()?;
        self.results.push(result);
        Ok(index)
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
        let index = self.results.len();
        let x = self.graph.input(&format!("x{index}"), left.0, left.1)?;
        let right = match (weights, right_dtype) {
            (Some(weights), _) => self.graph.coefficient(&format!("w{index}"), weights)?,
            (None, Some(dtype)) => self.graph.input(&format!("r{index}"), dtype, right_shape)?,
            (None, None) => return Err(invalid("a product has no right operand")),
        };
        let call = self.graph.matmul_int(x, right).input_zp(0).right_zp(0);
        let call = call.right_transpose(op.right_transpose).keep_dims(op.keep_dims);
        let call = match bias.is_empty() {
            true => call,
            false => call.bias(Array::from_vec([bias.len()], bias)?),
        };
        let result = call.out_name(format!("y{index}")).call()?;
        self.results.push(result);
        Ok(index)
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
