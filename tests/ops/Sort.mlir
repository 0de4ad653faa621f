// The largest first; of equal ones the first stands first.
// input x = [[3, 1, 2], [-1, 0, -1]]
// expect v = [[3, 2, 1], [0, -1, -1]]
// expect i = [[0, 2, 1], [1, 0, 2]]
module @descending attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1:2 = "top.Sort"(%0) {axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<2x3xf32>, tensor<2x3xsi32>
  }
}

// -----

// Along the first axis, counted from the end, the smallest first.
// input x = [[3, 1, 2], [-1, 0, -1]]
// expect v = [[-1, 0, -1], [3, 1, 2]]
// expect i = [[1, 1, 1], [0, 0, 0]]
module @ascending attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1:2 = "top.Sort"(%0) {axis = -2 : i64, descending = false} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<2x3xf32>, tensor<2x3xsi32>
  }
}

// -----

// Without values. NaN is larger than all numbers.
// input x = [1, "nan", "-inf", 2]
// expect i = [2, 0, 3, 1]
module @indices_alone attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1:2 = "top.Sort"(%0) {axis = 0 : i64, descending = false} : (tensor<4xf32>) -> (none, tensor<4xsi32>) loc("i")
    return %1#1 : tensor<4xsi32>
  }
}

// -----

// The values have a scale of their own: real values -3, 1 and 2.
// input x = [[-3, 5, 7]]
// expect v = [[8, 4, -12]]
// expect i = [[2, 1, 0]]
module @requantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x3x!quant.uniform<i8:f32, 0.25>>, tensor<1x3xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.Sort"(%0) {axis = 1 : i64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x3x!quant.uniform<i8:f32, 0.25>>, tensor<1x3xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<1x3x!quant.uniform<i8:f32, 0.25>>, tensor<1x3xsi32>
  }
}
