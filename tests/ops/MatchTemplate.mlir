// Squared differences.
// input x = [[-4, -1, -4, -3], [1, 4, -1, 1], [-3, 0, 0, 0]]
// input t = [[2, 4], [1, 3]]
// expect y = [[62, 98, 93], [26, 39, 28]]
module @differences attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("t")
    %2 = "top.MatchTemplate"(%0, %1) {mode = "TM_SQDIFF"} : (tensor<3x4xf32>, tensor<2x2xf32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// The correlation coefficient: 1 where the template fits but for brightness and contrast.
// input x = [[-4, -1, -4, -3], [1, 4, 7, 11], [-3, 0, 5, 9]]
// input t = [[2, 4], [1, 3]]
// expect y = [[0.076696499, -0.41873914, -0.26131452], [0.89442719, 0.96476382, 1]]
module @coefficients attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("t")
    %2 = "top.MatchTemplate"(%0, %1) {mode = "TM_CCOEFF_NORMED"}
      : (tensor<3x4xf32>, tensor<2x2xf32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}
