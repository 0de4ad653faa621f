// Columns 1 and 3; a limit beyond the axis is its end.
// input x = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
// weight a = [1]
// weight b = [1]
// weight s = [2]
// weight e = [9]
// expect y = [[1, 3], [6, 8]]
module @columns attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x5xf32>) -> tensor<2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<1xsi32> loc("a")
    %2 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %3 = "top.Weight"() : () -> tensor<1xsi32> loc("s")
    %4 = "top.Weight"() : () -> tensor<1xsi32> loc("e")
    %5 = "top.SliceAxis"(%0, %1, %2, %3, %4) : (tensor<2x5xf32>, tensor<1xsi32>, tensor<1xsi32>, tensor<1xsi32>, tensor<1xsi32>) -> tensor<2x2xf32> loc("y")
    return %5 : tensor<2x2xf32>
  }
}

// -----

// Counted from the end, by 1.
// input x = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
// weight a = [-1]
// weight b = [-3]
// weight e = [-1]
// expect y = [[2, 3], [7, 8]]
module @from_the_end attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x5xf32>) -> tensor<2x2xf32> {
    %0 = "top.None"() : () -> none loc(unknown)
    %1 = "top.Input"(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<1xsi32> loc("a")
    %3 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %4 = "top.Weight"() : () -> tensor<1xsi32> loc("e")
    %5 = "top.SliceAxis"(%1, %2, %3, %0, %4) : (tensor<2x5xf32>, tensor<1xsi32>, tensor<1xsi32>, none, tensor<1xsi32>) -> tensor<2x2xf32> loc("y")
    return %5 : tensor<2x2xf32>
  }
}
