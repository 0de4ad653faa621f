// x to the power 2.5.
// input x = [0, 0.25, 1, 2, 9]
// expect y = [0, 0.03125, 1, 5.65685425, 243]
module @fraction attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Pow"(%0) {exponent = 2.5 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// x to the power -3, which negative numbers have too.
// input x = [-2, -1, 0.5, "nan"]
// expect y = [-0.125, -1, 8, "nan"]
module @negative attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Pow"(%0) {exponent = -3.0 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}
