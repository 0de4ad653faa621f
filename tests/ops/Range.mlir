// From 1 to 2, by a quarter.
// weight a = [1]
// weight b = [2]
// weight c = [0.25]
// expect y = [1, 1.25, 1.5, 1.75]
module @floats attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<4xf32> {
    %0 = "top.Weight"() : () -> tensor<1xf32> loc("a")
    %1 = "top.Weight"() : () -> tensor<1xf32> loc("b")
    %2 = "top.Weight"() : () -> tensor<1xf32> loc("c")
    %3 = "top.Range"(%0, %1, %2) : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32> loc("y")
    return %3 : tensor<4xf32>
  }
}

// -----

// From 0, by 1.
// weight b = [3]
// expect y = [0, 1, 2]
module @from_nought attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<3xsi32> {
    %0 = "top.None"() : () -> none loc(unknown)
    %1 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %2 = "top.Range"(%0, %1, %0) : (none, tensor<1xsi32>, none) -> tensor<3xsi32> loc("y")
    return %2 : tensor<3xsi32>
  }
}

// -----

// Downwards; the limit is not reached.
// weight a = [5]
// weight b = [0]
// weight c = [-2]
// expect y = [5, 3, 1]
module @down attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<3xsi32> {
    %0 = "top.Weight"() : () -> tensor<1xsi32> loc("a")
    %1 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<1xsi32> loc("c")
    %3 = "top.Range"(%0, %1, %2) : (tensor<1xsi32>, tensor<1xsi32>, tensor<1xsi32>) -> tensor<3xsi32> loc("y")
    return %3 : tensor<3xsi32>
  }
}
