// The root of the mean of the squares: of 3, 4 and 0, 5 it is 5 / sqrt(2).
// input x = [[3, 4], [0, -5]]
// expect y = [[0.84852814, 1.1313708], [0, -1.4142136]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %2 = "top.RMSNorm"(%1, %0) {eps = 0.0 : f64} : (tensor<2x2xf32>, none) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// Times gamma, one value an entry of the last axis; the mean square 1 and the epsilon 3 make 2.
// input x = [[[1, 1], [-1, 1]]]
// weight g = [10, 100]
// expect y = [[[5, 50], [-5, 50]]]
module @gamma attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("g")
    %2 = "top.RMSNorm"(%0, %1) {eps = 3.0 : f64} : (tensor<1x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %2 : tensor<1x2x2xf32>
  }
}
