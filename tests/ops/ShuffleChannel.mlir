// Two groups of three channels, one of each in turn.
// input x = [[[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]], [[8, 9]], [[10, 11]]]]
// expect y = [[[[0, 1]], [[6, 7]], [[2, 3]], [[8, 9]], [[4, 5]], [[10, 11]]]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6x1x2xf32>) -> tensor<1x6x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x6x1x2xf32>) -> tensor<1x6x1x2xf32> loc("x")
    %1 = "top.ShuffleChannel"(%0) {group = 2 : i64} : (tensor<1x6x1x2xf32>) -> tensor<1x6x1x2xf32> loc("y")
    return %1 : tensor<1x6x1x2xf32>
  }
}
