//! Runs whose results are written to memory of the caller's.
use crate::cases::cases;
use std::{collections::HashSet, sync::Mutex};
use tpulang::{
    Array, Dtype, Graph, Result,
    array::ArrayMut,
    conformance::Case,
    exec::{AnyBackend, Backend, CpuBackend, Feeds, Fusion, Kernel, Layouts, RunOptions, Session, Signature},
    ops::{Custom, If, Relu, Reshape},
};

/// The CPU backend, which counts the results that kernels write to memory of the caller's.
struct Counting {
    cpu: CpuBackend,
    /// The addresses of the caller's arrays.
    addresses: Mutex<Vec<usize>>,
    /// Those that kernels have written to.
    written: Mutex<HashSet<usize>>,
}

struct CountedKernel(<CpuBackend as Backend>::Kernel);

impl Kernel for CountedKernel {
    fn reads(&self, operand: usize) -> bool {
        self.0.reads(operand)
    }
}

impl Backend for Counting {
    type Buffer = Array;
    type Kernel = CountedKernel;
    fn name(&self) -> &str {
        "counting"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<CountedKernel>> {
        Ok(self.cpu.prepare(signature)?.map(CountedKernel))
    }
    fn run(&self, kernel: &CountedKernel, operands: &mut [Option<Array>]) -> Result<Vec<Array>> {
        self.cpu.run(&kernel.0, operands)
    }
    fn upload(&self, array: &Array) -> Result<Array> {
        Ok(array.clone())
    }
    fn download(&self, buffer: &Array) -> Result<Array> {
        Ok(buffer.clone())
    }
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
    fn over(&self, memory: ArrayMut) -> Option<Array> {
        self.cpu.over(memory)
    }
    fn run_into(
        &self,
        kernel: &CountedKernel,
        operands: &mut [Option<Array>],
        into: &mut [Option<Array>],
    ) -> Result<Vec<Array>> {
        let results = self.cpu.run_into(&kernel.0, operands, into)?;
        let addresses = self.addresses.lock().unwrap();
        let found = results.iter().map(|a| a.bytes().unwrap().as_ptr().addr());
        self.written.lock().unwrap().extend(found.filter(|address| addresses.contains(address)));
        Ok(results)
    }
    fn fusion(&self) -> Option<&dyn Fusion> {
        self.cpu.fusion()
    }
    fn layouts(&self) -> Option<&dyn Layouts> {
        self.cpu.layouts()
    }
}

/// Runs a graph into arrays of the caller's and compares them with the results of a usual run. Returns how many outputs
/// kernels have written, and the number of outputs.
fn compared(graph: &Graph, feeds: &(impl Feeds + ?Sized), options: &RunOptions) -> (usize, usize) {
    let cpu = CpuBackend::new();
    let backend = Counting { cpu, addresses: Mutex::default(), written: Mutex::default() };
    let session = Session::new(graph, &backend, options).unwrap();
    let expected = session.run(feeds).unwrap();
    let outputs = session.outputs();
    let types = expected.iter().map(|(name, array)| (name.clone(), array.dtype(), array.shape().to_vec()));
    let known = outputs.iter().map(|info| (info.name.clone(), info.dtype, info.shape.clone()));
    assert!(types.eq(known), "{outputs:?}");
    let memory = |info: &tpulang::exec::ValueInfo| ArrayMut::zeros(info.dtype, &info.shape).unwrap();
    let mut results: Vec<_> = outputs.iter().map(|info| (info.name.clone(), memory(info))).collect();
    let addresses: Vec<usize> = results.iter_mut().map(|(_, array)| array.bytes().as_ptr().addr()).collect();
    backend.addresses.lock().unwrap().extend(&addresses);
    // The memory may be written again.
    for _ in 0..2 {
        backend.written.lock().unwrap().clear();
        results.iter_mut().for_each(|(_, array)| array.bytes().fill(0x55));
        session.run_into(feeds, &mut results).unwrap();
        for ((name, array), address) in results.iter_mut().zip(&addresses) {
            assert_eq!(array.bytes().as_ptr().addr(), *address, "{name}");
            let bits = expected[name.as_str()].bytes().unwrap();
            assert_eq!(bits, array.bytes(), "{name}");
        }
    }
    (backend.written.lock().unwrap().len(), outputs.len())
}

#[test]
fn every_case_gives_the_results_of_a_usual_run() {
    let mut all = Vec::new();
    for entry in std::fs::read_dir("tests/ops").unwrap().flatten() {
        all.extend(Case::read(entry.path()).unwrap());
    }
    all.extend(cases().into_iter().map(|folder| Case::recorded(folder).unwrap()));
    let (mut written, mut outputs) = (0, 0);
    for case in &all {
        for unfused in [false, true] {
            let (own, all) = compared(&case.graph, &case.feeds, &RunOptions::default().unfused(unfused));
            (written, outputs) = (written + own, outputs + all);
        }
        compared(&case.graph, &case.feeds, &RunOptions::default().all(true));
    }
    assert!(outputs > 1000 && written * 10 > outputs * 9, "{written} of {outputs} are written by kernels");
}

/// A graph whose outputs are a tensor that others read, views of it and of another, and the result of an
/// `If`.
fn unusual() -> (Graph, [(&'static str, Array); 2]) {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
    let c = g.input("c", Dtype::Float32, [1]).unwrap();
    let w = g.coefficient("w", Array::from_vec([2, 3], vec![3f32; 6]).unwrap()).unwrap();
    let inner = g.op(Relu::new(x)).out_name("inner").call().unwrap()[0];
    let view = g.op(Reshape { shape: Some(vec![3, 2]), ..Reshape::new(inner) }).out_name("view").call().unwrap()[0];
    let hidden = g.mul(x, w).out_name("hidden").call().unwrap();
    let flat = g.op(Reshape { shape: Some(vec![1, 6]), ..Reshape::new(hidden) }).out_name("flat").call().unwrap()[0];
    let flatter = g.op(Reshape { shape: Some(vec![6]), ..Reshape::new(flat) }).out_name("flatter").call().unwrap()[0];
    let none: [(String, Dtype, Vec<i64>); 0] = [];
    let [then, other] = [2.0, 3.0].map(|by| g.block(none.clone(), |g, _| Ok(vec![g.mul(x, by).call()?])).unwrap());
    let chosen = g.op(If::new(c)).owns(then).owns(other).out_name("chosen");
    let chosen = chosen.out_dtypes([Dtype::Float32]).out_shapes([[2, 3]]).call().unwrap()[0];
    g.set_outputs(&[inner, view, flatter, chosen]).unwrap();
    let values = (0..6).map(|i| i as f32 - 2.5).collect();
    (g, [("x", Array::from_vec([2, 3], values).unwrap()), ("c", Array::from([0f32]))])
}

#[test]
fn only_what_no_kernel_writes_is_copied() {
    let (g, feeds) = unusual();
    // Kernels write `inner`, and `hidden` as `flatter`.
    assert_eq!(compared(&g, &feeds, &RunOptions::default().unfused(true)), (2, 4));
    compared(&g, &feeds, &RunOptions::default());
    let session = Session::new(&g, AnyBackend::new(CpuBackend::new()), &RunOptions::default()).unwrap();
    let mut results = ["w", "hidden", "x"].map(|name| (name, ArrayMut::from_vec([2, 3], vec![0f32; 6]).unwrap()));
    session.run_into(&feeds, &mut results).unwrap();
    let [w, hidden, x] = results.map(|(_, array)| array.freeze().to_f32().unwrap());
    assert_eq!((w[5], hidden, x), (3.0, vec![-7.5, -4.5, -1.5, 1.5, 4.5, 7.5], feeds[0].1.to_f32().unwrap()));
}

/// A check that fails leaves the memory as it was, and so does a run that fails before the kernel.
#[test]
fn nothing_is_written_if_a_check_fails() {
    let (g, feeds) = unusual();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let floats = |shape: [usize; 2]| ArrayMut::from_vec(shape, vec![7f32; shape[0] * shape[1]]).unwrap();
    let error = |feeds: &[(&str, Array)], mut results: Vec<(&str, ArrayMut)>| {
        let error = session.run_into(feeds, &mut results).unwrap_err().to_string();
        results.iter_mut().for_each(|(_, a)| assert!(a.bytes().chunks(4).all(|v| v == 7f32.to_le_bytes()), "{error}"));
        error
    };
    let found = error(&feeds, vec![("inner", floats([2, 3])), ("view", floats([2, 3]))]);
    assert_eq!(found, "the array for \"view\" is 2x3 float32; the result is 3x2 float32");
    let ints = ArrayMut::from_vec([2, 3], vec![7f32.to_bits() as i32; 6]).unwrap();
    let found = error(&feeds, vec![("inner", ints)]);
    assert_eq!(found, "the array for \"inner\" is 2x3 int32; the result is 2x3 float32");
    let found = error(&feeds, vec![("innner", floats([2, 3]))]);
    assert!(found.starts_with("unknown tensor \"innner\"; did you mean \"inner\"?"), "{found}");
    let found = error(&feeds, vec![("inner", floats([2, 3])), ("inner", floats([2, 3]))]);
    assert_eq!(found, "the result \"inner\" is given twice");
    let found = error(&feeds[1..], vec![("inner", floats([2, 3]))]);
    assert_eq!(found, "the input \"x\" (2x3 float32) is not fed");
}

#[test]
fn memory_that_overlaps_is_refused() {
    let (g, feeds) = unusual();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let mut memory = [7f32; 18];
    let mut at = |from: usize| {
        let pointer = memory[from..from + 6].as_mut_ptr().cast();
        // SAFETY: the memory outlives the arrays; the overlap is what is tested, and nothing is written.
        unsafe { ArrayMut::from_raw_parts(Dtype::Float32, [2, 3], pointer, ()).unwrap() }
    };
    let (first, second, third) = (at(0), at(5), at(12));
    let error = session.run_into(&feeds, &mut [("hidden", second), ("inner", first)]).unwrap_err().to_string();
    assert_eq!(error, "the memory of the result \"hidden\" overlaps with that of the result \"inner\"");
    let [x, c] = feeds;
    let fed = at(10).freeze();
    let error = session.run_into(&[("x", fed), c.clone()], &mut [("inner", third)]).unwrap_err().to_string();
    assert_eq!(error, "the memory of the result \"inner\" overlaps with that of the array fed to \"x\"");
    let adjacent = (at(0), at(6));
    session.run_into(&[x, c], &mut [("hidden", adjacent.0), ("inner", adjacent.1)]).unwrap();
    assert_eq!((memory[0], memory[6], memory[17]), (-7.5, 0.0, 7.0));
}

/// Coefficients and variables may be in memory of the caller's too, and later runs read them again.
#[test]
fn memory_of_coefficients_is_refused() {
    let mut memory = [0f32, 0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 10.0, 20.0];
    let pointer = memory.as_mut_ptr();
    let address = |from: usize| pointer.wrapping_add(from).cast::<u8>();
    // SAFETY: the memory outlives the arrays; the overlap is what is tested, and nothing is written.
    let coefficient =
        |from: usize, of: usize| unsafe { Array::from_raw_parts(Dtype::Float32, [of], address(from), ()) };
    // SAFETY: as above.
    let at = |from: usize| unsafe { ArrayMut::from_raw_parts(Dtype::Float32, [2], address(from), ()).unwrap() };
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let long = g.coefficient("long", coefficient(2, 4).unwrap()).unwrap();
    let short = g.coefficient("short", coefficient(3, 1).unwrap()).unwrap();
    let count = g.coefficient("count", coefficient(8, 2).unwrap()).unwrap();
    let z = g.relu(long).call().unwrap();
    let y = g.add(x, short).out_name("y").call().unwrap();
    let next = g.add(count, y).out_name("next").call().unwrap();
    g.assign(count, next).unwrap();
    g.set_outputs(&[y, z]).unwrap();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let feeds = [("x", Array::from([1f32, 2.0]))];
    for (from, with) in [(1, "long"), (4, "long"), (5, "long"), (7, "count"), (8, "count")] {
        let error = session.run_into(&feeds, &mut [("y", at(from))]).unwrap_err().to_string();
        assert_eq!(error, format!("the memory of the result \"y\" overlaps with that of the coefficient \"{with}\""));
    }
    session.set_variable("count", &coefficient(0, 2).unwrap()).unwrap();
    let error = session.run_into(&feeds, &mut [("y", at(1))]).unwrap_err().to_string();
    assert_eq!(error, "the memory of the result \"y\" overlaps with that of the coefficient \"long\"");
    let error = session.run_into(&feeds, &mut [("y", at(0))]).unwrap_err().to_string();
    assert_eq!(error, "the memory of the result \"y\" overlaps with that of the variable \"count\"");
    session.run_into(&feeds, &mut [("y", at(6))]).unwrap();
    assert_eq!(memory, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 10.0, 20.0]);
}

#[test]
fn nothing_is_given_twice() {
    let (g, [x, c]) = unusual();
    let session = Session::new(&g, AnyBackend::new(CpuBackend::new()), &RunOptions::default()).unwrap();
    let twice = [x.clone(), c, x];
    let expected = "the array fed to \"x\" is given twice; expected one per input";
    assert_eq!(session.run(&twice).unwrap_err().to_string(), expected);
    assert_eq!(session.fetch_from(&twice, &["inner"]).unwrap_err().to_string(), expected);
    let mut results = [("inner", ArrayMut::zeros(Dtype::Float32, &[2, 3]).unwrap())];
    assert_eq!(session.run_into(&twice, &mut results).unwrap_err().to_string(), expected);
    let buffers = twice.iter().map(|(name, array)| (*name, session.backend().upload(array).unwrap())).collect();
    let error = session.run_on(buffers).err().unwrap().to_string();
    assert_eq!(error, "the buffer fed to \"x\" is given twice; expected one per input");
    let options = RunOptions::default();
    for (options, option, name) in
        [(options.clone().fed(["x", "c", "x"]), "fed", "x"), (options.fetched(["inner", "inner"]), "fetched", "inner")]
    {
        let error = Session::new(&g, CpuBackend::new(), &options).err().unwrap().to_string();
        assert_eq!(error, format!("{option} is \"{name}\" twice; expected each name once"));
    }
}

#[test]
fn all_tensors_or_some_are_returned() {
    let (g, _) = unusual();
    let options = RunOptions::default().all(true).fetched(["inner"]);
    let error = Session::new(&g, CpuBackend::new(), &options).err().unwrap().to_string();
    let expected = "both say what runs return; drop all to get only what fetched lists, or fetched to get every tensor";
    assert_eq!(error, format!("all and fetched: {expected}"));
}

/// A kernel of the user's may keep its operands. The caller's memory is then not given out for writing again.
#[test]
fn a_result_that_a_kernel_keeps_is_an_error() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let y = g.relu(x).out_name("y").call().unwrap();
    g.register_custom("keep", |op| Ok(vec![(op.inputs[0].dtype, op.inputs[0].shape.to_vec())])).unwrap();
    let z = g.op(Custom::new(vec![y], "keep".into(), vec![])).out_name("z").call().unwrap()[0];
    g.set_outputs(&[y, z]).unwrap();
    let kept: &'static Mutex<Vec<Array>> = Box::leak(Box::default());
    let cpu = CpuBackend::new().with_custom("keep", |call| {
        kept.lock().unwrap().push(call.inputs[0].clone());
        Ok(vec![Array::filled(Dtype::Float32, [2], 5.0)?])
    });
    let session = Session::new(&g, cpu, &RunOptions::default()).unwrap();
    let memory = || ArrayMut::zeros(Dtype::Float32, &[2]).unwrap();
    let mut results = [("y", memory()), ("z", memory())];
    let error = session.run_into(&[("x", Array::from([-1f32, 2.0]))], &mut results).unwrap_err().to_string();
    assert_eq!(error, "a kernel has kept \"y\", which it may only read while it runs");
    assert_eq!(results[1].1.elements::<f32>().unwrap(), [5.0, 5.0]);
    assert_eq!(kept.lock().unwrap()[0].to_f32().unwrap(), [0.0, 2.0]);
}

/// After an error of a kernel the caller has its memory back.
#[test]
fn memory_comes_back_after_an_error() {
    let mut g = Graph::new("g").unwrap();
    let (x, i) = (g.input("x", Dtype::Float32, [3]).unwrap(), g.input("i", Dtype::Int32, [2]).unwrap());
    let y = g.index_select(x, i).axis(0).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let mut results = [("y", ArrayMut::zeros(Dtype::Float32, &[2]).unwrap())];
    let address = results[0].1.bytes().as_ptr();
    let feeds = |i: [i32; 2]| [("x", Array::from([1f32, 2.0, 4.0])), ("i", Array::from(i))];
    let error = session.run_into(&feeds([0, 9]), &mut results).unwrap_err().to_string();
    assert!(error.contains("index 9 is out of range"), "{error}");
    session.run_into(&feeds([2, 1]), &mut results).unwrap();
    assert_eq!(
        (results[0].1.elements::<f32>().unwrap().to_vec(), results[0].1.bytes().as_ptr()),
        (vec![4.0, 2.0], address)
    );
}

/// First runs, captured and replayed ones write to the caller's buffers, which may be others each time.
#[cfg(feature = "cuda")]
#[test]
fn buffers_of_a_gpu_are_written() {
    use tpulang::exec::CudaBackend;
    if crate::cuda::passed_emulated() {
        return;
    }
    let (mut g, [x, c]) = unusual();
    let backend = CudaBackend::new(0).unwrap();
    let with_branches = [g.outputs().to_vec(), g.outputs()[..3].to_vec()];
    for outputs in with_branches {
        g.set_outputs(&outputs).unwrap();
        let session = Session::new(&g, &backend, &RunOptions::default()).unwrap();
        let buffer = |array: &Array| backend.upload(array).unwrap();
        for round in 0..5 {
            let scaled = x.1.to_f32().unwrap().iter().map(|v| v * round as f32).collect();
            let scaled = [("x", Array::from_vec([2, 3], scaled).unwrap()), c.clone()];
            let expected = session.run(&scaled).unwrap();
            let places =
                |info: &tpulang::exec::ValueInfo| buffer(&Array::filled(info.dtype, info.shape.clone(), 77.0).unwrap());
            let outputs = session.outputs();
            let results: Vec<_> = outputs.iter().map(|info| (info.name.as_str(), places(info))).collect();
            let feeds = || scaled.iter().map(|(name, array)| (*name, buffer(array))).collect::<Vec<_>>();
            session.run_on_into(feeds(), &results).unwrap();
            session.synchronize().unwrap();
            for (name, result) in &results {
                assert_eq!(backend.download(result).unwrap(), expected[*name], "{name} in round {round}");
            }
            // The host's memory is written as well.
            let memory = |info: &tpulang::exec::ValueInfo| ArrayMut::zeros(info.dtype, &info.shape).unwrap();
            let mut host: Vec<_> = outputs.iter().map(|info| (info.name.as_str(), memory(info))).collect();
            session.run_into(&scaled, &mut host).unwrap();
            host.into_iter().for_each(|(name, array)| assert_eq!(array.freeze(), expected[name], "{name}"));
        }
        let (one, other) = (buffer(&Array::filled(Dtype::Float32, [2, 3], 77.0).unwrap()), buffer(&x.1));
        let feeds = || vec![("x", other.clone()), ("c", buffer(&c.1))];
        let error = |results: &[_]| {
            let error = session.run_on_into(feeds(), results).unwrap_err().to_string();
            session.synchronize().unwrap();
            assert_eq!(backend.download(&one).unwrap().to_f32().unwrap(), [77.0; 6], "nothing is written");
            error
        };
        let twice = error(&[("inner", one.clone()), ("hidden", one.clone())]);
        assert!(twice.starts_with("the buffer of result ") && twice.contains("overlaps"), "{twice}");
        let fed = error(&[("inner", one.clone()), ("hidden", other.clone())]);
        assert!(fed.contains("overlaps with another"), "{fed}");
        let shape = error(&[("view", one.clone())]);
        assert_eq!(shape, "the buffer of the result \"view\" is 2x3 float32; it must be 3x2 float32");
    }
    let error = Session::new(&g, CpuBackend::new(), &RunOptions::default())
        .unwrap()
        .run_on_into(vec![("x", x.1.clone()), ("c", c.1.clone())], &[("inner", x.1.clone())]);
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "this backend does not write to buffers of the caller's; use `run_into` or `run_on`");
}

