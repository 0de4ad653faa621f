//! Kernels of custom operators.
use super::{CpuBackend, Operand, Signature, ValueType, kernel::OpKernel};
use crate::{
    array::Array,
    base::{Cause, Result, pluralized, shape_text},
    ops::Custom,
};
use std::{collections::HashMap, fmt, sync::Arc};

/// The arguments of a custom operator's kernel.
#[derive(Debug)]
#[non_exhaustive]
pub struct CustomCall<'a> {
    /// The operator, with its parameters and the types of its operands.
    pub op: &'a Custom<Operand>,
    /// The values of the operands: floats in float32, quantized values as stored.
    pub inputs: Vec<&'a Array>,
    /// The types of the results to return, in the dtypes of [`ValueType::buffer_dtype`].
    pub results: Vec<&'a ValueType>,
}

type Compute = dyn Fn(&CustomCall) -> Result<Vec<Array>> + Send + Sync;

/// Kernels of custom operators, by name.
#[derive(Clone, Default)]
pub(super) struct CustomKernels(HashMap<String, Arc<Compute>>);

impl fmt::Debug for CustomKernels {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl CpuBackend {
    /// Adds a kernel for the custom operators (`top.Custom`) of this name. A kernel for a GPU is added by
    /// `CudaBackend::with_custom`, a type rule by [`Graph::register_custom`](crate::graph::Graph::register_custom).
    ///
    /// The results must depend on operands and parameters only, since operators on constants may be computed once, when a
    /// session is created. A run fails if the kernel returns an error ([`Error::new`](crate::base::Error::new) creates one from
    /// a message), or results of other types than the operator's.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}, ops::Custom};
    /// let mut g = Graph::new("g")?;
    /// g.register_custom("square", |op| Ok(vec![(op.inputs[0].dtype, op.inputs[0].shape.to_vec())]))?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.op(Custom::new(vec![x], "square".into(), vec![])).out_name("y").call()?;
    /// g.set_outputs(&y)?;
    ///
    /// let cpu = CpuBackend::new().with_custom("square", |call| {
    ///     let squares: Vec<f32> = call.inputs[0].to_f32()?.iter().map(|x| x * x).collect();
    ///     Ok(vec![Array::from_vec(call.results[0].shape.clone(), squares)?])
    /// });
    /// let session = Session::new(&g, cpu, &RunOptions::default())?;
    /// assert_eq!(session.run(&[("x", Array::from([3f32, -2.0]))])?["y"].to_f32()?, [9.0, 4.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn with_custom(
        mut self,
        name: impl Into<String>,
        compute: impl Fn(&CustomCall) -> Result<Vec<Array>> + Send + Sync + 'static,
    ) -> CpuBackend {
        self.custom.0.insert(name.into(), Arc::new(compute));
        self
    }
}

impl CustomKernels {
    /// Returns the kernel of a custom operator, or `None` if there is none of its name.
    pub fn kernel(&self, op: &Custom<Operand>, signature: &Signature) -> Option<OpKernel> {
        let compute = self.0.get(&op.name)?.clone();
        let (op, types) = (op.clone(), signature.results.clone());
        Some(OpKernel::new(move |task| {
            let inputs = op.inputs.iter().map(|o| task.array(o)).collect::<Result<_>>()?;
            let call = CustomCall { op: &op, inputs, results: types.iter().flatten().collect() };
            let results = compute(&call)?;
            check(&call, &results)?;
            let present = types.iter().enumerate().filter(|(_, ty)| ty.is_some()).map(|(i, _)| i);
            present.zip(&results).try_for_each(|(i, array)| task.share(i, array))
        }))
    }
}

/// Checks the results of a kernel, which is the user's.
fn check(call: &CustomCall, results: &[Array]) -> Result<()> {
    let wrong = |problem: String| {
        let problem = format!("the kernel of {:?} returned {problem}", call.op.name);
        Err(Cause::Operator { op: "Custom".into(), problem }.into())
    };
    if results.len() != call.results.len() {
        let found = pluralized(results.len(), "array");
        return wrong(format!("{found}; the operator has {}", pluralized(call.results.len(), "result")));
    }
    for (i, (ty, array)) in call.results.iter().zip(results).enumerate() {
        if array.dtype() != ty.buffer_dtype() || array.shape() != ty.shape {
            let found = format!("{} {}", shape_text(array.shape()), array.dtype());
            return wrong(format!("{found} as result {i}; expected {} {}", shape_text(&ty.shape), ty.buffer_dtype()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Session, base::Result};

    /// Doubles the input before the custom operator and applies Relu after it.
    fn graph() -> Graph {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [2]).unwrap();
        let doubled = g.mul(x, 2.0).call().unwrap();
        let y = g.custom([doubled], "flip", vec![Dtype::Float16]).out_name("flipped").call().unwrap();
        let z = g.relu(y[0]).out_name("z").call().unwrap();
        g.set_outputs(&[z]).unwrap();
        g
    }

    fn run(compute: impl Fn(&[f32]) -> Result<Vec<Array>> + Send + Sync + 'static) -> Result<Vec<f32>> {
        let cpu = CpuBackend::new().with_custom("flip", move |call| compute(&call.inputs[0].to_f32()?));
        let session = Session::new(&graph(), cpu, &RunOptions::default())?;
        session.run(&[("x", Array::from([1f32, -3.0]))])?["z"].to_f32()
    }

    #[test]
    fn a_kernel_runs_between_others() {
        let flip = |x: &[f32]| Ok(vec![Array::from_vec([2], x.iter().map(|v| -v).collect())?]);
        assert_eq!(run(flip).unwrap(), [0.0, 6.0]);
    }

    #[test]
    fn wrong_results_are_refused() {
        let error = |array: fn() -> Vec<Array>| run(move |_| Ok(array())).unwrap_err().to_string();
        let none = error(Vec::new);
        assert!(none.contains("the kernel of \"flip\" returned 0 arrays; the operator has 1 result"), "{none}");
        let shape = error(|| vec![Array::from([1f32])]);
        assert!(shape.contains("returned 1 float32 as result 0; expected 2 float32"), "{shape}");
        let dtype = error(|| vec![Array::from([1i32, 2])]);
        assert!(dtype.contains("returned 2 int32 as result 0; expected 2 float32"), "{dtype}");
    }

    #[test]
    fn another_name_has_no_kernel() {
        let cpu = CpuBackend::new().with_custom("flop", |_| Ok(Vec::new()));
        let error = Session::new(&graph(), cpu, &RunOptions::default()).err().unwrap().to_string();
        assert!(error.contains("no kernel is registered for \"flip\": see `CpuBackend::with_custom`"), "{error}");
    }
}
