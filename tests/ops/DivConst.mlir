// Half of x, rounded down.
// input x = [-3, -2, 0, 5, 6.5]
// expect y = [-2, -1, 0, 2, 3]
module @half attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.DivConst"(%0) {const_val = 2.0 : f64} : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// 7 / x, rounded down.
// input x = [2, -2, 3.5, 10]
// expect y = [3, -4, 2, 0]
module @reverse attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %1 = "top.DivConst"(%0) {const_val = 7.0 : f64, is_reverse = true} : (tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %1 : tensor<4xf32>
  }
}

// -----

// Integers too; not below 0 by the Relu.
// input x = [-7, 7, 2147483647]
// expect y = [0, 2, 715827882]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xsi32>) -> tensor<3xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<3xsi32>) -> tensor<3xsi32> loc("x")
    %1 = "top.DivConst"(%0) {const_val = 3.0 : f64, do_relu = true} : (tensor<3xsi32>) -> tensor<3xsi32> loc("y")
    return %1 : tensor<3xsi32>
  }
}
