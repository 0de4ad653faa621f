// The condition is not 0: the first branch doubles the input, which the block captures.
// input c = [0.5]
// input x = [1, -2]
// expect y = [2, -4]
module @then attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1xf32>) -> tensor<1xf32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %2 = "top.If"(%0) ({
      %3 = "top.MulConst"(%1) {const_val = 2.0 : f64} : (tensor<2xf32>) -> tensor<2xf32> loc("doubled")
      "top.Yield"(%3) : (tensor<2xf32>) -> ()
    }, {
      %3 = "top.Relu"(%1) : (tensor<2xf32>) -> tensor<2xf32> loc("positive")
      "top.Yield"(%3) : (tensor<2xf32>) -> ()
    }) : (tensor<1xf32>) -> tensor<2xf32> loc("y")
    return %2 : tensor<2xf32>
  }
}

// -----

// The condition is 0: the second branch, of two results, one of which is a tensor from outside.
// input c = [0]
// input x = [1, -2]
// weight w = [10, 20]
// expect y = [11, 18]
// expect z = [1, -2]
// expect after = [0, 0]
module @else attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1xsi32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.Input"(%arg0) : (tensor<1xsi32>) -> tensor<1xsi32> loc("c")
    %1 = "top.Input"(%arg1) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %2:2 = "top.If"(%0) ({
      "top.Yield"(%w, %w) : (tensor<2xf32>, tensor<2xf32>) -> ()
    }, {
      %3 = "top.Add"(%1, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("sum")
      "top.Yield"(%3, %1) : (tensor<2xf32>, tensor<2xf32>) -> ()
    }) : (tensor<1xsi32>) -> (tensor<2xf32>, tensor<2xf32>) loc(fused["y", "z"])
    %4 = "top.MulConst"(%2#1) {const_val = 0.0 : f64, do_relu = true} : (tensor<2xf32>) -> tensor<2xf32> loc("after")
    return %2#0, %2#1, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
