// Two times down, three times across.
// input x = [[1, 2], [3, 4]]
// expect y = [[1, 2, 1, 2, 1, 2], [3, 4, 3, 4, 3, 4], [1, 2, 1, 2, 1, 2], [3, 4, 3, 4, 3, 4]]
module @both_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<4x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Tile"(%0) {tile = [2, 3]} : (tensor<2x2xf32>) -> tensor<4x6xf32> loc("y")
    return %1 : tensor<4x6xf32>
  }
}

// -----

// Counts from a coefficient.
// input x = [[1, 2], [3, 4]]
// weight n = [1, 2]
// expect y = [[1, 2, 1, 2], [3, 4, 3, 4]]
module @by_a_tensor attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xsi32> loc("n")
    %2 = "top.Tile"(%0, %1) : (tensor<2x2xf32>, tensor<2xsi32>) -> tensor<2x4xf32> loc("y")
    return %2 : tensor<2x4xf32>
  }
}

// -----

// Entries are repeated as they are stored.
// input x = [[-128], [127]]
// expect y = [[-128, -128], [127, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Tile"(%0) {tile = [1, 2]} : (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  }
}
