// Two entries a byte, the first below; groups of two.
// input w = [[33, 67], [101, 247]]
// input i = [1, 0, -1]
// input s = [[0.5, 2], [1, 10]]
// input z = [[1, 0], [0, 8]]
// expect y = [[5, 6, -10, 70], [0, 0.5, 6, 8], [5, 6, -10, 70]]
module @four_bits attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xui8>, %arg1: tensor<3xsi32>, %arg2: tensor<2x2xf32>, %arg3: tensor<2x2xf32>) -> tensor<3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xui8>) -> tensor<2x2xui8> loc("w")
    %1 = "top.Input"(%arg1) : (tensor<3xsi32>) -> tensor<3xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("s")
    %3 = "top.Input"(%arg3) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("z")
    %4 = "top.A16Gather"(%0, %1, %2, %3) {q_group_size = 2 : i64, weight_bits = 4 : i64} : (tensor<2x2xui8>, tensor<3xsi32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<3x4xf32> loc("y")
    return %4 : tensor<3x4xf32>
  }
}

// -----

// One group a row; the index keeps an axis of 1.
// input w = [[-1, 2], [3, -128]]
// input i = [1]
// input s = [[0.5], [0.25]]
// input z = [[0], [1]]
// expect y = [[[0.5, -32.25]]]
module @eight_bits attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xsi8>, %arg1: tensor<1xsi32>, %arg2: tensor<2x1xf32>, %arg3: tensor<2x1xf32>) -> tensor<1x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xsi8>) -> tensor<2x2xsi8> loc("w")
    %1 = "top.Input"(%arg1) : (tensor<1xsi32>) -> tensor<1xsi32> loc("i")
    %2 = "top.Input"(%arg2) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("s")
    %3 = "top.Input"(%arg3) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("z")
    %4 = "top.A16Gather"(%0, %1, %2, %3) {keepdims = true, q_group_size = 0 : i64, weight_bits = 8 : i64} : (tensor<2x2xsi8>, tensor<1xsi32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<1x1x2xf32> loc("y")
    return %4 : tensor<1x1x2xf32>
  }
}
