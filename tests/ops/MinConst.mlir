// The smaller of x and 1.5. NaN stays.
// input x = [1, 2, 1.5, "-inf", "nan"]
// expect y = [1, 1.5, 1.5, "-inf", "nan"]
module @smaller attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.MinConst"(%0) {const_val = 1.5 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// Integers of both signs.
// input x = [[-128, -3], [4, 127]]
// expect y = [[-128, -3], [-3, -3]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xsi8>) -> tensor<2x2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xsi8>) -> tensor<2x2xsi8> loc("x")
    %1 = "top.MinConst"(%0) {const_val = -3.0 : f64} : (tensor<2x2xsi8>) -> tensor<2x2xsi8> loc("y")
    return %1 : tensor<2x2xsi8>
  }
}

// -----

// The stored numbers are worth (x - 1) / 2; 2 is stored as 5.
// input x = [[1, 4, 5, 6]]
// expect y = [[1, 4, 5, 5]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.MinConst"(%0) {const_val = 2.0 : f64} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>
  }
}
