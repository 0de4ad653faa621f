// A factor a channel: half of what is negative in the first, twice in the second.
// input x = [[[-2, 1], [-2, 3]]]
// weight s = [0.5, 2]
// expect y = [[[-1, 1], [-4, 3]]]
module @channels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("s")
    %2 = "top.PRelu"(%0, %1) : (tensor<1x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %2 : tensor<1x2x2xf32>
  }
}

// -----

// One factor for all; NaN and infinities.
// input x = ["nan", "-inf", "inf", -4, 0]
// weight s = [0.25]
// expect y = ["nan", "-inf", "inf", -1, 0]
module @for_all attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1xf32> loc("s")
    %2 = "top.PRelu"(%0, %1) : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32> loc("y")
    return %2 : tensor<5xf32>
  }
}

// -----

// A factor an element of the last axis.
// input x = [[[-1, -1], [-2, -2]]]
// weight s = [[[0.5, 2]]]
// expect y = [[[-0.5, -2], [-1, -4]]]
module @elements attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x1x2xf32> loc("s")
    %2 = "top.PRelu"(%0, %1) : (tensor<1x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %2 : tensor<1x2x2xf32>
  }
}
