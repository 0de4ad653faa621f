// The sign is that of the second.
// input x = [7, -7, 7, -7, 5.5]
// input z = [3, 3, -3, -3, -2]
// expect y = [1, 2, -2, -1, -0.5]
module @signs attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<5xf32>) -> tensor<5xf32> loc("z")
    %2 = "top.Remainder"(%0, %1) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %2 : tensor<5xf32>
  }
}

// -----

// The second is broadcast; there is no rest of a division by 0.
// input x = [[5, -6], [1.5, 2]]
// input z = [4, 0]
// expect y = [[1, "nan"], [1.5, "nan"]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("z")
    %2 = "top.Remainder"(%0, %1) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// Of integers exactly; 0 where the divisor is 0.
// input x = [2147483647, -7, 7, 7]
// input z = [-10, 3, 0, -7]
// expect y = [-3, 2, 0, 0]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi32>, %arg1: tensor<4xsi32>) -> tensor<4xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<4xsi32>) -> tensor<4xsi32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<4xsi32>) -> tensor<4xsi32> loc("z")
    %2 = "top.Remainder"(%0, %1) : (tensor<4xsi32>, tensor<4xsi32>) -> tensor<4xsi32> loc("y")
    return %2 : tensor<4xsi32>
  }
}
