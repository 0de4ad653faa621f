// The mean of each quarter of the image.
// input x = [[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]]]
// expect y = [[[[3.5, 5.5], [11.5, 13.5]]]]
module @quarters attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> loc("x")
    %1 = "top.AvgPool"(%0) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> loc("y")
    return %1 : tensor<1x1x2x2xf32>
  }
}

// -----

// One row of padding above, one column to the right. It is left out of the mean; with count_include_pad it counts as
// zeros.
// input x = [[[[4, 8], [12, 16]]]]
// expect inside = [[[[6, 8], [10, 12]]]]
// expect all = [[[[3, 2], [10, 6]]]]
module @padding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("x")
    %1 = "top.AvgPool"(%0) {kernel_shape = [2, 2], pads = [1, 0, 0, 1], strides = [1, 1]} : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("inside")
    %2 = "top.AvgPool"(%0) {count_include_pad = true, kernel_shape = [2, 2], pads = [1, 0, 0, 1], strides = [1, 1]} : (tensor<1x1x2x2xf32>)
      -> tensor<1x1x2x2xf32> loc("all")
    return %1, %2 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
  }
}

// -----

// Five columns in windows of two: ceil_mode adds a last window, which holds only the last column. With
// count_include_pad the column that is not there counts as 0.
// input x = [[[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]]]
// expect counted = [[[[4, 6, 3.75]]]]
// expect up = [[[[4, 6, 7.5]]]]
// expect down = [[[[4, 6]]]]
module @rounded_up attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2x5xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2x5xf32>) -> tensor<1x1x2x5xf32> loc("x")
    %1 = "top.AvgPool"(%0) {ceil_mode = true, count_include_pad = true, kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]}
      : (tensor<1x1x2x5xf32>) -> tensor<1x1x1x3xf32> loc("counted")
    %2 = "top.AvgPool"(%0) {ceil_mode = true, kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x2x5xf32>)
      -> tensor<1x1x1x3xf32> loc("up")
    %3 = "top.AvgPool"(%0) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x2x5xf32>) -> tensor<1x1x1x2xf32> loc("down")
    return %1, %2, %3 : tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x2xf32>
  }
}

// -----

// One to three spatial axes: pairs along a line, a cube of eight.
// input line = [[[1, 3, 5, 7], [-1, -3, -5, -7]]]
// input cube = [[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]]
// expect pairs = [[[2, 6], [-2, -6]]]
// expect mean = [[[[[4.5]]]]]
module @one_axis_and_three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x4xf32>, %arg1: tensor<1x1x2x2x2xf32>) -> (tensor<1x2x2xf32>, tensor<1x1x1x1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("line")
    %1 = "top.Input"(%arg1) : (tensor<1x1x2x2x2xf32>) -> tensor<1x1x2x2x2xf32> loc("cube")
    %2 = "top.AvgPool"(%0) {kernel_shape = [2], pads = [0, 0], strides = [2]} : (tensor<1x2x4xf32>) -> tensor<1x2x2xf32> loc("pairs")
    %3 = "top.AvgPool"(%1) {kernel_shape = [2, 2, 2], pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : (tensor<1x1x2x2x2xf32>)
      -> tensor<1x1x1x1x1xf32> loc("mean")
    return %2, %3 : tensor<1x2x2xf32>, tensor<1x1x1x1x1xf32>
  }
}

// -----

// Means below 0 become 0, above 3 they become 3.
// input x = [[[-4, 2], [1, 3], [2, 8]]]
// expect y = [[[0], [2], [3]]]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x2xf32>) -> tensor<1x3x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("x")
    %1 = "top.AvgPool"(%0) {do_relu = true, kernel_shape = [2], pads = [0, 0], relu_limit = 3.0 : f64, strides = [1]} : (tensor<1x3x2xf32>)
      -> tensor<1x3x1xf32> loc("y")
    return %1 : tensor<1x3x1xf32>
  }
}

// -----

// The mean of what the stored numbers mean, rounded to the scale: 0, 1.5 and 2 have the mean 7/6, -1, -0.5 and -0.5 have -2/3.
// input x = [[[3, 6, 7], [1, 2, 2], [127, 127, 127]]]
// expect y = [[[5], [2], [127]]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x1x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.AvgPool"(%0) {kernel_shape = [3], pads = [0, 0], strides = [1]} : (tensor<1x3x3x!quant.uniform<i8:f32, 0.5:3>>)
      -> tensor<1x3x1x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<1x3x1x!quant.uniform<i8:f32, 0.5:3>>
  }
}

// -----

// An empty kernel covers the image; without keepdims the axes of 1 go.
// input x = [[[[1, 2], [3, 4]], [[10, 20], [30, 40]]]]
// expect kept = [[[[2.5]], [[25]]]]
// expect dropped = [[2.5, 25]]
module @whole_image attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x2xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("x")
    %1 = "top.AvgPool"(%0) {kernel_shape = [], pads = [], strides = []} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32> loc("kept")
    %2 = "top.AvgPool"(%0) {keepdims = false, kernel_shape = [2, 2], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>)
      -> tensor<1x2xf32> loc("dropped")
    return %1, %2 : tensor<1x2x1x1xf32>, tensor<1x2xf32>
  }
}
