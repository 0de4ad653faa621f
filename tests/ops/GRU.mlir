// The reset gate is applied after the product with the state's weights.
// input x = [[[0]], [[-0.75]]]
// weight w = [[[0.5], [0.75], [0.5]]]
// weight r = [[[-0.25], [-1], [0.5]]]
// weight b = [[-1, 0.75, -0.75, -0.5, -0.75, 0]]
// expect y = [[[[-0.51928157]]], [[[-0.79985578]]]]
// expect last_h = [[[-0.79985578]]]
module @reset_after attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x1xf32>) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x3x1xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<1x3x1xf32> loc("r")
    %4 = "top.Weight"() : () -> tensor<1x6xf32> loc("b")
    %5:2 = "top.GRU"(%1, %2, %3, %4, %0) {batch_first = false, bidirectional = false, hidden_size = 1 : i64}
      : (tensor<2x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>, none) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>) loc(fused["y", "last_h"])
    return %5#0, %5#1 : tensor<2x1x1x1xf32>, tensor<1x1x1xf32>
  }
}

// -----

// The reset gate is applied to the state, before the product.
// input x = [[[-0.75, -0.5], [-1, 1]], [[-0.75, -0.75], [0.25, -0.75]]]
// input h = [[[-1, -0.5], [-1, 1]]]
// weight w = [[[0.75, 0.75], [-0.25, -0.25], [-0.25, 0.5], [-0.25, -0.5], [0.5, -0.75], [0.75, -0.25]]]
// weight r = [[[1, -0.5], [-0.25, 0.75], [0.5, -1], [-0.25, -1], [0.75, -0.25], [-0.5, 0.5]]]
// weight b = [[0.75, -1, 0, -0.25, 0.5, 1, 0, 0.5, -0.5, 0.25, 0, 0.5]]
// expect y = [[[[-0.056685219, 0.24077757], [-0.83353623, 0.86131008]]], [[[0.33803988, 0.527333], [0.30753457, 0.90293468]]]]
// expect last_h = [[[0.33803988, 0.527333], [0.30753457, 0.90293468]]]
module @reset_before attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<1x2x2xf32>) -> (tensor<2x1x2x2xf32>, tensor<1x2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("h")
    %2 = "top.Weight"() : () -> tensor<1x6x2xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<1x6x2xf32> loc("r")
    %4 = "top.Weight"() : () -> tensor<1x12xf32> loc("b")
    %5:2 = "top.GRU"(%0, %2, %3, %4, %1) {batch_first = false, bidirectional = false, hidden_size = 2 : i64, linear_before_reset = false}
      : (tensor<2x2x2xf32>, tensor<1x6x2xf32>, tensor<1x6x2xf32>, tensor<1x12xf32>, tensor<1x2x2xf32>) -> (tensor<2x1x2x2xf32>, tensor<1x2x2xf32>) loc(fused["y", "last_h"])
    return %5#0, %5#1 : tensor<2x1x2x2xf32>, tensor<1x2x2xf32>
  }
}

// -----

// Two directions, the sequences first.
// input x = [[[0.75], [-1], [0.25]], [[0.75], [0.25], [-0.25]]]
// input h = [[[-0.5, -0.25], [1, -0.25]], [[0, -1], [-0.75, -0.75]]]
// weight w = [[[0], [0.75], [0.25], [0], [0.5], [0.5]], [[0], [0.75], [0.25], [0.25], [0], [0.25]]]
// weight r = [[[0.25, 1], [-0.5, -0.25], [0, -0.25], [0.5, 0.75], [-0.75, -1], [1, 0]], [[0.5, 0.5], [1, -1], [-0.5, 1], [-0.25, -0.25], [-0.5, -1], [-1, 1]]]
// weight b = [[-1, -0.75, -0.5, -0.5, 0.75, -0.5, -0.75, -0.25, 0.5, 0, -0.5, -0.75], [-1, 0, -0.75, 0.25, 0.5, -0.25, 0, -1, 0, -0.75, 0, -1]]
// expect y = [[[[0.69007286, -0.35286479], [0.52073429, -0.71619319]], [[0.039006009, -0.72180539], [0.51963077, -0.69144255]], [[0.69812782, -0.58279029], [0.62453001, -0.44599603]]], [[[0.83786405, -0.6085342], [0.51870086, -0.73404917]], [[0.56029841, -0.40049379], [0.49996409, -0.71609642]], [[0.37081026, -0.56080699], [0.43659431, -0.66912405]]]]
// expect last_h = [[[0.69812782, -0.58279029], [0.52073429, -0.71619319]], [[0.37081026, -0.56080699], [0.51870086, -0.73404917]]]
module @directions attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x1xf32>, %arg1: tensor<2x2x2xf32>) -> (tensor<2x3x2x2xf32>, tensor<2x2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("h")
    %2 = "top.Weight"() : () -> tensor<2x6x1xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<2x6x2xf32> loc("r")
    %4 = "top.Weight"() : () -> tensor<2x12xf32> loc("b")
    %5:2 = "top.GRU"(%0, %2, %3, %4, %1) {batch_first = true, bidirectional = true, hidden_size = 2 : i64}
      : (tensor<2x3x1xf32>, tensor<2x6x1xf32>, tensor<2x6x2xf32>, tensor<2x12xf32>, tensor<2x2x2xf32>) -> (tensor<2x3x2x2xf32>, tensor<2x2x2xf32>) loc(fused["y", "last_h"])
    return %5#0, %5#1 : tensor<2x3x2x2xf32>, tensor<2x2x2xf32>
  }
}

// -----

// No bias; only the last state is a result.
// input x = [[[-1]], [[0]]]
// weight w = [[[1], [0], [-0.25]]]
// weight r = [[[0.25], [-0.75], [0.5]]]
// expect last_h = [[[0.1119299]]]
module @last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x1xf32>) -> tensor<1x1x1xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x3x1xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<1x3x1xf32> loc("r")
    %4:2 = "top.GRU"(%1, %2, %3, %0, %0) {batch_first = false, bidirectional = false, hidden_size = 1 : i64}
      : (tensor<2x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, none, none) -> (none, tensor<1x1x1xf32>) loc("last_h")
    return %4#1 : tensor<1x1x1xf32>
  }
}
