// Rows are replaced.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [2, 0]
// input u = [[7, 8], [9, 0]]
// expect y = [[9, 0], [3, 4], [7, 8]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2xsi32>, %arg2: tensor<2x2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xsi32>) -> tensor<2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("u")
    %3 = "top.IndexPut"(%0, %1, %2) : (tensor<3x2xf32>, tensor<2xsi32>, tensor<2x2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Rows are added, one of them twice.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [1, 1]
// input u = [[10, 20], [100, 200]]
// expect y = [[1, 2], [113, 224], [5, 6]]
module @added attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2xsi32>, %arg2: tensor<2x2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xsi32>) -> tensor<2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("u")
    %3 = "top.IndexPut"(%0, %1, %2) {accumulate = true} : (tensor<3x2xf32>, tensor<2xsi32>, tensor<2x2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}
