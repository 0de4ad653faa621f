// One place each of two: a square of 2, one of 4 (2 by 8), and twice as wide as high. The image says sizes and steps.
// input x = [[[[0, 0]]]]
// input image = [[[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]]]
// expect y = [[[0.1875, 0.375, 0.3125, 0.625, 0.125, 0.25, 0.375, 0.75, 0.125, 0.4375, 0.375, 0.5625, 0.6875, 0.375, 0.8125, 0.625, 0.625, 0.25, 0.875, 0.75, 0.625, 0.4375, 0.875, 0.5625], [0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2]]]
module @square_and_wide attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x2xf32>, %arg1: tensor<1x3x8x16xf32>) -> tensor<1x2x24xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x3x8x16xf32>) -> tensor<1x3x8x16xf32> loc("image")
    %2 = "top.PriorBox"(%0, %1) {aspect_ratios = [1.0 : f64, 4.0 : f64], clip = false, img_h = 0 : i64, img_w = 0 : i64, max_size = [8.0 : f64], min_size = [2.0 : f64], num_priors = 3 : i64, offset = 0.5 : f64, step_h = 0.0 : f64, step_w = 0.0 : f64, use_default_aspect_ratio = true, variance = [0.1 : f64, 0.1 : f64, 0.2 : f64, 0.2 : f64]}
      : (tensor<1x1x1x2xf32>, tensor<1x3x8x16xf32>) -> tensor<1x2x24xf32> loc("y")
    return %2 : tensor<1x2x24xf32>
  }
}

// -----

// Two sizes in a given image with given steps, cut to it; only what is written of ratios.
// input x = [[[[0], [0]]]]
// input image = [[[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]]
// expect y = [[[0, 0, 0.1, 0.2, 0, 0, 0.15, 0.3, 0, 0.3, 0.1, 0.7, 0, 0.2, 0.15, 0.8], [0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2]]]
module @cut attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x1xf32>, %arg1: tensor<1x3x4x4xf32>) -> tensor<1x2x16xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x1xf32>) -> tensor<1x1x2x1xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> loc("image")
    %2 = "top.PriorBox"(%0, %1) {aspect_ratios = [1.0 : f64, 0.25 : f64], clip = true, img_h = 20 : i64, img_w = 10 : i64, max_size = [], min_size = [4.0 : f64, 6.0 : f64], num_priors = 2 : i64, offset = 0.0 : f64, step_h = 10.0 : f64, step_w = 5.0 : f64, use_default_aspect_ratio = false, variance = [0.1 : f64, 0.1 : f64, 0.2 : f64, 0.2 : f64]}
      : (tensor<1x1x2x1xf32>, tensor<1x3x4x4xf32>) -> tensor<1x2x16xf32> loc("y")
    return %2 : tensor<1x2x16xf32>
  }
}
