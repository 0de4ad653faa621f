// Six numbers in a row, or three pairs.
// input x = [[1, 2, 3], [4, 5, 6]]
// expect row = [1, 2, 3, 4, 5, 6]
// expect pairs = [[1, 2], [3, 4], [5, 6]]
module @flat attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Reshape"(%0) {shape = [6]} : (tensor<2x3xf32>) -> tensor<6xf32> loc("row")
    %2 = "top.Reshape"(%0) {shape = [3, 2]} : (tensor<2x3xf32>) -> tensor<3x2xf32> loc("pairs")
    return %1, %2 : tensor<6xf32>, tensor<3x2xf32>
  }
}

// -----

// 0 keeps the dimension of the input, -1 is what is left.
// input x = [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]
// expect a = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
// expect b = [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]
module @zero_and_minus_one attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x3xf32>) -> (tensor<2x6xf32>, tensor<3x2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32> loc("x")
    %1 = "top.Reshape"(%0) {shape = [0, -1]} : (tensor<2x2x3xf32>) -> tensor<2x6xf32> loc("a")
    %2 = "top.Reshape"(%0) {shape = [-1, 0, 2]} : (tensor<2x2x3xf32>) -> tensor<3x2x2xf32> loc("b")
    return %1, %2 : tensor<2x6xf32>, tensor<3x2x2xf32>
  }
}

// -----

// Axes of 1 come and go.
// input x = [[[1], [2]]]
// expect y = [[[[1]]], [[[2]]]]
module @ones attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1xf32>) -> tensor<2x1x1x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32> loc("x")
    %1 = "top.Reshape"(%0) {shape = [2, 1, 1, 1]} : (tensor<1x2x1xf32>) -> tensor<2x1x1x1xf32> loc("y")
    return %1 : tensor<2x1x1x1xf32>
  }
}

// -----

// Numbers stay as they are stored.
// input x = [-128, 0, 3, 127]
// expect y = [[-128, 0], [3, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Reshape"(%0) {shape = [2, -1]} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  }
}
