// The product, element by element.
// input a = [[1, 2], [-3, 0.5]]
// input b = [[10, 0], [-2, 4]]
// expect y = [[10, 0], [6, 2]]
module @product attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("b")
    %2 = "top.Mul"(%0, %1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// A table of products; and with a third factor.
// input a = [[1], [2], [3]]
// input b = [1, 2, 3]
// input c = [10]
// expect two = [[1, 2, 3], [2, 4, 6], [3, 6, 9]]
// expect three = [[10, 20, 30], [20, 40, 60], [30, 60, 90]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x1xf32>, %arg1: tensor<3xf32>, %arg2: tensor<1xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3x1xf32>) -> tensor<3x1xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Input"(%arg2) : (tensor<1xf32>) -> tensor<1xf32> loc("c")
    %3 = "top.Mul"(%0, %1) : (tensor<3x1xf32>, tensor<3xf32>) -> tensor<3x3xf32> loc("two")
    %4 = "top.Mul"(%0, %1, %2) : (tensor<3x1xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<3x3xf32> loc("three")
    return %3, %4 : tensor<3x3xf32>, tensor<3x3xf32>
  }
}

// -----

// Products below 0 become 0, above 6 they become 6.
// input a = [-1, 2, 3]
// input b = [1, 2, 3]
// expect y = [0, 4, 6]
module @relu attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("b")
    %2 = "top.Mul"(%0, %1) {do_relu = true, relu_limit = 6.0 : f64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %2 : tensor<3xf32>
  }
}

// -----

// Integers are multiplied exactly and held in the range of the result.
// input a = [100, -100, 11, -128]
// input b = [2, 2, -11, -128]
// expect narrow = [127, -128, -121, 127]
// expect wide = [200, -200, -121, 16384]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi8>, %arg1: tensor<4xsi8>) -> (tensor<4xsi8>, tensor<4xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xsi8>) -> tensor<4xsi8> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<4xsi8>) -> tensor<4xsi8> loc("b")
    %2 = "top.Mul"(%0, %1) : (tensor<4xsi8>, tensor<4xsi8>) -> tensor<4xsi8> loc("narrow")
    %3 = "top.Mul"(%0, %1) : (tensor<4xsi8>, tensor<4xsi8>) -> tensor<4xsi32> loc("wide")
    return %2, %3 : tensor<4xsi8>, tensor<4xsi32>
  }
}

// -----

// (a - 1) / 2 times b / 4, stored in halves: 2 * 1.5 = 3 is 6, 1 * 0.25 is rounded to 1, -0.5 * 0.5 to -1.
// input a = [[5, 3, 0]]
// input b = [[6, 1, 2]]
// expect y = [[6, 1, -1]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>, %arg1: tensor<1x3x!quant.uniform<i8:f32, 0.25>>)
      -> tensor<1x3x!quant.uniform<i8:f32, 0.5>> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.5:1>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x3x!quant.uniform<i8:f32, 0.25>> loc("b")
    %2 = "top.Mul"(%0, %1) : (tensor<1x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x3x!quant.uniform<i8:f32, 0.25>>)
      -> tensor<1x3x!quant.uniform<i8:f32, 0.5>> loc("y")
    return %2 : tensor<1x3x!quant.uniform<i8:f32, 0.5>>
  }
}
