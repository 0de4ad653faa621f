//! Transactions: a call that fails leaves the graph unchanged.
use super::{Graph, Mode, Tensor, TensorInfo, scope::Scope};
use crate::base::{Result, Warnings};

/// The undo log of the transactions in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Undo {
    /// Number of nested transactions in progress.
    depth: usize,
    /// Previous states of the tensors that were changed, oldest first.
    changed: Vec<(Tensor, TensorInfo)>,
}

/// The lengths of the graph's lists, and what else calls change, when a transaction began.
struct Savepoint {
    tensors: usize,
    open: usize,
    inputs: usize,
    updates: usize,
    operators: usize,
    arguments: usize,
    recorded: usize,
    calls: usize,
    changed: usize,
    warnings: Warnings,
    mode: Mode,
    scope: Scope,
}

/// Transaction guard: rolls back on drop, and thus on a panic, unless committed.
struct Transaction<'g> {
    graph: &'g mut Graph,
    /// `None` once committed.
    savepoint: Option<Savepoint>,
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        let Transaction { graph, savepoint } = self;
        graph.undo.depth -= 1;
        savepoint.take().into_iter().for_each(|savepoint| graph.roll_back(savepoint));
        if graph.undo.depth == 0 {
            graph.undo.changed.clear();
        }
    }
}

impl Graph {
    /// Changes a tensor. A transaction in progress restores it if it fails.
    #[doc(hidden)]
    pub fn change(&mut self, tensor: Tensor, f: impl FnOnce(&mut TensorInfo)) {
        if let Some(Some(info)) = self.tensors.get_mut(tensor.index()) {
            if self.undo.depth > 0 {
                self.undo.changed.push((tensor, info.clone()));
            }
            f(info);
        }
    }
    /// Runs `f` as a transaction: if it fails, the graph is unchanged.
    #[doc(hidden)]
    pub fn atomic<R>(&mut self, f: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        let savepoint = Some(self.savepoint());
        self.undo.depth += 1;
        let mut transaction = Transaction { graph: self, savepoint };
        let result = f(transaction.graph);
        if result.is_ok() {
            transaction.savepoint = None;
        }
        result
    }
    fn savepoint(&mut self) -> Savepoint {
        let (tensors, open, calls, changed) =
            (self.tensors.len(), self.open.len(), self.calls, self.undo.changed.len());
        let (inputs, updates) = (self.body.arguments.len(), self.updates.len());
        let (warnings, mode, scope) = (self.warnings.clone(), self.mode, self.scope.clone());
        let block = self.current();
        let (operators, arguments, recorded) = (block.operators.len(), block.arguments.len(), block.calls.len());
        Savepoint {
            tensors,
            open,
            inputs,
            updates,
            operators,
            arguments,
            recorded,
            calls,
            changed,
            warnings,
            mode,
            scope,
        }
    }
    fn roll_back(&mut self, savepoint: Savepoint) {
        for (tensor, info) in self.undo.changed.drain(savepoint.changed..).rev() {
            let current = &mut self.tensors[tensor.index()];
            if let Some(renamed) = current.as_ref().filter(|current| current.name != info.name) {
                // A later tensor may have taken the name.
                if self.by_name.get(&renamed.name) == Some(&tensor) {
                    self.by_name.remove(&renamed.name);
                }
                self.by_name.insert(info.name.clone(), tensor);
            }
            *current = Some(info);
        }
        if self.tensors.len() > savepoint.tensors {
            self.provenance.retire(savepoint.tensors);
        }
        for info in self.tensors.drain(savepoint.tensors..).flatten() {
            // An older tensor may have its name back.
            if self.by_name.get(&info.name).is_some_and(|t| t.index() >= savepoint.tensors) {
                self.by_name.remove(&info.name);
            }
        }
        self.open.truncate(savepoint.open);
        self.body.arguments.truncate(savepoint.inputs);
        self.updates.truncate(savepoint.updates);
        self.calls = savepoint.calls;
        self.warnings = savepoint.warnings;
        self.mode = savepoint.mode;
        self.scope = savepoint.scope;
        let block = self.current();
        block.operators.truncate(savepoint.operators);
        block.arguments.truncate(savepoint.arguments);
        block.calls.truncate(savepoint.recorded);
    }
}

