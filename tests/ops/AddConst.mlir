// 2.5 is added to every element.
// input x = [[0, 1], [-2.5, 10]]
// expect y = [[2.5, 3.5], [0, 12.5]]
module @plus_a_number attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.AddConst"(%0) {const_val = 2.5 : f64} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %1 : tensor<2x2xf32>
  }
}

// -----

// x - 1, held between 0 and 2 by the Relu.
// input x = [-1, 1, 2, 3, 4]
// expect y = [0, 0, 1, 2, 2]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.AddConst"(%0) {const_val = -1.0 : f64, do_relu = true, relu_limit = 2.0 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// Integers are held in the range of the result; unsigned ones do not go below 0.
// input a = [100, 27, 28, -128]
// input b = [0, 99, 100, 255]
// expect y = [127, 127, 127, -28]
// expect z = [0, 0, 0, 155]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi8>, %arg1: tensor<4xui8>) -> (tensor<4xsi8>, tensor<4xui8>) {
    %0 = "top.Input"(%arg0) : (tensor<4xsi8>) -> tensor<4xsi8> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<4xui8>) -> tensor<4xui8> loc("b")
    %2 = "top.AddConst"(%0) {const_val = 100.0 : f64} : (tensor<4xsi8>) -> tensor<4xsi8> loc("y")
    %3 = "top.AddConst"(%1) {const_val = -100.0 : f64} : (tensor<4xui8>) -> tensor<4xui8> loc("z")
    return %2, %3 : tensor<4xsi8>, tensor<4xui8>
  }
}

// -----

// The number is added to what the stored numbers mean: 5 / 2 + 3, stored as 11; (5 - 1) / 2 + 3, stored as 2 * 5 + 1.
// input a = [[5, 1, 125, -128]]
// input b = [[5, 1, 125, -128]]
// expect y = [[11, 7, 127, -122]]
// expect z = [[11, 7, 127, -122]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5>>, %arg1: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>)
      -> (tensor<1x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("b")
    %2 = "top.AddConst"(%0) {const_val = 3.0 : f64} : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("y")
    %3 = "top.AddConst"(%1) {const_val = 3.0 : f64} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("z")
    return %2, %3 : tensor<1x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>
  }
}

// -----

// The Relu of integers.
// input x = [-100, 3, 7, 100]
// expect y = [0, 1, 5, 20]
module @integers_with_relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi32>) -> tensor<4xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<4xsi32>) -> tensor<4xsi32> loc("x")
    %1 = "top.AddConst"(%0) {const_val = -2.0 : f64, do_relu = true, relu_limit = 20.0 : f64} : (tensor<4xsi32>) -> tensor<4xsi32> loc("y")
    return %1 : tensor<4xsi32>
  }
}
