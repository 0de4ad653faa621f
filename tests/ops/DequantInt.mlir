// (x - 2) * 3 / 2: the input's zero point counts, the result's is only its type's.
// input x = [[5, 4, 1, -2, 127, -128]]
// expect up = [[5, 3, -1, -6, 188, -195]]
// expect away = [[5, 3, -2, -6, 188, -195]]
// expect left = [[36, 24, -12, -48, 1500, -1560]]
// expect narrow = [[5, 3, -1, -6, 127, -128]]
module @normal attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6x!quant.uniform<i8:f32, 1.0:2>>) -> (tensor<1x6x!quant.uniform<i16:f32, 1.0:7>>, tensor<1x6xsi32>,
      tensor<1x6xsi16>, tensor<1x6xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<1x6x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<1x6x!quant.uniform<i8:f32, 1.0:2>> loc("x")
    %1 = "top.DequantInt"(%0) {multiplier = [3], quant_mode = "Normal", round_mode = "HalfUp", shift = [-1]} : (tensor<1x6x!quant.uniform<i8:f32, 1.0:2>>)
      -> tensor<1x6x!quant.uniform<i16:f32, 1.0:7>> loc("up")
    %2 = "top.DequantInt"(%0) {multiplier = [3], quant_mode = "Normal", shift = [-1]} : (tensor<1x6x!quant.uniform<i8:f32, 1.0:2>>)
      -> tensor<1x6xsi32> loc("away")
    %3 = "top.DequantInt"(%0) {multiplier = [3], quant_mode = "Normal", shift = [2]} : (tensor<1x6x!quant.uniform<i8:f32, 1.0:2>>)
      -> tensor<1x6xsi16> loc("left")
    %4 = "top.DequantInt"(%0) {multiplier = [3], quant_mode = "Normal", round_mode = "HalfUp", shift = [-1]} : (tensor<1x6x!quant.uniform<i8:f32, 1.0:2>>)
      -> tensor<1x6xsi8> loc("narrow")
    return %1, %2, %3, %4 : tensor<1x6x!quant.uniform<i16:f32, 1.0:7>>, tensor<1x6xsi32>, tensor<1x6xsi16>, tensor<1x6xsi8>
  }
}

// -----

// A multiplier and a shift for each index of axis 1.
// input x = [[[8, -8], [8, -8], [8, -8]]]
// expect y = [[[2, -2], [3, -3], [32, -32]]]
module @by_channel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x2xsi8>) -> tensor<1x3x2xsi16> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x2xsi8>) -> tensor<1x3x2xsi8> loc("x")
    %1 = "top.DequantInt"(%0) {multiplier = [1, 3, 1], quant_mode = "Normal", shift = [-2, -3, 2]} : (tensor<1x3x2xsi8>) -> tensor<1x3x2xsi16> loc("y")
    return %1 : tensor<1x3x2xsi16>
  }
}

// -----

// The multiplier is a fraction with 31 bits: 536870912 with lshift 1 is a half, whose product is rounded half up; what the
// shift takes off by the round mode.
// input x = [[100, 5, -5, 3]]
// expect half = [[50, 3, -2, 2]]
// expect quarter = [[25, 2, -1, 1]]
module @tflite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4xsi8>) -> (tensor<1x4xsi16>, tensor<1x4xsi16>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4xsi8>) -> tensor<1x4xsi8> loc("x")
    %1 = "top.DequantInt"(%0) {lshift = 1 : i64, multiplier = [536870912], quant_mode = "TFLite", shift = [0]} : (tensor<1x4xsi8>) -> tensor<1x4xsi16> loc("half")
    %2 = "top.DequantInt"(%0) {lshift = 1 : i64, multiplier = [536870912], quant_mode = "TFLite", round_mode = "HalfUp", shift = [-1]} : (tensor<1x4xsi8>)
      -> tensor<1x4xsi16> loc("quarter")
    return %1, %2 : tensor<1x4xsi16>, tensor<1x4xsi16>
  }
}
