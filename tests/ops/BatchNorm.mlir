// Two channels. With an epsilon of 1 the roots are 2 and 3: (x - 1) / 2 * 4 + 10 and (x - 5) / 3 * 6 - 1.
// input x = [[[1, 3], [5, 8]]]
// weight mean = [1, 5]
// weight variance = [3, 8]
// weight gamma = [4, 6]
// weight beta = [10, -1]
// expect y = [[[10, 14], [-1, 5]]]
module @gamma_and_beta attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("mean")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("variance")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("gamma")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("beta")
    %5 = "top.BatchNorm"(%0, %1, %2, %3, %4) {epsilon = 1.0 : f64} : (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> tensor<1x2x2xf32> loc("y")
    return %5 : tensor<1x2x2xf32>
  }
}

// -----

// Without gamma and beta they are 1 and 0. Axis 1 is the channel whatever follows it.
// input x = [[1, 2, 3], [5, -2, 7]]
// weight mean = [1, 0, -1]
// weight variance = [4, 1, 16]
// expect y = [[0, 2, 1], [2, -2, 2]]
module @neither attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<3xf32> loc("mean")
    %3 = "top.Weight"() : () -> tensor<3xf32> loc("variance")
    %4 = "top.BatchNorm"(%1, %2, %3, %0, %0) {epsilon = 0.0 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, none, none) -> tensor<2x3xf32> loc("y")
    return %4 : tensor<2x3xf32>
  }
}

// -----

// Without an epsilon it is 1e-5, which matters where the variance is 0: x is multiplied by 1 / sqrt(1e-5) = 316.22777.
// input x = [[[[0, 1], [2, -1]]]]
// weight mean = [0]
// weight variance = [0]
// weight beta = [5]
// expect y = [[[[5, 321.22777], [637.45553, -311.22777]]]]
module @small_variance attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1xf32> loc("mean")
    %3 = "top.Weight"() : () -> tensor<1xf32> loc("variance")
    %4 = "top.Weight"() : () -> tensor<1xf32> loc("beta")
    %5 = "top.BatchNorm"(%1, %2, %3, %0, %4) : (tensor<1x1x2x2xf32>, tensor<1xf32>, tensor<1xf32>, none, tensor<1xf32>) -> tensor<1x1x2x2xf32> loc("y")
    return %5 : tensor<1x1x2x2xf32>
  }
}

// -----

// What becomes negative is 0, what exceeds 6 is 6.
// input x = [[[[-2, 1, 4]], [[-2, 1, 4]]]]
// weight mean = [0, 1]
// weight variance = [1, 4]
// weight gamma = [2, -2]
// expect y = [[[[0, 2, 6]], [[3, 0, 0]]]]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("mean")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("variance")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("gamma")
    %5 = "top.BatchNorm"(%1, %2, %3, %4, %0) {do_relu = true, epsilon = 0.0 : f64, relu_limit = 6.0 : f64}
      : (tensor<1x2x1x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, none) -> tensor<1x2x1x3xf32> loc("y")
    return %5 : tensor<1x2x1x3xf32>
  }
}
