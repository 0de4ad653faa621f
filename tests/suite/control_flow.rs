//! Random graphs with nested branches and loops: unrolled, and written and read back, they compute the same.
use super::SplitMix;
use indexmap::IndexMap;
use tpulang::{Array, Dtype, Graph, Result, Tensor, exec, spec};

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
    for condition in [0f32, 1.0] {
        assert_eq!(run(a, condition), run(b, condition), "seed {seed}, condition {condition}");
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
        unrolled += g.loops().unwrap().iter().filter(|l| l.trip_count.is_some()).count();
        let text = spec::to_text(&flat, None).unwrap();
        assert_equivalent(&flat, &spec::from_text(&text, "again", None).unwrap(), seed);
        assert_eq!(flat.parameters() - g.parameters(), numbers(&flat), "seed {seed}: coefficients were copied");
    }
    assert!(unrolled > 100, "{unrolled}");
}

/// Returns the number of coefficients that hold the number of an iteration.
fn numbers(g: &Graph) -> usize {
    g.tensors().filter(|(_, t)| t.is_coefficient() && t.name.contains("/iteration")).count()
}
