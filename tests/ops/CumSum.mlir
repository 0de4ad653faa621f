// Along the last axis.
// input x = [[1, 2, 3], [-1, 0.5, 0.25]]
// expect y = [[1, 3, 6], [-1, -0.5, -0.25]]
module @last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.CumSum"(%0, %1) {axis = 1 : i64} : (tensor<2x3xf32>, none) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// Along the first, counted from the end.
// input x = [[1, 2, 3], [-1, 0.5, "nan"]]
// expect y = [[1, 2, 3], [0, 2.5, "nan"]]
module @first attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.CumSum"(%0, %1) {axis = -2 : i64} : (tensor<2x3xf32>, none) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// Integers are summed exactly, and saturate where they are stored.
// input x = [16777216, 1, 2147483647, -2147483647]
// expect y = [16777216, 16777217, 2147483647, 16777217]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi32>) -> tensor<4xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<4xsi32>) -> tensor<4xsi32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.CumSum"(%0, %1) {axis = 0 : i64} : (tensor<4xsi32>, none) -> tensor<4xsi32> loc("y")
    return %2 : tensor<4xsi32>
  }
}

// -----

// What the numbers mean is summed: 1/2, 1 and 3/2 (stored with 1 added to twice the number).
// input x = [[2, 2, 2]]
// expect y = [[2, 3, 4]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.CumSum"(%0, %1) {axis = 1 : i64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>, none) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("y")
    return %2 : tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>
  }
}
