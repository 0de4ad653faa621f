// Rows by tuples of one.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [[2], [0]]
// input u = [[10, 20], [30, 40]]
// expect y = [[30, 40], [3, 4], [10, 20]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x1xui32>, %arg2: tensor<2x2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x1xui32>) -> tensor<2x1xui32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) : (tensor<3x2xf32>, tensor<2x1xui32>, tensor<2x2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Single entries, reduction 1.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [[0, 0], [1, 1]]
// input u = [10, -5]
// expect y = [[11, 2], [3, -1], [5, 6]]
module @added attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x2xsi32>, %arg2: tensor<2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) {reduction = 1 : i32} : (tensor<3x2xf32>, tensor<2x2xsi32>, tensor<2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Single entries, reduction 2.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [[0, 0], [1, 1]]
// input u = [10, -5]
// expect y = [[-9, 2], [3, 9], [5, 6]]
module @subtracted attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x2xsi32>, %arg2: tensor<2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) {reduction = 2 : i32} : (tensor<3x2xf32>, tensor<2x2xsi32>, tensor<2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Single entries, reduction 3.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [[0, 0], [1, 1]]
// input u = [10, -5]
// expect y = [[10, 2], [3, 4], [5, 6]]
module @larger attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x2xsi32>, %arg2: tensor<2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) {reduction = 3 : i32} : (tensor<3x2xf32>, tensor<2x2xsi32>, tensor<2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Single entries, reduction 4.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [[0, 0], [1, 1]]
// input u = [10, -5]
// expect y = [[1, 2], [3, -5], [5, 6]]
module @smaller attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x2xsi32>, %arg2: tensor<2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) {reduction = 4 : i32} : (tensor<3x2xf32>, tensor<2x2xsi32>, tensor<2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Single entries, reduction 5.
// input x = [[1, 2], [3, 4], [5, 6]]
// input i = [[0, 0], [1, 1]]
// input u = [10, -5]
// expect y = [[10, 2], [3, -20], [5, 6]]
module @multiplied attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x2xsi32>, %arg2: tensor<2xf32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xsi32>) -> tensor<2x2xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) {reduction = 5 : i32} : (tensor<3x2xf32>, tensor<2x2xsi32>, tensor<2xf32>) -> tensor<3x2xf32> loc("y")
    return %3 : tensor<3x2xf32>
  }
}

// -----

// Plain integers are computed exactly, and saturate.
// input x = [100, -100]
// input i = [[0], [1]]
// input u = [100, -5]
// expect y = [127, -105]
module @saturated attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xsi8>, %arg1: tensor<2x1xsi32>, %arg2: tensor<2xsi8>) -> tensor<2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<2xsi8>) -> tensor<2xsi8> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x1xsi32>) -> tensor<2x1xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2xsi8>) -> tensor<2xsi8> loc("u")
    %3 = "top.ScatterND"(%0, %1, %2) {reduction = 1 : i32} : (tensor<2xsi8>, tensor<2x1xsi32>, tensor<2xsi8>) -> tensor<2xsi8> loc("y")
    return %3 : tensor<2xsi8>
  }
}
