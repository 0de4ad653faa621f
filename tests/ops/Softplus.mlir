// ln(1 + exp(x)): ln 2 at 0, x for large numbers.
// input x = [-100, -1, 0, 1, 100]
// expect y = [3.72007598e-44, 0.313261688, 0.693147181, 1.31326169, 100]
module @softplus attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Softplus"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", 0, "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Softplus"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts units: 0.693, 1.313 and 0.313 in units of 1/10.
// input x = [[0, 1, -1]]
// expect y = [[7, 13, 3]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x!quant.uniform<i8:f32, 1.0>> loc("x")
    %1 = "top.Softplus"(%0) : (tensor<1x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.1>>
  }
}
