// Tuples that name single entries.
// input x = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
// input i = [[0, 0, 1], [1, 1, -1]]
// expect y = [1, 7]
module @entries attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x3xsi32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x3xsi32>) -> tensor<2x3xsi32> loc("i")
    %2 = "top.GatherND"(%0, %1) : (tensor<2x2x2xf32>, tensor<2x3xsi32>) -> tensor<2xf32> loc("y")
    return %2 : tensor<2xf32>
  }
}

// -----

// Shorter tuples name rows.
// input x = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
// input i = [[[0, 1]], [[1, 0]]]
// expect y = [[[2, 3]], [[4, 5]]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x1x2xsi32>) -> tensor<2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x1x2xsi32>) -> tensor<2x1x2xsi32> loc("i")
    %2 = "top.GatherND"(%0, %1) {batch_dims = 0 : i64} : (tensor<2x2x2xf32>, tensor<2x1x2xsi32>) -> tensor<2x1x2xf32> loc("y")
    return %2 : tensor<2x1x2xf32>
  }
}

// -----

// The first axis is common to both.
// input x = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
// input i = [[1], [0]]
// expect y = [[2, 3], [4, 5]]
module @batches attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x1xsi32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x1xsi32>) -> tensor<2x1xsi32> loc("i")
    %2 = "top.GatherND"(%0, %1) {batch_dims = 1 : i64} : (tensor<2x2x2xf32>, tensor<2x1xsi32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}