/// Arrays of the GPU are exported and imported without a copy, unless strides or the alignment require it.
#[cfg(feature = "cuda")]
#[test]
fn arrays_of_a_gpu_are_exchanged_by_dlpack() {
    use tpulang::{
        array::dlpack::{Description, Device, DlpackFlags, Legacy, Managed, Versioned},
        exec::CudaBackend,
    };
    if crate::cuda::passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let values = Array::from_vec([8, 4], (0..32).map(|i| i as f32).collect()).unwrap();
    let array = backend.upload(&values).unwrap();
    let tensor = backend.to_dlpack::<Versioned>(&array).unwrap();
    assert!(tensor.flags().contains(DlpackFlags::READ_ONLY));
    // SAFETY: the tensors are valid, and nobody writes to their memory.
    let again = unsafe { backend.from_dlpack(tensor).unwrap() };
    assert_eq!((again.pointer(), again.shape()), (array.pointer(), array.shape()));
    // SAFETY: as above.
    let copy = unsafe { backend.from_dlpack(backend.to_dlpack::<Legacy>(&array).unwrap()).unwrap() };
    assert_ne!(copy.pointer(), array.pointer());
    assert_eq!(backend.download(&copy).unwrap(), values);
    let part = |first: usize, device: Device, shape: &[usize], strides: &[isize]| {
        let pointer = std::ptr::without_provenance_mut(array.pointer() as usize + 4 * first);
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        let description = Description { pointer, device, dtype: Dtype::Float32, shape, strides };
        // SAFETY: the clone keeps the memory.
        unsafe { description.export::<Versioned>(true, array.clone()).unwrap() }
    };
    // SAFETY: as above.
    let import = |tensor: Managed<Versioned>| unsafe { backend.from_dlpack(tensor) };
    for (first, shape, strides, expected) in [
        (8, &[2, 2][..], &[2, 1][..], [8.0, 9.0, 10.0, 11.0]),
        (1, &[4], &[1], [1.0, 2.0, 3.0, 4.0]),
        (0, &[2, 2], &[1, 4], [0.0, 4.0, 1.0, 5.0]),
        (31, &[4], &[-2], [31.0, 29.0, 27.0, 25.0]),
    ] {
        let own = import(part(first, Device::cuda(0), shape, strides)).unwrap();
        assert_eq!(backend.download(&own).unwrap().to_f32().unwrap(), expected);
        assert_eq!(own.pointer() == array.pointer() + 4 * first as u64, first == 8, "only what must be copied is");
    }
    let error = import(part(0, Device::CPU, &[4], &[1])).unwrap_err().to_string();
    assert_eq!(error, "the device type of a DLPack tensor is 1, number 0; expected this GPU: 2, number 0");
    let error = import(part(0, Device::cuda(1), &[4], &[1])).unwrap_err().to_string();
    assert!(error.contains("is 2, number 1; expected"), "{error}");
}

