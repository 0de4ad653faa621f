// 1 where neither is 0; NaN is not 0.
// input x = [0, 0, 2, -1, "nan"]
// input z = [0, 1, 0, 0.5, 1]
// expect y = [0, 0, 0, 1, 1]
module @both attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<5xf32>) -> tensor<5xf32> loc("z")
    %2 = "top.LogicalAnd"(%0, %1) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %2 : tensor<5xf32>
  }
}

// -----

// Each of one with each of the other.
// input x = [[0], [3]]
// input z = [[0, 7]]
// expect y = [[0, 0], [0, 1]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xsi32>, %arg1: tensor<1x2xsi32>) -> tensor<2x2xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1xsi32>) -> tensor<2x1xsi32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2xsi32>) -> tensor<1x2xsi32> loc("z")
    %2 = "top.LogicalAnd"(%0, %1) : (tensor<2x1xsi32>, tensor<1x2xsi32>) -> tensor<2x2xsi32> loc("y")
    return %2 : tensor<2x2xsi32>
  }
}
