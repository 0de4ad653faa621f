// One head; keys and values come of another tensor, and a mask hides the last key.
// input x = [[[-0.75, -0.75, 0.75], [0, 0.25, 0.25]]]
// input k = [[[0.25, -0.5], [1, 1], [-1, -0.75]]]
// input v = [[[0.5, -0.25], [1.25, 1.25], [-0.75, -0.5]]]
// weight qw = [[1, 0.75], [0.75, 0.75], [-1, 0.75]]
// weight qb = [0.5, 0.75]
// weight kw = [[-0.75, 0.75], [0.25, -0.25]]
// weight kb = [1, -0.25]
// weight vw = [[1, 0.5], [0.5, 0.75]]
// weight vb = [0.25, -0.25]
// weight ow = [[0, 0.25, 0.75], [-0.25, 0.5, -1]]
// weight ob = [1, -0.5, -0.5]
// input m = [[[0, 0, -10000]]]
// expect y = [[[0.84402855, 0.17103936, -0.046596452], [0.85333461, 0.14312117, -0.03729039]]]
module @one_head attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3xf32>, %arg1: tensor<1x3x2xf32>, %arg2: tensor<1x3x2xf32>, %arg3: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("k")
    %2 = "top.Input"(%arg2) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("v")
    %3 = "top.Weight"() : () -> tensor<3x2xf32> loc("qw")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("qb")
    %5 = "top.Weight"() : () -> tensor<2x2xf32> loc("kw")
    %6 = "top.Weight"() : () -> tensor<2xf32> loc("kb")
    %7 = "top.Weight"() : () -> tensor<2x2xf32> loc("vw")
    %8 = "top.Weight"() : () -> tensor<2xf32> loc("vb")
    %9 = "top.Weight"() : () -> tensor<2x3xf32> loc("ow")
    %10 = "top.Weight"() : () -> tensor<3xf32> loc("ob")
    %11 = "top.Input"(%arg3) : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32> loc("m")
    %12 = "top.Attention"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11) {head = 1 : i64, scale = 0.5 : f64}
      : (tensor<1x2x3xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<1x1x3xf32>) -> tensor<1x2x3xf32> loc("y")
    return %12 : tensor<1x2x3xf32>
  }
}

// -----

// Two heads of two elements, each from columns of its own, no bias and no mask.
// input x = [[[-0.75, -0.75, 0.75], [0, 0.25, 0.25]]]
// input k = [[[-0.75, -0.75, 0.75], [0, 0.25, 0.25]]]
// input v = [[[-0.75, -0.75, 0.75], [0, 0.25, 0.25]]]
// weight qw = [[-1, 0.5, -0.25, 0.25], [-0.5, -0.75, 0.25, -0.75], [-0.75, 0.25, 0.25, 0.75]]
// weight kw = [[-0.25, -0.5, 0.5, -0.25], [0.75, 0.25, -0.75, 0], [-0.25, 0.25, 0.25, 0.25]]
// weight vw = [[0, -0.75, 0.75, -1], [-0.5, -0.75, 0, -0.25], [-0.75, -1, 0.25, -0.75]]
// weight ow = [[0.75, 0, 0], [-0.5, -0.25, -1], [-0.25, 0.5, 0.5], [0.75, 0, 0]]
// expect y = [[[-0.0080049983, -0.076429683, -0.008676741], [-0.091210345, -0.083026377, -0.087479938]]]
module @two_heads attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3xf32>, %arg1: tensor<1x2x3xf32>, %arg2: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("k")
    %3 = "top.Input"(%arg2) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("v")
    %4 = "top.Weight"() : () -> tensor<3x4xf32> loc("qw")
    %5 = "top.Weight"() : () -> tensor<3x4xf32> loc("kw")
    %6 = "top.Weight"() : () -> tensor<3x4xf32> loc("vw")
    %7 = "top.Weight"() : () -> tensor<4x3xf32> loc("ow")
    %8 = "top.Attention"(%1, %2, %3, %4, %0, %5, %0, %6, %0, %7, %0, %0) {head = 2 : i64, scale = 1.0 : f64}
      : (tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<3x4xf32>, none, tensor<3x4xf32>, none, tensor<3x4xf32>, none, tensor<4x3xf32>, none, none) -> tensor<1x2x3xf32> loc("y")
    return %8 : tensor<1x2x3xf32>
  }
}
