// 1e-5 is added, so that there is one of 0.
// input x = [0, 1, 4, 0.25, 100]
// expect y = [316.227766, 0.999995, 0.499999375, 1.99996, 0.099999995]
module @rsqrt attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Rsqrt"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// None of negative numbers.
// input x = ["nan", -1, "inf"]
// expect y = ["nan", "nan", 0]
module @outside attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Rsqrt"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// Here nothing is added. x counts units: 1, 1/2 and 1/4 in units of 1/100; that of 0 does not fit.
// input x = [[1, 4, 16, 0]]
// expect y = [[100, 50, 25, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 1.0>> loc("x")
    %1 = "top.Rsqrt"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.01>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.01>>
  }
}
