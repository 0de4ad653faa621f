//! Calls that fail leave the graph as it was.
use super::{Graph, Tensor, TensorInfo};
use crate::base::{Result, Warnings};

/// What to take back when a call fails.
#[derive(Debug, Clone, Default)]
pub(super) struct Undo {
    /// How many calls, one within the other, are in progress.
    depth: usize,
    /// Tensors as they were before the calls in progress changed them.
    changed: Vec<(Tensor, TensorInfo)>,
}

/// How far the graph had grown, to return to when a call fails.
struct Mark {
    tensors: usize,
    open: usize,
    inputs: usize,
    operators: usize,
    arguments: usize,
    recorded: usize,
    calls: usize,
    changed: usize,
    warnings: Warnings,
}

/// A call in progress: what it did is taken back at the end, also where it panics, unless the mark is gone.
struct Attempt<'g> {
    graph: &'g mut Graph,
    mark: Option<Mark>,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let Attempt { graph, mark } = self;
        graph.undo.depth -= 1;
        mark.take().into_iter().for_each(|mark| graph.rewind(mark));
        if graph.undo.depth == 0 {
            graph.undo.changed.clear();
        }
    }
}

impl Graph {
    /// Changes a tensor, to be changed back should the call in progress fail.
    pub(crate) fn change(&mut self, tensor: Tensor, f: impl FnOnce(&mut TensorInfo)) {
        if let Some(Some(info)) = self.tensors.get_mut(tensor.index()) {
            if self.undo.depth > 0 {
                self.undo.changed.push((tensor, info.clone()));
            }
            f(info);
        }
    }
    /// Runs `f`; if it fails, the graph is as if nothing had been added or changed.
    pub(crate) fn atomic<R>(&mut self, f: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        let mark = Some(self.mark());
        self.undo.depth += 1;
        let mut attempt = Attempt { graph: self, mark };
        let result = f(attempt.graph);
        if result.is_ok() {
            attempt.mark = None;
        }
        result
    }
    fn mark(&mut self) -> Mark {
        let (tensors, open, calls, changed) =
            (self.tensors.len(), self.open.len(), self.calls, self.undo.changed.len());
        let inputs = self.body.arguments.len();
        let warnings = self.warnings.clone();
        let block = self.current();
        let (operators, arguments, recorded) = (block.operators.len(), block.arguments.len(), block.calls.len());
        Mark { tensors, open, inputs, operators, arguments, recorded, calls, changed, warnings }
    }
    fn rewind(&mut self, mark: Mark) {
        for (tensor, info) in self.undo.changed.drain(mark.changed..).rev() {
            self.tensors[tensor.index()] = Some(info);
        }
        for info in self.tensors.drain(mark.tensors..).flatten() {
            self.by_name.remove(&info.name);
        }
        self.open.truncate(mark.open);
        self.body.arguments.truncate(mark.inputs);
        self.calls = mark.calls;
        self.warnings = mark.warnings;
        let block = self.current();
        block.operators.truncate(mark.operators);
        block.arguments.truncate(mark.arguments);
        block.calls.truncate(mark.recorded);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, Dtype, Graph, Quantization, base::Cause, graph::Preprocess};

    fn is_send<T: Send + Sync>() {}

    /// All of a graph, in an order that does not change as a table of names grows.
    fn state(g: &Graph) -> String {
        let mut names: Vec<_> = g.by_name.iter().collect();
        names.sort();
        let Graph { tensors, body, open, scope, calls, undo, .. } = g;
        format!("{tensors:?} {names:?} {body:?} {open:?} {scope:?} {calls} {undo:?}")
    }

    #[test]
    fn a_failed_call_leaves_the_graph_as_it_was() {
        is_send::<Graph>();
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 4]).unwrap();
        let y = g.input("y", Dtype::Int8, [1, 3]).unwrap();
        // What was set before the call stays.
        g.quantize(x, &Quantization { scale: None, zero_point: Some(1.into()) }).unwrap();
        let before = state(&g);
        let error = g.add(x, y).scale([0.5, 0.5, 0.5]).zero_point([1, 0, 0]).call().unwrap_err();
        assert!(matches!(error.cause(), Cause::Broadcast { .. }), "{error}");
        assert_eq!(state(&g), before);
        assert!(g.op(crate::ops::Add::new(vec![x, y])).call().is_err());
        assert_eq!(state(&g), before);
    }

    #[test]
    fn what_was_set_before_survives_a_failing_call() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 3, 4, 4]).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Int8, [2, 3, 1, 1], 1.0).unwrap()).unwrap();
        g.preprocess(x, Preprocess::default()).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.5, 3)).unwrap();
        let y = g.add(x, x).scale([0.5, 0.5, 0.25]).zero_point([3, 3, 0]).call().unwrap();
        let before = state(&g);
        // Of an op, of a function that quantizes before it finds out, and of one after another in a block.
        assert!(g.op(crate::ops::Permute::new(y, vec![0, 0])).call().is_err());
        assert!(g.conv_int(y, w).input_zp(0).weight_zp(1).pad([9, 9, 9, -9]).call().is_err());
        assert!(g.add(y, x).scale([0.25, 0.5, -1.0]).zero_point([0, 3, 1]).call().is_err());
        let failed = g.block([("a".into(), Dtype::Int8, [3])], |g, given| {
            g.quantize(given[0], &Quantization::per_tensor(0.5, 1))?;
            let z = g.input("z", Dtype::Int8, [3])?;
            g.quantize(w, &Quantization::per_tensor(0.125, 0))?;
            let r = g.relu(z).call()?;
            g.set_outputs(&[r])?;
            g.op(crate::ops::Permute::new(y, vec![7])).call()
        });
        assert!(failed.is_err());
        assert_eq!(state(&g), before);
        g.quantize(y, &Quantization::per_tensor(0.25, 0)).unwrap();
    }

    #[test]
    fn a_panic_leaves_the_graph_as_it_was() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [3]).unwrap();
        let before = state(&g);
        let build = |g: &mut Graph| {
            g.scope("s", |g| {
                let none: [(String, Dtype, [i64; 0]); 0] = [];
                g.block(none, |g, _| {
                    g.quantize(x, &Quantization::per_tensor(0.5, 1))?;
                    g.relu(x).call()?;
                    panic!("in the user's own code")
                })
            })
        };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| build(&mut g)));
        assert!(caught.is_err());
        assert_eq!(state(&g), before);
        let y = g.relu(x).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().name, "relu_0");
    }
}
