// The sum, element by element.
// input a = [[1, 2, 3], [4, 5, 6]]
// input b = [[10, 20, 30], [40, 50, 60]]
// expect y = [[11, 22, 33], [44, 55, 66]]
module @sum attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("b")
    %2 = "top.Add"(%0, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %2 : tensor<2x3xf32>
  }
}

// -----

// A column and a row, then a single number as well, are broadcast together as in numpy: shapes are aligned at their
// last axes.
// input column = [[100], [200]]
// input row = [1, 2, 3]
// input one = [[0.5]]
// expect two = [[101, 102, 103], [201, 202, 203]]
// expect three = [[101.5, 102.5, 103.5], [201.5, 202.5, 203.5]]
module @broadcast attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xf32>, %arg1: tensor<3xf32>, %arg2: tensor<1x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("column")
    %1 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc("row")
    %2 = "top.Input"(%arg2) : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("one")
    %3 = "top.Add"(%0, %1) : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32> loc("two")
    %4 = "top.Add"(%0, %1, %2) : (tensor<2x1xf32>, tensor<3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32> loc("three")
    return %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}

// -----

// 2 a - 3 b, of which the Relu keeps what lies between 0 and 6.
// input a = [1, 1, 1, 6, 4]
// input b = [0, 1, -1, 2, -1]
// expect y = [2, 0, 5, 6, 6]
module @coefficients attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<5xf32>) -> tensor<5xf32> loc("b")
    %2 = "top.Add"(%0, %1) {coeff = [2.0, -3.0], do_relu = true, relu_limit = 6.0 : f64} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %2 : tensor<5xf32>
  }
}

// -----

// Integers are added exactly and held in the range of the result.
// input a = [100, -100, 5, 127]
// input b = [100, -100, -7, 1]
// expect narrow = [127, -128, -2, 127]
// expect wide = [200, -200, -2, 128]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi8>, %arg1: tensor<4xsi8>) -> (tensor<4xsi8>, tensor<4xsi32>) {
    %0 = "top.Input"(%arg0) : (tensor<4xsi8>) -> tensor<4xsi8> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<4xsi8>) -> tensor<4xsi8> loc("b")
    %2 = "top.Add"(%0, %1) : (tensor<4xsi8>, tensor<4xsi8>) -> tensor<4xsi8> loc("narrow")
    %3 = "top.Add"(%0, %1) : (tensor<4xsi8>, tensor<4xsi8>) -> tensor<4xsi32> loc("wide")
    return %2, %3 : tensor<4xsi8>, tensor<4xsi32>
  }
}

// -----

// What the stored numbers mean is added: (5 - 1) / 2 + (10 - 2) / 4 = 4, stored as 4 + 3. The second sum is 1.25,
// rounded to 1; the third is 63 + 31.25, rounded to 94; the fourth is -64.5 - 32.5 = -97.
// input a = [[5, 3, 127, -128]]
// input b = [[10, 3, 127, -128]]
// expect y = [[7, 4, 97, -94]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, %arg1: tensor<1x4x!quant.uniform<i8:f32, 0.25:2>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 1.0:3>> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:1>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x4x!quant.uniform<i8:f32, 0.25:2>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.25:2>> loc("b")
    %2 = "top.Add"(%0, %1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.25:2>>)
      -> tensor<1x4x!quant.uniform<i8:f32, 1.0:3>> loc("y")
    return %2 : tensor<1x4x!quant.uniform<i8:f32, 1.0:3>>
  }
}
