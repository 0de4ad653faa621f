// The first where the condition is not 0, be it negative; else the second.
// input c = [1, 0, -0.5, 0]
// input a = [1, 2, 3, 4]
// input b = [10, 20, 30, 40]
// expect y = [1, 20, 3, 40]
module @two_tensors attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %2 = "top.Input"(%arg2) : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %3 = "top.Where"(%0, %1, %2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("y")
    return %3 : tensor<4xf32>
  }
}

// -----

// A condition for each row, values for each column.
// input c = [[1], [0]]
// input a = [1, 2, 3]
// input b = [[-1]]
// expect y = [[1, 2, 3], [-1, -1, -1]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xf32>, %arg1: tensor<3xf32>, %arg2: tensor<1x1xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %2 = "top.Input"(%arg2) : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("b")
    %3 = "top.Where"(%0, %1, %2) : (tensor<2x1xf32>, tensor<3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32> loc("y")
    return %3 : tensor<2x3xf32>
  }
}

// -----

// A constant in place of the first branch, of the second, of both.
// input c = [1, 0, 1]
// input a = [1, 2, 3]
// expect first = [9, 2, 9]
// expect second = [1, -9, 3]
// expect both = [0.5, 2, 0.5]
module @constants attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("c")
    %2 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %3 = "top.Where"(%1, %0, %2) {x_const_val = 9.0 : f64, x_is_const = true} : (tensor<3xf32>, none, tensor<3xf32>) -> tensor<3xf32> loc("first")
    %4 = "top.Where"(%1, %2, %0) {y_const_val = -9.0 : f64, y_is_const = true} : (tensor<3xf32>, tensor<3xf32>, none) -> tensor<3xf32> loc("second")
    %5 = "top.Where"(%1, %0, %0) {x_const_val = 0.5 : f64, x_is_const = true, y_const_val = 2.0 : f64, y_is_const = true} : (tensor<3xf32>, none, none)
      -> tensor<3xf32> loc("both")
    return %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// What is not chosen leaves no trace, be it infinite or NaN.
// input c = [1, 0, 1]
// input a = [1, "nan", "inf"]
// input b = ["nan", 2, "-inf"]
// expect y = [1, 2, "inf"]
module @unselected attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %2 = "top.Input"(%arg2) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %3 = "top.Where"(%0, %1, %2) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %3 : tensor<3xf32>
  }
}
