// Halves of a line of four; all of it.
// input x = [[[1, 3, 5, 9]]]
// expect halves = [[[2, 7]]]
// expect whole = [[[4.5]]]
module @even attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32> loc("x")
    %1 = "top.AdaptiveAvgPool"(%0) {output_size = [2]} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32> loc("halves")
    %2 = "top.AdaptiveAvgPool"(%0) {output_size = [1]} : (tensor<1x1x4xf32>) -> tensor<1x1x1xf32> loc("whole")
    return %1, %2 : tensor<1x1x2xf32>, tensor<1x1x1xf32>
  }
}

// -----

// Five columns in three windows, which overlap: 0 and 1, 1 to 3, 3 and 4. -1 keeps the rows.
// input x = [[[[1, 2, 3, 4, 5], [10, 20, 30, 40, 50]]]]
// expect y = [[[[1.5, 3, 4.5], [15, 30, 45]]]]
module @overlapping attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x5xf32>) -> tensor<1x1x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x5xf32>) -> tensor<1x1x2x5xf32> loc("x")
    %1 = "top.AdaptiveAvgPool"(%0) {output_size = [-1, 3]} : (tensor<1x1x2x5xf32>) -> tensor<1x1x2x3xf32> loc("y")
    return %1 : tensor<1x1x2x3xf32>
  }
}

// -----

// More windows than columns: each holds one or two of them.
// input x = [[[4, 8]]]
// expect y = [[[4, 6, 8]]]
module @more attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("x")
    %1 = "top.AdaptiveAvgPool"(%0) {output_size = [3]} : (tensor<1x1x2xf32>) -> tensor<1x1x3xf32> loc("y")
    return %1 : tensor<1x1x3xf32>
  }
}
