// x / 4 + 1 / 2, held between 0 and 1.
// input x = [-4, -1, 0, 1, 4]
// expect y = [0, 0.25, 0.5, 0.75, 1]
module @quarter attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.HardSigmoid"(%0) {alpha = 0.25 : f64, beta = 0.5 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", 0, 1]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.HardSigmoid"(%0) {alpha = 0.25 : f64, beta = 0.5 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts halves: 0.5, 0.25, 0 and 1 (which is 100 hundredths).
// input x = [[0, -2, -100, 100]]
// expect y = [[50, 25, 0, 100]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("x")
    %1 = "top.HardSigmoid"(%0) {alpha = 0.25 : f64, beta = 0.5 : f64} : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.01>>
  }
}
