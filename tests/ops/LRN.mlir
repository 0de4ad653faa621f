// Three neighbors: 1 + 3 / 3 times 1 + 4, 1 + 4 + 16, 4 + 16.
// input x = [[[1], [2], [4]]]
// expect y = [[[0.16666667], [0.090909091], [0.19047619]]]
module @three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x1xf32>) -> tensor<1x3x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("x")
    %1 = "top.LRN"(%0) {alpha = 3.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("y")
    return %1 : tensor<1x3x1xf32>
  }
}

// -----

// Two neighbors are the channel itself and the next; the root of 0 + 2 / 2 times the sum.
// input x = [[[3, 0], [4, 5]]]
// expect y = [[[0.6, 0], [1, 1]]]
module @two attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.LRN"(%0) {alpha = 2.0 : f64, beta = 0.5 : f64, bias = 0.0 : f64, size = 2 : i64} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %1 : tensor<1x2x2xf32>
  }
}
