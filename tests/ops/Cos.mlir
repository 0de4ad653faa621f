// Of radians; also of many turns.
// input x = [0, 0.5, 1, -1, 1.0471976, 3.1415927, 100]
// expect y = [1, 0.877582562, 0.540302306, 0.540302306, 0.499999958, -1, 0.862318872]
module @cos attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Cos"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// There is none of infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", "nan", "nan"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Cos"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts quarters: cos(1), cos(-2) and cos(0) are 0.540, -0.416 and 1 (which does not fit), in units of 1/128.
// input x = [[4, -8, 0]]
// expect y = [[69, -53, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.0078125>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.25>> loc("x")
    %1 = "top.Cos"(%0) : (tensor<1x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.0078125>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.0078125>>
  }
}
