// Row 2 was looked up twice, row 1 never.
// input g = [[-0.75, -0.75], [0.75, 0], [0.25, 0.25], [0.5, -1]]
// input i = [2, 0, 2, 3]
// expect w = [[0.75, 0], [0, 0], [-0.5, -0.5], [0.5, -1]]
module @twice attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<4xsi32>) -> tensor<4x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<4xsi32>) -> tensor<4xsi32> loc("i")
    %2 = "top.EmbDenseBwd"(%0, %1) {num_weights = 4 : si32} : (tensor<4x2xf32>, tensor<4xsi32>) -> tensor<4x2xf32> loc("w")
    return %2 : tensor<4x2xf32>
  }
}

// -----

// Indices of two axes, as floats.
// input g = [[[-0.75, -0.75], [0.75, 0]], [[0.25, 0.25], [0.5, -1]]]
// input i = [[1, 1], [0, 1]]
// expect w = [[0.25, 0.25], [0.5, -1.75]]
module @two_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("i")
    %2 = "top.EmbDenseBwd"(%0, %1) {num_weights = 2 : si32}
      : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("w")
    return %2 : tensor<2x2xf32>
  }
}
