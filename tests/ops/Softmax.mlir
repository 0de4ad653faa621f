// exp of the first row is 1, 2 and 3. Large numbers do not overflow.
// input x = [[0, 0.69314718, 1.0986123], [1000, 1000, 0]]
// expect y = [[0.16666667, 0.33333333, 0.5], [0.5, 0.5, 0]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Softmax"(%0) {axis = 1 : si32} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %1 : tensor<2x3xf32>
  }
}

// -----

// Along the first axis, counted from the end.
// input x = [[0, 1.0986123, 5], [0, 0, 5]]
// expect y = [[0.5, 0.75, 0.5], [0.5, 0.25, 0.5]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Softmax"(%0) {axis = -2 : si32} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %1 : tensor<2x3xf32>
  }
}

// -----

// Its natural logarithm: -ln 2 twice; -ln 4 and -ln(4/3).
// input x = [[7, 7], [0, 1.0986123]]
// expect y = [[-0.69314718, -0.69314718], [-1.3862944, -0.28768207]]
module @logarithm attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Softmax"(%0) {axis = 1 : si32, log = true} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %1 : tensor<2x2xf32>
  }
}

// -----

// The numbers are halved first: 2 ln 3 has the weight 3.
// input x = [[0, 2.1972246]]
// expect y = [[0.25, 0.75]]
module @beta attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("x")
    %1 = "top.Softmax"(%0) {axis = 1 : si32, beta = 0.5 : f64} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("y")
    return %1 : tensor<1x2xf32>
  }
}

// -----

// Along axis 1 of three; equal numbers share equally.
// input x = [[[1, 0], [1, 1.0986123]]]
// expect y = [[[0.5, 0.25], [0.5, 0.75]]]
module @middle_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Softmax"(%0) {axis = 1 : si32} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %1 : tensor<1x2x2xf32>
  }
}

// -----

// Of stored values, by a table: x counts halves, so the weights are 1, exp(-1) and 1, their shares 0.4223 and 0.1554 in
// units of 1/128, with the zero point 3. The input's zero point does not matter.
// input x = [[4, 2, 4]]
// expect y = [[57, 23, 57]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:7>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.0078125:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:7>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:7>> loc("x")
    %1 = "top.Softmax"(%0) {axis = 1 : si32} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:7>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.0078125:3>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.0078125:3>>
  }
}
