// The lengths of 3, 4 and 0, -5 are 5; each channel has a scale.
// input x = [[[3, 0], [4, -5]]]
// weight s = [[10, 100]]
// expect y = [[[6, 0], [80, -100]]]
module @over_channels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x2xf32> loc("s")
    %2 = "top.Normalize"(%0, %1) {channel_shared = false} : (tensor<1x2x2xf32>, tensor<1x2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %2 : tensor<1x2x2xf32>
  }
}

// -----

// The length of 1, 1, 1, 1 is 2; each image has its own.
// input x = [[[1, 1], [1, -1]], [[0, 0], [0, 3]]]
// weight s = [[4, 4]]
// expect y = [[[2, 2], [2, -2]], [[0, 0], [0, 4]]]
module @across_spatial attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x2xf32> loc("s")
    %2 = "top.Normalize"(%0, %1) {across_spatial = true} : (tensor<2x2x2xf32>, tensor<1x2xf32>) -> tensor<2x2x2xf32> loc("y")
    return %2 : tensor<2x2x2xf32>
  }
}
