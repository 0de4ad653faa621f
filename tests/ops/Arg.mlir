// Index and value of the largest of each row; of equal ones the last.
// input x = [[1, 4, 2], [3, -1, 3]]
// expect i = [[1], [2]]
// expect v = [[4], [3]]
module @largest attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1:2 = "top.Arg"(%0) {axis = 1 : i64, keepdims = true, mode = "ArgMax"} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) loc(fused["i", "v"])
    return %1#0, %1#1 : tensor<2x1xf32>, tensor<2x1xf32>
  }
}

// -----

// Of equal ones the first, where select_last_index is false; the axis is dropped.
// input x = [[1, 4, 2], [3, -1, 3]]
// expect i = [1, 0]
// expect v = [4, 3]
module @first attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2xsi32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1:2 = "top.Arg"(%0) {axis = -1 : i64, keepdims = false, mode = "ArgMax", select_last_index = false} : (tensor<2x3xf32>) -> (tensor<2xsi32>, tensor<2xf32>) loc(fused["i", "v"])
    return %1#0, %1#1 : tensor<2xsi32>, tensor<2xf32>
  }
}

// -----

// The smallest along axis 0, without values.
// input x = [[5, 1], [2, 6], [7, 0]]
// expect i = [[1, 2]]
module @smallest_of_columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>) -> tensor<1x2xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1:2 = "top.Arg"(%0) {axis = 0 : i64, keepdims = true, mode = "ArgMin"} : (tensor<3x2xf32>) -> (tensor<1x2xsi32>, none) loc("i")
    return %1#0 : tensor<1x2xsi32>
  }
}

// -----

// NaN is larger than infinity.
// input x = ["inf", "nan", 1]
// expect i = [1]
// expect v = ["nan"]
module @not_a_number attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<1xsi32>, tensor<1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1:2 = "top.Arg"(%0) {axis = 0 : i64, keepdims = true, mode = "ArgMax"} : (tensor<3xf32>) -> (tensor<1xsi32>, tensor<1xf32>) loc(fused["i", "v"])
    return %1#0, %1#1 : tensor<1xsi32>, tensor<1xf32>
  }
}

// -----

// Quantized entries stay as they are stored.
// input x = [[-3, 100, 7]]
// expect i = [[0]]
// expect v = [[-3]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x1xsi32>, tensor<1x1x!quant.uniform<i8:f32, 0.5:3>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.Arg"(%0) {axis = 1 : i64, keepdims = true, mode = "ArgMin"} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x1xsi32>, tensor<1x1x!quant.uniform<i8:f32, 0.5:3>>) loc(fused["i", "v"])
    return %1#0, %1#1 : tensor<1x1xsi32>, tensor<1x1x!quant.uniform<i8:f32, 0.5:3>>
  }
}
