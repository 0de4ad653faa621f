// (x - 3) * 0.5.
// input x = [[3, 4, -128, 127]]
// expect y = [[0.0, 0.5, -65.5, 62.0]]
module @per_tensor attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x4xsi8>) -> tensor<1x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x4xsi8>) -> tensor<1x4xsi8> loc("x")
    %1 = "top.DequantizeLinear"(%0) {x_scale = [0.5], x_zero_point = [3 : i32]} : (tensor<1x4xsi8>) -> tensor<1x4xf32> loc("y")
    return %1 : tensor<1x4xf32>
  }
}

// -----

// A scale and a zero point for each index of axis 1, where the rows of a chunk are.
// input x = [[[10, 20], [10, 20]], [[30, 0], [30, 0]]]
// expect y = [[[10.0, 20.0], [2.25, 4.75]], [[30.0, 0.0], [7.25, -0.25]]]
module @by_axis attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<2x2x2xui8>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xui8>) -> tensor<2x2x2xui8> loc("x")
    %1 = "top.DequantizeLinear"(%0) {x_scale = [1.0, 0.25], x_zero_point = [0 : i32, 1 : i32]} : (tensor<2x2x2xui8>) -> tensor<2x2x2xf32> loc("y")
    return %1 : tensor<2x2x2xf32>
  }
}
