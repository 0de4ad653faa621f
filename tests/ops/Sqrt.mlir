// Square roots.
// input x = [0, 1, 2, 4, 1e-10, 1e+10]
// expect y = [0, 1, 1.41421356, 2, 1e-05, 100000]
module @sqrt attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6xf32>) -> tensor<6xf32> loc("x")
    %1 = "top.Sqrt"(%0) : (tensor<6xf32>) -> tensor<6xf32> loc("y")
    return %1 : tensor<6xf32>
  }
}

// -----

// None of negative numbers.
// input x = ["nan", -1, "inf"]
// expect y = ["nan", "nan", "inf"]
module @outside attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Sqrt"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts quarters: the roots of 1, 4, 2 in units of 1/10. There is none of -1, which is stored as 0.
// input x = [[4, 16, 8, -4]]
// expect y = [[10, 20, 14, 0]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.25>> loc("x")
    %1 = "top.Sqrt"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.1>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.1>>
  }
}
