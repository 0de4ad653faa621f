// 0 keeps a dimension, -1 is inferred.
// input x = [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
// weight n = [0, -1]
// expect y = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
module @shape attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x2xf32>) -> tensor<2x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xsi32> loc("n")
    %2 = "top.View"(%0, %1) : (tensor<2x3x2xf32>, tensor<2xsi32>) -> tensor<2x6xf32> loc("y")
    return %2 : tensor<2x6xf32>
  }
}
