// Each number goes back to its place in a plane of two rows and four columns, in its channel.
// input x = [[[[5, 6]], [[7, 8]]]]
// input m = [[[[1, 6]], [[4, 3]]]]
// expect y = [[[[0, 5, 0, 0], [0, 0, 6, 0]], [[0, 0, 0, 8], [7, 0, 0, 0]]]]
module @places attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>, %arg1: tensor<1x2x1x2xf32>) -> tensor<1x2x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("m")
    %2 = "top.MaxUnpool"(%0, %1) {scale_h = 2 : i64, scale_w = 2 : i64} : (tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x2x4xf32> loc("y")
    return %2 : tensor<1x2x2x4xf32>
  }
}

// -----

// Where two go to one place the later one stays.
// input x = [[[[5, 6]]]]
// input m = [[[[1, 1]]]]
// expect y = [[[[0, 6]]]]
module @twice attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x2xf32>, %arg1: tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("m")
    %2 = "top.MaxUnpool"(%0, %1) {scale_h = 1 : i64, scale_w = 1 : i64} : (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("y")
    return %2 : tensor<1x1x1x2xf32>
  }
}
