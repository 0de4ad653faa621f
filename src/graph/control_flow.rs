//! Control flow, built with closures: `cond`, `while_loop`, `for_loop` and `scan`.
use super::{Graph, Tensor};
use crate::{
    array::Array,
    base::{Dtype, Result, Shape, argument, misfit, pluralized},
    ops::{If, Loop},
};

/// The type of an argument of a block: name, dtype and shape.
type Argument = (String, Dtype, Shape);

impl Graph {
    /// Adds an operator that runs one of two branches: `then` if the single number `condition` is not 0, otherwise
    /// `otherwise`. Both return tensors of the same types, and may use any tensor of the graph. Returns one result for each.
    ///
    /// Lowers to `top.If`.
    ///
    /// # Errors
    /// Returns an error if the condition has several elements, or the branches return different types or nothing. The graph is
    /// then unchanged. Errors of the branches are returned, too.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let is_wanted = g.input("is_wanted", Dtype::Float32, [1])?;
    /// let y = g.cond(
    ///     is_wanted,
    ///     |g| Ok(vec![g.mul(x, 2.0).call()?]),
    ///     |g| Ok(vec![g.relu(x).call()?]),
    /// )?;
    /// g.set_outputs(&y)?;
    /// let feeds = [("x", Array::from([1f32, -1.0])), ("is_wanted", Array::from([1f32]))];
    /// let results = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default())?;
    /// assert_eq!(results.tensors[0].to_f32()?, [2.0, -2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn cond(
        &mut self,
        condition: Tensor,
        then: impl FnOnce(&mut Graph) -> Result<Vec<Tensor>>,
        otherwise: impl FnOnce(&mut Graph) -> Result<Vec<Tensor>>,
    ) -> Result<Vec<Tensor>> {
        self.atomic(|g| {
            let none: [Argument; 0] = [];
            let then = g.block(none.clone(), |g, _| then(g))?;
            let otherwise = g.block(none, |g, _| otherwise(g))?;
            if then.results.is_empty() {
                return Err(misfit("then", "returns no tensors"));
            }
            let yielded = then.results.clone();
            let types = g.types_of(&yielded)?;
            let new = g.op(If::new(condition)).owns(then).owns(otherwise);
            let (dtypes, shapes) = unzip(&types, None);
            let results = new.out_dtypes(dtypes).out_shapes(shapes).call()?;
            g.copy_quantization(&yielded, &results)?;
            Ok(results)
        })
    }

    /// Adds a loop that carries tensors: as long as `condition` of them returns a number that is not 0, `body` computes the next
    /// ones, of the same types. Returns the last ones, which are the `initial` ones if the condition does not hold at first.
    ///
    /// Lowers to `top.Loop`, with the operators of the condition before it and, in the scope `next`, at the end of its body. A run
    /// that exceeds `RunOptions::max_iterations` fails.
    ///
    /// # Errors
    /// Returns an error if the condition has several elements, or the body returns other types. The graph is then unchanged.
    /// Errors of the closures are returned, too.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec};
    /// // Doubles x until it is at least 100.
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let y = g.while_loop(
    ///     &[x],
    ///     |g, v| g.lts(v[0], 100.0).call(),
    ///     |g, v| Ok(vec![g.mul(v[0], 2.0).call()?]),
    /// )?;
    /// g.set_outputs(&y)?;
    /// let feeds = [("x", Array::from([3f32]))];
    /// let results = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default())?;
    /// assert_eq!(results.tensors[0].to_f32()?, [192.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn while_loop(
        &mut self,
        initial: &[Tensor],
        condition: impl Fn(&mut Graph, &[Tensor]) -> Result<Tensor>,
        body: impl FnOnce(&mut Graph, &[Tensor]) -> Result<Vec<Tensor>>,
    ) -> Result<Vec<Tensor>> {
        self.atomic(|g| {
            let first = condition(g, initial)?;
            let ty = g.tensor(first)?;
            let again = (ty.dtype, ty.shape.clone());
            let built = g.loop_body(initial, again, |g, _, carried| {
                let next = body(g, carried)?;
                // The names of the condition's tensors are taken already.
                let again = g.scope("next", |g| condition(g, &next))?;
                Ok((Some(again), next))
            })?;
            g.add_loop(Loop { cond: Some(first), ..Loop::new(initial.to_vec()) }, built, None)
        })
    }

    /// Adds a loop of `count` iterations that carries tensors: `body` receives the iteration number (int32, one element, from 0)
    /// and the carried tensors, and returns the next ones, of the same types. Returns the last ones, which are the `initial`
    /// ones if `count` is 0.
    ///
    /// Lowers to `top.Loop`.
    ///
    /// # Errors
    /// Returns an error if the body returns other types, or the count is not an int32. The graph is then unchanged. Errors of the
    /// body are returned, too.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec};
    /// // x + 0 + 1 + 2 + 3
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let y = g.for_loop(4, &[x], |g, i, v| {
    ///     let i = g.cast(i).out_dtype(Dtype::Float32).call()?;
    ///     Ok(vec![g.add(v[0], i).call()?])
    /// })?;
    /// g.set_outputs(&y)?;
    /// let feeds = [("x", Array::from([1f32]))];
    /// let results = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default())?;
    /// assert_eq!(results.tensors[0].to_f32()?, [7.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn for_loop(
        &mut self,
        count: usize,
        initial: &[Tensor],
        body: impl FnOnce(&mut Graph, Tensor, &[Tensor]) -> Result<Vec<Tensor>>,
    ) -> Result<Vec<Tensor>> {
        iterations("for_loop", count)?;
        Ok(self.scan(count, initial, |g, i, carried| Ok((body(g, i, carried)?, Vec::new())))?.0)
    }

    /// Like [`Graph::for_loop`], for a body that also returns tensors to be stacked along a new first axis, of `count` entries.
    /// Returns the last carried tensors, and the stacked ones.
    ///
    /// # Errors
    /// Same as for [`Graph::for_loop`]; also if `count` is 0 and tensors are stacked.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec};
    /// // Powers of x.
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let (_, powers) = g.scan(4, &[x], |g, _, v| {
    ///     let next = g.mul(v[0], x).call()?;
    ///     Ok((vec![next], vec![next]))
    /// })?;
    /// g.set_outputs(&powers)?;
    /// assert_eq!(g.tensor(powers[0])?.shape, [4, 1]);
    /// let feeds = [("x", Array::from([2f32]))];
    /// let results = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default())?;
    /// assert_eq!(results.tensors[0].to_f32()?, [4.0, 8.0, 16.0, 32.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn scan(
        &mut self,
        count: usize,
        initial: &[Tensor],
        body: impl FnOnce(&mut Graph, Tensor, &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>)>,
    ) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
        let number = iterations("scan", count)?;
        let mut results = self.atomic(|g| {
            let rounds = g.free_name("rounds");
            let rounds = g.coefficient(&rounds, Array::from([number]))?;
            let again = (Dtype::Int32, vec![1]);
            let built = g.loop_body(initial, again, |g, i, carried| {
                let (mut next, stacked) = body(g, i, carried)?;
                if next.len() != carried.len() {
                    let found = pluralized(next.len(), "carried tensor");
                    return Err(misfit("body", format!("returns {found}; expected {}", carried.len())));
                }
                next.extend(stacked);
                Ok((None, next))
            })?;
            g.add_loop(Loop { M: Some(rounds), ..Loop::new(initial.to_vec()) }, built, Some(count))
        })?;
        let stacked = results.split_off(initial.len());
        Ok((results, stacked))
    }

    /// Builds the body of a loop, whose condition has this type. `build` receives the iteration number and the carried tensors,
    /// and returns the next condition (that of the iteration if `None`) and the other results.
    fn loop_body(
        &mut self,
        initial: &[Tensor],
        (dtype, shape): (Dtype, Shape),
        build: impl FnOnce(&mut Graph, Tensor, &[Tensor]) -> Result<(Option<Tensor>, Vec<Tensor>)>,
    ) -> Result<super::Block> {
        let mut arguments: Vec<Argument> =
            vec![(self.free_name("iteration"), Dtype::Int32, vec![1]), (self.free_name("condition"), dtype, shape)];
        for (i, (dtype, shape)) in self.types_of(initial)?.into_iter().enumerate() {
            arguments.push((self.free_name(&format!("carried_{i}")), dtype, shape));
        }
        self.block(arguments, |g, given| {
            g.copy_quantization(initial, &given[2..])?;
            let (again, results) = build(g, given[0], &given[2..])?;
            Ok([again.unwrap_or(given[1])].into_iter().chain(results).collect())
        })
    }

    /// Adds a loop. The results after those that it carries are stacked, `count` of each.
    fn add_loop(&mut self, op: Loop<Tensor>, body: super::Block, count: Option<usize>) -> Result<Vec<Tensor>> {
        let (carried, yielded) = (op.v_initial.len(), body.results.len() - 1);
        if yielded < carried || count.is_none() && yielded > carried {
            let found = pluralized(yielded, "carried tensor");
            return Err(misfit("body", format!("returns {found}; expected {carried}")));
        }
        if yielded == 0 {
            return Err(misfit("body", "returns no tensors"));
        }
        let yielded = body.results[1..].to_vec();
        let (dtypes, shapes) = unzip(&self.types_of(&yielded)?, count.map(|count| (carried, count)));
        let results = self.op(op).owns(body).out_dtypes(dtypes).out_shapes(shapes).call()?;
        self.copy_quantization(&yielded, &results)?;
        Ok(results)
    }

    fn copy_quantization(&mut self, from: &[Tensor], to: &[Tensor]) -> Result<()> {
        for (from, to) in from.iter().zip(to) {
            if let Some(quantization) = self.tensor(*from)?.quantization.clone() {
                self.quantize(*to, &quantization)?;
            }
        }
        Ok(())
    }

    fn types_of(&self, tensors: &[Tensor]) -> Result<Vec<(Dtype, Shape)>> {
        tensors.iter().map(|t| self.tensor(*t).map(|info| (info.dtype, info.shape.clone()))).collect()
    }
}

