// Stacked along a new last axis.
// input a = [[1, 2], [3, 4]]
// input b = [[5, 6], [7, 8]]
// expect y = [[[1, 5], [2, 6]], [[3, 7], [4, 8]]]
module @last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("b")
    %2 = "top.Pack"(%0, %1) {axis = -1 : si32, values_count = 2 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32> loc("y")
    return %2 : tensor<2x2x2xf32>
  }
}

// -----

// Stacked along a new first axis.
// input a = [[1, 2], [3, 4]]
// input b = [[5, 6], [7, 8]]
// expect y = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
module @first attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("b")
    %2 = "top.Pack"(%0, %1) {axis = 0 : si32, values_count = 2 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32> loc("y")
    return %2 : tensor<2x2x2xf32>
  }
}
