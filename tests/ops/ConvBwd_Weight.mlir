// The gradient of the filter alone; the gradient of the result comes with its first axes exchanged too.
// input x = [[[[-1, -2, 2, -1], [3, 1, -3, 0], [-1, 1, 1, 1]], [[1, 3, -1, -4], [2, 2, 0, 3], [-2, 2, 1, -1]]], [[[3, 4, -2, -4], [1, 3, -4, 1], [2, -4, 1, -2]], [[-3, -1, 0, -3], [-2, 1, -4, -1], [3, 2, 3, -1]]]]
// input g = [[[[3, 0, 0], [-2, -1, -4]], [[-1, 2, 2], [3, 0, 0]]], [[[4, 1, 2], [-3, 4, 0]], [[-4, -3, 4], [0, 3, -1]]]]
// input gt = [[[[3, 0, 0], [-2, -1, -4]], [[4, 1, 2], [-3, 4, 0]]], [[[-1, 2, 2], [3, 0, 0]], [[-4, -3, 4], [0, 3, -1]]]]
// expect gw = [[[[14, 22], [-16, -20]]], [[[13, -3], [15, 2]]]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x3x4xf32>, %arg1: tensor<2x2x2x3xf32>, %arg2: tensor<2x2x2x3xf32>) -> tensor<2x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2x2x3xf32>) -> tensor<2x2x2x3xf32> loc("g")
    %2 = "top.Input"(%arg2) : (tensor<2x2x2x3xf32>) -> tensor<2x2x2x3xf32> loc("gt")
    %3 = "top.ConvBwd_Weight"(%0, %1, %2) {dilations = [1, 2], grad_bias_enable = false, grad_out_shape = [2, 2, 2, 3], groups = 2 : i64, input_shape = [2, 2, 3, 4], kernel_shape = [2, 2], padding = [1, 0, 1, 1], stride = [2, 1]}
      : (tensor<2x2x3x4xf32>, tensor<2x2x2x3xf32>, tensor<2x2x2x3xf32>) -> tensor<2x1x2x2xf32> loc("gw")
    return %3 : tensor<2x1x2x2xf32>
  }
}

// -----

// One filter over two channels.
// input x = [[[[-4, 2, -3], [-2, 4, -3], [1, -2, -1]], [[4, -3, 3], [2, -4, 4], [-3, -2, -2]]]]
// input g = [[[[4, -4], [1, 0]]]]
// input gt = [[[[4, -4], [1, 0]]]]
// expect gw = [[[[-26, 24], [-23, 26]], [[30, -28], [21, -34]]]]
module @one_filter attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x3xf32>, %arg1: tensor<1x1x2x2xf32>, %arg2: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("g")
    %2 = "top.Input"(%arg2) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("gt")
    %3 = "top.ConvBwd_Weight"(%0, %1, %2) {dilations = [1, 1], grad_bias_enable = false, grad_out_shape = [1, 1, 2, 2], groups = 1 : i64, input_shape = [1, 2, 3, 3], kernel_shape = [2, 2], padding = [0, 0, 0, 0], stride = [1, 1]}
      : (tensor<1x2x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> loc("gw")
    return %3 : tensor<1x2x2x2xf32>
  }
}
