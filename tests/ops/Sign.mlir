// NaN has no sign either.
// input x = [-3, -0, 0, 1e-30, "inf", "-inf", "nan"]
// expect y = [-1, 0, 0, 1, 1, -1, 0]
module @signs attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Sign"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// x is q - 3, y is in units of 1/10.
// input x = [[3, 4, -128, 127]]
// expect y = [[0, 10, -10, 10]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 1.0:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0:3>> loc("x")
    %1 = "top.Sign"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
