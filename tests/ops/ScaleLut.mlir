// Each channel has a scale and a bias. Halves are rounded up, and what is too large is the largest.
// input x = [[[[0, 3, 255]], [[1, 2, 250]]]]
// expect y = [[[[-1, 0, 126]], [[0, -1, -125]]]]
module @bytes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x3xui8>) -> tensor<1x2x1x3xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x3xui8>) -> tensor<1x2x1x3xui8> loc("x")
    %1 = "top.ScaleLut"(%0) {bias = [-1.5 : f64, 0.0 : f64], scale = [0.5 : f64, -0.5 : f64], sign = true}
      : (tensor<1x2x1x3xui8>) -> tensor<1x2x1x3xsi8> loc("y")
    return %1 : tensor<1x2x1x3xsi8>
  }
}

// -----

// Floats are not rounded.
// input x = [[[1, 2]]]
// expect y = [[[0.75, 1.25]]]
module @floats attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("x")
    %1 = "top.ScaleLut"(%0) {bias = [0.25 : f64], scale = [0.5 : f64]} : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("y")
    return %1 : tensor<1x1x2xf32>
  }
}
