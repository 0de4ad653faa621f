//! Compares ops on the emulated GPU with the CPU: order, updates of one element, indices out of range, regions, roundings.
use super::cuda::passed_emulated;
use std::sync::Arc;
use tpulang::{
    Array, Dtype, Graph, Tensor,
    exec::{Backend, CpuBackend, CudaBackend, RunOptions, Session, run},
    ops::{
        Arg, ArgMode, DeformConv2D, EmbDenseBwd, Gather, GatherElements, IndexPut, MeanStdScale, Op, ROIPooling,
        RoiAlign, RoiAlignMode, RoiExtractor, ScatterElements, ScatterND, Sort, TopK,
    },
    quant::RoundMode,
};

/// Runs one operator on arrays, without fallback.
fn computed<B: Backend>(
    backend: &B,
    arrays: &[Array],
    op: impl FnOnce(&[Tensor]) -> Op<Tensor>,
) -> Result<Vec<Array>, String> {
    let mut g = Graph::new("g").unwrap();
    let name = |i: usize| format!("x{i}");
    let inputs: Vec<Tensor> = arrays
        .iter()
        .enumerate()
        .map(|(i, a)| g.input(&name(i), a.dtype(), a.shape().iter().map(|d| *d as i64).collect::<Vec<_>>()).unwrap())
        .collect();
    let op = op(&inputs);
    // Result types that the rule does not determine.
    let dtypes = match op {
        Op::Arg(_) => vec![Dtype::Int32, arrays[0].dtype()],
        Op::MeanStdScale(_) => vec![Dtype::Int8],
        _ => Vec::new(),
    };
    let results = g.op(op).out_dtypes(dtypes).call().unwrap();
    g.set_outputs(&results).unwrap();
    let names: Vec<String> = (0..arrays.len()).map(name).collect();
    let feeds: Vec<(&str, Array)> = names.iter().map(String::as_str).zip(arrays.iter().cloned()).collect();
    let options = RunOptions::default().strict(true);
    let found = run(&g, &feeds[..], backend, &options).map_err(|e| e.to_string())?;
    Ok(found.tensors.into_values().collect())
}

/// Compares a result, or an error.
fn same_on_both(
    device: &CudaBackend,
    arrays: &[Array],
    op: impl Fn(&[Tensor]) -> Op<Tensor>,
) -> Result<Vec<Array>, String> {
    let cpu = computed(&CpuBackend::new(), arrays, &op);
    let device = computed(device, arrays, &op);
    assert_eq!(cpu.as_deref().map(shown), device.as_deref().map(shown));
    device
}

fn shown(arrays: &[Array]) -> Vec<String> {
    // 0 and -0 are equal.
    let numbers = |a: &Array| a.to_f64().unwrap().into_iter().map(|v| v + 0.0).collect::<Vec<_>>();
    arrays.iter().map(|a| format!("{:?} {:?}", a.shape(), numbers(a))).collect()
}

/// An array of a dtype's element type.
macro_rules! array {
    ($shape:expr, $of:expr) => {{
        let shape: Vec<i64> = $shape.to_vec();
        let n = shape.iter().product::<i64>() as usize;
        Array::from_vec(shape, (0..n).map($of).collect::<Vec<_>>()).unwrap()
    }};
}

#[test]
fn sorting_matches_the_cpu() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    // Many ties, and some NaN.
    let number = |i: usize| match i * 7919 % 61 {
        0 => f32::NAN,
        1 => -0.0,
        2 => f32::INFINITY,
        n => (n % 9) as f32 - 4.0,
    };
    for shape in [[1, 1, 1], [2, 3, 33], [3, 64, 2], [1, 1000, 1], [2, 129, 3], [1, 1, 600]] {
        let arrays = [array!(shape, number), array!(shape, |i| (i * 37 % 11) as i8)];
        for (x, axis, flag) in arrays.iter().flat_map(|x| [(x, 1, true), (x, 1, false), (x, -1, true), (x, 2, false)]) {
            let x = std::slice::from_ref(x);
            let k = (shape[i64::rem_euclid(axis, 3) as usize] + 1) / 2;
            same_on_both(&device, x, |t| TopK { K: k, largest: flag, ..TopK::new(t[0], axis) }.into()).unwrap();
            same_on_both(&device, x, |t| Sort { descending: flag, ..Sort::new(t[0], axis) }.into()).unwrap();
            for mode in [ArgMode::ArgMax, ArgMode::ArgMin] {
                same_on_both(&device, x, |t| {
                    Arg { select_last_index: flag, ..Arg::new(t[0], axis, true, mode) }.into()
                })
                .unwrap();
            }
        }
    }
}

