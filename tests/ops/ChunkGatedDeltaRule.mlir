// Three steps of the recurrent rule; chunks and constants change nothing.
// input q = [[[[0.25, 1]], [[0.75, 0.5]], [[0.5, -0.75]]]]
// input k = [[[[-1, 0.5]], [[0.25, -0.25]], [[-0.25, 0.75]]]]
// input v = [[[[0, 0.25], [-0.25, -1]], [[0.25, -1], [-0.5, 0.75]], [[0, 0.25], [1, -0.5]]]]
// input g = [[[-0.5, -0.75], [-0.75, -0.5], [-0.25, -0.25]]]
// input b = [[[1, 0.25], [0.5, 0], [0, 0.5]]]
// input s = [[[[0, 1], [-0.75, -1]], [[0, -0.5], [-0.5, 0.25]]]]
// weight triu = [[1, 1], [0, 1]]
// weight strict = [[0, 1], [0, 0]]
// weight tril = [[1, 0], [1, 1]]
// weight eye = [[1, 0], [0, 1]]
// expect y = [[[[-0.19859207, -0.10527849], [-0.11848059, -0.005635216]], [[-0.074157776, -0.13044089], [-0.034300294, 0.0078171068]], [[0.073257315, -0.19243712], [-0.21581052, 0.12706378]]]]
module @three_steps attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x1x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x2x2xf32>, %arg3: tensor<1x3x2xf32>, %arg4: tensor<1x3x2xf32>, %arg5: tensor<1x2x2x2xf32>) -> tensor<1x3x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32> loc("v")
    %3 = "top.Input"(%arg3) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("g")
    %4 = "top.Input"(%arg4) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("b")
    %5 = "top.Input"(%arg5) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("s")
    %6 = "top.Weight"() : () -> tensor<2x2xf32> loc("triu")
    %7 = "top.Weight"() : () -> tensor<2x2xf32> loc("strict")
    %8 = "top.Weight"() : () -> tensor<2x2xf32> loc("tril")
    %9 = "top.Weight"() : () -> tensor<2x2xf32> loc("eye")
    %10 = "top.ChunkGatedDeltaRule"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9) {chunk_size = 2 : i64, d = 2 : i64, num_k_heads = 1 : i64, num_v_heads = 2 : i64, scale = 0.5 : f64, use_qk_l2norm = true}
      : (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<1x2x2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<1x3x2x2xf32> loc("y")
    return %10 : tensor<1x3x2x2xf32>
  }
}
