// Two columns of four rows, 4 bits each, the first row in the low ones: [1, 2, 3, 4] and [15, 0, 8, 7]; groups of 2 rows.
// Column 0 is (1 - 1, 2 - 1) * 0.5 and (3 - 2, 4 - 2) * 2; column 1 (15 - 8, 0 - 8) * 1 and (8 - 0, 7 - 0) * 0.25.
// input x = [[1, 2, 3, 4], [0, 0, 1, -1]]
// weight w = [[33, 67], [15, 120]]
// weight s = [[0.5, 2], [1, 0.25]]
// weight z = [[1, 2], [8, 0]]
// weight b = [10, 20]
// expect y = [[33, 24], [8, 20.25]]
module @four_bits attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<2x4xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2xui8> loc("w")
    %2 = "top.Weight"() : () -> tensor<2x2xf32> loc("s")
    %3 = "top.Weight"() : () -> tensor<2x2xui8> loc("z")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %5 = "top.A16MatMul"(%0, %1, %2, %3, %4) {q_group_size = 2 : i64, right_transpose = true, weight_bits = 4 : i64} : (tensor<2x4xf32>, tensor<2x2xui8>, tensor<2x2xf32>, tensor<2x2xui8>, tensor<2xf32>)
      -> tensor<2x2xf32> loc("y")
    return %5 : tensor<2x2xf32>
  }
}

// -----

// The same matrix as k x n, its bytes along k.
// input x = [[[1, 2, 3, 4]], [[0, 0, 1, -1]]]
// weight w = [[33, 15], [67, 120]]
// weight s = [[0.5, 1], [2, 0.25]]
// weight z = [[1, 8], [2, 0]]
// expect y = [[[23, 4]], [[-2, 0.25]]]
module @straight attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<2x1x4xf32>) -> tensor<2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2xui8> loc("w")
    %2 = "top.Weight"() : () -> tensor<2x2xf32> loc("s")
    %3 = "top.Weight"() : () -> tensor<2x2xui8> loc("z")
    %4 = "top.None"() : () -> none
    %5 = "top.A16MatMul"(%0, %1, %2, %3, %4) {q_group_size = 2 : i64, weight_bits = 4 : i64} : (tensor<2x1x4xf32>, tensor<2x2xui8>, tensor<2x2xf32>, tensor<2x2xui8>, none)
      -> tensor<2x1x2xf32> loc("y")
    return %5 : tensor<2x1x2xf32>
  }
}

// -----

// A byte a weight; one group.
// input x = [[1, 2]]
// weight w = [[255, 0], [100, 101]]
// weight s = [[0.5], [1]]
// weight z = [[255], [100]]
// expect y = [[-255, 2]]
module @eight_bits attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2xui8> loc("w")
    %2 = "top.Weight"() : () -> tensor<2x1xf32> loc("s")
    %3 = "top.Weight"() : () -> tensor<2x1xui8> loc("z")
    %4 = "top.None"() : () -> none
    %5 = "top.A16MatMul"(%0, %1, %2, %3, %4) {q_group_size = 2 : i64, right_transpose = true} : (tensor<1x2xf32>, tensor<2x2xui8>, tensor<2x1xf32>, tensor<2x1xui8>, none)
      -> tensor<1x2xf32> loc("y")
    return %5 : tensor<1x2xf32>
  }
}
