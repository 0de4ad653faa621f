// One number a step, one number of state: what the gates make of them by the definition.
// input x = [[[0.5]], [[0.75]]]
// weight w = [[[-1], [0.75], [0], [0]]]
// weight r = [[[0.25], [-0.5], [1], [-1]]]
// weight b = [[-0.5, -0.25, 0.25, -0.25, -0.75, -1, -1, -1]]
// expect y = [[[[-0.036756251]]], [[[-0.04655707]]]]
// expect last_h = [[[-0.04655707]]]
// expect last_c = [[[-0.13833652]]]
module @one_cell attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x1xf32>) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x4x1xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<1x4x1xf32> loc("r")
    %4 = "top.Weight"() : () -> tensor<1x8xf32> loc("b")
    %5:3 = "top.LSTM"(%1, %2, %3, %4, %0, %0, %0) {batch_first = false, bidirectional = false, hidden_size = 1 : i64}
      : (tensor<2x1x1xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x8xf32>, none, none, none) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) loc(fused["y", "last_h", "last_c"])
    return %5#0, %5#1, %5#2 : tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
}

// -----

// Two directions over three steps of two sequences, from given states; the second begins at the end.
// input x = [[[-0.75, 1], [-0.75, 0.25]], [[0.5, -0.5], [-0.5, -0.25]], [[-0.5, 1], [-0.75, 1]]]
// input h = [[[-0.25, 0.25], [0.25, -1]], [[-0.75, 0.5], [0.75, 0.25]]]
// input c = [[[1, -0.25], [-0.5, 0.75]], [[-1, -0.75], [-0.75, -0.25]]]
// weight w = [[[0.75, 0.75], [-0.75, -0.25], [0.25, 0], [0.25, 0.5], [0.25, -1], [1, 0.25], [1, -0.5], [-0.25, 0.75]], [[-0.75, -1], [-0.25, 0.5], [-0.75, 0.75], [-0.25, -0.5], [0, 1], [0.75, 0.75], [-0.5, -1], [0.75, 0.5]]]
// weight r = [[[0.5, -1], [-1, 0], [-0.25, -0.25], [1, -0.75], [0, -0.5], [-0.5, 0.75], [-0.75, -0.5], [-0.75, -0.75]], [[-0.5, 0.5], [0.25, 0], [-0.75, 0.75], [0.75, -0.5], [-1, -0.5], [-0.75, 0.75], [0, 0], [-0.5, 0]]]
// weight b = [[1, -0.5, 0.5, -1, -0.5, 1, 0.75, -1, 0.75, 0.75, 0, -0.25, 1, 1, 0.5, -0.25], [-0.75, 1, -0.5, 0.25, 0.5, -0.5, -0.5, 0.5, -0.75, 0.5, 1, 0.5, 0.25, 0, 1, -0.75]]
// expect y = [[[[0.19883046, -0.080883984], [0.14223909, 0.11032949]], [[-0.39936547, -0.085944355], [-0.018475018, -0.39311825]]], [[[0.51787789, -0.16542464], [0.31564777, -0.065542459]], [[-0.26552332, 0.0047661631], [-0.11972493, -0.36285564]]], [[[0.1950693, -0.31839902], [0.016547856, -0.17760631]], [[-0.68653933, -0.11622974], [-0.39951833, -0.39351003]]]]
// expect last_h = [[[0.1950693, -0.31839902], [0.016547856, -0.17760631]], [[-0.39936547, -0.085944355], [-0.018475018, -0.39311825]]]
// expect last_c = [[[0.35577564, -0.90839622], [0.029444185, -0.53936789]], [[-0.4879621, -0.15505404], [-0.024832106, -0.62166872]]]
module @directions attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2x2xf32>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<2x2x2xf32>) -> (tensor<3x2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("h")
    %3 = "top.Input"(%arg2) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("c")
    %4 = "top.Weight"() : () -> tensor<2x8x2xf32> loc("w")
    %5 = "top.Weight"() : () -> tensor<2x8x2xf32> loc("r")
    %6 = "top.Weight"() : () -> tensor<2x16xf32> loc("b")
    %7:3 = "top.LSTM"(%1, %4, %5, %6, %2, %3, %0) {batch_first = false, bidirectional = true, hidden_size = 2 : i64}
      : (tensor<3x2x2xf32>, tensor<2x8x2xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, none) -> (tensor<3x2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) loc(fused["y", "last_h", "last_c"])
    return %7#0, %7#1, %7#2 : tensor<3x2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>
  }
}

