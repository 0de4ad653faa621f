//! Buffers of the emulated GPU that sessions and backends share, and results in the caller's buffers.
use super::cuda::passed_emulated;
use tpulang::{
    Array, Dtype, Graph,
    array::ArrayMut,
    exec::{Backend, CpuBackend, CudaBackend, DeviceArray, RunOptions, Session},
};

fn numbers(n: usize, seed: usize) -> Array {
    Array::from_vec([n], (0..n).map(|i| ((i * 37 + seed * 101) % 19) as f32 - 9.0).collect()).unwrap()
}

fn close(a: &Array, b: &Array) -> bool {
    let [a, b] = [a, b].map(|array| array.to_f32().unwrap());
    a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-5)
}

/// y = relu(x)
fn relu() -> Graph {
    let mut g = Graph::new("relu").unwrap();
    let x = g.input("x", Dtype::Float32, [64]).unwrap();
    let y = g.relu(x).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g
}

/// The last handle of one session's result is dropped during the first run of another, which does not take the memory for its
/// own.
#[test]
fn results_of_a_first_run_are_fed_to_another_session() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("sum").unwrap();
    let [a, b] = ["a", "b"].map(|name| g.input(name, Dtype::Float32, [64]).unwrap());
    let weights = g.softmax(a, 0).call().unwrap();
    let z = g.add(weights, b).out_name("z").call().unwrap();
    g.set_outputs(&[z]).unwrap();
    let (backend, options) = (CudaBackend::new(0).unwrap(), RunOptions::default());
    let first = Session::new(&relu(), &backend, &options).unwrap();
    let second = Session::new(&g, &backend, &options).unwrap();
    let on_cpu = [relu(), g].map(|g| Session::new(&g, CpuBackend::new(), &options).unwrap());
    for round in 0..4 {
        let [x, b] = [numbers(64, round), numbers(64, round + 50)];
        let [fed_x, fed_b] = [&x, &b].map(|array| backend.upload(array).unwrap());
        let y = first.run_on(vec![("x", fed_x)]).unwrap().swap_remove("y").unwrap();
        let z = second.run_on(vec![("a", y), ("b", fed_b)]).unwrap().swap_remove("z").unwrap();
        second.synchronize().unwrap();
        let a = on_cpu[0].run(&[("x", x)]).unwrap().swap_remove("y").unwrap();
        let expected = on_cpu[1].run(&[("a", a), ("b", b)]).unwrap();
        assert!(close(&expected["z"], &backend.download(&z).unwrap()), "round {round}");
    }
}

