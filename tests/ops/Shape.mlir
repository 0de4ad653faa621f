// All dimensions.
// input x = [[[0, 1, 2]], [[3, 4, 5]]]
// expect y = [2, 1, 3]
module @all attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Shape"(%0) : (tensor<2x1x3xf32>) -> tensor<3xsi32> loc("y")
    return %1 : tensor<3xsi32>
  }
}

// -----

// Every second from the first, as numbers of another dtype.
// input x = [[[0, 1, 2]], [[3, 4, 5]]]
// expect y = [2, 3]
module @some attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Shape"(%0) {start = 0 : i64, step = 2 : i64} : (tensor<2x1x3xf32>) -> tensor<2xf32> loc("y")
    return %1 : tensor<2xf32>
  }
}

// -----

// A step without start or end is left over from a slice that follows.
// input x = [[[0, 1, 2]], [[3, 4, 5]]]
// expect y = [2, 1, 3]
module @step_alone attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Shape"(%0) {step = 2 : i64} : (tensor<2x1x3xf32>) -> tensor<3xsi32> loc("y")
    return %1 : tensor<3xsi32>
  }
}

// -----

// The last two, counted from the end.
// input x = [[[0, 1, 2]], [[3, 4, 5]]]
// expect y = [1, 3]
module @last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<2xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Shape"(%0) {start = -2 : i64, end = 3 : i64, step = 1 : i64} : (tensor<2x1x3xf32>) -> tensor<2xsi32> loc("y")
    return %1 : tensor<2xsi32>
  }
}
