// One row above, none below; two columns on the right: first all counts before, then all after.
// input x = [[1, 2], [3, 4]]
// expect y = [[0, 0, 0, 0], [1, 2, 0, 0], [3, 4, 0, 0]]
module @zeros attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Pad"(%0) {mode = "constant", paddings = [1, 0, 0, 2]} : (tensor<2x2xf32>) -> tensor<3x4xf32> loc("y")
    return %1 : tensor<3x4xf32>
  }
}

// -----

// A constant.
// input x = [1, 2]
// expect y = [-1.5, 1, 2, -1.5]
module @constant attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1 = "top.Pad"(%0) {mode = "constant", paddings = [1, 1], val = -1.5 : f64} : (tensor<2xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// The mirror image without the edge.
// input x = [[1, 2, 3], [4, 5, 6]]
// expect y = [[6, 5, 4, 5, 6, 5], [3, 2, 1, 2, 3, 2], [6, 5, 4, 5, 6, 5]]
module @reflect attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Pad"(%0) {mode = "reflect", paddings = [1, 2, 0, 1]} : (tensor<2x3xf32>) -> tensor<3x6xf32> loc("y")
    return %1 : tensor<3x6xf32>
  }
}

// -----

// The mirror image with the edge.
// input x = [[1, 2, 3], [4, 5, 6]]
// expect y = [[1, 1, 2, 3, 3, 2, 1], [4, 4, 5, 6, 6, 5, 4], [4, 4, 5, 6, 6, 5, 4]]
module @symmetric attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3x7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Pad"(%0) {mode = "symmetric", paddings = [0, 1, 1, 3]} : (tensor<2x3xf32>) -> tensor<3x7xf32> loc("y")
    return %1 : tensor<3x7xf32>
  }
}

// -----

// The edge, as often as one likes.
// input x = [[1, 2], [3, 4]]
// expect y = [[1, 2, 2, 2, 2], [1, 2, 2, 2, 2], [3, 4, 4, 4, 4]]
module @edge attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<3x5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Pad"(%0) {mode = "edge", paddings = [1, 0, 0, 3]} : (tensor<2x2xf32>) -> tensor<3x5xf32> loc("y")
    return %1 : tensor<3x5xf32>
  }
}

// -----

// Integers; what the constant has too much saturates.
// input x = [1, -32768]
// expect y = [32767, 1, -32768]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xsi16>) -> tensor<3xsi16> {
    %0 = "top.Input"(%arg0) : (tensor<2xsi16>) -> tensor<2xsi16> loc("x")
    %1 = "top.Pad"(%0) {mode = "constant", paddings = [1, 0], val = 40000.0 : f64} : (tensor<2xsi16>) -> tensor<3xsi16> loc("y")
    return %1 : tensor<3xsi16>
  }
}

// -----

// Quantized entries and the constant are as they are stored.
// input x = [[1, 2]]
// expect y = [[4, 1, 2]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Pad"(%0) {mode = "constant", paddings = [0, 1, 0, 0], val = 4.0 : f64} : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>
  }
}

// -----

// The edge of quantized entries.
// input x = [[250, 2]]
// expect y = [[250, 250, 2]]
module @quantized_edge attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<u8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<1x2x!quant.uniform<u8:f32, 0.5:3>> loc("x")
    %1 = "top.Pad"(%0) {mode = "edge", paddings = [0, 1, 0, 0]} : (tensor<1x2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<u8:f32, 0.5:3>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<u8:f32, 0.5:3>>
  }
}
