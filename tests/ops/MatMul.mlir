// Two rows by two columns, without and with a bias; and by the same columns given as rows.
// input x = [[1, 2, 3], [4, 5, 6]]
// weight w = [[1, 0], [0, 1], [1, 1]]
// weight wt = [[1, 0, 1], [0, 1, 1]]
// weight b = [10, 20]
// expect product = [[4, 5], [10, 11]]
// expect sum = [[14, 25], [20, 31]]
// expect right = [[4, 5], [10, 11]]
module @product attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<3x2xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<2x3xf32> loc("wt")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %5 = "top.MatMul"(%1, %2, %0) : (tensor<2x3xf32>, tensor<3x2xf32>, none) -> tensor<2x2xf32> loc("product")
    %6 = "top.MatMul"(%1, %2, %4) : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32> loc("sum")
    %7 = "top.MatMul"(%1, %3, %0) {right_transpose = true} : (tensor<2x3xf32>, tensor<2x3xf32>, none) -> tensor<2x2xf32> loc("right")
    return %5, %6, %7 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// -----

// The left matrix given the other way round. The result given the other way round: the bias belongs to its rows then.
// input x = [[1, 2, 3], [4, 5, 6]]
// input xt = [[1, 4], [2, 5], [3, 6]]
// weight w = [[1, 0], [0, 1], [1, 1]]
// weight b = [10, 20]
// expect left = [[4, 5], [10, 11]]
// expect output = [[14, 20], [25, 31]]
module @transposed attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("xt")
    %3 = "top.Weight"() : () -> tensor<3x2xf32> loc("w")
    %4 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %5 = "top.MatMul"(%2, %3, %0) {left_transpose = true} : (tensor<3x2xf32>, tensor<3x2xf32>, none) -> tensor<2x2xf32> loc("left")
    %6 = "top.MatMul"(%1, %3, %4) {output_transpose = true} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32> loc("output")
    return %5, %6 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// -----

// Leading axes are broadcast: each of two rows (axis 0) with each of two matrices (axis 1).
// input x = [[[[1, 2]]], [[[3, 4]]]]
// input w = [[[[1, 0], [0, 1]], [[0, 10], [10, 0]]]]
// expect y = [[[[1, 2]], [[20, 10]]], [[[3, 4]], [[40, 30]]]]
module @batches attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x1x2xf32>, %arg1: tensor<1x2x2x2xf32>) -> tensor<2x2x1x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("w")
    %3 = "top.MatMul"(%1, %2, %0) : (tensor<2x1x1x2xf32>, tensor<1x2x2x2xf32>, none) -> tensor<2x2x1x2xf32> loc("y")
    return %3 : tensor<2x2x1x2xf32>
  }
}

// -----

// Without keep_dims all axes but the last are one. The Relu holds the results between 0 and 5.
// input x = [[[1, 0], [0, 1]], [[1, 1], [-1, -1]]]
// weight w = [[1, 2], [3, 4]]
// expect y = [[1, 2], [3, 4], [4, 5], [0, 0]]
module @folded attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> tensor<4x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x2xf32> loc("w")
    %3 = "top.MatMul"(%1, %2, %0) {do_relu = true, keep_dims = false, relu_limit = 5.0 : f64} : (tensor<2x2x2xf32>, tensor<2x2xf32>, none)
      -> tensor<4x2xf32> loc("y")
    return %3 : tensor<4x2xf32>
  }
}

// -----

// A vector on the right: no last axis is left. A matrix on the right with 4 rows takes the last two axes of 2 as one.
// input x = [[1, 2, 3], [4, 5, 6]]
// input z = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
// weight v = [1, 10, 100]
// weight w = [[1], [10], [100], [1000]]
// expect vector = [321, 654]
// expect joined = [[4321], [8765]]
module @other_ranks attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x2x2xf32>) -> (tensor<2xf32>, tensor<2x1xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %2 = "top.Input"(%arg1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("z")
    %3 = "top.Weight"() : () -> tensor<3xf32> loc("v")
    %4 = "top.Weight"() : () -> tensor<4x1xf32> loc("w")
    %5 = "top.MatMul"(%1, %3, %0) : (tensor<2x3xf32>, tensor<3xf32>, none) -> tensor<2xf32> loc("vector")
    %6 = "top.MatMul"(%2, %4, %0) : (tensor<2x2x2xf32>, tensor<4x1xf32>, none) -> tensor<2x1xf32> loc("joined")
    return %5, %6 : tensor<2xf32>, tensor<2x1xf32>
  }
}

// -----

// int8 with zero points gives int32: sums of (x - 2) * (w + 1), plus the bias. At the first place 1 * 1 + 2 * 3.
// input x = [[3, 4], [-128, 127]]
// weight w = [[0, 1], [2, -1]]
// weight b = [0, 1000]
// expect y = [[7, 1002], [245, 740]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<2x2xsi32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:2>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0:2>> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2x!quant.uniform<i8:f32, 1.0:-1>> loc("w")
    %2 = "top.Weight"() : () -> tensor<2xsi32> loc("b")
    %3 = "top.MatMul"(%0, %1, %2) : (tensor<2x2x!quant.uniform<i8:f32, 1.0:2>>, tensor<2x2x!quant.uniform<i8:f32, 1.0:-1>>, tensor<2xsi32>)
      -> tensor<2x2xsi32> loc("y")
    return %3 : tensor<2x2xsi32>
  }
}
