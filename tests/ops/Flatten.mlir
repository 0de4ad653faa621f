// All axes.
// input x = [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
// expect y = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
module @all attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x2xf32>) -> tensor<12xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32> loc("x")
    %1 = "top.Flatten"(%0) : (tensor<2x3x2xf32>) -> tensor<12xf32> loc("y")
    return %1 : tensor<12xf32>
  }
}

// -----

// Axes 1 to the last.
// input x = [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
// expect y = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
module @some attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x2xf32>) -> tensor<2x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32> loc("x")
    %1 = "top.Flatten"(%0) {end_dim = -1 : i64, start_dim = 1 : i64} : (tensor<2x3x2xf32>) -> tensor<2x6xf32> loc("y")
    return %1 : tensor<2x6xf32>
  }
}
