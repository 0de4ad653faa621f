// Beside the result the logarithm of the sum of powers, of each query and head.
// input q = [[[[0, 0], [0.5, 1]], [[-1, -0.75], [0.75, 1]]]]
// input k = [[[[0.75, -0.5]], [[-1, -0.5]], [[-0.25, 0.75]]]]
// input v = [[[[0.75, -1]], [[-0.75, -0.5]], [[-0.75, 0.75]]]]
// expect y = [[[[-0.25, -0.25], [-0.2662289, -0.074688034]], [[-0.41144683, -0.32176772], [-0.21482444, -0.10574267]]]]
// expect lse = [[[[1.0986123], [1.0691085]], [[1.3010392], [1.0618755]]]]
module @logarithms attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("v")
    %4:2 = "top.FAttentionLse"(%1, %2, %3, %0, %0) {batch = 1 : i64, dim = 2 : i64, keep_dims = true, kv_head = 1 : i64, mk = 3 : i64, mq = 2 : i64, q_head = 2 : i64, scale = 0.5 : f64}
      : (tensor<1x2x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>, none, none) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x1xf32>) loc(fused["y", "lse"])
    return %4#0, %4#1 : tensor<1x2x2x2xf32>, tensor<1x2x2x1xf32>
  }
}

// -----

// Causal, heads and elements as one axis.
// input q = [[[[0, 0], [0.5, 1]], [[-1, -0.75], [0.75, 1]]]]
// input k = [[[[0.75, -0.5]], [[-1, -0.5]], [[-0.25, 0.75]]]]
// input v = [[[[0.75, -1]], [[-0.75, -0.5]], [[-0.75, 0.75]]]]
// input m = [[0, 0, -2], [0, 1, 0]]
// expect y = [[[0, -0.75, 0.16149475, -0.80383158], [-0.41144683, -0.32176772, -0.21482444, -0.10574267]]]
// expect lse = [[[0.69314718, 0.43563455], [1.3010392, 1.0618755]]]
module @causal attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x2xf32>, %arg3: tensor<2x3xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("v")
    %4 = "top.Input"(%arg3) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("m")
    %5:2 = "top.FAttentionLse"(%1, %2, %3, %4, %0) {batch = 1 : i64, dim = 2 : i64, keep_dims = false, kv_head = 1 : i64, mk = 3 : i64, mq = 2 : i64, q_head = 2 : i64, scale = 0.5 : f64, mask_size = 128 : si32}
      : (tensor<1x2x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>, tensor<2x3xf32>, none) -> (tensor<1x2x4xf32>, tensor<1x2x2xf32>) loc(fused["y", "lse"])
    return %5#0, %5#1 : tensor<1x2x4xf32>, tensor<1x2x2xf32>
  }
}
