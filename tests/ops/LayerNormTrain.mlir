// The last axis: means 2 and 4, deviations 1 and 4. What is called the variance is one over the deviation.
// input x = [[[1, 3], [0, 8]]]
// weight w = [1, 2]
// weight b = [0, 10]
// expect y = [[[-1, 12], [-1, 12]]]
// expect m = [[[2], [4]]]
// expect rstd = [[[1], [0.25]]]
module @last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %3:3 = "top.LayerNormTrain"(%0, %1, %2) {axis = -1 : si32, eps = 0.0 : f64, normalized_shape = [2]}
      : (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) loc(fused["y", "m", "rstd"])
    return %3#0, %3#1, %3#2 : tensor<1x2x2xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
  }
}

// -----

// Two axes at once, of another rank than three: each that is normalized leaves one entry, as in PyTorch.
// input x = [[[[1, 3], [1, 3]]], [[[0, 8], [8, 0]]]]
// expect y = [[[[-1, 1], [-1, 1]]], [[[-1, 1], [1, -1]]]]
// expect m = [[[[2]]], [[[4]]]]
// expect rstd = [[[[1]]], [[[0.25]]]]
module @two_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x2x2xf32>) -> (tensor<2x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x1x2x2xf32>) -> tensor<2x1x2x2xf32> loc("x")
    %2:3 = "top.LayerNormTrain"(%1, %0, %0) {axis = 2 : si32, eps = 0.0 : f64, normalized_shape = [2, 2]}
      : (tensor<2x1x2x2xf32>, none, none) -> (tensor<2x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) loc(fused["y", "m", "rstd"])
    return %2#0, %2#1, %2#2 : tensor<2x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>
  }
}
