//! Graphs of many operators, which would not finish in quadratic time, and weights that exceed the memory.
use crate::cli::tpulang;
use std::process::Command;
use tpulang::{Array, Dtype, Graph, Result, Tensor, array::write_npz, exec, mlir};

fn chain(n: usize) -> Graph {
    let mut g = Graph::new("g").unwrap();
    let mut t: Tensor = g.input("x", Dtype::Float32, [4]).unwrap();
    for _ in 0..n {
        t = g.relu(t).call().unwrap();
    }
    g.set_outputs(&[t]).unwrap();
    g
}

fn run(g: &Graph) -> Vec<f32> {
    let options = exec::RunOptions::default().threads(1);
    let feeds = [("x", Array::from([-1f32, 0.0, 1.0, 2.0]))];
    let result = exec::run(g, &feeds, &exec::CpuBackend::new(), &options).unwrap();
    result.tensors[0].to_f32().unwrap()
}

#[test]
fn a_hundred_thousand_operators_are_built_and_run() {
    let mut g = chain(100_000);
    g.check_quantization().unwrap();
    assert_eq!(run(&g), [0.0, 0.0, 1.0, 2.0]);
    // Half of them are no longer needed.
    let middle = g.operators()[50_000].outputs().next().unwrap();
    g.set_outputs(&[middle]).unwrap();
    assert_eq!(g.remove_dead(), 49_999);
}

#[test]
fn a_hundred_thousand_operators_pass_through_mlir() {
    let text = mlir::emit(&chain(100_000)).unwrap().text;
    // Every second one is unnamed: generating names must not take linear time.
    let lines = text.lines().enumerate();
    let unnamed = lines.map(|(i, line)| match line.split_once(" loc(") {
        Some((op, _)) if i % 2 == 0 && op.contains("top.Relu") => op,
        _ => line,
    });
    let g = mlir::read_text(&unnamed.collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(g.operators().len(), 100_000);
    assert_eq!(run(&g), [0.0, 0.0, 1.0, 2.0]);
}

#[test]
fn twenty_thousand_operators_are_differentiated() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [4]).unwrap();
    let mut t = x;
    for i in 0..20_000 {
        t = match i % 4 {
            0 => g.relu(t).call(),
            1 => g.mul(t, 1.0).call(),
            // Written out.
            2 => g.gelu(t).call(),
            _ => g.add(t, x).call(),
        }
        .unwrap();
    }
    let made = g.gradients(&[t], &[x]).unwrap();
    g.set_outputs(&made).unwrap();
    let gradient = run(&g);
    assert!(gradient.iter().all(|v| v.is_finite() && *v > 0.0), "{gradient:?}");
}

#[test]
fn gradients_of_many_readers_and_of_many_tensors() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [4]).unwrap();
    let readers: Vec<Tensor> = (0..10_000).map(|_| g.relu(x).call().unwrap()).collect();
    // Nothing depends on the others.
    let mut wanted = vec![x];
    wanted.extend((0..10_000).map(|i| g.coefficient(&format!("w{i}"), Array::from([1f32])).unwrap()));
    let made = g.gradients(&readers, &wanted).unwrap();
    assert_eq!(made.len(), wanted.len());
    g.set_outputs(&made[..1]).unwrap();
    assert_eq!(run(&g), [0.0, 0.0, 10_000.0, 10_000.0]);
}

/// Multiplies by `x` in loops or branches of branches.
fn nested(g: &mut Graph, x: Tensor, depth: usize) -> Result<Tensor> {
    if depth == 0 {
        return g.mul(x, 1.5).call();
    }
    let one = g.coefficient(&format!("one_{depth}"), Array::from([1f32]))?;
    let made = match depth % 4 {
        0 => g.for_loop(1, &[x], |g, _, v| Ok(vec![nested(g, v[0], depth - 1)?]))?,
        _ => g.cond(one, |g| Ok(vec![nested(g, x, depth - 1)?]), |_| Ok(vec![x]))?,
    };
    Ok(made[0])
}

#[test]
fn gradients_of_deeply_nested_branches_and_loops() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [4]).unwrap();
    let y = nested(&mut g, x, 24).unwrap();
    let made = g.gradients(&[y], &[x]).unwrap();
    g.set_outputs(&made).unwrap();
    assert_eq!(run(&g), [1.5; 4]);
}

#[test]
fn many_of_everything() {
    let mut g = Graph::new("g").unwrap();
    let all: Vec<Tensor> = (0..20_000).map(|i| g.input(&format!("x{i}"), Dtype::Float32, [1]).unwrap()).collect();
    let parts: Vec<Tensor> = all.iter().map(|t| g.relu(*t).call().unwrap()).collect();
    g.set_outputs(&parts).unwrap();
    let joined = g.concat(all).axis(0).call().unwrap();
    assert_eq!(g.tensor(joined).unwrap().shape, [20_000]);
    // Thousands of wrong names do not each get a suggestion.
    (0..20_000).for_each(|i| assert!(g.find(&format!("y{i}")).is_err()));
    let error = g.unsqueeze(joined).axes((0..100_000).collect::<Vec<i64>>()).call().unwrap_err().to_string();
    assert!(error.contains("a shape of 100001 dimensions; at most 32 are supported"), "{error}");
}

/// Runs 16 matrices of 16 MiB in a process with 420 MB of address space, a third of which the program itself needs.
#[test]
fn weights_beyond_the_memory_are_read_in_each_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let n = 1 << 11;
    let mut g = Graph::new("g").unwrap();
    let mut t = g.input("x", Dtype::Float32, [2, n]).unwrap();
    for i in 0..16usize {
        let numbers = (0..n * n).map(|k| ((k * 7 + i * 13) % 31) as f32 * 1e-3 - 1.5e-2);
        let weight = Array::from_vec([n, n], numbers.collect::<Vec<f32>>()).unwrap();
        let weight = g.coefficient(&format!("w{i}"), weight).unwrap();
        t = g.matmul(t, weight).call().unwrap();
        t = g.tanh(t).call().unwrap();
    }
    g.set_outputs(&[t]).unwrap();
    let module = mlir::write_pair(&g, dir.path()).unwrap().mlir.to_str().unwrap().to_string();
    let x = Array::from_vec([2, n], (0..2 * n).map(|i| (i % 17) as f32 - 8.0).collect::<Vec<f32>>()).unwrap();
    write_npz(path("x.npz"), [("x", &x)]).unwrap();
    drop(g);
    let arguments = |out: &str| ["run", &module, "-i", &path("x.npz"), "-j", "1", "-o", out].map(String::from);
    let whole = arguments(&path("whole.npz"));
    assert!(tpulang(&whole.each_ref().map(String::as_str)).status.success());
    let limited = |more: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 420000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tpulang")]);
        // glibc would put some of the matrices into its heap, where they leave holes once they are freed.
        command.env("MALLOC_MMAP_THRESHOLD_", "1048576");
        command.args(arguments(&path("part.npz"))).args(more).output().unwrap()
    };
    let explained = String::from_utf8(limited(&["--explain"]).stdout).unwrap();
    assert!(explained.contains("weights reloaded on every run"), "{explained}");
    let run = limited(&[]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read(path(name)).unwrap();
    assert_eq!(read("part.npz"), read("whole.npz"));
}
