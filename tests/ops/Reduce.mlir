// Each row as one number, by each mode.
// input x = [[3, -4], [6, 8]]
// expect Sum = [-1, 14]
// expect Mean = [-0.5, 7]
// expect Prod = [-12, 48]
// expect Max = [3, 8]
// expect Min = [-4, 6]
// expect L1 = [7, 14]
// expect L2 = [5, 10]
module @modes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceSum"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("Sum")
    %2 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceMean"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("Mean")
    %3 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceProd"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("Prod")
    %4 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceMax"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("Max")
    %5 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceMin"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("Min")
    %6 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceL1"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("L1")
    %7 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceL2"} : (tensor<2x2xf32>) -> tensor<2xf32> loc("L2")
    return %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// Over the first and the last axis, which stay as 1.
// input x = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
// expect y = [[[14], [22]]]
module @axes_kept attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x2xf32>) -> tensor<1x2x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("x")
    %1 = "top.Reduce"(%0) {axes = [0, -1], keepdims = true, mode = "ReduceSum"} : (tensor<2x2x2xf32>) -> tensor<1x2x1xf32> loc("y")
    return %1 : tensor<1x2x1xf32>
  }
}

// -----

// No axes means all of them; nothing left gives one number in the shape 1.
// input x = [[1, 2], [3, 4]]
// expect one = [2.5]
// expect kept = [[2.5]]
module @everything attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> (tensor<1xf32>, tensor<1x1xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %1 = "top.Reduce"(%0) {axes = [], keepdims = false, mode = "ReduceMean"} : (tensor<2x2xf32>) -> tensor<1xf32> loc("one")
    %2 = "top.Reduce"(%0) {axes = [0, 1], keepdims = true, mode = "ReduceMean"} : (tensor<2x2xf32>) -> tensor<1x1xf32> loc("kept")
    return %1, %2 : tensor<1xf32>, tensor<1x1xf32>
  }
}

// -----

// The larger of each pair along axis 1; infinities count as numbers.
// input x = [[[1, "-inf", 5], [2, 0, "inf"]]]
// expect y = [[2, 0, "inf"]]
module @middle_axis attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x3xf32>) -> tensor<1x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> loc("x")
    %1 = "top.Reduce"(%0) {axes = [1], keepdims = false, mode = "ReduceMax"} : (tensor<1x2x3xf32>) -> tensor<1x3xf32> loc("y")
    return %1 : tensor<1x3xf32>
  }
}
