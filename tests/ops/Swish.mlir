// x / (1 + exp(-2 x)).
// input x = [-10, -1, 0, 1, 10]
// expect y = [-2.06115362e-08, -0.119202922, 0, 0.880797078, 9.99999998]
module @two attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Swish"(%0) {beta = 2.0 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// With beta 0 half of x.
// input x = [-3, 0, 4]
// expect y = [-1.5, 0, 2]
module @zero attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Swish"(%0) {beta = 0.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts units: 1, -1 and 2 become 0.622, -0.378 and 1.462, in units of 1/10; rounded down.
// input x = [[1, -1, 2, 0]]
// expect y = [[6, -4, 14, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> loc("x")
    %1 = "top.Swish"(%0) {beta = 0.5 : f64, round_mode = "Down"} : (tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
