use crate::{Array, Dtype, Graph, GraphBuilder, Result, Value};

fn builder() -> GraphBuilder {
    GraphBuilder::new("g").unwrap()
}

/// The names of a graph's operators.
fn ops(graph: &Graph) -> Vec<&'static str> {
    graph.operators().iter().map(|o| o.op.name()).collect()
}

fn first_line(result: Result<impl std::fmt::Debug>) -> String {
    result.unwrap_err().to_string().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn arithmetic_makes_the_calls_of_the_methods() -> Result<()> {
    let g = builder();
    let x = g.input("x", Dtype::Float32, [2])?;
    let y = (1.0 - x * x / 2.0 + -x).out_name("y").call()?;
    assert_eq!(ops(&g.build(y)?), ["Mul", "MulConst", "SubConst", "MulConst", "Add"]);
    let h = builder();
    let x = h.input("x", Dtype::Float32, [2])?;
    let half = x.mul(x).call()?.div(2.0).call()?;
    let y = h.sub(1.0, half).call()?.add(x.mul(-1.0).call()?).out_name("y").call()?;
    assert_eq!(ops(&h.build(y)?), ops(&g.build(g.find("y")?)?));
    Ok(())
}

/// The first call that fails is reported, and nothing after it is added.
#[test]
fn an_expression_reports_its_first_error() -> Result<()> {
    let g = builder();
    let (x, y) = (g.input("x", Dtype::Float32, [2])?, g.input("y", Dtype::Float32, [3])?);
    let error = first_line(((x + y) * 2.0 - 1.0).out_name("z").call());
    assert!(error.starts_with("add (ops[0]): "), "{error}");
    let error = first_line((2.0 * (x - 1.0) + (x + y)).call());
    assert!(error.starts_with("add (ops[2]): "), "{error}");
    g.edit(|graph| {
        assert_eq!(ops(graph), ["SubConst", "MulConst"]);
        Ok(())
    })
}

#[test]
fn values_belong_to_their_builder() -> Result<()> {
    let (g, other) = (builder(), builder());
    let x = g.input("x", Dtype::Float32, [2])?;
    let foreign = other.input("x", Dtype::Float32, [2])?;
    assert_eq!(
        first_line((x + foreign).call()),
        "add (ops[0]): tensor_i1: the tensor is of another graph, or of a call that was undone; a graph takes only its own tensors"
    );
    assert_ne!(x, foreign);
    assert_eq!(format!("{x:?}"), "Value(\"x\" (2 float32))");
    let error = first_line(x.dims::<2>());
    assert_eq!(error, "the shape of \"x\" is 2, which has 1 axes; expected 2 axes");
    assert_eq!(first_line(g.build(x)), "outputs is \"x\", an input; an output must be computed by an operator");
    assert_eq!(first_line(g.build([])), "outputs is empty; a network needs at least one output");
    Ok(())
}

/// Sizes come from shapes, as `usize`.
#[test]
fn arguments_take_every_type_of_integer() -> Result<()> {
    let g = builder();
    let x = g.input("x", Dtype::Float32, [1, 4, 8, 8])?;
    let w = g.coefficient("w", Array::from_vec([4, 1, 3, 3], vec![0.1f32; 36])?)?;
    let [_, channels, _, _] = x.dims()?;
    let [_, _, kernel, _] = w.dims()?;
    let y = x.conv(w).group(channels).pad(kernel / 2).stride([1i32, 1]).dilation(1u32 as i64).call()?;
    assert_eq!(y.shape()?, x.shape()?);
    let error = first_line(x.conv(w).group(usize::MAX).pad(1).call());
    assert_eq!(error, "conv: group: out of range integral type conversion attempted");
    Ok(())
}

/// Closures of branches use the builder; a closure of `edit` cannot, since it has the graph.
#[test]
fn the_graph_is_lent_to_one_at_a_time() -> Result<()> {
    let g = builder();
    let x = g.input("x", Dtype::Float32, [2])?;
    let error = first_line(g.edit(|_| x.relu().call()));
    assert!(error.starts_with("the graph is being edited; "), "{error}");
    let mut inner = None;
    let failed = g.for_loop(2, x, |_, v| {
        inner = Some(g.scope("in", || v.relu().call())?);
        (v + g.input("y", Dtype::Float32, [3])?).call()
    });
    assert!(first_line(failed).starts_with("add "));
    // The branch was rolled back, with its values.
    let lost: Value = inner.unwrap();
    assert!(lost.shape().is_err() && format!("{lost:?}").starts_with("Value(Tensor"));
    assert_eq!(x.relu().call()?.name()?, "relu_0");
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        g.scope("s", || -> Result<()> { panic!("in a closure") })
    }));
    assert!(panic.is_err() && x.tanh().call()?.name()? == "tanh_1", "the graph is back, outside of the scope");
    Ok(())
}

#[test]
fn loops_carry_what_they_are_given() -> Result<()> {
    let g = builder();
    let x = g.input("x", Dtype::Float32, [2])?;
    let [a, b] = g.for_loop(3, [x, x], |_, [a, b]| Ok([b, (a + b).call()?]))?;
    let several = g.while_loop(vec![a, b], |v| v[0].gts(1.0).call(), Ok);
    assert!(first_line(several).contains("expected a single number"));
    let empty = g.cond(g.input("c", Dtype::Float32, [1])?, || Ok(vec![]), || Ok(vec![]));
    assert_eq!(first_line(empty), "then returns no tensors");
    assert_eq!(g.build([a, b])?.outputs().len(), 2);
    Ok(())
}

#[test]
fn weights_are_read_once_and_those_left_over_are_told() -> Result<()> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.npz");
    let arrays =
        [("a.w", Array::from([1f64, 2.0])), ("a.scale", Array::from([0.5f32])), ("b.w", Array::from([1i64, 2]))];
    crate::array::write_npz(&path, arrays)?;
    let g = builder();
    let x = g.input("x", Dtype::Float32, [2])?;
    let w = g.weights(&path)?;
    let a = w.scope("a");
    assert_eq!((a.names(), a.has("w"), w.has("w")), (vec!["w".to_owned(), "scale".to_owned()], true, false));
    let first = g.scope("s", || a.get("w"))?;
    assert_eq!((first, first.name()?, first.dtype()?), (a.get("w")?, "a.w".to_owned(), Dtype::Float32));
    assert_eq!(a.array("scale")?.to_f64()?, [0.5]);
    let error = first_line(a.get("v"));
    assert!(error.ends_with("w.npz: there is no array \"a.v\"; did you mean \"a.w\"?"), "{error}");
    let graph = g.build((x * first).call()?)?;
    let warnings: Vec<String> = graph.warnings().iter().map(ToString::to_string).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("\"b.w\""), "{warnings:?}");
    // An input may not have the name of an array that is wanted.
    g.input("b.w", Dtype::Float32, [2])?;
    assert_eq!(first_line(w.get("b.w")), "the name \"b.w\" is used already; every tensor needs its own");
    Ok(())
}
