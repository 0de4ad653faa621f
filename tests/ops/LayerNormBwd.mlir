// Rows of three, normalized with an epsilon of 0.5: variance is 1 / sqrt(var + 0.5).
// input g = [[0.5, 0.75, -1], [0.75, 0, 0]]
// input x = [[0.5, 1, 0.75], [0, 1, 1]]
// input m = [[0.75], [0.6666667]]
// input rstd = [[1.3587324], [1.1766968]]
// weight w = [1, 1, 1]
// weight b = [0, 0, 0]
// expect gx = [[0.57920323, 0.89275687, -1.4719601], [0.40731811, -0.20365907, -0.20365907]]
// expect gw = [-0.75818998, 0.25476233, 0]
// expect gb = [1.25, 0.75, -1]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x1xf32>, %arg3: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("g")
    %1 = "top.Input"(%arg1) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %2 = "top.Input"(%arg2) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("m")
    %3 = "top.Input"(%arg3) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("rstd")
    %4 = "top.Weight"() : () -> tensor<3xf32> loc("w")
    %5 = "top.Weight"() : () -> tensor<3xf32> loc("b")
    %6:3 = "top.LayerNormBwd"(%0, %1, %2, %3, %4, %5) {normalized_shape = [3]}
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) loc(fused["gx", "gw", "gb"])
    return %6#0, %6#1, %6#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// Two axes, without weight; the gradients of weight and bias are not asked for.
// input g = [[[0.5, -0.5], [-0.5, 1]], [[-0.75, -0.5], [0.25, 0.75]]]
// input x = [[[1, 0.25], [0.5, 1]], [[0.25, 0.5], [0.75, -0.5]]]
// input m = [[[0.6875]], [[0.25]]]
// input rstd = [[[3.0792014]], [[2.1380899]]]
// expect gx = [[[-0.62724469, 0.57022242], [-0.85533375, 0.91235601]], [[-1.4699368, -0.59179275], [1.3553963, 0.7063333]]]
module @two_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<2x1x1xf32>, %arg3: tensor<2x1x1xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("g")
    %2 = "top.Input"(%arg1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %3 = "top.Input"(%arg2) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> loc("m")
    %4 = "top.Input"(%arg3) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> loc("rstd")
    %5:3 = "top.LayerNormBwd"(%1, %2, %3, %4, %0, %0) {normalized_shape = [2, 2]}
      : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>, none, none) -> (tensor<2x2x2xf32>, none, none) loc(fused["gx", "gw", "gb"])
    return %5#0 : tensor<2x2x2xf32>
  }
}
