// The first channel is scanned from the first step to the last, the second one back.
// input c = [[[[-0.25]], [[1]]], [[[1]], [[-0.5]]], [[[-0.25]], [[-0.5]]]]
// input a = [[[[1], [0.25], [-0.5]], [[0.25], [0], [0]]]]
// input b = [[[[0.5], [-1], [0.5]], [[0.5], [0.75], [-0.5]]]]
// input u = [[[-0.5], [-0.5]], [[-0.5], [0]], [[0], [-1]]]
// input d = [1, 0.75]
// expect y = [[[-0.625], [0.3125]], [[-1.375], [-0.375]], [[-0.234375], [-0.5]]]
module @there_and_back attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2x1x1xf32>, %arg1: tensor<1x2x3x1xf32>, %arg2: tensor<1x2x3x1xf32>, %arg3: tensor<3x2x1xf32>, %arg4: tensor<2xf32>) -> tensor<3x2x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2x1x1xf32>) -> tensor<3x2x1x1xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<1x2x3x1xf32>) -> tensor<1x2x3x1xf32> loc("a")
    %2 = "top.Input"(%arg2) : (tensor<1x2x3x1xf32>) -> tensor<1x2x3x1xf32> loc("b")
    %3 = "top.Input"(%arg3) : (tensor<3x2x1xf32>) -> tensor<3x2x1xf32> loc("u")
    %4 = "top.Input"(%arg4) : (tensor<2xf32>) -> tensor<2xf32> loc("d")
    %5 = "top.SelectiveScan"(%0, %1, %2, %3, %4) {}
      : (tensor<3x2x1x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32>, tensor<3x2x1xf32>, tensor<2xf32>) -> tensor<3x2x1xf32> loc("y")
    return %5 : tensor<3x2x1xf32>
  }
}

// -----

// Two sequences; without Ds nothing of us is added.
// input c = [[[[-0.25, 0.5]], [[-0.25, -1]]], [[[1, 1]], [[0.25, 0.5]]]]
// input a = [[[[-1, 0.5], [0.75, 0]], [[0.75, 0.75], [1, -0.25]]]]
// input b = [[[[0, -0.5], [0.25, 0.75]], [[1, -0.5], [0.25, -0.75]]]]
// input u = [[[0.75, 0.25], [0.5, 0.75]], [[0.25, -0.75], [0.75, -0.25]]]
// expect y = [[[0, -0.25], [-0.296875, 1.0625]], [[0.25, 0.75], [0.0625, -0.375]]]
module @without_ds attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>, %arg1: tensor<1x2x2x2xf32>, %arg2: tensor<1x2x2x2xf32>, %arg3: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("c")
    %2 = "top.Input"(%arg1) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("a")
    %3 = "top.Input"(%arg2) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("b")
    %4 = "top.Input"(%arg3) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("u")
    %5 = "top.SelectiveScan"(%1, %2, %3, %4, %0) {}
      : (tensor<2x2x1x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<2x2x2xf32>, none) -> tensor<2x2x2xf32> loc("y")
    return %5 : tensor<2x2x2xf32>
  }
}
