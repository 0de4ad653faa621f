// Element by element.
// input x = [4, 2, 9, -2]
// input e = [0.5, -1, 1.5, 3]
// expect y = [2, 0.5, 27, -8]
module @both attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<4xf32>) -> tensor<4xf32> loc("e")
    %2 = "top.Pow3"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %2 : tensor<4xf32>
  }
}

// -----

// The exponents are broadcast: squares and cubes.
// input x = [[1, 2], [3, -4]]
// input e = [2, 3]
// expect y = [[1, 8], [9, -64]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("e")
    %2 = "top.Pow3"(%0, %1) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}
