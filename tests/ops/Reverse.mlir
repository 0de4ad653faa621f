// Rows in the opposite order.
// input x = [[0, 1, 2], [3, 4, 5]]
// expect y = [[3, 4, 5], [0, 1, 2]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Reverse"(%0) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %1 : tensor<2x3xf32>
  }
}

// -----

// Columns, the axis counted from the end.
// input x = [[0, 1, 2], [3, 4, 5]]
// expect y = [[2, 1, 0], [5, 4, 3]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Reverse"(%0) {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %1 : tensor<2x3xf32>
  }
}
