// x times the share of a normal distribution that lies below x: 0.5 x (1 + erf(x / sqrt(2))).
// input x = [-10, -2, -1, 0, 1, 2, 10]
// expect y = [0, -0.045500264, -0.15865525, 0, 0.84134475, 1.9544997, 10]
module @erf attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.GELU"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): near it, but not the same.
// input x = [-10, -2, -1, 0, 1, 2, 10]
// expect y = [0, -0.045402306, -0.15880801, 0, 0.84119199, 1.9545977, 10]
module @tanh attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.GELU"(%0) {approx_mode = "tanh"} : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// x / (1 + exp(-1.702 x)).
// input x = [-10, -2, -1, 0, 1, 2, 10]
// expect y = [-4.0579613e-07, -0.064341377, -0.15420423, 0, 0.84579577, 1.9356586, 9.9999996]
module @sigmoid attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.GELU"(%0) {approx_mode = "sigm"} : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// x is (q - 4) / 2. gelu(1) = 0.841 is 8 tenths, gelu(-1) = -0.159 is -2 tenths, gelu(2) = 1.954 is 20 tenths.
// input x = [[4, 6, 2, 8]]
// expect y = [[0, 8, -2, 20]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:4>> loc("x")
    %1 = "top.GELU"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:4>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
