//! Random graphs with nested branches and loops: unrolled, and written and read back, they compute the same.
use super::{SplitMix, assert_same, snapshot};
use indexmap::IndexMap;
use tpulang::{Array, Dtype, Graph, Result, Tensor, exec, mlir, spec};

/// Builds random blocks of 2x3 float32 tensors.
struct Builder {
    random: SplitMix,
    /// The condition, of one element.
    condition: Tensor,
    /// A coefficient, 3x3.
    weight: Tensor,
}

impl Builder {
    fn below(&mut self, n: u64) -> u64 {
        self.random.next() % n
    }
    fn one_of(&mut self, tensors: &[Tensor]) -> Tensor {
        tensors[self.below(tensors.len() as u64) as usize]
    }

    /// Adds operators that use the tensors of `known`, and returns them with the new tensors.
    fn block(&mut self, g: &mut Graph, known: &[Tensor], depth: u32) -> Result<Vec<Tensor>> {
        let mut known = known.to_vec();
        for _ in 0..=self.below(3) {
            let (a, b) = (self.one_of(&known), self.one_of(&known));
            let kinds = if depth > 0 { 10 } else { 5 };
            match self.below(kinds) {
                0 => known.push(g.mul(a, 0.5).call()?),
                1 => known.push(g.sub(a, b).call()?),
                2 => known.push(g.tanh(a).call()?),
                3 => known.push(g.matmul(a, self.weight).call()?),
                4 => known.push(g.add(a, Array::from_vec([1, 3], vec![1f32, -2.0, 0.5])?).call()?),
                5 => known.extend(self.cond(g, &known, depth)?),
                6 => known.extend(self.while_loop(g, [a, b], &known, depth)?),
                _ => known.extend(self.scan(g, [a, b], &known, depth)?),
            }
        }
        Ok(known)
    }

    fn cond(&mut self, g: &mut Graph, known: &[Tensor], depth: u32) -> Result<Vec<Tensor>> {
        let (condition, results) = (self.condition, 1 + self.below(3) as usize);
        let mut branches = [self.branch(g, known, depth)?, self.branch(g, known, depth)?];
        branches.iter_mut().for_each(|b| b.results = b.results.iter().rev().cycle().take(results).copied().collect());
        let [then, otherwise] = branches;
        let op = g.op(tpulang::ops::If::new(condition)).owns(then).owns(otherwise);
        op.out_dtypes(vec![Dtype::Float32; results]).out_shapes(vec![[2, 3]; results]).call()
    }
    fn branch(&mut self, g: &mut Graph, known: &[Tensor], depth: u32) -> Result<tpulang::graph::Block> {
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        g.block(none, |g, _| self.block(g, known, depth - 1))
    }

    /// A loop that carries two tensors, perhaps swapped, and stacks others.
    fn scan(&mut self, g: &mut Graph, initial: [Tensor; 2], known: &[Tensor], depth: u32) -> Result<Vec<Tensor>> {
        let count = self.below(4) as usize;
        let stacked = if count > 0 { self.below(3) as usize } else { 0 };
        let (mut carried, stacks) = g.scan(count, &initial, |g, i, carried| {
            let mut inner = [known, carried].concat();
            if self.below(2) == 0 {
                let i = g.cast(i).out_dtype(Dtype::Float32).call()?;
                inner.push(g.add(self.one_of(&inner), i).call()?);
            }
            let made = self.block(g, &inner, depth - 1)?;
            let mut pick = |n: usize| -> Vec<Tensor> { (0..n).map(|_| self.one_of(&made)).collect() };
            Ok((pick(2), pick(stacked)))
        })?;
        for stack in stacks {
            carried.push(g.reduce(stack).axes([0]).keep_dims(false).call()?);
        }
        Ok(carried)
    }

