// What follows column 1 comes first.
// input x = [[0, 1, 2], [3, 4, 5]]
// expect y = [[1, 2, 0], [4, 5, 3]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.SwapDimInner"(%0) {offset = [0, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %1 : tensor<2x3xf32>
  }
}

// -----

// Axes 0 and 2 are turned.
// input x = [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11], [12, 13, 14, 15]], [[16, 17, 18, 19], [20, 21, 22, 23]]]
// expect y = [[[11, 8, 9, 10], [15, 12, 13, 14]], [[19, 16, 17, 18], [23, 20, 21, 22]], [[3, 0, 1, 2], [7, 4, 5, 6]]]
module @several attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2x4xf32>) -> tensor<3x2x4xf32> loc("x")
    %1 = "top.SwapDimInner"(%0) {offset = [1, 0, 3]} : (tensor<3x2x4xf32>) -> tensor<3x2x4xf32> loc("y")
    return %1 : tensor<3x2x4xf32>
  }
}