/// Formats the whole state of a graph, with names in a fixed order.
#[cfg(test)]
pub(super) fn state(g: &Graph) -> String {
    let mut names: Vec<_> = g.by_name.iter().collect();
    names.sort();
    let Graph { tensors, body, open, scope, calls, undo, mode, .. } = g;
    format!("{tensors:?} {names:?} {body:?} {open:?} {scope:?} {calls} {undo:?} {mode:?}")
}

#[cfg(test)]
mod tests {
    use super::state;
    use crate::{Array, Dtype, Graph, Mode, Preprocess, Quantization, base::Cause, ops::Attribute};

    /// A handle of a rolled back transaction is not that of a later tensor.
    #[test]
    fn handles_are_not_used_again() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2]).unwrap();
        let mut kept = Vec::new();
        for _ in 0..3 {
            let failed: crate::Result<()> = g.atomic(|g| {
                kept.push(g.relu(x).call()?);
                kept.push(g.relu(x).call()?);
                Err(Cause::Shape("no".into()).into())
            });
            assert!(failed.is_err());
            g.tanh(x).call().unwrap();
        }
        g.tanh(x).call().unwrap();
        assert!(kept.iter().all(|t| g.tensor(*t).is_err()) && g.tensor(x).is_ok());
        assert_eq!(g.tensors().filter(|(t, _)| g.tensor(*t).is_ok()).count(), 5);
    }

    fn is_send<T: Send + Sync>() {}

    #[test]
    fn a_failed_call_leaves_the_graph_as_it_was() {
        is_send::<Graph>();
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 4]).unwrap();
        let y = g.input("y", Dtype::Int8, [1, 3]).unwrap();
        // Quantization set before the call is kept.
        g.quantize(x, &Quantization { scale: None, zero_point: Some(1.into()) }).unwrap();
        let before = state(&g);
        let error = g.add(x, y).scale([0.5, 0.5, 0.5]).zero_point([1, 0, 0]).call().unwrap_err();
        assert!(matches!(error.cause(), Cause::Broadcast { .. }), "{error}");
        assert!(state(&g) == before, "the graph changed");
        assert!(g.op(crate::ops::Add::new(vec![x, y])).call().is_err());
        assert!(state(&g) == before, "the graph changed");
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
        // An op, functions that quantize before they fail, and a block whose last call fails.
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
        assert!(state(&g) == before, "the graph changed");
        g.quantize(y, &Quantization::per_tensor(0.25, 0)).unwrap();
    }

    /// Names go back to the tensors that had them, also if another one has taken them meanwhile.
    #[test]
    fn names_mode_and_scope_survive_a_failing_call() {
        let mut g = Graph::new("g").unwrap();
        let [x, y] = ["x", "y"].map(|name| g.input(name, Dtype::Float32, [3]).unwrap());
        let before = state(&g);
        let failed = g.block([("a".into(), Dtype::Float32, [3])], |g, given| {
            // The names of x and y are exchanged, and taken by others.
            g.rename(x, "free")?;
            g.rename(y, "x")?;
            g.rename(x, "y")?;
            g.rename(y, "z")?;
            let relu = g.relu(x).out_name("x").call()?;
            g.rename(given[0], "b")?;
            g.rename(relu, "r")?;
            let again = g.relu(x).out_name("x").call()?;
            g.mode = Mode::Quantized;
            g.enter_scope("s")?;
            g.op(crate::ops::Permute::new(again, vec![7])).call()
        });
        assert!(failed.is_err());
        assert!(state(&g) == before, "the graph changed: {}\n{before}", state(&g));
        assert_eq!(["x", "y"].map(|name| g.find(name).unwrap()), [x, y]);
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
        assert!(state(&g) == before, "the graph changed");
        let y = g.relu(x).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().name, "relu_0");
    }

    #[test]
    fn a_failing_edit_leaves_the_graph_unchanged() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let y = g.permute(x, [0, 1]).out_name("y").call().unwrap();
        let z = g.relu(y).call().unwrap();
        let sum = g.add(z, x).call().unwrap();
        g.set_outputs(&[sum]).unwrap();
        let before = state(&g);
        // `add` does not accept 3x2 and 2x3; `relu` before it does.
        let error = g.set_attribute(y, "order", Some(Attribute::Ints(vec![1, 0]))).unwrap_err().to_string();
        assert!(error.contains("3x2 and 2x3"), "{error}");
        assert!(state(&g) == before, "the graph changed");
    }
}
