// A value in the shape that a coefficient lists; -1 is 1.
// weight n = [2, -1, 2]
// expect y = [[[1.5, 1.5]], [[1.5, 1.5]]]
module @filled attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<2x1x2xf32> {
    %0 = "top.Weight"() : () -> tensor<3xsi32> loc("n")
    %1 = "top.ConstantFill"(%0) {value = 1.5 : f64} : (tensor<3xsi32>) -> tensor<2x1x2xf32> loc("y")
    return %1 : tensor<2x1x2xf32>
  }
}

// -----

// Integers are rounded and saturate.
// weight n = [2]
// expect y = [127, 127]
module @rounded attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main() -> tensor<2xsi8> {
    %0 = "top.Weight"() : () -> tensor<1xf32> loc("n")
    %1 = "top.ConstantFill"(%0) {value = 300.0 : f64} : (tensor<1xf32>) -> tensor<2xsi8> loc("y")
    return %1 : tensor<2xsi8>
  }
}
