//! Training: variables of sessions, in the forms that users combine.
use tpulang::{
    Array, Dtype, Graph, Tensor,
    exec::{AnyBackend, Backend, CpuBackend, RunOptions, Session},
    graph::optimizers::{Adam, Schedule, Sgd},
    ops, spec,
};

fn values(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 101) % 19) as f32 / 9.5 - 1.0).collect()
}

fn array(shape: &[usize], seed: usize) -> Array {
    Array::from_vec(shape, values(shape.iter().product(), seed)).unwrap()
}

/// A convolution, a transposed one with groups, a branch that uses a weight, and a product; with the loss.
fn network() -> (Graph, Tensor, Vec<Tensor>) {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 4, 6, 6]).unwrap();
    let switch = g.input("switch", Dtype::Float32, [1]).unwrap();
    let w1 = g.coefficient("w1", array(&[4, 2, 3, 3], 1)).unwrap();
    let b1 = g.coefficient("b1", array(&[4], 2)).unwrap();
    let h = g.conv(x, w1).bias(b1).group(2).pad([1, 1, 1, 1]).call().unwrap();
    let h = g.tanh(h).call().unwrap();
    let w2 = g.coefficient("w2", array(&[3, 4, 2, 2], 3)).unwrap();
    let h = g.deconv(h, w2).group(2).stride([2, 2]).call().unwrap();
    let w3 = g.coefficient("w3", array(&[12, 5], 4)).unwrap();
    let branch = g.cond(
        switch,
        |g| Ok(vec![g.matmul(h, w3).call()?]),
        |g| {
            let double = g.mul(w3, 2.0).call()?;
            Ok(vec![g.matmul(h, double).call()?])
        },
    );
    let square = g.mul(branch.as_ref().unwrap()[0], branch.unwrap()[0]).call().unwrap();
    let mean = g.reduce(square).method(ops::ReduceMode::ReduceMean).axes([0, 1, 2, 3]).keep_dims(false);
    let loss = mean.out_name("loss").call().unwrap();
    g.set_outputs(&[loss]).unwrap();
    (g, loss, vec![w1, b1, w2, w3])
}

fn feeds(step: usize) -> [(&'static str, Array); 2] {
    [("x", array(&[2, 4, 6, 6], step)), ("switch", Array::from([(step % 2) as f32]))]
}

/// Trains for some steps; returns the losses and the variables.
fn trained<B: Backend>(g: &Graph, backend: B, options: &RunOptions) -> (Vec<f32>, Vec<Vec<f32>>) {
    let session = Session::new(g, backend, options).unwrap();
    let loss = |step| session.run(&feeds(step)).unwrap()["loss"].to_f32().unwrap()[0];
    let losses = (0..5).map(loss).collect();
    (losses, session.variables().unwrap().values().map(|a| a.to_f32().unwrap()).collect())
}

fn assert_near((losses, variables): &(Vec<f32>, Vec<Vec<f32>>), expected: &(Vec<f32>, Vec<Vec<f32>>)) {
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 2e-4 * (1.0 + b.abs()));
    assert!(near(losses, &expected.0), "{losses:?} instead of {:?}", expected.0);
    assert!(variables.iter().zip(&expected.1).all(|(a, b)| near(a, b)), "{variables:?} instead of {:?}", expected.1);
}

#[test]
fn all_ways_of_running_take_the_same_steps() {
    let (mut g, loss, weights) = network();
    g.minimize(loss, &weights, &Adam::new(Schedule::Warmup { initial: 0.01, steps: 3 })).unwrap();
    let expected = trained(&g, CpuBackend::new(), &RunOptions::default());
    assert!(expected.0[4] < expected.0[0], "{expected:?}");
    for options in [
        RunOptions::default().unfused(true),
        RunOptions::default().threads(1),
        RunOptions::default().weight_budget(Some(0)),
    ] {
        assert_near(&trained(&g, CpuBackend::new(), &options), &expected);
    }
    assert_near(&trained(&g, AnyBackend::new(CpuBackend::new()), &RunOptions::default()), &expected);
    // A spec keeps the variables.
    let again = spec::from_text(&spec::to_text(&g, None).unwrap(), "net.json", None).unwrap();
    assert_eq!(again.updates().len(), g.updates().len());
    assert_near(&trained(&again, CpuBackend::new(), &RunOptions::default()), &expected);
}

