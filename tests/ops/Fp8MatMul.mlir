// Squares of 2 x 2 weights have a scale each: the matrix is [[1, 2, 30], [-0.5, 0, 40]] (2 x 3, n x k).
// input x = [[[1, 2, 3]], [[0, 1, -1]]]
// weight w = [[1, 2, 3], [-0.5, 0, 4]]
// weight s = [[1, 10]]
// weight b = [1, -1]
// expect y = [[[96, 118.5]], [[-27, -41]]]
module @blocks attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<2x1x3xf32>) -> tensor<2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x3xf8E4M3FN> loc("w")
    %2 = "top.Weight"() : () -> tensor<1x2xf32> loc("s")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %4 = "top.Fp8MatMul"(%0, %1, %2, %3) {block_size = 2 : i64, weight_transpose = true} : (tensor<2x1x3xf32>, tensor<2x3xf8E4M3FN>, tensor<1x2xf32>, tensor<2xf32>)
      -> tensor<2x1x2xf32> loc("y")
    return %4 : tensor<2x1x2xf32>
  }
}

// -----

// The same matrix as k x n, without bias.
// input x = [[1, 2, 3]]
// weight w = [[1, -0.5], [2, 0], [3, 4]]
// weight s = [[1], [10]]
// expect y = [[95, 119.5]]
module @straight attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3x2xf8E4M3FN> loc("w")
    %2 = "top.Weight"() : () -> tensor<2x1xf32> loc("s")
    %3 = "top.None"() : () -> none
    %4 = "top.Fp8MatMul"(%0, %1, %2, %3) {block_size = 2 : i64} : (tensor<1x3xf32>, tensor<3x2xf8E4M3FN>, tensor<2x1xf32>, none) -> tensor<1x2xf32> loc("y")
    return %4 : tensor<1x2xf32>
  }
}
