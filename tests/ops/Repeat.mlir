// More counts than axes add axes in front. Counts may be floats that are whole.
// input x = [[1, 2, 3]]
// weight n = [2, 2, 1]
// expect y = [[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]]]
module @more_counts attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3xf32> loc("n")
    %2 = "top.Repeat"(%0, %1) : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<2x2x3xf32> loc("y")
    return %2 : tensor<2x2x3xf32>
  }
}

// -----

// Fewer belong to the last axes.
// input x = [[0, 1], [2, 3]]
// weight n = [2]
// expect y = [[0, 1, 0, 1], [2, 3, 2, 3]]
module @fewer_counts attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1xsi32> loc("n")
    %2 = "top.Repeat"(%0, %1) : (tensor<2x2xf32>, tensor<1xsi32>) -> tensor<2x4xf32> loc("y")
    return %2 : tensor<2x4xf32>
  }
}
