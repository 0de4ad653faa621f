// exp(ln 2) is 2. exp(-100) is less than the smallest normal number.
// input x = [-100, -1, 0, 0.69314718, 1, 10]
// expect y = [3.72007598e-44, 0.367879441, 1, 2, 2.71828183, 22026.4658]
module @exp attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6xf32>) -> tensor<6xf32> loc("x")
    %1 = "top.Exp"(%0) : (tensor<6xf32>) -> tensor<6xf32> loc("y")
    return %1 : tensor<6xf32>
  }
}

// -----

// exp(89) is above 3.4e38.
// input x = ["nan", "-inf", "inf", 89]
// expect y = ["nan", 0, "inf", "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Exp"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// x counts halves: exp(0) = 1, exp(1) = 2.718, exp(-1) = 0.368 in units of 1/10; what does not fit in 8 bits, or not in 32, is the largest.
// input x = [[0, 2, -2, 10, 127]]
// expect y = [[10, 27, 4, 127, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x5x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x5x!quant.uniform<i8:f32, 0.5>> loc("x")
    %1 = "top.Exp"(%0) : (tensor<1x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x5x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x5x!quant.uniform<i8:f32, 0.1>>
  }
}
