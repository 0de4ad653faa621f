// 2 to the power x.
// input x = [-1, 0, 0.5, 3, 10]
// expect y = [0.5, 1, 1.41421356, 8, 1024]
module @two attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Pow2"(%0) {const_val = 2.0 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// Of a negative number there are whole powers only.
// input x = [-1, 0.5, 2, "nan"]
// expect y = [-0.5, "nan", 4, "nan"]
module @negative attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Pow2"(%0) {const_val = -2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}
