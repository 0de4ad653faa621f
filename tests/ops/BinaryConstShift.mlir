// (10 - x) * 2 and (x - 10) / 4, held in int8; x * 3.
// input x = [[2, 12, -128]]
// expect reversed = [[16, -4, 127]]
// expect difference = [[-2, 1, -35]]
// expect product = [[6, 36, -384]]
// expect sum = [[0, 10, -130]]
module @modes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xsi8>) -> (tensor<1x3xsi8>, tensor<1x3xsi8>, tensor<1x3xsi16>, tensor<1x3xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3xsi8>) -> tensor<1x3xsi8> loc("x")
    %1 = "top.BinaryConstShift"(%0) {is_reverse = true, mode = "Sub", scale = 10 : si32, shift = 1 : si32} : (tensor<1x3xsi8>) -> tensor<1x3xsi8> loc("reversed")
    %2 = "top.BinaryConstShift"(%0) {mode = "Sub", scale = 10 : si32, shift = -2 : si32} : (tensor<1x3xsi8>) -> tensor<1x3xsi8> loc("difference")
    %3 = "top.BinaryConstShift"(%0) {mode = "Mul", scale = 3 : si32, shift = 0 : si32} : (tensor<1x3xsi8>) -> tensor<1x3xsi16> loc("product")
    %4 = "top.BinaryConstShift"(%0) {mode = "Add", scale = -2 : si32, shift = 0 : si32} : (tensor<1x3xsi8>) -> tensor<1x3xsi32> loc("sum")
    return %1, %2, %3, %4 : tensor<1x3xsi8>, tensor<1x3xsi8>, tensor<1x3xsi16>, tensor<1x3xsi32>
  }
}

// -----

// Halves, by every mode.
// input x = [[5, 3, 1, -1, -3, -5]]
// expect HalfAwayFromZero = [[3, 2, 1, -1, -2, -3]]
// expect HalfTowardsZero = [[2, 1, 0, 0, -1, -2]]
// expect HalfUp = [[3, 2, 1, 0, -1, -2]]
// expect HalfDown = [[2, 1, 0, -1, -2, -3]]
// expect HalfToEven = [[2, 2, 0, 0, -2, -2]]
// expect HalfToOdd = [[3, 1, 1, -1, -1, -3]]
// expect TowardsZero = [[2, 1, 0, 0, -1, -2]]
// expect Up = [[3, 2, 1, 0, -1, -2]]
// expect Down = [[2, 1, 0, -1, -2, -3]]
module @rounding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6xsi8>) -> (tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("x")
    %1 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "HalfAwayFromZero", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("HalfAwayFromZero")
    %2 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "HalfTowardsZero", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("HalfTowardsZero")
    %3 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "HalfUp", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("HalfUp")
    %4 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "HalfDown", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("HalfDown")
    %5 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "HalfToEven", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("HalfToEven")
    %6 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "HalfToOdd", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("HalfToOdd")
    %7 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "TowardsZero", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("TowardsZero")
    %8 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "Up", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("Up")
    %9 = "top.BinaryConstShift"(%0) {mode = "Mul", round_mode = "Down", scale = 1 : si32, shift = -1 : si32} : (tensor<1x6xsi8>) -> tensor<1x6xsi8> loc("Down")
    return %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>, tensor<1x6xsi8>
  }
}

// -----

// Without saturation the low bits of 300, -300 and 3 * (2^31 - 1) stay.
// input x = [[100, -100, 2147483647]]
// expect y = [[44, -44, -3]]
module @low_bits attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xsi32>) -> tensor<1x3xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xsi32>) -> tensor<1x3xsi32> loc("x")
    %1 = "top.BinaryConstShift"(%0) {mode = "Mul", saturation = false, scale = 3 : si32, shift = 0 : si32} : (tensor<1x3xsi32>) -> tensor<1x3xsi8> loc("y")
    return %1 : tensor<1x3xsi8>
  }
}
