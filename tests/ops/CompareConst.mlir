// x on the left, 2 on the right.
// input x = [1, 2, 3, "nan"]
// expect Equal = [0, 1, 0, 0]
// expect NotEqual = [1, 0, 1, 1]
// expect Greater = [0, 0, 1, 0]
// expect GreaterOrEqual = [0, 1, 1, 0]
// expect Less = [1, 0, 0, 0]
// expect LessOrEqual = [1, 1, 0, 0]
module @comparisons attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = false, mode = "Equal"} : (tensor<4xf32>) -> tensor<4xf32> loc("Equal")
    %2 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = false, mode = "NotEqual"} : (tensor<4xf32>) -> tensor<4xf32> loc("NotEqual")
    %3 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = false, mode = "Greater"} : (tensor<4xf32>) -> tensor<4xf32> loc("Greater")
    %4 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = false, mode = "GreaterOrEqual"} : (tensor<4xf32>) -> tensor<4xf32> loc("GreaterOrEqual")
    %5 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = false, mode = "Less"} : (tensor<4xf32>) -> tensor<4xf32> loc("Less")
    %6 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = false, mode = "LessOrEqual"} : (tensor<4xf32>) -> tensor<4xf32> loc("LessOrEqual")
    return %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The constant on the left: 2 > x, 2 <= x.
// input x = [1, 2, 3]
// expect greater = [1, 0, 0]
// expect less_or_equal = [0, 1, 1]
module @inversed attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = true, mode = "Greater"} : (tensor<3xf32>) -> tensor<3xf32> loc("greater")
    %2 = "top.CompareConst"(%0) {const_val = 2.0 : f64, inversed = true, mode = "LessOrEqual"} : (tensor<3xf32>) -> tensor<3xf32> loc("less_or_equal")
    return %1, %2 : tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// x and 1, x xor 1; not x, which is true of 0 alone.
// input x = [0, 1]
// input z = [0, 1, -1, 0.5]
// expect And = [0, 1]
// expect Xor = [1, 0]
// expect Not = [1, 0, 0, 0]
module @logic attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<4xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<4xf32>) -> tensor<4xf32> loc("z")
    %2 = "top.CompareConst"(%0) {const_val = 1.0 : f64, inversed = false, mode = "And"} : (tensor<2xf32>) -> tensor<2xf32> loc("And")
    %3 = "top.CompareConst"(%0) {const_val = 1.0 : f64, inversed = false, mode = "Xor"} : (tensor<2xf32>) -> tensor<2xf32> loc("Xor")
    %4 = "top.CompareConst"(%1) {const_val = 0.0 : f64, inversed = false, mode = "Not"} : (tensor<4xf32>) -> tensor<4xf32> loc("Not")
    return %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<4xf32>
  }
}

// -----

// The constant is rounded to the scale of x: 0.6 becomes 0.5, which is stored as 2. The result is 0 or 1 as stored.
// input x = [[1, 2, 3, -4]]
// expect equal = [[0, 1, 0, 0]]
// expect greater = [[0, 0, 1, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<1x4x!quant.uniform<i8:f32, 4.0>>, tensor<1x4x!quant.uniform<i8:f32, 4.0>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.CompareConst"(%0) {const_val = 0.6 : f64, inversed = false, mode = "Equal"} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 4.0>> loc("equal")
    %2 = "top.CompareConst"(%0) {const_val = 0.6 : f64, inversed = false, mode = "Greater"} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 4.0>> loc("greater")
    return %1, %2 : tensor<1x4x!quant.uniform<i8:f32, 4.0>>, tensor<1x4x!quant.uniform<i8:f32, 4.0>>
  }
}
