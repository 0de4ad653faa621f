// (a + b) / 2, of a column and a row; halves go away from zero, and the result is held in int8.
// input a = [[[3], [-3]]]
// input b = [[[0, 1, 127]]]
// expect sum = [[[2, 2, 65], [-2, -1, 62]]]
// expect difference = [[[12, 8, -128], [-12, -16, -128]]]
// expect reversed = [[[-12, -8, 127], [12, 16, 127]]]
// expect product = [[[0, 6, 762], [0, -6, -762]]]
module @modes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1xsi8>, %arg1: tensor<1x1x3xui8>) -> (tensor<1x2x3xsi8>, tensor<1x2x3xsi8>, tensor<1x2x3xsi8>, tensor<1x2x3xsi16>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1xsi8>) -> tensor<1x2x1xsi8> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x1x3xui8>) -> tensor<1x1x3xui8> loc("b")
    %2 = "top.BinaryShift"(%0, %1) {mode = "Add", shift = -1 : si32} : (tensor<1x2x1xsi8>, tensor<1x1x3xui8>) -> tensor<1x2x3xsi8> loc("sum")
    %3 = "top.BinaryShift"(%0, %1) {mode = "Sub", shift = 2 : si32} : (tensor<1x2x1xsi8>, tensor<1x1x3xui8>) -> tensor<1x2x3xsi8> loc("difference")
    %4 = "top.BinaryShift"(%0, %1) {is_reverse = true, mode = "Sub", shift = 2 : si32} : (tensor<1x2x1xsi8>, tensor<1x1x3xui8>) -> tensor<1x2x3xsi8> loc("reversed")
    %5 = "top.BinaryShift"(%0, %1) {mode = "Mul", shift = 1 : si32} : (tensor<1x2x1xsi8>, tensor<1x1x3xui8>) -> tensor<1x2x3xsi16> loc("product")
    return %2, %3, %4, %5 : tensor<1x2x3xsi8>, tensor<1x2x3xsi8>, tensor<1x2x3xsi8>, tensor<1x2x3xsi16>
  }
}

// -----

// The stored values are taken as they are, whatever they mean; the largest uint32 times itself is exact before the shift.
// input a = [[4, -2]]
// input b = [[4294967295, 3]]
// expect sum = [[5, 1]]
// expect product = [[2147483647, 0]]
// weight w = [[1, 3]]
module @stored attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 4.0:1>>, %arg1: tensor<1x2xui32>) -> (tensor<1x2xsi8>, tensor<1x2xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 4.0:1>>) -> tensor<1x2x!quant.uniform<i8:f32, 4.0:1>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2xui32>) -> tensor<1x2xui32> loc("b")
    %2 = "top.Weight"() : () -> tensor<1x2xsi8> loc("w")
    %3 = "top.BinaryShift"(%0, %2) {mode = "Add", shift = 0 : si32} : (tensor<1x2x!quant.uniform<i8:f32, 4.0:1>>, tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("sum")
    %4 = "top.BinaryShift"(%1, %1) {mode = "Mul", round_mode = "Down", shift = -33 : si32} : (tensor<1x2xui32>, tensor<1x2xui32>) -> tensor<1x2xsi32> loc("product")
    return %3, %4 : tensor<1x2xsi8>, tensor<1x2xsi32>
  }
}

// -----

// Without saturation the low bits stay, but signed operands do not become large numbers of an unsigned type.
// input a = [[200, -200, 56]]
// expect kept = [[-56, 56, 56]]
// expect unsigned = [[255, 0, 112]]
// weight w = [[0, 0, 0]]
module @low_bits attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xsi16>) -> (tensor<1x3xsi8>, tensor<1x3xui8>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3xsi16>) -> tensor<1x3xsi16> loc("a")
    %1 = "top.Weight"() : () -> tensor<1x3xsi16> loc("w")
    %2 = "top.BinaryShift"(%0, %1) {mode = "Add", saturation = false, shift = 0 : si32} : (tensor<1x3xsi16>, tensor<1x3xsi16>) -> tensor<1x3xsi8> loc("kept")
    %3 = "top.BinaryShift"(%0, %1) {mode = "Add", saturation = false, shift = 1 : si32} : (tensor<1x3xsi16>, tensor<1x3xsi16>) -> tensor<1x3xui8> loc("unsigned")
    return %2, %3 : tensor<1x3xsi8>, tensor<1x3xui8>
  }
}
