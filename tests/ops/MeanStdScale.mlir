// (x - mean) / std of each channel: floats stay real, whatever the scales.
// input x = [[[[3, 5]], [[-1, 0.5]]]]
// expect y = [[[[1, 2]], [[-0.5, 0.25]]]]
module @real attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.MeanStdScale"(%0) {channel_order = "nchw", customization_format = "RGB", mean = [1.0, 0.0], quant_mode = "MultiplierShift", resize_dims = [1, 2],
      rounding_mode = "HalfAwayFromZero", scale = [1.0, 0.015625], std = [2.0, 2.0], zero_points = [3.0, 5.0]} : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("y")
    return %1 : tensor<1x2x1x2xf32>
  }
}

// -----

// To int8: (x - mean) / std / 0.5, rounded: 1, -16, -3.5 and 98; then - 1 + 3, for of floats the zero points count.
// input x = [[[[1.25, -3]], [[-1.5, 100]]]]
// expect half = [[[[3, -14]], [[-1, 100]]]]
// expect down = [[[[3, -14]], [[-2, 100]]]]
module @float_to_bytes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>) -> (tensor<1x2x1x2xsi8>, tensor<1x2x1x2xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.MeanStdScale"(%0) {channel_order = "nchw", customization_format = "RGB", mean = [1.0, 2.0], quant_mode = "MultiplierShift", resize_dims = [1, 2],
      rounding_mode = "HalfUp", scale = [1.0, 0.5], std = [0.5, 2.0], zero_points = [1.0, 3.0]} : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xsi8> loc("half")
    %2 = "top.MeanStdScale"(%0) {channel_order = "nchw", customization_format = "RGB", mean = [1.0, 2.0], quant_mode = "MultiplierShift", resize_dims = [1, 2],
      rounding_mode = "Down", scale = [1.0, 0.5], std = [0.5, 2.0], zero_points = [1.0, 3.0]} : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xsi8> loc("down")
    return %1, %2 : tensor<1x2x1x2xsi8>, tensor<1x2x1x2xsi8>
  }
}

// -----

// Of bytes the factors are 1 and 1/4, exact as multipliers of 16 bits; the zero points do not count.
// input x = [[[[130, 0]], [[255, 6]]]]
// expect y = [[[[2, -128]], [[63, 1]]]]
module @bytes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xui8>) -> tensor<1x2x1x2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xui8>) -> tensor<1x2x1x2xui8> loc("x")
    %1 = "top.MeanStdScale"(%0) {channel_order = "nchw", customization_format = "RGB", mean = [128.0, 4.0], quant_mode = "MultiplierShift", resize_dims = [1, 2],
      rounding_mode = "HalfUp", scale = [1.0, 0.5], std = [2.0, 8.0], zero_points = [1.0, 3.0]} : (tensor<1x2x1x2xui8>) -> tensor<1x2x1x2xsi8> loc("y")
    return %1 : tensor<1x2x1x2xsi8>
  }
}
