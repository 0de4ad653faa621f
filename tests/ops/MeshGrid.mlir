// Each result varies along its own axis.
// input a = [1, 2, 3]
// input b = [10, 20]
// expect p = [[1, 1], [2, 2], [3, 3]]
// expect q = [[10, 20], [10, 20], [10, 20]]
module @ij attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("b")
    %2:2 = "top.MeshGrid"(%0, %1) {is_reverse = false} : (tensor<3xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) loc(fused["p", "q"])
    return %2#0, %2#1 : tensor<3x2xf32>, tensor<3x2xf32>
  }
}

// -----

// Axes in the reverse order.
// input a = [1, 2, 3]
// input b = [10, 20]
// expect p = [[1, 2, 3], [1, 2, 3]]
// expect q = [[10, 10, 10], [20, 20, 20]]
module @xy attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("b")
    %2:2 = "top.MeshGrid"(%0, %1) {is_reverse = true} : (tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) loc(fused["p", "q"])
    return %2#0, %2#1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
