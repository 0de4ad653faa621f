// The first less the second; the other way round with is_reverse.
// input a = [[1, 2], [3, 4]]
// input b = [[10, 1], [-3, 0.5]]
// expect y = [[-9, 1], [6, 3.5]]
// expect reverse = [[9, -1], [-6, -3.5]]
module @difference attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("b")
    %2 = "top.Sub"(%0, %1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    %3 = "top.Sub"(%0, %1) {is_reverse = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("reverse")
    return %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// -----

// From a row, each number of a column.
// input row = [1, 2, 3]
// input column = [[1], [10]]
// expect y = [[0, 1, 2], [-9, -8, -7]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<2x1xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("row")
    %1 = "top.Input"(%arg1) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("column")
    %2 = "top.Sub"(%0, %1) : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// 2 a - 3 b; the Relu holds the results between 0 and 5.
// input a = [1, 3, 4]
// input b = [1, 1, 0]
// expect y = [0, 3, 5]
module @coefficients attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Sub"(%0, %1) {coeff = [2.0, 3.0], do_relu = true, relu_limit = 5.0 : f64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %2 : tensor<3xf32>
  }
}

// -----

// Integers are held in the range of the result; unsigned ones do not go below 0.
// input a = [3, 255, 0]
// input b = [5, 0, 255]
// expect y = [0, 255, 0]
// expect signed = [-2, 127, -128]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xui8>, %arg1: tensor<3xui8>) -> (tensor<3xui8>, tensor<3xsi8>) {
    %0 = "top.Input"(%arg0) : (tensor<3xui8>) -> tensor<3xui8> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xui8>) -> tensor<3xui8> loc("b")
    %2 = "top.Sub"(%0, %1) : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8> loc("y")
    %3 = "top.Sub"(%0, %1) : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xsi8> loc("signed")
    return %2, %3 : tensor<3xui8>, tensor<3xsi8>
  }
}

// -----

// (5 - 1) / 2 - (10 - 2) / 4 = 0, stored as 3; 1 - 0.25 is rounded to 1.
// input a = [[5, 3]]
// input b = [[10, 3]]
// expect y = [[3, 4]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, %arg1: tensor<1x2x!quant.uniform<i8:f32, 0.25:2>>)
      -> tensor<1x2x!quant.uniform<i8:f32, 1.0:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x2x!quant.uniform<i8:f32, 0.25:2>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.25:2>> loc("b")
    %2 = "top.Sub"(%0, %1) : (tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x2x!quant.uniform<i8:f32, 0.25:2>>)
      -> tensor<1x2x!quant.uniform<i8:f32, 1.0:3>> loc("y")
    return %2 : tensor<1x2x!quant.uniform<i8:f32, 1.0:3>>
  }
}
