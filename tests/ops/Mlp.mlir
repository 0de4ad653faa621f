// Gate and up are transposed, down is not; each has a bias.
// input x = [[[1, 1], [0.25, 0]]]
// weight g = [[-1, -0.5], [1, 0.75], [-0.5, 0.5]]
// weight u = [[0, 0], [-1, 1], [0, -0.5]]
// weight d = [[0.75, 0.5], [0.75, 0.5], [-0.75, 0]]
// weight gb = [-0.75, 0.5, -1]
// weight ub = [-0.25, 1, 0.5]
// weight db = [1, 0]
// expect y = [[[2.5668233, 1.0445489], [1.4403503, 0.22463669]]]
module @biases attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<3x2xf32> loc("g")
    %3 = "top.Weight"() : () -> tensor<3x2xf32> loc("u")
    %4 = "top.Weight"() : () -> tensor<3x2xf32> loc("d")
    %5 = "top.Weight"() : () -> tensor<3xf32> loc("gb")
    %6 = "top.Weight"() : () -> tensor<3xf32> loc("ub")
    %7 = "top.Weight"() : () -> tensor<2xf32> loc("db")
    %8 = "top.Mlp"(%1, %2, %3, %4, %5, %6, %7, %0, %0, %0, %0, %0, %0, %0) {right_transpose_down = false, right_transpose_gate = true, right_transpose_up = true}
      : (tensor<1x2x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, none, none, none, none, none, none, none) -> tensor<1x2x2xf32> loc("y")
    return %8 : tensor<1x2x2xf32>
  }
}

// -----

// Each token goes through two of three experts; here gate and up are as they are and down is transposed.
// input x = [[[1, 1], [0.25, 0]]]
// weight g = [[[-0.5, 1], [0.5, -0.25]], [[-0.75, 0.75], [-0.25, 0.25]], [[0.25, -0.5], [-0.25, 1]]]
// weight u = [[[-0.25, -0.75], [0, 0.25]], [[-0.5, 0.75], [-0.5, -0.5]], [[-1, 0.5], [0.25, 0]]]
// weight d = [[[0, -0.5], [-1, -0.5]], [[0.5, -0.75], [0, 0.75]], [[0, 0.75], [-0.5, -1]]]
// input ids = [[2, 0], [1, 2]]
// expect y = [[[0.11671112, -0.15561483], [0.12734601, 0.12734601]], [[-0.0091042851, 0.014415947], [-0.0054936402, 0.011353134]]]
module @experts attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>, %arg1: tensor<2x2xsi32>) -> tensor<2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<3x2x2xf32> loc("g")
    %3 = "top.Weight"() : () -> tensor<3x2x2xf32> loc("u")
    %4 = "top.Weight"() : () -> tensor<3x2x2xf32> loc("d")
    %5 = "top.Input"(%arg1) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("ids")
    %6 = "top.Mlp"(%1, %2, %3, %4, %0, %0, %0, %5, %0, %0, %0, %0, %0, %0) {is_expert = true, num_expert = 3 : i64, num_expert_per_tok = 2 : i64, right_transpose_down = true, right_transpose_gate = false, right_transpose_up = false}
      : (tensor<1x2x2xf32>, tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<3x2x2xf32>, none, none, none, tensor<2x2xsi32>, none, none, none, none, none, none) -> tensor<2x2x2xf32> loc("y")
    return %6 : tensor<2x2x2xf32>
  }
}
