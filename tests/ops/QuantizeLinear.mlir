// x / 0.5 is rounded to the nearest, halves to the even number, then the zero point is added (onnxruntime's values).
// input x = [[0.25, 0.75, -0.25, 1.3, 1000.0, -1000.0]]
// expect signed = [[3, 5, 3, 6, 127, -128]]
// expect unsigned = [[3, 5, 3, 6, 255, 0]]
module @per_tensor attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x6xf32>) -> (tensor<1x6xsi8>, tensor<1x6xui8>) {
    %0 = "top.Input"(%arg0) : (tensor<1x6xf32>) -> tensor<1x6xf32> loc("x")
    %1 = "top.QuantizeLinear"(%0) {y_scale = [0.5], y_zero_point = [3 : i32]} : (tensor<1x6xf32>) -> tensor<1x6xsi8> loc("signed")
    %2 = "top.QuantizeLinear"(%0) {y_scale = [0.5], y_zero_point = [3 : i32]} : (tensor<1x6xf32>) -> tensor<1x6xui8> loc("unsigned")
    return %1, %2 : tensor<1x6xsi8>, tensor<1x6xui8>
  }
}

// -----

// A scale and a zero point for each index of an axis.
// input x = [[1.0, 1.0], [-4.0, 5.0], [1.0, 1.0]]
// expect rows = [[1, 1], [-7, 11], [4, 4]]
// expect columns = [[1, 5], [-4, 21], [1, 5]]
module @by_axis attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<3x2xf32>) -> (tensor<3x2xsi8>, tensor<3x2xsi16>) {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.QuantizeLinear"(%0) {axis = 0 : i64, y_scale = [1.0, 0.5, 0.25], y_zero_point = [0 : i32, 1 : i32, 0 : i32]} : (tensor<3x2xf32>)
      -> tensor<3x2xsi8> loc("rows")
    %2 = "top.QuantizeLinear"(%0) {axis = -1 : i64, y_scale = [1.0, 0.25], y_zero_point = [0 : i32, 1 : i32]} : (tensor<3x2xf32>)
      -> tensor<3x2xsi16> loc("columns")
    return %1, %2 : tensor<3x2xsi8>, tensor<3x2xsi16>
  }
}
