// Each channel of each image by itself: means 2, 6, 5, 0, deviations 1, 4, 0 (with the epsilon 1e-10) and 3.
// input x = [[[1, 3], [2, 10]], [[5, 5], [-3, 3]]]
// expect y = [[[-1, 1], [-1, 1]], [[0, 0], [-1, 1]]]
module @channels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %2 = "top.InstanceNorm"(%1, %0, %0) {eps = 1.0e-10 : f64} : (tensor<2x2x2xf32>, none, none) -> tensor<2x2x2xf32> loc("y")
    return %2 : tensor<2x2x2xf32>
  }
}

// -----

// Times the weight, plus the bias of the channel.
// input x = [[[[1, 3]], [[2, 10]]]]
// weight w = [2, 3]
// weight b = [10, 100]
// expect y = [[[[8, 12]], [[97, 103]]]]
module @weight_and_bias attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %3 = "top.InstanceNorm"(%0, %1, %2) {eps = 0.0 : f64} : (tensor<1x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x1x2xf32> loc("y")
    return %3 : tensor<1x2x1x2xf32>
  }
}
