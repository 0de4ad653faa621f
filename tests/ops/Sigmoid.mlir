// 1 / (1 + exp(-x)); exp(ln 3) is 3.
// input x = [-10, -1.0986123, -1, 0, 1, 1.0986123, 100]
// expect y = [4.5397869e-05, 0.25, 0.26894142, 0.5, 0.73105858, 0.75, 1]
module @logistic attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Sigmoid"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// 4 times the sigmoid, less 2.
// input x = [-1.0986123, 0, 1.0986123]
// expect y = [-1, 0, 1]
module @scale_and_bias attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Sigmoid"(%0) {bias = -2.0 : f64, scale = 4.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// -ln(1 + exp(-x)): minus ln 2 at 0; x itself where the sigmoid is 0 in float32. NaN stays.
// input x = [-200, -10, -1, 0, 1, 10, "nan"]
// expect y = [-200, -10.000045, -1.3132617, -0.69314718, -0.31326169, -4.5398899e-05, "nan"]
module @logarithm attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Sigmoid"(%0) {log = true} : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// x is (q - 2) / 2. sigmoid(0) = 0.5 is 64 of 128 steps, sigmoid(1) = 0.731 is 94, sigmoid(-2) = 0.119 is 15; 1 does not fit.
// input x = [[2, 4, -2, 127]]
// expect y = [[64, 94, 15, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.0078125>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:2>> loc("x")
    %1 = "top.Sigmoid"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.0078125>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.0078125>>
  }
}
