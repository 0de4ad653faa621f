// Each element of a line is spread by the kernel 1, 2, 3, two apart: 1, 2, 3 + 10, 20, 30. One is cut off in front, one
// more is added behind.
// input x = [[[1, 10]]]
// weight w = [[[1, 2, 3]]]
// weight b = [1000]
// expect y = [[[1002, 1013, 1020, 1030, 1000]]]
module @line attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2xf32>) -> tensor<1x1x5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x1x3xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<1xf32> loc("b")
    %3 = "top.Deconv"(%0, %1, %2) {kernel_shape = [3], output_padding = [1], pads = [1, 0], strides = [2]}
      : (tensor<1x1x2xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x5xf32> loc("y")
    return %3 : tensor<1x1x5xf32>
  }
}

// -----

// One element of two channels and a 2x2 kernel, two output channels of which each takes both: 1 * 1 + 2 * 10, .. and, of
// ones and minus ones, 1 - 2. The Relu holds the results between 0 and 50.
// input x = [[[[1]], [[2]]]]
// weight w = [[[[1, 2], [3, 4]], [[10, 20], [30, 40]]], [[[1, 1], [1, -1]], [[-1, -1], [-1, 1]]]]
// expect y = [[[[21, 42], [50, 50]], [[0, 0], [0, 1]]]]
module @channels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x1xf32>) -> tensor<1x2x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x2x2x2xf32> loc("w")
    %3 = "top.Deconv"(%1, %2, %0) {do_relu = true, kernel_shape = [2, 2], pads = [0, 0, 0, 0], relu_limit = 50.0 : f64, strides = [1, 1]}
      : (tensor<1x2x1x1xf32>, tensor<2x2x2x2xf32>, none) -> tensor<1x2x2x2xf32> loc("y")
    return %3 : tensor<1x2x2x2xf32>
  }
}

// -----

// Two groups of two channels in, one out. The filter is written 1x4x1x1; its data are those of 2 groups x 1 x 2 channels:
// the first group takes 1 and 10 times its channels, the second 100 and 1000 times.
// input x = [[[[1]], [[2]], [[3]], [[4]]]]
// weight w = [[[[1]], [[10]], [[100]], [[1000]]]]
// expect y = [[[[21]], [[4300]]]]
module @groups attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x1x1xf32>) -> tensor<1x2x1x1xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x4x1x1xf32> loc("w")
    %3 = "top.Deconv"(%1, %2, %0) {group = 2 : i64, kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]}
      : (tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>, none) -> tensor<1x2x1x1xf32> loc("y")
    return %3 : tensor<1x2x1x1xf32>
  }
}

// -----

// A filter that is computed has its input channels first: 1 * 1 + 2 * 100, 1 * 10 + 2 * 1000.
// input x = [[[[1]], [[2]]]]
// input w = [[[[1]], [[10]]], [[[100]], [[1000]]]]
// expect y = [[[[201]], [[2010]]]]
module @computed_filter attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x1xf32>, %arg1: tensor<2x2x1x1xf32>) -> tensor<1x2x1x1xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32> loc("w")
    %3 = "top.Deconv"(%1, %2, %0) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]}
      : (tensor<1x2x1x1xf32>, tensor<2x2x1x1xf32>, none) -> tensor<1x2x1x1xf32> loc("y")
    return %3 : tensor<1x2x1x1xf32>
  }
}

// -----

// Two planes, a kernel of two planes that lie two apart: each plane of the result is one of the input times 1 or 10.
// input x = [[[[[1, 2]], [[3, 4]]]]]
// weight w = [[[[[1]], [[10]]]]]
// expect y = [[[[[1, 2]], [[3, 4]], [[10, 20]], [[30, 40]]]]]
module @three_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x1x2xf32>) -> tensor<1x1x4x1x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x2x1x2xf32>) -> tensor<1x1x2x1x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x1x2x1x1xf32> loc("w")
    %3 = "top.Deconv"(%1, %2, %0) {dilations = [2, 1, 1], kernel_shape = [2, 1, 1], pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]}
      : (tensor<1x1x2x1x2xf32>, tensor<1x1x2x1x1xf32>, none) -> tensor<1x1x4x1x2xf32> loc("y")
    return %3 : tensor<1x1x4x1x2xf32>
  }
}

// -----

// int8 with zero points gives int32: 1 and -130 (less the zero point 2) are spread by 1 and 3 (less -1), the bias added.
// input x = [[[[3, -128]]]]
// weight w = [[[[0, 2]]]]
// weight b = [1000]
// expect y = [[[[1001, 873, 610]]]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x1x1x3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0:2>> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0:-1>> loc("w")
    %2 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %3 = "top.Deconv"(%0, %1, %2) {kernel_shape = [1, 2], pads = [0, 0, 0, 0], strides = [1, 1]}
      : (tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0:2>>, tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0:-1>>, tensor<1xsi32>) -> tensor<1x1x1x3xsi32> loc("y")
    return %3 : tensor<1x1x1x3xsi32>
  }
}
