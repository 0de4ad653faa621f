// By zero it is infinite; 0 / 0 is not a number.
// input a = [6, -7, 1, -1, 0, 0]
// input b = [3, 2, 0, 0, 0, 5]
// expect y = [2, -3.5, "inf", "-inf", "nan", 0]
module @quotient attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6xf32>) -> tensor<6xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<6xf32>) -> tensor<6xf32> loc("b")
    %2 = "top.Div"(%0, %1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32> loc("y")
    return %2 : tensor<6xf32>
  }
}

// -----

// The second divided by the first.
// input a = [2, 4, -8]
// input b = [1, 6, 4]
// expect y = [0.5, 1.5, -0.5]
module @reverse attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Div"(%0, %1) {is_reverse = true} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %2 : tensor<3xf32>
  }
}

// -----

// Each row divided by its own number.
// input a = [[1, 2, 3], [10, 20, 30]]
// input b = [[2], [10]]
// expect y = [[0.5, 1, 1.5], [1, 2, 3]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x1xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("b")
    %2 = "top.Div"(%0, %1) : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// Quotients below 0 become 0, above 2 they become 2.
// input a = [-4, 3, 9]
// input b = [2]
// expect y = [0, 1.5, 2]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<1xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1xf32>) -> tensor<1xf32> loc("b")
    %2 = "top.Div"(%0, %1) {do_relu = true, relu_limit = 2.0 : f64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32> loc("y")
    return %2 : tensor<3xf32>
  }
}
