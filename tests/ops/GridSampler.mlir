// Between four pixels; -1 and 1 are the outer edges, and outside is 0.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[1.25, 1, 3.5], [2.0900002, 0, 0]], [[1.25, -0.5, -0.5], [0.38000008, 0, 0]]]]
module @mode_0_padding_0_edges attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = false, mode = 0 : i64, padding_mode = 0 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// -1 and 1 are the centers of the corner pixels.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[5, 4, 3.5], [2.55, -0.08000001, 0]], [[5, -2, -0.5], [-1.27, -1.0400001, 0]]]]
module @mode_0_padding_0_corners attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = true, mode = 0 : i64, padding_mode = 0 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// Outside is the border.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[5, 4, 3.5], [2.2, -0.8, 4]], [[5, -2, -0.5], [0.4000001, -1.9, 4]]]]
module @mode_0_padding_1_edges attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = false, mode = 0 : i64, padding_mode = 1 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// Outside is the reflection at the edges.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[5, 4, 3.5], [2.2, -0.11000013, -3.5]], [[5, -2, -0.5], [0.4000001, -0.8800002, 0.5]]]]
module @mode_0_padding_2_edges attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = false, mode = 0 : i64, padding_mode = 2 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// Outside is the reflection at the corner pixels.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[5, 4, 3.5], [2.55, 1.1199999, -2.2250004]], [[5, -2, -0.5], [-1.27, 0.15999983, -0.5500002]]]]
module @mode_0_padding_2_corners attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = true, mode = 0 : i64, padding_mode = 2 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// The nearest pixel.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[5, 0, 4], [2, 0, 0]], [[5, 0, -4], [0, 0, 0]]]]
module @mode_1_padding_0_edges attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = false, mode = 1 : i64, padding_mode = 0 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// The nearest pixel, outside the border.
// input x = [[[[5, 1, 2, 4], [1, 3, 4, -3], [-5, -2, -2, 4]], [[5, -5, 0, 4], [-4, 3, -4, 0], [3, -2, -2, -2]]]]
// input grid = [[[[-1, -1], [1, 1], [0, 0]], [[0.3, -0.7], [-1.4, 0.2], [2.5, -3.1]]]]
// expect y = [[[[5, 4, 4], [2, 1, 4]], [[5, -2, -4], [0, -4, 4]]]]
module @mode_1_padding_1_corners attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = true, mode = 1 : i64, padding_mode = 1 : i64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("y")
    return %2 : tensor<1x2x2x3xf32>
  }
}

// -----

// Depth, height and width; a point is x, y, z.
// input x = [[[[[2, -3, 5], [-1, 0, 0]], [[1, 1, 0], [5, 3, 3]]]]]
// input grid = [[[[[0.29, 1.17, -0.68], [-0.82, 0.27, -1.09]], [[-1.11, 0.04, -0.08], [1, 0.31, 0.03]]]]]
// expect y = [[[[[0, -0.097867005], [0.51844597, 0.8672]]]]]
module @volume attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2x3xf32>, %arg1: tensor<1x1x2x2x3xf32>) -> tensor<1x1x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2x3xf32>) -> tensor<1x1x2x2x3xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x2x2x3xf32>) -> tensor<1x1x2x2x3xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = false, mode = 0 : i64, padding_mode = 0 : i64}
      : (tensor<1x1x2x2x3xf32>, tensor<1x1x2x2x3xf32>) -> tensor<1x1x1x2x2xf32> loc("y")
    return %2 : tensor<1x1x1x2x2xf32>
  }
}

// -----

// NaN is nowhere, so outside; each image has its own grid.
// input x = [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]
// input grid = [[[["nan", 0]]], [[[0, 0]]]]
// expect y = [[[[0]]], [[[6.5]]]]
module @nan attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x2x2xf32>, %arg1: tensor<2x1x1x2xf32>) -> tensor<2x1x1x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x2x2xf32>) -> tensor<2x1x2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32> loc("grid")
    %2 = "top.GridSampler"(%0, %1) {align_corners = false, mode = 0 : i64, padding_mode = 0 : i64}
      : (tensor<2x1x2x2xf32>, tensor<2x1x1x2xf32>) -> tensor<2x1x1x1xf32> loc("y")
    return %2 : tensor<2x1x1x1xf32>
  }
}
