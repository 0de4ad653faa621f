// Odd, and within -1 and 1; tanh(ln 2) is 3/5.
// input x = [-100, -1, -0.001, 0, 0.001, 0.69314718, 100]
// expect y = [-1, -0.76159416, -0.00099999967, 0, 0.00099999967, 0.6, 1]
module @values attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Tanh"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// At the infinities it is -1 and 1; NaN stays.
// input x = [["-inf", "inf", "nan"]]
// expect y = [[-1, 1, "nan"]]
module @infinities attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.Tanh"(%0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("y")
    return %1 : tensor<1x3xf32>
  }
}

// -----

// x is (q - 1) / 2. tanh(0.5) = 0.462 is 59 of 128 steps, tanh(-1) = -0.762 is -97; 1 does not fit.
// input x = [[1, 2, -1, 127]]
// expect y = [[0, 59, -97, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.0078125>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.Tanh"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.0078125>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.0078125>>
  }
}
