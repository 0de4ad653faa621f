use crate::{
    Array, Dtype, Graph, Quantization,
    functions::testing::{bad_calls, first_line as first},
};

#[test]
fn a_weight_has_one_scale_or_one_per_output_channel() {
    let quantized = |scales: &[f64]| {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 3, 8, 8]).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.5, 0)).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Int8, [8, 3, 3, 3], 1.0).unwrap()).unwrap();
        let scale = Some(scales.to_vec().into());
        g.quantize(w, &Quantization { scale, zero_point: None }).unwrap();
        g.conv_quant(x, w).output_scale(0.5).call().map(|_| ()).map_err(first)
    };
    assert_eq!(quantized(&[0.1; 8]), Ok(()));
    assert_eq!(quantized(&[0.1]), Ok(()));
    // The list fits axis 1, which is not that of a filter's scales.
    assert_eq!(
        quantized(&[0.1; 3]).unwrap_err(),
        "conv_quant (ops[0]): quantization of \"w\": it has 3 scales; conv_quant takes 1, or 8, one per output channel"
    );
}

#[test]
fn the_input_of_a_quantized_convolution_has_one_scale() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int8, [1, 3, 8, 8]).unwrap();
    let w = || Array::filled(Dtype::Int8, [8, 3, 3, 3], 1.0).unwrap();
    g.quantize(x, &Quantization { scale: None, zero_point: Some(3.into()) }).unwrap();
    assert_eq!(
        first(g.conv_quant(x, w()).weight_scale(0.5).output_scale(0.5).call().unwrap_err()),
        "conv_quant (ops[0]): quantization of \"x\": its scale is neither set on the tensor nor given by input_scale"
    );
    let y = g.reshape(x, [1, 3, 8, 8]).out_name("y").call().unwrap();
    assert_eq!(
        first(g.conv_quant(y, w()).weight_scale(0.5).output_scale(0.5).call().unwrap_err()),
        "conv_quant (ops[1]): quantization of \"y\": its scale is neither set on the tensor nor given by input_scale; the call that computes it (top.Reshape) can set it, too"
    );
    let z = g.input("z", Dtype::Int8, [1, 3, 8, 8]).unwrap();
    g.quantize(z, &Quantization { scale: Some(vec![0.1; 3].into()), zero_point: None }).unwrap();
    assert_eq!(
        first(g.conv_quant(z, w()).weight_scale(0.5).output_scale(0.5).call().unwrap_err()),
        "conv_quant (ops[1]): quantization of \"z\": it has 3 scales; conv_quant takes 1 here"
    );
}

/// The bias of a convolution becomes float32, which no other call may have read as float16.
#[test]
fn a_float16_bias_belongs_to_convolutions_alone() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float16, [1, 3, 4, 4]).unwrap();
    let filled = |shape: &[i64]| Array::filled(Dtype::Float16, shape.to_vec(), 0.5).unwrap();
    let (w, b) =
        (g.coefficient("w", filled(&[3, 3, 1, 1])).unwrap(), g.coefficient("b", filled(&[1, 3, 1, 1])).unwrap());
    let moved = g.add(x, b).call().unwrap();
    assert_eq!(
        first(g.conv(moved, w).bias(b).call().unwrap_err()),
        "conv (ops[1]): bias is float16, and other calls read it; a convolution takes float32, so give it another tensor"
    );
    let bias = g.coefficient("bias", filled(&[3])).unwrap();
    let y = g.conv(moved, w).bias(bias).call().unwrap();
    g.conv(y, w).bias(bias).call().unwrap();
    assert_eq!((g.tensor(bias).unwrap().dtype, g.tensor(b).unwrap().dtype), (Dtype::Float32, Dtype::Float16));
}

