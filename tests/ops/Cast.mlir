// To an integer, rounded in each way.
// input x = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.75]
// expect HalfAwayFromZero = [-3, -2, -1, 1, 2, 3, 3]
// expect HalfUp = [-2, -1, 0, 1, 2, 3, 3]
// expect HalfDown = [-3, -2, -1, 0, 1, 2, 3]
// expect HalfToEven = [-2, -2, 0, 0, 2, 2, 3]
// expect TowardsZero = [-2, -1, 0, 0, 1, 2, 2]
// expect Up = [-2, -1, 0, 1, 2, 3, 3]
// expect Down = [-3, -2, -1, 0, 1, 2, 2]
module @rounding attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> (tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Cast"(%0) {round_mode = "HalfAwayFromZero", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("HalfAwayFromZero")
    %2 = "top.Cast"(%0) {round_mode = "HalfUp", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("HalfUp")
    %3 = "top.Cast"(%0) {round_mode = "HalfDown", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("HalfDown")
    %4 = "top.Cast"(%0) {round_mode = "HalfToEven", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("HalfToEven")
    %5 = "top.Cast"(%0) {round_mode = "TowardsZero", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("TowardsZero")
    %6 = "top.Cast"(%0) {round_mode = "Up", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("Up")
    %7 = "top.Cast"(%0) {round_mode = "Down", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("Down")
    return %1, %2, %3, %4, %5, %6, %7 : tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>, tensor<7xsi8>
  }
}

// -----

// Two modes more: halves to the odd neighbor, and halves towards zero.
// input x = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.75]
// expect HalfToOdd = [-3, -1, -1, 1, 1, 3, 3]
// expect HalfTowardsZero = [-2, -1, 0, 0, 1, 2, 3]
module @halves attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> (tensor<7xsi8>, tensor<7xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Cast"(%0) {round_mode = "HalfToOdd", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("HalfToOdd")
    %2 = "top.Cast"(%0) {round_mode = "HalfTowardsZero", to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("HalfTowardsZero")
    return %1, %2 : tensor<7xsi8>, tensor<7xsi8>
  }
}

// -----

// What does not fit becomes the nearest number that does. Halves are rounded away from zero.
// input x = [-1000, -128.4, -0.6, 0, 127.4, 127.6, 300]
// expect signed = [-128, -128, -1, 0, 127, 127, 127]
// expect unsigned = [0, 0, 0, 0, 127, 128, 255]
module @saturation attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> (tensor<7xsi8>, tensor<7xui8>) {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Cast"(%0) {to = "INT8"} : (tensor<7xf32>) -> tensor<7xsi8> loc("signed")
    %2 = "top.Cast"(%0) {to = "UINT8"} : (tensor<7xf32>) -> tensor<7xui8> loc("unsigned")
    return %1, %2 : tensor<7xsi8>, tensor<7xui8>
  }
}

// -----

// From a wide integer to narrow ones, one of them back, and to float.
// input x = [-70000, -129, 7, 128, 70000]
// expect i8 = [-128, -128, 7, 127, 127]
// expect u16 = [0, 0, 7, 128, 65535]
// expect back = [-128, -128, 7, 127, 127]
// expect f = [-70000, -129, 7, 128, 70000]
module @between_integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xsi32>) -> (tensor<5xsi8>, tensor<5xui16>, tensor<5xsi32>, tensor<5xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<5xsi32>) -> tensor<5xsi32> loc("x")
    %1 = "top.Cast"(%0) {to = "INT8"} : (tensor<5xsi32>) -> tensor<5xsi8> loc("i8")
    %2 = "top.Cast"(%0) {to = "UINT16"} : (tensor<5xsi32>) -> tensor<5xui16> loc("u16")
    %3 = "top.Cast"(%1) {to = "INT32"} : (tensor<5xsi8>) -> tensor<5xsi32> loc("back")
    %4 = "top.Cast"(%0) {to = "F32"} : (tensor<5xsi32>) -> tensor<5xf32> loc("f")
    return %1, %2, %3, %4 : tensor<5xsi8>, tensor<5xui16>, tensor<5xsi32>, tensor<5xf32>
  }
}

// -----

// Quantized numbers become what they mean, (q - 3) / 2. The other way they are divided by the scale and rounded.
// input q = [3, 4, -128, 127]
// input x = [0, 0.25, -0.25, 0.7, 1000]
// expect real = [0, 0.5, -65.5, 62]
// expect stored = [3, 4, 2, 4, 127]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %arg1: tensor<5xf32>) -> (tensor<4xf32>, tensor<5x!quant.uniform<i8:f32, 0.5:3>>) {
    %0 = "top.Input"(%arg0) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> loc("q")
    %1 = "top.Input"(%arg1) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %2 = "top.Cast"(%0) {to = "F32"} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32> loc("real")
    %3 = "top.Cast"(%1) : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5:3>> loc("stored")
    return %2, %3 : tensor<4xf32>, tensor<5x!quant.uniform<i8:f32, 0.5:3>>
  }
}

// -----

// Numbers that float16 has pass unchanged.
// input x = [1.5, -0.25, 65504, 0]
// expect half = [1.5, -0.25, 65504, 0]
// expect back = [1.5, -0.25, 65504, 0]
module @half_precision attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.Cast"(%0) {to = "F16"} : (tensor<4xf32>) -> tensor<4xf16> loc("half")
    %2 = "top.Cast"(%1) {to = "F32"} : (tensor<4xf16>) -> tensor<4xf32> loc("back")
    return %1, %2 : tensor<4xf16>, tensor<4xf32>
  }
}