/// Returns the number of iterations of a loop as it is stored.
fn iterations(call: &str, count: usize) -> Result<i32> {
    let expected = format!("expected at most {}", i32::MAX);
    i32::try_from(count).map_err(|_| argument(format!("{call}: count"), count, expected))
}

/// Returns the dtypes, and the shapes; those from `stacked.0` on with a new first axis of `stacked.1` entries.
fn unzip(types: &[(Dtype, Shape)], stacked: Option<(usize, usize)>) -> (Vec<Dtype>, Vec<Shape>) {
    let axis = |i: usize| stacked.filter(|(first, _)| i >= *first).map(|(_, count)| count);
    let shape = |(i, (_, shape)): (usize, &(Dtype, Shape))| axis(i).into_iter().chain(shape.iter().copied()).collect();
    (types.iter().map(|(dtype, _)| *dtype).collect(), types.iter().enumerate().map(shape).collect())
}

#[cfg(test)]
mod tests {
    use tpulang::{
        Array, Dtype, Graph, Quantization, Result, Tensor,
        exec::{self, CpuBackend, RunOptions},
    };

    fn run(g: &mut Graph, outputs: &[Tensor], feeds: &[(&str, Array)]) -> Vec<Vec<f32>> {
        g.set_outputs(outputs).unwrap();
        let results = exec::run(g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap();
        results.tensors.values().map(|array| array.to_f32().unwrap()).collect()
    }

    /// Newton's method for the square root, with a branch in a loop in a scope.
    #[test]
    fn loops_and_branches_nest() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let one = g.input("start", Dtype::Float32, [1]).unwrap();
        let results = g.scope("root", |g| {
            g.while_loop(
                &[one, x],
                |g, v| {
                    let square = g.mul(v[0], v[0]).call()?;
                    let off = g.sub(square, v[1]).call()?;
                    let off = g.abs(off).call()?;
                    g.gts(off, 1e-3).call()
                },
                |g, v| {
                    let quotient = g.div(v[1], v[0]).call()?;
                    let is_large = g.gts(v[0], 100.0).call()?;
                    let halved = g.cond(
                        is_large,
                        |g| Ok(vec![g.mul(v[0], 0.25).call()?]),
                        |g| {
                            let sum = g.add(v[0], quotient).call()?;
                            Ok(vec![g.mul(sum, 0.5).call()?])
                        },
                    )?;
                    Ok(vec![halved[0], v[1]])
                },
            )
        });
        let results = results.unwrap();
        for (x, start) in [(2f32, 1f32), (9.0, 1e4), (4.0, 2.0)] {
            let got = run(&mut g, &results, &[("x", Array::from([x])), ("start", Array::from([start]))]);
            assert!((got[0][0] - x.sqrt()).abs() < 1e-3 && got[1] == [x], "{got:?}");
        }
    }

