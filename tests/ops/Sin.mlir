// Of radians; also of many turns.
// input x = [0, 0.5, 1, -1, 1.5707964, 3.1415927, 100]
// expect y = [0, 0.479425539, 0.841470985, -0.841470985, 1, -4.64102067e-08, -0.506365641]
module @sin attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %1 = "top.Sin"(%0) : (tensor<7xf32>) -> tensor<7xf32> loc("y")
    return %1 : tensor<7xf32>
  }
}

// -----

// There is none of infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", "nan", "nan"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Sin"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// x counts quarters: sin(1), sin(-1), sin(0) and sin(0.25) are 0.841, -0.841, 0 and 0.247, in units of 1/128, less 2.
// input x = [[4, -4, 0, 1]]
// expect y = [[106, -110, -2, 30]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.0078125:-2>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.25>> loc("x")
    %1 = "top.Sin"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.0078125:-2>> loc("y")
    return %1 : tensor<1x4x!quant.uniform<i8:f32, 0.0078125:-2>>
  }
}
