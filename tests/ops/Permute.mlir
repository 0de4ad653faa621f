// Rows become columns.
// input x = [[1, 2, 3], [4, 5, 6]]
// expect y = [[1, 4], [2, 5], [3, 6]]
module @transpose attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Permute"(%0) {order = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32> loc("y")
    return %1 : tensor<3x2xf32>
  }
}

// -----

// Axis 0 of the result is axis 2 of the input, axis 1 is axis 0, axis 2 is axis 1.
// input x = [[[1, 2, 3], [4, 5, 6]]]
// expect y = [[[1, 4]], [[2, 5]], [[3, 6]]]
module @three_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3xf32>) -> tensor<3x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("x")
    %1 = "top.Permute"(%0) {order = [2, 0, 1]} : (tensor<1x2x3xf32>) -> tensor<3x1x2xf32> loc("y")
    return %1 : tensor<3x1x2xf32>
  }
}

// -----

// The last two axes are exchanged in each of two matrices.
// input x = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
// expect y = [[[1, 3], [2, 4]], [[5, 7], [6, 8]]]
module @batch_kept attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Permute"(%0) {order = [0, 2, 1]} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("y")
    return %1 : tensor<2x2x2xf32>
  }
}

// -----

// Numbers are moved as they are stored.
// input x = [[0, 1], [254, 255]]
// expect y = [[0, 254], [1, 255]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<u8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<u8:f32, 0.5:3>> loc("x")
    %1 = "top.Permute"(%0) {order = [1, 0]} : (tensor<2x2x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<u8:f32, 0.5:3>> loc("y")
    return %1 : tensor<2x2x!quant.uniform<u8:f32, 0.5:3>>
  }
}
