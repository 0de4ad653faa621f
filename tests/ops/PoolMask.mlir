// A 1 at the largest of each square of two by two; of equal numbers the first. The third column makes squares of its own, for
// which the result is wider.
// input x = [[[[1, 4, 7], [4, 2, 9]]]]
// expect y = [[[[0, 1, 0, 0], [0, 0, 1, 0]]]]
module @squares attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x1x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %1 = "top.PoolMask"(%0) {scale = 2 : i64} : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x4xf32> loc("y")
    return %1 : tensor<1x1x2x4xf32>
  }
}

// -----

// Squares of one element: each is the largest.
// input x = [[[[-1, 0]], [[3, 3]]]]
// expect y = [[[[1, 1]], [[1, 1]]]]
module @ones attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.PoolMask"(%0) {scale = 1 : i64} : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("y")
    return %1 : tensor<1x2x1x2xf32>
  }
}
