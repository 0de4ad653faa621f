//! Operators that chips lack are replaced by others that compute the same.
use super::SplitMix;
use indexmap::IndexMap;
use tpulang::{
    Array, Dtype, Graph, Tensor,
    calibrate::{Mode, QuantizeTable},
    exec::{self, CpuBackend, RunOptions},
    ops::{self, Op, ReduceMode},
    quant::RoundMode,
};

fn run(g: &Graph, x: &Array) -> IndexMap<String, Array> {
    exec::run(g, &[("x", x.clone())], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors
}

fn integer(g: &mut Graph, op: impl Into<Op<Tensor>>, name: &str) -> Tensor {
    g.op(op).out_dtypes([Dtype::Int32]).out_name(name).call().unwrap()[0]
}

/// Adds the quotient of integers as the ONNX importer writes it. Returns it, and the remainder.
fn quotient(g: &mut Graph, x: Tensor, c: Tensor) -> [Tensor; 2] {
    let rest = integer(g, ops::Mod::new(vec![x, c]), "rest");
    let whole = integer(g, ops::Sub::new(vec![x, rest]), "whole");
    [integer(g, ops::Div::new(vec![whole, c]), "quotient"), rest]
}

fn count(g: &Graph, names: &[&str]) -> usize {
    g.operators().iter().filter(|operator| names.contains(&operator.op.name())).count()
}

#[test]
fn quotients_and_remainders_are_those_of_the_integers() {
    let mut random = SplitMix(5);
    for divisor in [1i32, 2, 3, 7, 10, 49, 80, 1000, 65537, 2_000_000] {
        let number = |i: i32| match i {
            0..200 => i - 100,
            200..400 => (i64::from(i - 300) * i64::from(divisor) % (1 << 21)) as i32,
            _ => (random.next() % (1 << 22)) as i32 - (1 << 21),
        };
        let x = Array::from_vec([200, 3], (0..600).map(number).collect::<Vec<_>>()).unwrap();
        for divisors in [vec![divisor], vec![divisor, 5, divisor + 1]] {
            let mut g = Graph::new("g").unwrap();
            let input = g.input("x", Dtype::Int32, [200, 3]).unwrap();
            let c = g.coefficient("c", Array::from(divisors)).unwrap();
            let modulus = integer(&mut g, ops::Remainder::new(vec![input, c]), "modulus");
            let [quotient, rest] = quotient(&mut g, input, c);
            g.set_outputs(&[rest, modulus, quotient]).unwrap();
            let legal = g.legalized().unwrap();
            assert_eq!(count(&legal, &["Mod", "Remainder", "Div"]), 0);
            let found = run(&legal, &x);
            for (name, array) in &run(&g, &x) {
                assert_eq!(array, &found[name], "{name} by {divisor}");
            }
            // None of these layers may be rounded to 16 bits.
            let exact = QuantizeTable::of_integers(&legal).modes;
            let is_exact = |t| exact.get(&legal.tensor(t).unwrap().name) == Some(&Mode::F32);
            assert!(legal.operators().iter().flat_map(|o| o.outputs()).all(is_exact));
        }
    }
}

/// What a quotient was computed from goes with it, unless something else reads it.
#[test]
fn nothing_is_left_of_a_quotient() {
    for (outputs, left) in [(&["quotient"][..], 0), (&["quotient", "whole"], 1), (&["quotient", "rest"], 0)] {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [2]).unwrap();
        let c = g.coefficient("c", Array::from([7i32])).unwrap();
        quotient(&mut g, x, c);
        let outputs: Vec<Tensor> = outputs.iter().map(|name| g.find(name).unwrap()).collect();
        g.set_outputs(&outputs).unwrap();
        let legal = g.legalized().unwrap();
        let subs = count(&legal, &["Sub"]);
        let x = Array::from([23i32, -9]);
        assert_eq!(run(&g, &x), run(&legal, &x));
        assert_eq!(legal.find("whole").is_ok(), left == 1, "{subs}");
        assert_eq!(legal.find("rest").is_ok(), outputs.len() > 1);
    }
}