#[test]
fn updates_of_one_element_are_applied_in_order() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let (x, updates) = (array!([5, 3], |i| i as f32 / 3.0), array!([70, 3], |i| (i as f32).sin() * 1e3));
    let rows = array!([70, 1], |i| (i * i % 5) as i32 - 2);
    for reduction in 0..6 {
        let scattered = |t: &[Tensor]| ScatterND { reduction, ..ScatterND::new(t[0], t[1], t[2]) }.into();
        same_on_both(&device, &[x.clone(), rows.clone(), updates.clone()], scattered).unwrap();
        let wide =
            |a: &Array| array!(a.shape().iter().map(|d| *d as i64).collect::<Vec<_>>(), |i| (i as i64 - 9) << 55);
        same_on_both(&device, &[wide(&x), rows.clone(), wide(&updates)], scattered).unwrap();
    }
    let places = array!([5, 3], |i| (i % 2) as i64 - 1);
    for reduction in 0..2 {
        let arrays = [x.clone(), places.clone(), array!([5, 3], |i| i as f32)];
        same_on_both(&device, &arrays, |t| {
            ScatterElements { reduction, ..ScatterElements::new(t[0], t[1], t[2], 0) }.into()
        })
        .unwrap();
    }
    for accumulate in [true, false] {
        let arrays = [x.clone(), array!([70], |i| (i % 3) as i32), updates.clone()];
        same_on_both(&device, &arrays, |t| IndexPut { accumulate, ..IndexPut::new(t[0], t[1], t[2]) }.into()).unwrap();
    }
    let arrays = [updates, array!([70], |i| (i % 3) as i32)];
    same_on_both(&device, &arrays, |t| EmbDenseBwd::new(t[0], t[1], 4).into()).unwrap();
}

#[test]
fn an_index_out_of_range_is_the_cpus_error() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let x = array!([3, 4], |i| i as f32);
    for bad in [7i32, 3, -4, i32::MIN] {
        let indices = array!([2, 4], |i| if i == 5 { bad } else { 1 });
        let error =
            same_on_both(&device, &[x.clone(), indices.clone()], |t| Gather::new(t[0], t[1]).into()).unwrap_err();
        let expected = format!("index {bad} is out of range for axis 0 (3 entries); expected -3 to 2");
        assert!(error.contains(&expected), "{error}");
        let elements = [x.clone(), indices.clone(), array!([2, 4], |i| i as f32)];
        same_on_both(&device, &elements[..2], |t| GatherElements { axis: 0, ..GatherElements::new(t[0], t[1]) }.into())
            .unwrap_err();
        same_on_both(&device, &elements, |t| ScatterElements::new(t[0], t[1], t[2], 0).into()).unwrap_err();
        let rows = [array!([2, 4], |i| i as f32), array!([2], |i| if i == 1 { bad } else { 0 })];
        same_on_both(&device, &rows, |t| EmbDenseBwd::new(t[0], t[1], 3).into()).unwrap_err();
    }
}

/// For sessions that share a GPU, the error is reported by the session with the bad index; for buffers, when their owner
/// waits.
#[test]
fn an_index_out_of_range_is_reported_by_its_session() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let session = |name: &str| {
        let mut g = Graph::new("net").unwrap();
        let (x, i) = (g.input("x", Dtype::Float32, [3]).unwrap(), g.input("i", Dtype::Int32, [2]).unwrap());
        let y = g.index_select(x, i).axis(0).out_name(name).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        Session::new(&g, &backend, &RunOptions::default()).unwrap()
    };
    let (first, second) = (session("first"), session("second"));
    let feeds = |index: i32| {
        let arrays = [("x", array!([3], |i| i as f32)), ("i", array!([2], |_| index))];
        arrays.map(|(name, array)| (name, backend.upload(&array).unwrap())).to_vec()
    };
    for _ in 0..3 {
        first.run_on(feeds(7)).unwrap();
        second.run_on(feeds(2)).unwrap();
        second.synchronize().unwrap();
        let error = first.synchronize().unwrap_err().to_string();
        assert!(error.contains("\"first\"") && error.contains("index 7 is out of range"), "{error}");
        first.synchronize().unwrap();
    }
}

