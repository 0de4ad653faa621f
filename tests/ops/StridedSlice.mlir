// x[0:2, 1:3, 3:0:-2]
// input x = [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]
// weight b = [0, 1, 3]
// weight e = [2, 3, 0]
// weight s = [1, 1, -2]
// expect y = [[[7, 5], [11, 9]], [[19, 17], [23, 21]]]
module @ranges attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<3xsi32> loc("e")
    %3 = "top.Weight"() : () -> tensor<3xsi32> loc("s")
    %4 = "top.StridedSlice"(%0, %1, %2, %3) {begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 0 : i64} : (tensor<2x3x4xf32>, tensor<3xsi32>, tensor<3xsi32>, tensor<3xsi32>) -> tensor<2x2x2xf32> loc("y")
    return %4 : tensor<2x2x2xf32>
  }
}

// -----

// x[:, 1:]: masks take the first and the last.
// input x = [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]
// weight b = [1, 1]
// weight e = [1, 1]
// weight s = [1, 1]
// expect y = [[[4, 5, 6, 7], [8, 9, 10, 11]], [[16, 17, 18, 19], [20, 21, 22, 23]]]
module @masks attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<2xsi32> loc("e")
    %3 = "top.Weight"() : () -> tensor<2xsi32> loc("s")
    %4 = "top.StridedSlice"(%0, %1, %2, %3) {begin_mask = 1 : i64, ellipsis_mask = 0 : i64, end_mask = 3 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 0 : i64} : (tensor<2x3x4xf32>, tensor<2xsi32>, tensor<2xsi32>, tensor<2xsi32>) -> tensor<2x2x4xf32> loc("y")
    return %4 : tensor<2x2x4xf32>
  }
}

// -----

// x[1, ..., -1]: dropped axes, and an ellipsis.
// input x = [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]
// weight b = [1, 0, -1]
// weight e = [0, 0, 0]
// weight s = [1, 1, 1]
// expect y = [15, 19, 23]
module @dropped attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<3xsi32> loc("e")
    %3 = "top.Weight"() : () -> tensor<3xsi32> loc("s")
    %4 = "top.StridedSlice"(%0, %1, %2, %3) {begin_mask = 0 : i64, ellipsis_mask = 2 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 5 : i64} : (tensor<2x3x4xf32>, tensor<3xsi32>, tensor<3xsi32>, tensor<3xsi32>) -> tensor<3xf32> loc("y")
    return %4 : tensor<3xf32>
  }
}

// -----

// x[newaxis, 0:1, ..., 1:2]
// input x = [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]
// weight b = [0, 0, 0, 1]
// weight e = [0, 1, 0, 2]
// weight s = [1, 1, 1, 1]
// expect y = [[[[1], [5], [9]]]]
module @inserted attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<1x1x3x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<4xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<4xsi32> loc("e")
    %3 = "top.Weight"() : () -> tensor<4xsi32> loc("s")
    %4 = "top.StridedSlice"(%0, %1, %2, %3) {begin_mask = 0 : i64, ellipsis_mask = 4 : i64, end_mask = 0 : i64, new_axis_mask = 1 : i64, shrink_axis_mask = 0 : i64} : (tensor<2x3x4xf32>, tensor<4xsi32>, tensor<4xsi32>, tensor<4xsi32>) -> tensor<1x1x3x1xf32> loc("y")
    return %4 : tensor<1x1x3x1xf32>
  }
}

// -----

// x[1, 2, 3] keeps an axis of 1.
// input x = [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]
// weight b = [1, 2, 3]
// weight e = [0, 0, 0]
// weight s = [1, 1, 1]
// expect y = [23]
module @one attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<3xsi32> loc("e")
    %3 = "top.Weight"() : () -> tensor<3xsi32> loc("s")
    %4 = "top.StridedSlice"(%0, %1, %2, %3) {begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 7 : i64} : (tensor<2x3x4xf32>, tensor<3xsi32>, tensor<3xsi32>, tensor<3xsi32>) -> tensor<1xf32> loc("y")
    return %4 : tensor<1xf32>
  }
}