// -----

// The sequences first, in input, states and results.
// input x = [[[-0.75], [0.75]], [[0.75], [-0.25]]]
// input h = [[[0.5, -0.75], [-0.5, 1]], [[0.25, -0.25], [0, 1]]]
// input c = [[[-0.75, 0], [-1, 0.5]], [[-0.25, 0], [-0.25, 0.75]]]
// weight w = [[[-1], [0.5], [-1], [0.25], [-0.75], [1], [0.5], [1]], [[0.25], [0.5], [-0.25], [0.75], [-0.75], [-0.75], [-0.25], [0.5]]]
// weight r = [[[0, 0.75], [1, -0.25], [-0.25, 0], [0.25, 0], [0.25, 1], [0.5, -0.5], [-0.25, -0.25], [-0.75, -1]], [[0.75, -0.25], [-0.25, 0.25], [0.25, 1], [0.25, 1], [0.25, -0.5], [-0.5, 1], [0.25, -0.75], [0.75, 0.75]]]
// weight b = [[-1, -0.75, 0.5, -0.25, -0.25, -1, -0.75, 0.75, 0.75, 0.75, 0.25, -0.75, -0.5, 0, 1, -0.5], [0, 0, 0, 0, 0.5, -1, 1, 0.75, 0.5, -0.5, -0.25, 0, -0.5, -1, 0.5, -1]]
// expect y = [[[[-0.20353733, -0.018412307], [0.2512332, -0.0152526]], [[0.053754596, 0.11741598], [-0.013058275, 0.2830944]]], [[[0.040595913, 0.15410289], [0.26565597, 0.15782933]], [[0.053878034, 0.0066917266], [0.17692404, 0.24911207]]]]
// expect last_h = [[[0.053754596, 0.11741598], [0.2512332, -0.0152526]], [[0.053878034, 0.0066917266], [0.26565597, 0.15782933]]]
// expect last_c = [[[0.10522904, 0.41869381], [0.48896131, -0.035502638]], [[0.074035813, 0.025865123], [0.65124273, 0.22880587]]]
module @batch_first attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1xf32>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<2x2x2xf32>) -> (tensor<2x2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("h")
    %3 = "top.Input"(%arg2) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("c")
    %4 = "top.Weight"() : () -> tensor<2x8x1xf32> loc("w")
    %5 = "top.Weight"() : () -> tensor<2x8x2xf32> loc("r")
    %6 = "top.Weight"() : () -> tensor<2x16xf32> loc("b")
    %7:3 = "top.LSTM"(%1, %4, %5, %6, %2, %3, %0) {batch_first = true, bidirectional = true, hidden_size = 2 : i64}
      : (tensor<2x2x1xf32>, tensor<2x8x1xf32>, tensor<2x8x2xf32>, tensor<2x16xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, none) -> (tensor<2x2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) loc(fused["y", "last_h", "last_c"])
    return %7#0, %7#1, %7#2 : tensor<2x2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>
  }
}

// -----

// A 0 begins a sequence anew; no bias; only the last states are results.
// input x = [[[-0.75]], [[-0.25]], [[-1]]]
// input cont = [[1], [1], [0]]
// weight w = [[[0.75], [0], [-0.25], [1]]]
// weight r = [[[0.25], [1], [0.5], [0.25]]]
// expect last_h = [[[-0.11979336]]]
// expect last_c = [[[-0.24433563]]]
module @begins_anew attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x1x1xf32>, %arg1: tensor<3x1xf32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<3x1x1xf32>) -> tensor<3x1x1xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<3x1xf32>) -> tensor<3x1xf32> loc("cont")
    %3 = "top.Weight"() : () -> tensor<1x4x1xf32> loc("w")
    %4 = "top.Weight"() : () -> tensor<1x4x1xf32> loc("r")
    %5:3 = "top.LSTM"(%1, %3, %4, %0, %0, %0, %2) {batch_first = false, bidirectional = false, hidden_size = 1 : i64}
      : (tensor<3x1x1xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, none, none, none, tensor<3x1xf32>) -> (none, tensor<1x1x1xf32>, tensor<1x1x1xf32>) loc(fused["last_h", "last_c"])
    return %5#1, %5#2 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
}
