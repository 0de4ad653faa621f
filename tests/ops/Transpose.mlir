// The first and the last axis exchanged.
// input x = [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
// expect y = [[[0, 6], [2, 8], [4, 10]], [[1, 7], [3, 9], [5, 11]]]
module @ends attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32> loc("x")
    %1 = "top.Transpose"(%0) {dim0 = 0 : si32, dim1 = -1 : si32} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32> loc("y")
    return %1 : tensor<2x3x2xf32>
  }
}
