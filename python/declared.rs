//! Tensors without a graph.
use crate::tensor::Handle;
use tpulang::{
    Array, Dtype, Error, Quantization, Result,
    base::{Cause, Shape},
    graph::{Preprocess, TensorInfo, TensorKind},
};

/// A tensor without a graph.
#[derive(Clone)]
pub struct Declared {
    pub name: String,
    /// Whether the user has chosen the name. Another is changed if it is taken.
    pub is_named: bool,
    pub shape: Shape,
    pub dtype: Dtype,
    pub is_coefficient: bool,
    pub data: Option<Array>,
    pub quantization: Option<Quantization>,
    pub preprocess: Option<Preprocess>,
}

impl Declared {
    /// Declares a tensor like one of a graph, for another graph.
    pub fn of(info: TensorInfo) -> Declared {
        let TensorInfo { name, shape, dtype, quantization, preprocess, kind, .. } = info;
        let data = if let TensorKind::Coefficient(data) = &kind { data.clone() } else { None };
        let is_coefficient = matches!(kind, TensorKind::Coefficient(_));
        Declared { name, is_named: true, shape, dtype, is_coefficient, data, quantization, preprocess }
    }
    /// Adds the tensor to a graph.
    ///
    /// # Errors
    /// Returns an error if the name is taken or the quantization is wrong. The graph is then unchanged.
    pub fn add_to(&self, graph: &mut tpulang::Graph) -> Result<Handle> {
        graph.atomic(|graph| self.added_to(graph))
    }
    fn added_to(&self, graph: &mut tpulang::Graph) -> Result<Handle> {
        let is_taken = graph.lookup(&self.name).is_some();
        let name = if is_taken && !self.is_named { graph.free_name("tensor") } else { self.name.clone() };
        let tensor = match (&self.data, self.is_coefficient) {
            (Some(data), true) => graph.coefficient(&name, data.clone())?,
            (None, true) => graph.coefficient_without_data(&name, self.dtype, &self.shape)?,
            (_, false) => graph.input(&name, self.dtype, &self.shape)?,
        };
        if let Some(quantization) = &self.quantization {
            graph.quantize(tensor, quantization)?;
        }
        if let Some(preprocess) = &self.preprocess {
            graph.preprocess(tensor, preprocess.clone())?;
        }
        Ok(tensor)
    }
    /// Adds parameters to the quantization, or checks that they agree.
    pub fn quantize(&mut self, quantization: &Quantization) -> Result<()> {
        let merged = quantization.merged(self.quantization.as_ref(), self.dtype, &self.shape);
        let problem = |problem| Cause::Quantization { tensor: self.name.clone(), problem };
        if let Some(merged) = merged.map_err(|p| Error::from(problem(p)))? {
            self.quantization = Some(merged);
        }
        Ok(())
    }
}
