// Rows 2, 0 and 2 of a table.
// input x = [[0, 1], [10, 11], [20, 21]]
// input i = [2, 0, 2]
// expect y = [[20, 21], [0, 1], [20, 21]]
module @rows attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<3xsi32>) -> tensor<3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3xsi32>) -> tensor<3xsi32> loc("i")
    %2 = "top.Gather"(%0, %1) : (tensor<3x2xf32>, tensor<3xsi32>) -> tensor<3x2xf32> loc("y")
    return %2 : tensor<3x2xf32>
  }
}

// -----

// A square of indices takes the place of axis 1; -1 is the last column.
// input x = [[1, 2, 3], [4, 5, 6]]
// weight i = [[0, -1], [1, -3]]
// expect y = [[[1, 3], [2, 1]], [[4, 6], [5, 4]]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<2x2xsi32> loc("i")
    %2 = "top.Gather"(%0, %1) {axis = -1 : si32} : (tensor<2x3xf32>, tensor<2x2xsi32>) -> tensor<2x2x2xf32> loc("y")
    return %2 : tensor<2x2x2xf32>
  }
}

// -----

// With a single index axis 1 stays as 1, or goes where keepdims is false.
// input x = [[1, 2, 3], [4, 5, 6]]
// weight i = [1]
// expect kept = [[2], [5]]
// expect dropped = [2, 5]
module @one_entry attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1xsi32> loc("i")
    %2 = "top.Gather"(%0, %1) {axis = 1 : si32} : (tensor<2x3xf32>, tensor<1xsi32>) -> tensor<2x1xf32> loc("kept")
    %3 = "top.Gather"(%0, %1) {axis = 1 : si32, keepdims = false} : (tensor<2x3xf32>, tensor<1xsi32>) -> tensor<2xf32> loc("dropped")
    return %2, %3 : tensor<2x1xf32>, tensor<2xf32>
  }
}

// -----

// Entries are taken as they are stored.
// input x = [-128, 5, 6, 127]
// input i = [3, 0, -2]
// expect y = [127, -128, 6]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi8>, %arg1: tensor<3xsi32>) -> tensor<3xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<4xsi8>) -> tensor<4xsi8> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3xsi32>) -> tensor<3xsi32> loc("i")
    %2 = "top.Gather"(%0, %1) : (tensor<4xsi8>, tensor<3xsi32>) -> tensor<3xsi8> loc("y")
    return %2 : tensor<3xsi8>
  }
}

// -----

// The result has another scale: real values 2 and -3.
// input x = [[-3], [5], [7]]
// input i = [2, 0]
// expect y = [[8], [-12]]
module @requantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x1x!quant.uniform<i8:f32, 0.5:3>>, %arg1: tensor<2xsi32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25>> {
    %0 = "top.Input"(%arg0) : (tensor<3x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x1x!quant.uniform<i8:f32, 0.5:3>> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2xsi32>) -> tensor<2xsi32> loc("i")
    %2 = "top.Gather"(%0, %1) : (tensor<3x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<2xsi32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25>> loc("y")
    return %2 : tensor<2x1x!quant.uniform<i8:f32, 0.25>>
  }
}
