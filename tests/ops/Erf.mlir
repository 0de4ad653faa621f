// Odd, and close to 1 from 3 on.
// input x = [-3, -1, -0.5, 0, 0.001, 0.5, 1, 2, 5]
// expect y = [-0.99997791, -0.842700793, -0.520499878, 0, 0.00112837879, 0.520499878, 0.842700793, 0.995322265, 1]
module @erf attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %0 = "top.Input"(%arg0) : (tensor<9xf32>) -> tensor<9xf32> loc("x")
    %1 = "top.Erf"(%0) : (tensor<9xf32>) -> tensor<9xf32> loc("y")
    return %1 : tensor<9xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", -1, 1]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Erf"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts halves: erf(0.5) = 0.520, erf(-1) = -0.843 in units of 1/100.
// input x = [[1, -2, 0, 100]]
// expect y = [[52, -84, 0, 100]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("x")
    %1 = "top.Erf"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.01>>
  }
}
