// ln((1 + x) / (1 - x)) / 2.
// input x = [-0.9, -0.5, 0, 0.001, 0.5]
// expect y = [-1.47221949, -0.549306144, 0, 0.00100000033, 0.549306144]
module @arctanh attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Arctanh"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// Infinite at -1 and 1, none outside.
// input x = ["nan", -1, 1, 1.5]
// expect y = ["nan", "-inf", "inf", "nan"]
module @outside attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Arctanh"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}
