// Two equal parts of each row.
// input x = [[1, 2, 3, 4], [5, 6, 7, 8]]
// expect left = [[1, 2], [5, 6]]
// expect right = [[3, 4], [7, 8]]
module @halves attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %1:2 = "top.Split"(%0) {axis = 1 : si32, num = 2 : i64} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) loc(fused["left", "right"])
    return %1#0, %1#1 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// -----

// Parts of 1, 2 and 1 rows.
// input x = [[1, 2], [3, 4], [5, 6], [7, 8]]
// expect a = [[1, 2]]
// expect b = [[3, 4], [5, 6]]
// expect c = [[7, 8]]
module @sizes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("x")
    %1:3 = "top.Split"(%0) {axis = 0 : si32, num = 3 : i64, split_size = [1, 2, 1]} : (tensor<4x2xf32>)
      -> (tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>) loc(fused["a", "b", "c"])
    return %1#0, %1#1, %1#2 : tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>
  }
}

// -----

// The last axis, counted from the end; integers stay as they are.
// input x = [[[-128, 2, 3], [4, 5, 127]]]
// expect a = [[[-128], [4]]]
// expect b = [[[2, 3], [5, 127]]]
module @negative_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3xsi8>) -> (tensor<1x2x1xsi8>, tensor<1x2x2xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3xsi8>) -> tensor<1x2x3xsi8> loc("x")
    %1:2 = "top.Split"(%0) {axis = -1 : si32, num = 2 : i64, split_size = [1, 2]} : (tensor<1x2x3xsi8>)
      -> (tensor<1x2x1xsi8>, tensor<1x2x2xsi8>) loc(fused["a", "b"])
    return %1#0, %1#1 : tensor<1x2x1xsi8>, tensor<1x2x2xsi8>
  }
}

// -----

// The parts have scales of their own: real values -3, 1, 49 and 2.
// input x = [[-3, 5, 101, 7]]
// expect left = [[-12, 4]]
// expect right = [[49, 2]]
module @requantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x!quant.uniform<i8:f32, 1.0>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.Split"(%0) {axis = 1 : si32, num = 2 : i64} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x!quant.uniform<i8:f32, 1.0>>) loc(fused["left", "right"])
    return %1#0, %1#1 : tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x!quant.uniform<i8:f32, 1.0>>
  }
}
