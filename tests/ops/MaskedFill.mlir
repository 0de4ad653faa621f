// The branch where the condition is not 0, the number elsewhere.
// input c = [[1, 0], [0, 2]]
// input x = [[1, 2], [3, 4]]
// expect y = [[1, -1.5], [-1.5, 4]]
module @masked attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %2 = "top.MaskedFill"(%0, %1) {const_val = -1.5 : f64, inversed = false} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// The number where it is not 0; the condition is broadcast.
// input c = [0, 1]
// input x = [[1, 2], [3, 4]]
// expect y = [[1, 9], [3, 9]]
module @inversed attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %2 = "top.MaskedFill"(%0, %1) {const_val = 9.0 : f64, inversed = true} : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}
