// A 2x2 kernel of ones over a 3x3 image, padded below and to the right.
// input x = [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]
// weight w = [[[[1, 1], [1, 1]]]]
// expect y = [[[[12, 16, 9], [24, 28, 15], [15, 17, 9]]]]
module @padding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x1x2x2xf32> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {kernel_shape = [2, 2], pads = [0, 0, 1, 1], strides = [1, 1]} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, none)
      -> tensor<1x1x3x3xf32> loc("y")
    return %3 : tensor<1x1x3x3xf32>
  }
}

// -----

// Two input channels, two output channels, of which the second takes the input channels' difference. The kernel is not
// turned round: at the first place 1 + 2*2 + 5 + 2*0 + 1. The Relu holds the results between 0 and 20.
// input x = [[[1, 2, 3], [5, 0, 10]]]
// weight w = [[[1, 2], [1, 2]], [[1, 2], [-1, 0]]]
// weight b = [1, -2]
// expect y = [[[11, 20], [0, 6]]]
module @bias_and_relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2x2xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %3 = "top.Conv"(%0, %1, %2) {do_relu = true, kernel_shape = [2], pads = [0, 0], relu_limit = 20.0 : f64, strides = [1]}
      : (tensor<1x2x3xf32>, tensor<2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %3 : tensor<1x2x2xf32>
  }
}

// -----

// Two groups of one channel. The kernel's two elements are two columns apart, and so are the windows: x[0] - x[2],
// x[2] - x[4] and x[4] - x[6] in the first group, the sums in the second.
// input x = [[[[1, 2, 4, 8, 16, 32, 64]], [[1, 1, 2, 3, 5, 8, 13]]]]
// weight w = [[[[1, -1]]], [[[1, 1]]]]
// expect y = [[[[-3, -12, -48]], [[3, 7, 18]]]]
module @stride_dilation_group attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x7xf32>) -> tensor<1x2x1x3xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x1x7xf32>) -> tensor<1x2x1x7xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x1x1x2xf32> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {dilations = [1, 2], group = 2 : i64, kernel_shape = [1, 2], pads = [0, 0, 0, 0], strides = [1, 2]}
      : (tensor<1x2x1x7xf32>, tensor<2x1x1x2xf32>, none) -> tensor<1x2x1x3xf32> loc("y")
    return %3 : tensor<1x2x1x3xf32>
  }
}

// -----

// A kernel of two planes over a volume of two, padded before its last axis. The digits of a result tell what it sums.
// input x = [[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]]
// weight w = [[[[[1, 10]], [[100, 1000]]]]]
// expect y = [[[[[5010, 6521], [7030, 8743]]]]]
module @three_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2x2xf32>) -> tensor<1x1x1x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x2x2x2xf32>) -> tensor<1x1x2x2x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x1x2x1x2xf32> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {kernel_shape = [2, 1, 2], pads = [0, 0, 1, 0, 0, 0], strides = [1, 1, 1]}
      : (tensor<1x1x2x2x2xf32>, tensor<1x1x2x1x2xf32>, none) -> tensor<1x1x1x2x2xf32> loc("y")
    return %3 : tensor<1x1x1x2x2xf32>
  }
}

// -----

// int8 with zero points gives int32: sums of (x - 2) * (w + 1), that is of 1, 2, -130 by 1, 2, 3, plus the bias. The
// padding adds nothing.
// input x = [[[[3, 4, -128]]]]
// weight w = [[[[0, 1, 2]]]]
// weight b = [1000]
// expect y = [[[[1008, 615, 742]]]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x1x1x3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0:2>> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0:-1>> loc("w")
    %2 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %3 = "top.Conv"(%0, %1, %2) {kernel_shape = [1, 3], pads = [0, 1, 0, 1], strides = [1, 1]}
      : (tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0:2>>, tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0:-1>>, tensor<1xsi32>) -> tensor<1x1x1x3xsi32> loc("y")
    return %3 : tensor<1x1x1x3xsi32>
  }
}

// -----

// A quantized result: the sums are 10 and 20; times 0.5 (x) and times 0.5 or 0.25 (each output channel of the filter)
// they are worth 2.5 and 5, 1.25 and 2.5, stored in steps of 0.5 from 1; 1.25 is rounded away from zero.
// input x = [[[[110, 120]]]]
// weight w = [[[[1]]], [[[1]]]]
// expect y = [[[[6, 11]], [[4, 6]]]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:100>>) -> tensor<1x2x1x2x!quant.uniform<i8:f32, 0.5:1>> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:100>>) -> tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:100>> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x1x1x1x!quant.uniform<i8:f32:1, {0.5,0.25}>> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]}
      : (tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:100>>, tensor<2x1x1x1x!quant.uniform<i8:f32:1, {0.5,0.25}>>, none)
      -> tensor<1x2x1x2x!quant.uniform<i8:f32, 0.5:1>> loc("y")
    return %3 : tensor<1x2x1x2x!quant.uniform<i8:f32, 0.5:1>>
  }
}

// -----

// The padding follows from the steps that fit: two windows of three over four elements lack one element, which comes last
// or first; windows two apart in a kernel of three, which reach over five, lack three of them.
// input x = [[[[1, 2, 3, 4]]]]
// weight w = [[[[1, 10, 100]]]]
// expect upper = [[[[321, 43]]]]
// expect lower = [[[[210, 432]]]]
// expect dilated = [[[[420, 42]]]]
module @auto_pad attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x4xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1x1x1x3xf32> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {auto_pad = "SAME_UPPER", kernel_shape = [1, 3], pads = [0, 0, 0, 0], strides = [1, 2]}
      : (tensor<1x1x1x4xf32>, tensor<1x1x1x3xf32>, none) -> tensor<1x1x1x2xf32> loc("upper")
    %4 = "top.Conv"(%1, %2, %0) {auto_pad = "SAME_LOWER", kernel_shape = [1, 3], pads = [0, 0, 0, 0], strides = [1, 2]}
      : (tensor<1x1x1x4xf32>, tensor<1x1x1x3xf32>, none) -> tensor<1x1x1x2xf32> loc("lower")
    %5 = "top.Conv"(%1, %2, %0) {auto_pad = "SAME_UPPER", dilations = [1, 2], kernel_shape = [1, 3], pads = [0, 0, 0, 0], strides = [1, 2]}
      : (tensor<1x1x1x4xf32>, tensor<1x1x1x3xf32>, none) -> tensor<1x1x1x2xf32> loc("dilated")
    return %3, %4, %5 : tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>
  }
}