/// Borrowed memory is released once no submitted work reads it.
#[test]
fn borrowed_memory_is_released_after_use() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [64]).unwrap();
    let y = g.relu(x).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let session = Session::new(&g, CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
    let memory = session.backend().upload(&array!([64], |i| i as f32 - 30.0)).unwrap();
    let (owner, pointer) = (Arc::new(memory.clone()), memory.pointer());
    // SAFETY: the memory holds 64 floats on this GPU as long as the owner lives.
    let lent = unsafe { session.backend().borrowed(pointer, Dtype::Float32, &[64], owner.clone()) }.unwrap();
    let results = session.run_on(vec![("x", lent)]).unwrap();
    assert_eq!(Arc::strong_count(&owner), 2);
    session.synchronize().unwrap();
    assert_eq!(Arc::strong_count(&owner), 1);
    let got = session.backend().download(&results[0]).unwrap().to_f32().unwrap();
    assert_eq!((got[0], got[63]), (0.0, 33.0));
}

/// Two operators with the same bad index are reported once, for the first operator.
#[test]
fn faults_of_all_operators_are_cleared() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let (x, i) = (g.input("x", Dtype::Float32, [3]).unwrap(), g.input("i", Dtype::Int32, [2]).unwrap());
    let results = ["a", "b"].map(|name| g.index_select(x, i).axis(0).out_name(name).call().unwrap());
    g.set_outputs(&results).unwrap();
    let session = Session::new(&g, CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
    for bad in [true, false, true, false, false] {
        let feeds = [("x", array!([3], |i| i as f32)), ("i", array!([2], |_| if bad { 5 } else { 1 }))];
        let found = session.run(&feeds);
        assert_eq!(found.is_err(), bad, "{found:?}");
    }
}

/// Entries are copied in the widest units that divide them.
#[test]
fn entries_of_many_widths_are_gathered() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    for inner in [1usize, 2, 3, 4, 6, 8, 12, 16, 48] {
        let indices = array!([2, 5], |i| i as i32 % 7 - 3);
        let n = 2 * 4 * inner;
        let shape = [2, 4, inner];
        let floats = Array::from_vec(shape, (0..n).map(|i| i as f32).collect()).unwrap();
        let shorts = Array::from_vec(shape, (0..n).map(|i| i as i16).collect()).unwrap();
        let bytes = Array::from_vec(shape, (0..n).map(|i| i as u8).collect()).unwrap();
        for x in [floats, shorts, bytes] {
            let arrays = [x, indices.clone()];
            same_on_both(&backend, &arrays, |t| Gather { axis: 1, ..Gather::new(t[0], t[1]) }.into()).unwrap();
        }
    }
}

#[test]
fn a_reported_fault_is_cleared() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let x = array!([3], |i| i as f32);
    for bad in [false, true, false, true, false] {
        let i = array!([2], |_| if bad { 3 } else { 2 });
        let found = computed(&backend, &[x.clone(), i], |t| Gather::new(t[0], t[1]).into());
        assert_eq!(found.is_err(), bad, "{found:?}");
    }
}

