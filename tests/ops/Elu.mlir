// (exp(x) - 1) / 2 below 0, exact near it.
// input x = [-10, -1, -0.001, 0, 1, 5]
// expect y = [-0.4999773, -0.316060279, -0.000499750083, 0, 1, 5]
module @half attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6xf32>) -> tensor<6xf32> loc("x")
    %1 = "top.Elu"(%0) {alpha = 0.5 : f64} : (tensor<6xf32>) -> tensor<6xf32> loc("y")
    return %1 : tensor<6xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", -1, "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Elu"(%0) {alpha = 1.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x is (q - 4) / 2: 2 stays, -1 and -2 become -0.632 and -0.865, in units of 1/10.
// input x = [[8, 2, 0, 4]]
// expect y = [[20, -6, -9, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:4>> loc("x")
    %1 = "top.Elu"(%0) {alpha = 1.0 : f64} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
