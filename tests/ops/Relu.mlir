// What is negative becomes 0.
// input x = [-2, 0, 0.5, "-inf", "inf"]
// expect y = [0, 0, 0.5, 0, "inf"]
module @positive_part attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<5xf32>) -> tensor<5xf32> loc("x")
    %1 = "top.Relu"(%0) : (tensor<5xf32>) -> tensor<5xf32> loc("y")
    return %1 : tensor<5xf32>
  }
}

// -----

// NaN passes, with a limit too.
// input x = ["nan", -1, 7]
// expect y = ["nan", 0, 7]
// expect limited = ["nan", 0, 6]
module @not_a_number attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Relu"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    %2 = "top.Relu"(%0) {relu_limit = 6.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("limited")
    return %1, %2 : tensor<3xf32>, tensor<3xf32>
  }
}

// -----

// Held between 0 and 6.
// input x = [[-1, 3, 6], [6.5, 100, "inf"]]
// expect y = [[0, 3, 6], [6, 6, 6]]
module @limit attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %1 = "top.Relu"(%0) {relu_limit = 6.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    return %1 : tensor<2x3xf32>
  }
}

// -----

// A limit of 0 is none.
// input x = [-1, 0, 1000]
// expect y = [0, 0, 1000]
module @no_limit attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("x")
    %1 = "top.Relu"(%0) {relu_limit = 0.0 : f64} : (tensor<3xf32>) -> tensor<3xf32> loc("y")
    return %1 : tensor<3xf32>
  }
}

// -----

// What is stored below the zero point is negative.
// input a = [[-128, -1, 0, 127]]
// input b = [[-128, 2, 3, 127]]
// expect y = [[0, 0, 0, 127]]
// expect z = [[3, 3, 3, 127]]
module @quantized attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x!quant.uniform<i8:f32, 0.5>>, %arg1: tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>)
      -> (tensor<1x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) {
    %0 = "top.Input"(%arg0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:3>> loc("b")
    %2 = "top.Relu"(%0) : (tensor<1x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> loc("y")
    %3 = "top.Relu"(%1) : (tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5:3>> loc("z")
    return %2, %3 : tensor<1x4x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x!quant.uniform<i8:f32, 0.5:3>>
  }
}
