use super::*;
use tpulang::{
    Dtype, Graph,
    ops::{Pad, PadMode},
};

/// Runs a network of `x`, four numbers, with a calibration table.
fn run(g: &Graph, table: &str) -> (Vec<String>, IndexMap<String, Array>) {
    let network = QuantizedNetwork::new(g, &Table::parse(table).unwrap(), &QuantizeTable::default()).unwrap();
    let x = Array::from_vec([1, 4], vec![0.3f32, -0.6, 0.7, 0.9]).unwrap();
    let outputs = network.run(&[("x", x)], &mut |_, _| Ok(())).unwrap();
    (network.uncalibrated().into_iter().map(str::to_owned).collect(), outputs)
}

fn network() -> (Graph, Tensor) {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4]).unwrap();
    (g, x)
}

/// Integers would be taken from numbers without a scale.
#[test]
fn layers_that_join_tensors_without_a_range_are_floats() {
    let (mut g, x) = network();
    let a = g.relu(x).out_name("a").call().unwrap();
    let b = g.tanh(x).out_name("b").call().unwrap();
    let joined = g.concat(vec![a, b]).axis(1).out_name("joined").call().unwrap();
    let largest = g.max(a, b).out_name("largest").call().unwrap();
    g.set_outputs(&[joined, largest]).unwrap();
    let (uncalibrated, outputs) = run(&g, "x 1 -1 1\na 1 0 1\njoined 1 -1 1\nlargest 1 -1 1");
    assert_eq!(uncalibrated, ["b"]);
    let close = |name: &str, expected: &[f32]| {
        let found = outputs[name].to_f32().unwrap();
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01), "{name}: {found:?}");
    };
    close("joined", &[0.3, 0.0, 0.7, 0.9, 0.291, -0.537, 0.604, 0.716]);
    close("largest", &[0.3, 0.0, 0.7, 0.9]);
}

#[test]
fn parts_without_a_range_are_floats() {
    let (mut g, x) = network();
    let parts = g.split(x).axis(1).num(2).out_names(["first", "second"]).call().unwrap();
    g.set_outputs(&parts).unwrap();
    let (uncalibrated, outputs) = run(&g, "x 1 -1 1\nfirst 1 -1 1");
    assert_eq!(uncalibrated, ["second"]);
    let second = outputs["second"].to_f32().unwrap();
    assert!((second[0] - 0.7).abs() < 0.01 && (second[1] - 0.9).abs() < 0.01, "{second:?}");
}

/// As timm pads images before a maximum, whatever their numbers are.
#[test]
fn layers_that_pad_with_infinities_are_floats() {
    let (mut g, x) = network();
    let pad = Pad { val: f64::NEG_INFINITY, ..Pad::new(x, PadMode::Constant, vec![0, 1, 0, 0]) };
    let padded = g.op(pad).out_name("padded").call().unwrap()[0];
    let y = g.relu(padded).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let (_, outputs) = run(&g, "x 1 -1 1\npadded 1 -1 1\ny 1 0 1");
    let y = outputs["y"].to_f32().unwrap();
    assert!(y.iter().zip([0.0, 0.3, 0.0, 0.7, 0.9]).all(|(a, b)| (a - b).abs() < 0.01), "{y:?}");
    assert_eq!(QuantizeTable::of_infinities(&g).unwrap().modes.into_keys().collect::<Vec<_>>(), ["padded", "y"]);
}
