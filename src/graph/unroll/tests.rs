use super::MAX_UNROLLED;
use tpulang::{
    Array, Dtype, Graph, Mode, Quantization, Result, Tensor,
    exec::{self, CpuBackend, RunOptions},
    ops::{Loop, Op},
};

fn run(g: &Graph, feeds: &[(&str, Array)]) -> Vec<(String, Vec<f64>)> {
    let results = exec::run(g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap();
    results.tensors.into_iter().map(|(name, array)| (name, array.to_f64().unwrap())).collect()
}

fn names(g: &Graph) -> Vec<&str> {
    g.tensors().map(|(_, t)| t.name.as_str()).collect()
}

#[test]
fn copies_have_names_of_their_own() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    g.relu(x).out_name("net/Loop_3_0/twice").call().unwrap();
    let build = |g: &mut Graph| {
        g.scan(2, &[x], |g, i, v| {
            let i = g.cast(i).out_dtype(Dtype::Float32).out_name("number").call()?;
            let sum = g.add(v[0], i).out_name("twice").call()?;
            Ok((vec![sum], vec![i, sum]))
        })
    };
    let (last, stacks) = g.scope("net", build).unwrap();
    g.set_outputs(&[last[0], stacks[0], stacks[1]]).unwrap();
    let unrolled = g.unrolled().unwrap();
    let made = names(&unrolled).split_off(6);
    assert_eq!(
        made,
        [
            "net/Loop_3_0/iteration_1",
            "net/Loop_3_0/number",
            "net/Loop_3_0/twice_",
            "net/Loop_3_1/iteration_1",
            "net/Loop_3_1/number",
            "net/Loop_3_1_0",
            "net/Loop_3_1_1",
            "net/Loop_3_2_0",
            "net/Loop_3_2_1"
        ]
    );
    let feeds = [("x", Array::from([1f32, 2.0]))];
    assert_eq!(run(&g, &feeds), run(&unrolled, &feeds));
    assert_eq!(unrolled.tensor(stacks[1]).unwrap(), g.tensor(stacks[1]).unwrap());
}

/// Outer values, arguments and coefficients that a body yields, with and without iterations.
#[test]
fn values_that_no_operator_computes_are_passed_on() {
    for count in 0..3usize {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let w = g.coefficient("w", Array::from([7f32])).unwrap();
        let y = g.for_loop(count, &[x, w, x, x], |g, _, v| {
            let sum = g.add(v[2], 1.0).call()?;
            Ok(vec![v[1], v[0], sum, sum])
        });
        g.set_outputs(&y.unwrap()).unwrap();
        let unrolled = g.unrolled().unwrap();
        assert!(unrolled.operators().iter().all(|o| !matches!(o.op, Op::Loop(_))));
        let feeds = [("x", Array::from([3f32]))];
        assert_eq!(run(&g, &feeds), run(&unrolled, &feeds), "{count} iterations");
    }
}

#[test]
fn quantization_is_kept() {
    let mut g = Graph::new("g").unwrap();
    g.mode = Mode::Quantized;
    let x = g.input("x", Dtype::Int8, [2]).unwrap();
    g.quantize(x, &Quantization::per_tensor(0.5, 1)).unwrap();
    let (y, all) = g
        .scan(2, &[x], |g, _, v| {
            let sum = g.add(v[0], v[0]).scale([0.5; 3]).zero_point([1; 3]).out_dtype(Dtype::Int8).call()?;
            Ok((vec![sum], vec![sum]))
        })
        .unwrap();
    g.set_outputs(&[y[0], all[0]]).unwrap();
    let unrolled = g.unrolled().unwrap();
    let computed = unrolled.tensors().filter(|(_, t)| t.dtype == Dtype::Int8);
    for (_, t) in computed {
        assert_eq!(t.quantization, Some(Quantization::per_tensor(0.5, 1)), "{}", t.name);
    }
    let feeds = [("x", Array::from([4i8, -1]))];
    assert_eq!(run(&g, &feeds), run(&unrolled, &feeds));
}

/// A loop with the first condition, and with the next one; `None` for the argument.
fn conditional(rounds: Option<f32>, first: Option<f32>, next: Option<f32>) -> Result<Graph> {
    let mut g = Graph::new("g")?;
    let x = g.input("x", Dtype::Float32, [1])?;
    let number = |g: &mut Graph, name: &str, value: Option<f32>| {
        value.map(|v| g.coefficient(name, Array::from([v]))).transpose()
    };
    let (rounds, first) = (number(&mut g, "rounds", rounds)?, number(&mut g, "first", first)?);
    let next = number(&mut g, "next", next)?;
    let arguments = ["i", "again", "v"].map(|name| (name.to_owned(), Dtype::Float32, [1i64]));
    let body = g.block(arguments, |g, given| {
        let sum = g.add(given[1], given[2]).call()?;
        Ok(vec![next.unwrap_or(given[1]), sum])
    })?;
    let op = Loop { M: rounds, cond: first, ..Loop::new(vec![x]) };
    let y = g.op(op).owns(body).out_name("y").out_dtypes([Dtype::Float32]).out_shapes([[1]]).call()?;
    g.set_outputs(&y)?;
    Ok(g)
}

