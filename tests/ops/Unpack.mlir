// Columns, each a vector.
// input x = [[1, 2], [3, 4]]
// expect p = [1, 3]
// expect q = [2, 4]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1:2 = "top.Unpack"(%0) {axis = 1 : si32} : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) loc(fused["p", "q"])
    return %1#0, %1#1 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// Entries of a vector keep an axis of 1.
// input x = [4, 5]
// expect p = [4]
// expect q = [5]
module @entries attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1:2 = "top.Unpack"(%0) {axis = 0 : si32} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>) loc(fused["p", "q"])
    return %1#0, %1#1 : tensor<1xf32>, tensor<1xf32>
  }
}

// -----

// The parts have scales of their own: real values -3 and 49, 1 and 2.
// input x = [[-3, 5], [101, 7]]
// expect p = [-12, 127]
// expect q = [1, 2]
module @requantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.Unpack"(%0) {axis = 1 : si32} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) loc(fused["p", "q"])
    return %1#0, %1#1 : tensor<2x!quant.uniform<i8:f32, 0.25>>, tensor<2x!quant.uniform<i8:f32, 1.0>>
  }
}
