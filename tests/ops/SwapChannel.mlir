// BGR to RGB, of two images.
// input x = [[[[0, 1]], [[2, 3]], [[4, 5]]], [[[6, 7]], [[8, 9]], [[10, 11]]]]
// expect y = [[[[4, 5]], [[2, 3]], [[0, 1]]], [[[10, 11]], [[8, 9]], [[6, 7]]]]
module @reversed attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x1x2xf32>) -> tensor<2x3x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x1x2xf32>) -> tensor<2x3x1x2xf32> loc("x")
    %1 = "top.SwapChannel"(%0) {channel_order = [2, 1, 0]} : (tensor<2x3x1x2xf32>) -> tensor<2x3x1x2xf32> loc("y")
    return %1 : tensor<2x3x1x2xf32>
  }
}