#[cfg(feature = "cuda")]
#[test]
fn a_gpu_takes_the_steps_of_the_cpu() {
    if super::cuda::passed_emulated_as("") {
        return;
    }
    let (mut g, loss, weights) = network();
    g.minimize(loss, &weights, &Sgd::new(0.05).momentum(0.9)).unwrap();
    let expected = trained(&g, CpuBackend::new(), &RunOptions::default());
    let backend = tpulang::exec::CudaBackend::new(0).unwrap();
    assert_near(&trained(&g, &backend, &RunOptions::default()), &expected);
}

#[test]
fn a_failed_run_leaves_the_variables() {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [3]).unwrap();
    let i = g.input("i", Dtype::Int32, [1]).unwrap();
    let sum = g.coefficient("sum", Array::from([0f32; 3])).unwrap();
    let next = g.add(sum, x).call().unwrap();
    g.assign(sum, next).unwrap();
    let picked = g.index_select(next, i).axis(0).out_name("picked").call().unwrap();
    g.set_outputs(&[picked]).unwrap();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let feeds = |i: i32| [("x", Array::from([1f32, 2.0, 3.0])), ("i", Array::from([i]))];
    session.run(&feeds(1)).unwrap();
    assert!(session.run(&feeds(7)).is_err() && session.run(&[("x", Array::from([1f32, 2.0, 3.0]))]).is_err());
    assert_eq!(session.variable("sum").unwrap().to_f32().unwrap(), [1.0, 2.0, 3.0]);
    // Everything but `run` only reads; a fed variable is read from the feed.
    assert_eq!(session.fetch(&feeds(2), &["picked"]).unwrap()["picked"].to_f32().unwrap(), [6.0]);
    let fed = [("x", Array::from([1f32; 3])), ("i", Array::from([0])), ("sum", Array::from([10f32; 3]))];
    assert_eq!(session.fetch(&fed, &["picked"]).unwrap()["picked"].to_f32().unwrap(), [11.0]);
    assert_eq!(session.variable("sum").unwrap().to_f32().unwrap(), [1.0, 2.0, 3.0]);
    let error = session.variable("x").unwrap_err().to_string();
    let expected = "the variable is \"x\"; it is a tensor of the graph, but not a variable; variables: sum";
    assert_eq!(error, expected);
    assert!(session.set_variable("sum", &Array::from([1f32])).is_err());
}

/// Variables may exchange their values, and take an input.
#[test]
fn variables_change_together() {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let (a, b) = (g.coefficient("a", Array::from([1f32])).unwrap(), g.coefficient("b", Array::from([2f32])).unwrap());
    let (of_a, of_b) = (g.mul(a, 1.0).call().unwrap(), g.add(b, x).out_name("y").call().unwrap());
    g.assign(a, of_b).unwrap();
    g.assign(b, of_a).unwrap();
    let last = g.coefficient("last", Array::from([0f32])).unwrap();
    g.assign(last, x).unwrap();
    g.set_outputs(&[of_b]).unwrap();
    assert_eq!(g.clone().remove_dead(), 0);
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let run = |x: f32| session.run(&[("x", Array::from([x]))]).unwrap()["y"].to_f32().unwrap()[0];
    assert_eq!([run(10.0), run(20.0), run(30.0)], [12.0, 21.0, 42.0]);
    assert_eq!(session.variable("last").unwrap().to_f32().unwrap(), [30.0]);
}

