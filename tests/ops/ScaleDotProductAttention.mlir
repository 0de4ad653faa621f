// Two heads, three queries, five keys; the factor is 1 / sqrt(4).
// input q = [[[[1, 1, -1, 1], [-2, 1, 3, -4], [0, 1, -4, 1]], [[4, 3, 2, 3], [-1, -2, -4, 2], [-2, 3, 0, 4]]]]
// input k = [[[[-3, -3, -1, -4], [0, 1, 1, -3], [-3, 1, 1, 4], [4, -1, -3, -2], [3, 0, 4, 1]], [[1, -4, 1, -1], [3, -3, -3, 1], [2, 3, 0, -1], [-2, -1, 1, 0], [-2, -3, 2, -2]]]]
// input v = [[[[-3, -2], [3, 0], [1, -4], [-1, 2], [2, 1]], [[3, -2], [-3, -4], [-3, 2], [4, -3], [0, -3]]]]
// expect y = [[[[-0.3022066, 0.89184135], [0.0009186751, -0.9991102], [-0.9668043, 1.8816069]], [[-2.9998682, 1.9944423], [-2.9964824, -3.9990904], [0.49553552, -0.5055242]]]]
module @heads attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x5x4xf32>, %arg2: tensor<1x2x5x2xf32>) -> tensor<1x2x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<1x2x5x2xf32>) -> tensor<1x2x5x2xf32> loc("v")
    %3 = "top.None"() : () -> none
    %4 = "top.ScaleDotProductAttention"(%0, %1, %2, %3) {scale = 0.0 : f64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x2xf32>, none) -> tensor<1x2x3x2xf32> loc("y")
    return %4 : tensor<1x2x3x2xf32>
  }
}

// -----

// A mask that is broadcast over heads, and a factor.
// input q = [[[[1, 1, -1, 1], [-2, 1, 3, -4], [0, 1, -4, 1]], [[4, 3, 2, 3], [-1, -2, -4, 2], [-2, 3, 0, 4]]]]
// input k = [[[[-3, -3, -1, -4], [0, 1, 1, -3], [-3, 1, 1, 4], [4, -1, -3, -2], [3, 0, 4, 1]], [[1, -4, 1, -1], [3, -3, -3, 1], [2, 3, 0, -1], [-2, -1, 1, 0], [-2, -3, 2, -2]]]]
// input v = [[[[-3, -2], [3, 0], [1, -4], [-1, 2], [2, 1]], [[3, -2], [-3, -4], [-3, 2], [4, -3], [0, -3]]]]
// input mask = [[-1.5, -1000000000.0, 1.6, -0.9, -0.8], [1.3, 0.5, -1.3, -0.3, 1.5], [-0.5, 0.8, -1.6, 0.9, 1.1]]
// expect y = [[[[0.7662986, -2.8756754], [-1.061492, -1.320755], [-0.912317, 1.8459947]], [[-2.997241, 1.9980025], [-2.6870553, -3.9026408], [3.1085153, -2.6848526]]]]
module @mask attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x5x4xf32>, %arg2: tensor<1x2x5x2xf32>, %arg3: tensor<3x5xf32>) -> tensor<1x2x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<1x2x5x2xf32>) -> tensor<1x2x5x2xf32> loc("v")
    %3 = "top.Input"(%arg3) : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("mask")
    %4 = "top.ScaleDotProductAttention"(%0, %1, %2, %3) {scale = 0.25 : f64}
      : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x2xf32>, tensor<3x5xf32>) -> tensor<1x2x3x2xf32> loc("y")
    return %4 : tensor<1x2x3x2xf32>
  }
}

// -----

// The first query sees one key, the last one three.
// input q = [[[[1, 1, -1, 1], [-2, 1, 3, -4], [0, 1, -4, 1]], [[4, 3, 2, 3], [-1, -2, -4, 2], [-2, 3, 0, 4]]]]
// input k = [[[[-3, -3, -1, -4], [0, 1, 1, -3], [-3, 1, 1, 4], [4, -1, -3, -2], [3, 0, 4, 1]], [[1, -4, 1, -1], [3, -3, -3, 1], [2, 3, 0, -1], [-2, -1, 1, 0], [-2, -3, 2, -2]]]]
// input v = [[[[-3, -2], [3, 0], [1, -4], [-1, 2], [2, 1]], [[3, -2], [-3, -4], [-3, 2], [4, -3], [0, -3]]]]
// expect y = [[[[-3, -2], [0, -1], [0.5873592, -3.6641364]], [[3, -2], [-2.997988, -3.9993293], [-2.999552, 1.9848667]]]]
module @causal attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x5x4xf32>, %arg2: tensor<1x2x5x2xf32>) -> tensor<1x2x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<1x2x5x2xf32>) -> tensor<1x2x5x2xf32> loc("v")
    %3 = "top.None"() : () -> none
    %4 = "top.ScaleDotProductAttention"(%0, %1, %2, %3) {is_causal = true}
      : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x2xf32>, none) -> tensor<1x2x3x2xf32> loc("y")
    return %4 : tensor<1x2x3x2xf32>
  }
}

// -----

// Of equal keys all count alike.
// input q = [[1, 2], [3, 4]]
// input k = [[1, 1], [1, 1]]
// input v = [[1], [5]]
// expect y = [[3], [3]]
module @matrix attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("v")
    %3 = "top.None"() : () -> none
    %4 = "top.ScaleDotProductAttention"(%0, %1, %2, %3) {} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, none) -> tensor<2x1xf32> loc("y")
    return %4 : tensor<2x1xf32>
  }
}