/// A recorded run has one order of results, whatever the order in which a caller names them.
#[test]
fn results_are_written_in_any_order() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [6]).unwrap();
    let a = g.relu(x).out_name("a").call().unwrap();
    let b = g.mul(x, 2.0).out_name("b").call().unwrap();
    let c = g.reduce(x).axes(0).out_name("c").call().unwrap();
    g.set_outputs(&[a, b, c]).unwrap();
    let session = Session::new(&g, CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
    let on_cpu = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let orders = [["b", "c", "a"], ["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]];
    for (round, names) in orders.into_iter().cycle().take(8).enumerate() {
        let x = numbers(6, round);
        let expected = on_cpu.run(&[("x", x.clone())]).unwrap();
        let zeros = |name: &str| ArrayMut::zeros(Dtype::Float32, expected[name].shape()).unwrap();
        let mut arrays = names.map(|name| (name, zeros(name)));
        session.run_into(&[("x", x.clone())], &mut arrays).unwrap();
        let buffers = names.map(|name| (name, session.backend().upload(&zeros(name).freeze()).unwrap()));
        session.run_on_into(vec![("x", session.backend().upload(&x).unwrap())], &buffers).unwrap();
        session.synchronize().unwrap();
        for ((name, array), (_, buffer)) in arrays.into_iter().zip(&buffers) {
            assert!(close(&expected[name], &array.freeze()), "{name} of {names:?}, in an array");
            assert!(close(&expected[name], &session.backend().download(buffer).unwrap()), "{name} of {names:?}");
        }
    }
}

/// Also of runs that are not recorded, because they read weights anew.
#[test]
fn results_do_not_share_the_memory_of_inputs() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
    let w = g.coefficient("w", Array::from_vec([3, 4], vec![0.5f32; 12]).unwrap()).unwrap();
    let y = g.reshape(x, [3, 2]).out_name("y").call().unwrap();
    let z = g.matmul(x, w).out_name("z").call().unwrap();
    g.set_outputs(&[y, z]).unwrap();
    let backend = CudaBackend::new(0).unwrap();
    for budget in [None, Some(0)] {
        let session = Session::new(&g, &backend, &RunOptions::default().weight_budget(budget)).unwrap();
        for _ in 0..3 {
            let x = backend.upload(&Array::from_vec([2, 3], vec![3f32; 6]).unwrap()).unwrap();
            let results = session.run_on(vec![("x", x.clone())]).unwrap();
            assert_ne!(results["y"].pointer(), x.pointer(), "{budget:?}");
            session.synchronize().unwrap();
            assert_eq!(backend.download(&results["y"]).unwrap().to_f32().unwrap(), [3.0; 6]);
            assert_eq!(backend.download(&results["z"]).unwrap().to_f32().unwrap(), [4.5; 8]);
        }
    }
}

/// Inputs and results in buffers of another backend of the GPU.
#[test]
fn backends_of_a_gpu_share_buffers() {
    if passed_emulated() {
        return;
    }
    let [own, other] = [(); 2].map(|()| CudaBackend::new(0).unwrap());
    let session = Session::new(&relu(), &own, &RunOptions::default()).unwrap();
    for round in 0..4 {
        let x = numbers(64, round);
        let expected: Vec<f32> = x.to_f32().unwrap().iter().map(|v| v.max(0.0)).collect();
        let read = |y: &DeviceArray| [&own, &other].map(|backend| backend.download(y).unwrap().to_f32().unwrap());
        let results = session.run_on(vec![("x", other.upload(&x).unwrap())]).unwrap();
        session.synchronize().unwrap();
        assert_eq!(read(&results["y"]), [expected.clone(), expected.clone()]);
        let y = other.upload(&numbers(64, round + 7)).unwrap();
        session.run_on_into(vec![("x", other.upload(&x).unwrap())], &[("y", y.clone())]).unwrap();
        session.synchronize().unwrap();
        assert_eq!(read(&y), [expected.clone(), expected]);
    }
}

/// An index out of range of a run whose plan is dropped before anybody waits for it.
#[test]
fn faults_of_dropped_plans_are_reported() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let (x, i) = (g.input("x", Dtype::Float32, [3]).unwrap(), g.input("i", Dtype::Int32, [2]).unwrap());
    let picked = g.index_select(x, i).axis(0).out_name("picked").call().unwrap();
    let y = g.relu(x).out_name("y").call().unwrap();
    g.set_outputs(&[picked, y]).unwrap();
    let backend = CudaBackend::new(0).unwrap();
    let session = Session::new(&g, &backend, &RunOptions::default().kept_plans(1)).unwrap();
    let run = |name: &str, n: usize, index: i32| {
        let feeds = [("x", numbers(3, 1)), ("i", Array::from([index; 2]))];
        let feeds = feeds.map(|(name, array)| (name, backend.upload(&array).unwrap())).to_vec();
        session.run_on_into(feeds, &[(name, backend.upload(&numbers(n, 0)).unwrap())]).unwrap();
    };
    for _ in 0..2 {
        run("picked", 2, 7);
        run("y", 3, 0);
        let error = session.synchronize().unwrap_err().to_string();
        assert!(error.contains("\"picked\"") && error.contains("index 7 is out of range"), "{error}");
        session.synchronize().unwrap();
    }
}
