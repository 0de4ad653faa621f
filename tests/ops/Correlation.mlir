// Disparities 0 and 1; nothing is left of the image.
// input left = [[[[1, 4, 3], [0, 1, 3]], [[-1, 1, -3], [1, -2, -3]], [[2, 1, -1], [-4, -2, 3]], [[0, 4, 4], [3, -4, -4]]]]
// input right = [[[[1, -1, 3], [-2, -3, -3]], [[-2, 1, -3], [3, -2, -2]], [[1, 3, -1], [3, -2, -3]], [[3, 2, 2], [3, 0, -3]]]]
// expect y = [[[[1.25, 2, 6.75], [0, 1.25, 0]], [[0, 3.75, -0.25], [0, -6.5, -2.25]]]]
module @one_group attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x2x3xf32>, %arg1: tensor<1x4x2x3xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> loc("left")
    %1 = "top.Input"(%arg1) : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> loc("right")
    %2 = "top.Correlation"(%0, %1) {max_disp = 2 : i64, num_groups = 1 : i64}
      : (tensor<1x4x2x3xf32>, tensor<1x4x2x3xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// Two groups of two channels.
// input left = [[[[1, 4, 3], [0, 1, 3]], [[-1, 1, -3], [1, -2, -3]], [[2, 1, -1], [-4, -2, 3]], [[0, 4, 4], [3, -4, -4]]]]
// input right = [[[[1, -1, 3], [-2, -3, -3]], [[-2, 1, -3], [3, -2, -2]], [[1, 3, -1], [3, -2, -3]], [[3, 2, 2], [3, 0, -3]]]]
// expect y = [[[[1.5, -1.5, 9], [1.5, 0.5, -1.5]], [[0, 1, -3], [0, -4, -1.5]], [[0, 0, 4.5], [0, 0, -7.5]]], [[[1, 5.5, 4.5], [-1.5, 2, 1.5]], [[0, 6.5, 2.5], [0, -9, -3]], [[0, 0, 5.5], [0, 0, -1.5]]]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x2x3xf32>, %arg1: tensor<1x4x2x3xf32>) -> tensor<2x3x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> loc("left")
    %1 = "top.Input"(%arg1) : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> loc("right")
    %2 = "top.Correlation"(%0, %1) {max_disp = 3 : i64, num_groups = 2 : i64}
      : (tensor<1x4x2x3xf32>, tensor<1x4x2x3xf32>) -> tensor<2x3x2x3xf32> loc("y")
    return %2 : tensor<2x3x2x3xf32>
  }
}
