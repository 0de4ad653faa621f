// A quarter of what is negative; the rest unchanged, NaN too.
// input x = [-4, -1, 0, 1, 4, "-inf", "nan"]
// expect y = [-1, -0.25, 0, 1, 4, "-inf", "nan"]
module @slope attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.LeakyRelu"(%0) {alpha = 0.25 : f64} : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// With a slope of -1 it is the absolute value.
// input x = [[-1, 2], [3, -4]]
// expect y = [[1, 2], [3, 4]]
module @negative_slope attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.LeakyRelu"(%0) {alpha = -1.0 : f64} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %1 : tensor<2x2xf32>
  }
}

// -----

// The stored numbers are worth x - 2. A quarter of -10, -2 and -4 is -2.5, -0.5 and -1, rounded half away from zero
// and half to even.
// input x = [[-8, 0, -2, 2, 12]]
// expect away = [[-1, 1, 1, 2, 12]]
// expect even = [[0, 2, 1, 2, 12]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>)
      -> (tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>, tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x5x!quant.uniform<i8:f32, 1.0:2>> loc("x")
    %1 = "top.LeakyRelu"(%0) {alpha = 0.25 : f64} : (tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x5x!quant.uniform<i8:f32, 1.0:2>> loc("away")
    %2 = "top.LeakyRelu"(%0) {alpha = 0.25 : f64, round_mode = "HalfToEven"} : (tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>)
      -> tensor<1x5x!quant.uniform<i8:f32, 1.0:2>> loc("even")
    return %1, %2 : tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>, tensor<1x5x!quant.uniform<i8:f32, 1.0:2>>
  }
}
