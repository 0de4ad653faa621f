// x times 2, plus 1; x times -1, plus 10.
// input x = [[[1, 2], [3, 4]]]
// weight s = [2, -1]
// weight b = [1, 10]
// expect y = [[[3, 5], [7, 6]]]
module @channels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("s")
    %2 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %3 = "top.Scale"(%0, %1, %2) : (tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32> loc("y")
    return %3 : tensor<1x2x2xf32>
  }
}

// -----

// Axis 1 is the channel; the coefficients are given in four dimensions.
// input x = [[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]]
// weight s = [[[[10]], [[100]]]]
// weight b = [[[[0.5]], [[0]]]]
// expect y = [[[[10.5, 20.5]], [[300, 400]]], [[[50.5, 60.5]], [[700, 800]]]]
module @images attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1x2x1x1xf32> loc("s")
    %2 = "top.Weight"() : () -> tensor<1x2x1x1xf32> loc("b")
    %3 = "top.Scale"(%0, %1, %2) : (tensor<2x2x1x2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<2x2x1x2xf32> loc("y")
    return %3 : tensor<2x2x1x2xf32>
  }
}

// -----

// Results below 0 become 0, above 6 they become 6.
// input x = [[1, 2, 3]]
// weight s = [-1, 2, 3]
// weight b = [0, 0.5, 0]
// expect y = [[0, 4.5, 6]]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3xf32> loc("s")
    %2 = "top.Weight"() : () -> tensor<3xf32> loc("b")
    %3 = "top.Scale"(%0, %1, %2) {do_relu = true, relu_limit = 6.0 : f64} : (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3xf32> loc("y")
    return %3 : tensor<1x3xf32>
  }
}
