// The second operand covers columns 1 and 2.
// input x = [[0, 1, 2, 3], [4, 5, 6, 7]]
// input u = [[-1, -2], [-3, -4]]
// expect y = [[0, -1, -2, 3], [4, -3, -4, 7]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("u")
    %2 = "top.Insert"(%0, %1) {axis = 1 : i64, offset = 1 : i64} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x4xf32> loc("y")
    return %2 : tensor<2x4xf32>
  }
}

// -----

// A row counted from the front of the first axis.
// input x = [[0, 1], [2, 3], [4, 5]]
// input u = [[-1, -2]]
// expect y = [[0, 1], [2, 3], [-1, -2]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<1x2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("u")
    %2 = "top.Insert"(%0, %1) {axis = -2 : i64, offset = 2 : i64} : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32> loc("y")
    return %2 : tensor<3x2xf32>
  }
}
