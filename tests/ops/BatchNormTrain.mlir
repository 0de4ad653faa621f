// By the statistics of the batch; the running ones move half way towards them. The running variance is that of the
// population, 20 / 3, as PyTorch has it; the tool chain takes that of the batch.
// input x = [[[[1, 3]], [[0, 4]]], [[[5, 7]], [[8, 0]]]]
// input mean = [2, 0]
// input var = [1, 2]
// weight g = [1, 2]
// weight b = [0, -1]
// expect y = [[[[-1, -0.33333333]], [[-2.5491933, -0.48360222]]], [[[0.33333333, 1]], [[1.5819889, -2.5491933]]]]
// expect m = [4, 3]
// expect rstd = [0.33333333, 0.25819889]
// expect running_mean = [3, 1.5]
// expect running_var = [3.8333333, 8.3333333]
module @running attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("mean")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("var")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("g")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %5:5 = "top.BatchNormTrain"(%0, %1, %2, %3, %4) {epsilon = 4.0 : f64, momentum = 0.5 : f64}
      : (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) loc(fused["y", "m", "rstd", "running_mean", "running_var"])
    return %5#0, %5#1, %5#2, %5#3, %5#4 : tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// No weight and no bias; a Relu up to 0.5.
// input x = [[[[1, 3]], [[0, 4]]], [[[5, 7]], [[8, 0]]]]
// input mean = [2, 0]
// input var = [1, 2]
// expect y = [[[[0, 0]], [[0, 0.25819889]]], [[[0.33333333, 0.5]], [[0.5, 0]]]]
// expect m = [4, 3]
// expect rstd = [0.33333333, 0.25819889]
// expect running_mean = [3, 1.5]
// expect running_var = [3.8333333, 8.3333333]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("mean")
    %3 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("var")
    %4:5 = "top.BatchNormTrain"(%1, %2, %3, %0, %0) {do_relu = true, epsilon = 4.0 : f64, momentum = 0.5 : f64, relu_limit = 0.5 : f64}
      : (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, none, none) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) loc(fused["y", "m", "rstd", "running_mean", "running_var"])
    return %4#0, %4#1, %4#2, %4#3, %4#4 : tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
