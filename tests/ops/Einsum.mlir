// The outer product; products of rows.
// input x = [1, 2]
// input y = [10, 20, 30]
// input z = [[3, 4]]
// input v = [[5, 6]]
// expect outer = [[10, 20, 30], [20, 40, 60]]
// expect inner = [39]
module @vectors attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<1x2xf32>, %arg3: tensor<1x2xf32>) -> (tensor<2x3xf32>, tensor<1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    %2 = "top.Input"(%arg2) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("z")
    %3 = "top.Input"(%arg3) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("v")
    %4 = "top.Einsum"(%0, %1) {mode = "a,b->ab"} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32> loc("outer")
    %5 = "top.Einsum"(%2, %3) {mode = "ab,ab->a"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1xf32> loc("inner")
    return %4, %5 : tensor<2x3xf32>, tensor<1xf32>
  }
}

// -----

// A matrix product for each a, summed over d; e stands before it in the right operand: 1 * 1 + 2 * 10.
// input x = [[[[1, 2]]]]
// input y = [[[[1, 10], [100, 1000]]]]
// expect y1 = [[[[21, 2100]]]]
module @heads attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x1x2xf32>, %arg1: tensor<1x1x2x2xf32>) -> tensor<1x1x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("y")
    %2 = "top.Einsum"(%0, %1) {mode = "abcd,abed->abce"} : (tensor<1x1x1x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x1x2xf32> loc("y1")
    return %2 : tensor<1x1x1x2xf32>
  }
}

// -----

// Summed over b; the result's axes are in another order than the products'.
// input x = [[[1], [2]]]
// input y = [[1, 10], [100, 1000]]
// expect r = [[[21], [2100]]]
module @reordered attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1xf32>, %arg1: tensor<2x2xf32>) -> tensor<1x2x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    %2 = "top.Einsum"(%0, %1) {mode = "abc,db->adc"} : (tensor<1x2x1xf32>, tensor<2x2xf32>) -> tensor<1x2x1xf32> loc("r")
    return %2 : tensor<1x2x1xf32>
  }
}

// -----

// Three operands: the second, turned round, times the others.
// input x = [[[1, 2]]]
// input y = [[[[1, 2], [3, 4], [5, 6]]]]
// input z = [[[10, 100]]]
// expect r = [[[[10, 30, 50], [400, 800, 1200]]]]
module @three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1x2xf32>, %arg1: tensor<1x1x3x2xf32>, %arg2: tensor<1x1x2xf32>) -> tensor<1x1x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x3x2xf32>) -> tensor<1x1x3x2xf32> loc("y")
    %2 = "top.Input"(%arg2) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32> loc("z")
    %3 = "top.Einsum"(%0, %1, %2) {mode = "abc,abdc,abc->abcd"}
      : (tensor<1x1x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2x3xf32> loc("r")
    return %3 : tensor<1x1x2x3xf32>
  }
}
