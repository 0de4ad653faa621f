// 0 up to -3, x from 3 on.
// input x = [-4, -3, -1.5, 0, 1.5, 3, 4]
// expect y = [-0, -0, -0.375, 0, 1.125, 3, 4]
module @hardswish attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.HardSwish"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "inf"]
// expect y = ["nan", "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1 = "top.HardSwish"(%0) : (tensor<2xf32>) -> tensor<2xf32> loc("y")
    return %1 : tensor<2xf32>
  }
}

// -----

// x is (q - 4) / 2: 1, -1 and 2 become 0.667, -0.333 and 1.667, in units of 1/10.
// input x = [[6, 2, 8, 4]]
// expect y = [[7, -3, 17, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:4>> loc("x")
    %1 = "top.HardSwish"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
