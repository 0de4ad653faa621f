//! Mistakes that people make, each with the one message that it gets: an error, or a warning if the network is valid.
use super::{
    cli::{shown, tpulang},
    snapshot,
};
use std::{fmt::Write, fs, path::Path, process::Output};
use tpulang::{Array, Dtype, array::write_npz};

/// Tensors that the specs below use, by name. Each spec declares those that it mentions.
const TENSORS: &[(&str, &str)] = &[
    ("x", r#"{"shape": [1, 3, 8, 8]}"#),
    ("nhwc", r#"{"shape": [1, 8, 8, 3]}"#),
    ("rows", r#"{"shape": [2, 5, 16]}"#),
    ("heads", r#"{"shape": [1, 5, 2, 4]}"#),
    ("i", r#"{"shape": [1, 3, 8, 8], "dtype": "int8"}"#),
    ("n", r#"{"shape": [4], "dtype": "int32"}"#),
    ("flags", r#"{"shape": [1, 3, 8, 8]}"#),
    ("w", r#"{"shape": [4, 3, 3, 3], "coeff": true}"#),
    ("w_int", r#"{"shape": [4, 3, 3, 3], "coeff": true, "dtype": "int8"}"#),
    ("hwio", r#"{"shape": [5, 5, 3, 4], "coeff": true}"#),
    ("square", r#"{"shape": [3, 3, 2, 2], "coeff": true}"#),
    ("linear", r#"{"shape": [10, 16], "coeff": true}"#),
    ("hwio3", r#"{"shape": [3, 3, 3, 8], "coeff": true}"#),
    ("photo", r#"{"shape": [1, 3, 64, 64]}"#),
    ("hwio32", r#"{"shape": [3, 3, 3, 32], "coeff": true}"#),
    ("hwc1", r#"{"shape": [3, 3, 3, 1], "coeff": true}"#),
    ("depthwise", r#"{"shape": [3, 1, 3, 3], "coeff": true}"#),
    ("w1d", r#"{"shape": [4, 3, 3], "coeff": true}"#),
    ("eight", r#"{"shape": [8], "coeff": true}"#),
    ("chw", r#"{"shape": [3, 8, 8]}"#),
    ("ncl", r#"{"shape": [1, 3, 8]}"#),
    ("ids", r#"{"shape": [1, 6], "dtype": "int64"}"#),
    ("linear2d", r#"{"shape": [10, 16]}"#),
    ("table", r#"{"shape": [50, 4], "coeff": true}"#),
    ("bias", r#"{"shape": [3], "coeff": true, "data": [1, 2, 3]}"#),
    ("channels", r#"{"shape": [3], "coeff": true, "data": [1, 2, 3]}"#),
    ("angles", r#"{"shape": [5, 4], "coeff": true}"#),
];

/// Calls that compute `y`, or use it.
const CALLS: &[(&str, &str)] = &[
    ("a filter in TensorFlow's order", r#"{"op": "conv", "args": {"input": "x", "weight": "hwio"}, "out": "y"}"#),
    ("an input in TensorFlow's order", r#"{"op": "conv", "args": {"input": "nhwc", "weight": "w"}, "out": "y"}"#),
    (
        "a filter in TensorFlow's order that is valid but for its bias",
        r#"{"op": "conv", "args": {"input": "x", "weight": "hwio3", "bias": "eight"}, "out": "y"}"#,
    ),
    (
        "TensorFlow's first filter, which is valid",
        r#"{"op": "conv", "args": {"input": "photo", "weight": "hwio32", "pad": 1}, "out": "y"}"#,
    ),
    ("integers for floats", r#"{"op": "softmax", "args": {"input": "i", "axis": 1}, "out": "y"}"#),
    ("accumulators for bytes", r#"{"op": "relu", "args": {"input": "n"}, "out": "y"}"#),
    ("PyTorch's size", r#"{"op": "interpolate", "args": {"input": "x", "size": [16, 16]}, "out": "y"}"#),
    ("softmax over one entry", r#"{"op": "softmax", "args": {"input": "x", "axis": 0}, "out": "y"}"#),
    (
        "a factor beyond the dtype",
        r#"{"op": "mul", "args": {"tensor_i0": "i", "tensor_i1": 200, "out_dtype": "int8"}, "out": "y"}"#,
    ),
    ("Keras's depthwise kernel", r#"{"op": "conv", "args": {"input": "x", "weight": "hwc1", "group": 3}, "out": "y"}"#),
    ("no groups", r#"{"op": "conv", "args": {"input": "x", "weight": "depthwise"}, "out": "y"}"#),
    ("no batch", r#"{"op": "conv", "args": {"input": "chw", "weight": "w"}, "out": "y"}"#),
    ("one dimension", r#"{"op": "conv", "args": {"input": "ncl", "weight": "w1d", "pad": 1}, "out": "y"}"#),
    (
        "PyTorch's indices",
        r#"{"op": "index_select", "args": {"input": "table", "index": "ids", "axis": 0}, "out": "y"}"#,
    ),
    (
        "an axis of entries by default",
        r#"{"op": "index_select", "args": {"input": "table", "index": "n"}, "out": "y"}"#,
    ),
    ("reduced axes by default", r#"{"op": "reduce", "args": {"input": "x"}, "out": "y"}"#),
    ("a searched axis by default", r#"{"op": "arg", "args": {"input": "x"}, "out": ["y", "z"]}"#),
    ("one group by default", r#"{"op": "group_norm", "args": {"input": "x"}, "out": "y"}"#),
    (
        "padding in the mean by default",
        r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": 3, "stride": 1, "pad": 1}, "out": "y"}"#,
    ),
    (
        "more padding than kernel",
        r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": 2, "stride": 2, "pad": 3}, "out": "y"}"#,
    ),
    ("a large epsilon", r#"{"op": "group_norm", "args": {"input": "x", "num_groups": 3, "epsilon": 1e5}, "out": "y"}"#),
    ("NumPy's padding", r#"{"op": "pad", "args": {"input": "x", "padding": [0, 0, 0, 0, 1, 1, 1, 1]}, "out": "y"}"#),
    ("PyTorch's log_softmax", r#"{"op": "log_softmax", "args": {"input": "x"}, "out": "y"}"#),
    ("dropout", r#"{"op": "nn.Dropout", "args": {"input": "x"}, "out": "y"}"#),
    ("an axis beyond the last by default", r#"{"op": "layer_norm", "args": {"input": "linear2d"}, "out": "y"}"#),
    ("a dtype by another name", r#"{"op": "cast", "args": {"tensor_i": "x", "out_dtype": "float"}, "out": "y"}"#),
    ("padding by name", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": "same"}, "out": "y"}"#),
    ("padding by axis", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": [1, 1]}, "out": "y"}"#),
    ("PyTorch's argument", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "padding": 1}, "out": "y"}"#),
    ("a stride of 0", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": 0}, "out": "y"}"#),
    (
        "a stride of 0 along one axis",
        r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": [1, 0]}, "out": "y"}"#,
    ),
    ("a dilation of 0", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "dilation": 0}, "out": "y"}"#),
    ("negative padding", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": -1}, "out": "y"}"#),
    ("no group", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "group": 0}, "out": "y"}"#),
    ("a huge stride", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": 4294967296}, "out": "y"}"#),
    (
        "a transposed convolution's stride of 0",
        r#"{"op": "deconv", "args": {"input": "x", "weight": "square", "stride": 0}, "out": "y"}"#,
    ),
    (
        "a transposed convolution's negative dilation",
        r#"{"op": "deconv", "args": {"input": "x", "weight": "square", "dilation": -1}, "out": "y"}"#,
    ),
    (
        "negative output padding",
        r#"{"op": "deconv", "args": {"input": "x", "weight": "square", "output_padding": -1}, "out": "y"}"#,
    ),
    ("a kernel of 0", r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": 0, "stride": 1}, "out": "y"}"#),
    (
        "a kernel that is negative along one axis",
        r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": [2, -2], "stride": 1}, "out": "y"}"#,
    ),
    ("a pool's stride of 0", r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": 2, "stride": 0}, "out": "y"}"#),
    (
        "a pool's stride of 0, rounded up",
        r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": 2, "stride": 0, "ceil_mode": true}, "out": "y"}"#,
    ),
    (
        "a step of 0",
        r#"{"op": "slice", "args": {"input": "x", "starts": 0, "ends": 3, "steps": 0, "axes": 1}, "out": "y"}"#,
    ),
    ("a step of 0 by another name", r#"{"op": "extract", "args": {"input": "x", "stride": [1, 1, 0, 1]}, "out": "y"}"#),
    ("an empty range", r#"{"op": "slice", "args": {"input": "x", "starts": 2, "ends": 1, "axes": 1}, "out": "y"}"#),
    ("too many groups", r#"{"op": "conv", "args": {"input": "x", "weight": "w", "group": 2}, "out": "y"}"#),
    (
        "a bias of another length",
        r#"{"op": "conv", "args": {"input": "x", "weight": "w", "bias": "bias"}, "out": "y"}"#,
    ),
    ("a large kernel", r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": 9, "stride": 1}, "out": "y"}"#),
    ("PyTorch's function", r#"{"op": "conv2d", "args": {"input": "x", "weight": "w"}, "out": "y"}"#),
    ("PyTorch's module", r#"{"op": "nn.Linear", "args": {"input": "x"}, "out": "y"}"#),
    ("Keras's layer", r#"{"op": "LSTM", "args": {"input": "x"}, "out": "y"}"#),
    ("a misspelled function", r#"{"op": "sofmax", "args": {"input": "x", "axis": 1}, "out": "y"}"#),
    (
        "PyTorch's weights of a linear layer",
        r#"{"op": "matmul", "args": {"input": "rows", "right": "linear"}, "out": "y"}"#,
    ),
    (
        "a transposed weight that is none",
        r#"{"op": "matmul", "args": {"input": "rows", "right": "angles", "right_transpose": true}, "out": "y"}"#,
    ),
    ("one value per channel", r#"{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "channels"}, "out": "y"}"#),
    ("dtypes that differ", r#"{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "i"}, "out": "y"}"#),
    ("two numbers", r#"{"op": "add", "args": {"tensor_i0": 1, "tensor_i1": 2}, "out": "y"}"#),
    ("an integer plus a fraction", r#"{"op": "add", "args": {"tensor_i0": "n", "tensor_i1": 0.5}, "out": "y"}"#),
    ("an overflowing number", r#"{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": 1e39}, "out": "y"}"#),
    ("division by 0", r#"{"op": "div", "args": {"tensor_i0": "x", "tensor_i1": 0}, "out": "y"}"#),
    ("division of integers", r#"{"op": "div", "args": {"tensor_i0": "n", "tensor_i1": 2}, "out": "y"}"#),
    ("a shape of another size", r#"{"op": "reshape", "args": {"tensor": "x", "new_shape": [1, 190]}, "out": "y"}"#),
    ("two open dimensions", r#"{"op": "reshape", "args": {"tensor": "x", "new_shape": [-1, -1]}, "out": "y"}"#),
    ("an order of too few axes", r#"{"op": "permute", "args": {"input": "x", "order": [1, 0]}, "out": "y"}"#),
    ("an axis twice", r#"{"op": "permute", "args": {"input": "x", "order": [0, 1, 1, 2]}, "out": "y"}"#),
    ("another function's argument", r#"{"op": "exp", "args": {"tensor_i": "x"}, "out": "y"}"#),
    ("no axis", r#"{"op": "softmax", "args": {"input": "x"}, "out": "y"}"#),
    ("an axis out of range", r#"{"op": "softmax", "args": {"input": "x", "axis": 4}, "out": "y"}"#),
    ("PyTorch's dim", r#"{"op": "softmax", "args": {"input": "x", "dim": 1}, "out": "y"}"#),
    ("a joined axis by default", r#"{"op": "concat", "args": {"inputs": ["x", "x"]}, "out": "y"}"#),
    ("shapes that cannot be joined", r#"{"op": "concat", "args": {"inputs": ["x", "nhwc"], "axis": 1}, "out": "y"}"#),
    ("one joined tensor", r#"{"op": "concat", "args": {"inputs": ["x"], "axis": 1}, "out": "y"}"#),
    ("a tensor instead of a list", r#"{"op": "concat", "args": {"inputs": "x", "axis": 1}, "out": "y"}"#),
    ("unequal parts", r#"{"op": "split", "args": {"input": "x", "axis": 1, "num": 2}, "out": ["y", "z"]}"#),
    ("an axis that is not 1", r#"{"op": "squeeze", "args": {"tensor_i": "x", "axis": [1]}, "out": "y"}"#),
    ("a stride by default", r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": 2}, "out": "y"}"#),
    ("text instead of a number", r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": "2"}, "out": "y"}"#),
    ("a scale of another length", r#"{"op": "layer_norm", "args": {"input": "rows", "gamma": "bias"}, "out": "y"}"#),
    ("normalized axes by default", r#"{"op": "layer_norm", "args": {"input": "x"}, "out": "y"}"#),
    (
        "pairs by default",
        r#"{"op": "rope", "args": {"input": "heads", "weight0": "angles", "weight1": "angles", "is_permute_optimize": true}, "out": "y"}"#,
    ),
    ("an inverse root", r#"{"op": "rsqrt", "args": {"input": "x"}, "out": "y"}"#),
    ("a square filter", r#"{"op": "deconv", "args": {"input": "x", "weight": "square"}, "out": "y"}"#),
    ("limits exchanged", r#"{"op": "clamp", "args": {"input": "x", "min": 6, "max": 0}, "out": "y"}"#),
    ("padding of some axes", r#"{"op": "pad", "args": {"input": "x", "padding": [1, 1, 1, 1]}, "out": "y"}"#),
    ("more than there are", r#"{"op": "topk", "args": {"input": "x", "axis": 1, "k": 4}, "out": ["y", "z"]}"#),
    ("PyTorch's dtype", r#"{"op": "cast", "args": {"tensor_i": "x", "out_dtype": "torch.half"}, "out": "y"}"#),
    (
        "a dtype that no tensor has",
        r#"{"op": "cast", "args": {"tensor_i": "x", "out_dtype": "complex64"}, "out": "y"}"#,
    ),
    (
        "quantization in a float model",
        r#"{"op": "dequant_int_to_fp", "args": {"tensor_i": "i", "scale": 0.5, "offset": 0}, "out": "y"}"#,
    ),
    (
        "no scale",
        r#"{"op": "conv_quant", "args": {"input": "i", "weight": "w_int", "weight_scale": 1, "output_scale": 1}, "out": "y"}"#,
    ),
    ("floats in an integer function", r#"{"op": "conv_int", "args": {"input": "x", "weight": "w_int"}, "out": "y"}"#),
    ("a tensor in another case", r#"{"op": "relu", "args": {"input": "X"}, "out": "y"}"#),
    ("a misspelled tensor", r#"{"op": "add", "args": {"tensor_i0": "flags", "tensor_i1": "flgas"}, "out": "y"}"#),
    ("an unknown tensor", r#"{"op": "relu", "args": {"input": "image"}, "out": "y"}"#),
    (
        "an unknown tensor beside some others",
        r#"{"op": "conv", "args": {"input": "x", "weight": "w"}, "out": "h"}, {"op": "relu", "args": {"input": "image"}, "out": "y"}"#,
    ),
    ("its own output", r#"{"op": "relu", "args": {"input": "y"}, "out": "y"}"#),
    (
        "a tensor before it is computed",
        r#"{"op": "relu", "args": {"input": "z"}, "out": "y"}, {"op": "relu", "args": {"input": "x"}, "out": "z"}"#,
    ),
    (
        "a name twice",
        r#"{"op": "relu", "args": {"input": "x"}, "out": "y"}, {"op": "exp", "args": {"input": "x"}, "out": "y"}"#,
    ),
    (
        "an unread result",
        r#"{"op": "exp", "args": {"input": "x"}, "out": "h"}, {"op": "relu", "args": {"input": "x"}, "out": "y"}"#,
    ),
    ("a constant output", r#"{"op": "relu", "args": {"input": "bias"}, "out": "y"}"#),
    (
        "an operator that changes nothing",
        r#"{"op": "relu", "args": {"input": "x"}, "out": "h"}, {"op": "mul", "args": {"tensor_i0": "h", "tensor_i1": 1}, "out": "y"}"#,
    ),
    ("a copy", r#"{"op": "copy", "args": {"input": "x"}, "out": "y"}"#),
    ("inputs beside args", r#"{"op": "relu", "inputs": ["x"], "out": "y"}"#),
    ("arguments as text", r#"{"op": "relu", "args": "x", "out": "y"}"#),
    ("arguments as a list", r#"{"op": "relu", "args": ["x"], "out": "y"}"#),
    ("the output as an argument", r#"{"op": "relu", "args": {"input": "x", "out_name": "y"}}"#),
    ("no arguments", r#"{"op": "relu", "out": "y"}"#),
    ("two names for one output", r#"{"op": "relu", "args": {"input": "x"}, "out": ["y", "z"]}"#),
    (
        "one mistake that others follow from",
        r#"{"op": "reshape", "args": {"tensor": "x", "new_shape": [7]}, "out": "h"}, {"op": "exp", "args": {"input": "h"}, "out": "k"}, {"op": "add", "args": {"tensor_i0": "h", "tensor_i1": "k"}, "out": "y"}"#,
    ),
];

/// Changes of a valid spec: what is replaced, and by what.
const EDITS: &[(&str, &str, &str)] = &[
    ("an input as an output", r#""outputs": ["y"]"#, r#""outputs": ["x"]"#),
    ("an unknown output", r#""outputs": ["y"]"#, r#""outputs": ["out"]"#),
    ("no outputs", r#""outputs": ["y"]"#, r#""outputs": []"#),
    ("an output that is no list", r#""outputs": ["y"]"#, r#""outputs": "y""#),
    ("an input that is no list", r#""inputs": ["x"]"#, r#""inputs": "x""#),
    ("a name that is a number", r#""outputs": ["y"]"#, r#""outputs": [12]"#),
    ("an input that is not listed", r#""inputs": ["x"]"#, r#""inputs": []"#),
    ("an unknown input", r#""inputs": ["x"]"#, r#""inputs": ["x", "mask"]"#),
    ("an unused input", r#""inputs": ["x"]"#, r#""inputs": ["x", "mask"]; "mask": {"shape": [1]}"#),
    (
        "an unused weight",
        r#""inputs": ["x"]"#,
        r#""inputs": ["x"]; "mask": {"shape": [1], "coeff": true, "data": [0]}"#,
    ),
    ("PyTorch's dtype", r#"[1, 3, 8, 8]"#, r#"[1, 3, 8, 8], "dtype": "torch.float32""#),
    ("a dtype that is none", r#"[1, 3, 8, 8]"#, r#"[1, 3, 8, 8], "dtype": "decimal""#),
    ("an open dimension", r#"[1, 3, 8, 8]"#, r#"[-1, 3, 8, 8]"#),
    ("a dimension by name", r#"[1, 3, 8, 8]"#, r#"["batch", 3, 8, 8]"#),
    ("a shape as text", r#"[1, 3, 8, 8]"#, r#""1x3x8x8""#),
    ("a shape that is a number", r#"[1, 3, 8, 8]"#, "64"),
    ("a dimension with a fraction", r#"[1, 3, 8, 8]"#, "[1, 3, 8, 8.5]"),
    ("an empty shape", r#"[1, 3, 8, 8]"#, r#"[1, 0]"#),
    ("a scale of floats", r#"[1, 3, 8, 8]"#, r#"[1, 3, 8, 8], "scale": 0.5"#),
    ("a scale of 0", r#"[1, 3, 8, 8]"#, r#"[1, 3, 8, 8], "dtype": "int8", "scale": 0"#),
    ("a zero point out of range", r#"[1, 3, 8, 8]"#, r#"[1, 3, 8, 8], "dtype": "int8", "scale": 1, "zero_point": 128"#),
    ("data of an input", r#"[1, 3, 8, 8]"#, r#"[1], "data": [1]"#),
    ("weights that are missing", r#""version": 1,"#, r#""version": 1, "weights": "missing.npz","#),
    ("weights of an old PyTorch", r#""version": 1,"#, r#""version": 1, "weights": "net.pt","#),
    (
        "a weight of another shape",
        r#""inputs""#,
        r#""weights": "w.npz", "inputs"; "w": {"shape": [3, 4, 3, 3], "coeff": true}"#,
    ),
    (
        "a weight that is missing",
        r#""inputs""#,
        r#""weights": "w.npz", "inputs"; "weight": {"shape": [4], "coeff": true}"#,
    ),
    (
        "an unknown tensor beside weights",
        r#""inputs": ["x"]"#,
        r#""weights": "w.npz", "inputs": ["x"], "ops": [{"op": "conv", "args": {"input": "x", "weight": "filter"}, "out": "y"}]"#,
    ),
    ("unused arrays", r#""inputs""#, r#""weights": "w.npz", "inputs""#),
    (
        "NaN in a weight",
        r#""inputs": ["x"]"#,
        r#""inputs": ["x"], "ops": [{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "b"}, "out": "y"}]; "b": {"shape": [1], "coeff": true, "data": ["nan"]}"#,
    ),
    ("no version", r#""version": 1,"#, ""),
    ("another version", r#""version": 1,"#, r#""version": 3,"#),
    ("a path as a name", r#""name": "net""#, r#""name": "models/net""#),
    ("a mode that is none", r#""name": "net""#, r#""name": "net", "mode": "int8""#),
    ("a warning that is none", r#""name": "net""#, r#""name": "net", "allow": ["unused-inptu"]"#),
    ("an allowed warning that is no list", r#""name": "net""#, r#""name": "net", "allow": "unused-input""#),
    ("an unknown key", r#""name": "net""#, r#""name": "net", "layers": []"#),
    ("a key twice", r#""name": "net""#, r#""name": "net", "name": "net""#),
    ("single quotes", r#""name": "net""#, r#"'name': 'net'"#),
    ("Python's True", r#"[1, 3, 8, 8]"#, r#"[1, 3, 8, 8], "coeff": True"#),
    ("a tuple", r#"[1, 3, 8, 8]"#, r#"(1, 3, 8, 8)"#),
    ("an expression without quotes", r#"[1, 3, 8, 8]"#, r#"[${N}, 3, 8, 8]"#),
    ("curly quotes", r#""name": "net""#, "\"name\": \u{201c}net\u{201d}"),
    ("a list in braces", r#"[{"op""#, r#"{{"op""#),
    ("a number without a digit", r#""version": 1,"#, r#""version": .5,"#),
    ("a word without quotes", r#""version": 1,"#, r#""version": 1, "mode": f32,"#),
    ("a comma too many", r#""version": 1,"#, r#""version": 1,,"#),
    ("another format's key", r#""name": "net""#, r#""name": "net", "opset_import": 17"#),
    (
        "a mean for 0 to 1",
        r#"[1, 3, 8, 8]"#,
        r#"[1, 3, 8, 8], "preprocess": {"mean": [0.485, 0.456, 0.406], "scale": [4.4, 4.5, 4.4]}"#,
    ),
    (
        "a standard deviation as a scale",
        r#"[1, 3, 8, 8]"#,
        r#"[1, 3, 8, 8], "preprocess": {"mean": [123.7, 116.3, 103.5], "scale": [58.4, 57.1, 57.4]}"#,
    ),
    ("a comment that is not closed", r#""version": 1,"#, r#""version": 1, /* the network"#),
    ("a truncated file", r#""outputs": ["y"]"#, "TRUNCATED"),
];

/// Returns a spec with these calls.
fn spec(calls: &str) -> String {
    let tensors: Vec<_> = TENSORS.iter().filter(|(name, _)| calls.contains(&format!("\"{name}\""))).collect();
    let tensors = if tensors.is_empty() { TENSORS[..1].iter().collect() } else { tensors };
    let declared: Vec<String> = tensors.iter().map(|(name, declared)| format!("\"{name}\": {declared}")).collect();
    let inputs: Vec<String> =
        tensors.iter().filter(|(_, t)| !t.contains("coeff")).map(|(name, _)| format!("\"{name}\"")).collect();
    let outputs = if calls.contains("\"z\"]") { r#"["y", "z"]"# } else { r#"["y"]"# };
    format!(
        "{{\n  \"version\": 1,\n  \"name\": \"net\",\n  \"tensors\": {{{}}},\n  \"inputs\": [{}],\n  \"ops\": [{calls}],\n  \"outputs\": {outputs}\n}}\n",
        declared.join(", "),
        inputs.join(", ")
    )
}

/// Returns a valid spec with a change. What follows a semicolon is added to the tensors.
fn edited(from: &str, to: &str) -> String {
    let (to, tensor) = to.split_once("; ").map_or((to, None), |(to, tensor)| (to, Some(tensor)));
    let mut text = spec(r#"{"op": "relu", "args": {"input": "x"}, "out": "y"}"#);
    assert!(text.contains(from), "{from}");
    if to.contains("\"ops\"") {
        let (start, rest) = text.split_once("  \"ops\"").unwrap();
        text = format!("{start}{}", rest.split_once("],\n").unwrap().1);
    }
    let text = text.replacen(from, to, 1);
    let text = text.split("TRUNCATED").next().unwrap().to_owned();
    tensor.map_or(text.clone(), |tensor| text.replacen("\"tensors\": {", &format!("\"tensors\": {{{tensor}, "), 1))
}

/// Runs the command, and adds its one message to the table.
fn told(all: &mut String, dir: &Path, what: &str, args: &[&str]) {
    let here = |out: Output| {
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        text.replace(&format!("{}/", dir.display()), "").replace(&dir.display().to_string(), "FOLDER")
    };
    let text = here(tpulang(args));
    let messages = here(tpulang(&[args, &["--message-format", "json"]].concat()));
    let messages = messages.lines().filter(|line| line.starts_with('{')).count();
    assert_eq!(messages, 1, "{what}: expected one message\n{text}");
    let _ = writeln!(all, "# {what}\n{text}");
}

#[test]
fn every_mistake_in_a_spec_gets_one_message() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    write_npz(at("w.npz"), [("w", &Array::filled(Dtype::Float32, [4, 3, 3, 3], 1.0).unwrap())]).unwrap();
    fs::write(at("net.pt"), fs::read("tests/torch/old.pth").unwrap()).unwrap();
    let mut all = String::new();
    let calls = CALLS.iter().map(|(what, calls)| (*what, spec(calls), &["--no-weights"][..]));
    let edits = EDITS.iter().map(|(what, from, to)| (*what, edited(from, to), &[][..]));
    for (what, text, options) in calls.chain(edits) {
        fs::write(at("net.json"), text).unwrap();
        told(&mut all, dir.path(), what, &[&["check", &at("net.json")], options].concat());
    }
    snapshot("mistakes", &all);
}

#[test]
fn every_mistake_on_the_command_line_gets_one_message() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let (net, out) = (at("net.json"), at("out.npz"));
    fs::write(&net, spec(r#"{"op": "ln", "args": {"input": "x"}, "out": "y"}"#)).unwrap();
    let x = |shape: [usize; 4], value: f64| Array::filled(Dtype::Float32, shape, value).unwrap();
    write_npz(at("x.npz"), [("x", &x([1, 3, 8, 8], 1.0))]).unwrap();
    write_npz(at("negative.npz"), [("x", &x([1, 3, 8, 8], -1.0))]).unwrap();
    write_npz(at("other.npz"), [("image", &x([1, 3, 8, 8], 1.0))]).unwrap();
    write_npz(at("nhwc.npz"), [("x", &x([1, 8, 8, 3], 1.0))]).unwrap();
    write_npz(at("nan.npz"), [("x", &x([1, 3, 8, 8], f64::NAN))]).unwrap();
    write_npz(at("x2.npz"), [("x", &x([1, 3, 8, 8], 1.0))]).unwrap();
    write_npz(at("unnamed.npz"), [("arr_0", &x([1, 3, 8, 8], 1.0))]).unwrap();
    fs::write(at("empty.npz"), b"").unwrap();
    fs::write(at("net.onnx"), b"\x08\x08\x12\x07pytorch").unwrap();
    fs::write(at("net.bmodel"), b"\xee\xaa\x55\xff").unwrap();
    fs::write(at("net.mlir"), "module @net {\n}\n").unwrap();
    fs::write(at("cat.webp"), b"RIFF\0\0\0\0WEBP").unwrap();
    let run = |input: &str| vec!["run".to_owned(), net.clone(), "-i".into(), at(input), "-o".into(), out.clone()];
    let args = |all: &[&str]| all.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
    let mut all = String::new();
    for (what, args) in [
        ("an ONNX model", args(&["check", &at("net.onnx")])),
        ("weights as a model", args(&["check", &at("x.npz")])),
        ("a compiled model", args(&["run", &at("net.bmodel"), "-i", &at("x.npz"), "-o", &out])),
        ("a module to check", args(&["check", &at("net.mlir")])),
        ("a module to convert", args(&["convert", &at("net.mlir")])),
        ("a model that is missing", args(&["check", &at("nett.json")])),
        ("a folder as a model", args(&["check", &dir.path().display().to_string()])),
        ("no inputs", args(&["run", &net, "-o", &out])),
        ("an input of another name", run("other.npz")),
        ("an input in TensorFlow's order", run("nhwc.npz")),
        ("inputs that are missing", run("missing.npz")),
        ("an image of another format", run("cat.webp")),
        ("an input that is NaN", [run("nan.npz"), args(&["--allow", "not-finite-result"])].concat()),
        ("a result that is NaN", run("negative.npz")),
        ("results as text", args(&["run", &net, "-i", &at("x.npz"), "-o", &at("out.csv")])),
        ("results in place of the model", args(&["run", &net, "-i", &at("x.npz"), "-o", &net])),
        ("results in place of the inputs", args(&["run", &net, "-i", &at("x.npz"), "-o", &at("x.npz")])),
        ("an unknown operator on the CPU", [run("x.npz"), args(&["--on-cpu", "z"])].concat()),
        ("half precision on the CPU", [run("x.npz"), args(&["--precision", "f16"])].concat()),
        ("a parameter that there is none of", args(&["check", &net, "--param", "N=8"])),
        ("a file to compare that is missing", args(&["compare", &at("x.npz"), &at("y.npz")])),
        ("an unknown function", args(&["ops", "conv2d"])),
        ("inputs without names", run("unnamed.npz")),
        ("an empty file", run("empty.npz")),
        ("weights of a spec", [run("x.npz"), args(&["--weights", &at("x.npz")])].concat()),
        ("a file for a folder", args(&["convert", &net, "-o", &at("x.npz")])),
        ("inputs twice", [run("x.npz"), args(&["-i", &at("x2.npz")])].concat()),
        ("an exchanged renaming", args(&["compare", &at("x.npz"), &at("x2.npz"), "--rename", "image=x"])),
    ] {
        told(&mut all, dir.path(), what, &args.iter().map(String::as_str).collect::<Vec<_>>());
    }
    snapshot("mistakes_commands", &all);
}

#[test]
fn mistakes_in_options_get_tips() {
    let run = ["run", "net.json", "-i", "x.npz", "-o", "out.npz"];
    let mut all = String::new();
    for args in [
        &["check", "net.json", "-i", "x.npz"][..],
        &["convert", "net.json", "--chip", "bm1684x", "-o", "build"],
        &["convert", "net.json", "--model", "net.bmodel"],
        &["check", "net.json", "--model", "net.bmodel"],
        &["check", "net.json", "--frobnicate"],
        &[&run[..], &["-j", "-1"]].concat(),
        &[&run[..], &["--weight-budget", "1GB"]].concat(),
        &[&run[..], &["--profile", "json"]].concat(),
        &["show", "net.json", "--depth", "-1"],
        &["net.json"],
        &["net.onnx"],
        &["compile", "net.json"],
        &["chekc", "net.json"],
        &["rnu", "net.json"],
        &["deploy", "net.json", "-o", "net.bmodel", "--num_core", "2"],
    ] {
        let out = tpulang(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        let text = text.split("\nUsage:").next().unwrap_or(&text).trim_end();
        let _ = writeln!(all, "$ tpulang {}\n{text}\n", args.join(" "));
    }
    snapshot("mistakes_options", &all);
}

/// An option that would change nothing is an error.
#[test]
fn options_without_effect_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.npz").display().to_string();
    let spec = "examples/patterns/patterns.json";
    let emulated = ["run", spec, "--random", "0", "-o", &out, "--calibration", "net.table"];
    for (args, expected) in [
        (&["bisect", spec, "--with", "r.npz", "--quantize", "INT8"][..], "cannot be used with"),
        (&["bisect", spec, "--with", "r.npz", "--chip", "bm1688"], "cannot be used with"),
        (&["bisect", spec, "--device", "cuda", "--calibration", "none.table"], "--stage <STAGE>"),
        (&["compare", "a.npz", "b.npz", "--param", "N=3"], "--model <FILE>"),
        (&["compare", "a.npz", "b.npz", "--weights", "w.npz"], "--model <FILE>"),
        (&["compare", "a.npz", "b.npz", "--json", "--worst", "1"], "cannot be used with"),
        (&["check", spec, "--data-anywhere"], "--data-anywhere is for ONNX models; "),
        (&["run", spec, "--explain", "--profile"], "cannot be used with"),
        (&[&emulated[..], &["--precision", "f16"]].concat(), "cannot be used with"),
        (&[&emulated[..], &["--tf32"]].concat(), "cannot be used with"),
        (&[&emulated[..], &["--strict"]].concat(), "cannot be used with"),
        (&[&emulated[..], &["--max-iterations", "1"]].concat(), "cannot be used with"),
    ] {
        let text = shown(args);
        assert!(text.contains(expected) && text.ends_with("[exit 2]\n"), "{text}");
    }
}
