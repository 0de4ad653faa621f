// The two largest of each row, the largest first.
// input x = [[1, 4, 2, 3], [-1, -4, -2, -3]]
// expect v = [[4, 3], [-1, -2]]
// expect i = [[1, 3], [0, 2]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %1:2 = "top.TopK"(%0) {K = 2 : i64, axis = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<2x2xf32>, tensor<2x2xsi32>
  }
}

// -----

// Of equal entries the first counts.
// input x = [2, 5, 2, 5, 2]
// expect v = [5, 5, 2, 2]
// expect i = [1, 3, 0, 2]
module @ties attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> (tensor<4xf32>, tensor<4xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1:2 = "top.TopK"(%0) {K = 4 : i64, axis = 0 : i64} : (tensor<5xf32>) -> (tensor<4xf32>, tensor<4xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<4xf32>, tensor<4xsi32>
  }
}

// -----

// The smallest, along an axis counted from the end, with entries of another between.
// input x = [[1, 6], [3, 4], [2, 5]]
// expect v = [[1, 4], [2, 5]]
// expect i = [[0, 1], [2, 2]]
module @smallest_of_columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1:2 = "top.TopK"(%0) {K = 2 : i64, axis = -2 : i64, largest = false} : (tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<2x2xf32>, tensor<2x2xsi32>
  }
}

// -----

// NaN is larger than infinity.
// input x = [1, "nan", "inf", "-inf"]
// expect v = ["nan", "inf", 1]
// expect i = [1, 2, 0]
module @not_a_number attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<3xf32>, tensor<3xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1:2 = "top.TopK"(%0) {K = 3 : i64, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<3xf32>, tensor<3xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<3xf32>, tensor<3xsi32>
  }
}

// -----

// Where the smallest are wanted NaN comes last.
// input x = ["nan", 1, "inf", "-inf"]
// expect v = ["-inf", 1, "inf", "nan"]
// expect i = [3, 1, 2, 0]
module @smallest_without_nan attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1:2 = "top.TopK"(%0) {K = 4 : i64, axis = 0 : i64, largest = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<4xf32>, tensor<4xsi32>
  }
}

// -----

// Quantized entries stay as they are stored.
// input x = [[-3, 100, 7]]
// expect v = [[100, 7]]
// expect i = [[1, 2]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x2xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.TopK"(%0) {K = 2 : i64, axis = 1 : i64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x2xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x2xsi32>
  }
}

// -----

// The values have a scale of their own: real values -3, 1 and 2.
// input x = [[-3, 5, 7]]
// expect v = [[8, 4]]
// expect i = [[2, 1]]
module @requantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1:2 = "top.TopK"(%0) {K = 2 : i64, axis = 1 : i64} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2xsi32>) loc(fused["v", "i"])
    return %1#0, %1#1 : tensor<1x2x!quant.uniform<i8:f32, 0.25>>, tensor<1x2xsi32>
  }
}
