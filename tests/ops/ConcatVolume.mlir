// The left features for each of two disparities, then the right ones, which move to the right.
// input left = [[[[4, -2, 0]]], [[[0, 0, 2]]]]
// input right = [[[[4, 3, 1]]], [[[-4, -1, -2]]]]
// expect y = [[[[[4, -2, 0]], [[4, -2, 0]]], [[[4, 3, 1]], [[0, 4, 3]]]], [[[[0, 0, 2]], [[0, 0, 2]]], [[[-4, -1, -2]], [[0, -4, -1]]]]]
module @two_disparities attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x1x3xf32>, %arg1: tensor<2x1x1x3xf32>) -> tensor<2x2x2x1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32> loc("left")
    %1 = "top.Input"(%arg1) : (tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32> loc("right")
    %2 = "top.ConcatVolume"(%0, %1) {max_disp = 2 : i64}
      : (tensor<2x1x1x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x2x2x1x3xf32> loc("y")
    return %2 : tensor<2x2x2x1x3xf32>
  }
}

// -----

// Nothing is left of the right features at disparities beyond the width.
// input left = [[[[4, -2, 0]]]]
// input right = [[[[4, 3, 1]]]]
// expect y = [[[[[4, -2, 0]], [[4, -2, 0]], [[4, -2, 0]], [[4, -2, 0]]], [[[4, 3, 1]], [[0, 4, 3]], [[0, 0, 4]], [[0, 0, 0]]]]]
module @beyond attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x3xf32>, %arg1: tensor<1x1x1x3xf32>) -> tensor<1x2x4x1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> loc("left")
    %1 = "top.Input"(%arg1) : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> loc("right")
    %2 = "top.ConcatVolume"(%0, %1) {max_disp = 4 : i64}
      : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x4x1x3xf32> loc("y")
    return %2 : tensor<1x2x4x1x3xf32>
  }
}
