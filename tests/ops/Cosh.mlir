// (exp(x) + exp(-x)) / 2.
// input x = [-5, -1, 0, 1, 5]
// expect y = [74.2099485, 1.54308063, 1, 1.54308063, 74.2099485]
module @cosh attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Cosh"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// Above 3.4e38 there is only infinity.
// input x = ["nan", "-inf", "inf", 100]
// expect y = ["nan", "inf", "inf", "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Cosh"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// x counts halves: cosh(1) = 1.543, cosh(-1.5) = 2.352, cosh(0) = 1 in units of 1/10, with the zero point 5.
// input x = [[2, -3, 0]]
// expect y = [[20, 29, 15]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.1:5>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5>> loc("x")
    %1 = "top.Cosh"(%0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.1:5>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.1:5>>
  }
}
