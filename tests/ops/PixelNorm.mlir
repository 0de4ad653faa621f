// Over the channels at each position: 1 and 3, 2 and 10; means 2 and 6, deviations 1 and 4.
// input x = [[[1, 2], [3, 10]]]
// expect y = [[[-1, -1], [1, 1]]]
module @positions attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %2 = "top.PixelNorm"(%1, %0, %0) {eps = 0.0 : f64} : (tensor<1x2x2xf32>, none, none) -> tensor<1x2x2xf32> loc("y")
    return %2 : tensor<1x2x2xf32>
  }
}

// -----

// The variance is 4, with the epsilon 16: divided by 4; then a weight and a bias for each channel. Two images.
// input x = [[[0], [4]], [[4], [0]]]
// weight w = [[[2], [4]]]
// weight b = [[[10], [100]]]
// expect y = [[[9], [102]], [[11], [98]]]
module @weight_and_bias attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1xf32>) -> tensor<2x2x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x2x1xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<1x2x1xf32> loc("b")
    %3 = "top.PixelNorm"(%0, %1, %2) {eps = 12.0 : f64} : (tensor<2x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<2x2x1xf32> loc("y")
    return %3 : tensor<2x2x1xf32>
  }
}
