// To the nearest integer, halves away from zero.
// input x = [-2.5, -1.5, -0.5, -0.25, 0, 0.25, 0.5, 1.5, 2]
// expect y = [-3, -2, -1, 0, 0, 0, 1, 2, 2]
module @round attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %0 = "top.Input"(%arg0) : (tensor<9xf32>) -> tensor<9xf32> loc("x")
    %1 = "top.Round"(%0) : (tensor<9xf32>) -> tensor<9xf32> loc("y")
    return %1 : tensor<9xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf", 0.49999997]
// expect y = ["nan", "-inf", "inf", 0]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Round"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}
