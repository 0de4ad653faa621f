// Every element times -0.5.
// input x = [[2, -3], [0, 100]]
// expect y = [[-1, 1.5], [0, -50]]
module @factor attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.MulConst"(%0) {const_val = -0.5 : f64} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %1 : tensor<2x2xf32>
  }
}

// -----

// Products below 0 become 0, above 5 they become 5.
// input x = [-1, 2, 3]
// expect y = [0, 4, 5]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.MulConst"(%0) {const_val = 2.0 : f64, do_relu = true, relu_limit = 5.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// Integers are held in the range of the result.
// input x = [50, 100, -42, -43]
// expect y = [127, 127, -126, -128]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi8>) -> tensor<4xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<4xsi8>) -> tensor<4xsi8> loc("x")
    %1 = "top.MulConst"(%0) {const_val = 3.0 : f64} : (tensor<4xsi8>) -> tensor<4xsi8> loc("y")
    return %1 : tensor<4xsi8>
  }
}

// -----

// The stored numbers are worth (x - 1) / 2; three times 2 is 6, stored as 6 / 0.5 + 1.
// input x = [[5, 1, 60]]
// expect y = [[13, 1, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.MulConst"(%0) {const_val = 3.0 : f64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>
  }
}