#[test]
fn shapes() {
    // input, weight, stride, dilation, pad, group -> output
    type Case = ([usize; 4], [usize; 4], [i64; 2], [i64; 2], [i64; 4], i64, [usize; 4]);
    let table: [Case; 4] = [
        ([1, 3, 28, 28], [4, 3, 3, 3], [1, 1], [1, 1], [0; 4], 1, [1, 4, 26, 26]),
        ([2, 4, 9, 7], [8, 2, 3, 1], [2, 3], [2, 1], [1, 0, 2, 0], 2, [2, 8, 4, 3]),
        ([1, 4, 5, 5], [4, 1, 5, 5], [1, 1], [1, 1], [2, 2, 2, 2], 4, [1, 4, 5, 5]),
        ([1, 1, 1, 1], [1, 1, 1, 1], [7, 7], [9, 9], [0; 4], 1, [1, 1, 1, 1]),
    ];
    for (input, weight, stride, dilation, pad, group, expected) in table {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, input).unwrap();
        let w = Array::filled(Dtype::Float32, weight, 1.0).unwrap();
        let y = g.conv(x, w).stride(stride).dilation(dilation).pad(pad).group(group).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, expected);
    }
}

#[test]
fn shapes_in_three_dimensions() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 6, 16, 28, 30]).unwrap();
    let w = Array::filled(Dtype::Float32, [12, 2, 2, 3, 4], 1.0).unwrap();
    let y =
        g.conv3d(x, w.clone()).stride([2, 1, 3]).dilation([1, 2, 1]).pad([0, 1, 2, 1, 0, 0]).group(3).call().unwrap();
    assert_eq!(g.tensor(y).unwrap().shape, [1, 12, 8, 25, 10]);
    g.conv3d_v2(x, w).pad([1, 2, 3, 4, 5, 6]).group(3).call().unwrap();
    assert!(matches!(&g.operators()[1].op, crate::ops::Op::Conv(op) if op.pads == [1, 3, 5, 2, 4, 6]));
}

#[test]
fn mistakes_are_told() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 32, 56, 56]).unwrap();
    let i = g.input("i", Dtype::Int8, [1, 32, 56, 56]).unwrap();
    let w = g.coefficient("w", Array::filled(Dtype::Float32, [64, 64, 3, 3], 0.0).unwrap()).unwrap();
    let v = g.coefficient("v", Array::filled(Dtype::Float32, [64, 32, 3, 3], 0.0).unwrap()).unwrap();
    let error = g.conv(x, w).out_name("c1").call().unwrap_err();
    insta::assert_snapshot!(error, @r#"
    conv "c1" (ops[0]): weight has 64 input channels; the input has 32
       input   x  1x32x56x56 float32
       weight  w  64x64x3x3 float32
    "#);
    assert_eq!(
        first(g.conv(x, v).stride([0, 1]).call().unwrap_err()),
        "conv (ops[0]): stride is [0, 1]; expected numbers of at least 1"
    );
    assert_eq!(
        first(g.conv(x, v).group(3).call().unwrap_err()),
        "conv (ops[0]): group is 3; it must divide the 32 channels of input and the 64 of weight"
    );
    assert_eq!(
        first(g.conv(i, v).call().unwrap_err()),
        "conv (ops[0]): input is int8; expected float32 or float16; conv_int takes integers"
    );
    assert_eq!(
        first(g.conv(x, v).bias(vec![0f32; 3]).call().unwrap_err()),
        "conv (ops[0]): bias has 3 elements; expected 64, one per output channel"
    );
    let w8 = g.coefficient("w8", Array::filled(Dtype::Int8, [4, 32, 1, 1], 0.0).unwrap()).unwrap();
    assert_eq!(
        first(g.conv_int(i, w8).weight_zp(0).call().unwrap_err()),
        "conv_int (ops[0]): quantization of \"i\": neither set on the tensor nor given by input_zp"
    );
    assert_eq!(
        first(g.conv_quant(i, w8).input_scale(vec![0.1, 0.2]).call().unwrap_err()),
        "conv_quant (ops[0]): input_scale is a list of 2; the tool chain accepts one value per tensor here"
    );
}