#[test]
fn constant_conditions_are_known() {
    type Case = (Option<f32>, Option<f32>, Option<f32>, Option<u64>);
    let cases: [Case; 10] = [
        (Some(3.0), None, None, Some(3)),
        (Some(3.0), Some(2.0), None, Some(3)),
        (Some(3.0), Some(2.0), Some(5.0), Some(3)),
        (Some(3.0), Some(0.0), Some(5.0), Some(0)),
        (Some(3.0), None, Some(0.0), Some(1)),
        (None, Some(0.0), None, Some(0)),
        (None, None, Some(0.0), Some(1)),
        (None, None, None, None),
        (Some(-3.0), None, None, Some(0)),
        (Some(f32::NAN), Some(f32::NAN), None, Some(0)),
    ];
    for (rounds, first, next, expected) in cases {
        let g = conditional(rounds, first, next).unwrap();
        assert_eq!(g.loops().unwrap()[0].trip_count, expected, "{rounds:?} {first:?} {next:?}");
        let unrolled = g.unrolled().unwrap();
        assert_eq!(unrolled.loops().unwrap().is_empty(), expected.is_some());
        if expected.is_some() {
            let feeds = [("x", Array::from([1f32]))];
            assert_eq!(run(&g, &feeds), run(&unrolled, &feeds), "{rounds:?} {first:?} {next:?}");
        }
    }
}

/// The trip count of the inner loop is the number of the outer iteration.
#[test]
fn triangular_loops_are_unrolled() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let y = g.for_loop(4, &[x], |g, i, v| {
        let inner = ["i", "again", "v"].into_iter().zip([Dtype::Int32, Dtype::Int32, Dtype::Float32]);
        let inner = inner.map(|(name, dtype)| (format!("inner_{name}"), dtype, [1i64]));
        let body = g.block(inner, |g, given| Ok(vec![given[1], g.add(given[2], 1.0).call()?]))?;
        let op = Loop { M: Some(i), ..Loop::new(v.to_vec()) };
        g.op(op).owns(body).out_dtypes([Dtype::Float32]).out_shapes([[1]]).call()
    });
    g.set_outputs(&y.unwrap()).unwrap();
    let unrolled = g.unrolled().unwrap();
    assert!(unrolled.loops().unwrap().is_empty());
    let feeds = [("x", Array::from([1f32]))];
    assert_eq!(run(&g, &feeds), run(&unrolled, &feeds));
}

fn nested(g: &mut Graph, x: Tensor, counts: &[usize]) -> Result<Vec<Tensor>> {
    let [count, inner @ ..] = counts else { return Ok(vec![x]) };
    g.for_loop(*count, &[x], |g, _, v| nested(g, v[0], inner))
}

#[test]
fn what_is_too_large_is_refused_at_once() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    for (counts, expected) in [
        (&[2_000_000_000][..], "unrolling \"Loop_0\", which has 2000000000 iterations, makes 4000000001 operators"),
        (&[1000, 1000, 1000], "at most 65536 are made for all loops"),
        (&[2_000_000_000; 8], "makes 18446744073709551615 operators"),
    ] {
        let mut g = g.clone();
        let y = nested(&mut g, x, counts).unwrap();
        g.set_outputs(&y).unwrap();
        let error = g.unrolled().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // Several loops that are small each.
    for _ in 0..4 {
        nested(&mut g, x, &[MAX_UNROLLED as usize / 8]).unwrap();
    }
    let error = g.unrolled().unwrap_err().to_string();
    assert!(error.contains("which has 8192 iterations, makes 16385 operators"), "{error}");
}

#[test]
fn a_wrong_number_of_stacked_values_is_an_error() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let rounds = g.coefficient("rounds", Array::from([3f32])).unwrap();
    let arguments = ["i", "again", "v"].map(|name| (name.to_owned(), Dtype::Float32, [1i64]));
    let body = g.block(arguments, |_, given| Ok(vec![given[1], given[2], given[2]])).unwrap();
    let op = g.op(Loop { M: Some(rounds), ..Loop::new(vec![x]) }).owns(body).out_names(["y", "all"]);
    op.out_dtypes([Dtype::Float32; 2]).out_shapes([vec![1], vec![5, 1]]).call().unwrap();
    let error = g.unrolled().unwrap_err().to_string();
    assert!(error.contains("it has 3 iterations; the result \"all\" stacks 5"), "{error}");
}