/// Those of one step, although another thread takes steps meanwhile.
#[test]
fn variables_are_read_together() {
    let mut g = Graph::new("net").unwrap();
    let mut outputs = Vec::new();
    for i in 0..50 {
        let count = g.coefficient(&format!("count{i}"), Array::from([0f32])).unwrap();
        let next = g.add(count, 1.0).call().unwrap();
        g.assign(count, next).unwrap();
        outputs.push(next);
    }
    g.set_outputs(&outputs[..1]).unwrap();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().threads(1)).unwrap();
    let no_inputs: [(&str, Array); 0] = [];
    std::thread::scope(|scope| {
        let steps = scope.spawn(|| (0..500).for_each(|_| drop(session.run(&no_inputs).unwrap())));
        while !steps.is_finished() {
            let variables = session.variables().unwrap();
            assert!(variables.values().all(|value| *value == variables[0]));
        }
    });
}

#[test]
fn mistakes_in_updates_of_specs_are_told() {
    let text = |updates: &str| {
        format!(
            r#"{{"version": 1, "name": "net", "tensors": {{"x": {{"shape": [2]}}, "w": {{"shape": [2], "coeff": true, "data": [1, 2]}}}},
"inputs": ["x"], "ops": [{{"op": "relu", "args": {{"input": "x"}}, "out": "y"}}], "outputs": ["y"], "updates": {updates}}}"#
        )
    };
    assert!(spec::from_text(&text(r#"{"w": "y"}"#), "net.json", None).is_ok());
    for (updates, expected) in [
        (r#"{"v": "y"}"#, "unknown tensor \"v\""),
        (r#"{"w": "z"}"#, "unknown tensor \"z\""),
        (r#"{"x": "y"}"#, "only a coefficient can be a variable"),
        (r#"{"w": "w"}"#, "the next value must be computed"),
        (r#"{"w": 3}"#, "expected a string"),
        ("[]", "expected an object"),
    ] {
        let error = spec::from_text(&text(updates), "net.json", None).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
    }
}

/// A thread of another pool that waits for a run may take up another one.
#[test]
fn steps_from_tasks_of_a_pool_are_all_taken() {
    use rayon::prelude::*;
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let sum = g.coefficient("sum", Array::from([0f32])).unwrap();
    let next = g.add(sum, x).out_name("next").call().unwrap();
    g.assign(sum, next).unwrap();
    g.set_outputs(&[next]).unwrap();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().threads(2)).unwrap();
    (0..64).into_par_iter().for_each(|_| {
        session.run(&[("x", Array::from([1f32]))]).unwrap();
        session.variable("sum").unwrap();
    });
    assert_eq!(session.variable("sum").unwrap().to_f32().unwrap(), [64.0]);
}

#[test]
fn edits_cannot_change_the_type_of_a_next_value() {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [3, 2]).unwrap();
    let w = g.coefficient("w", array(&[2, 3], 1)).unwrap();
    let next = g.permute(x, [1, 0]).out_name("next").call().unwrap();
    g.assign(w, next).unwrap();
    let y = g.matmul(w, x).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g.set_attribute(next, "order", Some(ops::Attribute::Ints(vec![0, 1]))).unwrap();
    let error = Session::new(&g, CpuBackend::new(), &RunOptions::default()).err().unwrap().to_string();
    assert!(error.contains("\"next\", 3x2 float32") && error.contains("\"w\", which it replaces, is 2x3"), "{error}");
}

#[test]
fn a_loop_with_a_variable_trip_count_is_not_unrolled() {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let y = g.for_loop(3, &[x], |g, _, v| Ok(vec![g.mul(v[0], x).call()?])).unwrap();
    let count = g.tensors().find(|(_, info)| info.is_coefficient()).unwrap().0;
    let next = g.input("next_count", Dtype::Int32, [1]).unwrap();
    g.assign(count, next).unwrap();
    assert_eq!(g.loops().unwrap()[0].trip_count, None);
    assert!(g.gradients(&y, &[x]).unwrap_err().to_string().contains("is not known before a run"));
}
