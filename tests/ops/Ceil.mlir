// Up, to an integer.
// input x = [-2.5, -1.5, -0.5, -0.25, 0, 0.25, 0.5, 1.5, 2]
// expect y = [-2, -1, 0, 0, 0, 1, 1, 2, 2]
module @ceil attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %0 = "top.Input"(%arg0) : (tensor<9xf32>) -> tensor<9xf32> loc("x")
    %1 = "top.Ceil"(%0) : (tensor<9xf32>) -> tensor<9xf32> loc("y")
    return %1 : tensor<9xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf", 1e+09]
// expect y = ["nan", "-inf", "inf", 1e+09]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Ceil"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// x is (q - 1) / 2, y counts in units of 1. ceil(0.5) is 1, ceil(-1.5) is -1, ceil(63) is 63, ceil(-64.5) is -64.
// input x = [[2, -2, 127, -128]]
// expect y = [[1, -1, 63, -64]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.Ceil"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 1.0>>
  }
}
