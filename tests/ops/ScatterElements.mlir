// y[index[i][j]][j] = update[i][j].
// input x = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
// input i = [[2, 0, 1]]
// input u = [[10, 20, 30]]
// expect y = [[0, 20, 2], [3, 4, 30], [10, 7, 8]]
module @replaced attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<1x3xsi32>, %arg2: tensor<1x3xf32>) -> tensor<3x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x3xsi32>) -> tensor<1x3xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("u")
    %3 = "top.ScatterElements"(%0, %1, %2) {axis = 0 : i64} : (tensor<3x3xf32>, tensor<1x3xsi32>, tensor<1x3xf32>) -> tensor<3x3xf32> loc("y")
    return %3 : tensor<3x3xf32>
  }
}

// -----

// Updates of one place add up; -1 is the last.
// input x = [[1, 2, 3]]
// input i = [[0, 0, -1]]
// input u = [[10, 20, 30]]
// expect y = [[31, 2, 33]]
module @added attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xf32>, %arg1: tensor<1x3xsi32>, %arg2: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x3xsi32>) -> tensor<1x3xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("u")
    %3 = "top.ScatterElements"(%0, %1, %2) {axis = 1 : i64, reduction = 1 : i64} : (tensor<1x3xf32>, tensor<1x3xsi32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("y")
    return %3 : tensor<1x3xf32>
  }
}

// -----

// Of several updates of one place the last counts; integers as they are stored.
// input x = [1, 2]
// input i = [1, 1]
// input u = [-5, -6]
// expect y = [1, -6]
module @last_counts attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5:3>>, %arg1: tensor<2xsi32>, %arg2: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xsi32>) -> tensor<2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> loc("u")
    %3 = "top.ScatterElements"(%0, %1, %2) {axis = 0 : i64} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xsi32>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xsi8> loc("y")
    return %3 : tensor<2xsi8>
  }
}