#[test]
fn conv_v2_orders_its_pads_and_takes_zero_points() {
    let mut g = Graph::new("g").unwrap();
    let i = g.input("i", Dtype::Uint8, [1, 2, 8, 8]).unwrap();
    let w = Array::filled(Dtype::Int8, [3, 2, 3, 3], 1.0).unwrap();
    let y = g.conv_v2(i, w).pad([1, 2, 3, 4]).input_zp(vec![3, 4]).weight_zp(1).call().unwrap();
    assert!(matches!(&g.operators()[0].op, crate::ops::Op::Conv(op) if op.pads == [1, 3, 2, 4]));
    assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x9x13 int32");
    assert_eq!(
        g.tensor(i).unwrap().quantization,
        Some(Quantization { scale: None, zero_point: Some(vec![3, 4].into()) })
    );
}

#[test]
fn conv_v2_takes_zero_points_of_input_channels_and_gives_floats() {
    let mut g = Graph::new("g").unwrap();
    let i = g.input("i", Dtype::Int8, [1, 2, 4, 4]).unwrap();
    let w = Array::filled(Dtype::Int8, [3, 2, 3, 3], 1.0).unwrap();
    let y = g.conv_v2(i, w).weight_zp(vec![1, 2]).out_dtype(Dtype::Float16).out_name("y").call().unwrap();
    assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x2x2 float16");
    let operators: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
    assert_eq!(operators, ["Conv", "Cast"]);
    assert_eq!(g.tensor(g.find("y_int32").unwrap()).unwrap().type_text(), "1x3x2x2 int32");
    let square = g.coefficient("square", Array::filled(Dtype::Int8, [2, 2, 3, 3], 1.0).unwrap()).unwrap();
    g.conv_v2(i, square).weight_zp(vec![1, 1]).call().unwrap();
    assert_eq!(
        first(g.conv_v2(i, square).weight_zp(vec![1, 2]).call().unwrap_err()),
        "conv_v2 (ops[2]): weight_zp is a list of 2; the weight has 2 output and 2 input channels, and it may be for either; expected one value here, or one per output channel in conv_int"
    );
}

/// A 2x2 tensor has one element per output channel, but is not a valid bias.
#[test]
fn lists_and_biases_have_the_channels_axis() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 3, 8, 8]).unwrap();
    let w = Array::filled(Dtype::Float32, [4, 3, 3, 3], 1.0).unwrap();
    let b = Array::filled(Dtype::Float32, [2, 2], 1.0).unwrap();
    assert_eq!(
        first(g.conv_v2(x, w).bias(b).call().unwrap_err()),
        "conv_v2 (ops[0]): bias is 2x2; expected 4 elements along one axis, as 4 or 1x4x1x1"
    );
}

#[test]
fn bad_calls_are_told() {
    bad_calls(
        "conv",
        &[
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": [1, "a"]}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": [1, 1, 1]}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "v", "weight": "w"}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "i", "weight": "w"}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "group": 2}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": [9223372036854775807, 1, 1, 1]}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": 2000000000}, "out": "y"}"#,
            r#"{"op": "conv", "args": {"input": "x", "weight": "w", "bias": "v"}, "out": "y"}"#,
            r#"{"op": "conv_v2", "args": {"tensor_i": "i", "weight": "k", "input_zp": [1, 2, 3, 4, 5, 6, 7, 8]}, "out": "y"}"#,
            r#"{"op": "conv_quant", "args": {"input": "i", "weight": "k", "input_scale": 0.5, "weight_scale": [0.5, 0.25]}, "out": "y"}"#,
            r#"{"op": "conv3d", "args": {"input": "x", "weight": "w"}, "out": "y"}"#,
            r#"{"op": "conv3d", "args": {"input": "x", "weight": "w", "pad": [1, 1, 1, 1]}, "out": "y"}"#,
            r#"{"op": "conv3d_int", "args": {"input": "x", "weight": "k"}, "out": "y"}"#,
            r#"{"op": "conv3d_quant", "args": {"input": "i", "weight": "k", "input_scale": [0.5, 0.25]}, "out": "y"}"#,
            r#"{"op": "conv3d_v2", "args": {"tensor_i": "x", "weight": "w", "input_zp": 1}, "out": "y"}"#,
        ],
    );
}
