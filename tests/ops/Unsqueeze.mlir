// The axes are places in the result.
// input x = [[1, 2, 3], [4, 5, 6]]
// expect first = [[[1, 2, 3], [4, 5, 6]]]
// expect middle = [[[1, 2, 3]], [[4, 5, 6]]]
module @places attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<1x2x3xf32>, tensor<2x1x3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Unsqueeze"(%0) {axes = [0]} : (tensor<2x3xf32>) -> tensor<1x2x3xf32> loc("first")
    %2 = "top.Unsqueeze"(%0) {axes = [1]} : (tensor<2x3xf32>) -> tensor<2x1x3xf32> loc("middle")
    return %1, %2 : tensor<1x2x3xf32>, tensor<2x1x3xf32>
  }
}

// -----

// At both ends; -1 is the last axis of the result.
// input x = [1, 2]
// expect y = [[[1], [2]]]
module @several attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<1x2x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1 = "top.Unsqueeze"(%0) {axes = [0, -1]} : (tensor<2xf32>) -> tensor<1x2x1xf32> loc("y")
    return %1 : tensor<1x2x1xf32>
  }
}

// -----

// Numbers stay as they are stored.
// input x = [-128, 127]
// expect y = [[-128], [127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Unsqueeze"(%0) {axes = [1]} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>
  }
}
