// Axes of 1 become longer, one comes in front.
// input x = [[[0], [1], [2]]]
// expect y = [[[[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]], [[[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x1xf32>) -> tensor<2x2x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("x")
    %1 = "top.Expand"(%0) {shape = [2, 2, 3, 2]} : (tensor<1x3x1xf32>) -> tensor<2x2x3x2xf32> loc("y")
    return %1 : tensor<2x2x3x2xf32>
  }
}

// -----

// 1 and -1 keep a dimension.
// input x = [[[0], [1], [2]]]
// expect y = [[[0, 0], [1, 1], [2, 2]]]
module @kept attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x1xf32>) -> tensor<1x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("x")
    %1 = "top.Expand"(%0) {shape = [-1, 1, 2]} : (tensor<1x3x1xf32>) -> tensor<1x3x2xf32> loc("y")
    return %1 : tensor<1x3x2xf32>
  }
}

// -----

// The shape from a coefficient.
// input x = [[[0], [1], [2]]]
// weight n = [2, 3, 1]
// expect y = [[[0], [1], [2]], [[0], [1], [2]]]
module @by_a_tensor attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x1xf32>) -> tensor<2x3x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3xsi32> loc("n")
    %2 = "top.Expand"(%0, %1) : (tensor<1x3x1xf32>, tensor<3xsi32>) -> tensor<2x3x1xf32> loc("y")
    return %2 : tensor<2x3x1xf32>
  }
}
