// Places that are found stand first; 0 fills the room of the others.
// input x = [[0, 1, 2], [0, 0, -3]]
// expect y = [[0, 1], [0, 2], [1, 2], [0, 0], [0, 0], [0, 0]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<6x2xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.NonZero"(%0) {order = "ColMajor"} : (tensor<2x3xf32>) -> tensor<6x2xsi32> loc("y")
    return %1 : tensor<6x2xsi32>
  }
}

// -----

// The same, an axis a row.
// input x = [[0, 1, 2], [0, 0, -3]]
// expect y = [[0, 0, 1, 0, 0, 0], [1, 2, 2, 0, 0, 0]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.NonZero"(%0) {order = "RowMajor"} : (tensor<2x3xf32>) -> tensor<2x6xf32> loc("y")
    return %1 : tensor<2x6xf32>
  }
}

// -----

// What is stored as the zero point is 0.
// input x = [3, 0, 4]
// expect y = [[1], [2], [0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x1xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.NonZero"(%0) {order = "ColMajor"} : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x1xsi32> loc("y")
    return %1 : tensor<3x1xsi32>
  }
}
