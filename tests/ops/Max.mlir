// The larger of each pair.
// input a = [1, 5, -3, "-inf"]
// input b = [4, 2, -2, "inf"]
// expect y = [4, 5, -2, "inf"]
module @larger attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %2 = "top.Max"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %2 : tensor<4xf32>
  }
}

// -----

// Where one is NaN, so is the result.
// input a = ["nan", 7, "nan"]
// input b = [7, "nan", "nan"]
// expect y = ["nan", "nan", "nan"]
module @not_a_number attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Max"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %2 : tensor<3xf32>
  }
}

// -----

// A column and a row.
// input a = [[2], [-2]]
// input b = [[1, 2, 3]]
// expect y = [[2, 2, 3], [1, 2, 3]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xf32>, %arg1: tensor<1x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("b")
    %2 = "top.Max"(%0, %1) : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// Integers are compared exactly: the first two pairs differ by 1, which float32 does not see.
// input a = [16777217, -16777216, 2147483647]
// input b = [16777216, -16777217, -2147483648]
// expect y = [16777217, -16777216, 2147483647]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xsi32>, %arg1: tensor<3xsi32>) -> tensor<3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<3xsi32>) -> tensor<3xsi32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xsi32>) -> tensor<3xsi32> loc("b")
    %2 = "top.Max"(%0, %1) : (tensor<3xsi32>, tensor<3xsi32>) -> tensor<3xsi32> loc("y")
    return %2 : tensor<3xsi32>
  }
}

// -----

// What the stored numbers mean is compared. Of one scale, it is the larger stored number; (a - 1) / 2 and c / 4 are
// compared as such, and stored in quarters.
// input a = [[1, 3, 5, -1]]
// input b = [[2, 2, 5, -3]]
// input c = [[1, 3, 7, -3]]
// expect same = [[2, 3, 5, -1]]
// expect mixed = [[1, 4, 8, -3]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, %arg1: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>,
      %arg2: tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.25>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("b")
    %2 = "top.Input"(%arg2) : (tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.25>> loc("c")
    %3 = "top.Max"(%0, %1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("same")
    %4 = "top.Max"(%0, %2) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.25>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 0.25>> loc("mixed")
    return %3, %4 : tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.25>>
  }
}
