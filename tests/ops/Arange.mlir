// From 2 up to but without 9, by 3.
// weight a = [2]
// weight b = [9]
// weight c = [3]
// expect y = [2, 5, 8]
module @numbers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<3xf32> {
    %0 = "top.Weight"() : () -> tensor<1xsi32> loc("a")
    %1 = "top.Weight"() : () -> tensor<1xsi32> loc("b")
    %2 = "top.Weight"() : () -> tensor<1xsi32> loc("c")
    %3 = "top.Arange"(%0, %1, %2) : (tensor<1xsi32>, tensor<1xsi32>, tensor<1xsi32>) -> tensor<3xf32> loc("y")
    return %3 : tensor<3xf32>
  }
}

// -----

// From 0, by 1: 2.5 makes three.
// weight b = [2.5]
// expect y = [0, 1, 2]
module @from_nought attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<3xf32> {
    %0 = "top.None"() : () -> none loc(unknown)
    %1 = "top.Weight"() : () -> tensor<1xf32> loc("b")
    %2 = "top.Arange"(%0, %1, %0) : (none, tensor<1xf32>, none) -> tensor<3xf32> loc("y")
    return %2 : tensor<3xf32>
  }
}
