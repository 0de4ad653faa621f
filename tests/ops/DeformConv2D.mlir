// A kernel of one element, sampled beside its place: at the place itself, half a column to the right, half a row down,
// and outside, where there is 0. Half of a sample at the edge lies outside too.
// input x = [[[[1, 2], [3, 4]]]]
// input o = [[[[0, 0], [0.5, 5]], [[0, 0.5], [0, 0]]]]
// weight w = [[[[10]]]]
// weight b = [1]
// expect y = [[[[11, 11], [16, 1]]]]
module @shifted attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>, %arg1: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("o")
    %3 = "top.Weight"() : () -> tensor<1x1x1x1xf32> loc("w")
    %4 = "top.Weight"() : () -> tensor<1xf32> loc("b")
    %5 = "top.DeformConv2D"(%1, %3, %2, %0, %4) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]}
      : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>, tensor<1x2x2x2xf32>, none, tensor<1xf32>) -> tensor<1x1x2x2xf32> loc("y")
    return %5 : tensor<1x1x2x2xf32>
  }
}

// -----

// A kernel of two elements over a line of two channels, which are shifted apart: the first not at all, the second by a
// quarter to the left. The mask halves the second element of the first channel and drops the first of the second.
// First channel: 1 * 1 + 10 * 2 * 0.5; second: 1000 * 0 + 100 * (4 * 0.25 + 8 * 0.75) * 1.
// input x = [[[[1, 2]], [[4, 8]]]]
// input o = [[[[0]], [[0]], [[0]], [[0]], [[0]], [[-0.25]], [[0]], [[-0.25]]]]
// input m = [[[[1]], [[0.5]], [[0]], [[1]]]]
// weight w = [[[[1, 10]], [[1000, 100]]]]
// expect y = [[[[711]]]]
module @mask_and_groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>, %arg1: tensor<1x8x1x1xf32>, %arg2: tensor<1x4x1x1xf32>) -> tensor<1x1x1x1xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> loc("o")
    %3 = "top.Input"(%arg2) : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32> loc("m")
    %4 = "top.Weight"() : () -> tensor<1x2x1x2xf32> loc("w")
    %5 = "top.DeformConv2D"(%1, %4, %2, %3, %0) {deform_group = 2 : i64, kernel_shape = [1, 2], pads = [0, 0, 0, 0], strides = [1, 1], use_mask = true}
      : (tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>, tensor<1x8x1x1xf32>, tensor<1x4x1x1xf32>, none) -> tensor<1x1x1x1xf32> loc("y")
    return %5 : tensor<1x1x1x1xf32>
  }
}

// -----

// Two groups, each with one channel in and out, a stride of 2 and a Relu with a limit.
// input x = [[[[1, 2, 3]], [[-4, 5, -6]]]]
// input o = [[[[0, 0]], [[1, 0]]]]
// weight w = [[[[1]]], [[[-1]]]]
// expect y = [[[[2, 3]], [[0, 5]]]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x3xf32>, %arg1: tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("o")
    %3 = "top.Weight"() : () -> tensor<2x1x1x1xf32> loc("w")
    %4 = "top.DeformConv2D"(%1, %3, %2, %0, %0) {do_relu = true, group = 2 : i64, kernel_shape = [1, 1], pads = [0, 0, 0, 0], relu_limit = 5.0 : f64, strides = [1, 2]}
      : (tensor<1x2x1x3xf32>, tensor<2x1x1x1xf32>, tensor<1x2x1x2xf32>, none, none) -> tensor<1x2x1x2xf32> loc("y")
    return %4 : tensor<1x2x1x2xf32>
  }
}