    #[test]
    fn mistakes_leave_the_graph_unchanged() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        let before = g.tensors().count();
        let relu = |g: &mut Graph| -> Result<Vec<Tensor>> { Ok(vec![g.relu(x).call()?]) };
        let number = |g: &mut Graph| -> Result<Vec<Tensor>> { Ok(vec![g.relu(c).call()?]) };
        let mut errors = vec![
            g.cond(x, relu, relu).unwrap_err(),
            g.cond(c, relu, number).unwrap_err(),
            g.cond(c, |_| Ok(Vec::new()), relu).unwrap_err(),
            g.while_loop(&[x], |_, _| Ok(c), |_, _| Ok(vec![c])).unwrap_err(),
            g.while_loop(&[x], |_, v| Ok(v[0]), |_, v| Ok(v.to_vec())).unwrap_err(),
            g.while_loop(&[x], |_, _| Ok(c), |_, v| Ok(vec![v[0], v[0]])).unwrap_err(),
            g.for_loop(3, &[x], |_, _, _| Ok(Vec::new())).unwrap_err(),
            g.for_loop(3, &[], |_, _, _| Ok(Vec::new())).unwrap_err(),
            g.scan(0, &[x], |_, _, v| Ok((v.to_vec(), v.to_vec()))).unwrap_err(),
            g.scan(1 << 40, &[x], |_, _, v| Ok((v.to_vec(), v.to_vec()))).unwrap_err(),
        ];
        let mut other = Graph::new("other").unwrap();
        let inputs = (0..9).map(|i| other.input(&format!("x{i}"), Dtype::Float32, [1]).unwrap());
        let foreign = inputs.last().unwrap();
        errors.push(g.for_loop(3, &[foreign], |_, _, v| Ok(v.to_vec())).unwrap_err());
        assert_eq!((g.tensors().count(), g.operators().len()), (before, 0));
        let lines: Vec<_> = errors.iter().map(|e| e.to_string().lines().next().unwrap().to_owned()).collect();
        let expected = [
            "cond is \"x\" (2 float32); expected a single number",
            "yields \"relu_1\" (1 float32) for a result of 2 float32",
            "then returns no tensors",
            "yields \"c\" (1 float32) for a result of 2 float32",
            "cond is \"x\" (2 float32); expected a single number",
            "body returns 2 carried tensors; expected 1",
            "body returns 0 carried tensors; expected 1",
            "body returns no tensors",
            "0",
            "scan: count is 1099511627776; expected at most 2147483647",
            "the tensor is of another graph",
        ];
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.contains(expected), "{expected:?} is not in {line:?}; all: {lines:#?}");
        }
    }

    /// Quantized tensors keep their quantization in loops and branches.
    #[test]
    fn quantized_tensors_are_carried() {
        let mut g = Graph::new("g").unwrap();
        g.mode = tpulang::Mode::Quantized;
        let x = g.input("x", Dtype::Int8, [2]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.5, 1)).unwrap();
        let double = |g: &mut Graph, v: Tensor| {
            g.add(v, v).scale([0.5, 0.5, 0.5]).zero_point([1, 1, 1]).out_dtype(Dtype::Int8).call()
        };
        let y = g.for_loop(2, &[x], |g, _, v| Ok(vec![double(g, v[0])?])).unwrap();
        let z = g.cond(c, |g| Ok(vec![double(g, y[0])?]), |_| Ok(y.clone())).unwrap();
        assert_eq!(g.tensor(z[0]).unwrap().quantization, Some(Quantization::per_tensor(0.5, 1)));
        // Real values 1.5 and -1, doubled twice and then once more.
        for (c, expected) in [(0f32, [13i8, -7]), (1.0, [25, -15])] {
            let feeds = [("x", Array::from([4i8, -1])), ("c", Array::from([c]))];
            g.set_outputs(&z).unwrap();
            let results = exec::run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap();
            assert_eq!(results.tensors[0].to_f64().unwrap(), expected.map(f64::from));
        }
    }

    #[test]
    fn a_condition_may_name_its_tensors_and_a_block_keeps_its_own() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let mut inner = None;
        let y = g.while_loop(
            &[x],
            |g, v| g.lts(v[0], 8.0).out_name("again").call(),
            |g, v| {
                inner = Some(g.mul(v[0], 2.0).out_name("doubled").call()?);
                Ok(inner.into_iter().collect())
            },
        );
        let y = y.unwrap();
        assert_eq!(run(&mut g, &y, &[("x", Array::from([3f32]))]), [[12.0]]);
        let inner = inner.unwrap();
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let errors =
            [g.relu(inner).call().map(drop), g.set_outputs(&[inner]), g.block(none, |_, _| Ok(vec![inner])).map(drop)];
        for error in errors.map(|result| result.unwrap_err().to_string()) {
            assert!(error.contains("the tensor \"doubled\" belongs to a block and is used outside of it"), "{error}");
        }
    }
}
