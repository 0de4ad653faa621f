// Two heads of queries share keys and values; the mask is added to the scores.
// input q = [[[[0, 0], [0.5, 1]], [[-1, -0.75], [0.75, 1]]]]
// input k = [[[[0.75, -0.5]], [[-1, -0.5]], [[-0.25, 0.75]]]]
// input v = [[[[0.75, -1]], [[-0.75, -0.5]], [[-0.75, 0.75]]]]
// input m = [[0, 0, -2], [0, 1, 0]]
// expect y = [[[[-0.047534204, -0.65493159], [0.064084663, -0.63777591]], [[-0.57461397, -0.40766753], [-0.34396375, -0.20087803]]]]
module @shared_head attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x2xf32>, %arg3: tensor<2x3xf32>) -> tensor<1x2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("v")
    %4 = "top.Input"(%arg3) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("m")
    %5 = "top.FAttention"(%1, %2, %3, %4, %0) {batch = 1 : i64, dim = 2 : i64, keep_dims = true, kv_head = 1 : i64, mk = 3 : i64, mq = 2 : i64, q_head = 2 : i64, scale = 0.5 : f64}
      : (tensor<1x2x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>, tensor<2x3xf32>, none) -> tensor<1x2x2x2xf32> loc("y")
    return %5 : tensor<1x2x2x2xf32>
  }
}

// -----

// With a mask_size a key after the query is not seen, whatever the mask holds: the last query is at the last
// key. Heads and elements are one axis.
// input q = [[[[0, 0], [0.5, 1]], [[-1, -0.75], [0.75, 1]]]]
// input k = [[[[0.75, -0.5]], [[-1, -0.5]], [[-0.25, 0.75]]]]
// input v = [[[[0.75, -1]], [[-0.75, -0.5]], [[-0.75, 0.75]]]]
// input m = [[7, 7, 7], [7, 7, 7]]
// expect y = [[[0, -0.75, 0.16149475, -0.80383158], [-0.41144683, -0.32176772, -0.21482444, -0.10574267]]]
module @causal attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x2xf32>, %arg3: tensor<2x3xf32>) -> tensor<1x2x4xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("v")
    %4 = "top.Input"(%arg3) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("m")
    %5 = "top.FAttention"(%1, %2, %3, %4, %0) {batch = 1 : i64, dim = 2 : i64, keep_dims = false, kv_head = 1 : i64, mk = 3 : i64, mq = 2 : i64, q_head = 2 : i64, scale = 0.5 : f64, mask_size = 128 : si32}
      : (tensor<1x2x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>, tensor<2x3xf32>, none) -> tensor<1x2x4xf32> loc("y")
    return %5 : tensor<1x2x4xf32>
  }
}

// -----

// Each of two batches has a mask of its own; the tool chain takes the first for both.
// input q = [[[[0.5, 1]]], [[[0.75, 0]]]]
// input k = [[[[0.5, 0.75]], [[-1, 0.75]]], [[[0, 0]], [[0.25, -0.5]]]]
// input v = [[[[0, 0]], [[0, -0.25]]], [[[1, -0.25]], [[0.25, -0.25]]]]
// input m = [[[[0, -1]]], [[[2, 0]]]]
// expect y = [[[[0, -0.0370118]]], [[[0.89474781, -0.25]]]]
module @a_mask_each attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x1x2xf32>, %arg1: tensor<2x2x1x2xf32>, %arg2: tensor<2x2x1x2xf32>, %arg3: tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("v")
    %4 = "top.Input"(%arg3) : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32> loc("m")
    %5 = "top.FAttention"(%1, %2, %3, %4, %0) {batch = 2 : i64, dim = 2 : i64, kv_head = 1 : i64, mk = 2 : i64, mq = 1 : i64, q_head = 1 : i64, scale = 1.0 : f64}
      : (tensor<2x1x1x2xf32>, tensor<2x2x1x2xf32>, tensor<2x2x1x2xf32>, tensor<2x1x1x2xf32>, none) -> tensor<2x1x1x2xf32> loc("y")
    return %5 : tensor<2x1x1x2xf32>
  }
}
