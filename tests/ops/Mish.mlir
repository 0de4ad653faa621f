// x tanh(ln(1 + exp(x))).
// input x = [-20, -1, 0, 1, 30]
// expect y = [-4.12230724e-08, -0.303401461, 0, 0.865098388, 30]
module @mish attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Mish"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "inf"]
// expect y = ["nan", "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1 = "top.Mish"(%0) : (tensor<2xf32>) -> tensor<2xf32> loc("y")
    return %1 : tensor<2xf32>
  }
}

// -----

// x is (q - 4) / 2: 1, -1 and 2 become 0.865, -0.303 and 1.944, in units of 1/10.
// input x = [[6, 2, 8, 4]]
// expect y = [[9, -3, 19, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:4>> loc("x")
    %1 = "top.Mish"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
