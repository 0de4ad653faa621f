// The statistics, the running ones moved by a tenth, and the scale and bias that normalize.
// input x = [[[[1, 3]], [[0, 4]]], [[[5, 7]], [[8, 0]]]]
// input mean = [[[[2]], [[0]]]]
// input var = [[[[1]], [[2]]]]
// weight w = [[[[1]], [[2]]]]
// weight b = [[[[0]], [[-1]]]]
// expect m = [[[[4]], [[3]]]]
// expect rstd = [[[[0.33333333]], [[0.25819889]]]]
// expect running_mean = [[[[2.2]], [[0.3]]]]
// expect running_var = [[[[1.5666667]], [[3.2666667]]]]
// expect scale = [[[[0.33333333]], [[0.51639778]]]]
// expect bias = [[[[-1.3333333]], [[-2.5491933]]]]
module @tenth attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<1x2x1x1xf32>, %arg2: tensor<1x2x1x1xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("mean")
    %2 = "top.Input"(%arg2) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("var")
    %3 = "top.Weight"() : () -> tensor<1x2x1x1xf32> loc("w")
    %4 = "top.Weight"() : () -> tensor<1x2x1x1xf32> loc("b")
    %5:6 = "top.MeanRstd"(%0, %1, %2, %3, %4) {eps = 4.0 : f64, momentum = 0.1 : f64}
      : (tensor<2x2x1x2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) loc(fused["m", "rstd", "running_mean", "running_var", "scale", "bias"])
    return %5#0, %5#1, %5#2, %5#3, %5#4, %5#5 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
  }
}

// -----

// Coefficients of one axis; epsilon is added to the variance.
// input x = [[[[1, 3]], [[0, 4]]], [[[5, 7]], [[8, 0]]]]
// input mean = [2, 0]
// input var = [1, 2]
// weight w = [1, 2]
// weight b = [0, -1]
// expect m = [4, 3]
// expect rstd = [0.4472136, 0.30151134]
// expect running_mean = [4, 3]
// expect running_var = [6.6666667, 14.666667]
// expect scale = [[[[0.4472136]], [[0.60302269]]]]
// expect bias = [[[[-1.7888544]], [[-2.8090681]]]]
module @one_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("mean")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("var")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %5:6 = "top.MeanRstd"(%0, %1, %2, %3, %4) {eps = 0.0 : f64, momentum = 1.0 : f64}
      : (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) loc(fused["m", "rstd", "running_mean", "running_var", "scale", "bias"])
    return %5#0, %5#1, %5#2, %5#3, %5#4, %5#5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
  }
}