#[test]
fn other_divisions_stay() {
    let keep = |build: &dyn Fn(&mut Graph, Tensor) -> Tensor| {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [2]).unwrap();
        let y = build(&mut g, x);
        g.set_outputs(&[y]).unwrap();
        let legal = g.legalized().unwrap();
        assert_eq!(legal.operators().len(), g.operators().len());
    };
    for divisor in [0i32, -3, 1 << 21] {
        keep(&|g, x| {
            let c = g.coefficient("c", Array::from([divisor])).unwrap();
            integer(g, ops::Remainder::new(vec![x, c]), "y")
        });
    }
    // Its divisor changes from run to run.
    keep(&|g, x| {
        let c = g.coefficient("c", Array::from([3i32])).unwrap();
        let next = integer(g, ops::AddConst::new(c, 1.0), "next");
        g.assign(c, next).unwrap();
        integer(g, ops::Remainder::new(vec![x, c]), "y")
    });
    // A remainder by another number, and a difference that is no longer one.
    keep(&|g, x| {
        let [c, d] = [("c", 3), ("d", 4)].map(|(name, n)| g.coefficient(name, Array::from([n])).unwrap());
        let rest = integer(g, ops::Min::new(vec![x, c]), "rest");
        let whole = integer(g, ops::Sub::new(vec![x, rest]), "whole");
        integer(g, ops::Div::new(vec![whole, d]), "y")
    });
}

/// The tool chain would omit the conversion to integers and back.
#[test]
fn floats_are_truncated_before_they_become_integers() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [6]).unwrap();
    let scaled = g.mul(x, 10.0).out_name("scaled").call().unwrap();
    let cast =
        |input, to: &str| ops::Cast { to: to.to_owned(), round_mode: RoundMode::TowardsZero, ..ops::Cast::new(input) };
    let whole = integer(&mut g, cast(scaled, "INT32"), "whole");
    let back = g.op(cast(whole, "F32")).out_dtypes([Dtype::Float32]).out_name("back").call().unwrap()[0];
    let y = g.add(back, x).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let legal = g.legalized().unwrap();
    assert_eq!((count(&legal, &["Floor"]), count(&legal, &["Cast"])), (1, 2));
    let x = Array::from([0.77f32, -0.77, 0.05, -0.05, 3.0, -0.3]);
    assert_eq!(run(&g, &x), run(&legal, &x));
    // What is rounded must not be rounded to 16 bits before, and integers have no threshold.
    let exact: Vec<String> = QuantizeTable::of_integers(&legal).modes.into_keys().collect();
    assert_eq!(exact, ["scaled", "whole/magnitude", "whole/sign", "whole/whole", "whole/signed", "whole", "back"]);
}

/// A conversion from floats of 16 bits leaves fractions, one from integers does not.
#[test]
fn only_converted_integers_are_whole() {
    for (dtype, floors) in [(Dtype::Float16, 1), (Dtype::Int32, 0)] {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", dtype, [4]).unwrap();
        let cast = ops::Cast { to: "F32".to_owned(), ..ops::Cast::new(x) };
        let float = g.op(cast).out_dtypes([Dtype::Float32]).call().unwrap()[0];
        let cast = ops::Cast { to: "INT32".to_owned(), round_mode: RoundMode::TowardsZero, ..ops::Cast::new(float) };
        let y = integer(&mut g, cast, "y");
        g.set_outputs(&[y]).unwrap();
        assert_eq!(count(&g.legalized().unwrap(), &["Floor"]), floors, "{dtype}");
    }
}

/// Coordinates that are computed in floats from indices.
#[test]
fn floats_from_indices_are_exact() {
    let mut g = Graph::new("g").unwrap();
    let index = g.input("index", Dtype::Int32, [4]).unwrap();
    let size = g.input("size", Dtype::Float32, [4]).unwrap();
    let cast = ops::Cast { to: "F32".to_owned(), ..ops::Cast::new(index) };
    let place = g.op(cast).out_dtypes([Dtype::Float32]).out_name("place").call().unwrap()[0];
    let row = g.mul(place, 1.0 / 64.0).out_name("row").call().unwrap();
    let row = g.floor(row).out_name("whole").call().unwrap();
    let y = g.add(row, size).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let exact: Vec<String> = QuantizeTable::of_integers(&g).modes.into_keys().collect();
    assert_eq!(exact, ["place", "row", "whole"]);
}

/// Nothing that only the replaced operators read is left, of which a warning would say that it is not used.
#[test]
fn divisors_are_forgotten() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int32, [2]).unwrap();
    let c = g.coefficient("c", Array::from([7i32])).unwrap();
    let y = integer(&mut g, ops::Remainder::new(vec![x, c]), "y");
    g.set_outputs(&[y]).unwrap();
    assert!(g.legalized().unwrap().find("c").is_err());
}