/// Every operator of these cases runs on the CPU on request, between copies from and to the GPU.
#[cfg(feature = "cuda")]
#[test]
fn operators_of_a_gpu_run_on_the_cpu_on_request() {
    if crate::cuda::passed_emulated() {
        return;
    }
    let backend = tpulang::exec::CudaBackend::new(0).unwrap();
    let mut count = 0;
    for folder in cases().into_iter().step_by(5) {
        let case = Case::recorded(folder).unwrap();
        let names = case.graph.operators().iter().filter_map(|o| case.graph.tensor(o.outputs().next()?).ok());
        let options = RunOptions::default().on_cpu(names.map(|info| info.name.clone()));
        let session = Session::new(&case.graph, &backend, &options).unwrap();
        let plain = Session::new(&case.graph, CpuBackend::new(), &RunOptions::default().unfused(true)).unwrap();
        let (found, expected) = (session.run(&case.feeds).unwrap(), plain.run(&case.feeds).unwrap());
        for (name, expected) in &expected {
            let pairs = found[name].to_f64().unwrap().into_iter().zip(expected.to_f64().unwrap());
            let is_close =
                |(a, b): (f64, f64)| a == b || (a - b).abs() <= 1e-5 * b.abs().max(1.0) || a.is_nan() && b.is_nan();
            assert!(pairs.into_iter().all(is_close), "{}: {name}", case.name);
        }
        assert!(session.summary().starts_with("cuda: 0 ops"), "{}", session.summary());
        count += 1;
    }
    assert!(count > 10, "{count}");
}
