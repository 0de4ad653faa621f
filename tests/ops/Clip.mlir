// Held between -1 and 2.
// input x = [-5, -1, 0, 1.5, 2, 7]
// expect y = [-1, -1, 0, 1.5, 2, 2]
module @between attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6xf32>) -> tensor<6xf32> loc("x")
    %1 = "top.Clip"(%0) {max = 2.0 : f64, min = -1.0 : f64} : (tensor<6xf32>) -> tensor<6xf32> loc("y")
    return %1 : tensor<6xf32>
  }
}

// -----

// NaN stays.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", -1, 2]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Clip"(%0) {max = 2.0 : f64, min = -1.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// Plain integers are held as they are.
// input x = [-2147483648, -7, 16777217, 2147483647]
// expect y = [-10, -7, 16777217, 20000000]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi32>) -> tensor<4xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<4xsi32>) -> tensor<4xsi32> loc("x")
    %1 = "top.Clip"(%0) {max = 2.0e7 : f64, min = -1.0e1 : f64} : (tensor<4xsi32>) -> tensor<4xsi32> loc("y")
    return %1 : tensor<4xsi32>
  }
}
