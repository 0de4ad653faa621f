// x * 3 / 2^2, rounded half away from zero, plus the zero point 10, held in int8.
// input x = [[4, 1, 2, -2, 1000, -1000]]
// expect y = [[13, 11, 12, 8, 127, -128]]
module @multiplier_and_shift attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6xsi32>) -> tensor<1x6x!quant.uniform<i8:f32, 1.0:10>> {
    %0 = "top.Input"(%arg0) : (tensor<1x6xsi32>) -> tensor<1x6xsi32> loc("x")
    %1 = "top.RequantInt"(%0) {multiplier = [3], quant_mode = "MultiplierShift", rshift = [2]} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0:10>> loc("y")
    return %1 : tensor<1x6x!quant.uniform<i8:f32, 1.0:10>>
  }
}

// -----

// 5 / 2, 3 / 2, 1 / 2 and their negatives, by some of the modes.
// input x = [[5, 3, 1, -1, -3, -5]]
// expect HalfAwayFromZero = [[3, 2, 1, -1, -2, -3]]
// expect HalfUp = [[3, 2, 1, 0, -1, -2]]
// expect HalfToEven = [[2, 2, 0, 0, -2, -2]]
// expect TowardsZero = [[2, 1, 0, 0, -1, -2]]
// expect Down = [[2, 1, 0, -1, -2, -3]]
module @rounding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6xsi32>) -> (tensor<1x6x!quant.uniform<i8:f32, 1.0>>, tensor<1x6x!quant.uniform<i8:f32, 1.0>>,
      tensor<1x6x!quant.uniform<i8:f32, 1.0>>, tensor<1x6x!quant.uniform<i8:f32, 1.0>>, tensor<1x6x!quant.uniform<i8:f32, 1.0>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x6xsi32>) -> tensor<1x6xsi32> loc("x")
    %1 = "top.RequantInt"(%0) {multiplier = [1], quant_mode = "MultiplierShift", rshift = [1], round_mode = "HalfAwayFromZero"} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0>> loc("HalfAwayFromZero")
    %2 = "top.RequantInt"(%0) {multiplier = [1], quant_mode = "MultiplierShift", rshift = [1], round_mode = "HalfUp"} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0>> loc("HalfUp")
    %3 = "top.RequantInt"(%0) {multiplier = [1], quant_mode = "MultiplierShift", rshift = [1], round_mode = "HalfToEven"} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0>> loc("HalfToEven")
    %4 = "top.RequantInt"(%0) {multiplier = [1], quant_mode = "MultiplierShift", rshift = [1], round_mode = "TowardsZero"} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0>> loc("TowardsZero")
    %5 = "top.RequantInt"(%0) {multiplier = [1], quant_mode = "MultiplierShift", rshift = [1], round_mode = "Down"} : (tensor<1x6xsi32>)
      -> tensor<1x6x!quant.uniform<i8:f32, 1.0>> loc("Down")
    return %1, %2, %3, %4, %5 : tensor<1x6x!quant.uniform<i8:f32, 1.0>>, tensor<1x6x!quant.uniform<i8:f32, 1.0>>,
      tensor<1x6x!quant.uniform<i8:f32, 1.0>>, tensor<1x6x!quant.uniform<i8:f32, 1.0>>, tensor<1x6x!quant.uniform<i8:f32, 1.0>>
  }
}

// -----

// A multiplier and a shift for each index of axis 1; a negative shift is to the left.
// input x = [[[8, -8], [8, -8], [8, -8]]]
// expect y = [[[2, -2], [3, -3], [32, -32]]]
module @by_channel attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x2xsi32>) -> tensor<1x3x2x!quant.uniform<i8:f32, 1.0>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x2xsi32>) -> tensor<1x3x2xsi32> loc("x")
    %1 = "top.RequantInt"(%0) {multiplier = [1, 3, 1], quant_mode = "MultiplierShift", rshift = [2, 3, -2]} : (tensor<1x3x2xsi32>)
      -> tensor<1x3x2x!quant.uniform<i8:f32, 1.0>> loc("y")
    return %1 : tensor<1x3x2x!quant.uniform<i8:f32, 1.0>>
  }
}

// -----

// The lists belong to the last axis; uint8 does not go below 0.
// input x = [[[10, 10], [-6, -6]]]
// expect y = [[[5, 70], [0, 0]]]
module @last_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xsi32>) -> tensor<1x2x2x!quant.uniform<u8:f32, 1.0>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xsi32>) -> tensor<1x2x2xsi32> loc("x")
    %1 = "top.RequantInt"(%0) {multiplier = [1, 7], quant_mode = "MultiplierShift", rshift = [1, 0], rq_axis = -1 : si32} : (tensor<1x2x2xsi32>)
      -> tensor<1x2x2x!quant.uniform<u8:f32, 1.0>> loc("y")
    return %1 : tensor<1x2x2x!quant.uniform<u8:f32, 1.0>>
  }
}

// -----

// The multiplier is a fraction with 31 bits: 1073741824 is a half. With a right shift of 1 that makes a quarter, with
// -1, to the left, the number itself. The product is rounded half up, then what the shift takes off by the round mode.
// input x = [[100, 10, -10, 600]]
// expect quarter = [[30, 8, 2, 127]]
// expect same = [[100, 10, -10, 127]]
module @tflite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4xsi32>) -> (tensor<1x4x!quant.uniform<i8:f32, 1.0:5>>, tensor<1x4x!quant.uniform<i8:f32, 1.0>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4xsi32>) -> tensor<1x4xsi32> loc("x")
    %1 = "top.RequantInt"(%0) {multiplier = [1073741824], quant_mode = "TFLite", rshift = [1]} : (tensor<1x4xsi32>)
      -> tensor<1x4x!quant.uniform<i8:f32, 1.0:5>> loc("quarter")
    %2 = "top.RequantInt"(%0) {multiplier = [1073741824], quant_mode = "TFLite_LShift", rshift = [-1]} : (tensor<1x4xsi32>)
      -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> loc("same")
    return %1, %2 : tensor<1x4x!quant.uniform<i8:f32, 1.0:5>>, tensor<1x4x!quant.uniform<i8:f32, 1.0>>
  }
}
