// Rows 0 and 1, columns 1 and 2; row 1 to the end of the axis.
// input x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
// expect part = [[2, 3], [5, 6]]
// expect rows = [[4, 5, 6]]
module @ranges attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x3xf32>) -> (tensor<2x2xf32>, tensor<1x3xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32> loc("x")
    %2 = "top.Slice"(%1, %0, %0, %0) {ends = [2, 3], offset = [0, 1], steps = [1, 1]} : (tensor<3x3xf32>, none, none, none) -> tensor<2x2xf32> loc("part")
    %3 = "top.Slice"(%1, %0, %0, %0) {ends = [2, 9223372036854775807], offset = [1, 0], steps = [1, 1]} : (tensor<3x3xf32>, none, none, none)
      -> tensor<1x3xf32> loc("rows")
    return %2, %3 : tensor<2x2xf32>, tensor<1x3xf32>
  }
}

// -----

// Every second and every third number, from the first and from the second.
// input x = [0, 1, 2, 3, 4, 5, 6]
// expect second = [0, 2, 4, 6]
// expect third = [1, 4]
module @steps attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<7xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<7xf32>) -> tensor<7xf32> loc("x")
    %2 = "top.Slice"(%1, %0, %0, %0) {ends = [7], offset = [0], steps = [2]} : (tensor<7xf32>, none, none, none) -> tensor<4xf32> loc("second")
    %3 = "top.Slice"(%1, %0, %0, %0) {ends = [7], offset = [1], steps = [3]} : (tensor<7xf32>, none, none, none) -> tensor<2xf32> loc("third")
    return %2, %3 : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

// A negative step goes backwards; an end far below 0 includes the first.
// input x = [[0, 1, 2, 3, 4]]
// expect all = [[4, 3, 2, 1, 0]]
// expect some = [[3, 1]]
module @backwards attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x5xf32>) -> (tensor<1x5xf32>, tensor<1x2xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x5xf32>) -> tensor<1x5xf32> loc("x")
    %2 = "top.Slice"(%1, %0, %0, %0) {axes = [1], ends = [-100], offset = [4], steps = [-1]} : (tensor<1x5xf32>, none, none, none)
      -> tensor<1x5xf32> loc("all")
    %3 = "top.Slice"(%1, %0, %0, %0) {axes = [1], ends = [0], offset = [3], steps = [-2]} : (tensor<1x5xf32>, none, none, none)
      -> tensor<1x2xf32> loc("some")
    return %2, %3 : tensor<1x5xf32>, tensor<1x2xf32>
  }
}

// -----

// With axes the entries belong to those; -1 as an end leaves out the last column.
// input x = [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]
// expect y = [[[7, 8], [10, 11]]]
module @named_axes attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x3xf32>) -> tensor<1x2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32> loc("x")
    %2 = "top.Slice"(%1, %0, %0, %0) {axes = [0, 2], ends = [2, -1], offset = [1, 0], steps = [1, 1]} : (tensor<2x2x3xf32>, none, none, none)
      -> tensor<1x2x2xf32> loc("y")
    return %2 : tensor<1x2x2xf32>
  }
}

// -----

// Negative offsets and ends count from the end; the last axis is -1.
// input x = [[1, 2, 3, 4], [5, 6, 7, 8]]
// expect y = [[2, 3], [6, 7]]
module @from_the_end attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>) -> tensor<2x2xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %2 = "top.Slice"(%1, %0, %0, %0) {axes = [-1], ends = [-1], offset = [-3], steps = [1]} : (tensor<2x4xf32>, none, none, none) -> tensor<2x2xf32> loc("y")
    return %2 : tensor<2x2xf32>
  }
}

// -----

// Numbers are taken as they are stored.
// input x = [-128, 1, 2, 127]
// expect y = [-128, 127]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<4xsi8>) -> tensor<2xsi8> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<4xsi8>) -> tensor<4xsi8> loc("x")
    %2 = "top.Slice"(%1, %0, %0, %0) {ends = [4], offset = [0], steps = [3]} : (tensor<4xsi8>, none, none, none) -> tensor<2xsi8> loc("y")
    return %2 : tensor<2xsi8>
  }
}
