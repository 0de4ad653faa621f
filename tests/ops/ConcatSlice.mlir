// The oldest column goes, the new one comes at the end.
// input old = [[-1, -1, 2, 2], [0, 2, 2, 2]]
// input new = [[0], [1]]
// expect y = [[-1, 2, 2, 0], [2, 2, 2, 1]]
module @one_more attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<2x1xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("old")
    %1 = "top.Input"(%arg1) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("new")
    %2 = "top.ConcatSlice"(%0, %1) {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32> loc("y")
    return %2 : tensor<2x4xf32>
  }
}

// -----

// As much as the first has is taken from the end, here of the second alone. Axes count from the end too.
// input old = [[0, 1, 4]]
// input new = [[0, 4, 3], [0, -2, -4], [-4, -2, 0]]
// expect y = [[-4, -2, 0]]
module @all_new attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xf32>, %arg1: tensor<3x3xf32>) -> tensor<1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("old")
    %1 = "top.Input"(%arg1) : (tensor<3x3xf32>) -> tensor<3x3xf32> loc("new")
    %2 = "top.ConcatSlice"(%0, %1) {axis = -2 : i64} : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32> loc("y")
    return %2 : tensor<1x3xf32>
  }
}
