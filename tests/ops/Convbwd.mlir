// Two filters of 2 x 2 over an image of 3 x 3.
// input g = [[[[-4, 2], [-1, 1]], [[-2, -3], [1, -3]]]]
// input x = [[[[-2, 3, -1], [1, 0, 2], [-1, -4, -2]]]]
// input w = [[[[2, -1], [1, -3]]], [[[4, -4], [-2, 1]]]]
// expect gx = [[[[-16, 4, 10], [2, 5, 2], [-3, 11, -6]]]]
// expect gw = [[[[13, -12], [-7, 6]]], [[[-4, -9], [9, -4]]]]
// expect gb = [-2, -7]
module @two_filters attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x1x3x3xf32>, %arg2: tensor<2x1x2x2xf32>) -> (tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> loc("x")
    %2 = "top.Input"(%arg2) : (tensor<2x1x2x2xf32>) -> tensor<2x1x2x2xf32> loc("w")
    %3:3 = "top.Convbwd"(%0, %1, %2) {dilations = [1, 1], grad_bias_enable = true, grad_input_enable = true, grad_out_shape = [1, 2, 2, 2], grad_weight_enable = true, groups = 1 : i64, input_shape = [1, 1, 3, 3], inserts = [0, 0], kernel_shape = [2, 1, 2, 2], padding = [0, 0, 0, 0], stride = [1, 1]}
      : (tensor<1x2x2x2xf32>, tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>) -> (tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>, tensor<2xf32>) loc(fused["gx", "gw", "gb"])
    return %3#0, %3#1, %3#2 : tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>, tensor<2xf32>
  }
}

// -----

// Two groups, strides, pads and dilations that differ, two images. The gradient of the bias is not asked for.
// input g = [[[[3, 0, 0], [-2, -1, -4]], [[-1, 2, 2], [3, 0, 0]]], [[[4, 1, 2], [-3, 4, 0]], [[-4, -3, 4], [0, 3, -1]]]]
// input x = [[[[-1, -2, 2, -1], [3, 1, -3, 0], [-1, 1, 1, 1]], [[1, 3, -1, -4], [2, 2, 0, 3], [-2, 2, 1, -1]]], [[[3, 4, -2, -4], [1, 3, -4, 1], [2, -4, 1, -2]], [[-3, -1, 0, -3], [-2, 1, -4, -1], [3, 2, 3, -1]]]]
// input w = [[[[0, -3], [3, -4]]], [[[-2, -3], [0, -1]]]]
// expect gx = [[[[9, 0, -12, 0], [0, 0, 6, 3], [-6, -3, -4, 4]], [[0, 0, 1, -2], [-6, 0, -9, 0], [0, 0, -3, 0]]], [[[12, 3, -10, -4], [0, 0, 9, -12], [-9, 12, 12, -16]], [[0, 0, 4, 3], [0, -6, 2, -9], [0, 0, 0, -3]]]]
// expect gw = [[[[14, 22], [-16, -20]]], [[[13, -3], [15, 2]]]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2x3xf32>, %arg1: tensor<2x2x3x4xf32>, %arg2: tensor<2x1x2x2xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x1x2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2x3xf32>) -> tensor<2x2x2x3xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> loc("x")
    %2 = "top.Input"(%arg2) : (tensor<2x1x2x2xf32>) -> tensor<2x1x2x2xf32> loc("w")
    %3:3 = "top.Convbwd"(%0, %1, %2) {dilations = [1, 2], grad_bias_enable = false, grad_input_enable = true, grad_out_shape = [2, 2, 2, 3], grad_weight_enable = true, groups = 2 : i64, input_shape = [2, 2, 3, 4], inserts = [0, 0], kernel_shape = [2, 1, 2, 2], padding = [1, 0, 1, 1], stride = [2, 1]}
      : (tensor<2x2x2x3xf32>, tensor<2x2x3x4xf32>, tensor<2x1x2x2xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x1x2x2xf32>, none) loc(fused["gx", "gw", "gb"])
    return %3#0, %3#1 : tensor<2x2x3x4xf32>, tensor<2x1x2x2xf32>
  }
}
