use tpulang::{
    Array, Dtype, Graph,
    exec::{CpuBackend, RunOptions, Session},
    graph::optimizers::{Adam, Optimizer, Schedule, Sgd},
};

/// Returns w after each of `steps` steps from 1 with the loss w^2 / 2 * x.
fn steps(optimizer: &dyn Optimizer, steps: usize) -> Vec<f32> {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let w = g.coefficient("w", Array::from([1f32])).unwrap();
    let square = g.mul(w, w).call().unwrap();
    let half = g.mul(square, 0.5).call().unwrap();
    let loss = g.mul(half, x).call().unwrap();
    g.set_outputs(&[loss]).unwrap();
    g.minimize(loss, &[w], optimizer).unwrap();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let step = |_| {
        session.run(&[("x", Array::from([1f32]))]).unwrap();
        session.variable("w").unwrap().to_f32().unwrap()[0]
    };
    (0..steps).map(step).collect()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near && found.len() == expected.len(), "{found:?} instead of {expected:?}");
}

/// The expected values were computed with torch.optim 2.15.
#[test]
fn steps_are_those_of_pytorch() {
    assert_near(&steps(&Sgd::new(0.1), 3), &[0.9, 0.81, 0.729]);
    assert_near(&steps(&Sgd::new(0.1).momentum(0.9), 3), &[0.9, 0.72, 0.486]);
    assert_near(&steps(&Sgd::new(0.1).momentum(0.9).nesterov(true).weight_decay(0.1), 3), &[0.791, 0.536581, 0.273767]);
    assert_near(&steps(&Adam::new(0.1), 3), &[0.9, 0.800412, 0.701586]);
    assert_near(
        &steps(&Adam::new(0.1).betas(0.5, 0.9).epsilon(0.01).weight_decay(0.2), 3),
        &[0.900826, 0.803286, 0.708485],
    );
    assert_near(&steps(&Adam::new(0.1).decoupled_weight_decay(0.5), 3), &[0.85, 0.708248, 0.574974]);
}

#[test]
fn schedules_follow_the_number_of_steps() {
    let constant = |rates: &[f32]| -> Vec<f32> {
        rates
            .iter()
            .scan(1f32, |w, rate| {
                *w -= *w * rate;
                Some(*w)
            })
            .collect()
    };
    let of = |schedule: Schedule, n: usize| steps(&Sgd::new(schedule), n);
    assert_near(&of(Schedule::Step { initial: 0.5, factor: 0.1, every: 2 }, 4), &constant(&[0.5, 0.5, 0.05, 0.05]));
    assert_near(&of(Schedule::Cosine { initial: 0.4, last: 0.2, steps: 2 }, 4), &constant(&[0.4, 0.3, 0.2, 0.2]));
    assert_near(&of(Schedule::Warmup { initial: 0.3, steps: 3 }, 4), &constant(&[0.1, 0.2, 0.3, 0.3]));
}

#[test]
fn mistakes_leave_the_graph_unchanged() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let w = g.coefficient("w", Array::from([1f32, 2.0])).unwrap();
    let loss = g.mul(x, w).out_name("loss").call().unwrap();
    let before = (g.tensors().count(), g.operators().len());
    let mut errors = vec![
        g.minimize(loss, &[], &Sgd::new(0.1)).unwrap_err(),
        g.minimize(loss, &[x], &Sgd::new(0.1)).unwrap_err(),
        g.minimize(loss, &[w], &Sgd::new(-1.0)).unwrap_err(),
        g.minimize(loss, &[w], &Sgd::new(0.1).momentum(1.0)).unwrap_err(),
        g.minimize(loss, &[w], &Adam::new(f64::NAN)).unwrap_err(),
        g.minimize(loss, &[w], &Adam::new(Schedule::Warmup { initial: 0.1, steps: 0 })).unwrap_err(),
        g.minimize(loss, &[w, w], &Adam::new(0.1)).unwrap_err(),
        g.assign(x, loss).unwrap_err(),
        g.assign(w, w).unwrap_err(),
    ];
    assert_eq!((g.tensors().count(), g.operators().len(), g.updates().len()), (before.0, before.1, 0));
    g.assign(w, loss).unwrap();
    errors.push(g.assign(w, loss).unwrap_err());
    let expected = [
        "at least one coefficient",
        "expected coefficients that are floats",
        "the learning rate is -1",
        "momentum is 1",
        "the learning rate is NaN",
        "the steps of the learning rate is 0",
        "assigned already",
        "only a coefficient can be a variable",
        "the next value must be computed",
        "assigned already",
    ];
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.to_string().contains(expected), "{expected:?} is not in {error}");
    }
}

#[test]
fn scalars_are_trained_like_other_variables() {
    for optimizer in [&Sgd::new(0.1).momentum(0.5) as &dyn Optimizer, &Adam::new(0.1).decoupled_weight_decay(0.1)] {
        let trained = [&[] as &[i64], &[1]].map(|shape| {
            let mut g = Graph::new("g").unwrap();
            let w = g.coefficient("w", Array::filled(Dtype::Float32, shape.to_vec(), 2.0).unwrap()).unwrap();
            let loss = g.mul(w, w).call().unwrap();
            g.set_outputs(&[loss]).unwrap();
            g.minimize(loss, &[w], optimizer).unwrap();
            let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
            let none: [(&str, Array); 0] = [];
            (0..3).for_each(|_| drop(session.run(&none).unwrap()));
            session.variable("w").unwrap().to_f32().unwrap()
        });
        assert_eq!(trained[0], trained[1]);
    }
}
