// Twice down, three times across.
// input x = [[[[0, 1], [2, 3]]]]
// expect y = [[[[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [2, 2, 2, 3, 3, 3], [2, 2, 2, 3, 3, 3]]]]
module @pixels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>) -> tensor<1x1x4x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("x")
    %1 = "top.Upsample"(%0) {scale_h = 2 : i64, scale_w = 3 : i64} : (tensor<1x1x2x2xf32>) -> tensor<1x1x4x6xf32> loc("y")
    return %1 : tensor<1x1x4x6xf32>
  }
}

// -----

// With a relu, capped at 6, of a tensor of two axes.
// input x = [[-1, 2], [3, 9]]
// expect y = [[0, 0, 2, 2], [3, 3, 6, 6]]
module @with_relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Upsample"(%0) {do_relu = true, relu_limit = 6.0 : f64, scale_h = 1 : i64, scale_w = 2 : i64} : (tensor<2x2xf32>) -> tensor<2x4xf32> loc("y")
    return %1 : tensor<2x4xf32>
  }
}

// -----

// Below zero is below the zero point.
// input x = [[-3, 100]]
// expect y = [[3, 3, 100, 100]]
module @quantized_relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Upsample"(%0) {do_relu = true, scale_h = 1 : i64, scale_w = 2 : i64} : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
