// To the base 2.
// input x = [1, 2, 8, 0.25, 3]
// expect y = [0, 1, 3, -2, 1.5849625]
module @dual attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.LogB"(%0) {base = 2 : i64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// To the base 10.
// input x = [1, 10, 1000, 0.1]
// expect y = [0, 1, 3, -1]
module @decimal attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.LogB"(%0) {base = 10 : i64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}
