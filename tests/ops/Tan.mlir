// Of radians.
// input x = [0, 0.5, -0.5, 0.78539816, 1.5, 3]
// expect y = [0, 0.54630249, -0.54630249, 0.999999993, 14.1014199, -0.142546543]
module @tan attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6xf32>) -> tensor<6xf32> loc("x")
    %1 = "top.Tan"(%0) : (tensor<6xf32>) -> tensor<6xf32> loc("y")
    return %1 : tensor<6xf32>
  }
}

// -----

// There is none of infinities.
// input x = ["nan", "-inf", "inf"]
// expect y = ["nan", "nan", "nan"]
module @not_finite attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Tan"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}
