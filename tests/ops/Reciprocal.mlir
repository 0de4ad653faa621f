// 3 / x.
// input x = [-3, 0.5, 2, 1e+10]
// expect y = [-1, 6, 1.5, 3e-10]
module @three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Reciprocal"(%0) {const_val = 3.0 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// NaN and infinities.
// input x = ["nan", "-inf", "inf", 0]
// expect y = ["nan", 0, 0, "inf"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Reciprocal"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// With a Relu that ends at 3.
// input x = [-1, 0.25, 2]
// expect y = [0, 3, 0.5]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Reciprocal"(%0) {do_relu = true, relu_limit = 3.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts units: 1, 1/4 and -1/2 in units of 1/100; 1 / 0 does not fit.
// input x = [[1, 4, -2, 0]]
// expect y = [[100, 25, -50, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> loc("x")
    %1 = "top.Reciprocal"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.01>>
  }
}
