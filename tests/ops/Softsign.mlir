// x / (1 + |x|).
// input x = [-9, -1, 0, 1, 3]
// expect y = [-0.9, -0.5, 0, 0.5, 0.75]
module @softsign attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Softsign"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// x counts units: 1/2, -3/4 and 0 in units of 1/100.
// input x = [[1, -3, 0]]
// expect y = [[50, -75, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.01>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x!quant.uniform<i8:f32, 1.0>> loc("x")
    %1 = "top.Softsign"(%0) : (tensor<1x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.01>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.01>>
  }
}
