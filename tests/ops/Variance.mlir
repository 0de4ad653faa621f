// Of all elements: the mean is 2.5.
// input x = [[1, 2], [3, 4]]
// expect y = [[1.25]]
module @population attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<1x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Variance"(%0) {correction = 0.0 : f64, keep_dims = true, reduce_list = [0, 1]} : (tensor<2x2xf32>) -> tensor<1x1xf32> loc("y")
    return %1 : tensor<1x1xf32>
  }
}

// -----

// Of each row, divided by n - 1.
// input x = [[1, 2, 3], [10, 10, 16]]
// expect y = [1, 12]
module @sample attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Variance"(%0) {correction = 1.0 : f64, reduce_list = [-1]} : (tensor<2x3xf32>) -> tensor<2xf32> loc("y")
    return %1 : tensor<2xf32>
  }
}

// -----

// Of one element there is no sample variance.
// input x = [[3], [4]]
// expect y = ["nan", "nan"]
module @one attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xf32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("x")
    %1 = "top.Variance"(%0) {correction = 1.0 : f64, reduce_list = [1]} : (tensor<2x1xf32>) -> tensor<2xf32> loc("y")
    return %1 : tensor<2xf32>
  }
}
