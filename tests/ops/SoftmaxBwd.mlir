// Along the last axis, counted from the end.
// input g = [[0.75, -0.5, -1], [-0.5, -0.25, 0.75]]
// input y = [[0.5, 0.25, 0.25], [0, 1, 0]]
// expect x = [[0.375, -0.125, -0.25], [0, 0, 0]]
module @last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %2 = "top.SoftmaxBwd"(%0, %1) {dim = -1 : si32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// Along the first axis.
// input g = [[0.75, -1], [-0.75, -0.5], [-0.75, 0.75]]
// input y = [[0.5, 0.25], [0.25, 0.75], [0.25, 0]]
// expect x = [[0.375, -0.09375], [-0.1875, 0.09375], [-0.1875, 0]]
module @first attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("y")
    %2 = "top.SoftmaxBwd"(%0, %1) {dim = 0 : si32} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    return %2 : tensor<3x2xf32>
  }
}