#[test]
fn reductions_over_separate_axes_follow_each_other() {
    let numbers = (0..240).map(|i| ((i * 37 % 101) as f32 - 40.0) / 32.0).collect::<Vec<_>>();
    let modes = [
        ReduceMode::ReduceSum,
        ReduceMode::ReduceMean,
        ReduceMode::ReduceMax,
        ReduceMode::ReduceMin,
        ReduceMode::ReduceProd,
        ReduceMode::ReduceL1,
        ReduceMode::ReduceL2,
    ];
    for (axes, groups) in
        [(vec![0, 2], 2), (vec![-1, 1], 2), (vec![3, 0, 1], 2), (vec![2, 1], 1), (vec![0, 2, 3], 2), (vec![], 1)]
    {
        for mode in modes {
            for keepdims in [false, true] {
                let mut g = Graph::new("g").unwrap();
                let x = g.input("x", Dtype::Float32, [2, 3, 4, 10]).unwrap();
                let op = ops::Reduce::new(x, axes.clone(), keepdims, mode);
                let y = g.op(op).out_name("y").call().unwrap();
                g.set_outputs(&y).unwrap();
                let legal = g.legalized().unwrap();
                assert_eq!(legal.operators().len(), groups, "{axes:?}");
                let x = Array::from_vec([2, 3, 4, 10], numbers.clone()).unwrap();
                let [expected, found] = [&g, &legal].map(|g| run(g, &x)["y"].clone());
                assert_eq!(expected.shape(), found.shape());
                for (a, b) in expected.to_f64().unwrap().into_iter().zip(found.to_f64().unwrap()) {
                    assert!((a - b).abs() <= 1e-5 * a.abs().max(1.0), "{mode:?} {axes:?}: {a} {b}");
                }
            }
        }
    }
}

/// A softmax of scores that a constant condition masks gets another shape, and computes the same.
#[test]
fn masked_softmaxes_are_reshaped() {
    const SHAPE: [usize; 4] = [2, 3, 4, 4];
    let numbers = (0..96).map(|i| ((i * 37 % 101) as f32 - 40.0) / 32.0).collect::<Vec<_>>();
    let causal: Vec<f32> = (0..16).map(|i| f32::from(u8::from(i % 4 > i / 4))).collect();
    let constant = |shape: &[usize]| {
        let rows = causal.iter().copied().cycle().take(shape.iter().product()).collect();
        Array::from_vec(shape, rows).unwrap()
    };
    // Builds a graph with a condition from a constant, and the shape of the softmax, if it is replaced.
    let check = |axis: i64, log: bool, condition: &dyn Fn(&mut Graph, Tensor) -> Tensor, reshaped: Option<&[usize]>| {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, SHAPE).unwrap();
        let condition = condition(&mut g, x);
        let masked = ops::Where { fbrn: Some(x), x_is_const: true, x_const_val: -20.0, ..ops::Where::new(condition) };
        let scores = g.op(masked).out_name("scores").call().unwrap()[0];
        let op = ops::Softmax { log, beta: 0.5, ..ops::Softmax::new(scores, axis) };
        let y = g.op(op).out_name("y").call().unwrap();
        g.set_outputs(&y).unwrap();
        let legal = g.legalized().unwrap();
        match reshaped {
            Some(shape) => {
                let softmax = legal.tensor(legal.find("y/softmax").unwrap()).unwrap();
                assert_eq!((&softmax.shape[..], count(&legal, &["Reshape"])), (shape, 2));
            }
            None => assert_eq!(count(&legal, &["Reshape"]), 0),
        }
        let x = Array::from_vec(SHAPE, numbers.clone()).unwrap();
        assert_eq!(run(&g, &x)["y"], run(&legal, &x)["y"], "{axis}");
    };
    let coefficient = |shape: &'static [usize]| {
        let array = constant(shape);
        move |g: &mut Graph, _| g.coefficient("later", array.clone()).unwrap()
    };
    for log in [false, true] {
        for axis in [3, -1] {
            check(axis, log, &coefficient(&[4, 4]), Some(&[6, 4, 4]));
        }
        for axis in [1, 2, -2] {
            check(axis, log, &coefficient(&[1, 1, 4, 4]), Some(&[1, 2, 3, 4, 4]));
        }
        for axis in [0, -4] {
            check(axis, log, &coefficient(&[4, 4]), Some(&[1, 1, 2, 3, 4, 4]));
        }
    }
    // The tool chain computes what follows from constants.
    check(
        3,
        false,
        &|g, x| {
            let later = coefficient(&[4, 4])(g, x);
            g.relu(later).call().unwrap()
        },
        Some(&[6, 4, 4]),
    );
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, SHAPE).unwrap();
    let later = coefficient(&[4, 4])(&mut g, x);
    let scores = g.op(ops::MaskedFill::new(later, x, -20.0, true)).call().unwrap()[0];
    let y = g.softmax(scores, 3).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    assert_eq!(count(&g.legalized().unwrap(), &["Reshape"]), 2);
    // All elements have conditions of their own, or they are computed on the chip.
    check(3, false, &coefficient(&SHAPE), None);
    check(3, false, &|g, x| g.slice(x, [0], [1]).axes([0]).call().unwrap(), None);
}

