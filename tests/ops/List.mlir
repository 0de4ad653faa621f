// All elements in one row.
// input a = [[1, 2], [3, 4]]
// input b = [9]
// expect y = [1, 2, 3, 4, 9]
module @joined attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>, %arg1: tensor<1xf32>) -> tensor<5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1xf32>) -> tensor<1xf32> loc("b")
    %2 = "top.List"(%0, %1) : (tensor<2x2xf32>, tensor<1xf32>) -> tensor<5xf32> loc("y")
    return %2 : tensor<5xf32>
  }
}
