// Down, to an integer.
// input x = [-2.5, -1.5, -0.5, -0.25, 0, 0.25, 0.5, 1.5, 2]
// expect y = [-3, -2, -1, -1, 0, 0, 0, 1, 2]
module @floor attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %0 = "top.Input"(%arg0) : (tensor<9xf32>) -> tensor<9xf32> loc("x")
    %1 = "top.Floor"(%0) : (tensor<9xf32>) -> tensor<9xf32> loc("y")
    return %1 : tensor<9xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf", -1e+09]
// expect y = ["nan", "-inf", "inf", -1e+09]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Floor"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// x is (q - 1) / 2, y counts in units of 1. floor(0.5) is 0, floor(-1.5) is -2, floor(-64.5) is -65.
// input x = [[2, -2, 127, -128]]
// expect y = [[0, -2, 63, -65]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.Floor"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 1.0>>
  }
}
