// x - 1.5, and 1.5 - x.
// input x = [0, 1.5, -2, 10]
// expect y = [-1.5, 0, -3.5, 8.5]
// expect reverse = [1.5, 0, 3.5, -8.5]
module @both_ways attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.SubConst"(%0) {const_val = 1.5 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    %2 = "top.SubConst"(%0) {const_val = 1.5 : f64, is_reverse = true} : (tensor<4xf32>) -> tensor<4xf32> loc("reverse")
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// 3 - x, held between 0 and 2.
// input x = [0, 1.5, 3, 5]
// expect y = [2, 1.5, 0, 0]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.SubConst"(%0) {const_val = 3.0 : f64, do_relu = true, is_reverse = true, relu_limit = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// Integers are held in the range of the result.
// input x = [0, 99, 100, 255]
// expect y = [0, 0, 0, 155]
// expect reverse = [100, 1, 0, -128]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<4xui8>) -> tensor<4xui8> loc("x")
    %1 = "top.SubConst"(%0) {const_val = 100.0 : f64} : (tensor<4xui8>) -> tensor<4xui8> loc("y")
    %2 = "top.SubConst"(%0) {const_val = 100.0 : f64, is_reverse = true} : (tensor<4xui8>) -> tensor<4xsi8> loc("reverse")
    return %1, %2 : tensor<4xui8>, tensor<4xsi8>
  }
}

// -----

// 5 / 2 - 3 = -0.5, stored as -1. With the zero point, 3 - (5 - 1) / 2 = 1 is stored as 1 / 0.5 + 1.
// input a = [[5, 1, -128]]
// input b = [[5, 1, -128]]
// expect y = [[-1, -5, -128]]
// expect z = [[3, 7, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5>>, %arg1: tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>)
      -> (tensor<1x3x!quant.uniform<i8:f32, 0.5>>, tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("b")
    %2 = "top.SubConst"(%0) {const_val = 3.0 : f64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5>> loc("y")
    %3 = "top.SubConst"(%1) {const_val = 3.0 : f64, is_reverse = true} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("z")
    return %2, %3 : tensor<1x3x!quant.uniform<i8:f32, 0.5>>, tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>
  }
}
