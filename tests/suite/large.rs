//! Graphs of many operators, which would not finish in quadratic time, and weights that exceed the memory.
use crate::cli::tpulang;
use std::process::Command;
use tpulang::{Array, Dtype, Graph, Tensor, array::write_npz, exec, mlir};

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
        command.args(arguments(&path("part.npz"))).args(more).output().unwrap()
    };
    let explained = String::from_utf8(limited(&["--explain"]).stdout).unwrap();
    assert!(explained.contains("weights reloaded on every run"), "{explained}");
    let run = limited(&[]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read(path(name)).unwrap();
    assert_eq!(read("part.npz"), read("whole.npz"));
}
