// A value has other elements than a key. The bitmap says what the mask says, and changes nothing.
// input q = [[[[0, 0], [0.5, 1]], [[-1, -0.75], [0.75, 1]]]]
// input k = [[[[0.75, -0.5]], [[-1, -0.5]], [[-0.25, 0.75]]]]
// input v = [[[[1, 0.25, 0.5]], [[1, 0.25, 0.5]], [[0.75, -0.5, -1]]]]
// input m = [[[[0, 0, -2]], [[0, 1, 0]]]]
// input blocks = [[1]]
// expect y = [[[[0.98415527, 0.2024658, 0.40493159], [0.97328287, 0.16984861, 0.33969723]], [[0.9698411, 0.15952331, 0.31904662], [0.91310652, -0.010680432, -0.021360863]]]]
// expect lse = [[[[0.75862368], [0.54865602]], [[1.9587309], [1.3380279]]]]
module @own_values attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x3xf32>, %arg3: tensor<1x2x1x3xf32>, %arg4: tensor<1x1xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x3x1x3xf32>) -> tensor<1x3x1x3xf32> loc("v")
    %4 = "top.Input"(%arg3) : (tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32> loc("m")
    %5 = "top.Input"(%arg4) : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("blocks")
    %6:2 = "top.FlexAttention"(%1, %2, %3, %4, %5, %0) {batch = 1 : i64, flex_block = 128 : si32, has_lse = true, kv_head = 1 : i64, mk = 3 : i64, mq = 2 : i64, q_head = 2 : i64, qk_d = 2 : i64, scale = 0.5 : f64, v_d = 3 : i64}
      : (tensor<1x2x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x3xf32>, tensor<1x2x1x3xf32>, tensor<1x1xf32>, none) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x1xf32>) loc(fused["y", "lse"])
    return %6#0, %6#1 : tensor<1x2x2x3xf32>, tensor<1x2x2x1xf32>
  }
}

// -----

// Without logarithms 0 stands where they would.
// input q = [[[[0, 0], [0.5, 1]], [[-1, -0.75], [0.75, 1]]]]
// input k = [[[[0.75, -0.5]], [[-1, -0.5]], [[-0.25, 0.75]]]]
// input v = [[[[1, 0.25, 0.5]], [[1, 0.25, 0.5]], [[0.75, -0.5, -1]]]]
// expect y = [[[0.91666667, 0, 0, 0.8826862, -0.1019414, -0.2038828], [0.94178333, 0.07535, 0.1507, 0.88547016, -0.09358951, -0.18717902]]]
// expect lse = [0]
module @no_logarithms attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x3xf32>) -> (tensor<1x2x6xf32>, tensor<1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("q")
    %2 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x3x1x3xf32>) -> tensor<1x3x1x3xf32> loc("v")
    %4:2 = "top.FlexAttention"(%1, %2, %3, %0, %0, %0) {batch = 1 : i64, keep_dims = false, kv_head = 1 : i64, mk = 3 : i64, mq = 2 : i64, q_head = 2 : i64, qk_d = 2 : i64, scale = 0.5 : f64, v_d = 3 : i64}
      : (tensor<1x2x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x3xf32>, none, none, none) -> (tensor<1x2x6xf32>, tensor<1xf32>) loc(fused["y", "lse"])
    return %4#0, %4#1 : tensor<1x2x6xf32>, tensor<1xf32>
  }
}
