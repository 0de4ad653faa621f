// Statistics that were not saved are those of the batch.
// input g = [[[[0.5, 1]], [[-0.5, -0.75]]], [[[0.75, 0.75]], [[0, -0.75]]]]
// input x = [[[[-0.25, 0.75]], [[1, -0.5]]], [[[-0.75, 0.25]], [[0.5, 0.5]]]]
// weight w = [1, -2]
// expect gx = [[[[-0.25601548, 0.21334623]], [[0.10982589, 0.40635579]]], [[[0.064003869, -0.021334623]], [[-1.0982589, 0.58207721]]]]
// expect gw = [0.2773501, 0.28005602]
// expect gb = [3, -2]
module @of_the_batch attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<2x2x1x2xf32>) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("g")
    %2 = "top.Input"(%arg1) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %4:3 = "top.BatchNormBwd"(%1, %2, %3, %0, %0) {epsilon = 0.5 : f64}
      : (tensor<2x2x1x2xf32>, tensor<2x2x1x2xf32>, tensor<2xf32>, none, none) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>) loc(fused["gx", "gw", "gb"])
    return %4#0, %4#1, %4#2 : tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// The saved ones are believed; without a weight.
// input g = [[[[0.5, 1]], [[-0.5, -0.75]]], [[[0.75, 0.75]], [[0, -0.75]]]]
// input x = [[[[-0.25, 0.75]], [[1, -0.5]]], [[[-0.75, 0.25]], [[0.5, 0.5]]]]
// input m = [0.25, 0]
// input rstd = [2, 1]
// expect gx = [[[[-1, 1]], [[0.125, -0.3125]]], [[[-1, 0]], [[0.5625, -0.1875]]]]
// expect gw = [-1, -0.5]
// expect gb = [3, -2]
module @saved attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<2x2x1x2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("g")
    %2 = "top.Input"(%arg1) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %3 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("m")
    %4 = "top.Input"(%arg3) : (tensor<2xf32>) -> tensor<2xf32> loc("rstd")
    %5:3 = "top.BatchNormBwd"(%1, %2, %0, %3, %4) {epsilon = 0.5 : f64}
      : (tensor<2x2x1x2xf32>, tensor<2x2x1x2xf32>, none, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>) loc(fused["gx", "gw", "gb"])
    return %5#0, %5#1, %5#2 : tensor<2x2x1x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