    fn while_loop(&mut self, g: &mut Graph, initial: [Tensor; 2], known: &[Tensor], depth: u32) -> Result<Vec<Tensor>> {
        let start = g.reduce(initial[0]).axes([0, 1]).keep_dims(true).call()?;
        let start = g.mul(start, 0.0).call()?;
        let results = g.while_loop(
            &[initial[0], initial[1], start],
            |g, v| g.lts(v[2], 3.0).call(),
            |g, v| {
                let made = self.block(g, &[known, &v[..2]].concat(), depth - 1)?;
                Ok(vec![self.one_of(&made), self.one_of(&made), g.add(v[2], 1.0).call()?])
            },
        )?;
        Ok(results[..2].to_vec())
    }
}

/// Returns a graph whose outputs are the last tensors that a random body computes.
fn graph(seed: u64) -> Graph {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
    let y = g.input("y", Dtype::Float32, [2, 3]).unwrap();
    let condition = g.input("c", Dtype::Float32, [1]).unwrap();
    let numbers = (0..9).map(|i| f64::from(i) / 8.0 - 0.5);
    let weight = g.coefficient("w", Array::from_f64s(Dtype::Float32, [3, 3], numbers).unwrap()).unwrap();
    let mut builder = Builder { random: SplitMix(seed), condition, weight };
    let known = g.scope("net", |g| builder.block(g, &[x, y], 3)).unwrap();
    let mut outputs: Vec<Tensor> = Vec::new();
    for t in known.into_iter().skip(2).rev().take(4).filter(|t| !g.inputs().contains(t)) {
        if !outputs.contains(&t) {
            outputs.push(t);
        }
    }
    g.set_outputs(&outputs).unwrap();
    g
}

fn run(g: &Graph, condition: f32) -> IndexMap<String, Array> {
    let x = Array::from_vec([2, 3], vec![0.5f32, -1.0, 2.0, 0.25, -0.75, 1.5]).unwrap();
    let y = Array::from_vec([2, 3], vec![-0.5f32, 1.0, 0.125, 3.0, -2.0, 1.0]).unwrap();
    let feeds = [("x", x), ("y", y), ("c", Array::from([condition]))];
    exec::run(g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default().unfused(true)).unwrap().tensors
}

/// Asserts that two graphs compute the same, whichever branches are taken.
#[track_caller]
fn assert_equivalent(a: &Graph, b: &Graph, seed: u64) {
    let numbers = |results: IndexMap<String, Array>| -> Vec<_> {
        results.into_iter().map(|(name, array)| (name, array.to_f32().unwrap())).collect()
    };
    for condition in [0f32, 1.0] {
        assert_eq!(numbers(run(a, condition)), numbers(run(b, condition)), "seed {seed}, condition {condition}");
    }
}

#[test]
fn an_unrolled_graph_computes_the_same() {
    let mut unrolled = 0;
    for seed in 0..150 {
        let g = graph(seed);
        let flat = g.unrolled().unwrap();
        assert!(flat.loops().unwrap().iter().all(|l| l.trip_count.is_none()), "seed {seed}");
        assert_equivalent(&g, &flat, seed);
        flat.body().walk(&mut |operator| {
            for t in operator.blocks.iter().flat_map(|block| block.operators()).flat_map(|o| o.outputs()) {
                assert!(flat.tensor(t).unwrap().is_local, "seed {seed}: what a block computes is used outside");
            }
        });
        unrolled += g.loops().unwrap().iter().filter(|l| l.trip_count.is_some()).count();
        let text = spec::to_text(&flat, None).unwrap();
        assert_equivalent(&flat, &spec::from_text(&text, "again", None).unwrap(), seed);
        assert_eq!(flat.parameters() - g.parameters(), numbers(&flat), "seed {seed}: coefficients were copied");
    }
    assert!(unrolled > 100, "{unrolled}");
}

