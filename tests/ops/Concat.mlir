// Along axis 1, which stands for one not given.
// input a = [[1], [2]]
// input b = [[10, 11, 12], [20, 21, 22]]
// expect y = [[1, 10, 11, 12], [2, 20, 21, 22]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("b")
    %2 = "top.Concat"(%0, %1) : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x4xf32> loc("y")
    return %2 : tensor<2x4xf32>
  }
}

// -----

// Three tensors along the first axis; a tensor may come twice.
// input a = [[1, 2]]
// input b = [[3, 4], [5, 6]]
// expect y = [[1, 2], [3, 4], [5, 6], [1, 2]]
module @three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<4x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("b")
    %2 = "top.Concat"(%0, %1, %0) {axis = 0 : si32} : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<4x2xf32> loc("y")
    return %2 : tensor<4x2xf32>
  }
}

// -----

// The last axis, counted from the end.
// input a = [[[1], [2]]]
// input b = [[[3, 4], [5, 6]]]
// expect y = [[[1, 3, 4], [2, 5, 6]]]
module @negative_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1xf32>, %arg1: tensor<1x2x2xf32>) -> tensor<1x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("b")
    %2 = "top.Concat"(%0, %1) {axis = -1 : si32} : (tensor<1x2x1xf32>, tensor<1x2x2xf32>) -> tensor<1x2x3xf32> loc("y")
    return %2 : tensor<1x2x3xf32>
  }
}

// -----

// Of what is joined, the Relu keeps what lies between 0 and 4.
// input a = [[-1, 3]]
// input b = [[5, -7]]
// expect y = [[0, 3, 4, 0]]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2xf32>, %arg1: tensor<1x2xf32>) -> tensor<1x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("b")
    %2 = "top.Concat"(%0, %1) {do_relu = true, relu_limit = 4.0 : f64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32> loc("y")
    return %2 : tensor<1x4xf32>
  }
}

// -----

// The Relu of integers.
// input a = [[-1, 3]]
// input b = [[5, -7]]
// expect y = [[0, 3, 4, 0]]
module @relu_of_integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2xsi8>, %arg1: tensor<1x2xsi8>) -> tensor<1x4xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("b")
    %2 = "top.Concat"(%0, %1) {do_relu = true, relu_limit = 4.0 : f64} : (tensor<1x2xsi8>, tensor<1x2xsi8>) -> tensor<1x4xsi8> loc("y")
    return %2 : tensor<1x4xsi8>
  }
}

// -----

// The Relu of integers that float32 does not represent.
// input a = [[-1, 16777217]]
// input b = [[5, -7]]
// expect y = [[0, 16777217, 5, 0]]
module @relu_of_large_integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2xsi32>, %arg1: tensor<1x2xsi32>) -> tensor<1x4xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xsi32>) -> tensor<1x2xsi32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2xsi32>) -> tensor<1x2xsi32> loc("b")
    %2 = "top.Concat"(%0, %1) {do_relu = true} : (tensor<1x2xsi32>, tensor<1x2xsi32>) -> tensor<1x4xsi32> loc("y")
    return %2 : tensor<1x4xsi32>
  }
}

// -----

// The Relu of quantized numbers: a is -0.5 and 1, b is -1 and 3; 0 is stored as 10.
// input a = [[-2, 4]]
// input b = [[-2, 6]]
// expect y = [[10, 12, 10, 14]]
module @relu_of_quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 0.25>>, %arg1: tensor<1x2x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:10>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.25>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5>> loc("b")
    %2 = "top.Concat"(%0, %1) {do_relu = true, relu_limit = 2.0 : f64} : (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:10>> loc("y")
    return %2 : tensor<1x4x!quant.uniform<i8:f32, 0.5:10>>
  }
}

// -----

// Brought to the scale of the result, halves from 10: a is 0.5 and 1, b is 1.5 and 3.
// input a = [[2, 4]]
// input b = [[3, 6]]
// expect y = [[11, 12, 13, 16]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 0.25>>, %arg1: tensor<1x2x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:10>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.25>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5>> loc("b")
    %2 = "top.Concat"(%0, %1) : (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:10>> loc("y")
    return %2 : tensor<1x4x!quant.uniform<i8:f32, 0.5:10>>
  }
}

// -----

// A zero point of an operand counts too: b is 1 and 2.5.
// input a = [[2, 4]]
// input b = [[3, 6]]
// expect y = [[11, 12, 12, 15]]
module @zero_points attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 0.25>>, %arg1: tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:10>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.25>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>> loc("b")
    %2 = "top.Concat"(%0, %1) : (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:10>> loc("y")
    return %2 : tensor<1x4x!quant.uniform<i8:f32, 0.5:10>>
  }
}
