// 1 where it holds, 0 elsewhere.
// input a = [1, 2, 3]
// input b = [2, 2, 2]
// expect Equal = [0, 1, 0]
// expect NotEqual = [1, 0, 1]
// expect Greater = [0, 0, 1]
// expect GreaterOrEqual = [0, 1, 1]
// expect Less = [1, 0, 0]
// expect LessOrEqual = [1, 1, 0]
module @comparisons attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Compare"(%0, %1) {mode = "Equal"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("Equal")
    %3 = "top.Compare"(%0, %1) {mode = "NotEqual"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("NotEqual")
    %4 = "top.Compare"(%0, %1) {mode = "Greater"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("Greater")
    %5 = "top.Compare"(%0, %1) {mode = "GreaterOrEqual"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("GreaterOrEqual")
    %6 = "top.Compare"(%0, %1) {mode = "Less"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("Less")
    %7 = "top.Compare"(%0, %1) {mode = "LessOrEqual"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("LessOrEqual")
    return %2, %3, %4, %5, %6, %7 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// Nothing is equal to NaN, not even NaN, and nothing is larger or smaller.
// input a = [1, "nan", "nan"]
// input b = ["nan", 1, "nan"]
// expect Equal = [0, 0, 0]
// expect NotEqual = [1, 1, 1]
// expect Greater = [0, 0, 0]
// expect GreaterOrEqual = [0, 0, 0]
// expect Less = [0, 0, 0]
// expect LessOrEqual = [0, 0, 0]
module @not_a_number attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Compare"(%0, %1) {mode = "Equal"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("Equal")
    %3 = "top.Compare"(%0, %1) {mode = "NotEqual"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("NotEqual")
    %4 = "top.Compare"(%0, %1) {mode = "Greater"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("Greater")
    %5 = "top.Compare"(%0, %1) {mode = "GreaterOrEqual"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("GreaterOrEqual")
    %6 = "top.Compare"(%0, %1) {mode = "Less"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("Less")
    %7 = "top.Compare"(%0, %1) {mode = "LessOrEqual"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("LessOrEqual")
    return %2, %3, %4, %5, %6, %7 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// And; either, but not both.
// input a = [0, 0, 1, 1]
// input b = [0, 1, 0, 1]
// expect And = [0, 0, 0, 1]
// expect Xor = [0, 1, 1, 0]
module @logic attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %2 = "top.Compare"(%0, %1) {mode = "And"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("And")
    %3 = "top.Compare"(%0, %1) {mode = "Xor"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Xor")
    return %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// For And everything but 0 is true; Xor asks whether the numbers differ. Not looks at the left side only.
// input a = [0, 0, 5, -2]
// input b = [0, -3, 0, 0.5]
// expect And = [0, 0, 0, 1]
// expect Xor = [0, 1, 1, 1]
// expect Not = [1, 1, 0, 0]
module @truth attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %2 = "top.Compare"(%0, %1) {mode = "And"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("And")
    %3 = "top.Compare"(%0, %1) {mode = "Xor"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Xor")
    %4 = "top.Compare"(%0, %1) {mode = "Not"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Not")
    return %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A column against a row.
// input column = [[1], [2], [3]]
// input row = [1, 2, 3]
// expect y = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x1xf32>, %arg1: tensor<3xf32>) -> tensor<3x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x1xf32>) -> tensor<3x1xf32> loc("column")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("row")
    %2 = "top.Compare"(%0, %1) {mode = "Greater"} : (tensor<3x1xf32>, tensor<3xf32>) -> tensor<3x3xf32> loc("y")
    return %2 : tensor<3x3xf32>
  }
}

// -----

// Quantized numbers of one scale are compared. The result is 0 or 1 as stored, whatever its scale.
// input a = [[1, 3, 5, -1]]
// input b = [[0, 4, 5, -3]]
// expect y = [[1, 0, 1, 1]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, %arg1: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 4.0>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("b")
    %2 = "top.Compare"(%0, %1) {mode = "GreaterOrEqual"} : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 4.0>> loc("y")
    return %2 : tensor<1x4x!quant.uniform<i8:f32, 4.0>>
  }
}