/// Files hold control flow in other forms, which compute the same, and are written again as they were read.
#[test]
fn a_written_graph_computes_the_same() {
    let dir = tempfile::tempdir().unwrap();
    for seed in 0..60 {
        for g in [graph(seed), graph(seed).unrolled().unwrap()] {
            let written = mlir::write_pair(&g, dir.path()).unwrap();
            let again = mlir::read(&written.mlir, None).unwrap();
            assert_equivalent(&g, &again, seed);
            let mut names: Vec<&str> = again.tensors().map(|(_, t)| t.name.as_str()).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
            assert_same(&mlir::emit(&again).unwrap().text, &mlir::emit(&g).unwrap().text);
        }
    }
}

/// One `If` for each result, with what it needs; coefficients before them; outer values passed on; a condition for the
/// loop.
#[test]
fn control_flow_in_the_forms_of_the_tool_chain() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let c = g.input("c", Dtype::Float32, [1]).unwrap();
    let w = g.coefficient("w", Array::from([1f32, 2.0])).unwrap();
    let branches = g
        .cond(
            c,
            |g| {
                let shared = g.add(x, w).out_name("shared").call()?;
                Ok(vec![shared, g.tanh(shared).out_name("last").call()?])
            },
            |g| Ok(vec![x, g.mul(x, w).out_name("product").call()?]),
        )
        .unwrap();
    let n = g.input("n", Dtype::Int32, [1]).unwrap();
    let arguments = [
        ("round".to_owned(), Dtype::Int32, [1i64]),
        ("again".to_owned(), Dtype::Float32, [1]),
        ("carried".to_owned(), Dtype::Float32, [2]),
    ];
    let body = g.block(arguments, |g, given| Ok(vec![given[1], g.add(given[2], w).out_name("sum").call()?])).unwrap();
    let op = tpulang::ops::Loop { M: Some(n), ..tpulang::ops::Loop::new(vec![branches[0]]) };
    let op = g.op(op).owns(body).out_name("y").out_dtypes([Dtype::Float32]).out_shapes([[2]]);
    let y = op.call().unwrap();
    g.set_outputs(&[y[0], branches[1]]).unwrap();
    let emitted = mlir::emit(&g).unwrap();
    assert_eq!(emitted.weights.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["w", "y_condition"]);
    snapshot("control_flow_mlir", &emitted.text);
}

/// `AddConst` passes on values of every dtype, unchanged.
#[test]
fn values_of_any_dtype_are_passed_on() {
    for dtype in Dtype::all().filter(|dtype| dtype.is_declared()) {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", dtype, [3]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        let y = g.cond(c, |_| Ok(vec![x]), |_| Ok(vec![x])).unwrap();
        g.set_outputs(&y).unwrap();
        let text = mlir::emit(&g).unwrap().text;
        let again = mlir::read_text(&text).unwrap_or_else(|e| panic!("{dtype}: {e}"));
        let feeds =
            [("x", Array::from_f64s(dtype, [3], [1.0, 2.0, 100.0].into_iter()).unwrap()), ("c", Array::from([1f32]))];
        let run =
            |g: &Graph| exec::run(g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default()).unwrap().tensors;
        assert_eq!(run(&g).values().collect::<Vec<_>>(), run(&again).values().collect::<Vec<_>>(), "{dtype}");
    }
}

/// Parts of branches are copied once for each result that needs them, which is bounded.
#[test]
fn too_many_parts_of_branches_are_an_error() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let c = g.input("c", Dtype::Float32, [1]).unwrap();
    let chain = |g: &mut Graph| -> Result<Vec<Tensor>> {
        let mut values = vec![x];
        for _ in 0..300 {
            values.push(g.tanh(values[values.len() - 1]).call()?);
        }
        Ok(values)
    };
    let y = g.cond(c, chain, chain).unwrap();
    g.set_outputs(&y).unwrap();
    let error = mlir::emit(&g).unwrap_err().to_string();
    assert!(error.contains("it has 301 results, each of which is written as an operator of its own"), "{error}");
}

/// Returns the number of coefficients that hold the number of an iteration.
fn numbers(g: &Graph) -> usize {
    g.tensors().filter(|(_, t)| t.is_coefficient() && t.name.contains("/iteration")).count()
}
