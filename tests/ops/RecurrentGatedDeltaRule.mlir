// Two heads of values share query and key. The state fades, and gets what it lacks of the value.
// input q = [[[[0, 1]]]]
// input k = [[[[0.75, -0.75]]]]
// input v = [[[[0.75, -0.25], [-0.25, 0.25]]]]
// input g = [[[-1, -1]]]
// input b = [[[1, 0.25]]]
// input s = [[[[-0.25, -0.75], [-0.25, -0.25]], [[-0.25, 1], [1, -0.25]]]]
// expect y = [[[[-0.32723493, -0.0039679766], [0.17504407, -0.037089276]]]]
module @one_step attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x2xf32>, %arg1: tensor<1x1x1x2xf32>, %arg2: tensor<1x1x2x2xf32>, %arg3: tensor<1x1x2xf32>, %arg4: tensor<1x1x2xf32>, %arg5: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("v")
    %3 = "top.Input"(%arg3) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("g")
    %4 = "top.Input"(%arg4) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("b")
    %5 = "top.Input"(%arg5) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("s")
    %6 = "top.RecurrentGatedDeltaRule"(%0, %1, %2, %3, %4, %5) {d = 2 : i64, num_k_heads = 1 : i64, num_v_heads = 2 : i64, scale = 0.5 : f64, use_qk_l2norm = false}
      : (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> loc("y")
    return %6 : tensor<1x1x2x2xf32>
  }
}

// -----

// Query and key are brought to length 1 first. Two sequences, whose step has no axis of its own.
// input q = [[0, 1], [0.75, -0.75]]
// input k = [[0.75, -0.75], [0, 1]]
// input v = [[0.75, -0.25, -0.25, 0.25], [0.375, -0.125, -0.125, 0.125]]
// input g = [[-1, -1], [-1, -1]]
// input b = [[1, 0.25], [1, 0.25]]
// input s = [[[[-0.25, -0.75], [-0.25, -0.25]], [[-0.25, 1], [1, -0.25]]], [[[0.25, 0.75], [0.25, 0.25]], [[0.25, -1], [-1, 0.25]]]]
// expect y = [[[[-0.3111497, -0.0035815093], [0.17729615, -0.039341432]]], [[[-0.10006619, 0.14174282], [0.14111353, -0.16550069]]]]
module @normalized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<2x4xf32>, %arg3: tensor<2x2xf32>, %arg4: tensor<2x2xf32>, %arg5: tensor<2x2x2x2xf32>) -> tensor<2x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("v")
    %3 = "top.Input"(%arg3) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("g")
    %4 = "top.Input"(%arg4) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("b")
    %5 = "top.Input"(%arg5) : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> loc("s")
    %6 = "top.RecurrentGatedDeltaRule"(%0, %1, %2, %3, %4, %5) {d = 2 : i64, num_k_heads = 1 : i64, num_v_heads = 2 : i64, scale = 0.5 : f64, use_qk_l2norm = true}
      : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x1x2x2xf32> loc("y")
    return %6 : tensor<2x1x2x2xf32>
  }
}
