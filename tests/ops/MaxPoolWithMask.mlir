// The largest number of each quarter, and where it stands in the plane of four columns: of equal numbers the first.
// input x = [[[[1, 2, 3, 4], [8, 7, 6, 5], [-1, -1, -3, -4], [-8, -7, -6, -3]]]]
// expect y = [[[[8, 6], [-1, -3]]]]
// expect mask = [[[[4, 6], [8, 10]]]]
module @quarters attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> loc("x")
    %1:2 = "top.MaxPoolWithMask"(%0) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]}
      : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xsi32>) loc(fused["y", "mask"])
    return %1#0, %1#1 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xsi32>
  }
}

// -----

// Padding has no place: each window holds one number. ceil_mode adds nothing, as in the tool chain; the Relu changes the
// values, not the places.
// input x = [[[[-4, 3]], [[2, -1]]]]
// expect y = [[[[0]], [[2]]]]
// expect mask = [[[[0]], [[0]]]]
module @padding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1:2 = "top.MaxPoolWithMask"(%0) {ceil_mode = true, do_relu = true, kernel_shape = [2, 2], pads = [1, 1, 0, 0], strides = [1, 2]}
      : (tensor<1x2x1x2xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) loc(fused["y", "mask"])
    return %1#0, %1#1 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
  }
}

// -----

// The values have a scale of their own: real values -3, 1, 2 and 0.
// input x = [[[[-3, 5], [7, 3]]]]
// expect y = [[[[8]]]]
// expect mask = [[[[2]]]]
module @requantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x1x1x1x!quant.uniform<i8:f32, 0.25>>, tensor<1x1x1x1xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x1x2x2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.MaxPoolWithMask"(%0) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]}
      : (tensor<1x1x2x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x1x1x1x!quant.uniform<i8:f32, 0.25>>, tensor<1x1x1x1xsi32>) loc(fused["y", "mask"])
    return %1#0, %1#1 : tensor<1x1x1x1x!quant.uniform<i8:f32, 0.25>>, tensor<1x1x1x1xsi32>
  }
}
