// All elements in order, whatever strides of 1 seem to say.
// input x = [[1.5, 2.5], [3.5, "nan"]]
// expect y = [[1.5, 2.5], [3.5, "nan"]]
module @as_tpulang_writes_it attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Copy"(%0) {input_stride = [1, 1], output_stride = [1, 1], shape = [2, 2]} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %1 : tensor<2x2xf32>
  }
}

// -----

// The same with the strides of a dense tensor.
// input x = [[1, 2], [3, 4]]
// expect y = [[1, 2], [3, 4]]
module @dense attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xsi8>) -> tensor<2x2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xsi8>) -> tensor<2x2xsi8> loc("x")
    %1 = "top.Copy"(%0) {input_stride = [2, 1], output_stride = [2, 1], shape = [2, 2]} : (tensor<2x2xsi8>) -> tensor<2x2xsi8> loc("y")
    return %1 : tensor<2x2xsi8>
  }
}

// -----

// Of quantized numbers too.
// input x = [[-128, 0, 127]]
// expect y = [[-128, 0, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("x")
    %1 = "top.Copy"(%0) {input_stride = [1, 1], output_stride = [1, 1], shape = [1, 3]} : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("y")
    return %1 : tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>
  }
}