/// So does that of scores whose mask has numbers of its own for each head.
#[test]
fn attentions_with_masks_of_heads_are_reshaped() {
    for (scores, mask, axis, reshaped) in [
        ([1, 3, 4, 4], &[1, 3, 4, 4][..], -1, true),
        ([1, 3, 4, 4], &[3, 4, 4], 3, true),
        ([2, 3, 4, 4], &[2, 3, 4, 4], 3, true),
        ([2, 1, 4, 4], &[2, 1, 4, 4], 3, false),
        ([1, 1, 4, 4], &[4, 4], 3, false),
        ([2, 3, 4, 4], &[1, 3, 4, 4], 3, false),
        ([1, 3, 4, 4], &[1, 1, 4, 4], 3, false),
        ([1, 3, 4, 4], &[1, 3, 4, 4], 1, false),
    ] {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, scores).unwrap();
        let bias = (0..mask.iter().product()).map(|i: usize| (i * 13 % 7) as f32 - 3.0).collect();
        let bias = g.coefficient("bias", Array::from_vec(mask, bias).unwrap()).unwrap();
        let scaled = g.mul(x, 0.5).call().unwrap();
        let sum = g.add(scaled, bias).call().unwrap();
        let y = g.softmax(sum, axis).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let legal = g.legalized().unwrap();
        assert_eq!(count(&legal, &["Reshape"]), if reshaped { 2 } else { 0 }, "{scores:?} {mask:?} {axis}");
        let numbers = (0..scores.iter().product()).map(|i: usize| (i * 37 % 101) as f32 / 32.0).collect();
        let x = Array::from_vec(scores, numbers).unwrap();
        assert_eq!(run(&g, &x)["y"], run(&legal, &x)["y"]);
    }
}

#[test]
fn triangles_are_selected_by_constants() {
    for shape in [&[4, 5][..], &[3, 4, 4], &[2, 3, 5, 4]] {
        for (upper, diagonal) in [(0, 0), (1, 0), (0, -2), (1, 2), (0, 9), (1, -9), (1, i64::from(i32::MAX))] {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, shape.to_vec()).unwrap();
            let y = g.op(ops::Trilu::new(x, diagonal, upper)).out_name("y").call().unwrap();
            g.set_outputs(&y).unwrap();
            let legal = g.legalized().unwrap();
            assert_eq!((count(&legal, &["Trilu"]), count(&legal, &["Where"])), (0, 1));
            let number = |i: usize| if i % 7 == 3 { f32::INFINITY } else { (i * 37 % 101) as f32 / 32.0 };
            let x = Array::from_vec(shape, (0..shape.iter().product()).map(number).collect()).unwrap();
            assert_eq!(run(&g, &x)["y"], run(&legal, &x)["y"], "{shape:?} {upper} {diagonal}");
        }
    }
    // The tool chain computes those of constants.
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 2]).unwrap();
    let low = g.coefficient("low", Array::filled(Dtype::Float32, [2, 2], f64::NEG_INFINITY).unwrap()).unwrap();
    let mask = g.op(ops::Trilu::new(low, 1, 1)).call().unwrap()[0];
    let y = g.add(x, mask).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    assert_eq!(count(&g.legalized().unwrap(), &["Trilu"]), 1);
}

/// As the second operand, the tool chain would take the axes of such factors for others.
#[test]
fn factors_of_heads_come_first() {
    for (factors, is_first) in [(&[3, 4, 4][..], true), (&[1, 3, 4, 4], true), (&[4, 4], false), (&[3, 1, 1], false)] {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3, 4, 4]).unwrap();
        let numbers = (0..factors.iter().product()).map(|i: usize| (i * 13 % 7) as f32 - 3.0).collect();
        let decay = g.coefficient("decay", Array::from_vec(factors, numbers).unwrap()).unwrap();
        let y = g.op(ops::Mul { do_relu: true, ..ops::Mul::new(vec![x, decay]) }).out_name("y").call().unwrap();
        g.set_outputs(&y).unwrap();
        let legal = g.legalized().unwrap();
        let Op::Mul(op) = &legal.operators()[0].op else { panic!("no product") };
        assert_eq!(op.inputs[0] == decay, is_first, "{factors:?}");
        let x =
            Array::from_vec([2, 3, 4, 4], (0..96).map(|i| (i * 37 % 101) as f32 / 32.0).collect::<Vec<_>>()).unwrap();
        assert_eq!(run(&g, &x)["y"], run(&legal, &x)["y"]);
    }
}
