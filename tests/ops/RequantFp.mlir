// x / 2 + 1.5, held in int8; the zero point is not added, for the offset holds it.
// input x = [[3, 4, -3, -6, 1000, -1000]]
// expect nearest = [[3, 4, 0, -2, 127, -128]]
// expect even = [[3, 4, 0, -2, 127, -128]]
// expect zero = [[3, 3, 0, -1, 127, -128]]
// expect up = [[3, 4, 0, -1, 127, -128]]
// expect down = [[3, 3, 0, -2, 127, -128]]
module @rounding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6xsi32>) -> (tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>, tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>,
      tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>, tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>, tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x6xsi32>) -> tensor<1x6xsi32> loc("x")
    %1 = "top.RequantFp"(%0) {offset = [1.5], quant_mode = "MultiplierShift", scale = [0.5]} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0:1>> loc("nearest")
    %2 = "top.RequantFp"(%0) {offset = [1.5], quant_mode = "MultiplierShift", round_mode = "HalfToEven", scale = [0.5]} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0:1>> loc("even")
    %3 = "top.RequantFp"(%0) {offset = [1.5], quant_mode = "MultiplierShift", round_mode = "TowardsZero", scale = [0.5]} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0:1>> loc("zero")
    %4 = "top.RequantFp"(%0) {offset = [1.5], quant_mode = "MultiplierShift", round_mode = "Up", scale = [0.5]} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0:1>> loc("up")
    %5 = "top.RequantFp"(%0) {offset = [1.5], quant_mode = "MultiplierShift", round_mode = "Down", scale = [0.5]} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0:1>> loc("down")
    return %1, %2, %3, %4, %5 : tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>, tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>,
      tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>, tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>, tensor<1x6x!quant.uniform<i8:f32, 1.0:1>>
  }
}

// -----

// A scale and an offset for each index of axis 1; uint8 does not go below 0. In the TFLite mode the zero point of the result
// is added and the offset is not.
// input x = [[[10, -10], [10, -10], [10, -10]]]
// expect channels = [[[5, 0], [16, 0], [0, 23]]]
// expect tflite = [[[13, 0], [13, 0], [13, 0]]]
module @by_channel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x2xsi16>) -> (tensor<1x3x2xui8>, tensor<1x3x2x!quant.uniform<u8:f32, 1.0:3>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3x2xsi16>) -> tensor<1x3x2xsi16> loc("x")
    %1 = "top.RequantFp"(%0) {offset = [0.0, 1.0, 3.0], quant_mode = "MultiplierShift", scale = [0.5, 1.5, -2.0]} : (tensor<1x3x2xsi16>)
      -> tensor<1x3x2xui8> loc("channels")
    %2 = "top.RequantFp"(%0) {offset = [100.0], quant_mode = "TFLite", scale = [1.0]} : (tensor<1x3x2xsi16>)
      -> tensor<1x3x2x!quant.uniform<u8:f32, 1.0:3>> loc("tflite")
    return %1, %2 : tensor<1x3x2xui8>, tensor<1x3x2x!quant.uniform<u8:f32, 1.0:3>>
  }
}

// -----

// A float is rounded to an integer first: 2.6 is 3, and 3 * 10 is 30.
// input x = [[2.6, -2.5, 2.5]]
// expect y = [[30, -20, 30]]
module @of_floats attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x3xsi16> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.RequantFp"(%0) {first_round_mode = "HalfUp", offset = [0.0], quant_mode = "MultiplierShift", scale = [10.0]} : (tensor<1x3xf32>)
      -> tensor<1x3xsi16> loc("y")
    return %1 : tensor<1x3xsi16>
  }
}
