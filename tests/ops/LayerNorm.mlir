// Each row less its mean, over its standard deviation: means 2 and 6, deviations 1 and 4.
// input x = [[1, 3], [2, 10]]
// expect y = [[-1, 1], [-1, 1]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %2 = "top.LayerNorm"(%1, %0, %0) {axis = 1 : si32, eps = 0.0 : f64, normalized_shape = [2]} : (tensor<2x2xf32>, none, none) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// The rows as they are normalized, -1 and 1, times the weight, plus the bias.
// input x = [[1, 3, 1, 3], [0, 0, 8, 8]]
// weight w = [1, 2, 3, 4]
// weight b = [0, 10, 0, 100]
// expect y = [[-1, 12, -3, 104], [-1, 8, 3, 104]]
module @weight_and_bias attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<4xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<4xf32> loc("b")
    %3 = "top.LayerNorm"(%0, %1, %2) {axis = -1 : si32, eps = 0.0 : f64, normalized_shape = [4]} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> tensor<2x4xf32> loc("y")
    return %3 : tensor<2x4xf32>
  }
}

// -----

// Over axis 1 and all that follow; no weight, but a bias in the shape of those axes.
// input x = [[[0, 0], [4, 4]], [[1, 3], [3, 1]]]
// weight b = [[0, 1], [2, 3]]
// expect y = [[[-1, 0], [3, 4]], [[-1, 2], [3, 2]]]
module @several_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x2xf32> loc("b")
    %3 = "top.LayerNorm"(%1, %0, %2) {axis = 1 : si32, eps = 0.0 : f64, normalized_shape = [2, 2]} : (tensor<2x2x2xf32>, none, tensor<2x2xf32>)
      -> tensor<2x2x2xf32> loc("y")
    return %3 : tensor<2x2x2xf32>
  }
}

// -----

// The variance is 4, with the epsilon 9: divided by 3. A row of equal numbers becomes 0.
// input x = [[0, 4], [7, 7]]
// expect y = [[-0.66666667, 0.66666667], [0, 0]]
module @epsilon attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %2 = "top.LayerNorm"(%1, %0, %0) {axis = 1 : si32, eps = 5.0 : f64, normalized_shape = [2]} : (tensor<2x2xf32>, none, none) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}
