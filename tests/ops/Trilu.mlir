// The upper triangle.
// input x = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
// expect y = [[1, 2, 3, 4], [0, 6, 7, 8], [0, 0, 11, 12]]
module @upper attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32> loc("x")
    %1 = "top.Trilu"(%0) {diagonal = 0 : si32, upper = 1 : si32} : (tensor<3x4xf32>) -> tensor<3x4xf32> loc("y")
    return %1 : tensor<3x4xf32>
  }
}

// -----

// The lower triangle, with one more diagonal, of each matrix.
// input x = [[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[-1, -2, -3, -4], [-5, -6, -7, -8], [-9, -10, -11, -12]]]
// expect y = [[[1, 2, 0, 0], [5, 6, 7, 0], [9, 10, 11, 12]], [[-1, -2, 0, 0], [-5, -6, -7, 0], [-9, -10, -11, -12]]]
module @lower_moved attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("x")
    %1 = "top.Trilu"(%0) {diagonal = 1 : si32, upper = 0 : si32} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("y")
    return %1 : tensor<2x3x4xf32>
  }
}

// -----

// Integers, one diagonal fewer.
// input x = [[1073741825, 2], [3, 4]]
// expect y = [[0, 0], [3, 0]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xsi32>) -> tensor<2x2xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("x")
    %1 = "top.Trilu"(%0) {diagonal = -1 : si32, upper = 0 : si32} : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("y")
    return %1 : tensor<2x2xsi32>
  }
}

// -----

// 0 is stored as the zero point.
// input x = [[1, 2], [4, 5]]
// expect y = [[1, 2], [3, 5]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Trilu"(%0) {diagonal = 0 : si32, upper = 1 : si32} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> loc("y")
    return %1 : tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  }
}
