// Only the named axis goes.
// input x = [[[1], [2]]]
// expect first = [[1], [2]]
// expect last = [[1, 2]]
module @one_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1xf32>) -> (tensor<2x1xf32>, tensor<1x2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32> loc("x")
    %1 = "top.Squeeze"(%0) {axes = [0]} : (tensor<1x2x1xf32>) -> tensor<2x1xf32> loc("first")
    %2 = "top.Squeeze"(%0) {axes = [-1]} : (tensor<1x2x1xf32>) -> tensor<1x2xf32> loc("last")
    return %1, %2 : tensor<2x1xf32>, tensor<1x2xf32>
  }
}

// -----

// An empty list means every axis of 1.
// input x = [[[[1, 2]], [[3, 4]]]]
// expect y = [[1, 2], [3, 4]]
module @all attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.Squeeze"(%0) {axes = []} : (tensor<1x2x1x2xf32>) -> tensor<2x2xf32> loc("y")
    return %1 : tensor<2x2xf32>
  }
}

// -----

// A single number keeps the shape 1.
// input x = [[7]]
// expect y = [7]
module @nothing_left attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x1xf32>) -> tensor<1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("x")
    %1 = "top.Squeeze"(%0) {axes = [0, 1]} : (tensor<1x1xf32>) -> tensor<1xf32> loc("y")
    return %1 : tensor<1xf32>
  }
}

// -----

// Numbers stay as they are stored.
// input x = [[0], [255]]
// expect y = [0, 255]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1xui8>) -> tensor<2xui8> {
    %0 = "top.Input"(%arg0) : (tensor<2x1xui8>) -> tensor<2x1xui8> loc("x")
    %1 = "top.Squeeze"(%0) {axes = [1]} : (tensor<2x1xui8>) -> tensor<2xui8> loc("y")
    return %1 : tensor<2xui8>
  }
}
