// ln e is 1, but for e's rounding.
// input x = [1, 2.7182817, 0.5, 100, 1e-30]
// expect y = [0, 0.999999953, -0.693147181, 4.60517019, -69.0775528]
module @log attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Log"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// None of negative numbers, -infinity of 0.
// input x = ["nan", -1, 0, "inf"]
// expect y = ["nan", "nan", "-inf", "inf"]
module @outside attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Log"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// x counts units: ln 1 = 0, ln 2 = 0.693, ln 100 = 4.605 in units of 1/10. ln 0 is the smallest; there is no ln -1, which is stored as 0.
// input x = [[1, 2, 100, 0, -1]]
// expect y = [[0, 7, 46, -128, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x5x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x5x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x5x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x5x!quant.uniform<i8:f32, 1.0>> loc("x")
    %1 = "top.Log"(%0) : (tensor<1x5x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x5x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x5x!quant.uniform<i8:f32, 0.1>>
  }
}
