// out[i][j] = x[index[i][j]][j]; -1 is the last row.
// input x = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
// input i = [[0, 2, 1], [2, -1, 0]]
// expect y = [[0, 7, 5], [6, 7, 2]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<2x3xsi32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x3xsi32>) -> tensor<2x3xsi32> loc("i")
    %2 = "top.GatherElements"(%0, %1) {axis = 0 : i64} : (tensor<3x3xf32>, tensor<2x3xsi32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// Along the last axis, of the first rows.
// input x = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
// weight i = [[2, 0], [1, 1]]
// expect y = [[2, 0], [4, 4]]
module @fewer_rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x3xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2xsi32> loc("i")
    %2 = "top.GatherElements"(%0, %1) {axis = -1 : i64} : (tensor<3x3xf32>, tensor<2x2xsi32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// Entries are taken as they are stored.
// input x = [[-128, 5, 127]]
// input i = [[2, 0]]
// expect y = [[127, -128]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>, %arg1: tensor<1x2xsi32>) -> tensor<1x2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2xsi32>) -> tensor<1x2xsi32> loc("i")
    %2 = "top.GatherElements"(%0, %1) {axis = 1 : i64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x2xsi32>) -> tensor<1x2xsi8> loc("y")
    return %2 : tensor<1x2xsi8>
  }
}
