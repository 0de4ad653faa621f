// The sign goes, zero stays.
// input x = [[-1.5, 0, 2]]
// expect y = [[1.5, 0, 2]]
module @abs attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.Abs"(%0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("y")
    return %1 : tensor<1x3xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", "inf", "inf"]
module @not_finite attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Abs"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// The magnitude of -128 saturates.
// input x = [[-128, -1, 0, 127]]
// expect y = [[127, 1, 0, 127]]
module @quantized attributes {module.state = "TOP_QUANTIZED"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("x")
    %1 = "top.Abs"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.5>>
  }
}
