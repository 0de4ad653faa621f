// Each pixel twice.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[1, 1, 2, 2, 3, 3], [1, 1, 2, 2, 3, 3], [4, 4, 5, 5, 6, 6], [4, 4, 5, 5, 6, 6]]]]
module @nearest_half_pixel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x4x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "half_pixel", mode = "nearest", scale_h = 2.0 : f64, scale_w = 2.0 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x4x6xf32> loc("y")
    return %2 : tensor<1x1x4x6xf32>
  }
}

// -----

// Halfway between two pixels, the first: ONNX rounds half down.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[2]]]]
module @nearest_pytorch_half_pixel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x1x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "pytorch_half_pixel", mode = "nearest", scale_h = 0.5 : f64, scale_w = 0.3333333333333333 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x1x1xf32> loc("y")
    return %2 : tensor<1x1x1x1xf32>
  }
}

// -----

// The corners are corners; halfway between two pixels, the second.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[1, 2, 2, 3], [4, 5, 5, 6], [4, 5, 5, 6]]]]
module @nearest_align_corners attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "align_corners", mode = "nearest", scale_h = 1.5 : f64, scale_w = 1.3333333333333333 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x3x4xf32> loc("y")
    return %2 : tensor<1x1x3x4xf32>
  }
}

// -----

// The places 0, 2/3 and 4/3, and 0, 0.6, 1.2, 1.8, 2.4, rounded down.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[1, 1, 2, 2, 3], [1, 1, 2, 2, 3], [4, 4, 5, 5, 6]]]]
module @nearest_asymmetric attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x3x5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "asymmetric", mode = "nearest", scale_h = 1.5 : f64, scale_w = 1.6666666666666667 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x3x5xf32> loc("y")
    return %2 : tensor<1x1x3x5xf32>
  }
}

// -----

// Height only: a quarter of the way, and the edge beyond it.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[1, 2, 3], [1.75, 2.75, 3.75], [3.25, 4.25, 5.25], [4, 5, 6]]]]
module @linear_half_pixel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x4x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "half_pixel", mode = "linear", scale_h = 2.0 : f64, scale_w = 1.0 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x4x3xf32> loc("y")
    return %2 : tensor<1x1x4x3xf32>
  }
}

// -----

// Smaller: between the pixels.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[2.75, 4.25]]]]
module @linear_pytorch_half_pixel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "pytorch_half_pixel", mode = "linear", scale_h = 0.5 : f64, scale_w = 0.6666666666666666 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x1x2xf32> loc("y")
    return %2 : tensor<1x1x1x2xf32>
  }
}

// -----

// The corners are corners.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[1, 1.5, 2, 2.5, 3], [2.5, 3, 3.5, 4, 4.5], [4, 4.5, 5, 5.5, 6]]]]
module @linear_align_corners attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x3x5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "align_corners", mode = "linear", scale_h = 1.5 : f64, scale_w = 1.6666666666666667 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x3x5xf32> loc("y")
    return %2 : tensor<1x1x3x5xf32>
  }
}

// -----

// The last row and column are repeated; the tool chain computes half_pixel instead.
// input x = [[[[1, 2, 3], [4, 5, 6]]]]
// expect y = [[[[1, 1.5, 2, 2.5, 3, 3], [2.5, 3, 3.5, 4, 4.5, 4.5], [4, 4.5, 5, 5.5, 6, 6], [4, 4.5, 5, 5.5, 6, 6]]]]
module @linear_asymmetric attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x4x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "asymmetric", mode = "linear", scale_h = 2.0 : f64, scale_w = 2.0 : f64}
      : (tensor<1x1x2x3xf32>, none) -> tensor<1x1x4x6xf32> loc("y")
    return %2 : tensor<1x1x4x6xf32>
  }
}

// -----

// Of three dimensions the last one.
// input x = [[[1, 3, 7]]]
// expect y = [[[1, 1.5, 2.5, 4, 6, 7]]]
module @line attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x3xf32>) -> tensor<1x1x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "half_pixel", mode = "linear", scale_h = 4.0 : f64, scale_w = 2.0 : f64}
      : (tensor<1x1x3xf32>, none) -> tensor<1x1x6xf32> loc("y")
    return %2 : tensor<1x1x6xf32>
  }
}

// -----

// Integers, between them rounded half away from zero.
// input x = [[[[-128, 127], [5, -6]]]]
// expect y = [[[[-128, -1, 127], [-62, -1, 61], [5, -1, -6]]]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xsi8>) -> tensor<1x1x3x3xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2xsi8>) -> tensor<1x1x2x2xsi8> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "align_corners", mode = "linear", scale_h = 1.5 : f64, scale_w = 1.5 : f64}
      : (tensor<1x1x2x2xsi8>, none) -> tensor<1x1x3x3xsi8> loc("y")
    return %2 : tensor<1x1x3x3xsi8>
  }
}

// -----

// Nothing is multiplied by 0, which would make NaN of infinity.
// input x = [[[["inf", 1], [2, 3]]]]
// expect y = [[[["inf", 1], [2, 3]]]]
module @infinite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "align_corners", mode = "linear", scale_h = 1.0 : f64, scale_w = 1.0 : f64}
      : (tensor<1x1x2x2xf32>, none) -> tensor<1x1x2x2xf32> loc("y")
    return %2 : tensor<1x1x2x2xf32>
  }
}

// -----

// Depth stays.
// input x = [[[[[0, 1], [2, 3]]], [[[4, 5], [6, 7]]]]]
// expect y = [[[[[0, 0, 1, 1], [2, 2, 3, 3]]], [[[4, 4, 5, 5], [6, 6, 7, 7]]]]]
module @volume attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2x2xf32>) -> tensor<1x2x1x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2x2xf32>) -> tensor<1x2x1x2x2xf32> loc("x")
    %1 = "top.None"() : () -> none
    %2 = "top.Interp"(%0, %1) {coord_mode = "asymmetric", mode = "nearest", scale_h = 1.0 : f64, scale_w = 2.0 : f64}
      : (tensor<1x2x1x2x2xf32>, none) -> tensor<1x2x1x2x4xf32> loc("y")
    return %2 : tensor<1x2x1x2x4xf32>
  }
}
