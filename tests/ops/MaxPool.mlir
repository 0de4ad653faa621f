// The largest number in each quarter of the image.
// input x = [[[[1, 2, 3, 4], [8, 7, 6, 5], [-1, -2, -3, -4], [-8, -7, -6, -5]]]]
// expect y = [[[[8, 6], [-1, -3]]]]
module @quarters attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> loc("x")
    %1 = "top.MaxPool"(%0) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> loc("y")
    return %1 : tensor<1x1x2x2xf32>
  }
}

// -----

// One row above and one column to the left. The padding is not a number that could win, even where all are negative.
// input x = [[[[-4, -3], [-2, -1]]]]
// expect y = [[[[-4, -3], [-2, -1]]]]
module @padding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("x")
    %1 = "top.MaxPool"(%0) {kernel_shape = [2, 2], pads = [1, 1, 0, 0], strides = [1, 1]} : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("y")
    return %1 : tensor<1x1x2x2xf32>
  }
}

// -----

// Five columns in windows of two: ceil_mode adds a last window, which holds only the last column.
// input x = [[[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]]]
// expect up = [[[[7, 9, 10]]]]
// expect down = [[[[7, 9]]]]
module @rounded_up attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x5xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x5xf32>) -> tensor<1x1x2x5xf32> loc("x")
    %1 = "top.MaxPool"(%0) {ceil_mode = true, kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x2x5xf32>)
      -> tensor<1x1x1x3xf32> loc("up")
    %2 = "top.MaxPool"(%0) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x2x5xf32>) -> tensor<1x1x1x2xf32> loc("down")
    return %1, %2 : tensor<1x1x1x3xf32>, tensor<1x1x1x2xf32>
  }
}

// -----

// Along a line with overlapping windows, and over a whole cube; the Relu holds the results between 0 and 7.
// input line = [[[-3, -1, -2, 9, 4]]]
// input cube = [[[[[1, 2], [3, 4]], [[5, 6], [7, 6.5]]]]]
// expect pairs = [[[0, 0, 7, 7]]]
// expect largest = [[[[[7]]]]]
module @one_axis_and_three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x5xf32>, %arg1: tensor<1x1x2x2x2xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x1x1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x5xf32>) -> tensor<1x1x5xf32> loc("line")
    %1 = "top.Input"(%arg1) : (tensor<1x1x2x2x2xf32>) -> tensor<1x1x2x2x2xf32> loc("cube")
    %2 = "top.MaxPool"(%0) {do_relu = true, kernel_shape = [2], pads = [0, 0], relu_limit = 7.0 : f64, strides = [1]} : (tensor<1x1x5xf32>)
      -> tensor<1x1x4xf32> loc("pairs")
    %3 = "top.MaxPool"(%1) {kernel_shape = [2, 2, 2], pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : (tensor<1x1x2x2x2xf32>)
      -> tensor<1x1x1x1x1xf32> loc("largest")
    return %2, %3 : tensor<1x1x4xf32>, tensor<1x1x1x1x1xf32>
  }
}

// -----

// The stored numbers are compared; the result has the same scale.
// input x = [[[3, 6], [-128, -127]]]
// expect y = [[[6], [-127]]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x1x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.MaxPool"(%0) {kernel_shape = [2], pads = [0, 0], strides = [1]} : (tensor<1x2x2x!quant.uniform<i8:f32, 0.5:3>>)
      -> tensor<1x2x1x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<1x2x1x!quant.uniform<i8:f32, 0.5:3>>
  }
}

// -----

// As many windows as steps of two fit four columns; the padding that they lack comes last or first, and never wins. The
// kernel reaches over three columns.
// input x = [[[-1, -2, -3, -4]]]
// expect upper = [[[-1, -3]]]
// expect lower = [[[-1, -2]]]
module @auto_pad attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32> loc("x")
    %1 = "top.MaxPool"(%0) {auto_pad = "SAME_UPPER", kernel_shape = [3], pads = [0, 0], strides = [2]} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32> loc("upper")
    %2 = "top.MaxPool"(%0) {auto_pad = "SAME_LOWER", kernel_shape = [3], pads = [0, 0], strides = [2]} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32> loc("lower")
    return %1, %2 : tensor<1x1x2xf32>, tensor<1x1x2xf32>
  }
}
