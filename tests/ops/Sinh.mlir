// (exp(x) - exp(-x)) / 2, also near 0.
// input x = [-5, -1, -0.001, 0, 0.001, 1, 5]
// expect y = [-74.2032106, -1.17520119, -0.00100000017, 0, 0.00100000017, 1.17520119, 74.2032106]
module @sinh attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Sinh"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// Above 3.4e38 there is only infinity.
// input x = ["nan", "-inf", "inf", 100]
// expect y = ["nan", "-inf", "inf", "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Sinh"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// x counts halves: sinh(1) = 1.175, sinh(-1.5) = -2.129, sinh(3) = 10.02 in units of 1/10; sinh(50) does not fit.
// input x = [[2, -3, 6, 100]]
// expect y = [[12, -21, 100, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("x")
    %1 = "top.Sinh"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