#[test]
fn regions_match_the_cpu() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let of = [0.0, 1.0, 2.5, 7.9, 6.0, 13.0, 9.5, -3.0, 4.0, 11.0, 1e9, -1e20, f32::INFINITY, f32::NAN];
    let corner = |i: usize| {
        if i.is_multiple_of(5) {
            (i / 5 % 2) as f32
        } else {
            of[(i * i * 5 + 3 * i) % 97 % if i < 150 { 10 } else { 14 }]
        }
    };
    let (image, rois) = (array!([2, 3, 6, 8], |i| (i as f32).sin()), array!([40, 5], corner));
    for (aligned, samples, mode) in [true, false]
        .iter()
        .flat_map(|a| [(*a, 0, RoiAlignMode::Avg), (*a, 2, RoiAlignMode::Max), (*a, 3, RoiAlignMode::Avg)])
    {
        let align = |t: &[Tensor]| RoiAlign::new(t[0], t[1], aligned, mode, 3, 2, samples, 0.5).into();
        same_on_both(&device, &[image.clone(), rois.clone()], align).unwrap();
        let levels =
            [rois.clone(), array!([40], |i| (i % 2) as f32), image.clone(), array!([2, 3, 3, 4], |i| i as f32)];
        let extract = |t: &[Tensor]| {
            RoiExtractor::new(t[0], t[1], t[2..].to_vec(), aligned, false, mode, 2, 2, 3, samples, vec![0.5, 0.25])
                .into()
        };
        same_on_both(&device, &levels, extract).unwrap();
    }
    let rois = array!([1, 1, 40, 5], corner);
    same_on_both(&device, &[image.clone(), rois], |t| ROIPooling::new(t.to_vec(), 3, 2, 0.7).into()).unwrap();
    let beyond = array!([1, 5], |i| if i == 0 { 2.5f32 } else { i as f32 });
    let align = |t: &[Tensor]| RoiAlign::new(t[0], t[1], true, RoiAlignMode::Avg, 2, 2, 0, 1.0).into();
    let error = same_on_both(&device, &[image, beyond], align).unwrap_err();
    assert!(error.contains("index 2.5 is out of range for the batch (2 images)"), "{error}");
}

#[test]
fn mean_std_scale_matches_the_cpu_in_every_round_mode() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let all = [array!([1, 2, 8, 16], |i| i as u8), array!([1, 2, 8, 16], |i| i as f32 / 2.0 - 30.0)];
    for (x, (mode, _)) in all.iter().flat_map(|x| RoundMode::arguments().map(move |m| (x, m))) {
        let lists = [vec![3.5, -128.0], vec![58.8, 2.0], vec![1.0, 0.015625], vec![2.0, -3.0]];
        let [mean, std, scale, zeros] = lists;
        same_on_both(&device, std::slice::from_ref(x), |t| {
            let text = String::new;
            MeanStdScale::new(
                t[0],
                text(),
                text(),
                mean.clone(),
                text(),
                vec![],
                mode,
                scale.clone(),
                std.clone(),
                zeros.clone(),
            )
            .into()
        })
        .unwrap();
    }
}

#[test]
fn deformable_convolutions_match_the_cpu() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let wave = |step: f32, size: f32| move |i: usize| (i as f32 * step).sin() * size;
    let arrays = [
        array!([2, 4, 6, 5], wave(0.7, 1.0)),
        array!([6, 2, 3, 2], wave(1.3, 1.0)),
        array!([2, 24, 3, 5], wave(0.9, 3.0)),
        array!([2, 12, 3, 5], wave(0.3, 1.0)),
        array!([6], wave(1.0, 1.0)),
    ];
    let results =
        |backend: &dyn Fn(bool) -> Vec<Array>| [backend(true), backend(false)].map(|r| r[0].to_f64().unwrap());
    let op = |has_mask: bool| {
        move |t: &[Tensor]| {
            let (mask, bias) = (has_mask.then_some(t[3]), has_mask.then_some(t[4]));
            let op = DeformConv2D::new(t[0], t[1], t[2], vec![3, 2], vec![1, 0, 1, 1], vec![2, 1]);
            DeformConv2D { mask, bias, use_mask: has_mask, deform_group: 2, group: 2, do_relu: has_mask, ..op }.into()
        }
    };
    let cpu = results(&|m| computed(&CpuBackend::new(), &arrays, op(m)).unwrap());
    let found = results(&|m| computed(&device, &arrays, op(m)).unwrap());
    for (x, y) in cpu.iter().flatten().zip(found.iter().flatten()) {
        assert!((x - y).abs() < 1e-5, "{x} {y}");
    }
}
