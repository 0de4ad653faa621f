// Below 0 becomes 0; without a limit nothing is capped; NaN passes through.
// input x = [[-1.5, 0, 2, "nan"]]
// expect y = [[0, 0, 2, "nan"]]
module @relu attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("x")
    %1 = "top.Relu"(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
    return %1 : tensor<1x4xf32>
  }
}
// -----
// A positive limit caps.
// input x = [[-1, 5, 6, 7]]
// expect y = [[0, 5, 6, 6]]
module @relu6 attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("x")
    %1 = "top.Relu"(%0) {relu_limit = 6.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
    return %1 : tensor<1x4xf32>
  }
}
