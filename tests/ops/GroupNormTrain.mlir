// Two groups of two channels: means 2 and 6, deviations 1 and 4.
// input x = [[[1], [3], [2], [10]]]
// expect y = [[[-1], [1], [-1], [1]]]
// expect m = [[2, 6]]
// expect rstd = [[1, 0.25]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x1xf32>) -> (tensor<1x4x1xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32> loc("x")
    %2:3 = "top.GroupNormTrain"(%1, %0, %0) {eps = 0.0 : f64, num_groups = 2 : i64}
      : (tensor<1x4x1xf32>, none, none) -> (tensor<1x4x1xf32>, tensor<1x2xf32>, tensor<1x2xf32>) loc(fused["y", "m", "rstd"])
    return %2#0, %2#1, %2#2 : tensor<1x4x1xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  }
}

// -----

// One group in each image; a weight and a bias for each channel.
// input x = [[[1, 3], [1, 3]], [[0, 0], [8, 8]]]
// weight w = [2, 3]
// weight b = [10, 100]
// expect y = [[[8, 12], [97, 103]], [[8, 8], [103, 103]]]
// expect m = [[2], [4]]
// expect rstd = [[1], [0.25]]
module @weight_and_bias attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %3:3 = "top.GroupNormTrain"(%0, %1, %2) {eps = 0.0 : f64, num_groups = 1 : i64}
      : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>) loc(fused["y", "m", "rstd"])
    return %3#0, %3#1, %3#2 : tensor<2x2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>
  }
}
