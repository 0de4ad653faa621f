// Of one axis.
// input x = [[[0, 1, 2]], [[3, 4, 5]]]
// expect y = [3]
module @axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Size"(%0) {axis = -1 : si32} : (tensor<2x1x3xf32>) -> tensor<1xf32> loc("y")
    return %1 : tensor<1xf32>
  }
}

// -----

// Of all axes.
// input x = [[[0, 1, 2]], [[3, 4, 5]]]
// expect y = [2, 1, 3]
module @all attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Size"(%0) : (tensor<2x1x3xf32>) -> tensor<3xsi32> loc("y")
    return %1 : tensor<3xsi32>
  }
}
