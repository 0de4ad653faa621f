// float16 has 11 bits: 2049 lies between 2048 and 2050, and goes to the even one; beyond 65504 is infinity.
// input x = [[1.0, 2049.0, 2051.0, 0.1, 65504.0, 70000.0]]
// expect y = [[1.0, 2048.0, 2052.0, 0.0999755859375, 65504.0, "inf"]]
module @to_half attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x6xf32>) -> tensor<1x6xf16> {
    %0 = "top.Input"(%arg0) : (tensor<1x6xf32>) -> tensor<1x6xf32> loc("x")
    %1 = "top.DtypeCast"(%0) : (tensor<1x6xf32>) -> tensor<1x6xf16> loc("y")
    return %1 : tensor<1x6xf16>
  }
}
