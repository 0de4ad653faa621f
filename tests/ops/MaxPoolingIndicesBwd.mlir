// Each number goes where the largest was, in the plane of three columns; two windows had the same.
// input g = [[[[1, 2], [3, 4]]]]
// input i = [[[[4, 4], [6, 8]]]]
// expect x = [[[[0, 0, 0], [0, 3, 0], [3, 0, 4]]]]
module @shared attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>, %arg1: tensor<1x1x2x2xsi32>) -> tensor<1x1x3x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<1x1x2x2xsi32>) -> tensor<1x1x2x2xsi32> loc("i")
    %2 = "top.MaxPoolingIndicesBwd"(%0, %1) {dilations = [1, 1, 1, 1], input_shape = [1, 1, 3, 3], kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [1, 1]}
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xsi32>) -> tensor<1x1x3x3xf32> loc("x")
    return %2 : tensor<1x1x3x3xf32>
  }
}

// -----

// A plane each; places as floats, as the mask of a pool may be.
// input g = [[[[1]], [[2]]]]
// input i = [[[[3]], [[0]]]]
// expect x = [[[[0, 0], [0, 1]], [[2, 0], [0, 0]]]]
module @planes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x1xf32>, %arg1: tensor<1x2x1x1xf32>) -> tensor<1x2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("i")
    %2 = "top.MaxPoolingIndicesBwd"(%0, %1) {dilations = [1, 1, 1, 1], input_shape = [1, 2, 2, 2], kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]}
      : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x2x2xf32> loc("x")
    return %2 : tensor<1x2x2x2xf32>
  }
}
